"""HAMi's chart on Talos: the folders on the node that its defaults name are read-only there."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import ChartRelease, Inputs, equals
from ....observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ....observed.objects.helm_values import is_on
from ....upstream.programs.cluster_programs import HAMI_CHART, HAMI_FOLDERS, HOOK_FOLDER, MONITOR_SINCE, OLD_MONITOR_FOLDER, PRELOAD_SINCE
from ....upstream.talos.folders import IMAGE_FOLDERS
from ....upstream.version import Version
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import chart_release

_HOME = "/var/lib/hami"


_MOVED = """\
    global: {gpuHookPath: /var/lib/hami}
    devicePlugin: {libPath: /var/lib/hami/vgpu, monitor: {ctrPath: /var/lib/hami/vgpu/containers}}
"""


@Rule(
    id="TG119",
    claim="HAMi keeps its files in a folder that Talos can write",
    symptom='CreateContainerError of hami-device-plugin: failed to mkdir "/usr/local/vgpu": mkdir /usr/local/vgpu: read-only file system',
    fix="Set global.gpuHookPath, devicePlugin.libPath and devicePlugin.monitor.ctrPath to folders below /var",
    source="Project-HAMi/HAMi charts/hami/values.yaml; Project-HAMi/k8s-dra-driver#46",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(
        chart_release(HAMI_CHART, "2.10.0") + "    devicePlugin: {runtimeClassName: nvidia, libPath: /usr/local/vgpu}\n", talos="1.13"
    ),
    passing=Example(chart_release(HAMI_CHART, "2.10.0") + _MOVED, talos="1.13"),
)
def _read_only(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.releases:
        enabled = release.value("devicePlugin", "enabled") if equals(release.chart, HAMI_CHART).is_yes else False
        if enabled is not None and not is_on(enabled).is_yes:
            continue
        folders = {path: folder for path, folder in _folders(release) if isinstance(folder, str) and _is_read_only(folder)}
        if folders:
            path, folder = next(iter(folders.items()))
            is_default = release.value(*path) is None  # another source of values may set the folder
            whose, missing = ("GPU pods stay", f"{folder}/vgpu") if path == HOOK_FOLDER else ("HAMi's device plugin stays", folder)
            yield Violation(
                Severity.ERROR if gpu_nodes_run_talos(inputs) and not is_default else Severity.WARNING,
                f"{'.'.join(path)} is {folder}{' by default' if is_default else ''}, which is read-only on Talos. {whose} in CreateContainerError (failed to mkdir "
                f'"{missing}": read-only file system)',
                release,
                (*release.values_path, *path),
                fix=_fix(release),
            )


def _folders(release: ChartRelease) -> Iterator[tuple[tuple[str, ...], object]]:
    """The chart's folders on the node with their paths in the values: the written folders, or else the defaults."""
    for path, default in HAMI_FOLDERS.items():
        key = OLD_MONITOR_FOLDER if "monitor" in path and _is_older(release, MONITOR_SINCE) else path
        value = release.value(*key)
        yield key, default if value is None else value


def _is_older(release: ChartRelease, version: str) -> bool:
    own, other = Version.parse(release.version), Version.parse(version)
    return own is not None and other is not None and own < other


def _is_read_only(folder: str) -> bool:
    return f"{folder}/".startswith(tuple(f"{each}/" for each in IMAGE_FOLDERS))


def _fix(release: ChartRelease) -> str:
    library, monitor, hook = (".".join(path) for path, _ in _folders(release))
    settings = f"Set {hook}: {_HOME}, {library}: {_HOME}/vgpu and {monitor}: {_HOME}/vgpu/containers"
    if not _is_older(release, PRELOAD_SINCE):
        return settings
    return f"Update HAMi to {PRELOAD_SINCE} (older releases write /usr/local/vgpu into ld.so.preload in any case, and limit nothing). {settings}"
