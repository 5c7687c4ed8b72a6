"""The report of a rehearsal, as text for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from textwrap import wrap

from constructs_lib.arguments.printable import json_text, printable
from constructs_lib.upstream.charts.nfd_chart import FEATURE_PREFIX

from .outcome import NodeOutcome, Outcome, PodOutcome, Seen

_WIDTH = 120
_NVIDIA = "10de"
"""The PCI vendor in the labels of node feature discovery about NVIDIA's devices; the others are counted."""


def text(name: str, outcome: Outcome) -> Iterator[str]:
    """The report in lines."""
    for line in _lines(name, outcome):
        yield f"{printable(line)}\n"


def as_json(name: str, outcome: Outcome) -> str:
    """The report as one JSON object."""
    value = asdict(outcome)
    for each in value["containers"]:
        del each["raw"]
    return json_text({"cluster": name, "well": outcome.is_well, **value})


def _lines(name: str, outcome: Outcome) -> Iterator[str]:
    well = sum(each.is_well for each in outcome.pods)
    yield f"Rehearsal of {name}: {len(outcome.nodes)} {_plural('node', len(outcome.nodes))}, {well} of {len(outcome.pods)} pods came up"
    if not outcome.settled:
        yield "The pods did not settle in the time of --wait; this is the last state."
    for node in outcome.nodes:
        yield from _node(node)
    yield from _section("Pods", (line for each in outcome.pods for line in _pod(each)))
    yield from _section("GPU containers", (line for each in outcome.containers for line in _container(each)))
    for smoke in outcome.smoke_tests:
        yield from _section(f"Smoke test on {smoke.node}: {'passed' if smoke.passed else 'FAILED'}", smoke.lines)
    yield from _section("Refused by the API server", outcome.refusals)
    yield from _section("On no node", outcome.idle)
    yield from _section("Not rehearsed", (f"{each.what}: {each.why}" for each in outcome.left_out))
    yield from _section("Mocked", outcome.mocked)


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A title and its lines; nothing without lines."""
    found = list(lines)
    if found:
        yield from ("", title, *(f"  {line}" for line in found))


def _node(node: NodeOutcome) -> Iterator[str]:
    yield ""
    yield f"Node {node.name}, Talos {node.talos}, {node.cards}: {'Ready' if node.ready else 'not Ready'}"
    yield from _field("allocatable", _pairs(node.allocatable, ": ") or "no resource of NVIDIA")
    if node.claimable:
        yield from _field("claimable", ", ".join(node.claimable))
    shown = {key: value for key, value in node.labels.items() if not key.startswith(FEATURE_PREFIX) or _NVIDIA in key}
    more = len(node.labels) - len(shown)
    yield from _field("labels", (_pairs(shown, "=") or "none") + (f", and {more} of node feature discovery" if more else ""))
    yield from _field("taints", ", ".join(node.taints) or "none")


def _pod(pod: PodOutcome) -> Iterator[str]:
    state = pod.phase if pod.is_well or pod.phase != "Running" else "Running, not ready"
    restarts = f", {pod.restarts} {_plural('restart', pod.restarts)}" if pod.restarts else ""
    yield f"{state}: {pod.name}{f' on {pod.node}' if pod.node else ''}{restarts}"
    yield from (f"  {reason}" for reason in pod.reasons)


def _container(seen: Seen) -> Iterator[str]:
    asked = f"asks for {_pairs(seen.asked, ': ')}" if seen.asked else "asks for no GPU and sees NVIDIA's devices"
    yield f"{seen.pod} {seen.container} {asked}"
    if not seen.raw:
        yield "  no report of its environment: it has not started, or runs a program of its own"
        return
    yield from _field("environment", _pairs(seen.environment, "=") or "no variable of NVIDIA")
    yield from _field("devices", " ".join(seen.devices) or "none of NVIDIA")
    if seen.mounts:
        yield from _field("mounts", ", ".join(seen.mounts))
    if seen.shm_bytes is not None:
        yield from _field("/dev/shm", f"{seen.shm_bytes // 2**20} MiB")  # noqa: S108  # a name
    for line in seen.smi.splitlines():
        yield from _field("nvidia-smi", line)


def _field(name: str, value: str) -> Iterator[str]:
    """A name and a value, which goes on below itself."""
    for number, line in enumerate(wrap(value, _WIDTH, break_long_words=False, break_on_hyphens=False)):
        yield f"  {'' if number else name:<12} {line}"


def _pairs(values: Mapping[str, str], between: str) -> str:
    return ", ".join(f"{key}{between}{value}" for key, value in values.items())


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"
