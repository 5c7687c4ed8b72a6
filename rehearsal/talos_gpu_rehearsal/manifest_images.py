"""The images of manifests: every image that pods of a list of objects name, with what runs in its place.

No pod is changed. containerd takes any name for an imported image, so an image by digest has the name by which the
kubelet asks for it, and is not pulled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from constructs_lib.observed.model import Inputs, KubernetesObject, at, known_str, mappings
from constructs_lib.observed.pods.pod_templates import Container, Workload
from constructs_lib.observed.pods.workloads import workloads
from constructs_lib.upstream.kubernetes.registries import DEFAULT_TAG, DOCKER_HUB, DOCKER_HUB_BEFORE, OFFICIAL_IMAGES, split_reference

from .contents import STAND_IN, Content, content_of
from .images import Entry, ImageConfig, Layer, Link, write_archive
from .roles import PROBES, Role, as_json, joined, programs_of, roles_of
from .rootfs import base_layer, libraries

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
USER = "65532:65532"
"""The user of an image whose own user is not known, where a pod forbids root."""
_PLAYED = ("curl", "wget")
"""The tools that the stand-in is in every image."""
_OF_THE_DRIVER = frozenset({"nvidia-smi", "nvidia-cuda-mps-control", "nvidia-cuda-mps-server", "nvidia-debugdump", "nvidia-persistenced"})
"""The programs that a container has from the node, or not at all."""


@dataclass(frozen=True, kw_only=True)
class Image:
    """An image of the manifests, and what runs in its place."""

    reference: str
    """The image as the manifests have it."""
    content: Content
    roles: tuple[Role, ...] = ()
    is_of_a_user: bool = False
    """Whether a pod asks for an image with a user other than root."""
    faults: tuple[str, ...] = ()
    """What keeps a container from running in a rehearsal."""

    @property
    def name(self) -> str:
        """The name by which the kubelet asks containerd for the image."""
        return containerd_name(self.reference)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What differs from the image itself."""
        user = (f"{self.reference} runs as user {USER}: a pod sets runAsNonRoot without runAsUser",) if self.user == USER else ()
        return (f"{self.reference}: {self.content.says}", *user, *self.faults)

    @property
    def user(self) -> str:
        """The user of the image's program; empty for root."""
        return self.content.user or (USER if self.is_of_a_user else "")


def containerd_name(reference: str) -> str:
    """The full name of a reference. With a tag and a digest, the digest alone counts."""
    parts = split_reference(reference)
    registry = DOCKER_HUB if parts.registry in ("", DOCKER_HUB_BEFORE) else parts.registry
    path = parts.path if registry != DOCKER_HUB or "/" in parts.path else f"{OFFICIAL_IMAGES}/{parts.path}"
    return f"{registry}/{path}@{parts.digest}" if parts.digest else f"{registry}/{path}:{parts.tag or DEFAULT_TAG}"


def images_of(objects: Iterable[Mapping[str, Any]]) -> tuple[Image, ...]:
    """Every image of the pods of these objects, each once, in the order of their names."""
    inputs = Inputs(objects=tuple(KubernetesObject(body=each, file="manifest") for each in objects))
    images: dict[str, Image] = {}
    for workload in workloads(inputs):
        for container in workload.containers:
            image = str(container.image)
            roles = roles_of(container, passes=workload.passes)
            other = images.get(image) or image_of(image)
            images[image] = replace(
                other,
                roles=joined((*other.roles, *roles)),
                is_of_a_user=other.is_of_a_user or _asks_for_a_user(workload, container),
                faults=(*other.faults, *_faults(workload, container, is_played=not other.content.programs)),
            )
        for image in _volume_images(workload):
            images.setdefault(image, image_of(image))
    return tuple(images[each] for each in sorted(images) if each)


def image_of(reference: str) -> Image:
    """One image by its reference, such as that of a pod's sandbox."""
    return Image(reference=reference, content=content_of(reference))


def _faults(workload: Workload, container: Container, *, is_played: bool) -> Iterator[str]:
    """What a container asks for that a rehearsal does not have."""
    name = f"{workload.about.label}, container {known_str(at(container.body, 'name')) or ''}"
    if _is_pulled_by_digest(container):
        yield f"{name} asks for imagePullPolicy Always of an image by digest, which only its own registry has: it does not start"
    for probe in PROBES if is_played else ():
        if at(container.body, probe, "grpc") is not None or at(container.body, probe, "httpGet", "scheme") == "HTTPS":
            yield f"{name} has a {probe} by gRPC or HTTPS: the stand-in speaks HTTP alone, so the probe fails"


def _asks_for_a_user(workload: Workload, container: Container) -> bool:
    """Whether the kubelet starts a container only if its image has a user other than root."""
    contexts = (at(container.body, "securityContext"), at(workload.spec, "securityContext"))
    user, non_root = (
        next((value for each in contexts if (value := at(each, key)) is not None), None) for key in ("runAsUser", "runAsNonRoot")
    )
    return user is None and non_root is True


def load(images: Iterable[Image], archive: Path, program: Callable[[str], Path]) -> Path:
    """Write images to an archive for `ctr images import --all-platforms`.

    Args:
        images: The images.
        archive: The file to write.
        program: `build.program`, which builds what is missing.
    """
    stand_in = program(STAND_IN) / STAND_IN
    base: Layer = {
        **base_layer(),
        STAND_IN: stand_in,
        "pause": Link(STAND_IN),
        **{f"usr/bin/{each}": Link(f"/{STAND_IN}") for each in _PLAYED},
    }
    layers: dict[str, Layer] = {}
    configs = []
    for image in images:
        own = layers.setdefault(repr(image.content.programs), _programs(image.content, program))
        configs.append(
            ImageConfig(
                names=(image.name,),
                layers=(base, *([own] if own else []), _played(image, {*base, *own})),
                entrypoint=image.content.entrypoint,
                env={"PATH": PATH, **image.content.env},
                user=image.user,
            )
        )
    return write_archive(configs, archive)


def _programs(content: Content, program: Callable[[str], Path]) -> Layer:
    """The layer of an image's own programs, with their libraries."""
    files = {path: program(name) / file for name, paths in content.programs.items() for file, path in paths.items()}
    return {**libraries(files.values()), **files}


def _played(image: Image, there: set[str]) -> Layer:
    """The layer with the roles, and a link to the stand-in for each program that the image lacks."""
    names = (each for each in programs_of(image.roles) if PurePosixPath(each).name not in _OF_THE_DRIVER)
    paths = (_path(each) for each in names)
    links: dict[str, Entry] = {path: Link(f"/{STAND_IN}") for path in paths if path and path not in there}
    links |= {path: Link(target) for path, target in image.content.links.items()}
    return {**links, **image.content.files, f"{STAND_IN}.json": as_json(image.roles)}


def _path(program: str) -> str:
    """The place of a program in an image: /bin and /sbin are links into /usr. Empty for a path below the working
    folder."""
    if "/" not in program:
        return f"usr/bin/{program}"
    inside = program.removeprefix("/")
    return (
        "" if not program.startswith("/") or program.endswith("/") else f"usr/{inside}" if inside.startswith(("bin/", "sbin/")) else inside
    )


def _is_pulled_by_digest(container: Container) -> bool:
    """Whether the kubelet asks a registry for a digest. No image of the rehearsal has the digest of another."""
    return known_str(at(container.body, "imagePullPolicy")) == "Always" and bool(split_reference(str(container.image)).digest)


def _volume_images(workload: Workload) -> Iterator[str]:
    """The images that a pod mounts as volumes."""
    for _, volume in mappings(at(workload.spec, "volumes")):
        reference = known_str(at(volume, "image", "reference"))
        if reference:
            yield reference
