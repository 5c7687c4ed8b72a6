"""Resources of Omni that `omnictl apply` refuses, or that reach no machine."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import Inputs, NodeConfig, Path, at, equals, is_given, is_open, known_str, mappings
from ....upstream.talos.config_documents import OMNI_DOMAIN, OMNI_NAMESPACE, OMNI_TARGETS, UNREGISTERED_TYPE
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness

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
def _no_type(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
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
    symptom="a config patch that changes no machine; destroy orphaned config patch",
    fix=f"Set metadata: {{labels: {{{OMNI_TARGETS[0]}: CLUSTER}}}}, and {OMNI_DOMAIN}/machine-set or "
    f"{OMNI_DOMAIN}/cluster-machine for a part of the cluster",
    source="siderolabs/omni internal/backend/runtime/omni/controllers/omni/internal/layeredresource/layeredresource.go",
    severity=Severity.WARNING,
    shown_by=Witness.SERVICE,
    failing=Example(_PATCH % (_HEAD, f"{OMNI_DOMAIN}/machine-set: home-gpu")),
    # A patch of one machine in any cluster needs no label of a cluster.
    passing=Example(_PATCH % (_HEAD, f"{OMNI_DOMAIN}/machine: 03ff0210-04e0-05b0-ab06-300700080009")),
)
def _no_machine(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
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
