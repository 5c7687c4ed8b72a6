"""The overrides of a cluster of a file: its own values in place of those that all clusters have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

from ..manifests.objects import merged
from .argument_types import alternatives, arguments_of, value_classes
from .part_table import PART_NAMES, part_of


def overridden(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The cluster: `own` merged into `common`. A workload with another recipe takes the place of the common one.

    A construct, a value and a kind of sharing take the place of one with another name. A None under such a name stands
    for no arguments, as in a file with one cluster.
    """
    cluster = merged(_without_other_recipes(common, own), own)
    for _, nodes, own_nodes in _both(cluster.get("nodes"), own.get("nodes")):
        _choose(nodes, "sharing", own_nodes)
    own_stack = own.get("stack")
    if isinstance(cluster.get("stack"), dict) and isinstance(own_stack, Mapping):
        _choose_in_part("GpuStack", cluster["stack"], own_stack)
    for _, workload, own_workload in _both(cluster.get("workloads"), own.get("workloads")):
        recipe = workload.get("recipe", "GpuWorkload")
        if recipe in PART_NAMES:
            _choose_in_part(recipe, workload, own_workload)
    for _, chart, own_chart in _both(cluster.get("charts"), own.get("charts")):
        for id, each, own_each in _both(chart.get("objects"), own_chart.get("objects")):  # noqa: A001
            _choose(chart["objects"], id, own_chart["objects"])
            for name, arguments, own_arguments in _both(each, own_each):
                if name in PART_NAMES:
                    _choose_in_part(name, arguments, own_arguments)
    return cluster


def _both(cluster: object, own: object) -> Iterator[tuple[str, dict[str, Any], Mapping[str, Any]]]:
    """The mappings of a cluster into which it merges mappings of its own, by their keys."""
    if isinstance(cluster, dict) and isinstance(own, Mapping):
        for key, value in own.items():
            if isinstance(value, Mapping):
                yield key, cluster[key], value


def _without_other_recipes(common: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the clusters have in common, without the workloads for which this cluster names another recipe."""
    workloads, own_workloads = common.get("workloads"), own.get("workloads")
    if not isinstance(workloads, Mapping) or not isinstance(own_workloads, Mapping):
        return common
    return {**common, "workloads": {name: each for name, each in workloads.items() if not _is_another(each, own_workloads.get(name))}}


def _is_another(workload: object, own: object) -> bool:
    if not isinstance(workload, Mapping) or not isinstance(own, Mapping):
        return False
    return "recipe" in own and own["recipe"] != workload.get("recipe", "GpuWorkload")


def _choose(holder: dict[str, Any], key: str, own: Mapping[str, Any]) -> None:
    """Keep only the name that the cluster gives, of a mapping with one name."""
    if isinstance(own.get(key), Mapping) and len(own[key]) == 1:
        ((name, _),) = own[key].items()
        holder[key] = {name: holder[key].get(name)}


def _choose_in_part(name: str, arguments: dict[str, Any], own: Mapping[str, Any]) -> None:
    """Keep only the values that the cluster names, in the arguments of a construct and of the constructs in it."""
    part = part_of(name)
    _choose_values(part.settings, arguments, own)
    for argument, inner_arguments, own_inner in _both(arguments, own):
        if argument in part.passed_on:
            _choose_in_part(part.passed_on[argument], inner_arguments, own_inner)


def _choose_values(owner: Any, arguments: dict[str, Any], own: Mapping[str, Any]) -> None:
    """Keep only the values that the cluster names, in the arguments of a construct or a value."""
    for name in own.keys() & arguments_of(owner).keys():
        _choose_value(arguments_of(owner)[name].hint, arguments, name, own)


def _choose_value(hint: Any, holder: dict[str, Any], key: str, own: Mapping[str, Any]) -> None:
    if not isinstance(own[key], Mapping):
        return
    kinds, classes = list(alternatives(hint)), value_classes(hint)
    entries = next((get_args(kind)[1] for kind in kinds if get_origin(kind) is Mapping), None)
    if classes and (entries is None or set(own[key]) <= set(classes)):
        _choose(holder, key, own)
        for name, arguments, own_arguments in _both(holder[key], own[key]):
            if name in classes:
                _choose_values(classes[name], arguments, own_arguments)
    elif entries is not None:
        for entry in own[key]:
            _choose_value(entries, holder[key], entry, own[key])
