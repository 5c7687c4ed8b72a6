"""The fix of a selection that no node satisfies: a label for the node where a person sets the label, else another
selection of the pod."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...arguments.commands import Command, command
from ...observed.model.live_object import LiveObject
from ...observed.nodes.node_labels import SET_BY_PEOPLE, label_setter
from ..advice import Advice, Fix, quoted

_SET_BY_PEOPLE = (*SET_BY_PEOPLE, "node-role.kubernetes.io/", "node-restriction.kubernetes.io/")
_MOST_SHOWN = 4
_SELECTOR = "nodeSelector "


def label_fix(details: Sequence[str], keys: Sequence[str], nodes: Iterable[LiveObject], where: str = "the pod spec") -> Fix:
    """The fix of the selections `nodeSelector KEY=VALUE` or `node affinity …`. `where` has the selection."""
    labels = [each.labels for each in nodes]
    has = {key: sorted({str(each[key]) for each in labels if key in each}) for key in keys}
    is_selector = len(details) == 1 and details[0].startswith(_SELECTOR)
    changeable = [key for key in keys if has[key] or is_set_by_agents(key)]
    if is_selector and not changeable:
        return label_command(details[0].removeprefix(_SELECTOR))
    if not changeable:
        return Advice(
            "Select a label that the GPU nodes have, such as the key extensions.talos.dev/nvidia-container-toolkit-lts, or set the label in machine.nodeLabels"
        )
    return _change(changeable[0], has[changeable[0]], where, is_selector=is_selector)


def label_command(label: str) -> Command:
    """The command that gives a node a label: `KEY=VALUE`."""
    return command("kubectl label node NODE {label}   # to keep it: machine.nodeLabels of the machine configuration", label=label)


def is_set_by_agents(key: str) -> bool:
    """Whether Kubernetes, a cloud, Talos or an agent of the GPU stack sets a label: a value that a person writes there
    is wrong, or does not last."""
    return label_setter(key) is not None and not key.startswith(_SET_BY_PEOPLE)


def _change(key: str, values: Sequence[str], where: str, *, is_selector: bool) -> Fix:
    if not values:
        part = "nodeSelector" if is_selector else "node affinity"
        return Advice(f"Remove {key} from the {part} of {where}, or run the agent that sets the label: no GPU node has it")
    shown = ", ".join(values[:_MOST_SHOWN]) + (", …" if len(values) > _MOST_SHOWN else "")
    if not is_selector:
        return Advice(f"Set in the node affinity of {where} a value of {key} that the GPU nodes have: {shown}")
    others = f" (the GPU nodes have: {shown})" if len(values) > 1 else ""
    return Advice(f"Set in {where}{others}", f"nodeSelector:\n  {quoted(key)}: {quoted(values[0])}")
