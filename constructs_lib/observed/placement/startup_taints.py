"""Startup taints: those that a setting in the files names as removed once a node is ready, whatever their keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from ...arguments.patterns import pattern
from ..model import Inputs, at, known_str, mappings, question

_CILIUM = "cilium"
_CILIUM_KEY = "agentNotReadyTaintKey"
_CILIUM_CONFIG = "agent-not-ready-taint-key"
_FLAG = pattern(r"--?(?:agent-not-ready-taint-key|startup-taint|ignore-taint|node-taint)(?:=(?P<key>[\w./-]+))?.*")
_NODE_TAINT = "NODE_TAINT"
"""The settings that name such a taint: the value of Cilium's chart, the key of its ConfigMap cilium-config, and flags of
Cilium's operator, the Cluster Autoscaler and nodetaint. Karpenter has `startupTaints` in a NodePool.

Source: cilium/cilium install/kubernetes/cilium/values.yaml and operator/option/config.go, kubernetes/autoscaler
cluster-autoscaler/config/flags/flags.go, wish/nodetaint README.md, https://karpenter.sh/docs/concepts/nodepools/
(2026-11-28)
"""


@question
def startup_taints(inputs: Inputs) -> frozenset[str]:
    """The keys of the taints that something in the files takes away by itself. Nothing has to tolerate them."""
    return frozenset(key for each in _named(inputs) if (key := known_str(each)))


def _named(inputs: Inputs) -> Iterator[Any]:
    for release in inputs.releases:
        if known_str(release.chart) == _CILIUM:
            yield at(release.given, _CILIUM_KEY)
    for config in inputs.of_kind("ConfigMap"):
        yield config.at("data", _CILIUM_CONFIG)
    for pool in inputs.of_kind("NodePool"):
        yield from (at(each, "key") for _, each in mappings(pool.at("spec", "template", "spec", "startupTaints")))
    for each in inputs.objects:
        for _, container in each.containers:
            yield from _flags([*_words(at(container, "command")), *_words(at(container, "args"))])
            yield from (at(item, "value") for _, item in mappings(at(container, "env")) if known_str(at(item, "name")) == _NODE_TAINT)


def _words(listed: Any) -> list[str]:
    return [known_str(each) or "" for each in listed] if isinstance(listed, list) else []


def _flags(words: list[str]) -> Iterator[str]:
    """The values of the flags, joined by `=` or in the next word."""
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        if found := _FLAG.fullmatch(word):
            yield found["key"] or following
