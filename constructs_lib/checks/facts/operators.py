"""NVIDIA's GPU operator, wherever it was read: a release of its chart, or the ClusterPolicy that the chart renders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...manifests.operator_version import ChartVersion
from ...upstream import versions
from ...upstream.chart_names import GPU_OPERATOR
from ..model import ChartRelease, Inputs, KubernetesObject, Path, Read, Unknown, at, question
from .helm_values import is_on

_VERSION = r"v?(\d+)\.(\d+)\.(\d+)"
# CDI is on by itself from here on (deployments/gpu-operator/values.yaml at each tag).
_CDI_BY_DEFAULT = ChartVersion(25, 10, 0)
# https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/values.yaml, and the same since v25.3.0 but for `cdi`; the
# ClusterPolicy's own defaults are the same (deployments/gpu-operator/crds/nvidia.com_clusterpolicies.yaml).
_DEFAULTS: Mapping[str, Any] = {
    "nfd": {"enabled": True},
    "cdi": {"nriPluginEnabled": False},
    "sandboxWorkloads": {"enabled": False, "defaultWorkload": "container"},
    "hostPaths": {"driverInstallDir": "/run/nvidia/driver"},
    "daemonsets": {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]},
    "operator": {"runtimeClass": "nvidia", "upgradeCRD": True},
    "mig": {"strategy": "single"},
    "driver": {"enabled": True},
    "toolkit": {"enabled": True, "installDir": "/usr/local/nvidia"},
    "devicePlugin": {"enabled": True},
    "dcgmExporter": {"enabled": True},
    "gfd": {"enabled": True},
    "migManager": {"enabled": True, "config": {"default": "all-disabled"}},
    "clusterPolicy": {"deployCR": True},
    "gpuCluster": {"deployCR": False},
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Operator:
    """An operator and its settings, by the names that the chart's values have; a ClusterPolicy's `spec` has the same.

    `given` is what was written, `base` where that stands in `about.body`. `version` is None where it is not known. `complete` is False where
    further values come from what was not read.
    """

    about: Read
    given: Mapping[str, Any]
    base: Path
    version: ChartVersion | None
    namespace: str | None
    complete: bool = True

    def written(self, *path: str) -> Any:
        """What was written at a path, None where nothing was, `Unknown` where that can't be read."""
        found = at(self.given, *path)
        return Unknown("") if found is None and not self.complete else found

    def value(self, *path: str) -> Any:
        """What the operator goes by: what was written, or else the chart's own."""
        found = self.written(*path)
        if found is not None:
            return found
        if path == ("cdi", "enabled"):
            return self.version >= _CDI_BY_DEFAULT if self.version else Unknown("")
        return at(_DEFAULTS, *path)

    def is_on(self, *path: str) -> bool | None:
        """Whether a switch is on, None where that can't be told."""
        return is_on(self.value(*path))

    def path(self, *path: str | int) -> Path:
        """Where a setting stands in `about.body`."""
        return (*self.base, *path)

    @property
    def release(self) -> ChartRelease | None:
        """The release of the chart; None for what was rendered already."""
        return self.about if isinstance(self.about, ChartRelease) else None

    def is_older_than(self, version: str) -> bool:
        """Whether it is surely older than this version."""
        return self.version is not None and self.version < ChartVersion.parse("version", version)

    @property
    def is_newer_than_known(self) -> bool:
        """Whether it came after everything that this library has read."""
        return self.version is not None and self.version > ChartVersion.parse("version", versions.GPU_OPERATOR_NEWEST)


@question
def operators(inputs: Inputs) -> list[Operator]:
    """Every GPU operator."""
    found = [_of_release(release) for release in inputs.of_chart(GPU_OPERATOR)]
    return found + [_of_policy(each, inputs) for each in inputs.of_kind("ClusterPolicy") if each.api_version.startswith("nvidia.com/")]


def _of_release(release: ChartRelease) -> Operator:
    return Operator(
        about=release,
        given=release.values,
        base=release.values_path,
        version=chart_version(release.version),
        namespace=release.namespace,
        complete=release.complete,
    )


def _of_policy(policy: KubernetesObject, inputs: Inputs) -> Operator:
    spec = policy.at("spec")
    label = policy.labels.get("helm.sh/chart")
    version = chart_version(label.removeprefix(f"{GPU_OPERATOR}-")) if isinstance(label, str) else None
    # Built from git, and never released, a chart says v1.0.0-devel.
    known = version if version and version >= ChartVersion(20, 0, 0) else None
    deployments = [each for each in inputs.of_kind("Deployment") if each.labels.get("app.kubernetes.io/name") == GPU_OPERATOR]
    return Operator(
        about=policy,
        given=spec if isinstance(spec, Mapping) else {},
        base=("spec",),
        version=known,
        namespace=next((each.namespace for each in deployments), None),
    )


def chart_version(written: object) -> ChartVersion | None:
    """A version as it was written, with or without its `v`; None for a range, and for what can't be read."""
    found = re.fullmatch(_VERSION, written.strip()) if isinstance(written, str) and not isinstance(written, Unknown) else None
    return ChartVersion(*(int(part) for part in found.groups())) if found else None


def cdi_is_on(operator: Operator) -> bool | None:
    """Whether the operator hands GPUs to containers by CDI; None where that can't be told."""
    return operator.is_on("cdi", "enabled")
