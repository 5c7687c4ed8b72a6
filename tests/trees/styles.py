"""One document, written in the ways in which people and tools write YAML."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import yaml

from .working import Text

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Plain(_DUMPER):  # type: ignore[misc, valid-type]
    """No anchors: each value is written where it stands."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _dumper(quotes: str | None, base: Any) -> Any:
    kind = type("Dumper", (base,), {})
    kind.add_representer(str, lambda dumper, text: dumper.represent_scalar(_STR, text, style="|" if "\n" in text else quotes))
    return kind


_STR = "tag:yaml.org,2002:str"
_QUOTES = (None, '"', "'")
PLAIN = {quotes: _dumper(quotes, _Plain) for quotes in _QUOTES}
ANCHORED = {quotes: _dumper(quotes, _DUMPER) for quotes in _QUOTES}


class Style:
    """The style of one file, drawn from a seed."""

    def __init__(self, random: Random, *, is_block: bool = False) -> None:
        self.random = random
        self.is_json = random.random() < 0.03 and not is_block
        self.is_flow = random.random() < 0.04 and not is_block
        self.quotes = random.choice((None, None, None, None, None, '"', "'"))
        self.indent = random.choice((2, 2, 2, 4))
        self.shuffles = random.random() < 0.5
        self.comments = random.random() < 0.4
        self.anchors = random.random() < 0.15
        self.ends = "\r\n" if random.random() < 0.06 else "\n"
        self.marks = random.random() < 0.5
        self.byte_order = "\ufeff" if random.random() < 0.03 else ""
        self.empty = random.random() < 0.05

    def written(self, documents: list[Any]) -> str:
        """The documents as one text."""
        documents = [self.shaped(each) for each in documents]
        if self.is_json and len(documents) == 1:
            return json.dumps(documents[0], indent=2) + "\n"
        dumper = (ANCHORED if self.anchors else PLAIN)[self.quotes]
        if self.anchors:
            documents = [shared(each, {}) for each in documents]
        texts = []
        for each in documents:
            text = yaml.dump(each, Dumper=dumper, sort_keys=False, width=1000, indent=self.indent, default_flow_style=self.is_flow)
            texts.append(self.commented(text))
        start = "---\n" if self.marks or len(texts) > 1 or self.empty else ""
        start = f"{self.byte_order}---\n# yamllint disable\n{start}" if self.empty else f"{self.byte_order}{start}"
        return (start + "---\n".join(texts)).replace("\n", self.ends)

    def shaped(self, value: Any) -> Any:
        """The value with its keys in another order, and texts in place of mappings that stand as texts."""
        if isinstance(value, Text):
            return self.inner(dict(value))
        if isinstance(value, dict):
            items = list(value.items())
            if self.shuffles:
                self.random.shuffle(items)
            return {key: self.shaped(each) for key, each in items}
        return [self.shaped(each) for each in value] if isinstance(value, list) else value

    def inner(self, value: Any) -> str:
        return str(yaml.dump(self.shaped(value), Dumper=PLAIN[None], sort_keys=False, width=1000))

    def commented(self, text: str) -> str:
        if not self.comments or ": |" in text or "- |" in text:
            return text
        lines = text.splitlines()
        for index in self.random.sample(range(len(lines)), min(2, len(lines))):
            line = lines[index]
            if line.endswith(("]", "}", '"', "'", "true", "false")) or line[-1:].isdigit():
                lines[index] = f"{line}  # {self.random.choice(NOTES)}"
        return f"# {self.random.choice(NOTES)}\n" + "\n".join(lines) + "\n"


NOTES = (
    "renovate: datasource=docker",
    "yaml-language-server: $schema=https://json.schemastore.org/kustomization",
    "TODO: driver.enabled: true once the node is Ubuntu again",
    "was: runtimeClassName: nvidia-cdi",
    "2 GPUs, see #12",
)


def shared(value: Any, seen: dict[str, Any]) -> Any:
    """The value; equal mappings and lists in it are one, which YAML writes with an anchor."""
    if isinstance(value, dict):
        value = {key: shared(each, seen) for key, each in value.items()}
    elif isinstance(value, list):
        value = [shared(each, seen) for each in value]
    else:
        return value
    return seen.setdefault(repr(value), value) if value else value
