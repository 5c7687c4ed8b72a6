"""NVIDIA's GPU operator, from a release of its chart or from a rendered ClusterPolicy, and the RuntimeClasses that it
and others create."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...upstream.charts import GPU_OPERATOR, gpu_operator_chart
from ...upstream.charts.gpu_operator_chart import CDI_RUNTIME_CLASSES
from ...upstream.version import Version
from ..model import (
    Answer,
    ChartRelease,
    Inputs,
    KubernetesObject,
    Path,
    Read,
    Unknown,
    at,
    equals,
    is_unknown,
    known_str,
    question,
    starts_with,
)
from ..model.read_values import ReadValues
from ..objects.helm_values import is_on
from ..objects.object_names import may_have

_CDI_BY_DEFAULT = Version.parse(gpu_operator_chart.CDI_BY_DEFAULT) or Version(0, 0)
# The major of the first chart with a year in its version; a chart built from git has v1.0.0-devel.
_FIRST_YEAR = 20
_GROUP = "nvidia.com/"


@dataclass(frozen=True, kw_only=True, eq=False)
class Operator:
    """An operator and its settings, by the names of the chart's values, which a ClusterPolicy's `spec` shares.

    `settings` holds the written settings, `base` is their path in `about.body`. `version` is None if unknown.
    `complete` is False if further values come from unread files.
    """

    about: Read
    settings: Mapping[str, Any]
    base: Path
    version: Version | None
    namespace: str | Unknown | None
    complete: bool = True

    def written(self, *path: str) -> Any:
        """The written value of a path, None without one, `Unknown` for an unreadable one."""
        value = at(self.settings, *path)
        return Unknown() if value is None and not self.complete else value

    def value(self, *path: str) -> Any:
        """The effective value of a path: the written value, or else the default; None without a default."""
        value = self.written(*path)
        if value is not None:
            return value
        if path == ("cdi", "enabled"):
            return self.version >= _CDI_BY_DEFAULT if self.version else Unknown()
        if self.version is not None and GPU_OPERATOR.is_newer_than_released(self.version):
            return Unknown()
        if self.release is None and path in gpu_operator_chart.WITHOUT_POLICY_DEFAULT:
            return None
        return gpu_operator_chart.default(*path)

    def is_on(self, *path: str) -> Answer:
        """Whether a switch is on; a switch without a value and without a default is off."""
        value = self.value(*path)
        return Answer.NO if value is None else is_on(value)

    def path(self, *path: str | int) -> Path:
        """The path of a setting in `about.body`."""
        return (*self.base, *path)

    @property
    def release(self) -> ChartRelease | None:
        """The release of the chart; None for a rendered ClusterPolicy."""
        return self.about if isinstance(self.about, ChartRelease) else None

    def is_older_than(self, version: str) -> bool:
        """Whether the operator is surely older than this version."""
        other = Version.parse(version)
        return self.version is not None and other is not None and self.version < other

    @property
    def is_newer_than_known(self) -> bool:
        """Whether the operator is newer than this library's tables."""
        return self.version is not None and GPU_OPERATOR.is_newer_than_known(self.version)


@question
def operators(inputs: Inputs) -> list[Operator]:
    """Every GPU operator that surely runs."""
    from_charts = [_of_release(release) for release in inputs.of_chart(GPU_OPERATOR)]
    return from_charts + [
        _of_policy(each, inputs) for each in inputs.of_kind("ClusterPolicy") if starts_with(each.api_version, _GROUP).is_yes
    ]


@question
def may_run_operator(inputs: Inputs) -> bool:
    """Whether an operator runs, or may, in an unreadable part of the inputs."""
    policies = any(not starts_with(each.api_version, _GROUP).is_no for each in inputs.of_kind("ClusterPolicy"))
    return bool(operators(inputs)) or policies or inputs.may_install(GPU_OPERATOR) or inputs.may_hide("ClusterPolicy")


def _of_release(release: ChartRelease) -> Operator:
    return Operator(
        about=release,
        settings=release.values,
        base=release.values_path,
        version=version_of(release.version),
        namespace=release.namespace,
        complete=release.complete,
    )


def _of_policy(policy: KubernetesObject, inputs: Inputs) -> Operator:
    spec = policy.at("spec")
    label = known_str(policy.at("metadata", "labels", "helm.sh/chart")) or ""
    version = version_of(label.removeprefix(f"{GPU_OPERATOR.name}-"))
    # Built from git, and never released, a chart says v1.0.0-devel.
    known = version if version and version.major >= _FIRST_YEAR else None
    deployments = [
        each
        for each in inputs.of_kind("Deployment")
        if equals(each.at("metadata", "labels", "app.kubernetes.io/name"), GPU_OPERATOR.name).is_yes
    ]
    # A ClusterPolicy has the fields under the names of the values, and what the operator does not read of them is the same.
    settings = ReadValues(chart=GPU_OPERATOR, values=spec if isinstance(spec, Mapping) else {}, version=known).read
    return Operator(
        about=policy,
        settings=settings,
        base=("spec",),
        version=known,
        namespace=next((each.namespace for each in deployments), None),
        complete=not is_unknown(spec),
    )


def version_of(written: object) -> Version | None:
    """A written version with all three numbers; None for a range, and for an unreadable version."""
    version = Version.parse(written) if isinstance(written, str) else None
    return version if version is not None and version.patch is not None else None


def is_own(operator: Operator, component: str, *keys: str) -> bool:
    """Whether the image of a component is the user's own, built or patched for Talos, or one of these keys differs from
    the chart's default, or may."""
    written = ((operator.written(component, key), gpu_operator_chart.default(component, key)) for key in ("repository", "image", *keys))
    return any(value is not None and not equals(value, default).is_yes for value, default in written)


def cdi_is_on(operator: Operator) -> Answer:
    """Whether the operator hands GPUs to containers by CDI."""
    return operator.is_on("cdi", "enabled")


@question
def runtime_class_makers(inputs: Inputs) -> dict[str, list[Operator | KubernetesObject]]:
    """Every RuntimeClass with a readable name that something in the inputs creates, by name, with its creators.

    An operator creates its `operator.runtimeClass` unless it injects through NRI, and `CDI_RUNTIME_CLASSES`, too, while
    CDI is on.
    """
    makers: dict[str, list[Operator | KubernetesObject]] = {}
    for each in inputs.of_kind("RuntimeClass"):
        if isinstance(each.name, str):
            makers.setdefault(each.name, []).append(each)
    for operator in operators(inputs):
        name = operator.value("operator", "runtimeClass")
        if not operator.is_on("cdi", "nriPluginEnabled").is_yes and isinstance(name, str):
            makers.setdefault(name, []).append(operator)
            if not cdi_is_on(operator).is_no:
                for added in CDI_RUNTIME_CLASSES:
                    makers.setdefault(added, []).append(operator)
    return makers


def may_make_runtime_class(inputs: Inputs, name: str) -> bool:
    """Whether something in the inputs creates this RuntimeClass, or may."""
    running = operators(inputs)
    if name in inputs.outside_runtime_classes or name in runtime_class_makers(inputs) or may_have(inputs, "RuntimeClass", name, None):
        return True
    hidden = may_run_operator(inputs) and not running
    return hidden or any(is_unknown(each.value("operator", "runtimeClass")) for each in running)
