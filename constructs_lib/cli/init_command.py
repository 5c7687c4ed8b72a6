"""The command `init`: a few questions, and the cluster file, or the app, that follows from the answers."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ..arguments.errors import wrong
from . import streams
from .command_parser import Commands, add_verb
from .doctor_command import add_access_flags, check_live, dump_of
from .files import add_target, check_target, target_of, write_target
from .flags import add_flag
from .image_flags import add_fabric_manager_flag
from .nodes_flags import number

if TYPE_CHECKING:
    from ..adoption.answers import Answers
    from ..adoption.present_nodes import Present

_MORE = ". A question with a flag is not asked, and without a terminal none is. A file is never replaced without --overwrite."
_EXAMPLES = """\
examples:
  talos-gpu init
  talos-gpu init --talos 1.14.0 --card 4090 --cards 2 --nodes 1 --sharing 4 --workload ollama
  talos-gpu init --card '3060 ti, a2000' --talos 1.14.0 --nodes 1
  talos-gpu init --live
  kubectl get nodes -o yaml | talos-gpu init --from - --stack operator --gitops flux"""

_QUESTIONS = {
    "talos_version": "Talos version of the GPU nodes",
    "card": "Card, such as RTX 4090",
    "cards": "Cards in each node, and number of nodes, such as 2 x 3",
    "sharing": "Pods that share a card",
    "stack": "Stack, standalone or operator",
    "gitops": "Engine that installs the Helm chart of the operator, flux, argocd or none",
    "workload": "Program to run on the card, such as Ollama",
}
"""The questions. Each has flags, which answer the question."""
_DEFAULTS = {
    "card": "unknown",
    "cards": "unknown",
    "sharing": "1",
    "stack": "what Talos needs",
    "gitops": "flux",
    "workload": "none",
}
_HELP = {
    "talos_version": "talosctl version prints it; the image of the nodes is of one release",
    "card": "the name on the box, as 4090, 3060 ti or a2000, or a line of nvidia-smi -L, lspci or talosctl get pcidevices. The driver and its modules follow from it",
    "cards": "what the nodes offer is compared with what workloads request",
    "sharing": "time-slicing: the pods take turns, and share the memory of the card without limits between them; 1 is whole cards",
    "stack": "standalone is NVIDIA's device plugin alone; operator is NVIDIA's GPU operator, a Helm chart with more parts",
    "gitops": "with none, Helm on this machine renders the chart when talos-gpu synth runs",
}
_CRASH = ("the reader of the nodes", "so no file was written")
_FLAGS = {"product": "card", "gpus_per_node": "cards", "count": "nodes", "sharing": "sharing"}


def add_init(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "ask a few questions and write a cluster file for every command"
    parser = add_verb(commands, init, about, _EXAMPLES, _MORE)
    parser.set_defaults(
        chart=None, kubernetes=None, output=None, own_flags=_FLAGS, paths=[], pod=None, watch=None, report=False, format="text"
    )
    add_flag(parser, "--talos VERSION", "the Talos of the GPU nodes")
    add_flag(parser, "--card NAME", "the card, such as 'RTX 4090'", dest="product")
    add_flag(parser, "--cards N", "the cards in each node", dest="gpus_per_node", type=number)
    add_flag(parser, "--nodes N", "the number of nodes", dest="count", type=number)
    add_flag(parser, "--sharing N", "the number of pods that share a card by time-slicing; 1 for whole cards", type=number)
    add_flag(parser, "--stack", "the device plugin alone, or NVIDIA's GPU operator", choices=("standalone", "operator"))
    add_flag(
        parser, "--gitops", "what installs the Helm chart of the operator in the cluster; default: flux", choices=("flux", "argocd", "none")
    )
    add_flag(parser, "--workload RECIPE", "a program to run on the cards, such as Ollama; default: none")
    add_fabric_manager_flag(parser)
    add_flag(parser, "--from PATH", "read the nodes of a repository, or of kubectl get nodes -o yaml; - for standard input")
    add_flag(parser, "--cluster NAME", "the cluster of a repository with several")
    group = parser.add_argument_group("live", "commands of kubectl and talosctl that only read, and that read no Secret")
    add_flag(group, "--live", "read the nodes of the running cluster: Talos, cards, addresses, extensions, platform, taints and labels")
    add_access_flags(group, "with --live: ")
    add_target(parser)


def init(options: argparse.Namespace) -> list[str]:
    """Write the file. The answer says what is next."""
    from ..adoption.answers import Answers
    from ..adoption.first_file import first_cluster

    check_target(options)
    check_live(options)
    present = _present(options)
    answers = Answers(
        talos_version=options.talos_version,
        card=options.product,
        cards=options.gpus_per_node,
        count=options.count,
        sharing=options.sharing,
        stack=options.stack,
        gitops=options.gitops,
        workload=options.workload,
        fabric_manager=options.fabric_manager,
    )
    if options.from_source != "-" and sys.stdin is not None and sys.stdin.isatty():
        _ask(answers, present)
    first = first_cluster(answers, present)
    write_target(options, first.description)
    path = target_of(options)
    notes = [f"{note}\n" for note in first.notes]
    return [*notes, f"{path}: written; next: {'talos-gpu synth' if options.app is None else 'python'} {path}\n"]


def _present(options: argparse.Namespace) -> Present:
    """What the source states about the nodes: nothing without a source."""
    from ..adoption.present_nodes import Present, present_cluster, present_live
    from ..adoption.present_tree import present_tree
    from ..doctor.gpu_cluster import GpuCluster
    from ..doctor.gpu_node import has_gpus
    from .files import crash_named
    from .image_flags import read_source

    if options.live and options.from_source is not None:
        raise wrong("from", "left out with --live", options.from_source, "a file has the nodes of one source")
    if options.live:
        with dump_of(options, set()) as dump, crash_named(*_CRASH):
            return present_cluster(GpuCluster(dump))
    if options.from_source is None:
        return Present()
    inputs, nodes = read_source(options)
    with crash_named(*_CRASH):
        if not nodes:
            return present_tree(inputs, options.talos_version, options.cluster)
        machines = [each for each in nodes if has_gpus(each)]
        names = {each.name for each in machines}
        return present_live(machines, [each for each in inputs.of_kind("Node") if each.name not in names])


def _ask(answers: Answers, present: Present) -> None:
    """Ask what neither a flag nor the source has answered. A wrong answer is asked again; the end of the input ends the
    command."""
    from ..adoption.answers import newest_talos, recipes

    for question, words in _QUESTIONS.items():
        if answers.has(question, present):
            continue
        default = newest_talos() if question == "talos_version" else _DEFAULTS[question]
        while True:
            streams.say(f"{words} [{default}], or ? for help: ")
            line = sys.stdin.readline()
            if not line:
                raise ValueError(f"the input ended before the answer to {words.partition(',')[0]!r}; no file was written")
            if answers.take_more_cards(line):
                continue
            if line.strip() == "?":
                streams.say(_HELP.get(question) or f"the recipes are {', '.join(recipes())}; other ones need arguments in the file")
                continue
            try:
                answers.take(question, line.strip())
                break
            except ValueError as error:
                streams.say(f"{error}")
