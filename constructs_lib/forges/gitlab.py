"""A merge request on GitLab."""

from __future__ import annotations

from typing import Any

from .comments import Comments, comment_text, marker_of, say_once
from .rest import Rest

MOST = 1_000_000
"""The longest note, in characters. Source: https://docs.gitlab.com/administration/instance_limits/ (2026-11-28)"""


def note(rest: Rest, project: str, number: int, change: dict[str, Any], markdown: str, *, head: str, path: str) -> None:
    """Make or update our note.

    Source: https://docs.gitlab.com/api/notes/#merge-requests (2026-11-28)
    """
    marker = marker_of(path)
    notes = f"/projects/{project}/merge_requests/{number}/notes"
    comments = Comments(rest=rest, of_pull_request=notes, one=f"{notes}/", edit="PUT", author=("author", "username"))
    text = comment_text(markdown, marker=marker, head=head, path=path, most=MOST)
    say_once(comments, (rest.send("GET", "/user")["username"],), text, marker, is_nothing=change["nothing"])
