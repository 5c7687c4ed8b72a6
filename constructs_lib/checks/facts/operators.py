"""NVIDIA's GPU operator, wherever it was read: a release of its chart, or the ClusterPolicy that the chart renders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...upstream.charts import GPU_OPERATOR, gpu_operator_chart
from ...upstream.version import Version
from ..model import ChartRelease, Inputs, KubernetesObject, Path, Read, Unknown, at, question
from .helm_values import is_on

_CDI_BY_DEFAULT = Version.parse(gpu_operator_chart.CDI_BY_DEFAULT) or Version(0, 0)
# The first chart with a year for its version; one that was built from git, and never released, says v1.0.0-devel.
_FIRST_YEAR = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Operator:
    """An operator and its settings, by the names that the chart's values have; a ClusterPolicy's `spec` has the same.

    `given` is what was written, `base` where that stands in `about.body`. `version` is None where it is not known. `complete` is False where
    further values come from what was not read.
    """

    about: Read
    given: Mapping[str, Any]
    base: Path
    version: Version | None
    namespace: str | None
    complete: bool = True

    def written(self, *path: str) -> Any:
        """What was written at a path, None where nothing was, `Unknown` where that can't be read."""
        found = at(self.given, *path)
        return Unknown("") if found is None and not self.complete else found

    def value(self, *path: str) -> Any:
        """What the operator goes by: what was written, or else the default; None where there is none."""
        found = self.written(*path)
        if found is not None:
            return found
        if path == ("cdi", "enabled"):
            return self.version >= _CDI_BY_DEFAULT if self.version else Unknown("")
        if self.release is None and path in gpu_operator_chart.WITHOUT_POLICY_DEFAULT:
            return None
        return gpu_operator_chart.default(*path)

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
        given = Version.parse(version)
        return self.version is not None and given is not None and self.version < given

    @property
    def is_newer_than_known(self) -> bool:
        """Whether it came after everything that this library has read."""
        return self.version is not None and GPU_OPERATOR.is_newer_than_known(self.version)


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
        version=version_of(release.version),
        namespace=release.namespace,
        complete=release.complete,
    )


def _of_policy(policy: KubernetesObject, inputs: Inputs) -> Operator:
    spec = policy.at("spec")
    label = policy.labels.get("helm.sh/chart")
    version = version_of(label.removeprefix(f"{GPU_OPERATOR.name}-")) if isinstance(label, str) else None
    # Built from git, and never released, a chart says v1.0.0-devel.
    known = version if version and version.major >= _FIRST_YEAR else None
    deployments = [each for each in inputs.of_kind("Deployment") if each.labels.get("app.kubernetes.io/name") == GPU_OPERATOR.name]
    return Operator(
        about=policy,
        given=spec if isinstance(spec, Mapping) else {},
        base=("spec",),
        version=known,
        namespace=next((each.namespace for each in deployments), None),
    )


def version_of(written: object) -> Version | None:
    """A version with all of its numbers, as it was written; None for a range, and for what can't be read."""
    version = Version.parse(written) if isinstance(written, str) and not isinstance(written, Unknown) else None
    return version if version is not None and version.patch is not None else None


def cdi_is_on(operator: Operator) -> bool | None:
    """Whether the operator hands GPUs to containers by CDI; None where that can't be told."""
    return operator.is_on("cdi", "enabled")
