"""The command `page`: a page about a cluster, in Markdown, for the people who run it."""

from __future__ import annotations

import argparse
from pathlib import Path

from .command_parser import Commands, add_nodes_verb
from .flags import add_flag
from .settings_flags import add_settings_flag, apply_settings, classes_with, settings_of

_EXAMPLES = """\
example:
  talos-gpu page cluster.yaml
  talos-gpu page manifests/ talos/ cluster.yaml --output README.md
  talos-gpu page . --talos 1.14.0 --product 'RTX 4090' --gpus-per-node 2 --count 2"""


def add_page(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "write a page about a cluster: a diagram, nodes, capacity, versions, how to apply, verify and upgrade it"
    parser = add_nodes_verb(commands, page, about, _EXAMPLES, has_file=False)
    parser.set_defaults(root=None, fail_on=None)
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a cluster file; or the folder of the cluster, or files and folders, with a cluster file for the nodes",
    )
    add_flag(parser, "--title TEXT", "the heading of the page; default: the name of the folder")
    add_flag(parser, "--kubernetes VERSION")
    add_flag(parser, "--chart NAME[@VERSION]")
    add_settings_flag(parser)


def page(options: argparse.Namespace) -> str:
    """The page of the files, with the findings that the settings silence."""
    from ..checks.engine import run_rules
    from ..checks.formats.cluster_page import page as written
    from ..checks.formats.cluster_page import tree_facts
    from ..checks.formats.page_classes import PageClasses
    from .cluster_files import nodes_in, refuse_chart, refuse_node_flags, split, synthesized
    from .files import crash_named, read_inputs
    from .nodes_flags import node_flags

    cluster, others = split(options.paths)
    flags, settings = node_flags(options), settings_of(options)
    subjects = apply_settings(options, settings)
    if cluster is not None and not others:
        from ..clusters.fleet import page_classes, page_of

        refuse_node_flags(options, cluster.path, flags)
        refuse_chart(options, cluster.path)
        name, description, result = synthesized(cluster, options.chosen)
        described = page_classes(description, cluster.path, name if "clusters" in cluster.content() else "")
        return page_of(name, result, described, options.title, options.kubernetes, settings)
    inputs = read_inputs(options.paths, options, settings=settings, subjects=subjects, nodes=classes_with(options, settings))
    title = Path(next((path for path in others if path != "-"), ".")).resolve().name if options.title is None else options.title
    classes = PageClasses() if cluster is None else PageClasses([each for each, _ in nodes_in(cluster, options.chosen)])
    with crash_named("the page", "so there is none"):
        findings = run_rules(inputs)
        return written(inputs, settings.silenced(findings) if settings else findings, title=title, **tree_facts(others), classes=classes)
