"""The errors of NCCL in constructs_lib/upstream/nvidia/error_codes.tsv: numbers and names of nccl.h, and the text of ncclGetErrorString."""

from __future__ import annotations

import re
from pathlib import Path

from constructs_lib.upstream.version import Version

from .repositories import Repository, UnreachableError
from .tables import Report, Table

NCCL = "NVIDIA/nccl"
_TAG = re.compile(r"v(\d+\.\d+\.\d+)-1")
_HEADER, _SOURCE = "src/nccl.h.in", "src/init.cc"
_ENUMERATION = re.compile(r"\{([^{}]*)\}\s*ncclResult_t;")
_NUMBER = re.compile(r"\b(nccl\w+)\s*=\s*(\d+)")
_TEXT = re.compile(r'case (nccl\w+)\s*:\s*return "([^"]*)"')
_ADVICE = re.compile(r" \(run with .*")
_SUCCESS = "0"


class ErrorTable(Table):
    """The table as a file of columns with tabs; the facts are the rows of each library by number."""

    def __init__(self, path: Path) -> None:
        self._head, *lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ["library\tnumber\tname\twords"]
        super().__init__(path, _rows(lines))

    def read(self, date: str) -> None:
        """Nothing: the date stands in the module that reads the table."""

    @property
    def text(self) -> str:
        """The table as its file has it."""
        rows = ("\t".join((library, number, *row)) for library, numbers in self.facts.items() for number, row in numbers.items())
        return "".join(f"{line}\n" for line in (self._head, *rows))


def _rows(lines: list[str]) -> dict[str, dict[str, list[str]]]:
    facts: dict[str, dict[str, list[str]]] = {}
    for line in lines:
        library, number, *row = line.split("\t")
        facts.setdefault(library, {})[number] = row
    return facts


def renew_nccl(table: Table, repository: Repository, report: Report) -> None:
    """Read the errors of the newest release."""
    tags = {version: tag for tag in repository.tags() if (named := _TAG.fullmatch(tag)) and (version := Version.parse(named[1]))}
    if not tags:
        raise UnreachableError(f"{repository.name}: no release")
    tag = tags[max(tags)]
    files = repository.files(tag, _HEADER, _SOURCE)
    enumeration, texts = _ENUMERATION.search(files[_HEADER]), dict(_TEXT.findall(files[_SOURCE]))
    numbers = _NUMBER.findall(enumeration[1]) if enumeration else []
    found = {number: [name, _ADVICE.sub("", texts[name])] for name, number in numbers if name in texts and number != _SUCCESS}
    if not found:
        raise UnreachableError(f"{repository.name}: {tag} has no errors in {_HEADER} and {_SOURCE}")
    if table.facts.get("nccl") != found:
        table.facts["nccl"] = found
        report.changes.append(f"nccl: its {len(found)} errors are those of {tag}")
