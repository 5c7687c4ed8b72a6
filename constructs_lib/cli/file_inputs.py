"""The inputs of the rules: the files, folders and standard input that a command was given, with the settings of the
repository."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import Refusal
from . import streams
from .nodes_flags import reason

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
            raise ValueError(f"PATH must be a file or a folder (got {path!r}); {reason(error)}") from None
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

    if not given:
        raise ValueError("a PATH must be given, a file or a folder; - is standard input")
    paths = existing(given)
    stream = streams.question() if "-" in given else None
    with crash_named("the reader of the files", "so nothing was checked"):
        inputs = read(
            paths, stream=stream, texts=texts, chart=options.chart, talos=options.talos_version, kubernetes=options.kubernetes, nodes=nodes
        )
    if options.output is not None:
        from .output_file import check_inputs  # most runs write to standard output

        check_inputs(options, inputs)
    return inputs if settings is None else settings.applied(inputs, subjects)


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
