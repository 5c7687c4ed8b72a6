"""The startup taints that files name: Cilium's chart, Karpenter's node pools and flags of programs give them any key."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from ...arguments.patterns import pattern
from ...upstream.kubernetes.controlled_taints import remover
from ..model import Inputs, Unknown, any_of, at, equals, is_unknown, known_list, known_str, mappings, question, text_of


class _Named(NamedTuple):
    """A key that the files give a startup taint, and who takes the taint away; not surely, if a switch could not be read."""

    key: str | Unknown
    by: str
    is_sure: bool = True


def taken_away_by(inputs: Inputs, key: str | Unknown) -> str:
    """Who takes the taints with this key away once the node can serve pods; empty if nobody surely does so."""
    if text := known_str(key):
        return remover(text) or next((each.by for each in _named(inputs) if each.is_sure and equals(each.key, text).is_yes), "")
    return ""


def may_be_taken_away(inputs: Inputs, key: str | Unknown) -> bool:
    """Whether the taints with this key may be startup taints, as far as the files can be read."""
    return is_unknown(key) or any(not equals(each.key, key).is_no for each in _named(inputs))


@question
def _named(inputs: Inputs) -> tuple[_Named, ...]:
    return (*_of_cilium(inputs), *_of_karpenter(inputs), *_of_flags(inputs))


def _of_cilium(inputs: Inputs) -> Iterator[_Named]:
    """Cilium's operator takes one taint away, unless a value keeps the operator from doing so.

    Source: cilium/cilium operator/watchers/node_taint.go, install/kubernetes/cilium/templates/cilium-configmap.yaml:
    agentNotReadyTaintKey, operator.removeNodeTaints (2026-11-28)
    """
    for release in inputs.releases:
        if equals(release.chart, "cilium").is_yes:
            yield from _if_removed(release.value("agentNotReadyTaintKey"), release.value("operator", "removeNodeTaints"))
    for each in inputs.of_kind("ConfigMap"):
        if equals(each.at("metadata", "name"), "cilium-config").is_yes:
            yield from _if_removed(each.at("data", "agent-not-ready-taint-key"), each.at("data", "remove-cilium-node-taints"))


def _if_removed(key: Any, switch: Any) -> Iterator[_Named]:
    named, is_off = text_of(key), any_of(equals(switch, off) for off in (False, "false"))
    if named is not None and not is_off.is_yes:
        yield _Named(named, "Cilium", is_off.is_no)


def _of_karpenter(inputs: Inputs) -> Iterator[_Named]:
    """Karpenter takes no startup taint of a node pool away: it waits for somebody who does.

    Source: kubernetes-sigs/karpenter pkg/apis/v1/nodeclaim.go, startupTaints (2026-11-28)
    """
    for pool in inputs.of_kind("NodePool", "NodeClaim"):
        for path in (("spec", "template", "spec", "startupTaints"), ("spec", "startupTaints")):
            for _, taint in mappings(pool.at(*path)):
                key = text_of(at(taint, "key"))
                if key is not None:
                    yield _Named(key, "the controller that the taint is for")


_FLAG = pattern(r"--?(?:startup-taint|ignore-taint|node-taint)(?:=(?P<key>[\w./-]+))?")
_NODE_TAINT = "NODE_TAINT"


def _of_flags(inputs: Inputs) -> Iterator[_Named]:
    """The Cluster Autoscaler is told of the startup taints of its nodes, and nodetaint which one to take away.

    Source: kubernetes/autoscaler cluster-autoscaler/config/flags/flags.go, wish/nodetaint README.md (2026-11-28)
    """
    for each in inputs.objects:
        for _, container in each.containers:
            words = [word for field in ("command", "args") for word in known_list(at(container, field)) if isinstance(word, str)]
            found = ((_FLAG.fullmatch(word), following) for word, following in zip_longest(words, words[1:], fillvalue=""))
            keys = [flag["key"] or following for flag, following in found if flag]
            keys += [at(item, "value") for _, item in mappings(at(container, "env")) if equals(at(item, "name"), _NODE_TAINT).is_yes]
            yield from (_Named(key, "the controller that the taint is for") for key in keys if isinstance(key, str))
