"""The API groups on a cluster's page that its objects need, and that its files don't bring."""

from __future__ import annotations

from ...arguments.commands import Command, command
from ...observed.model import Inputs, KubernetesObject, known_str
from ...upstream.programs.api_groups import BROUGHT, is_custom, program_of
from .markdown_text import code, prose


def needed_groups(inputs: Inputs) -> tuple[str, list[Command]] | None:
    """The sentence about the API groups, and the commands that list what the cluster has of them; None where the objects
    need none."""
    read = {
        (known_str(each.at("spec", "group")), known_str(each.at("spec", "names", "kind")))
        for each in inputs.of_kind("CustomResourceDefinition")
    }
    needed: dict[str, dict[str, None]] = {}
    for each in inputs.objects:
        group, kind = _group(each), each.kind or ""
        if is_custom(group) and (group, kind) not in read:
            needed.setdefault(group, {})[program_of(group, kind) or f"the program with the kind {kind}"] = None
    if not needed:
        return None
    words = ", ".join(f"{code(group)} of {prose(' and '.join(programs))}" for group, programs in sorted(needed.items()))
    sentence = (
        f"Look for the API groups of CRDs that the objects need: {words}. A group that lists nothing is missing: install its program first."
    )
    charts = {each.known_chart.name for each in inputs.releases if each.known_chart is not None}
    if brought := [code(group) for group in sorted(needed) if charts & {*BROUGHT.get(group, ())}]:
        sentence += f" A chart of this cluster brings {', '.join(brought)}: apply the objects of that group again once the chart runs."
    return sentence, [command("kubectl api-resources --api-group={group}", group=group) for group in sorted(needed)]


def _group(about: KubernetesObject) -> str:
    group, slash, _ = (known_str(about.api_version) or "").partition("/")
    return group if slash else ""
