"""Fragments of an object, without kind: a pod's `spec:` and `status:`, or one of them, as people paste them.

A fragment of a pod with its containers is a pod. Of any other, the messages are searched for symptoms: YAML folds a long
message over several lines, in which no line has the words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...model.evidence import LogKind
from .bundle_commands import Place
from .dump_builder import DumpBuilder
from .log_reader import read_log

_PARTS = ("spec", "status", "containerStatuses", "initContainerStatuses", "conditions")
_UNNAMED = "POD"
"""The placeholder of a pod's name in commands."""


def read_fragment(body: Mapping[str, Any], line: int, source: str, builder: DumpBuilder) -> bool:
    """Read a fragment that begins at a line. False if it is none."""
    if "kind" in body or not any(isinstance(body.get(each), (dict, list)) for each in _PARTS):
        return False
    spec, metadata = body.get("spec"), body.get("metadata")
    named = metadata if isinstance(metadata, dict) and isinstance(metadata.get("name"), str) else {"name": _UNNAMED}
    pod = {"kind": "Pod", **body, "metadata": named}
    if isinstance(spec, dict) and isinstance(spec.get("containers"), list) and builder.is_wanted("Pod", json.dumps(pod, default=str)):
        builder.count("Pod")
        builder.add_part(pod, source)
        return True
    messages = [(line, each) for each in _messages(body)]
    if messages:
        read_log(messages, Place(), source, builder, kind=LogKind.UNKNOWN, unread=None)
    return bool(messages)


def _messages(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "message" and isinstance(each, str):
                yield " ".join(each.split())
            else:
                yield from _messages(each)
    elif isinstance(value, list):
        for each in value:
            yield from _messages(each)
