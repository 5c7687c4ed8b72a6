"""CDI specs of a device plugin: the driver root in the plugin's container, and the driver root on the host."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.agents import Agent, device_plugins
from ...observed.agents.plugin_options import options_of, strategies
from ...observed.model import ChartRelease, Inputs, Path, at, equals, is_among, is_open, is_unknown, known_str, mappings
from ...upstream.charts.device_plugin_chart import CONTAINER_DRIVER_ROOT, CONTAINER_DRIVER_ROOT_VARIABLES
from ...upstream.nvidia.plugin_words import DRIVER_ROOT_OPTION, LIST_STRATEGY
from ..edit import set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from .device_plugin_options import PLUGIN_PODS


def _cdi_roots(inputs: Inputs) -> Iterator[Violation]:
    for plugin in device_plugins(inputs):
        options = options_of(inputs, plugin, LIST_STRATEGY)
        if not any(word.startswith("cdi-") for option in options for word in strategies(option.value)):
            continue
        roots = options_of(inputs, plugin, DRIVER_ROOT_OPTION)
        root = roots[0].value if roots else None
        if plugin.release:
            if root is None and plugin.complete:
                yield _no_root(plugin, options[0].path)
        elif not is_unknown(root):
            yield from _of_daemon_set(plugin, known_str(root) or "/", roots[0].path if roots else options[0].path)


def _of_daemon_set(plugin: Agent, root: str, path: Path) -> Iterator[Violation]:
    env, mounts = at(plugin.container, "env"), at(plugin.container, "volumeMounts")
    named = [(is_among(at(each, "name"), CONTAINER_DRIVER_ROOT_VARIABLES), at(each, "value")) for _, each in mappings(env)]
    if is_open(env) or is_open(mounts) or any(not is_it.is_no and not (is_it.is_yes and isinstance(value, str)) for is_it, value in named):
        return
    inside = next((value for is_it, value in named if is_it.is_yes), CONTAINER_DRIVER_ROOT)
    mounted = [at(each, "name") for _, each in mappings(mounts) if not equals(at(each, "mountPath"), inside).is_no]
    folders = [
        at(volume, "hostPath", "path") for _, volume in mappings(at(plugin.spec, "volumes")) if is_among(at(volume, "name"), mounted).is_yes
    ]
    folder = folders[0] if folders else None
    if not mounted:
        yield _no_root(plugin, path)
    elif isinstance(folder, str) and (folder.rstrip("/") or "/") != (root.rstrip("/") or "/"):
        yield Violation(
            severity=Severity.ERROR,
            message=f"NVIDIA_DRIVER_ROOT is {root}, but {inside} is the host's {folder}. The CDI specs name host files that do not exist, and containers "
            "can't be created",
            about=plugin.about,
            path=path,
            fix=f"Set NVIDIA_DRIVER_ROOT={folder}, the host folder that is mounted at {inside}",
            edits=set_to(folder) if path[-1] == "value" else (),
        )


def _no_root(plugin: Agent, path: Path) -> Violation:
    where = "nvidiaDriverRoot is not set" if plugin.release else f"nothing is mounted at {CONTAINER_DRIVER_ROOT}"
    return Violation(
        severity=Severity.WARNING,
        message=f"the device list strategy is CDI, but {where}. The plugin finds no driver, and its CDI specs name no library",
        about=plugin.about,
        path=path,
        edits=set_to("/", (*plugin.about.values_path, "nvidiaDriverRoot"), safe=False) if isinstance(plugin.about, ChartRelease) else (),
        fix="Set nvidiaDriverRoot: /"
        if plugin.release
        else f"Mount hostPath / at {CONTAINER_DRIVER_ROOT} with readOnly: true, and set NVIDIA_DRIVER_ROOT=/",
    )


_ROOTS = """\
            - {{name: NVIDIA_DRIVER_ROOT, value: {}}}
          securityContext: {{privileged: true}}
          volumeMounts: [{{name: driver-root, mountPath: /driver-root, readOnly: true}}]
      volumes: [{{name: driver-root, hostPath: {{path: /}}}}]
"""
_CDI = PLUGIN_PODS % "cdi-annotations,cdi-cri"

RULES = (
    Rule(
        **WORDS["TG020"],
        severity=Severity.ERROR,
        check=_cdi_roots,
        failing=Example(talos="1.13", yaml=_CDI + _ROOTS.format("/usr/local")),
        passing=Example(talos="1.13", yaml=_CDI + _ROOTS.format("/")),
    ),
)
