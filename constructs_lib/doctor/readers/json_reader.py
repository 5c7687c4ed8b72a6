"""JSON of kubectl and talosctl: a list is decoded object by object, so that the whole objects of a list that was cut are read."""

from __future__ import annotations

import json
import re

from .dump_builder import DumpBuilder
from .kubernetes_reader import Listing, read_object
from .talos_resources import read_resource

_DECODER = json.JSONDecoder()
_ITEMS = re.compile(r'"items":\s*\[\s*')
_KIND = re.compile(r'"kind":\s*"(\w+)"')
_BETWEEN = re.compile(r"\s*,?\s*")
_FAR = 2000
"""The characters before the items of a list."""
_OTHER_LINE = re.compile(r"^(?![\s{}\[\]\"]|\Z)", re.MULTILINE)


def read_json(text: str, start: int, node: str, source: str, builder: DumpBuilder) -> int | None:
    """Read the value at a place of a text, and return its end. None if it is no object of Kubernetes or Talos."""
    items = _ITEMS.search(text, start, start + _FAR)
    if items is not None and _is_outermost(text[start : items.start()]):
        return _read_list(text, start, items, source, builder)
    try:
        body, end = _DECODER.raw_decode(text, start)
    except (RecursionError, ValueError) as error:
        if isinstance(error, ValueError) and not text.startswith("{\n", start):
            return None
        if isinstance(error, ValueError):
            builder.cut(source, "JSON that is cut or broken")
        else:
            builder.unread(source, "JSON that is nested too deep")
        return _end_of(text, start)
    if not isinstance(body, dict) or read_resource(body, node, source, builder):
        return end
    if not isinstance(body.get("kind"), str) or "apiVersion" not in body:
        return None
    read_object(body, source, builder, text[start:end])
    return end


def _is_outermost(head: str) -> bool:
    return head.count("{") - head.count("}") == 1


def _end_of(text: str, start: int) -> int:
    after = _OTHER_LINE.search(text, start + 1)
    return after.start() if after else len(text)


def _read_list(text: str, start: int, items: re.Match[str], source: str, builder: DumpBuilder) -> int:
    kind = _KIND.search(text, start, items.start())
    listing = Listing(kind[1] if kind else "", source, builder)
    at, size = items.end(), len(text)
    count = 0
    try:
        while at < size and text[at] != "]":
            body, end = _DECODER.raw_decode(text, at)
            if isinstance(body, dict):
                listing.add(body, text[at:end])
                count += 1
            between = _BETWEEN.match(text, end)
            at = between.end() if between else end
        frame, length = _DECODER.raw_decode(text[start : items.end()] + text[at : at + _FAR])
    except (ValueError, RecursionError) as error:
        listing.close(is_whole=False)
        reason = "nested too deep" if isinstance(error, RecursionError) else "cut or broken"
        builder.cut(source, f"JSON that is {reason} after {count} whole objects of a list, which were read")
        return _end_of(text, at)
    listing.close(str(frame.get("kind", "")))
    return at + length - (items.end() - start)
