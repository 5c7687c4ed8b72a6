"""The model of every input: Kubernetes objects, chart releases and node configurations, and their unknown values."""

from __future__ import annotations

from ...yaml.unknown import (
    Answer,
    Unknown,
    UnknownKey,
    all_of,
    answer,
    any_of,
    at,
    contains,
    equals,
    has,
    is_among,
    is_given,
    is_open,
    is_unknown,
    items_at,
    joined,
    known_items,
    known_list,
    known_str,
    known_text,
    literal,
    mappings,
    search,
    source_of,
    starts_with,
    text_of,
)
from .file_remarks import BrokenText, FailedBuild, RepeatedKey, SharedObject, WatchedImage
from .input_kinds import (
    ChartRelease,
    Installer,
    KubernetesObject,
    NodeConfig,
    NodeTaint,
    PartKey,
    Path,
    Read,
    Skipped,
    below,
    no_place,
    part_key,
    same_namespace,
)
from .inputs import Inputs, Variant, question

__all__ = [
    "Answer", "BrokenText", "ChartRelease", "FailedBuild", "Inputs", "Installer", "KubernetesObject", "NodeConfig", "NodeTaint", "PartKey", "Path", "Read", "RepeatedKey",
    "SharedObject", "Skipped", "Unknown", "UnknownKey", "Variant", "WatchedImage", "all_of", "answer", "any_of", "at", "below", "contains", "equals",
    "has", "is_among", "is_given", "is_open", "is_unknown", "items_at", "joined", "known_items", "known_list", "known_str", "known_text",
    "literal", "mappings", "no_place", "part_key", "question", "same_namespace", "search", "source_of", "starts_with", "text_of",
]  # fmt: skip
