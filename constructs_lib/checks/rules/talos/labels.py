"""Node labels and taints that Talos can't set or does not read, that a worker may not set, or that Talos renames."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....arguments.commands import command
from ....arguments.patterns import pattern
from ....observed.model import Inputs, NodeConfig, Path, all_of, any_of, at, equals, has, is_open, known_str, known_text
from ....observed.model.talos_documents import declared_taints, registered_taints
from ....observed.nodes.node_settings import is_for_gpus, node_name, talos_of
from ....observed.nodes.startup_taints import taken_away_by
from ....observed.placement.placements import Placement, placements
from ....observed.placement.selection import TERMS, Requirement, selection_of
from ....upstream.kubernetes.api import CONTROL_PLANE, node_may_set
from ....upstream.talos.extension_names import LABEL_PREFIX
from ....upstream.talos.minors import Minors
from ....yaml.unknown import GAP
from ...rule import Example, Part, Rule, Severity, Violation, Witness, removal
from .._causes import STARTUP_TAINT
from .._shared import declared_labels, each_node, once, pod, talconfig, values_at

# A taint of another node, such as one for storage, is nothing to the GPUs.
_GPU = pattern("gpu|nvidia", re.IGNORECASE)
_MISPLACED = ("nodeLabels", "nodeTaints", "nodeAnnotations")

_TAINT = "    nodeTaints: {nvidia.com/gpu: present:NoSchedule}\n"
_REGISTERED = """\
    patches:
      - |
        machine:
          kubelet:
            extraArgs: {register-with-taints: nvidia.com/gpu=present:NoSchedule}
"""


@Rule(
    id="TG079",
    claim="Up to Talos 1.13 a worker's taints are in registerWithTaints, not only in nodeTaints",
    symptom='nodes "gpu-1" is forbidden: node "gpu-1" is not allowed to modify taints; pods without a toleration '
    "run on the GPU node; the node has no labels",
    fix="Let the kubelet register the node with the taint: machine.kubelet.extraConfig.registerWithTaints",
    source="siderolabs/talos#10935; siderolabs/talos#8193",
    severity=Severity.INFO,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(talconfig(_TAINT)),
    passing=Example(talconfig(_TAINT + _REGISTERED)),
    causes=(STARTUP_TAINT,),
    talos=Minors(until=13),
    without_talos=True,
)
@each_node
def _never_set(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    talos = talos_of(config, inputs)
    if config.control_plane is not False:
        return
    documents = config.at("documents")
    registered = [taint for _, taint in registered_taints(documents)]
    for path, taint in declared_taints(documents):
        key, value, effect = taint
        is_registered = any_of(all_of(map(equals, taint, other)) for other in registered)
        if not is_registered.is_no or any(map(is_open, taint)) or not (is_for_gpus(config) or _GPU.search(known_text(key))):
            continue
        fields = f"{{key: {key}, {f'value: {value}, ' if value else ''}effect: {effect}}}"
        registering = f"machine.kubelet.extraConfig.registerWithTaints: [{fields}]"
        yield Violation(
            Severity.INFO,
            f"{f'Talos {talos}' if talos else 'Talos up to 1.13'} can't set the taint {taint} of nodeTaints on a worker. Until the node has "
            "the taint, Talos sets none of the node's labels either",
            config,
            ("documents", *path, key),
            fix=f"Set the taint in {registering} alone: {by} takes the taint away, and nodeTaints would set the taint again"
            if (by := taken_away_by(inputs, key))
            else f"Run {command('kubectl taint nodes {node} {taint} --overwrite', node=node_name(config), taint=str(taint))} once. "
            f"For new nodes set {registering}",
        )


_LABELS = """\
machine:
  kubelet:
%s    nodeIP: {validSubnets: [10.0.0.0/24]}
%s"""


@Rule(
    id="TG084",
    claim="Labels and taints of a node stand under machine, not under machine.kubelet",
    symptom="unknown keys found during decoding: machine: kubelet: nodeLabels",
    fix="Move the field to machine.nodeLabels",
    source="https://docs.siderolabs.com/talos/v1.13/reference/configuration/v1alpha1/config",
    severity=Severity.ERROR,
    shown_by=Witness.DECODER,
    failing=Example(_LABELS % ("    nodeLabels: {role: gpu}\n", "")),
    passing=Example(_LABELS % ("", "  nodeLabels: {role: gpu}\n")),
)
@each_node
def _misplaced(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    for index, document in config.documents:
        for key in _MISPLACED:
            if "kind" not in document and has(document, "machine", "kubelet", key).is_yes:
                message = f"machine.kubelet has no field {key}. Talos refuses the whole configuration"
                fix = f"Move the field to machine.{key}"
                yield Violation(Severity.ERROR, message, config, ("documents", index, "machine", "kubelet", key), fix=fix)


_OF_CONTROL_PLANE = (CONTROL_PLANE, "node-role.kubernetes.io/master")
_ARGUMENT = ("extraArgs", "node-labels")
_ARGUMENTS: dict[str | None, Path] = {None: ("machine", "kubelet", *_ARGUMENT), "KubeletConfig": _ARGUMENT}


@once
def _forbidden(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        if config.control_plane:
            continue
        is_worker = config.control_plane is False
        for path, key, value in declared_labels(config):
            if node_may_set(key) or (key in _OF_CONTROL_PLANE and not is_worker):
                continue
            refused = "Kubernetes" if is_worker else "If these nodes are workers, Kubernetes"
            message = (
                f"a worker may not set the label {key} on itself (NodeRestriction). {refused} refuses the update by which Talos sets "
                "all labels and taints of a node, so the node has none of these labels and taints"
            )
            fix = _fix(config, key, "VALUE" if is_open(value) else known_str(value) or "")
            edits = removal(safe=False)
            severity, related = Severity.ERROR if is_worker else Severity.WARNING, _roles(config)
            yield Violation(severity, message, config, (*path, key), fix=fix, edits=edits, related=related)


def _roles(config: NodeConfig) -> tuple[Part, ...]:
    """The lines that make a node a worker; of a node without one its description."""
    paths = (("documents", index, "machine", "type") for index, document in config.documents if at(document, "machine", "type") is not None)
    return tuple((config, path) for path in paths) or ((config, ()),)


@once
def _refused_by_the_kubelet(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        for path, key, value in _arguments(config):
            if not node_may_set(key):
                message = (
                    f"the argument node-labels has the label {key}, which a kubelet may not set on its own node. The kubelet does not start: "
                    "failed to validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels"
                )
                yield Violation(Severity.ERROR, message, config, path, fix=_fix(config, key, value))


@Rule(
    id="TG110",
    claim="Machine configurations of workers, and the kubelet's argument node-labels, only have labels that a node may set on itself",
    symptom='nodes "gpu-1" is forbidden: is not allowed to modify labels: node-role.kubernetes.io/gpu; the node '
    "has no labels and no taints; unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels",
    fix="Remove the label from nodeLabels, or from the kubelet's argument node-labels, and set the label with "
    "kubectl label nodes after the worker has joined",
    source="siderolabs/talos#8193; siderolabs/talos internal/app/machined/pkg/controllers/k8s/node_apply.go; "
    "kubernetes/kubernetes cmd/kubelet/app/options/options.go; "
    "https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(talconfig("    nodeLabels: {node-role.kubernetes.io/gpu: '', role: gpu}\n")),
    passing=Example(talconfig("    nodeLabels: {node.kubernetes.io/gpu: '', feature.node.kubernetes.io/gpu: '', role: gpu}\n")),
)
def _both(inputs: Inputs) -> Iterator[Violation]:
    yield from _forbidden(inputs)
    yield from _refused_by_the_kubelet(inputs)


def _fix(config: NodeConfig, key: str, value: str) -> str:
    label = command("kubectl label nodes {node} {label} --overwrite", node=node_name(config), label=f"{key}={value}")
    return f"Remove the label from the machine configuration, and run {label}"


def _arguments(config: NodeConfig) -> Iterator[tuple[Path, str, str]]:
    """The labels with a known key in the kubelet's argument: a text, or a list of texts."""
    for path, argument in values_at(config, _ARGUMENTS):
        texts = [((*path, number), each) for number, each in enumerate(argument)] if isinstance(argument, list) else [(path, argument)]
        for place, text in texts:
            for label in known_text(text).split(","):
                key, _, value = label.strip().partition("=")
                if key and GAP not in key:
                    yield place, key, "VALUE" if GAP in value else value


_BY_KEY = """\
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions:
              - {key: extensions.talos.dev/nvidia-container-toolkit-production, operator: Exists}
"""


@Rule(
    id="TG049",
    claim="A label extensions.talos.dev/* is selected by key, not by value",
    symptom="0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector, after an upgrade of Talos",
    fix="Use a required node affinity with matchExpressions: [{key: extensions.talos.dev/…, operator: Exists}]",
    source="siderolabs/talos pkg/machinery/constants/constants.go",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(pod() + "  nodeSelector: {extensions.talos.dev/nvidia-container-toolkit-production: 570.211.01-v1.18.2}\n"),
    passing=Example(pod() + _BY_KEY),
)
def _exact_value(inputs: Inputs) -> Iterator[Violation]:
    for subject in placements(inputs):
        selection = selection_of(subject.spec)
        for each in selection.selector:
            yield from _pinned(subject, (*subject.base, "nodeSelector", each.key), each)
        for each in (each for term in selection.terms for each in term):
            yield from _pinned(subject, (*subject.base, *TERMS), each)


def _pinned(subject: Placement, path: Path, wanted: Requirement) -> Iterator[Violation]:
    if not wanted.choices or not wanted.key.startswith(LABEL_PREFIX):
        return
    selector = f"{wanted.key}={'|'.join(sorted(wanted.choices))}"
    message = (
        f"the selector {selector} contains the extension's version. When an upgrade of Talos changes this version, the selector "
        "matches no node, and new pods stay Pending"
    )
    fix = f"Use a required node affinity with matchExpressions: [{{key: {wanted.key}, operator: Exists}}]"
    yield Violation(Severity.WARNING, message, subject.about, path, fix=fix)
