"""The command `rehearse`: the files of a cluster on nodes with mock cards. The nodes are a package of their own."""

from __future__ import annotations

import argparse
from importlib import import_module

from . import streams
from .command_parser import Commands, add_verb
from .flags import add_flag
from .nodes_flags import add_nodes_flags, number

_PACKAGE, _DISTRIBUTION = "talos_gpu_rehearsal", "cdk8s-nvidia-talos-rehearsal"
_CANNOT = 2
_ABOUT = "apply the files of a cluster to nodes with mock GPUs, and print the result"
_MORE = (
    f" (package {_DISTRIBUTION}): a kubelet, containerd and NVIDIA's programs for each class of nodes. Needs root on Linux, Go and gcc, and "
    "builds the programs once, after a question. The exit status is 1 when something did not come up, and 2 when the rehearsal can't run."
)
_EXAMPLES = """\
examples:
  talos-gpu rehearse cluster.yaml --plan
  sudo talos-gpu rehearse cluster.yaml
  sudo talos-gpu rehearse manifests/ cluster.yaml --format json --output rehearsal.json"""


def add_rehearse(commands: Commands) -> None:
    """Add the command and its flags."""
    parser = add_verb(commands, rehearse, _ABOUT, _EXAMPLES, _MORE)
    parser.set_defaults(chart=None, kubernetes=None)
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="a cluster file; or files and folders with manifests, and a cluster file for the nodes"
    )
    add_flag(parser, "--plan", "print the applied objects, the mocked parts and the programs to build, and end")
    add_flag(parser, "--yes", "build what is missing without a question")
    add_flag(parser, "--docker", "run in a privileged Docker container, without Go and root on this machine")
    add_flag(parser, "--wait SECONDS", "the time limit for the pods to settle; default: 300", type=number, default=300)
    add_flag(parser, "--format", "default: text", choices=("text", "json"), default="text")
    add_flag(parser, "--output FILE")
    add_nodes_flags(parser, talos="required without a cluster file")


def rehearse(options: argparse.Namespace) -> list[str]:
    """The report, and the exit status in `options.status`."""
    try:
        package = import_module(f"{_PACKAGE}.command")
    except ModuleNotFoundError as error:
        if error.name != _PACKAGE:
            raise
        streams.say(f"talos-gpu rehearse needs the package {_DISTRIBUTION}: docs/rehearsal.md says how to install it")
        options.status = _CANNOT
        return []
    parts: list[str] = package.rehearse(options)
    return parts
