"""The flags of the file that `adopt` and `init` write: the cluster file, or the Python app of the cluster."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..arguments.errors import wrong
from ..arguments.output_paths import open_output
from .nodes_flags import reason
from .output_file import refuse_link


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--cluster-file", default="cluster.yaml", metavar="FILE", help="the file that is written; default: cluster.yaml")
    target.add_argument("--app", metavar="FILE", help="the Python app that is written in place of the cluster file, such as main.py")
    parser.add_argument("--overwrite", action="store_true", help="replace FILE where it exists")


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
        next(ClusterFile(path, "").clusters({}))
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
        raise wrong(_argument(options), "a file that can be written", path, reason(error)) from None


def _text(description: Mapping[str, Any], *, is_app: bool) -> str:
    if is_app:
        from ..clusters.python_app import app_text

        return app_text(description)
    from ..yaml.npm_bytes import stream
    from ..yaml.splice import shown

    return shown(stream([description]))


def _argument(options: argparse.Namespace) -> str:
    return "cluster_file" if options.app is None else "app"
