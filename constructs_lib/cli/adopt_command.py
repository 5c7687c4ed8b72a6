"""The command `adopt`.

The cluster file, or the app, that describes somebody's tree, what the file changes, and what stays in the tree.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..arguments.printable import json_text, printable
from .command_parser import Commands, add_verb
from .files import add_target, check_target, target_of, write_target
from .flags import add_flag

if TYPE_CHECKING:
    from ..adoption.adopted_cluster import Adoption
    from ..adoption.differences import Difference
    from ..observed.model import Inputs

_FAILED = 1
_MORE = (
    ": its nodes, its operator or plugin, and its GPU workloads. The output lists the differences from what talos-gpu synth makes, the files to keep "
    "beside the cluster file, and the files to remove. The repository is only read. The exit status is 1 when a part was not understood."
)
_EXAMPLES = """\
examples:
  talos-gpu adopt .
  talos-gpu adopt kubernetes/ talos/ --talos 1.13.7 --cluster-file home.yaml
  talos-gpu synth cluster.yaml --output-folder adopted
  talos-gpu adopt . --app main.py"""


def add_adopt(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "write a cluster file for the GPU stack of a repository"
    parser = add_verb(commands, adopt, about, _EXAMPLES, _MORE)
    parser.set_defaults(chart=None, kubernetes=None, output=None)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the files and folders of one cluster")
    add_flag(parser, "--talos VERSION")
    add_target(parser)
    add_flag(parser, "--format", "the format of the differences; default: text", choices=("text", "json"), default="text")


def adopt(options: argparse.Namespace) -> list[str]:
    """Write the file. The answer is the differences, and a line that sums them up."""
    from ..adoption.adopted_cluster import adopt as adopted
    from ..adoption.differences import Outcome, differences, outcome
    from .files import crash_named, read_inputs

    check_target(options)
    inputs = read_inputs(options.paths, options, settings=None, subjects=(), nodes=())
    with crash_named("the adoption", "so no file was written"):
        adoption = adopted(inputs, options.talos_version)
        found = differences(adoption)
        result = outcome(adoption, found)
    if result is Outcome.NOT_AT_ALL:
        raise ValueError(f"{', '.join(options.paths)}: {_why(inputs, found)}")
    write_target(options, adoption.description)
    if result is Outcome.PARTLY:
        options.status = _FAILED
    return [_as_json(adoption, found, str(result))] if options.format == "json" else _as_text(options, adoption, found, str(result))


def _why(inputs: Inputs, found: Sequence[Difference]) -> str:
    """The reason for which there is nothing to describe."""
    from ..adoption.differences import Explanation

    part = next((each.text for each in found if each.explanation is Explanation.NOT_UNDERSTOOD), None)
    if part is not None:
        return f"no part of a GPU stack was understood; {part}"
    is_read = inputs.objects or inputs.releases or inputs.node_configs
    reason = "nothing that was read is a part of one" if is_read else "nothing in it was a Kubernetes object, chart or node configuration"
    return f"no GPU stack was found; {reason}"


def _as_text(options: argparse.Namespace, adoption: Adoption, found: Sequence[Difference], result: str) -> list[str]:
    from ..adoption.differences import kept, removals

    counts: dict[str, int] = {}
    for each in found:
        counts[str(each.explanation)] = counts.get(str(each.explanation), 0) + 1
    total = ", ".join(f"{number} {name}" for name, number in counts.items()) or "no difference"
    return [
        *(f"{printable(each.text)}\n" for each in found),
        *(f"to keep: {printable(file)}: {printable(', '.join(labels))}\n" for file, labels in kept(adoption)),
        *(f"to remove, {each.when}: {printable(each.text)}\n" for each in removals(adoption)),
        f"{target_of(options)}: {result} ({total}); every other object of the repository stays where it is\n",
    ]


def _as_json(adoption: Adoption, found: Sequence[Difference], result: str) -> str:
    from ..adoption.differences import kept, removals

    rows = [
        {
            "explanation": str(each.explanation),
            "about": each.about,
            "reason": each.reason,
            "file": each.file,
            "line": each.line,
            "rule": each.rule,
        }
        for each in found
    ]
    keep = [{"file": file, "objects": [*labels]} for file, labels in kept(adoption)]
    remove = [
        {"when": each.when, "file": each.file, "objects": [*each.labels], "whole_file": each.is_whole, "pruning": each.pruning}
        for each in removals(adoption)
    ]
    return json_text({"outcome": result, "differences": rows, "keep": keep, "remove": remove})
