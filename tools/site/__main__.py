"""Write the site into build/site with Sphinx, and follow every link between its pages: `make site`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from .links import broken_links
from .markdown_copies import write_markdown_copies
from .pages import ROOT, sources
from .playground_files import write_playground
from .static_files import write_static_files

SOURCES, SITE = ROOT / "build" / "site-sources", ROOT / "build" / "site"
_SETTINGS = ("conf.py", "search.js")


def main() -> int:
    """Build, and report what is broken."""
    for folder in (SOURCES, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    write_static_files(SOURCES / "_static")
    for name in _SETTINGS:
        shutil.copy(Path(__file__).with_name(name), SOURCES)
    files = sources()
    for name, content in files.items():
        (SOURCES / name).write_bytes(content.encode() if isinstance(content, str) else content)
    status = build_main(["-q", "-W", "--keep-going", "-b", "html", "-d", f"{SOURCES / '_doctrees'}", f"{SOURCES}", f"{SITE}"])
    write_playground(SITE / "playground")
    write_markdown_copies(files, SITE)
    for link in (broken := broken_links(SITE)):
        print(link, file=sys.stderr)
    if status or broken:
        return 1
    print(f"site: {sum(1 for _ in SITE.rglob('*.html'))} pages in {SITE.relative_to(ROOT)}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
