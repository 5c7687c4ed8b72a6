"""The table of all sentences of the players, and the checks of it.

`is_said` tells whether a text is made of them. test_sentences.py holds each sentence of a Go module against its file, and of the others looks which
ones occur in what a real node has said, or in a line of a public log. 39 of the 96 sentences occur in neither: most are of Talos and of the kernel,
which no node of the rehearsal has, and some of programs that use a GPU.

`python tests/lab/sentence_table.py [MIRRORS]` reads the file of each sentence again: of Go modules in the module cache, of other repositories in
MIRRORS, a folder with bare clones named `owner+name/repo`. A sentence that is not in its file is an error.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import kernel_lines
import sentences
from sentences import SEEN, Sentence

_LOG_HEADER = re.compile(r"^(?:[IWE]\d{4} [\d:.]+ +\d+ [\w.-]+:\d+\] |\[talos\] )")


def table() -> Iterator[Sentence]:
    """Every sentence, once."""
    named = (value for value in vars(sentences).values() if isinstance(value, (Sentence, tuple)))
    several = (each if not isinstance(each, Sentence) else (each,) for each in named)
    yield from dict.fromkeys(one for each in (*several, kernel_lines.SENTENCES) for one in each if isinstance(one, Sentence))


SENTENCES = tuple(table())


@cache
def is_said(text: str) -> bool:
    """Whether a text is a sentence of the table, with sentences of the table where it wraps others."""
    text = _LOG_HEADER.sub("", text)
    found = (each.values_in(text) for each in SENTENCES)
    return any(all(is_said(value) for is_wrapped, value in values if is_wrapped) for values in found if values is not None)


def is_of_a_module(source: str) -> bool:
    """Whether a source is a file of a Go module: the name of a module begins with that of a host."""
    return "." in source.partition("/")[0] and not source.startswith(SEEN)


def _upstream(source: str, mirrors: Path | None) -> str | None:
    """The text of the file of a source; None if this machine does not have it."""
    repository, _, path = source.partition(":")
    name, _, tag = repository.partition("@")
    path = path.partition(":")[0]
    if is_of_a_module(source):
        folder = subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True, check=True).stdout.strip()
        file = Path(folder) / re.sub("[A-Z]", lambda capital: f"!{capital[0].lower()}", repository) / path
        return file.read_text(encoding="utf-8") if file.exists() else None
    mirror = mirrors / name.replace("/", "+") / "repo" if mirrors else None
    if mirror is None or not mirror.exists():
        return None
    shown = subprocess.run(["git", f"--git-dir={mirror}", "show", f"{tag}:{path}"], capture_output=True, text=True, check=False)
    return shown.stdout if shown.returncode == 0 else None


def verdict(sentence: Sentence, mirrors: Path | None) -> str:
    """Whether a sentence stands in its file: `seen`, `absent` (the file), `there` or `wrong`."""
    if sentence.source.startswith(SEEN):
        return "seen"
    text = _upstream(sentence.source, mirrors)
    if text is None:
        return "absent"
    line = re.search(r":(\d+)$", sentence.source)
    where = text.splitlines()[int(line[1]) - 1] if line else text
    return "there" if sentence.words in where or sentence.words.replace('"', '\\"') in where else "wrong"


def main(arguments: list[str]) -> int:
    """Read every source again."""
    mirrors = Path(arguments[0]) if arguments else None
    verdicts: Counter[str] = Counter()
    for each in SENTENCES:
        said = verdict(each, mirrors)
        verdicts[said] += 1
        if said in ("wrong", "absent"):
            sys.stdout.write(f"{said}: {each.words!r} {each.source}\n")
    sys.stdout.write(f"{dict(verdicts)}\n")
    return 1 if verdicts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
