"""Video servers without the driver's libraries for NVENC and NVDEC."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.model import Inputs, Path, at, is_given, is_open
from ...observed.pods.workloads import Container, Workload, gpu_workloads
from ...upstream.programs.video_images import CAPABILITIES, WITH_VIDEO, is_video_server, sets_capabilities
from ...upstream.talos.features import CAPABILITIES_FILTER
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import pod


def _without_video(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        for container in workload.containers:
            image = at(container.body, "image")
            if (
                isinstance(image, str)
                and is_video_server(image)
                and container.gpus
                and (capabilities := _capabilities(workload, container, image))
            ):
                yield Violation(
                    severity=Severity.WARNING,
                    message=f"{capabilities}. On {CAPABILITIES_FILTER} NVIDIA's runtime then leaves out the libraries for video: 'Cannot load "
                    "libnvidia-encode.so.1' and 'Cannot load libnvcuvid.so.1'. The server encodes and decodes on the CPU",
                    about=workload.about,
                    path=_path(container),
                )


def _capabilities(workload: Workload, container: Container, image: str) -> str:
    """The capabilities of a container that lack video, in words. Empty if video is there, or may be."""
    value = container.env.get(CAPABILITIES, (0, None))[1]
    if isinstance(value, str):
        listed = [each.strip() for each in value.split(",")]
        return "" if any(each in WITH_VIDEO for each in listed) else f"{CAPABILITIES} is {value!r}, without video"
    may_be_set = not container.sets(CAPABILITIES).is_no or is_given(at(container.body, "envFrom")) or not workload.complete
    if may_be_set or is_open(at(container.body, "env")) or sets_capabilities(image):
        return ""
    return f"{CAPABILITIES} is not set, and the image {image} does not set the variable either"


def _path(container: Container) -> Path:
    if CAPABILITIES not in container.env:
        return (*container.path, "env")
    is_release = at(container.body, "path") is not None
    return (*container.path, "env", CAPABILITIES if is_release else container.env[CAPABILITIES][0])


_ENV = "      env: [{name: NVIDIA_DRIVER_CAPABILITIES, value: %s}]\n"
_SERVER = pod("      resources: {limits: {nvidia.com/gpu: 1}}\n" + _ENV).replace("ollama/ollama:0.32.15", "jellyfin/jellyfin:10.11.11")

RULES = (
    Rule(
        **WORDS["TG120"],
        severity=Severity.WARNING,
        check=_without_video,
        failing=Example(yaml=_SERVER % '"compute,utility"', talos="1.11"),
        # The image sets the variable itself.
        passing=Example(yaml=_SERVER.replace(_ENV, ""), talos="1.11"),
        talos=CAPABILITIES_FILTER,
    ),
)
