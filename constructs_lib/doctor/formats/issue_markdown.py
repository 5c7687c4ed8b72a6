"""The doctor's report for an issue upstream: the environment that the templates of Talos, the GPU operator and the device
plugin ask for, the diagnosis, and the outputs; without credentials, and with pseudonyms for names.

Source: .github/ISSUE_TEMPLATE of siderolabs/talos, NVIDIA/gpu-operator and NVIDIA/k8s-device-plugin (2026-11-28)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...observed.pods.pod_templates import state_of
from ..doctor_report import DoctorReport
from ..gpu_node import GpuNode
from ..live_pods import LivePod
from ..pseudonyms import Pseudonyms
from .doctor_markdown import block, doctor_markdown, plain

_MOST_LINES = 40
_HEAD = "<!-- Names, addresses, identifiers and domains are replaced: one pseudonym stands for one name. Look through the report before you publish it. -->\n\n"


def issue_markdown(report: DoctorReport) -> str:
    """The report as one text, for siderolabs/talos, siderolabs/extensions, NVIDIA/gpu-operator or
    NVIDIA/k8s-device-plugin."""
    text = "".join((_HEAD, *_environment(report), *doctor_markdown(report), *_outputs(report)))
    return Pseudonyms(report.dump).replaced(text)


def _environment(report: DoctorReport) -> Iterator[str]:
    cluster = report.diagnosis.cluster
    yield "### Environment\n\n"
    if report.versions:
        yield f"- {plain(report.versions)}\n"
    for node in cluster.nodes:
        yield from (f"- {plain(report.shown(f'{node.name}: {name}: {value}'))}\n" for name, value in _of_node(node))
    yield "\n"


def _of_node(node: GpuNode) -> Iterator[tuple[str, str]]:
    """The lines that the templates ask for, as far as they were read."""
    for name, field in (("kernel", "kernelVersion"), ("container runtime", "containerRuntimeVersion"), ("architecture", "architecture")):
        value = node.node.at("status", "nodeInfo", field) if node.node else None
        if value:
            yield name, str(value)
    if node.cards:
        yield "cards", ", ".join(dict.fromkeys(each.text for each in node.cards))
    if node.extensions:
        yield "extensions", ", ".join(f"{each.name} {each.version}" for each in node.extensions.values())
    if node.offered:
        yield "allocatable", ", ".join(f"{name}: {amount}" for name, amount in node.offered.items())


def _outputs(report: DoctorReport) -> Iterator[str]:
    cluster = report.diagnosis.cluster
    pods = [*(pod for agent in cluster.agents for pod in agent.pods), *(each for each in cluster.pods if each.is_made)]
    yield from _details(report, "pods of the GPU stack, and pods that ask for GPUs", map(_pod, pods))
    for node in cluster.nodes:
        machine = node.machine
        if machine is None:
            continue
        services = (machine.services or {}).values()
        yield from _details(report, f"services of {node.name}", (each.evidence.text for each in services if "nvidia" in each.name))
        kept = machine.kernel_log.kept if machine.kernel_log else ()
        yield from _details(report, f"lines of the kernel of {node.name} about NVIDIA", (text for _, text in kept))
    for log in cluster.all_logs:
        lines = dict.fromkeys([*(each.text for each in log.matches), *(text for _, text in log.errors)])
        yield from _details(report, f"known lines and errors in {log.source}", lines)


def _pod(pod: LivePod) -> str:
    states = [
        f"{status.get('name', '')} {name} {(state_of(status, name) or {}).get('reason', '')}".rstrip()
        for _, status in pod.statuses
        for name in ("running", "waiting", "terminated")
        if state_of(status, name) is not None
    ]
    restarts = sum(int(status.get("restartCount") or 0) for _, status in pod.statuses)
    return f"{pod.title} on {pod.node or 'no node'}: {pod.phase}; {', '.join(states) or 'no status of containers'}; restarts {restarts}"


def _details(report: DoctorReport, title: str, lines: Iterable[str]) -> Iterator[str]:
    shown = [report.shown(each) for each in lines]
    if shown:
        cut = [f"… {len(shown) - _MOST_LINES} more lines"] if len(shown) > _MOST_LINES else []
        yield f"\n<details><summary>{plain(report.shown(title))}</summary>\n\n{block(shown[:_MOST_LINES] + cut)}\n\n</details>\n"
