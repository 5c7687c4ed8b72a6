"""The apps of docs/apps.md, each run as tools/docs.py runs it."""

import re
import runpy
from typing import Any, NamedTuple

from cdk8s import App

from conftest import ROOT
from constructs_lib import GpuNodes

PAGE = (ROOT / "docs" / "apps.md").read_text(encoding="utf-8")
_SECTION = re.compile(
    r"^## (?P<title>.*?)\n.*?^```python\n(?P<code>.*?)^```\n\n^<!-- run: .*? -->\n\n^```text\n(?P<output>.*?)^```\n",
    re.MULTILINE | re.DOTALL,
)
_run = runpy.run_path(str(ROOT / "tools" / "docs.py"))["_python"]


class Section(NamedTuple):
    """An app of the page: its code, and the count that the page shows."""

    code: str
    output: str

    @property
    def lines(self) -> list[str]:
        """The lines of the app that are not blank."""
        return [line for line in self.code.splitlines() if line.strip()]

    def run(self) -> tuple[App, GpuNodes]:
        """The app and its class of nodes."""
        names: dict[str, Any] = {}
        _run(self.code, names)
        return names["app"], names["nodes"]


SECTIONS = {each["title"]: Section(each["code"], each["output"]) for each in _SECTION.finditer(PAGE)}
"""The apps by their titles."""
