"""The credentials of a tree that is adopted: a cluster file is committed and shared, so it holds none of them."""

from __future__ import annotations

from collections.abc import Mapping

from ..arguments.credentials.places import credential_path
from ..observed.model import ChartRelease
from .chart_forms import source_of
from .difference import Path
from .plain_objects import Identity, PlainObject, UnreadError, plain_value


def credential_words(path: Path) -> str:
    """The reason why an object with a credential at a path is left out."""
    return f"a credential in {'.'.join(map(str, path)) or 'the object'}; put it into a Secret, and name the Secret there"


def check_release(release: ChartRelease, about: PlainObject | None, with_credentials: Mapping[Identity, PlainObject]) -> None:
    """Refuse a release whose values, or whose source, hold a credential. Raises `UnreadError`."""
    path = credential_path(plain_value(release.values, []))
    if path is not None:
        raise UnreadError(credential_words(("values", *path)))
    if about is not None and source_of(about, with_credentials) is not None:
        raise UnreadError("the source of its chart holds a credential")
