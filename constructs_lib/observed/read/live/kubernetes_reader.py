"""The outputs of kubectl in JSON and YAML: Lists, lists of one kind, and single objects.

Of YAML only the objects that concern GPUs are parsed; the others are counted. A list in JSON is decoded object by
object, so that the whole objects of a list that was cut are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ....arguments.patterns import pattern
from ....upstream.talos.features import EXEMPT_NAMESPACE
from ....yaml.load import LARGEST, YamlError, documents, problem_of
from ...model.live_object import LiveObject
from .dump_builder import DumpBuilder
from .fragment_reader import read_fragment
from .redaction import hide
from .talos_resources import read_resource

_LIST = "List"
_ITEMS = pattern(r"^items:[ ]*$", re.MULTILINE)
_TOP_KIND = pattern(r"^kind: (\w+)", re.MULTILINE)
_SYSTEM_PODS = "kubernetesResources/"
"""The folder of a support bundle with Kubernetes' objects: of the pods, only those of kube-system.

Source: siderolabs/go-talos-support support/collectors/kubernetes.go (2026-11-22)
"""


def read_object(body: Mapping[str, Any], source: str, builder: DumpBuilder, text: str | None = None) -> None:
    """Read an object or a list that is parsed."""
    items, kind = body.get("items"), str(body.get("kind", ""))
    if isinstance(items, list) and kind.endswith(_LIST):
        listing = Listing(kind, source, builder)
        for each in items:
            if isinstance(each, dict):
                listing.add(each, json.dumps(each))
        listing.close()
        return
    builder.count(kind)
    if builder.is_wanted(kind, text if text is not None else json.dumps(body, default=str)):
        builder.add(body, source)


class Listing:
    """A list of objects while it is read."""

    def __init__(self, kind: str, source: str, builder: DumpBuilder) -> None:
        self._item_kind = kind.removesuffix(_LIST)
        self._source, self._builder = source, builder
        self._namespaces: dict[str, set[str]] = {}
        """The namespaces of each kind."""
        self._nameless: list[tuple[dict[str, Any], str]] = []
        self.specs: dict[str, Any] = {}

    def note(self, kind: str, namespace: str, phase: str, node: str) -> str:
        """Count an object, and return its kind. Pods have a phase and a node."""
        kind = kind or self._item_kind
        if kind == "Pod" and namespace == EXEMPT_NAMESPACE and phase == "Running" and node:
            self._builder.dump.system_nodes.add(node)
        self._builder.count(kind)
        self._namespaces.setdefault(kind, set()).add(namespace)
        return kind

    def add(self, body: dict[str, Any], text: str) -> None:
        """Add a parsed object. One without a kind waits for the kind of the list, which may follow the items."""
        if not body.get("kind") and not self._item_kind:
            self._nameless.append((body, text))
            return
        read = LiveObject(body, self._source)
        node, phase = read.at("spec", "nodeName"), read.at("status", "phase")
        kind = self.note(read.kind, read.namespace, str(phase or ""), str(node or ""))
        if self._builder.is_wanted(kind, text):
            self._builder.add(body if body.get("kind") else {"kind": kind, **body}, self._source)

    def close(self, kind: str = "", *, is_whole: bool = True) -> None:
        """Note the kinds whose whole list was read: those without a namespace, and the others unless all of them are of
        one namespace.
        """
        self._item_kind = self._item_kind or kind.removesuffix(_LIST)
        for body, text in self._nameless if self._item_kind else ():
            self.add(body, text)
        if self._item_kind:
            self._namespaces.setdefault(self._item_kind, set())
        is_of_all = len(set().union(*self._namespaces.values()) - {""}) != 1
        if is_whole and _SYSTEM_PODS not in self._source:
            self._builder.dump.listed |= {kind for kind, names in self._namespaces.items() if kind and (is_of_all or names == {""})}


def read_yaml(text: str, source: str, builder: DumpBuilder) -> None:
    """Read one document of YAML."""
    items = _ITEMS.search(text)
    if items is None:
        kind = _TOP_KIND.search(text)
        if kind and not kind[1].endswith(_LIST) and not builder.is_wanted(kind[1], text):
            builder.count(kind[1])
            return
        body = _value(text)
        if isinstance(body, dict):
            read_object(body, source, builder, text)
        return
    rest = text[items.end() + 1 :]
    indent = len(rest) - len(rest.lstrip(" "))
    after = re.search(rf"^(?! {{{indent}}}[- ]|$)" if indent else r"^(?![- \n]|$)", rest, re.MULTILINE)
    end = after.start() if after else len(rest)
    kind = _TOP_KIND.search(text, 0, items.start()) or _TOP_KIND.search(rest, end)
    listing = Listing(kind[1] if kind else _LIST, source, builder)
    texts = list(_items(rest[:end], indent))
    if kind is None and texts:
        texts.pop()
        builder.cut(source, f"the list is cut: its end is missing, and {len(texts)} whole objects were read")
    for item in texts:
        _read_item(item, indent, listing, source, builder)
    listing.close(is_whole=kind is not None)


def _items(text: str, indent: int) -> Iterator[str]:
    marker = "\n" + " " * indent + "- "
    start = 0
    while start < len(text):
        end = text.find(marker, start + 1)
        end = len(text) if end < 0 else end + 1
        yield text[start:end]
        start = end


def _read_item(item: str, indent: int, listing: Listing, source: str, builder: DumpBuilder) -> None:
    margin = " " * (indent + 2)
    text = f"{margin}{item[indent + 2 :]}"
    fields = (_field(text, f"\n{margin}  {key}: ") for key in ("namespace", "phase", "nodeName"))
    kind = listing.note(_field(f"\n{text}", f"\n{margin}kind: "), *fields)
    if not builder.is_wanted(kind, item):
        return
    try:
        body = _object(text, margin, listing.specs)
    except YamlError as error:
        builder.unread(source, f"a {kind or 'object'} of the list is no YAML: {problem_of(error)}")
        return
    builder.add_hidden(body if body.get("kind") else {"kind": kind, **body}, source)


def _field(text: str, key: str) -> str:
    _, _, after = text.partition(key)
    return after.partition("\n")[0].strip("\"' ")


def _object(text: str, margin: str, specs: dict[str, Any]) -> dict[str, Any]:
    """The object of a text, without its credentials. A pod's spec that differs from another one's only by its node and
    its token is parsed once.
    """
    start = text.find(f"\n{margin}spec:\n")
    end = text.find(f"\n{margin}status:\n", start)
    if 0 < start < end and f"\n{margin}kind: Pod\n" in text[:start]:
        spec = text[start + 1 : end]
        node = _NODE_NAME.search(spec)
        spec = _TOKEN_NAME.sub("kube-api-access", spec.replace(node[0], "", 1) if node else spec)
        if spec not in specs:
            specs[spec] = hide(_mapping(_value(spec)).get("spec"))
        body = hide(_mapping(_value(text[:start] + text[end:])))
        return {**body, "spec": {**_mapping(specs[spec]), **({"nodeName": node[1]} if node else {})}}
    return _mapping(hide(_value(text)))


def _value(text: str) -> Any:
    return next(documents(text, LARGEST), None)


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise YamlError("no object")
    return value


_NODE_NAME = pattern(r"\n *nodeName: ([\w.-]+)$", re.MULTILINE)
_TOKEN_NAME = pattern(r"kube-api-access-\w{5}\b")


_DECODER = json.JSONDecoder()
_JSON_ITEMS = pattern(r'"items":\s*\[\s*')
_KIND = pattern(r'"kind":\s*"(\w+)"')
_BETWEEN = pattern(r"\s*,?\s*")
_FAR = 2000
"""The characters before the items of a list."""
_OTHER_LINE = pattern(r"^(?![\s{}\[\]\"]|\Z)", re.MULTILINE)


def read_json(text: str, start: int, node: str, source: str, builder: DumpBuilder) -> int | None:
    """Read the value at a place of a text, and return its end. None if it is no object of Kubernetes or Talos."""
    items = _JSON_ITEMS.search(text, start, start + _FAR)
    if items is not None and text.count("{", start, items.start()) - text.count("}", start, items.start()) == 1:
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
        return end if read_fragment(body, text.count("\n", 0, start) + 1, source, builder) else None
    read_object(body, source, builder, text[start:end])
    return end


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
