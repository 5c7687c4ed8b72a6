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
from types import FrameType
from typing import Any, ClassVar

import jsii
from cdk8s import ApiObject, ApiObjectMetadata, ApiObjectMetadataDefinition, App, JsonPatch
from constructs import Construct, IValidation

from ..arguments.talos_warnings import TalosGpuWarning, warn
from ..manifests.foreign.gpu_requests import GpuRequest, with_gpus
from ._plus_defaults import start_problems


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
            workload,
            name,
            api_version=original.api_version,
            kind=original.kind,
            metadata=ApiObjectMetadata(name=original.name),
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
