"""The names of repositories and revisions of Hugging Face, which become words of a command and folders of a volume."""

from __future__ import annotations

import re

from ..arguments.errors import wrong
from ..arguments.plain_values import text

_REPOSITORY = re.compile(r"(?:[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*", re.ASCII)
_REVISION = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)*", re.ASCII)


def to_repository(value: str, argument: str = "") -> str:
    """A repository of Hugging Face."""
    rule = "a repository of Hugging Face such as 'Qwen/Qwen3-8B'"
    if not _REPOSITORY.fullmatch(text(argument, value, rule)) or ".." in value:
        raise wrong(argument, rule, value)
    return value


def to_revision(value: str, argument: str = "") -> str:
    """A branch, a tag or a commit of a repository."""
    rule = "a branch, a tag or a commit of the repository"
    if not _REVISION.fullmatch(text(argument, value, rule)) or ".." in value:
        raise wrong(argument, rule, value)
    return value
