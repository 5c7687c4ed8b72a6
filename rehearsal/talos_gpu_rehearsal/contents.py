"""The contents of images: which programs stand for an image of a manifest, and what upstream's image sets for them.

NVIDIA's device plugin, feature discovery and DRA driver, and Node Feature Discovery, are their own programs. Every
other image is the stand-in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from constructs_lib.upstream.kubernetes.registries import Reference, split_reference
from constructs_lib.upstream.nvidia.dcgm_metric_names import DCGM_4_7, EXPORTER_RENAMED, own_node_label
from constructs_lib.upstream.version import Version

from .sources import DRA_MPS_DAEMON, DRA_PRESTART, SOURCES

ALL_GPUS = {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
"""The variables of NVIDIA's CUDA images, and of images made from them. NVIDIA's legacy runtime then shows every card to
a container without a limit.

Source: NVIDIA/k8s-device-plugin deployments/container/Dockerfile at v0.17.4, v0.18.2, v0.19.1 and v0.20.0;
ollama/ollama Dockerfile at 000ce02;
NVIDIA/dcgm-exporter docker/Dockerfile at 4.8.4 (2026-11-23)
"""

_AGENT = {"NVIDIA_DISABLE_REQUIRE": "true"}
_NO_GPU = {"NVIDIA_VISIBLE_DEVICES": "void"}
_OPERATOR = frozenset({"gpu-operator", "gpu-operator-validator", "container-toolkit", "k8s-driver-manager"})
"""The images of NVIDIA's registry that show no card.

Source: NVIDIA/gpu-operator docker/Dockerfile at v26.7.0; NVIDIA/nvidia-container-toolkit
deployments/container/Dockerfile at v1.19.1 (2026-11-23)
"""

_FROM_CUDA = frozenset({"ollama", "vllm-openai", "sglang", "text-embeddings-inference", "jellyfin"})
"""The images without cuda in their name that set `ALL_GPUS` or are made from a CUDA image.

Source: ollama/ollama Dockerfile at 000ce02; vllm-project/vllm docker/Dockerfile at 0000977; and as
`constructs_lib/upstream/programs/images.py` (2026-11-23)
"""

PLUGIN_MODULE = "github.com/NVIDIA/k8s-device-plugin"
STAND_IN = "stand-in"
_INSTALLER = "nvidia-ctk-installer"
_NRI_PLUGIN = "the installer and NRI plugin of NVIDIA's container toolkit"


@dataclass(frozen=True, kw_only=True)
class Content:
    """What runs in place of an image."""

    says: str
    """The programs in words, for the report."""
    programs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """For each program of `build.program`: the files of its folder, with their paths in the image."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files of text, by their paths in the image."""
    links: Mapping[str, str] = field(default_factory=dict)
    """The targets of links, by their paths in the image."""
    entrypoint: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    user: str = ""


def content_of(image: str) -> Content:
    """The content of an image, by the last part of its name: copies in other registries have the same name."""
    reference = split_reference(image)
    for name, make in _CONTENTS.items():
        if name in reference.name:
            return make(reference)
    return _stand_in(reference)


def _device_plugin(reference: Reference) -> Content:
    """The device plugin with feature discovery, of the built release that is nearest to the tag.

    Source: NVIDIA/k8s-device-plugin deployments/container/Dockerfile at v0.17.4, v0.18.2, v0.19.1 and v0.20.0
    (2026-11-23)
    """
    name = nearest_plugin(reference.tag)
    release = SOURCES[name].release
    asked = reference.tag.removeprefix("v").partition("-")[0]
    differs = "" if asked == release else f"; the image is {reference.tag or 'of no tag'}, and the rehearsal builds no such release"
    return Content(
        says=f"NVIDIA's device plugin {release}{differs}",
        programs={name: {each: f"usr/bin/{each}" for each in SOURCES[name].files}},
        entrypoint=("nvidia-device-plugin",),
        env={**_AGENT, **ALL_GPUS, **(_NOT_UNASKED if _numbers(reference.tag) >= _numbers("0.19.3") else {})},
        user="0:0",
    )


_NOT_UNASKED = {"GDRCOPY_ENABLED": "false", "GDS_ENABLED": "false", "MOFED_ENABLED": "false"}
"""The defaults of the plugin from 0.19.3 on, which 0.19.1 in its place does not have: no devices that nobody asked for.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.19.1, v0.19.3 and v0.20.0 (2026-11-23)
"""


def nearest_plugin(tag: str) -> str:
    """The program with the newest release of the device plugin up to that of a tag, else the oldest that is built."""
    built = sorted(
        (name for name in SOURCES if SOURCES[name].release_of == PLUGIN_MODULE), key=lambda name: _numbers(SOURCES[name].release)[:2]
    )
    asked = _numbers(tag)[:2] or (99,)
    older = [name for name in built if _numbers(SOURCES[name].release)[:2] <= asked]
    return older[-1] if older else built[0]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version.partition("-")[0])))


def _feature_discovery(reference: Reference) -> Content:
    """Node Feature Discovery. The image has no entry point.

    Source: kubernetes-sigs/node-feature-discovery Dockerfile at v0.18.3 (2026-11-23)
    """
    return Content(
        says=_built("nfd", "Node Feature Discovery", reference),
        programs={"nfd": {each: f"usr/bin/{each}" for each in SOURCES["nfd"].files}},
        env={"GRPC_GO_LOG_SEVERITY_LEVEL": "INFO"},
        user="65534:65534",
    )


def _dra_driver(reference: Reference) -> Content:
    """NVIDIA's DRA driver: its plugin for GPUs, the hook of its CDI files, and the script of its init container.

    Source: kubernetes-sigs/dra-driver-nvidia-gpu deployments/container/Dockerfile at v0.4.1 (2026-11-23)
    """
    driver = SOURCES["dra-driver"]
    prestart, daemon = driver.text(DRA_PRESTART).name, driver.text(DRA_MPS_DAEMON).name
    return Content(
        says=_built("dra-driver", "NVIDIA's DRA driver", reference),
        programs={
            "dra-driver": {each: f"usr/bin/{each}" for each in (*driver.files, prestart)} | {daemon: DRA_MPS_DAEMON},
            "toolkit": {"nvidia-cdi-hook": "usr/bin/nvidia-cdi-hook"},
        },
        env={**_AGENT, **ALL_GPUS, "NVIDIA_DRIVER_CAPABILITIES": "utility"},
        user="0:0",
    )


def _toolkit_installer(reference: Reference) -> Content:
    """The GPU operator's installer of the toolkit, which is the NRI plugin too: it copies the programs of a package to
    the node. Where containerd injects by CDI, nothing calls those that the links and empty files stand for.

    Source: NVIDIA/nvidia-container-toolkit deployments/container/Dockerfile and cmd/nvidia-ctk-installer/toolkit/installer
    at v1.20.0 (2026-11-23)
    """
    name, package = "toolkit-1.20", "artifacts/deb/usr"
    package_programs = {each: f"{package}/bin/{each}" for each in SOURCES[name].files if each != _INSTALLER}
    runtimes = {f"{package}/bin/nvidia-container-runtime.{mode}": "nvidia-container-runtime" for mode in ("cdi", "legacy")}
    return Content(
        says=f"{_built(name, _NRI_PLUGIN, reference)}, without libnvidia-container",
        programs={name: {**package_programs, _INSTALLER: f"work/{_INSTALLER}"}},
        links={
            **runtimes,
            f"{package}/bin/nvidia-container-cli": f"/{STAND_IN}",
            "usr/bin/nvidia-toolkit": f"/work/{_INSTALLER}",
        },
        files={f"{package}/lib64/{library}": "" for library in ("libnvidia-container.so.1", "libnvidia-container-go.so.1")},
        entrypoint=(f"/work/{_INSTALLER}",),
        env={**_AGENT, **_NO_GPU, "NVIDIA_DRIVER_CAPABILITIES": "utility"},
        user="0:0",
    )


def _built(name: str, words: str, reference: Reference) -> str:
    release = SOURCES[name].release
    differs = (
        ""
        if reference.tag.removeprefix("v") == release
        else f"; the image is {reference.tag or 'of no tag'}, and the rehearsal builds no such release"
    )
    return f"{words} {release}{differs}"


def _pause(_: Reference) -> Content:
    """The program of a pod's sandbox, which waits for its end."""
    return Content(says="a program of ours that waits, in place of pause", entrypoint=("/pause",), user="65535:65535")


def _exporter(reference: Reference) -> Content:
    """The stand-in as dcgm-exporter, with the counters that the exporter exports without a file of the user's.

    Source: NVIDIA/dcgm-exporter docker/Dockerfile and internal/pkg/rendermetrics/render_metrics.go at 4.5.3-4.8.2
    (2026-11-23)
    """
    release = Version.parse(reference.tag.partition("-")[2].partition("-")[0]) or Version(0, 0)
    names = [new.name if release >= EXPORTER_RENAMED else old for old, new in DCGM_4_7.items() if new.active]
    counters = "".join(f"{name}, gauge, a value of the rehearsal\n" for name in names)
    return Content(
        says="the stand-in for dcgm-exporter: its counters for each card that the container sees, all 0 but for the memory",
        files={"etc/dcgm-exporter/default-counters.csv": counters, "etc/dcgm-exporter/node-label": own_node_label(release)},
        entrypoint=(f"/{STAND_IN}",),
        env={**_AGENT, **ALL_GPUS, "NVIDIA_DRIVER_CAPABILITIES": "compute,utility,compat32"},
        user="root",
    )


def _stand_in(reference: Reference) -> Content:
    """The program of ours that says what its container sees."""
    shows = (
        reference.name in _FROM_CUDA or "cuda" in f"{reference.name}:{reference.tag}" or reference.repository.startswith("nvcr.io/nvidia/")
    )
    env = _NO_GPU if reference.name in _OPERATOR else ALL_GPUS if shows else {}
    return Content(
        says="the stand-in: it says what its container sees, answers every request and computes nothing",
        entrypoint=(f"/{STAND_IN}",),
        env=env,
    )


_CONTENTS: dict[str, Callable[[Reference], Content]] = {
    "k8s-device-plugin": _device_plugin,
    "gpu-feature-discovery": _device_plugin,
    "node-feature-discovery": _feature_discovery,
    "dra-driver-nvidia-gpu": _dra_driver,
    "k8s-dra-driver-gpu": _dra_driver,
    "container-toolkit": _toolkit_installer,
    "dcgm-exporter": _exporter,
    "pause": _pause,
}
"""The images with programs of their own, by a part of their name."""
