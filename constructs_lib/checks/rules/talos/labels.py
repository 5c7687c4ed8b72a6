"""Node labels and taints that Talos can't set, or does not read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....arguments.commands import command
from ....arguments.patterns import pattern
from ....observed.model import Inputs, all_of, any_of, equals, has, is_open, known_text
from ....observed.model.node_taints import declared_taints, registered_taints
from ....observed.nodes.gpu_node_configs import is_for_gpus
from ....observed.nodes.node_settings import node_name, talos_of
from ....upstream.kubernetes.controlled_taints import remover
from ....upstream.talos.minors import Minors
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._talos import once, talconfig

# A taint of another node, such as one for storage, is nothing to the GPUs.
_GPU = pattern("gpu|nvidia", re.IGNORECASE)
_MISPLACED = ("nodeLabels", "nodeTaints", "nodeAnnotations")


@once
def _never_set(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        if config.control_plane is not False:
            continue
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
                severity=Severity.INFO,
                message=f"{f'Talos {talos}' if talos else 'Talos up to 1.13'} can't set the taint {taint} of nodeTaints on a worker. Until the node has "
                "the taint, Talos sets none of the node's labels either",
                about=config,
                path=("documents", *path, key),
                fix=(
                    f"Set the taint in {registering} alone: {by} takes the taint away, and nodeTaints would set the taint again"
                    if (by := remover(str(key)))
                    else f"Run {command('kubectl taint nodes {node} {taint} --overwrite', node=node_name(config), taint=str(taint))} once. "
                    f"For new nodes set {registering}"
                ),
            )


@once
def _misplaced(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        for index, document in config.documents:
            for key in _MISPLACED:
                if "kind" not in document and has(document, "machine", "kubelet", key).is_yes:
                    yield Violation(
                        severity=Severity.ERROR,
                        message=f"machine.kubelet has no field {key}. Talos refuses the whole configuration",
                        about=config,
                        path=("documents", index, "machine", "kubelet", key),
                        fix=f"Move the field to machine.{key}",
                    )


_TAINT = "    nodeTaints: {nvidia.com/gpu: present:NoSchedule}\n"
_REGISTERED = """\
    patches:
      - |
        machine:
          kubelet:
            extraArgs: {register-with-taints: nvidia.com/gpu=present:NoSchedule}
"""
_LABELS = """\
machine:
  kubelet:
%s    nodeIP: {validSubnets: [10.0.0.0/24]}
%s"""

RULES = (
    Rule(
        id="TG079",
        claim="Up to Talos 1.13 a worker's taints are in registerWithTaints, not only in nodeTaints",
        symptom='nodes "gpu-1" is forbidden: node "gpu-1" is not allowed to modify taints; pods without a toleration '
        "run on the GPU node; the node has no labels",
        fix="Let the kubelet register the node with the taint: machine.kubelet.extraConfig.registerWithTaints",
        source="siderolabs/talos#10935; siderolabs/talos#8193",
        severity=Severity.INFO,
        shown_by=Witness.CONTROL_PLANE,
        check=_never_set,
        failing=Example(yaml=talconfig(_TAINT)),
        passing=Example(yaml=talconfig(_TAINT + _REGISTERED)),
        talos=Minors(until=13),
        without_talos=True,
    ),
    Rule(
        id="TG084",
        claim="Labels and taints of a node stand under machine, not under machine.kubelet",
        symptom="unknown keys found during decoding: machine: kubelet: nodeLabels",
        fix="Move the field to machine.nodeLabels",
        source="https://docs.siderolabs.com/talos/v1.13/reference/configuration/v1alpha1/config",
        severity=Severity.ERROR,
        shown_by=Witness.DECODER,
        check=_misplaced,
        failing=Example(yaml=_LABELS % ("    nodeLabels: {role: gpu}\n", "")),
        passing=Example(yaml=_LABELS % ("", "  nodeLabels: {role: gpu}\n")),
    ),
)
