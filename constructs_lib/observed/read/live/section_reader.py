"""A text of any mix: its sections are recognised by their shape, and each is given to its reader.

JSON and YAML have readers of their own. Lines are tables, files of /proc, kernel messages and logs: a section ends
where the form changes. The forms: siderolabs/talos cmd/talosctl/cmd/talos and
internal/app/machined/pkg/controllers/runtime at v1.13.9 and v1.14.0-rc.1 (2026-11-22).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ....arguments.credentials.texts import hidden_text
from ....arguments.patterns import pattern
from ....yaml.load import YamlError, documents, place_of_error, problem_of
from ...model.evidence import Evidence, LogKind
from ...model.talos_machine import Seen
from .bundle_commands import Place, place_of
from .describe_reader import read_description
from .dump_builder import DumpBuilder
from .fragment_reader import read_fragment
from .kubectl_tables import HEADLESS, read_headless_rows, read_kubectl_table
from .kubernetes_reader import read_json, read_yaml
from .log_reader import CONTINUED, driver_of, read_containers, read_kernel, read_log
from .metrics_reader import read_metrics
from .smi_links_reader import read_smi_list, read_topology
from .smi_reader import read_diagnostic, read_smi_query, read_smi_table, read_smi_xml
from .table_reader import read_rows, read_service_state, read_table
from .talos_resources import read_empty, read_resource

_LEVELS = "emerg|alert|crit|err|warning|notice|info|debug"
_FACILITIES = "kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local[0-7]|clock|ntp|audit|unknown"


class Form(enum.Enum):
    """The form of a section of lines."""

    TABLE = pattern(r"(?:NODE\s+(?:\*\s+)?)?NAMESPACE\s+TYPE\s+ID\s+VERSION\b|(?:NODE\s+)?SERVICE\s+STATE\s+HEALTH\b")
    SERVICE_STATE = pattern(r"(?:NODE +\S+$|ID +\S+$|STATE +\S+$|HEALTH +\S+$|LAST HEALTH MESSAGE +|EVENTS +\[)")
    ROWS = pattern(
        r"\S+ +\w+ +(?:ExtensionStatus|LoadedKernelModule|KernelModuleStatus|PCIDevice|KernelModuleSpec|KernelParamStatus|SecurityState) +\S+ +\d+\b"
        r"|\S+ +[\w-]+ +(?:Initialized|Preparing|Waiting|Starting|Pre|Running|Stopping|Finished|Failed|Skipped) +(?:OK|Fail|\?) +\S+ ago\b"
    )
    KERNEL = pattern(rf"(?:\S+: )?(?:{_FACILITIES}): +(?:{_LEVELS}): \[|(?:\S+: )?(?:<\d+>)?\[ *\d+\.\d{{6}}\] ")
    MODULES = pattern(r"(?:\S+: )?\w+ \d+ -?\d+ \S+ (?:Live|Loading|Unloading) 0x[0-9a-f]+")
    DRIVER = pattern(r"(?:\S+: )?NVRM version: ")
    VERSION = pattern(r"(?:Client|Server):\s*$|\s+(?:NODE|Tag|SHA|Built|Go version|OS/Arch|Enabled): ")
    SMI_QUERY = pattern(r"=+ *NVSMI LOG *=+")
    SMI_XML = pattern(r"<!DOCTYPE nvidia_smi_log|<nvidia_smi_log>")
    SMI = pattern(r"\| NVIDIA-SMI \d.*Driver Version: ")
    SMI_LIST = pattern(r"GPU \d+: .+ \(UUID: GPU-")
    TOPOLOGY = pattern(r"\s+(?:\x1b\[4m)?GPU0\s.*CPU Affinity")
    DIAGNOSTIC = pattern(r"\| Diagnostic +\| Result ")
    METRICS = pattern(r"# (?:HELP|TYPE) DCGM_|DCGM_(?:FI|EXP)_\w+\{")
    KUBECTL_TABLE = pattern(r"(?:NAMESPACE|NAME|LAST SEEN)(?: {2,}|\t)(?:[A-Z]|LAST)[A-Z -]+(?:\s|$)")
    KUBECTL_ROWS = HEADLESS
    DESCRIPTION = pattern(
        r"Name: {2,}\S|(?:Roles|Labels|Annotations|Taints): {4,}\S|(?:Capacity|Allocatable|System Info|Allocated resources):\s*$"
    )
    CONTAINER = pattern(r"\[pod/[^/\]]+/[^\]]+\] ")
    LOG = pattern(r"")

    def is_start(self, line: str) -> bool:
        """Whether a line has this form."""
        return self.value.match(line) is not None


_FORMS = tuple(form for form in Form if form is not Form.LOG)
_FIRST = pattern("|".join(f"(?:{form.value.pattern})" for form in _FORMS))
_LASTING = {
    Form.TABLE: pattern(r"\S+(?: {2,}|\t)\S"),
    Form.SERVICE_STATE: pattern(r" +\["),
    Form.VERSION: pattern(r"\s*$"),
    Form.KERNEL: CONTINUED,
    Form.DRIVER: pattern(r"(?:\S+: )?GCC version:|\s*$"),
    Form.SMI_QUERY: pattern(r"\s|$|GPU [0-9A-Fa-f:.]+$|[A-Z][\w ]+ +: "),
    Form.SMI_XML: pattern(r"[<\s]|$"),
    Form.SMI: pattern(r"[|+]|\s*$"),
    Form.SMI_LIST: pattern(r"\s+(?:MIG|Link) |\s*$|\s*NVML: ?Unable to retrieve (?:NVLink|Nvlink) "),
    Form.TOPOLOGY: pattern(r"(?:GPU|NIC)\d+\s|\s*$|Legend:|\s+(?:X|SYS|NODE|PHB|PXB|PIX|NV#|NIC\d+) *[=:]|NIC Legend"),
    Form.DIAGNOSTIC: pattern(r"[|+]|\s*$"),
    Form.METRICS: pattern(r"# (?:HELP|TYPE|EOF)\b|[A-Za-z_:][\w:]*(?:\{.*\})? +[-+0-9.eEINafn]+(?: \d+)?$|\s*$"),
    Form.KUBECTL_TABLE: pattern(r"\S+(?: \S+)*(?: {2,}|\t)\S"),
    Form.DESCRIPTION: pattern(r"\s|$|[A-Z][\w -]*: *(?: {2}|\(|\d|$)"),
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
    if section.form is Form.DESCRIPTION and line.startswith((" ", "\t")):
        return section.form
    form = next((form for form in _FORMS if form.is_start(line)), Form.LOG) if _FIRST.match(line) else Form.LOG
    if form is Form.LOG or (section.form in (Form.TABLE, Form.KUBECTL_TABLE) and form not in (Form.KERNEL, Form.TABLE, Form.KUBECTL_TABLE)):
        lasting = _LASTING.get(section.form)
        if lasting is not None and lasting.match(line):
            return section.form
    return form


_NO_KIND = "the server doesn't have a resource type"
_NO_RESOURCE = "is not registered"
_REFUSED = pattern(r"PermissionDenied|\(Forbidden\)|\(Unauthorized\)|You must be logged in|not authorized", re.IGNORECASE)
_ERROR = pattern(
    r"error: |error (?:from|getting|reading|listing) |Error from server|rpc error: code = |The connection to the server|Unable to connect to the server"
)
_PROMPT = pattern(r"\s*(?:[^\s$#%>]*\s?)?[$#%>]\s+(?:sudo\s+)?(?:kubectl|talosctl|k|cat)\s")
"""A command that was pasted with its output."""
_FRAME = pattern(r"\s*(?:[-+=|]{3,}|```\w*|~~~\w*|<\?xml .*\?>|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4})\s*$")
"""The frame of a table, the fences of Markdown, and the head and the time above the output of nvidia-smi."""
_OF_NODE = pattern(r"(?:error (?:from|getting \w+ from) node |\* )(?P<node>[\w.:-]+?):? ")
_MODULE = pattern(r"(?:(?P<node>\S+): )?(?P<name>\w+) \d+ -?\d+ \S+ (?P<state>\w+) 0x")
_LONGEST = 400
_TAG = pattern(r"\s+Tag: +v(?P<tag>\S+)")
_VERSION_NODE = pattern(r"\s+NODE: +(?P<node>\S+)")


def read_lines(text: str, first: int, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read lines that are no JSON and no YAML. The first of them has this number in its file."""
    if place.is_failed:
        _read_failure(text.strip(), place, source, builder)
        return
    is_log = bool(place.service or place.pod or place.container)
    log = []
    for section in sections_of(text, first):
        if not is_log or section.form is Form.CONTAINER or (section.form is Form.SERVICE_STATE and source.endswith(".state")):
            _READERS.get(section.form, _read_others)(section.lines, place, source, builder)
        else:
            log += section.lines
    if any(line.strip() for _, line in log):
        read_log(log, place, source, builder)


def _read_others(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    """Read lines without a form: errors of the commands, or the log of an unknown program."""
    others = []
    for number, line in lines:
        if _PROMPT.match(line) or _FRAME.match(line):
            continue
        if _ERROR.match(line):
            _read_error(line, place, f"{source}:{number}", builder)
        elif line.strip():
            others.append((number, line))
    if others:
        read_log(others, place, source, builder, kind=LogKind.UNKNOWN)


def _read_modules(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    for number, line in lines:
        found = _MODULE.match(line)
        if found:
            machine = builder.machines.machine(found["node"] or place.node, source)
            machine.has_all_modules = True
            machine.known("modules")[found["name"]] = Seen(
                value=found["state"], evidence=Evidence(text=line.strip(), source=f"{source}:{number}")
            )


def _read_version(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    node, is_server = place.node, False
    for number, line in lines:
        is_server = line.startswith("Server:") or (is_server and not line.startswith("Client:"))
        if found := _VERSION_NODE.match(line):
            node = found["node"]
        elif is_server and (found := _TAG.match(line)):
            machine = builder.machines.machine(node, source)
            machine.talos_version = Seen(value=found["tag"], evidence=Evidence(text=line.strip(), source=f"{source}:{number}"))


def _read_driver(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    for number, line in lines:
        driver_of(line, builder.machines.machine(place.node, source), f"{source}:{number}")


_READERS: dict[Form, Callable[[list[tuple[int, str]], Place, str, DumpBuilder], None]] = {
    Form.TABLE: read_table,
    Form.ROWS: read_rows,
    Form.SERVICE_STATE: read_service_state,
    Form.KERNEL: read_kernel,
    Form.MODULES: _read_modules,
    Form.DRIVER: _read_driver,
    Form.SMI: read_smi_table,
    Form.SMI_XML: read_smi_xml,
    Form.SMI_LIST: read_smi_list,
    Form.TOPOLOGY: read_topology,
    Form.DIAGNOSTIC: read_diagnostic,
    Form.METRICS: read_metrics,
    Form.KUBECTL_TABLE: read_kubectl_table,
    Form.KUBECTL_ROWS: read_headless_rows,
    Form.DESCRIPTION: read_description,
    Form.VERSION: _read_version,
    Form.SMI_QUERY: read_smi_query,
    Form.CONTAINER: read_containers,
}


def _read_failure(text: str, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read the words of a command that failed. A kind that the API server doesn't know has no objects."""
    words = " ".join(text.split())
    if place.command is not None and place.command.lists and _NO_KIND in words:
        builder.dump.listed.add(place.command.lists)
    elif _NO_RESOURCE not in words:
        if place.command is not None and not place.command.may_fail:
            builder.dump.failed.setdefault(place.command.argv[0], set()).add(place.node or place.command.lists)
        _read_error(words or "the command failed without a word", place, source, builder)


def _read_error(line: str, place: Place, source: str, builder: DumpBuilder) -> None:
    line = hidden_text(line.strip()[: 2 * _LONGEST])[:_LONGEST]
    found = _OF_NODE.match(line)
    node = place.node or (found["node"] if found else "")
    subject = (place.command.lists or place.command.argv[-1]) if place.command else ""
    if node and _REFUSED.search(line):
        builder.machines.machine(node, source).refused[subject or "a resource"] = Evidence(text=line, source=source)
    else:
        builder.unread(source, line)


_START = pattern(
    r"^(?:(?P<json>\{)(?=\n|\")|(?P<mark>---[ \t]*\n)|(?P<yaml>(?:apiVersion|node): \S+\n|metadata:\n|kind: \w+\n(?=apiVersion: )|(?:spec|status):\n(?= )))",
    re.MULTILINE,
)
_YAML_END = pattern(
    r"""^(?!\ |-\ |\#|\n|\Z|\.\.\.\n               # deeper lines, items, comments
      |(?!apiVersion:\ |node:\ |error:|\w+:\ +(?:kern|user|daemon|syslog|auth)\w*:)[a-z][A-Za-z]*:(?:\ |\n|\Z))""",
    re.VERBOSE | re.MULTILINE,
)  # fmt: skip
_MARK = pattern(r"^---", re.MULTILINE)
_NEXT_METADATA = pattern(r"^(?:---|metadata:$)", re.MULTILINE)


def read_text(text: str, source: str, builder: DumpBuilder) -> None:
    """Read all sections of a text."""
    place = place_of(source)
    if place.is_unused:
        return
    if place.command is not None and place.command.lists and not place.is_failed:
        _note_listed(text, place, source, builder)
    if not text.strip():
        if place.command is None:
            builder.unread(source, "empty")
        return
    position = plain = 0
    while found := _START.search(text, position):
        end = _read_document(text, found, place, source, builder)
        if end is None:
            position = text.find("\n", found.start()) + 1 or len(text)
            continue
        _read_plain(text, plain, found.start(), place, source, builder)
        position = plain = max(end, found.end())
    _read_plain(text, plain, len(text), place, source, builder)


def _note_listed(text: str, place: Place, source: str, builder: DumpBuilder) -> None:
    command = place.command
    if command is not None and place.node:
        if not text.strip():
            read_empty(command.lists, place.node, source, builder)
    elif command is not None and text.rstrip().endswith("}"):
        builder.dump.listed.add(command.lists)


def _read_plain(text: str, start: int, end: int, place: Place, source: str, builder: DumpBuilder) -> None:
    if text[start:end].strip():
        read_lines(text[start:end], text.count("\n", 0, start) + 1, place, source, builder)


def _read_document(text: str, found: re.Match[str], place: Place, source: str, builder: DumpBuilder) -> int | None:
    """Read the document at a place, and return its end. None if it is a line of a log."""
    if found["json"]:
        return read_json(text, found.start(), place.node, source, builder)
    if found["mark"]:
        return found.end()
    mark = (_NEXT_METADATA if found["yaml"].startswith("metadata:") else _MARK).search(text, found.end())
    limit = mark.start() if mark else len(text)
    after = _YAML_END.search(text, found.end(), limit)
    end = after.start() if after else limit
    document = text[found.start() : end]
    try:
        if found["yaml"].startswith(("node:", "metadata:", "spec:", "status:")):
            body = next(documents(document), None)
            line = text.count("\n", 0, found.start()) + 1
            if not isinstance(body, dict) or not (
                read_resource(body, place.node, source, builder) or read_fragment(body, line, source, builder)
            ):
                return None
        else:
            read_yaml(document, source, builder)
    except YamlError as error:
        line = text.count("\n", 0, found.start()) + place_of_error(error)[0]
        builder.unread(source, f"no YAML at line {line}: {problem_of(error)}")
    return end
