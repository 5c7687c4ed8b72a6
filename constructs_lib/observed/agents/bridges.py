"""Bridges, which write the marker files that the operator's pods wait for, and copies of the driver in other
folders."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...upstream.charts.gpu_operator_chart import DRIVER_FOLDER, OPERANDS_LABEL, TOOLKIT_READY, VALIDATOR_LABEL
from ...upstream.kubernetes.api import POD_TEMPLATES
from ...yaml.unknown import GAP
from ..model import Inputs, KubernetesObject, Path, at, is_open, question
from ..nodes.node_labels import labels_of_nodes
from .agent_kinds import may_write_marker, script_of, strings, writes_marker
from .operators import Operator

# Shell commands that repeat forever, and shell commands that only wait forever. The kubelet restarts a command that
# ends.
_FOR_EVER = r"\b(while|until)\s+(true|:|sleep\b|false|\[+\s*1)|\bfor\s*\(\(\s*;|\bwatch\s|\binotifywait\b"
# A loop that does nothing but wait.
_IDLE = r"\b(while|until)\s+(true|:|false)\s*;?\s*do\s+(sleep\s+[^\s;&]+(\s*&\s*wait(\s+\$!)?)?|wait|:)\s*;?\s*done\b"
_NO_MORE = r"\bsleep\s+(inf|infinity)\b|\btail\s+-f\b|\bexec\s+sleep\b|\bpause\b"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Bridge:
    """Pods that write the marker files. `once` is True if the pods surely write the files only one time."""

    about: KubernetesObject
    path: Path
    once: bool


@question
def bridges(inputs: Inputs) -> list[Bridge]:
    """Every bridge in the inputs."""
    return [
        Bridge(about=each, path=path, once=_once(each, path, script_of(container)))
        for each in inputs.objects
        for path, container in each.containers
        if writes_marker(container)
    ]


def _once(each: KubernetesObject, path: Path, script: str) -> bool:
    if each.kind == "CronJob":
        return False
    if "initContainers" in path or each.kind == "Job":
        return True
    script = re.sub(_IDLE, "sleep infinity", script)
    return not re.search(_FOR_EVER, script) and bool(re.search(_NO_MORE, script))


@question
def may_have_a_bridge(inputs: Inputs) -> bool:
    """Whether something writes the marker files, or may: a script in a ConfigMap, a container with an unreadable
    command."""
    if bridges(inputs) or inputs.may_hide("ConfigMap", *POD_TEMPLATES):
        return True
    makers = [each for each in inputs.objects if each.kind in POD_TEMPLATES]
    texts = [text for each in inputs.of_kind("ConfigMap") for text in strings(each.at("data"))]
    return (
        any(text == GAP or TOOLKIT_READY in text for text in texts)
        or any(each.pod_path is None or is_open(at(each.pod_spec, "containers")) for each in makers)
        or any(may_write_marker(container) for each in makers for _, container in each.containers)
    )


def stages_the_driver(operator: Operator) -> bool:
    """Whether the operator looks for the driver in a folder that somebody has to fill, other than where Talos has
    it."""
    folder = operator.value("hostPaths", "driverInstallDir")
    if not isinstance(folder, str):
        return True
    return folder.rstrip("/") not in ("", DRIVER_FOLDER) and not folder.startswith("/usr")


@question
def validator_is_off(inputs: Inputs) -> bool:
    """Whether a node label keeps the operator's validator off, or may."""
    labels = labels_of_nodes(inputs)
    return any(labels.may_give(label, "false") for label in (VALIDATOR_LABEL, OPERANDS_LABEL))
