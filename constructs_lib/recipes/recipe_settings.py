"""`RecipeSettings`: the arguments of every recipe, and how a recipe completes those of `GpuWorkload`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.errors import warn, wrong
from ..arguments.fields import named, to_image, to_optional_count, to_optional_positive
from ..arguments.names import is_floating
from ..manifests.objects import Manifests, merged
from ..manifests.pod_shape import root_context
from ..manifests.workload.container_values import Probe
from ..manifests.workload.kinds import JOBS, ONLY_FOR, SERVERS, WorkloadKind
from ..manifests.workload.ports import server_first
from ..manifests.workload.settings import GpuWorkloadSettings
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.nvidia.card_names import WITHOUT_GSP, architecture
from ..upstream.nvidia.driver_branches import CUDA_FLOORS, CUDA_WITHOUT_GSP, cuda_of
from ..upstream.programs.container_rights import RootImage
from ..upstream.talos.features import POWER_OFF_GRACE

ANY = 0
"""The key of an image that brings the libraries of several CUDA versions."""


def image_for(images: Mapping[int, str], nodes: GpuNodes) -> str:
    """The image with the newest CUDA that driver and card of the nodes run; the newest of all for an unknown driver."""
    runs = [major for major in images if major == ANY or not refusal(major, nodes)]
    return images[max(runs or images)]


def check_cuda(image: str, nodes: GpuNodes, images: Mapping[int, str]) -> None:
    """Refuse an image whose CUDA the driver or the card can't run. An image that names no CUDA is not checked."""
    major = cuda_of(image) or next((each for each, known in images.items() if known == image), ANY)
    if major and (why := refusal(major, nodes)):
        others = [known for each, known in images.items() if each == ANY or not refusal(each, nodes)]
        hint = f"use a Talos with driver {CUDA_FLOORS[major]} or newer: 1.12 with driver_track='lts', or 1.13"
        hint = f"use {others[0]!r}" if others else hint
        raise wrong("image", f"built with another CUDA than {major} on these nodes", image, f"{why}; {hint}")


def refusal(major: int, nodes: GpuNodes) -> str:
    """The reason why the nodes can't run a major version of CUDA; empty if they can, or nobody knows."""
    if nodes.product is not None and architecture(nodes.product) in WITHOUT_GSP and major > max(CUDA_WITHOUT_GSP):
        return f"the libraries of CUDA {major} have no code for a {architecture(nodes.product)} card such as {nodes.product}"
    version, floor = nodes.talos_version.release.drivers.get(nodes.track), CUDA_FLOORS.get(major, 0)
    if version is None or int(version.partition(".")[0]) >= floor or not nodes.talos_version.is_known:
        return ""
    return f"CUDA {major} needs driver {floor} or newer, and the {nodes.track} driver of Talos {nodes.talos_version} is {version}"


_PERIOD = 10
"""The seconds between two startup probes."""
_MARGIN = 10
"""The seconds of the grace period after the drain, in which the process ends."""
_FORGOTTEN = 5
"""The seconds in which the Service and the gateways forget a pod that was deleted. New requests still arrive in
them."""


def _to_recipe_image(value: str | None, argument: str = "") -> str | None:
    if value is None:
        return None
    image = to_image(value, argument)
    if is_floating(image):
        rule = "an image with a tag other than 'latest', or with a digest"
        raise wrong(
            argument, rule, value, "a restart would run another release; leave the argument out for the release that the recipe knows"
        )
    return image


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class RecipeSettings(GpuWorkloadSettings):
    """The base class of the recipes' settings.

    A recipe states the facts of its program as class attributes and in `_facts`. What the user gives wins over a fact;
    the fields of mappings merge, and `args` follow the recipe's own.

    Args:
        image: The container's image, with a tag other than `latest` or with a digest. Default: the release that the
            recipe was written for, built with the newest CUDA that the driver and the card of the nodes run.
        args: Arguments of the entry point, after those of the recipe. Default: none.
        startup: The seconds that the server may take to start: the startup probe waits so long. Default: None, no
            probe.
        drain: The seconds that open requests have when the pod is deleted. Default: None, none.

    Raises:
        TypeError, ValueError: `'image' must be an image with a tag other than 'latest' …`;
            `'kind' must be …` for a Job of a server without a `command`;
            `'image' must be built with another CUDA …`; `'env[…]' must be a SecretKey …` and
            `'args' must be without a credential …`.
    """

    needs: ClassVar[Mapping[str, str]] = {}
    """The reason why a required argument has no default, by argument."""
    images: ClassVar[Mapping[int, str]]
    """The recipe's image by the major version of CUDA that the image is built with. 0 is an image that brings several
    versions."""
    health: ClassVar[Probe | None] = None
    """The probe of a working server, without its thresholds."""
    drains: ClassVar[bool] = True
    """Whether the server answers open requests after SIGTERM. If not, the server gets its SIGTERM after the whole
    drain."""
    user: ClassVar[tuple[int, int, int] | None] = None
    """The user, the group and the group of the volumes (fsGroup) of an image that runs without root. None if the image
    needs root."""
    root_image: ClassVar[RootImage | None] = None
    """What an image that needs root has beyond that. None for an image that runs without root."""
    metrics: ClassVar[str | None] = ""

    image: str = attrs.field(default=None, converter=_to_recipe_image)
    startup: int | None = attrs.field(default=None, converter=to_optional_positive)
    drain: int | None = attrs.field(default=None, converter=to_optional_count)

    def __attrs_post_init__(self) -> None:
        self._check_end()
        self._check_gpus()  # the facts follow from the GPUs
        self._complete({"image": image_for(self.images, self.nodes)})
        check_cuda(self.image, self.nodes, self.images)
        if self.port:
            object.__setattr__(self, "port", server_first(self.port))
        facts = self._facts()
        self._complete(facts)
        if self.kind in SERVERS:
            self._complete(self._times())
        if self.user is not None:
            self._complete(_without_root(*self.user))
        elif self.root_image is not None:
            self._complete({"security_context": root_context(self.root_image)})
        super().__attrs_post_init__()

    def _check_end(self) -> None:
        """Refuse a Job of a program that never ends, and a server of a program that ends. With a `command` of the user the
        container runs another program."""
        is_server = attrs.fields_dict(type(self))["kind"].default in SERVERS
        kinds = SERVERS if is_server else JOBS
        if self.kind not in kinds and not self.command:
            rule = " or ".join(f"'{kind}'" for kind in WorkloadKind if kind in kinds)
            why = (
                "is a server, which never ends: the Job would hold its GPU for ever"
                if is_server
                else "ends, and a server would start it again for ever"
            )
            name = type(self).__name__.removesuffix("Settings")
            raise wrong("kind", rule, str(self.kind), f"the program of {name} {why}; with a 'command' of your own any kind is right")

    def _facts(self) -> Mapping[str, Any]:
        """The arguments of `GpuWorkload` that follow from the recipe and its own arguments."""
        return {}

    def beside(self) -> Manifests:
        """The objects that the recipe makes beside the workload, by the id of their child."""
        return {}

    @property
    def pod_security(self) -> str:
        """The level of the Pod Security Standards that the pods keep by default."""
        return "baseline" if self.user is None else "restricted"

    @property
    def sleep(self) -> int:
        """The seconds between the deletion of a pod and its SIGTERM."""
        drain = self.drain or 0
        return min(drain, _FORGOTTEN) if self.drains else drain

    def _complete(self, facts: Mapping[str, Any]) -> None:
        """Set what the user left out. Mappings but `port` merge; the user's `args` and `init_containers` come last."""
        fields = attrs.fields_dict(type(self))
        for name, fact in facts.items():
            if self.kind not in ONLY_FOR.get(name, (self.kind,)):  # a Job serves no port
                continue
            field, given = fields[name], getattr(self, name)
            value: object
            if isinstance(given, Mapping) and name != "port":
                value = merged(fact, given) if name.endswith(("_context", "_spec")) else {**fact, **given}
            elif name in ("args", "init_containers"):
                value = (*fact, *given)
            else:
                value = fact if given == field.default else given
            object.__setattr__(self, name, field.converter(value) if field.converter else value)  # type: ignore[operator]

    def _times(self) -> dict[str, Any]:
        """The probes, the sleep before SIGTERM and the grace period: one start and one drain."""
        drain = self.drain or 0
        if drain > POWER_OFF_GRACE:
            warn(
                f"{self.name}: 'drain' is longer than the {POWER_OFF_GRACE} seconds that Talos gives pods when a node is powered off (got {drain}): "
                "requests that last longer are cut then. A drain by kubectl, and talosctl upgrade, give the whole time"
            )
        times: dict[str, Any] = {"pre_stop_sleep": self.sleep or None, "termination_grace_period": drain + _MARGIN}
        if self.health is not None and self.startup is not None:
            checks = math.ceil(self.startup / _PERIOD)
            startup = attrs.evolve(self.health, period=_PERIOD, failure_threshold=checks)
            times |= {"startup_probe": startup, "liveness_probe": self.health, "readiness_probe": self.health}
        return times


def _without_root(user: int, group: int, volumes: int) -> dict[str, Any]:
    """The security contexts that the level `restricted` asks for beside those of every GPU workload."""
    identity = {"runAsNonRoot": True, "runAsUser": user, "runAsGroup": group, "fsGroup": volumes, "fsGroupChangePolicy": "OnRootMismatch"}
    return {"pod_security_context": identity, "security_context": {"capabilities": {"drop": ["ALL"]}}}
