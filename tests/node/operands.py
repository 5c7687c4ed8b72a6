"""The operands of the GPU operator on Talos 1.15: its toolkit with the NRI plugin, and its device plugin.

The pods, variables and mounts of operator v26.7.0 with the values of this library for Talos 1.15. What its validator
and config manager do is not here: the test writes `driver-ready`.

Source: NVIDIA/gpu-operator assets/state-container-toolkit/, assets/state-device-plugin/ and TransformToolkit,
transformToolkitCtrForCDI, transformForRuntime, TransformDevicePlugin, transformDevicePluginCtrForCDI,
setNRIPluginAnnotation of controllers/object_controls.go at v26.7.0 (2026-11-23)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMESPACE = "gpu-operator"
VALIDATIONS = "/run/nvidia/validations"
DRIVER_READY = "IS_HOST_DRIVER=true\nNVIDIA_DRIVER_ROOT=/\nDRIVER_ROOT_CTR_PATH=/host\nNVIDIA_DEV_ROOT=/\nDEV_ROOT_CTR_PATH=/host\n"
"""What the validator writes on a node with /usr/bin/nvidia-smi.

Source: NVIDIA/gpu-operator cmd/nvidia-validator/main.go and driver.go at v26.7.0 (2026-11-23)
"""
_SOCKETS = "/var/lib/kubelet/device-plugins"
INSTALL_DIR = "/var/lib/nvidia"
MANAGEMENT = "management.nvidia.com/gpu"
TOOLKIT = "nvcr.io/nvidia/k8s/container-toolkit:v1.20.0"
PLUGIN = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"


def toolkit() -> dict[str, Any]:
    """The DaemonSet of the toolkit in NRI mode."""
    variables = {
        "ROOT": "/usr/local/nvidia",
        "TOOLKIT_INSTALL_DIR": INSTALL_DIR,
        "NVIDIA_CONTAINER_RUNTIME_MODES_CDI_DEFAULT_KIND": MANAGEMENT,
        "NVIDIA_VISIBLE_DEVICES": "void",
        "TOOLKIT_PID_FILE": "/run/nvidia/toolkit/toolkit.pid",
        "NRI_NAMESPACE": NAMESPACE,
        "CDI_ENABLED": "true",
        "NVIDIA_RUNTIME_SET_AS_DEFAULT": "false",
        "NVIDIA_CONTAINER_RUNTIME_MODE": "cdi",
        "CRIO_CONFIG_MODE": "config",
        "ENABLE_NRI_PLUGIN": "true",
        "RUNTIME": "containerd",
        "NRI_SOCKET": "/runtime/nri-sock-dir/nri.sock",
    }
    mounts = {
        "/run/nvidia/toolkit": "/run/nvidia/toolkit",
        INSTALL_DIR: INSTALL_DIR,
        "/runtime/nri-sock-dir": "/var/run/nri",
    }
    return _daemon_set("nvidia-container-toolkit-ctr", TOOLKIT, "nvidia-toolkit", variables, mounts, hostPID=True)


def device_plugin() -> dict[str, Any]:
    """The DaemonSet of the device plugin. By NRI it asks for every card and the driver's libraries."""
    name = "nvidia-device-plugin"
    variables = {
        "PASS_DEVICE_SPECS": "true",
        "FAIL_ON_INIT_ERROR": "true",
        "DEVICE_LIST_STRATEGY": "cdi-annotations,cdi-cri",
        "DEVICE_ID_STRATEGY": "uuid",
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_DRIVER_CAPABILITIES": "all",
        "MPS_ROOT": "/run/nvidia/mps",
        "CDI_ENABLED": "true",
        "CDI_ANNOTATION_PREFIX": "cdi.k8s.io/",
        "NVIDIA_CDI_HOOK_PATH": f"{INSTALL_DIR}/toolkit/nvidia-cdi-hook",
    }
    mounts = {_SOCKETS: _SOCKETS, "/mps": "/run/nvidia/mps"}
    made = _daemon_set(name, PLUGIN, name, variables, mounts)
    made["spec"]["template"]["metadata"]["annotations"] = {f"nvidia.cdi.k8s.io/container.{name}": f"{MANAGEMENT}=all"}
    return made


def waiting_plugin(values: Mapping[str, Any]) -> dict[str, Any]:
    """The DaemonSet of the device plugin up to Talos 1.14, for values of the chart: it waits for `toolkit-ready`, has the host's driver from
    `hostPaths.driverInstallDir`, and injects by CDI where nothing else is said.
    """
    made = _daemon_set("nvidia-device-plugin-daemonset", PLUGIN, "nvidia-device-plugin", {}, {_SOCKETS: _SOCKETS})
    pod = made["spec"]["template"]["spec"]
    pod["runtimeClassName"] = "nvidia"
    (container,) = pod["containers"]
    container |= {"command": ["nvidia-device-plugin"], "args": []}
    of_cdi = values.get("cdi", {}).get("enabled", True)
    variables = {"PASS_DEVICE_SPECS": "true", "DEVICE_LIST_STRATEGY": "cdi-annotations,cdi-cri" if of_cdi else "envvar"}
    variables |= {each["name"]: each["value"] for each in values.get("devicePlugin", {}).get("env", ())}
    container["env"] = [{"name": key, "value": value} for key, value in variables.items()]
    (driver,) = (each for each in pod["volumes"] if each["hostPath"]["path"] == "/usr/local")
    driver["hostPath"] = {"path": values.get("hostPaths", {}).get("driverInstallDir", "/run/nvidia/driver")}
    script = f"until [ -f {VALIDATIONS}/toolkit-ready ]; do echo waiting for nvidia container stack to be setup; sleep 1; done"
    pod["initContainers"] = [
        {
            "name": "toolkit-validation",
            "image": "nvcr.io/nvidia/gpu-operator:v26.7.0",
            "command": ["sh", "-c"],
            "args": [script],
            "securityContext": {"privileged": True},
            "volumeMounts": [each for each in container["volumeMounts"] if each["mountPath"] == VALIDATIONS],
        }
    ]
    return made


def _daemon_set(name: str, image: str, program: str, variables: dict[str, str], mounts: dict[str, str], **more: Any) -> dict[str, Any]:
    """A privileged DaemonSet that starts a program with the variables of `driver-ready`. `mounts` are the host's paths
    by those of the container.
    """
    shared = {VALIDATIONS: VALIDATIONS, "/driver-root": "/usr/local", "/host": "/", "/var/run/cdi": "/var/run/cdi"}
    paths = list({**shared, **mounts}.items())
    container = {
        "name": name,
        "image": image,
        "command": ["/bin/sh", "-ec"],
        "args": [f"set -a; . {VALIDATIONS}/driver-ready; exec {program}"],
        "env": [{"name": key, "value": value} for key, value in variables.items()],
        "securityContext": {"privileged": True},
        "volumeMounts": [
            {"name": f"host-{number}", "mountPath": inside, "mountPropagation": "HostToContainer"}
            | ({"readOnly": True} if inside == "/host" else {})
            for number, (inside, _) in enumerate(paths)
        ],
    }
    folders = [
        {"name": f"host-{number}", "hostPath": {"path": path, "type": "Directory" if path in ("/", "/usr/local") else "DirectoryOrCreate"}}
        for number, (_, path) in enumerate(paths)
    ]
    spec = {"containers": [container], "volumes": folders, "priorityClassName": "system-node-critical", **more}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
        },
    }
