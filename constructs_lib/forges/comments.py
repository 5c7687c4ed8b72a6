"""One comment of ours on a pull request: it is made once, and then updated."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import quote

from ..checks.formats.markdown_text import code
from .rest import A_PAGE, Rest


@dataclass(frozen=True, kw_only=True, slots=True)
class Comments:
    """The comments of a pull request, by the words of the forge."""

    rest: Rest
    of_pull_request: str
    """The path of the list."""
    one: str
    """The path of a comment, in front of its number."""
    edit: str
    author: tuple[str, str]
    """The keys of the author and of the author's name."""


def say_once(comments: Comments, own: Collection[str], text: str, marker: str, *, is_nothing: bool) -> None:
    """Update our comment, or make it. A change that does nothing makes none.

    Ours is the first that begins with the marker and that the token's own name wrote: a stranger can write the marker, and a token that may write
    can change the comments of strangers.
    """
    who, name = comments.author
    ours = next(
        (
            each
            for each in comments.rest.pages(f"{comments.of_pull_request}?per_page={A_PAGE}")
            if (each.get(who) or {}).get(name) in own and (each.get("body") or "").startswith(marker)
        ),
        None,
    )
    if ours is not None:
        comments.rest.send(comments.edit, f"{comments.one}{ours['id']}", {"body": text})
    elif not is_nothing:
        comments.rest.send("POST", comments.of_pull_request, {"body": text})


def marker_of(path: str) -> str:
    """The first line of our comment, which no forge shows: each path has a comment of its own."""
    return " ".join(filter(None, ("<!-- talos-gpu diff", quote(path), "-->")))


def comment_text(markdown: str, *, marker: str, head: str, path: str, most: int) -> str:
    """The text of the comment, of at most so many bytes."""
    where = f" in {code(path)}" if path else ""
    first, last = f"{marker}\n", f"\n<sub>talos-gpu diff: the commit {code(head[:12])}, from where it left its target branch{where}</sub>"
    return f"{first}{cut(markdown, most - len(f'{first}{last}'.encode()))}{last}"


def cut(markdown: str, most: int) -> str:
    """The Markdown, or its first lines with a sentence that says so. The limit of GitHub is in characters: bytes are at least as many."""
    if len(markdown.encode()) <= most:
        return markdown
    end = "\n</details>\n\n**The text is cut here: it is longer than the forge takes. The summary or the artifact of the job has all of it.**\n"
    kept, size = [], len(end.encode())
    for line in markdown.splitlines(keepends=True):
        size += len(line.encode())
        if size > most:
            break
        kept.append(line)
    # Text of the files, such as a name, is within a line and no tag.
    opened, closed = (sum(line.startswith(tag) for line in kept) for tag in ("<details>", "</details>"))
    return "".join(kept) + (end if opened > closed else end.removeprefix("\n</details>\n"))
