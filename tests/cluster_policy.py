"""What the chart gpu-operator makes of values: the spec of its ClusterPolicy, by a table of the chart's keys.

The chart itself can't be brought along. The table says of each field how the template writes it; the renderings of the real chart in
`reference/rendered/clusterpolicy` hold the table (tests/manifests/test_cluster_policy.py).

Source: NVIDIA/gpu-operator deployments/gpu-operator/templates/clusterpolicy.yaml at v25.3.4, v25.10.1, v26.3.3 and v26.7.0 (2026-11-23)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from constructs_lib.manifests.objects import merged
from constructs_lib.upstream.charts.gpu_operator_chart import is_within
from constructs_lib.upstream.version import Version

BARE = "written in any case, without quotes: an empty text becomes null"
BARE_IF = "written without quotes, unless empty"
QUOTED = "written in any case, in quotes"
QUOTED_IF = "written in quotes, unless empty"
YAML_IF = "written as YAML, unless empty"

_IMAGE = {"repository": BARE_IF, "image": BARE_IF, "version": QUOTED_IF, "imagePullPolicy": BARE_IF, "imagePullSecrets": YAML_IF}
_POD = {**_IMAGE, "resources": YAML_IF, "env": YAML_IF, "args": YAML_IF}
_OPERAND = {"enabled": BARE, **_POD}
_DRIVER_MANAGER = {"repository": BARE_IF, "image": BARE_IF, "version": QUOTED_IF, "imagePullPolicy": BARE_IF, "env": YAML_IF}
_HOST = ("v26.3.0", None, {"hostNetwork": BARE_IF})

Fields = Mapping[str, Any]
"""How each field is written: a word of this module, or the fields of a mapping, which is written in any case."""

_FIELDS: Fields = {
    "hostPaths": {"rootFS": BARE, "driverInstallDir": BARE},
    "operator": {"runtimeClass": BARE_IF, "defaultGPUMode": BARE_IF, "use_ocp_driver_toolkit": BARE_IF},
    "daemonsets": {"annotations": YAML_IF, "tolerations": YAML_IF, "priorityClassName": BARE_IF, "updateStrategy": BARE_IF},
    "validator": {**_POD, "version": QUOTED},
    "mig": {"strategy": BARE_IF},
    "psa": {"enabled": BARE},
    "cdi": {"enabled": BARE},
    "driver": {
        **_OPERAND, "kernelModuleType": BARE, "usePrecompiled": BARE, "startupProbe": YAML_IF, "livenessProbe": YAML_IF, "readinessProbe": YAML_IF,
        "rdma": {"enabled": BARE, "useHostMofed": BARE}, "manager": _DRIVER_MANAGER, "repoConfig": YAML_IF, "certConfig": YAML_IF,
        "licensingConfig": YAML_IF, "virtualTopology": YAML_IF, "kernelModuleConfig": YAML_IF,
    },
    "vgpuManager": {**_OPERAND, "driverManager": _DRIVER_MANAGER},
    "kataManager": {**_OPERAND, "config": YAML_IF},
    "vfioManager": {**_OPERAND, "driverManager": _DRIVER_MANAGER},
    "vgpuDeviceManager": {**_OPERAND, "config": YAML_IF},
    "ccManager": {**_OPERAND, "defaultMode": QUOTED},
    "toolkit": {**_OPERAND, "installDir": BARE_IF},
    "devicePlugin": _OPERAND,
    "dcgm": _OPERAND,
    "dcgmExporter": {**_OPERAND, "serviceMonitor": YAML_IF, "service": YAML_IF},
    "gfd": _OPERAND,
    "migManager": {**_OPERAND, "gpuClientsConfig": YAML_IF},
    "nodeStatusExporter": {**_OPERAND, "version": QUOTED},
    "gds": {"enabled": BARE, **_IMAGE, "env": YAML_IF, "args": YAML_IF},
    "gdrcopy": {"enabled": BARE, **_IMAGE, "env": YAML_IF, "args": YAML_IF},
    "sandboxWorkloads": {"enabled": BARE, "defaultWorkload": BARE_IF},
    "sandboxDevicePlugin": {"enabled": BARE_IF, **_POD},
}  # fmt: skip
_BY_VERSION: tuple[tuple[str | None, str | None, Fields], ...] = (
    (None, "v26.7.0", {"operator": {"initContainer": {**_IMAGE}}}),
    ("v26.7.0", None, {"operator": {"metrics": {"serviceMonitor": YAML_IF}}, "hostPaths": {"kubeletRootDir": BARE_IF}}),
    (None, "v25.10.0", {"cdi": {"default": BARE}}),
    ("v25.10.0", "v26.7.0", {"cdi": {"default": BARE_IF}}),
    ("v26.3.0", None, {"kataSandboxDevicePlugin": {"enabled": BARE_IF, **_POD}, "sandboxWorkloads": {"mode": QUOTED_IF}}),
    ("v26.3.0", None, {"vgpuManager": {"kernelModuleConfig": YAML_IF}}),
)


def policy(values: Mapping[str, Any], defaults: Mapping[str, Any], version: str) -> dict[str, Any]:
    """The ClusterPolicy that the chart of a version makes of values over its own."""
    parsed = Version.parse(version)
    assert parsed is not None
    fields = _FIELDS
    for since, before, more in _BY_VERSION:
        if is_within(parsed, since, before):
            fields = merged(fields, more)
    given = merged(defaults, values)
    app = {"validator": {"version": version}, "nodeStatusExporter": {"version": version}}
    spec = _mapping(fields, merged(app, given), "")
    spec["daemonsets"] |= {
        "labels": {"helm.sh/chart": f"gpu-operator-{version}", "app.kubernetes.io/managed-by": "gpu-operator"},
        "rollingUpdate": {"maxUnavailable": str(given["daemonsets"]["rollingUpdate"]["maxUnavailable"])},
    }
    spec["validator"] |= {name: {"env": at.get("env") or []} for name in _VALIDATIONS if (at := given["validator"].get(name))}
    spec["driver"] |= {"useNvidiaDriverCRD": given["driver"]["nvidiaDriverCRD"]["enabled"], "upgradePolicy": _upgrade_policy(given)}
    spec["devicePlugin"] |= _config(given["devicePlugin"]["config"], is_within(parsed, "v26.3.0", None))
    spec["migManager"] |= _mig_config(given["migManager"].get("config"), is_within(parsed, "v26.3.0", None))
    if given["cdi"]["enabled"] and given["cdi"].get("nriPluginEnabled") and is_within(parsed, "v26.3.0", None):
        spec["cdi"]["nriPluginEnabled"] = True
    return {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "cluster-policy"}, "spec": spec}


_VALIDATIONS = ("plugin", "cuda", "driver", "toolkit", "vfioPCI", "vgpuManager", "vgpuDevices")
_OPTIONAL = ("operator.initContainer", "operator.metrics", "gds", "gdrcopy")


def _mapping(fields: Fields, values: Any, path: str) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for key, how in fields.items():
        value = (values or {}).get(key)
        here = f"{path}.{key}".lstrip(".")
        if isinstance(how, Mapping):
            if value or here not in _OPTIONAL:
                written[key] = _mapping(how, value, here) or None
        elif value or how in (BARE, QUOTED):
            written[key] = value if how == YAML_IF else _bare(value) if how in (BARE, BARE_IF) else str(value)
    return written


def _bare(value: Any) -> Any:
    """What a YAML reader takes for a value that stands without quotes."""
    return yaml.safe_load(value) if isinstance(value, str) else value


def _config(config: Mapping[str, Any], is_quoted: bool) -> dict[str, Any]:
    if not config.get("name"):
        return {}
    return {"config": {key: config[key] if is_quoted else _bare(config[key]) for key in ("name", "default")}}


def _mig_config(config: Mapping[str, Any] | None, has_condition: bool) -> dict[str, Any]:
    if not config:
        return {}
    name = {} if has_condition and not config.get("name") else {"name": _bare(config.get("name"))}
    return {"config": {**name, "default": str(config["default"])}}


def _upgrade_policy(given: Mapping[str, Any]) -> dict[str, Any]:
    policy = given["driver"]["upgradePolicy"]
    deletion, drain = policy["gpuPodDeletion"], policy["drain"]
    return {
        "autoUpgrade": policy["autoUpgrade"],
        "maxParallelUpgrades": policy["maxParallelUpgrades"],
        "maxUnavailable": policy["maxUnavailable"],
        "waitForCompletion": {"timeoutSeconds": policy["waitForCompletion"]["timeoutSeconds"]},
        "podDeletion": {key: deletion[key] for key in ("force", "timeoutSeconds", "deleteEmptyDir")},
        "drain": {key: drain[key] for key in ("enable", "force", "timeoutSeconds", "deleteEmptyDir")},
    }


def nulls(value: Any, path: str = "") -> Iterator[str]:
    """The paths of the nulls."""
    if value is None:
        yield path
    children = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from nulls(child, f"{path}.{key}".lstrip("."))
