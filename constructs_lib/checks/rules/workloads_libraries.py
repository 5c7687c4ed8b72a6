"""The driver's libraries in containers: workarounds that Talos 1.12 needs, and paths that Talos 1.13 no longer has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...observed.model import Inputs, Path, at, contains, known_str, mappings, search, starts_with
from ...observed.nodes.node_extensions import has_own_driver
from ...observed.pods.workloads import Container, workloads
from ...upstream.talos.features import CDI_LAYOUT, DRIVER_ROOT, EXEC_BREAKS, LEGACY_LIBRARIES, LEGACY_ROOT, OWN_LIBC_LOST, has_legacy_root
from ..edit import addition, removal, set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import ONE_GPU, pod

_PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
# The probes and the hook whose failure restarts the container.
_RESTARTING = ("startupProbe", "livenessProbe", "postStart")
_RESTARTS = ". Then Kubernetes restarts the container"
# Images with their own libc, which searches only its own folder.
_OWN_LIBC = r"(^|/)(plex|pms-docker)([:@-]|$)"


def _executed(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        for container in workload.containers:
            if container.gpus:
                for path, caller in _commands(container):
                    yield Violation(
                        severity=Severity.INFO,
                        message=f"the {caller} runs a command in a GPU container. On {EXEC_BREAKS} an exec into a GPU container may fail (init 250 "
                        f"result=11, siderolabs/extensions#940){_RESTARTS if path[-1] in _RESTARTING else ''}",
                        about=workload.about,
                        path=(*container.path, *path),
                    )


def _commands(container: Container) -> Iterator[tuple[Path, str]]:
    """Hooks and probes that run a command in the container."""
    for hook in ("postStart", "preStop"):
        if isinstance(at(container.body, "lifecycle", hook, "exec"), Mapping):
            yield ("lifecycle", hook), f"{hook} hook"
    for probe in _PROBES:
        if isinstance(at(container.body, probe, "exec"), Mapping):
            yield (probe,), probe


def _own_libc(inputs: Inputs) -> Iterator[Violation]:
    if any(map(has_own_driver, inputs.node_configs)):
        return
    for workload in workloads(inputs):
        for container in workload.containers:
            image = f"{container.image}".partition("@")[0]
            sees_gpus = container.gpus or container.visible_devices
            if sees_gpus and search(_OWN_LIBC, container.image).is_yes and container.sets("LD_LIBRARY_PATH").is_no:
                yield Violation(
                    severity=Severity.WARNING,
                    message=f"the image {image} brings its own libc. On Talos 1.12 this libc does not find the driver's libraries without LD_LIBRARY_PATH",
                    about=workload.about,
                    path=(*container.path, "image"),
                    edits=()
                    if at(container.body, "path") is not None
                    else addition({"name": "LD_LIBRARY_PATH", "value": LEGACY_LIBRARIES}, path=(*container.path, "env"), safe=False),
                )


def _old_place(inputs: Inputs) -> Iterator[Violation]:
    if inputs.talos_version and has_legacy_root(inputs.talos_version.version):
        return
    for workload in workloads(inputs):
        for index, volume in mappings(at(workload.spec, "volumes")):
            path = at(volume, "hostPath", "path")
            if _is_there(path):
                yield Violation(
                    severity=Severity.ERROR,
                    message=f"the pod mounts {path} of the host, a path that Talos {inputs.talos_version} no longer has. The driver's libraries are "
                    "in /usr/local/lib since Talos 1.13",
                    about=workload.about,
                    path=(*workload.path, "volumes", index, "hostPath"),
                    edits=set_to(f"{DRIVER_ROOT}/lib", (*workload.path, "volumes", index, "hostPath", "path"), safe=False)
                    if path == LEGACY_LIBRARIES
                    else (),
                )
        for container in workload.containers:
            for name, (index, value) in container.env.items():
                if contains(value, LEGACY_ROOT).is_yes:
                    alone = name == "LD_LIBRARY_PATH"
                    yield Violation(
                        severity=Severity.INFO if alone else Severity.ERROR,
                        message=f"{name} names {LEGACY_ROOT}, a path that Talos {inputs.talos_version} no longer has"
                        + (". The variable has no effect" if alone else ". The driver is below /usr/local since Talos 1.13"),
                        about=workload.about,
                        path=(*container.path, "env", index),
                        edits=removal(safe=False) if alone and value == LEGACY_LIBRARIES else (),
                    )


def _is_there(path: Any) -> bool:
    return known_str(path) == LEGACY_ROOT or starts_with(path, f"{LEGACY_ROOT}/").is_yes


_PLEX = pod(ONE_GPU).replace("ollama/ollama:0.32.15", "ghcr.io/home-operations/plex:1.43.3")
_PATH = "      env: [{name: LD_LIBRARY_PATH, value: /usr/local/glibc/usr/lib}]\n"
_HOOK = "      lifecycle: {postStart: {exec: {command: [ollama, pull, llama3.2]}}}\n"
_SLEEP = "      lifecycle: {preStop: {sleep: {seconds: 10}}}\n"
_MOUNT = "      volumeMounts: [{name: driver, mountPath: /driver}]\n"
_VOLUME = "  volumes: [{name: driver, hostPath: {path: %s}}]\n"

RULES = (
    Rule(
        **WORDS["TG050"],
        severity=Severity.INFO,
        check=_executed,
        failing=Example(yaml=pod(ONE_GPU + _HOOK), talos="1.12"),
        passing=Example(yaml=pod(ONE_GPU + _SLEEP), talos="1.12"),
        talos=EXEC_BREAKS,
    ),
    Rule(
        **WORDS["TG051"],
        severity=Severity.WARNING,
        check=_own_libc,
        failing=Example(yaml=_PLEX, talos="1.12"),
        passing=Example(yaml=_PLEX + _PATH, talos="1.12"),
        talos=OWN_LIBC_LOST,
    ),
    Rule(
        **WORDS["TG061"],
        severity=Severity.ERROR,
        check=_old_place,
        failing=Example(yaml=pod(ONE_GPU + _MOUNT, _VOLUME % "/usr/local/glibc/usr/lib"), talos="1.13"),
        passing=Example(yaml=pod(ONE_GPU + _MOUNT, _VOLUME % "/usr/local/glibc/usr/lib"), talos="1.12"),
        talos=CDI_LAYOUT,
    ),
)
