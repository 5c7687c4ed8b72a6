"""A pull request on GitHub, and on Forgejo and Gitea, whose API of comments is GitHub's."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .comments import Comments, comment_text, cut, marker_of, say_once
from .found import check_annotations
from .rest import FORBIDDEN, NOT_FOUND, UNPROCESSABLE, ForgeError, Rest

MOST = 65_535
"""The longest text of a comment and of a check run's summary.

Source: https://docs.github.com/en/rest/checks/runs, https://docs.github.com/en/rest/issues/comments (2026-11-28)
"""
_BATCH = 50
"""The annotations of one request. Further requests add to them. Source: https://docs.github.com/en/rest/checks/runs (2026-11-28)"""
_LONGEST_TITLE = 255
_CHECK = "talos-gpu diff"
_AUTOMATIC = ("github-actions[bot]", "forgejo-actions", "gitea-actions")
"""The authors of what an automatic token writes, on forges that do not tell its name. Nobody can register these names.

Source: https://docs.github.com/en/actions/concepts/security/github_token, go-gitea/gitea models/user/user_system.go (2026-11-28)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PullRequest:
    """A pull request, and the commit that was compared."""

    rest: Rest
    graphql: str
    repository: str
    number: int
    head: str


def comment(pull: PullRequest, change: dict[str, Any], markdown: str, path: str) -> None:
    """Make or update our comment."""
    marker = marker_of(path)
    issues = f"/repos/{pull.repository}/issues"
    comments = Comments(
        rest=pull.rest,
        of_pull_request=f"{issues}/{pull.number}/comments",
        one=f"{issues}/comments/",
        edit="PATCH",
        author=("user", "login"),
    )
    text = comment_text(markdown, marker=marker, head=pull.head, path=path, most=MOST)
    say_once(comments, _own_names(pull), text, marker, is_nothing=change["nothing"])


def _own_names(pull: PullRequest) -> Collection[str]:
    """The names under which the token writes. A token of an app, such as that of a workflow, has no user: GraphQL tells its name."""
    try:
        # A runner of another forge may name GitHub's own address: its token stays on its server.
        if pull.graphql and pull.rest.has_origin_of(pull.graphql):
            return (pull.rest.send_to(pull.graphql, {"query": "{viewer{login}}"})["data"]["viewer"]["login"],)
        return (pull.rest.send("GET", "/user")["login"],)
    except (ForgeError, KeyError, TypeError):
        return _AUTOMATIC


def check_run(pull: PullRequest, change: dict[str, Any], markdown: str, path: str, *, failed: bool) -> None:
    """Make a check run with an annotation for each new finding."""
    found = check_annotations(change, path)
    body: dict[str, Any] = {
        "name": f"{_CHECK} {path}".rstrip(),
        "head_sha": pull.head,
        "status": "completed",
        "conclusion": "failure" if failed else "success",
    }
    output = {"title": change["summary"][:_LONGEST_TITLE], "summary": cut(markdown, MOST)}
    runs = f"/repos/{pull.repository}/check-runs"
    try:
        made = pull.rest.send("POST", runs, {**body, "output": {**output, "annotations": found[:_BATCH]}})
        for start in range(_BATCH, len(found), _BATCH):
            more = {**output, "annotations": found[start : start + _BATCH]}
            pull.rest.send("PATCH", f"{runs}/{made['id']}", {"output": more})
    except ForgeError as error:
        if error.status != UNPROCESSABLE or not found:
            raise
        without = f"**The forge took no annotations: the findings stand here alone.**\n\n{markdown}"
        pull.rest.send("POST", runs, {**body, "output": {**output, "summary": cut(without, MOST)}})


def refusal(error: ForgeError, what: str, permission: str) -> str | None:
    """The words about a token that may not write, or a forge without this API; None for another error."""
    if error.status == FORBIDDEN:
        return (
            f"no {what} was written: the token may not ({error}). The token of a pull request from a fork, or of Dependabot, only reads; "
            f"for others the job needs the permission {permission}. The summary of the job has the whole text"
        )
    if error.status == NOT_FOUND and what == "check run":
        return f"no check run was written: this forge has none ({error}); the input checks: 'false' leaves it out"
    return None
