"""The fields of a kustomization with their types, as Go's decoder takes them. kustomize refuses a file with another field
or type."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Scalar(Enum):
    """The type of a field without fields inside."""

    STRING = "string"
    BOOL = "bool"
    INT = "int"
    STRINGS = "[]string"
    MAP = "map[string]string"
    ANY = "any"


Type = Scalar | Mapping[str, "Type"] | tuple[Mapping[str, "Type"]]
Fields = Mapping[str, Type]
"""A field's type: fields by name, or a list of items with these fields in a tuple of one.

Source: kustomize 5.8.1, api/types/kustomization.go (2026-11-28)
"""


def _of(texts: str = "", bools: str = "", lists: str = "", maps: str = "", **inside: Type) -> Fields:
    written = {Scalar.STRING: texts, Scalar.BOOL: bools, Scalar.STRINGS: lists, Scalar.MAP: maps}
    return {**{name: kind for kind, names in written.items() for name in names.split()}, **inside}


_OPTIONS = _of(bools="disableNameSuffixHash immutable", maps="labels annotations")
_GENERATED = _of("namespace name behavior env", lists="literals files envs", options=_OPTIONS)
_IMAGE = _of("name newName tagSuffix newTag digest")
_KIND = "group version kind"
_SELECTOR = _of(f"{_KIND} name namespace annotationSelector labelSelector")
_PATCH = _of("path patch", target=_SELECTOR, options=_of(bools="allowNameChange allowKindChange"))
_COPY = _of("delimiter encoding", bools="create", index=Scalar.INT)

FIELDS: Fields = _of(
    texts="apiVersion kind namePrefix nameSuffix namespace",
    lists="patchesStrategicMerge resources components crds bases configurations generators transformers validators buildMetadata",
    maps="openapi commonLabels commonAnnotations",
    metadata=_of("name namespace", maps="labels annotations"),
    labels=(_of(bools="includeSelectors includeTemplates", maps="pairs", fields=(_of(f"{_KIND} path", bools="create"),)),),
    patchesJson6902=(_PATCH,),
    patches=(_PATCH,),
    images=(_IMAGE,),
    imageTags=(_IMAGE,),
    replacements=(
        _of(
            "sourceValue path",
            source=_of(f"{_KIND} name namespace fieldPath", options=_COPY),
            targets=(_of(lists="fieldPaths", select=_SELECTOR, reject=(_SELECTOR,), options=_COPY),),
        ),
    ),
    replicas=(_of("name", count=Scalar.INT),),
    vars=(_of("name", objref=_of(f"apiVersion {_KIND} name namespace"), fieldref=_of("fieldPath")),),
    sortOptions=_of("order", legacySortOptions=_of(lists="orderFirst orderLast")),
    configMapGenerator=(_GENERATED,),
    secretGenerator=({**_GENERATED, "type": Scalar.STRING},),
    helmGlobals=_of("chartHome configHome"),
    helmCharts=(
        _of(
            "name version repo releaseName namespace valuesFile valuesMerge kubeVersion nameTemplate",
            bools="includeCRDs skipHooks skipTests debug devel",
            lists="additionalValuesFiles apiVersions",
            valuesInline=Scalar.ANY,
        ),
    ),
    helmChartInflationGenerator=(
        _of(
            "chartName chartVersion chartRepoUrl chartHome chartRepoName helmBin helmHome values valuesMerge releaseName releaseNamespace",
            lists="extraArgs",
            valuesLocal=Scalar.ANY,
        ),
    ),
    generatorOptions=_OPTIONS,
)
"""The fields of a kustomization.

Source: kustomize 5.8.1, the JSON names of the types in api/types, beginning with `Kustomization` in kustomization.go, whose
`Unmarshal` disallows unknown fields (2026-11-28)
"""

VERSIONS = {"Kustomization": "kustomize.config.k8s.io/v1beta1", "Component": "kustomize.config.k8s.io/v1alpha1"}
"""The kinds of the file, each with its only API version; both may be missing.

Source: kustomize 5.8.1, api/types/kustomization.go, `EnforceFields` (2026-11-28)
"""
