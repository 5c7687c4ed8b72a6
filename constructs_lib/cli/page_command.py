"""The command `page`: a page about a cluster, in Markdown, for the people who run it."""

from __future__ import annotations

import argparse
from pathlib import Path

from .command_parser import Commands, add_command
from .settings_flags import add_settings_flag, apply_settings, classes_with, settings_of

_EXAMPLE = """\
talos-gpu page dist/prod --nodes nodes.yaml --output dist/prod/README.md
talos-gpu page . --talos 1.14.0 --product 'RTX 4090' --gpus-per-node 2 --count 2"""


def add_page(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "write a page about a cluster: a diagram, nodes, capacity, versions, how to apply, verify and upgrade it"
    parser = add_command(commands, "page", page, about, _EXAMPLE)
    parser.set_defaults(root=None, fail_on=None)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the folder of the cluster, or files and folders")
    parser.add_argument("--title", metavar="TEXT", help="the heading of the page; default: the name of the folder")
    parser.add_argument("--kubernetes", metavar="VERSION", help="the Kubernetes version of the cluster, such as 1.35")
    parser.add_argument("--chart", metavar="NAME[@VERSION]", help="the chart of a plain values file, such as gpu-operator@v26.7.0")
    add_settings_flag(parser)


def page(options: argparse.Namespace) -> str:
    """The page of the files, with the findings that the settings silence."""
    from ..checks.engine import run_rules
    from ..checks.formats.cluster_page import page as written
    from ..checks.formats.cluster_page import tree_facts
    from .file_inputs import crash_named, read_inputs

    settings = settings_of(options)
    subjects = apply_settings(options, settings)
    inputs = read_inputs(options.paths, options, settings=settings, subjects=subjects, nodes=classes_with(options, settings))
    title = Path(next((path for path in options.paths if path != "-"), ".")).resolve().name if options.title is None else options.title
    with crash_named("the page", "so there is none"):
        findings = run_rules(inputs)
        return written(inputs, settings.silenced(findings) if settings else findings, title=title, **tree_facts(options.paths))
