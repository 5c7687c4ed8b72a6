"""`python -m constructs_lib.forges`: what actions and templates run after `talos-gpu diff`. It reads two files that the command has written, and no
file of the repository. The token is in the environment, and the command has run without it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..arguments.output_paths import open_output
from ..arguments.printable import json_text, printable
from . import github, gitlab
from .found import code_quality
from .rest import ForgeError, Rest

_FAILED = 2
_TITLE = "talos-gpu diff"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the comment and the check run. The status is 2 where the forge refused for another reason than the token's rights."""
    parser = argparse.ArgumentParser(prog="python -m constructs_lib.forges")
    parser.add_argument("forge", choices=("github", "gitlab"))
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--number", required=True, type=int)
    parser.add_argument("--head", required=True)
    parser.add_argument("--path", default="")
    parser.add_argument("--failed", action="store_true")
    parser.add_argument("--comment", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--code-quality", default="")
    options = parser.parse_args(arguments)
    markdown = Path(options.markdown).read_text("utf-8")
    change: dict[str, Any] = json.loads(Path(options.json).read_text("utf-8"))
    if options.code_quality:
        with open_output(options.code_quality) as file:
            file.write(json_text(code_quality(change, options.path)))
    try:
        return (_github if options.forge == "github" else _gitlab)(options, change, markdown)
    except ForgeError as error:
        _say("error", f"{error}")
        return _FAILED


def _github(options: argparse.Namespace, change: dict[str, Any], markdown: str) -> int:
    token = os.environ["TALOS_GPU_TOKEN"]
    rest = Rest(os.environ["GITHUB_API_URL"], {"authorization": f"Bearer {token}"})
    graphql = os.environ.get("GITHUB_GRAPHQL_URL", "")
    pull = github.PullRequest(
        rest=rest, graphql=graphql, repository=os.environ["GITHUB_REPOSITORY"], number=options.number, head=options.head
    )
    if options.comment:
        _try("comment", "pull-requests: write", lambda: github.comment(pull, change, markdown, options.path))
    if options.check:
        _try("check run", "checks: write", lambda: github.check_run(pull, change, markdown, options.path, failed=options.failed))
    return 0


def _try(what: str, permission: str, write: Callable[[], object]) -> None:
    try:
        write()
    except ForgeError as error:
        words = github.refusal(error, what, permission)
        if words is None:
            raise
        _say("warning", words)


def _gitlab(options: argparse.Namespace, change: dict[str, Any], markdown: str) -> int:
    token = os.environ.get("TALOS_GPU_TOKEN", "")
    if token:
        rest = Rest(os.environ["CI_API_V4_URL"], {"private-token": token})
        gitlab.note(rest, os.environ["CI_MERGE_REQUEST_PROJECT_ID"], options.number, change, markdown, head=options.head, path=options.path)
    elif options.comment:
        _say("warning", "no note was written: the variable TALOS_GPU_TOKEN has no token, and CI_JOB_TOKEN can't write notes")
    return 0


def _say(level: str, words: str) -> None:
    # A workflow shows the line at its run; a log of GitLab shows it as it is. Source: docs.github.com, workflow commands for GitHub Actions (2026-11-28)
    sys.stdout.write(f"::{level} title={_TITLE}::{printable(words).replace('%', '%25')}\n")


if __name__ == "__main__":
    sys.exit(main())
