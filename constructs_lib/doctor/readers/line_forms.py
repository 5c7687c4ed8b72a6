"""The forms of lines: tables, files of /proc, kernel messages, logs. A text is cut where the form changes.

The forms: siderolabs/talos cmd/talosctl/cmd/talos and internal/app/machined/pkg/controllers/runtime at v1.13.9 and v1.14.0-rc.1 (2026-11-22).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LEVELS = "emerg|alert|crit|err|warning|notice|info|debug"
_FACILITIES = "kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local[0-7]|clock|ntp|audit|unknown"


class Form(enum.Enum):
    """The form of a section of lines."""

    TABLE = re.compile(r"NODE\s+(?:\*\s+)?NAMESPACE\s+TYPE\s+ID\s+VERSION\b|NODE\s+SERVICE\s+STATE\s+HEALTH\b")
    SERVICE_STATE = re.compile(r"(?:NODE +\S+$|ID +\S+$|STATE +\S+$|HEALTH +\S+$|LAST HEALTH MESSAGE +|EVENTS +\[)")
    ROWS = re.compile(
        r"\S+ +\w+ +(?:ExtensionStatus|LoadedKernelModule|KernelModuleStatus|PCIDevice|KernelModuleSpec|KernelParamStatus|SecurityState) +\S+ +\d+\b"
        r"|\S+ +[\w-]+ +(?:Initialized|Preparing|Waiting|Starting|Pre|Running|Stopping|Finished|Failed|Skipped) +(?:OK|Fail|\?) +\S+ ago\b"
    )
    KERNEL = re.compile(rf"(?:\S+: )?(?:{_FACILITIES}): +(?:{_LEVELS}): \[|(?:\S+: )?(?:<\d+>)?\[ *\d+\.\d{{6}}\] ")
    MODULES = re.compile(r"(?:\S+: )?\w+ \d+ -?\d+ \S+ (?:Live|Loading|Unloading) 0x[0-9a-f]+")
    DRIVER = re.compile(r"(?:\S+: )?NVRM version: ")
    VERSION = re.compile(r"(?:Client|Server):\s*$|\s+(?:NODE|Tag|SHA|Built|Go version|OS/Arch|Enabled): ")
    SMI_QUERY = re.compile(r"=+ *NVSMI LOG *=+")
    SMI = re.compile(r"\| NVIDIA-SMI \d.*Driver Version: ")
    CONTAINER = re.compile(r"\[pod/[^/\]]+/[^\]]+\] ")
    LOG = re.compile(r"")

    def is_start(self, line: str) -> bool:
        """Whether a line has this form."""
        return self.value.match(line) is not None


_FORMS = tuple(form for form in Form if form is not Form.LOG)
_FIRST = re.compile("|".join(f"(?:{form.value.pattern})" for form in _FORMS))
_LASTING = {
    Form.TABLE: re.compile(r"\S+(?: {2,}|\t)\S"),
    Form.SERVICE_STATE: re.compile(r" +\["),
    Form.VERSION: re.compile(r"\s*$"),
    Form.DRIVER: re.compile(r"(?:\S+: )?GCC version:|\s*$"),
    Form.SMI_QUERY: re.compile(r"\s|$|GPU [0-9A-Fa-f:.]+$|[A-Z][\w ]+ +: "),
}
"""The lines that continue a section of a form."""


@dataclass(slots=True)
class Lines:
    """Lines of one form with their numbers."""

    form: Form
    lines: list[tuple[int, str]] = field(default_factory=list)


def sections_of(text: str, first: int) -> Iterator[Lines]:
    """The sections of a text whose first line has this number."""
    section = Lines(Form.LOG)
    for number, line in enumerate(text.split("\n"), start=first):
        form = _form_of(line, section)
        if form is not section.form:
            if section.lines:
                yield section
            section = Lines(form)
        section.lines.append((number, line))
    if any(line.strip() for _, line in section.lines):
        yield section


def _form_of(line: str, section: Lines) -> Form:
    if section.form is not Form.LOG and section.form.is_start(line):
        return section.form
    form = next((form for form in _FORMS if form.is_start(line)), Form.LOG) if _FIRST.match(line) else Form.LOG
    if form is Form.LOG or (section.form is Form.TABLE and form is not Form.KERNEL and form is not Form.TABLE):
        lasting = _LASTING.get(section.form)
        if lasting is not None and lasting.match(line):
            return section.form
    return form
