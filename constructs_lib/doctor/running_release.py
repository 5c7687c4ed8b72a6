"""The command that changes a value of a Helm release that runs, without moving its chart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..arguments.commands import Command, command, comment
from ..observed.model.live_object import LiveObject

_CHART_LABEL = "helm.sh/chart"
"""The label of Helm's charts with the name and the version of the chart:
https://helm.sh/docs/chart_best_practices/labels/ (read 2026-11-23)."""
_VERSION = re.compile(r"v?\d+\.\d+\.\d+(?:[-+._](?!devel)[0-9A-Za-z.+_-]*)?")


def helm_value(chart: str, repository: str, value: str, objects: Iterable[LiveObject | None]) -> Command:
    """The command that sets a value (`KEY=VALUE`) in a release of the name of its chart, in the namespace of this name.
    `objects` are of the release, and may name its version."""
    version = running_version(chart, objects)
    key, _, setting = value.partition("=")
    upgrade = command(
        "helm upgrade {release} {repository} --namespace {release} --version {version} --reuse-values --set {value}",
        release=chart,
        repository=repository,
        version=version or "VERSION",
        value=value,
    )
    unknown = comment(f"VERSION: that of the running chart, in the output of: helm list --namespace {chart}")
    delivered = comment(f"Flux and Argo CD undo this. There set in the values of the HelmRelease or Application: {key}: {setting}")
    return delivered.followed_by(upgrade) if version else delivered.followed_by(unknown).followed_by(upgrade)


def running_version(chart: str, objects: Iterable[LiveObject | None]) -> str:
    """The version of the chart that made these objects; empty where none of them names it."""
    for each in objects:
        name, _, version = str(each.labels.get(_CHART_LABEL) or "").partition(f"{chart}-") if each is not None else ("", "", "")
        if not name and _VERSION.fullmatch(version):
            return version
    return ""
