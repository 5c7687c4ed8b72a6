"""Versions: pairs that do not work together, versions newer than our tables, and the installer that Talos has no
more."""

from __future__ import annotations

from collections.abc import Iterator

from ....nodes.factory_ids import schematic_id
from ....nodes.talos_version import newer_than_tables
from ....observed.images.cuda_drivers import Driver, cuda_major, drivers
from ....observed.model import Inputs, NodeConfig, WatchedImage, known_text
from ....observed.nodes.node_settings import is_for_gpus, minor_of, talos_of
from ....observed.pods.workloads import workloads
from ....upstream.kubernetes.registries import split_reference
from ....upstream.nvidia.card_names import is_geforce
from ....upstream.nvidia.driver_branches import CUDA_FLOORS, CUDA_GUARDED, CUDA_GUARDED_SINCE, cuda_version, newest_cuda
from ....upstream.talos.features import CUDA_REQUIRED
from ....upstream.talos.installer_images import PUBLISHED_INSTALLER, PUBLISHED_RELEASES, installer_image
from ...halves import talos_of_nodes
from ...rule import Edit, Example, Rule, Severity, Violation, Witness, set_to
from .._shared import each_node, once, pod, talconfig

_MACHINE = """\
machine:
  type: worker
  install: {image: "factory.talos.dev/metal-installer/1deaeeb1ea2e7901c21c109368a7261f52dfd9a91e9d7eea83cfd0f0e1b7d488:v1.12.11"}
  kubelet: {image: "ghcr.io/siderolabs/kubelet:%s"}
"""


@Rule(
    id="TG090",
    claim="This Talos supports the Kubernetes version",
    symptom="version of Kubernetes 1.36.0 is too new to be used with Talos 1.12.11",
    fix="Use a Kubernetes version that this Talos supports",
    source="siderolabs/talos pkg/machinery/compatibility/kubernetes_version.go",
    severity=Severity.ERROR,
    shown_by=Witness.TALOS,
    failing=Example(_MACHINE % "v1.36.0"),
    passing=Example(_MACHINE % "v1.35.4"),
)
@each_node
def _not_supported(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    talos, minor = talos_of(config, inputs), minor_of(config.kubernetes_version)
    if talos is None or minor is None:
        return
    first, last = talos.release.kubernetes
    if not first <= minor <= last:
        too = "new" if minor > last else "old"
        message = (
            f"Kubernetes {config.kubernetes_version} is too {too} for Talos {talos}, which runs 1.{first} to 1.{last}. Talos refuses the "
            "configuration"
        )
        fix = f"Use Kubernetes 1.{last if minor > last else first}, or another Talos"
        path = config.paths.get("kubernetes_version", ())
        yield Violation(Severity.ERROR, message, config, path, fix=fix, related=talos_of_nodes(inputs, config))


_CUDA_13 = pod().replace("ollama/ollama:0.32.15", "yanwk/comfyui-boot:cu130-slim-v2")


@Rule(
    id="TG091",
    claim="The nodes' driver is new enough for the CUDA version of an image",
    symptom="CUDA driver version is insufficient for CUDA runtime version; The NVIDIA driver on your system is "
    "too old; Error 804: forward compatibility was attempted on non supported HW; Error 803: system has "
    "unsupported display driver / cuda driver combination",
    fix="Use an image built with an older CUDA, or a newer Talos",
    source="https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html; "
    "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(_CUDA_13, talos="1.11"),
    passing=Example(_CUDA_13, talos="1.13"),
)
def _driver_too_old(inputs: Inputs) -> Iterator[Violation]:
    known = drivers(inputs)
    if known is None:
        return
    newest = max(known, key=lambda each: each.branch)
    cards = [nodes.product for nodes in inputs.nodes]
    has_geforce = any(card is not None and is_geforce(card) for card in cards)
    is_compared = newest.talos.minor in CUDA_REQUIRED and (has_geforce or not cards)
    for workload in workloads(inputs):
        for container in workload.containers if workload.uses_gpus else ():
            major = cuda_major(container.image)
            if is_compared and _has_older_minor(container.image, newest):
                yield Violation(
                    Severity.WARNING if has_geforce else Severity.INFO,
                    f"the image {f'{container.image}'.partition('@')[0]} requires CUDA {_dotted(cuda_version(f'{container.image}'))}, and {newest.source} has CUDA "
                    f"{_dotted(newest_cuda(newest.branch))}. {_REFUSED}",
                    workload.about,
                    (*container.path, "image"),
                    fix=f"Use an image built with CUDA {_dotted(newest_cuda(newest.branch))} or older, or a Talos with a newer driver",
                )
            elif major is not None and container.gpus and newest.branch < CUDA_FLOORS.get(major, 0):
                yield Violation(
                    Severity.WARNING,
                    f"the image {f'{container.image}'.partition('@')[0]} by its name and tag has CUDA {major}, which needs driver {CUDA_FLOORS[major]} or newer, but "
                    f"{newest.source} is older. The container may exit with 'CUDA driver version is insufficient for CUDA runtime version'",
                    workload.about,
                    (*container.path, "image"),
                    fix=f"Use an image built with CUDA {_runs(newest.branch)} (tags with cu126 or cuda12), or a Talos with driver {CUDA_FLOORS[major]} or "
                    "newer: 1.12 with the lts extensions, 1.13 with either track",
                )


_REFUSED = "The container may not start on a GeForce card: 'unsatisfied condition: cuda>=', 'please update your driver'"


def _has_older_minor(image: object, driver: Driver) -> bool:
    """Whether the driver has an older CUDA than NVIDIA's base image requires, within the same major version."""
    cuda, newest = cuda_version(image) if isinstance(image, str) else None, newest_cuda(driver.branch)
    if cuda is None or newest is None or cuda[1] is None or split_reference(f"{image}").name not in CUDA_GUARDED:
        return False
    return cuda[0] == newest[0] and cuda[1] > newest[1] and (cuda[0], cuda[1]) >= CUDA_GUARDED_SINCE


def _dotted(cuda: tuple[int, int | None] | None) -> str:
    return ".".join(f"{each}" for each in cuda or ())


def _runs(branch: int) -> int:
    return max(major for major, floor in CUDA_FLOORS.items() if floor <= branch)


_RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nfd, namespace: kube-system}
spec: {chart: {spec: {chart: node-feature-discovery, version: %s}}}
"""


@Rule(
    id="TG101",
    claim="This library knows the releases of Talos and of NVIDIA's charts",
    symptom="a fault without a finding, or a finding that a newer release has made untrue",
    fix="Install a newer version of this library, or read the release notes of the new Talos or chart",
    source="siderolabs/talos tags; NVIDIA/gpu-operator tags",
    severity=Severity.INFO,
    shown_by=Witness.LIBRARY,
    failing=Example(_RELEASE % "99.1.0"),
    passing=Example(_RELEASE % "0.19.0"),
)
def _newer(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.releases:
        if release.is_newer_than_known:
            message = (
                f"{newer_than_tables(f'{release.chart} {release.version}')}. The rules go by the templates and values of older versions"
            )
            yield Violation(Severity.INFO, message, release)
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        if talos is not None and (not talos.is_known or talos.follows_preview):
            message = f"{newer_than_tables(f'Talos {talos}')}. The rules go by the newest Talos that they know"
            yield Violation(Severity.INFO, message, config)


_RENOVATE_FIX = "Watch the releases of Talos: datasource=github-releases depName=siderolabs/talos"


@Rule(
    id="TG132",
    claim="No node installs ghcr.io/siderolabs/installer from Talos 1.14 on, and Renovate does not watch it",
    symptom="ghcr.io/siderolabs/installer:v1.14.0: not found; Renovate proposes no Talos newer than 1.13",
    fix="Name the image of the node's schematic at the Image Factory: talos-gpu schematic --from FILE --print "
    "installer. For Renovate: datasource=github-releases depName=siderolabs/talos",
    source="https://docs.siderolabs.com/talos/v1.14/getting-started/what's-new-in-talos#default-installer-image",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example(talconfig("    talosImageURL: ghcr.io/siderolabs/installer\n", "v1.14.0")),
    passing=Example(talconfig("    talosImageURL: ghcr.io/siderolabs/installer\n")),
)
@once
def _published(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        image, talos = known_text(config.image), talos_of(config, inputs)
        if split_reference(image).repository == PUBLISHED_INSTALLER and talos is not None and talos.minor not in PUBLISHED_RELEASES:
            message = (
                f"Talos {talos.minor_version} has no image {PUBLISHED_INSTALLER}: since Talos 1.14 only the Image Factory has installer images. The node "
                "can't be installed or upgraded"
            )
            path, related = config.paths.get("image", ()), talos_of_nodes(inputs, config)
            yield Violation(Severity.ERROR, message, config, path, edits=_plain_image(config, image), related=related)
    for each in inputs.watched:
        yield _watched(each)


def _watched(watched: WatchedImage) -> Violation:
    message = f"Renovate watches {watched.image}, which ends with Talos {PUBLISHED_RELEASES.last}: it will never propose Talos 1.14"
    return Violation(Severity.WARNING, message, watched, fix=_RENOVATE_FIX)


def _plain_image(config: NodeConfig, image: str) -> tuple[Edit, ...]:
    """The edit to the image without extensions of a metal machine, which the published one was. A node with a card
    needs another image."""
    path = config.paths.get("image", ())
    tag = split_reference(image).tag
    talos = tag.removeprefix("v")
    if is_for_gpus(config) or config.at(*path) != image or not talos or talos == tag:
        return ()
    minor = int(talos.split(".")[1])
    return set_to(installer_image(schematic_id({"customization": {}}), talos, minor), path, safe=False)
