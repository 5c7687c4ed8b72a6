"""The driver's libraries in containers: workarounds, paths that are gone, and capabilities of video servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....observed.model import Inputs, Path, at, contains, is_given, is_open, known_str, mappings, search, starts_with
from ....observed.nodes.node_extensions import has_own_driver
from ....observed.pods.workloads import Container, Workload, gpu_workloads, workloads
from ....upstream.programs.images import CAPABILITIES, WITH_VIDEO, is_video_server, sets_capabilities
from ....upstream.talos.features import CAPABILITIES_FILTER, DRIVER_ROOT, EXEC_BREAKS, LEGACY_LIBRARIES, LEGACY_ROOT, OWN_LIBC_LOST
from ....upstream.talos.generations import CDI_LAYOUT, has_legacy_root
from ...rule import Example, Rule, Severity, Violation, Witness, addition, removal, set_to
from .._shared import ONE_GPU, pod

_PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
# The probes and the hook whose failure restarts the container.
_RESTARTING = ("startupProbe", "livenessProbe", "postStart")
_RESTARTS = ". Then Kubernetes restarts the container"
# Images with their own libc, which searches only its own folder.
_OWN_LIBC = r"(^|/)(plex|pms-docker)([:@-]|$)"
_HOOK = "      lifecycle: {postStart: {exec: {command: [ollama, pull, llama3.2]}}}\n"
_SLEEP = "      lifecycle: {preStop: {sleep: {seconds: 10}}}\n"


@Rule(
    id="TG050",
    claim="On Talos 1.12 no hook or probe runs a command in a container with a GPU",
    symptom="FailedPostStartHook; ERROR: init 250 result=11; a container that exits with code 0 a few seconds after its start",
    fix="Pull models in a Job or an init container, probe by httpGet, and set preStop: {sleep: {seconds: 10}}; or upgrade to Talos 1.13",
    source="siderolabs/extensions#940",
    severity=Severity.INFO,
    shown_by=Witness.CARD,
    failing=Example(pod(ONE_GPU + _HOOK), talos="1.12"),
    passing=Example(pod(ONE_GPU + _SLEEP), talos="1.12"),
    talos=EXEC_BREAKS,
)
def _executed(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        for container in workload.containers:
            if container.gpus:
                for path, caller in _commands(container):
                    message = (
                        f"the {caller} runs a command in a GPU container. On {EXEC_BREAKS} an exec into a GPU container may fail (init 250 "
                        f"result=11, siderolabs/extensions#940){_RESTARTS if path[-1] in _RESTARTING else ''}"
                    )
                    yield Violation(Severity.INFO, message, workload.about, (*container.path, *path))


def _commands(container: Container) -> Iterator[tuple[Path, str]]:
    """Hooks and probes that run a command in the container."""
    for hook in ("postStart", "preStop"):
        if isinstance(at(container.body, "lifecycle", hook, "exec"), Mapping):
            yield ("lifecycle", hook), f"{hook} hook"
    for probe in _PROBES:
        if isinstance(at(container.body, probe, "exec"), Mapping):
            yield (probe,), probe


_PLEX = pod(ONE_GPU).replace("ollama/ollama:0.32.15", "ghcr.io/home-operations/plex:1.43.3")
_PATH = "      env: [{name: LD_LIBRARY_PATH, value: /usr/local/glibc/usr/lib}]\n"


@Rule(
    id="TG051",
    claim=f"{OWN_LIBC_LOST.opening} an image with its own libc has LD_LIBRARY_PATH set to the driver's libraries",
    symptom="Plex transcodes on the CPU; Cannot load libcuda.so.1",
    fix=f"Set LD_LIBRARY_PATH={LEGACY_LIBRARIES}, and remove the variable on Talos 1.13",
    source="DavidIlie/home-cluster kubernetes/apps/media/plex",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(_PLEX, talos="1.12"),
    passing=Example(_PLEX + _PATH, talos="1.12"),
    talos=OWN_LIBC_LOST,
)
def _own_libc(inputs: Inputs) -> Iterator[Violation]:
    if any(map(has_own_driver, inputs.node_configs)):
        return
    for workload in workloads(inputs):
        for container in workload.containers:
            image = f"{container.image}".partition("@")[0]
            sees_gpus = container.gpus or container.visible_devices
            if sees_gpus and search(_OWN_LIBC, container.image).is_yes and container.sets("LD_LIBRARY_PATH").is_no:
                message = f"the image {image} brings its own libc. {OWN_LIBC_LOST.opening} this libc does not find the driver's libraries without LD_LIBRARY_PATH"
                edits = (
                    ()
                    if at(container.body, "path") is not None
                    else addition({"name": "LD_LIBRARY_PATH", "value": LEGACY_LIBRARIES}, path=(*container.path, "env"), safe=False)
                )
                yield Violation(Severity.WARNING, message, workload.about, (*container.path, "image"), edits=edits)


_MOUNT = "      volumeMounts: [{name: driver, mountPath: /driver}]\n"
_VOLUME = "  volumes: [{name: driver, hostPath: {path: %s}}]\n"


@Rule(
    id="TG061",
    claim=f"{CDI_LAYOUT.opening} no pod names {LEGACY_ROOT}",
    symptom='CreateContainerError: failed to mkdir "/usr/local/glibc/usr/lib": mkdir /usr/local/glibc: read-only file system; '
    "MountVolume.SetUp failed: hostPath type check failed: /usr/local/glibc/usr/lib is not a directory",
    fix="Use /usr/local/lib and /usr/local/bin, or remove the path: CDI gives the container the libraries",
    source="https://github.com/siderolabs/extensions/commit/fdd02585",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(pod(ONE_GPU + _MOUNT, _VOLUME % "/usr/local/glibc/usr/lib"), talos="1.13"),
    passing=Example(pod(ONE_GPU + _MOUNT, _VOLUME % "/usr/local/glibc/usr/lib"), talos="1.12"),
    talos=CDI_LAYOUT,
)
def _old_place(inputs: Inputs) -> Iterator[Violation]:
    if inputs.talos_version and has_legacy_root(inputs.talos_version.version):
        return
    for workload in workloads(inputs):
        for index, volume in mappings(at(workload.spec, "volumes")):
            path = at(volume, "hostPath", "path")
            if known_str(path) == LEGACY_ROOT or starts_with(path, f"{LEGACY_ROOT}/").is_yes:
                yield Violation(
                    Severity.ERROR,
                    f"the pod mounts {path} of the host, a path that Talos {inputs.talos_version} no longer has. The driver's libraries are "
                    f"in /usr/local/lib since Talos {CDI_LAYOUT.first}",
                    workload.about,
                    (*workload.path, "volumes", index, "hostPath"),
                    edits=set_to(f"{DRIVER_ROOT}/lib", (*workload.path, "volumes", index, "hostPath", "path"), safe=False)
                    if path == LEGACY_LIBRARIES
                    else (),
                )
        for container in workload.containers:
            for name, (index, value) in container.env.items():
                if contains(value, LEGACY_ROOT).is_yes:
                    alone = name == "LD_LIBRARY_PATH"
                    message = f"{name} names {LEGACY_ROOT}, a path that Talos {inputs.talos_version} no longer has" + (
                        ". The variable has no effect" if alone else f". The driver is below /usr/local since Talos {CDI_LAYOUT.first}"
                    )
                    edits = removal(safe=False) if alone and value == LEGACY_LIBRARIES else ()
                    yield Violation(
                        Severity.INFO if alone else Severity.ERROR, message, workload.about, (*container.path, "env", index), edits=edits
                    )


_ENV = "      env: [{name: NVIDIA_DRIVER_CAPABILITIES, value: %s}]\n"
_SERVER = pod("      resources: {limits: {nvidia.com/gpu: 1}}\n" + _ENV).replace("ollama/ollama:0.32.15", "jellyfin/jellyfin:10.11.11")


@Rule(
    id="TG120",
    claim="A video server gets the driver's libraries for NVENC and NVDEC",
    symptom="Cannot load libnvidia-encode.so.1; Cannot load libnvcuvid.so.1; The minimum required Nvidia driver "
    "for nvenc is 418.30 or newer",
    fix="Set the variable NVIDIA_DRIVER_CAPABILITIES of the container to compute,video,utility",
    source="linuxserver/docker-plex#340; jellyfin-archive/jellyfin-metapackages#2",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(_SERVER % '"compute,utility"', talos="1.11"),
    # The image sets the variable itself.
    passing=Example(_SERVER.replace(_ENV, ""), talos="1.11"),
    talos=CAPABILITIES_FILTER,
)
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
                message = (
                    f"{capabilities}. On {CAPABILITIES_FILTER} NVIDIA's runtime then leaves out the libraries for video: 'Cannot load "
                    "libnvidia-encode.so.1' and 'Cannot load libnvcuvid.so.1'. The server encodes and decodes on the CPU"
                )
                yield Violation(Severity.WARNING, message, workload.about, _path(container))


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
