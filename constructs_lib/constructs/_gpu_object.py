"""The object of a workload of cdk8s-plus that has GPUs: rendered by cdk8s-plus first, and given the GPUs at every
rendering.

`ApiObject.to_json` is the one function through which cdk8s renders an object, in `App.synth`, `Testing.synth`,
`Chart.to_json` and for a reader such as `attach`. jsii calls an override of it in Python from every one of these. So
what cdk8s-plus adds to the workload later is rendered like the rest, and what cdk8s-plus' typed serialiser would drop
(cdk8s-team/cdk8s#2163) never passes this serialiser.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType
from typing import Any, ClassVar

import jsii
from cdk8s import ApiObject, ApiObjectMetadata, ApiObjectMetadataDefinition, App, JsonPatch
from constructs import Construct, IValidation

from ..arguments.errors import TalosGpuWarning, warn
from ..manifests.foreign.gpu_requests import GpuRequest, pod_template, with_gpus
from ..upstream.programs.images import runs_as_root

# What Kubernetes uses for both numbers of a rolling update that has none.
_DEFAULT_SHARE = "25%"


def start_problems(manifest: Mapping[str, Any], requests: Iterable[GpuRequest]) -> Iterator[str]:
    """The problems of a workload's manifest, each as one warning."""
    if manifest["kind"] == "Deployment" and any(_waits(manifest["spec"], request) for request in requests):
        yield (
            "RollingUpdate deadlock: the new pod needs a GPU, and the old pod keeps its GPU until the new one is ready. Without a free GPU the new pod "
            "stays Pending; set strategy=DeploymentStrategy.recreate(), or rolling_update(max_surge=PercentOrAbsolute.absolute(0), "
            "max_unavailable=PercentOrAbsolute.absolute(1))"
        )
    spec = pod_template(manifest)["spec"]
    for container in [*(spec.get("initContainers") or []), *spec["containers"]]:
        if runs_as_root(container.get("image") or "") and _must_be_a_user(spec, container):
            yield (
                f"runAsNonRoot is true for container '{container['name']}', but its image {container['image']} runs as root. The container stays at "
                "CreateContainerConfigError: container has runAsNonRoot and image will run as root; set security_context="
                "ContainerSecurityContextProps(ensure_non_root=False, read_only_root_filesystem=False), or a 'user' that the image can run as"
            )


def _must_be_a_user(spec: Mapping[str, Any], container: Mapping[str, Any]) -> bool:
    """Whether the kubelet refuses root, and only the image names the user. A container's field beats the pod's."""
    context = {**(spec.get("securityContext") or {}), **(container.get("securityContext") or {})}
    return context.get("runAsNonRoot") is True and context.get("runAsUser") is None


def _waits(deployment: Mapping[str, Any], request: GpuRequest) -> bool:
    """Whether a rolling update adds a pod before it removes one, and its GPUs may not be free."""
    strategy = deployment.get("strategy") or {}
    if strategy.get("type", "RollingUpdate") != "RollingUpdate" or (request.nodes.dra and request.nodes.dra.is_one_claim):
        return False
    pods, numbers = deployment.get("replicas"), strategy.get("rollingUpdate") or {}
    surge = _part(numbers.get("maxSurge", _DEFAULT_SHARE), pods, up=True)
    unavailable = _part(numbers.get("maxUnavailable", _DEFAULT_SHARE), pods, up=False)
    if not surge or unavailable != 0:
        return False
    return not _may_be_free(request, request.gpus * ((pods or 1) + surge))


def _part(value: object, pods: int | None, *, up: bool) -> int | None:
    """The pods of a number or a percentage: a surge is rounded up, the unavailable pods are rounded down. None where an
    autoscaler sets the number."""
    if isinstance(value, int):
        return value
    percent = str(value).removesuffix("%")
    if pods is None or not percent.isdecimal():
        return None
    return -(-pods * int(percent) // 100) if up else pods * int(percent) // 100


def _may_be_free(request: GpuRequest, needed: int) -> bool:
    """Whether the nodes have at least so many GPUs, shares or partitions, or serve an unknown number of claims."""
    nodes = request.nodes
    of_one_gpu = nodes.dra.claims_per_gpu if nodes.dra else nodes.sharing.replicas if nodes.sharing else 1
    return of_one_gpu is None or needed <= (nodes.advertised(request.profile) or of_one_gpu) * (nodes.count or 1)


@jsii.implements(IValidation)
class GpuObject(ApiObject):
    """The object of a workload with GPUs. It takes the place of cdk8s-plus' own object in the tree, and shares its
    metadata and earlier patches."""

    # The apps that are synthesized, by jsii's references.
    _synthesized: ClassVar[set[str]] = set()

    def __init__(self, workload: Construct, original: ApiObject) -> None:
        self._workload, self._original = workload, original
        self._requests: tuple[GpuRequest, ...] = ()
        self._later_patches: list[JsonPatch] = []
        self._warned: set[str] = set()
        name, dependencies = original.node.id, original.node.dependencies
        workload.node.try_remove_child(name)
        super().__init__(
            workload, name, api_version=original.api_version, kind=original.kind, metadata=ApiObjectMetadata(name=original.name)
        )
        self.node.add_dependency(*dependencies)
        workload.node.add_validation(self)

    @classmethod
    def is_synthesized(cls, workload: Construct) -> bool:
        """Whether the workload's app is synthesized. Only a request in this app before its synth makes the synth
        visible."""
        return bool(cls._synthesized) and _app(workload) in cls._synthesized

    @property
    def original(self) -> ApiObject:
        """The object as cdk8s-plus made it."""
        return self._original

    @property
    def requests(self) -> tuple[GpuRequest, ...]:
        """The requests of the workload's containers."""
        return self._requests

    def add_request(self, request: GpuRequest) -> None:
        """Add the request of one more container."""
        self._requests += (request,)

    @property
    def metadata(self) -> ApiObjectMetadataDefinition:
        """The metadata of cdk8s-plus' object, which the workload changes through its own `metadata`."""
        return self._original.metadata

    def add_json_patch(self, *ops: JsonPatch) -> None:
        """Apply patches after everything else, as every other ApiObject does."""
        self._later_patches.extend(ops)

    def to_json(self) -> Any:
        """The object as it is now, with GPUs."""
        with warnings.catch_warnings():
            # `request_gpus` has issued them.
            warnings.simplefilter("ignore", TalosGpuWarning)
            manifest = with_gpus(self._original.to_json(), self._requests)
        return _plain(JsonPatch.apply(manifest, *self._later_patches)) if self._later_patches else manifest

    def validate(self) -> list[str]:
        """The contradictions of the workload to its nodes. cdk8s asks for them at the start of every synth."""
        if _is_end():
            GpuObject._synthesized.add(_app(self._workload))
        try:
            manifest = self.to_json()
        except (TypeError, ValueError) as error:
            return [str(error)]
        return [problem for problem in start_problems(manifest, self._requests) if not self._is_told(problem)]

    def _is_told(self, problem: str) -> bool:
        """Give a warning once. False where the user's filter makes the warning an error."""
        if problem not in self._warned:
            try:
                warn(f"[{self._workload.node.path}] {problem}")
            except TalosGpuWarning:
                return False
            self._warned.add(problem)
        return True


def _plain(value: Any) -> Any:
    """A patched manifest without `Quantity` and `IntOrString` of cdk8s, which a patch leaves as `{"value": …}`."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"value"} and isinstance(value["value"], str | int | float):
        return value["value"]
    return {key: _plain(item) for key, item in value.items()}


def _app(workload: Construct) -> str:
    """The app of a workload, by jsii's reference."""
    return str(workload.node.root.__jsii_ref__.ref)  # type: ignore[attr-defined]


def _is_end() -> bool:
    """Whether the running call is `App.synth` or `App.synth_yaml`, which end a program. `Testing.synth` and
    `Chart.to_json` only show the objects."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # jsii tells a validation nothing about its caller
    while frame and frame.f_code not in (App.synth.__code__, App.synth_yaml.__code__):
        frame = frame.f_back
    return frame is not None
