"""The command `agents`: texts that tell coding agents in a repository when and how to use `talos-gpu`.

The skill is SKILL.md beside this module. Claude Code reads skills in .claude/skills; Codex, Gemini CLI and GitHub Copilot read
them in .agents/skills. AGENTS.md is read in every session, so it has a few lines that lead to the skill.
https://agentskills.io/specification, https://developers.openai.com/codex/skills, https://agents.md and
https://docs.github.com/en/copilot/concepts/agents/about-agent-skills, read 2026-11-28.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import NamedTuple

from . import streams
from .command_parser import Commands, add_verb
from .flags import add_flag

_EXAMPLES = """\
examples:
  talos-gpu agents
  talos-gpu agents --check"""
_MORE = (
    ": a skill in .agents/skills and .claude/skills, and a part of AGENTS.md between two marks. Other text is kept, and a text "
    "that somebody has edited is not replaced. The exit status with --check is 1 when a text is missing, older or edited."
)
_SKILLS = (".agents/skills/talos-gpu/SKILL.md", ".claude/skills/talos-gpu/SKILL.md")
_PAGE = "AGENTS.md"
_PART = f"""

## NVIDIA GPUs on Talos

Before and after every change to files of Talos, of the GPU stack or of GPU workloads run `talos-gpu check .`, and at the end `talos-gpu diff HEAD`.
A cluster file is read only by name: `talos-gpu check cluster.yaml .`, and `talos-gpu diff HEAD --path cluster.yaml`.
Read the skill `{_SKILLS[0]}` first: it has the order, the commands and the exit statuses.
Never invent names or versions of extensions, charts or drivers, never silence a rule to get a green check, and never change a node or a cluster unasked.

"""
_BEGIN = "<!-- talos-gpu agents: begin; edits belong outside of these marks -->"
_END = re.compile(r"<!-- talos-gpu agents: end ([0-9a-f]{64}) -->(?:\r?\n)?")
"""The digest is that of the text before the mark: a text with another digest was edited."""
_OF_FORMATTERS = re.compile(r"(?<=\|)[\s:-]+(?=\|)|\s+")
"""What a formatter of Markdown changes: white space, and the rule below the head of a table."""


def add_agents(commands: Commands) -> None:
    """Add the command and its flags."""
    parser = add_verb(commands, agents, "write the texts that tell coding agents how to use this command", _EXAMPLES, _MORE)
    parser.set_defaults(output=None, talos_version=None)
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="the root of the repository; default: the current folder")
    add_flag(parser, "--check", "write nothing, and list the texts that are missing, older or edited")


def agents(options: argparse.Namespace) -> str:
    """Write the texts, or compare them. Where somebody has edited one, none is written."""
    if not Path(options.folder).is_dir():
        raise ValueError(f"FOLDER must be a folder (got {options.folder!r})")
    _refuse_one_file_for_both(Path(options.folder))
    texts = [_text(Path(options.folder), name) for name in (*_SKILLS, _PAGE)]
    changes = [each for each in texts if each.state != "current"]
    if options.check:
        options.status = 1 if changes else 0
        return "".join(f"{each.path}: {each.state}\n" for each in changes) or "every text is current\n"
    if edited := next((each.path for each in changes if each.state == "edited"), None):
        raise ValueError(
            f"{edited} has edits in the text of talos-gpu agents, and nothing was written; move the edits to another place, and delete that text"
        )
    for each in changes:
        _write(each)
    return "".join(f"{each.path}: {'written' if each.state == 'missing' else 'updated'}\n" for each in changes) or "every text is current\n"


class _Text(NamedTuple):
    """A file, the state of our text in it (missing, older, edited or current), and the new content of the file."""

    path: Path
    state: str
    content: str


def _refuse_one_file_for_both(folder: Path) -> None:
    """A link can make the page and a skill one file; two skills may be one, because their text is the same."""
    page = os.path.realpath(folder / _PAGE)
    for name in _SKILLS:
        if os.path.realpath(folder / name) == page:
            raise ValueError(f"{folder / name} and {folder / _PAGE} must be two files (both lead to {page})")


def _text(folder: Path, name: str) -> _Text:
    from pkgutil import get_data  # deferred: the help of the command loads this module

    from ..checks.fixes.files import contents  # loads the reader of YAML

    path = folder / name
    real = Path(os.path.realpath(path))
    root = Path(os.path.realpath(folder))
    if not real.is_relative_to(root) or real.suffix != ".md" or ".git" in real.relative_to(root).parts:
        raise ValueError(f"{path} leads to {real}; a link must lead to a Markdown file in the same folder, outside of .git")
    if real.exists() and not real.is_file():
        raise ValueError(f"{path} must be a file (a pipe, a device and a folder have no text)")
    begin, own = (_BEGIN, _PART) if name == _PAGE else ("", (get_data(__package__, "SKILL.md") or b"").decode())
    piece = f"{begin}{own}<!-- talos-gpu agents: end {_digest(own)} -->\n"
    try:
        found = contents(path)
    except FileNotFoundError:
        return _Text(path, "missing", piece)
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} must be a text in UTF-8 that can be read ({error})") from None
    piece = piece.replace("\n", "\r\n") if "\r\n" in found else piece
    start, ends = found.find(begin), list(_END.finditer(found))
    if begin and start < 0 and not ends:
        line = "\r\n" if "\r\n" in found else "\n"
        return _Text(path, "missing", f"{found}{'' if not found or found.endswith(line) else line}{line if found else ''}{piece}")
    if start < 0 or len(ends) != 1 or (begin and found.count(begin) != 1) or (not begin and ends[0].end() != len(found)):
        return _Text(path, "edited", found)
    inner = found[start + len(begin) : ends[0].start()]
    state = "edited" if _digest(inner) != ends[0][1] else "current" if _digest(own) == ends[0][1] else "older"
    return _Text(path, state, found[:start] + piece + found[ends[0].end() :])


def _digest(text: str) -> str:
    import hashlib  # deferred: the help of the command loads this module

    return hashlib.sha256(_OF_FORMATTERS.sub("", text).encode()).hexdigest()


def _write(text: _Text) -> None:
    from ..checks.fixes.files import write  # loads the reader of YAML

    try:
        text.path.parent.mkdir(parents=True, exist_ok=True)
        text.path.touch()
        write({text.path: text.content})
    except OSError as error:
        raise ValueError(f"{text.path} must be a file that can be written ({streams.reason(error)})") from None
