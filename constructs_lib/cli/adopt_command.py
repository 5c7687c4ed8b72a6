"""The command `adopt`: the cluster file that describes somebody's tree, and the differences between what it synthesizes and what is there."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._arguments.errors import wrong
from .command_parser import Commands
from .nodes_flags import reason

if TYPE_CHECKING:
    from ..adoption.adopted_cluster import Adoption
    from ..adoption.difference import Difference

_FAILED = 1
_EXAMPLE = """\
examples:
  talos-gpu adopt .
  talos-gpu adopt kubernetes/ talos/ --talos 1.13.7 --cluster-file home.yaml
  talos-gpu synth cluster.yaml --output-folder adopted"""


def add_adopt(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "write the cluster file that describes the GPU stack of a repository"
    parser: argparse.ArgumentParser = commands.add_parser(
        "adopt", help=about,
        description=f"{about[0].upper()}{about[1:]}: its nodes, its operator or plugin, and its GPU workloads. Then each difference between what "
        "talos-gpu synth makes of the file and what is there, with its explanation. The repository is only read. The exit status is 1 when a "
        "part was not understood.",
        epilog=_EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=adopt, chart=None, kubernetes=None, output=None)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the files and folders of one cluster")
    parser.add_argument(
        "--talos", dest="talos_version", metavar="VERSION", help="the Talos of the nodes; default: the version in the files"
    )
    parser.add_argument("--cluster-file", default="cluster.yaml", metavar="FILE", help="the file that is written; default: cluster.yaml")
    parser.add_argument("--overwrite", action="store_true", help="replace FILE where it exists")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="the form of the differences; default: text")


def adopt(options: argparse.Namespace) -> list[str]:
    """Write the file. The answer is the differences, and a line that sums them up."""
    from ..adoption.adopted_cluster import adopt as adopted
    from ..adoption.explanations import differences
    from ..adoption.outcome import Outcome, outcome
    from .file_inputs import crash_named, read_inputs

    check_target(options.cluster_file, overwrite=options.overwrite)
    inputs = read_inputs(options.paths, options, settings=None, subjects=(), nodes=())
    with crash_named("the adoption", "so no file was written"):
        adoption = adopted(inputs, options.talos_version)
        explained = differences(adoption)
        result = outcome(adoption, explained)
    if result is Outcome.NOT_AT_ALL:
        raise ValueError(f"PATH must be of a cluster with a GPU stack that can be read (got {', '.join(options.paths)}); {_why(explained)}")
    write_target(options.cluster_file, adoption.text, overwrite=options.overwrite)
    if result is Outcome.PARTLY:
        options.status = _FAILED
    return [_as_json(adoption, explained, str(result))] if options.format == "json" else _as_text(options, adoption, explained, str(result))


def check_target(path: str, *, overwrite: bool) -> None:
    """Refuse to replace a file, and to write a file whose name is no name of a cluster."""
    from ..clusters.cluster_file import ClusterFile
    from ..clusters.file_values import FileError

    try:
        next(ClusterFile(path, "").clusters({}))
    except FileError as error:
        hint = getattr(error.error, "hint", "")
        raise wrong("cluster_file", "named as its cluster: a DNS label and .yaml, such as 'cluster.yaml'", path, hint) from None
    if Path(path).exists() and not overwrite:
        raise wrong("cluster_file", "a file that does not exist", path, "--overwrite replaces it")


def write_target(path: str, text: str, *, overwrite: bool) -> None:
    """Write the cluster file."""
    try:
        with Path(path).open("w" if overwrite else "x", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise wrong("cluster_file", "a file that can be written", path, reason(error)) from None


def _why(explained: Sequence[Difference]) -> str:
    return explained[0].text if explained else "nothing in it speaks of NVIDIA"


def _as_text(options: argparse.Namespace, adoption: Adoption, explained: Sequence[Difference], result: str) -> list[str]:
    counts: dict[str, int] = {}
    for each in explained:
        counts[str(each.explanation)] = counts.get(str(each.explanation), 0) + 1
    lines = [f"{each.text}\n" for each in explained]
    total = ", ".join(f"{number} {name}" for name, number in counts.items()) or "no difference"
    outside = f"; {adoption.outside} objects have nothing to do with GPUs, and stay where they are" if adoption.outside else ""
    return [*lines, f"{options.cluster_file}: {result} ({total}){outside}\n"]


def _as_json(adoption: Adoption, explained: Sequence[Difference], result: str) -> str:
    rows = [
        {
            "explanation": str(each.explanation),
            "about": each.about,
            "path": [str(step) for step in each.path],
            "reason": each.reason,
            "file": each.file,
            "line": each.line,
            "rule": each.rule,
        }
        for each in explained
    ]
    return json.dumps({"outcome": result, "outside": adoption.outside, "differences": rows}, indent=2, ensure_ascii=False) + "\n"
