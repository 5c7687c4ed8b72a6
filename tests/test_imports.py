"""The typed classes of imports/, which `cdk8s import` made of the CRDs: they take what our deliveries emit, and give the same object."""

import re
from typing import Any

import pytest
from cdk8s import ApiObjectMetadata, App, Chart

from conftest import one, synth
from constructs_lib import ArgoCd, Flux, GpuNodes, NvidiaGpuOperator
from imports.application.io.argoproj import Application, ApplicationSpecIgnoreDifferences
from imports.helmrelease.io.fluxcd.toolkit.helm import HelmRelease, HelmReleaseSpecInstallCrds, HelmReleaseSpecUpgradeCrds
from imports.helmrepository.io.fluxcd.toolkit.source import HelmRepository
from imports.ocirepository.io.fluxcd.toolkit.source import OciRepository, OciRepositorySpecLayerSelectorOperation

# What users write there, in a spelling of their own.
FREE = {"values", "values_object"}
ENUMS = {
    ("install", "crds"): HelmReleaseSpecInstallCrds,
    ("upgrade", "crds"): HelmReleaseSpecUpgradeCrds,
    ("layer_selector", "operation"): OciRepositorySpecLayerSelectorOperation,
}
STRUCTS = {"ignore_differences": ApplicationSpecIgnoreDifferences}


def typed(value: Any, within: str = "") -> Any:
    """Kubernetes' spelling as the typed classes want it: snake_case, and members of enums."""
    if isinstance(value, list):
        # jsii makes a struct of a dict, but not in a list.
        return [STRUCTS.get(within, lambda **item: item)(**typed(item)) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for key, item in value.items():
        name = re.sub(r"(?<=[a-z])([A-Z]+)", lambda found: f"_{found[1].lower()}", key)
        enum = ENUMS.get((within, name)) or (_source_kind(item) if name == "kind" and within in ("source_ref", "chart_ref") else None)
        made[name] = _member(enum, item) if enum else item if name in FREE else typed(item, name)
    return made


def _source_kind(kind: str) -> Any:
    from imports.helmrelease.io.fluxcd.toolkit import helm

    return helm.HelmReleaseSpecChartRefKind if kind == "OCIRepository" else helm.HelmReleaseSpecChartSpecSourceRefKind


def _member(enum: Any, value: str) -> Any:
    return next(member for member in enum if member.name.replace("_", "").lower() == value.lower())


@pytest.mark.parametrize(
    ("delivery", "repository", "kinds"),
    [
        (ArgoCd(), "https://helm.ngc.nvidia.com/nvidia", {"Application": Application}),
        (
            Flux(namespace="flux-system"),
            "https://helm.ngc.nvidia.com/nvidia",
            {"HelmRelease": HelmRelease, "HelmRepository": HelmRepository},
        ),
        (Flux(), "oci://registry.example.com/charts", {"HelmRelease": HelmRelease, "OCIRepository": OciRepository}),
    ],
    ids=["ArgoCd", "Flux", "Flux from a registry"],
)
@pytest.mark.parametrize("talos", ["1.12", "1.14"])
def test_a_typed_class_gives_the_same_object(chart, delivery, repository, kinds, talos):
    NvidiaGpuOperator(chart, "operator", nodes=GpuNodes(talos_version=talos), delivery=delivery, repository=repository)

    for kind, made_by in kinds.items():
        ours = one(synth(chart), kind)
        metadata = ApiObjectMetadata(**ours["metadata"])
        assert made_by(Chart(App(), "typed"), "typed", metadata=metadata, spec=typed(ours["spec"])).to_json() == ours
