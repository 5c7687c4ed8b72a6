"""The two forms of Talos' configuration, keys that stand twice in one mapping, and resources that Omni refuses or gives
to no machine."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import Inputs, NodeConfig, Path, at, equals, is_given, is_open, known_str, mappings
from ....observed.nodes.node_settings import talos_of
from ....upstream.talos.config_documents import (
    CONFIG_DOCUMENTS_SINCE,
    CONFLICTING_FIELDS,
    INSTALL_KIND,
    OMNI_DOMAIN,
    OMNI_NAMESPACE,
    OMNI_TARGETS,
    RESERVED_NAMES,
    UNREGISTERED_TYPE,
)
from ....upstream.talos.features import CUSTOMIZATION_PATH, DOCUMENTS
from ...halves import statement, talos_of_nodes
from ...rule import Example, Rule, Severity, Violation, Witness
from .._shared import each_node

_INSTALL_FIX = (
    "Move machine.install.image to installer.image of the UnattendedInstallConfig. A node upgraded from Talos 1.13 keeps machine.install and has no "
    "UnattendedInstallConfig"
)
_FIRST = {kind: minor for minor, kinds in CONFIG_DOCUMENTS_SINCE.items() for kind in kinds.split()}

_DOCUMENT = """\
machine:
  kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]}
%s---
apiVersion: v1alpha1
kind: KubeNodeConfig
labels: {role: gpu}
---
apiVersion: v1alpha1
kind: SysctlConfig
params: {vm.nr_hugepages: "1024"}
"""


@Rule(
    id="TG086",
    claim="A node's configuration sets nothing both in a field and in a document",
    symptom=".machine.nodeLabels is already set in v1alpha1 config; UnattendedInstallConfig config is "
    "incompatible with v1alpha1 config (.machine.install)",
    fix="Move the field into the document. A node upgraded from Talos 1.13 keeps its fields. A node installed with 1.14 has documents",
    source="siderolabs/talos pkg/machinery/config/container/validate.go",
    severity=Severity.ERROR,
    shown_by=Witness.TALOS,
    failing=Example(_DOCUMENT % "  nodeLabels: {rack: a}\n", talos="1.14"),
    passing=Example(_DOCUMENT % "  sysctls: {vm.max_map_count: 262144}\n", talos="1.14"),
    talos=DOCUMENTS,
    without_talos=True,
)
@each_node
def _both(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    fields = [(index, document) for index, document in config.documents if "kind" not in document]
    for index, document in config.documents:
        kind, related = known_str(at(document, "kind")) or "", ((config, ("documents", index)),)
        if kind in RESERVED_NAMES and equals(at(document, "name"), RESERVED_NAMES[kind]).is_yes:
            message = f"the name {document['name']} of the {kind} is reserved for {CUSTOMIZATION_PATH}. Talos refuses the configuration"
            fix = f"Set another name on the {kind}"
            yield Violation(Severity.ERROR, message, config, ("documents", index, "name"), fix=fix, related=related)
        for path in CONFLICTING_FIELDS.get(kind, ()):
            for place, field in fields:
                value = at(field, *path)
                if value is not None and not is_open(value):
                    message = (
                        f"{'.'.join(map(str, path))} and a{'n' if kind[0] in 'AEIOU' else ''} {kind} exclude each other. Talos refuses a configuration with "
                        "both"
                    )
                    fix = _INSTALL_FIX if kind == INSTALL_KIND else ""
                    yield Violation(Severity.ERROR, message, config, ("documents", place, *path), fix=fix, related=related)


_MODULE = "apiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia\n"


@Rule(
    id="TG087",
    claim="The node's Talos knows the kind of every document",
    symptom='error decoding document v1alpha1/KernelModuleConfig/nvidia (line 1): "KernelModuleConfig" "v1alpha1": not registered',
    fix="Up to Talos 1.13 use fields. KernelModuleConfig: machine.kernel.modules. SysctlConfig: machine.sysctls. "
    "KubeNodeConfig: machine.nodeLabels and machine.nodeTaints. CRICustomizationConfig: machine.files",
    source="siderolabs/talos pkg/machinery/config/types",
    severity=Severity.ERROR,
    shown_by=Witness.DECODER,
    failing=Example(_MODULE, talos="1.13"),
    passing=Example(_MODULE, talos="1.14"),
)
@each_node
def _unknown(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    talos = talos_of(config, inputs)
    newer = [
        (index, kind)
        for index, document in config.documents
        if talos is not None and _FIRST.get(kind := known_str(at(document, "kind")) or "", 0) > talos.minor
    ]
    if newer:
        kinds = list(dict.fromkeys(kind for _, kind in newer))
        message = (
            f"{' and '.join(kinds)} exist{'s' if len(kinds) == 1 else ''} only from Talos 1.{_FIRST[kinds[0]]} on. Talos {talos} refuses the "
            "whole configuration"
        )
        related = talos_of_nodes(inputs, config)
        yield Violation(Severity.ERROR, message, config, ("documents", newer[0][0], "kind"), related=related)


_READERS = {
    "Talos": (Severity.ERROR, ": Talos refuses the document"),
    "kustomize": (Severity.WARNING, ". kustomize drops the first value"),
    "": (Severity.WARNING, ". Flux' kustomize refuses the document; other tools drop the first value"),
}
"""The tools that read a document, each with what it does about a repeated key. kustomize 5.8.1 reads its own file less
strictly than objects: `Unmarshal` in api/types/kustomization.go (2026-11-28)."""
_MODULES = """\
machine:
  kernel:
    modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
"""


@Rule(
    id="TG102",
    claim="A mapping has each key once",
    symptom='mapping key "machine" already defined at line 1',
    fix="Merge both values below one key",
    source="https://yaml.org/spec/1.2.2/#3213-node-comparison; "
    "https://github.com/go-yaml/yaml/blob/v3.0.1/decode.go; "
    "https://github.com/fluxcd/kustomize-controller/issues/243",
    severity=Severity.ERROR,
    shown_by=Witness.DECODER,
    failing=Example(f"{_MODULES}machine:\n  type: worker\n"),
    passing=Example(f"{_MODULES}  type: worker\n"),
)
def _repeated(inputs: Inputs) -> Iterator[Violation]:
    for repeated in inputs.repeated_keys:
        name = f"the key '{repeated.key}' is already set in line {repeated.first_line}"
        severity, consequence = _READERS[repeated.read_by]
        message = f"{name}{consequence}"
        first = statement(repeated.file, repeated.first_line, f"the key '{repeated.key}'")
        yield Violation(severity, message, repeated, related=(first,))


_KINDS = {"data": "ConfigPatches", "extensions": "ExtensionsConfigurations"}

_PATCH = """\
metadata:
%s  id: 400-gpu-modules
  labels: {%s}
spec:
  data: |
    machine:
      kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]}
"""
_NAMESPACE = f"  namespace: {OMNI_NAMESPACE}\n"
_HEAD = f"{_NAMESPACE}  type: ConfigPatches.{OMNI_DOMAIN}\n"
_SET = f"{OMNI_DOMAIN}/cluster: home, {OMNI_DOMAIN}/machine-set: home-gpu"


@Rule(
    id="TG126",
    claim="A resource of Omni has a type that Omni knows",
    symptom=UNREGISTERED_TYPE,
    fix=f"Set metadata: {{type: ConfigPatches.{OMNI_DOMAIN}}}",
    source="siderolabs/omni client/pkg/omnictl/apply.go; cosi-project/runtime pkg/resource/protobuf/registry.go",
    severity=Severity.ERROR,
    shown_by=Witness.DECODER,
    failing=Example(_PATCH % (_NAMESPACE, _SET)),
    passing=Example(_PATCH % (_HEAD, _SET)),
)
@each_node
def _no_type(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    for path, metadata, kind in _resources(config):
        written = at(metadata, "type")
        if is_open(written) or f"{written}".endswith(f".{OMNI_DOMAIN}"):
            continue
        message = (
            f"the resource of Omni has {'no type' if written is None else f'the type {written}'}. omnictl apply fails: '{UNREGISTERED_TYPE} "
            f"{known_str(written) or ''}'"
        )
        fix = f"Set metadata: {{type: {kind}.{OMNI_DOMAIN}}}"
        yield Violation(Severity.ERROR, message, config, (*path, "type") if written is not None else path, fix=fix)


@Rule(
    id="TG127",
    claim=f"A resource of Omni is in the namespace {OMNI_NAMESPACE}, and its labels name a cluster or a machine",
    symptom="a config patch without an effect on any machine; destroy orphaned config patch",
    fix=f"Set metadata: {{labels: {{{OMNI_TARGETS[0]}: CLUSTER}}}}, and {OMNI_DOMAIN}/machine-set or "
    f"{OMNI_DOMAIN}/cluster-machine for a part of the cluster",
    source="siderolabs/omni internal/backend/runtime/omni/controllers/omni/internal/layeredresource/layeredresource.go",
    severity=Severity.WARNING,
    shown_by=Witness.SERVICE,
    failing=Example(_PATCH % (_HEAD, f"{OMNI_DOMAIN}/machine-set: home-gpu")),
    # A patch of one machine in any cluster needs no label of a cluster.
    passing=Example(_PATCH % (_HEAD, f"{OMNI_DOMAIN}/machine: 03ff0210-04e0-05b0-ab06-300700080009")),
)
@each_node
def _no_machine(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    for path, metadata, kind in _resources(config):
        namespace, labels = at(metadata, "namespace"), at(metadata, "labels")
        if equals(namespace, OMNI_NAMESPACE).is_no:
            where = "no namespace" if namespace is None else f"the namespace {namespace}"
            message = f"the resource of Omni has {where}. Omni takes {kind} from the namespace {OMNI_NAMESPACE} alone, so the resource reaches no machine"
            fix = f"Set metadata: {{namespace: {OMNI_NAMESPACE}}}"
            yield Violation(Severity.WARNING, message, config, (*path, "namespace") if namespace is not None else path, fix=fix)
        if not is_open(labels) and not any(is_given(at(labels, label)) for label in OMNI_TARGETS):
            message = f"the resource of Omni has no label {' or '.join(OMNI_TARGETS)}, so it reaches no machine"
            yield Violation(Severity.WARNING, message, config, (*path, "labels") if labels is not None else path)


def _resources(config: NodeConfig) -> Iterator[tuple[Path, object, str]]:
    """The metadata of each resource, with its path and the resource's kind by its spec."""
    for index, resource in mappings(config.at("resources")):
        kind = next(kind for key, kind in _KINDS.items() if at(resource, "spec", key) is not None)
        yield ("resources", index, "metadata"), at(resource, "metadata"), kind
