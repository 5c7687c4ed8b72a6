"""The links of the site: each target is a file of the site, and each fragment an element of the target."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The links and the ids of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the ids of the element, and its links."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def broken_links(site: Path) -> list[str]:
    """Each broken link between files of the site, with its page."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    return [broken for path, page in pages.items() for broken in _broken(path, page, pages)]


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _broken(path: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    for link in dict.fromkeys(page.links):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists():
            yield f"{path.name}: {link}: no such file"
        elif parts.fragment and target.parent.name == "playground":
            continue  # the fragment holds files
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            yield f"{path.name}: {link}: no such place"
