"""The command `krm`: a cluster as a KRM function for kustomize and kpt."""

from __future__ import annotations

import argparse

from . import streams
from .command_parser import Commands, add_verb
from .flags import add_flag

_FAILED, _REFUSED = 1, 2
_NODES_FLAGS = ("talos_version", "output")
_MORE = (
    ": a ResourceList on standard input, whose functionConfig has a cluster file as its spec. The exit status is 1 when the rules of talos-gpu check "
    "find an error, and 2 for an error in the input."
)
_EXAMPLES = """\
examples:
  kustomize build --enable-alpha-plugins --enable-exec .
  talos-gpu krm < resource-list.yaml"""


def add_krm(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "add the objects of a cluster to a list of Kubernetes resources, as a KRM function"
    parser = add_verb(commands, krm, about, _EXAMPLES, _MORE)
    parser.set_defaults(**dict.fromkeys(_NODES_FLAGS))
    add_flag(parser, "--no-check", "don't apply the rules of talos-gpu check to the objects")


def krm(options: argparse.Namespace) -> str:
    """The ResourceList, and the exit status in `options.status`."""
    from ..clusters.resource_list import run_function

    result = run_function(streams.question(), with_checks=not options.no_check)
    for warning in result.warnings:
        streams.say(f"talos-gpu krm: warning: {warning}")
    for error in (*result.errors, *result.violations):
        streams.say(f"talos-gpu krm: {error}")
    options.status = _REFUSED if result.errors else _FAILED if result.violations else 0
    return result.text
