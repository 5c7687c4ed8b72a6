"""The files of a command: those that it reads, with the settings of their repository, and those that it writes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments.errors import Refusal, wrong
from ..arguments.output_paths import is_link, link_out, open_output
from . import streams
from .flags import add_flag
from .nodes_flags import node_flags, refuse_class

if TYPE_CHECKING:
    from ..checks.settings import Settings
    from ..nodes.gpu_nodes import GpuNodes
    from ..observed.model import Inputs


def existing(given: Iterable[str]) -> list[str]:
    """The given paths without standard input. A path that does not exist is an error."""
    paths = [path for path in given if path != "-"]
    for path in paths:
        if not path:
            raise ValueError("PATH must be a file or a folder (got ''); is a variable of the shell empty?")
        try:
            Path(path).stat()
        except OSError as error:
            raise ValueError(f"PATH must be a file or a folder (got {path!r}); {streams.reason(error)}") from None
    return paths


def read_inputs(
    given: Sequence[str],
    options: argparse.Namespace,
    *,
    settings: Settings | None,
    subjects: Iterable[str],
    nodes: Sequence[GpuNodes],
    texts: Mapping[Path, str] | None = None,
) -> Inputs:
    """The inputs in the given files, folders and standard input.

    Args:
        given: The paths; - is standard input.
        options: The options of the command: the chart and the versions.
        settings: The settings of the repository.
        subjects: The subjects of the versions that the settings give.
        nodes: The classes of GPU nodes.
        texts: Texts of files that are read in place of the files' own. Default: none.
    """
    from ..observed.read.repository import read
    from .cluster_files import inputs_of, nodes_in, refuse_chart, refuse_node_flags, split

    if not given:
        raise ValueError("a PATH must be given, a file or a folder; - is standard input")
    cluster, given = split(given)
    talos = options.talos_version
    if cluster is not None:
        refuse_node_flags(options, cluster.path, node_flags(options) if "product" in options and not subjects else {})
        talos = None if "talos" in subjects else talos
        if not given:
            _refuse_fixes(options, cluster.path)
            refuse_chart(options, cluster.path)
            inputs = inputs_of(cluster, options)
            return inputs if settings is None else settings.applied(inputs, subjects)
        nodes = [each for _, each in nodes_in(cluster, options.chosen)]
    else:
        refuse_class(options)
    paths = existing(given)
    stream = streams.question() if "-" in given else None
    with crash_named("the reader of the files", "so nothing was checked"):
        inputs = read(paths, stream=stream, texts=texts, chart=options.chart, talos=talos, kubernetes=options.kubernetes, nodes=nodes)
    if options.output is not None:
        check_inputs(options, inputs)
    return inputs if settings is None else settings.applied(inputs, subjects)


def _refuse_fixes(options: argparse.Namespace, path: str) -> None:
    for name in ("fix", "diff"):
        if getattr(options, name, False):
            raise wrong(name, "left out with a cluster file", path, "synth writes the files again: change the cluster file")


@contextmanager
def crash_named(subject: str, consequence: str) -> Iterator[None]:
    """Turn an exception that no input should raise into one sentence. A refusal of an argument stays as it is."""
    from ..checks.engine import described

    try:
        yield
    except (Refusal, BrokenPipeError):
        raise
    except Exception as error:
        raise ValueError(described(subject, error, consequence)) from error


_NO_INPUTS = ("output", "title", "talconfig")
"""The flags that name no input, and the file that `patch` merges into, which may be replaced by the merged one."""
_REPLACED = "talos"
"""The format of machine configuration: a later run reads the file of an earlier run in its folder, and replaces it."""


def write(path: str, parts: Iterable[str], argument: str = "output") -> None:
    """Write a file that a flag names."""
    try:
        with open_output(path) as file:
            file.writelines(parts)
    except OSError as error:
        raise wrong(argument, "a file that can be written", path, streams.reason(error)) from None


def check_flags(options: argparse.Namespace) -> None:
    """Refuse an output that is a link, or that an argument or a flag names as an input."""
    refuse_link("output", options.output)
    values = [value for name, value in vars(options).items() if name not in _NO_INPUTS]
    refuse_input(
        "output",
        options.output,
        (each for value in values for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)),
    )


def check_inputs(options: argparse.Namespace, inputs: Inputs) -> None:
    """Refuse an output that was read as an input, in a folder."""
    if getattr(options, "format", None) != _REPLACED:
        refuse_input("output", options.output, files_of(inputs))


def files_of(inputs: Inputs) -> set[str]:
    """The files that were read for the inputs."""
    return {each.file for each in (*inputs.objects, *inputs.of_unknown_kind, *inputs.releases, *inputs.node_configs)}


def refuse_link(argument: str, path: str) -> None:
    """Refuse a file that is a symbolic link, and one below a link out of the working folder: a stranger's repository
    may have put it there."""
    if link := Path(path) if is_link(path) else link_out(path):
        raise wrong(argument, "a file to which no symbolic link leads", path, f"{link} is one: name the file to which it leads")


def refuse_input(argument: str, path: str | None, files: Iterable[str]) -> None:
    """Refuse a file to write that is one of those that are read."""
    if path is not None and Path(path).is_file() and any(_is_same(path, each) for each in files):
        raise wrong(argument, "another file than the files that are read", path, "it would be replaced")


def _is_same(output: str, file: str) -> bool:
    try:
        return Path(output).samefile(file)
    except (OSError, ValueError):  # a text that is no file
        return False


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    target = parser.add_mutually_exclusive_group()
    add_flag(target, "--cluster-file FILE", "the file that is written; default: cluster.yaml", default="cluster.yaml")
    add_flag(target, "--app FILE", "the Python app that is written in place of the cluster file, such as main.py")
    add_flag(parser, "--overwrite", "replace FILE where it exists")


def target_of(options: argparse.Namespace) -> str:
    """The path of the file."""
    return str(options.app or options.cluster_file)


def check_target(options: argparse.Namespace) -> None:
    """Refuse to replace a file, and to write a cluster file whose name is no name of a cluster."""
    if options.app is None:
        _check_name(options.cluster_file)
    refuse_link(_argument(options), target_of(options))
    if Path(target_of(options)).exists() and not options.overwrite:
        raise wrong(_argument(options), "a file that does not exist", target_of(options), "--overwrite replaces it")


def _check_name(path: str) -> None:
    from ..clusters.cluster_file import ClusterFile
    from ..clusters.file_values import FileError

    try:
        ClusterFile(path, "").name({})
    except FileError as error:
        hint = getattr(error.error, "hint", "")
        raise wrong("cluster_file", "named as its cluster: a DNS label and .yaml, such as 'cluster.yaml'", path, hint) from None


def write_target(options: argparse.Namespace, description: Mapping[str, Any]) -> None:
    """Write the description of the cluster."""
    path = target_of(options)
    text = _text(description, is_app=options.app is not None)
    try:
        with open_output(path, "w" if options.overwrite else "x") as file:
            file.write(text)
    except OSError as error:
        raise wrong(_argument(options), "a file that can be written", path, streams.reason(error)) from None


def _text(description: Mapping[str, Any], *, is_app: bool) -> str:
    if is_app:
        from ..clusters.python_app import app_text

        return app_text(description)
    from ..clusters.description import Description, file_form
    from ..yaml.npm_bytes import stream
    from ..yaml.splice import shown

    return shown(stream([description.content if isinstance(description, Description) else file_form(description)]))


def _argument(options: argparse.Namespace) -> str:
    return "cluster_file" if options.app is None else "app"
