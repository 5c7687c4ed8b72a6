"""HAMi, a device plugin that shares GPUs by memory: the folders of its chart on the node."""

from __future__ import annotations

HAMI_CHART = "hami"
"""The name of HAMi's chart.

Source: Project-HAMi/HAMi charts/hami/Chart.yaml at v2.9.0 (2026-11-22)
"""

HOOK_FOLDER = ("global", "gpuHookPath")
"""The chart's value for the folder of the node, and of a pod, that holds `vgpu` with HAMi's library.

Source: Project-HAMi/HAMi charts/hami/values.yaml at v2.9.0 (2026-11-22)
"""

HAMI_FOLDERS = {
    ("devicePlugin", "libPath"): "/usr/local/vgpu",
    ("devicePlugin", "monitor", "ctrPath"): "/usr/local/vgpu/containers",
    HOOK_FOLDER: "/usr/local",
}
"""The chart's values for folders of the node, with their defaults. The plugin mounts the first two, and gives pods
files of `vgpu` below the third.

Source: Project-HAMi/HAMi charts/hami/values.yaml and pkg/device-plugin/nvidiadevice/nvinternal/plugin/server.go at
v2.9.0 (2026-11-22)
"""

OLD_MONITOR_FOLDER = ("devicePlugin", "monitorctrPath")
"""The second value of `HAMI_FOLDERS` before `MONITOR_SINCE`.

Source: Project-HAMi/HAMi charts/hami/values.yaml at v2.4.0 and v2.6.0 (2026-11-22)
"""

MONITOR_SINCE = "2.7.0"
"""The first version with `devicePlugin.monitor`, and with `devicePlugin.enabled`.

Source: Project-HAMi/HAMi charts/hami/values.yaml at v2.6.0 and v2.7.0 (2026-11-22)
"""

PRELOAD_SINCE = "2.10.0"
"""The first version that writes the path of its library into ld.so.preload. An older one always writes /usr/local/vgpu.

Source: Project-HAMi/HAMi docker/vgpu-init.sh at 229130af, first in v2.10.0 (2026-11-22)
"""
