"""The validation bridge: a DaemonSet that writes the files that the GPU operator's pods wait for, on Talos 1.12 and
older.

The operands wait for `toolkit-ready` and source `driver-ready`
(https://github.com/NVIDIA/gpu-operator/blob/v25.10.1/assets/state-device-plugin/0500_daemonset.yaml). On other systems
the validator writes both files (https://github.com/NVIDIA/gpu-operator/blob/v25.10.1/cmd/nvidia-validator/main.go).
"""

from __future__ import annotations

from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named, settle, to_flag, to_image, to_optional_dns_label, to_optional_namespace
from ...arguments.plain_values import whole_number
from ...nodes.gpu_nodes import GpuNodes, to_container_nodes
from ...upstream.charts.gpu_operator_chart import DRIVER_READY, TOOLKIT_READY, VALIDATIONS
from ...upstream.images import BUSYBOX_IMAGE
from ...upstream.talos.generations import BRIDGED
from ..objects import MAIN, Manifests, labels, manifest
from ..pod_placement import selected

_APPLICATION = "nvidia-validation-bridge"

# The script loops, because the files disappear: a reboot empties /run, and a validator that starts or stops removes the
# files. mv is atomic, so each file appears with its whole content. The script leaves a correct file alone and replaces
# a wrong one.
_SCRIPT = """\
trap 'exit 0' TERM INT
ensure() {{
  printf '%b' "$2" > "{directory}/.bridge-$1"
  if cmp -s "{directory}/.bridge-$1" "{directory}/$1"; then
    rm "{directory}/.bridge-$1"
  else
    mv "{directory}/.bridge-$1" "{directory}/$1" && echo "wrote $1"
  fi
}}
while true; do
  mkdir -p {directory}
{ensured}
  sleep {interval} & wait $!
done
"""


def _to_interval(value: int, argument: str = "") -> int:
    return whole_number(argument, value, hint="the unit is seconds")


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class ValidationBridgeSettings:
    """The checked arguments of `ValidationBridge`, which documents each argument."""

    nodes: GpuNodes = attrs.field(converter=to_container_nodes)
    name: str = attrs.field(default=None, converter=to_optional_dns_label)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    image: str = attrs.field(default=BUSYBOX_IMAGE, converter=to_image)
    interval: int = attrs.field(default=30, converter=_to_interval)
    driver_enabled: bool = attrs.field(default=False, converter=to_flag)

    def __attrs_post_init__(self) -> None:
        if not self.nodes.talos_version.needs.has_bridge:
            hint = (
                f"on Talos {self.nodes.talos_version} the operator's own validator finds the driver and writes these files; "
                "leave the bridge out, and keep hostPaths.driverInstallDir at /usr/local, as NvidiaGpuOperator sets it"
            )
            raise wrong("nodes", f"of Talos {BRIDGED.last} or older", str(self.nodes.talos_version), hint)
        settle(self, "name", "-".join(filter(None, (_APPLICATION, self.nodes.name))))

    @property
    def files(self) -> dict[str, str]:
        """The files and their contents in the syntax of printf. `.driver-ctr-ready` is read only where the operator
        runs its own driver DaemonSet."""
        driver = "".join(f"{key}={value}\\n" for key, value in DRIVER_READY.items())
        files = {"driver-ready": driver, TOOLKIT_READY: ""}
        return {".driver-ctr-ready": "", **files} if self.driver_enabled else files


def validation_bridge(settings: ValidationBridgeSettings) -> Manifests:
    """The DaemonSet."""
    marks = labels(_APPLICATION, instance=settings.name, component="validation-bridge")
    pod = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "priorityClassName": "system-node-critical",
        "terminationGracePeriodSeconds": 5,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(settings)],
        # The bridge mounts /run/nvidia, not the folder below: GPU feature discovery mounts /run/nvidia with type
        # Directory and waits for that folder.
        "volumes": [{"name": "run-nvidia", "hostPath": {"path": "/run/nvidia", "type": "DirectoryOrCreate"}}],
    }
    spec = {
        "selector": {"matchLabels": marks},
        "updateStrategy": {"type": "RollingUpdate"},
        "template": selected({"metadata": {"labels": marks}, "spec": pod}, settings.nodes),
    }
    return {MAIN: manifest("apps/v1", "DaemonSet", settings.name, namespace=settings.namespace, labels=marks, spec=spec)}


def _container(settings: ValidationBridgeSettings) -> dict[str, Any]:
    ensured = "\n".join(f"  ensure {name} '{content}'" for name, content in settings.files.items())
    script = _SCRIPT.format(directory=VALIDATIONS, ensured=ensured, interval=settings.interval)
    check = " && ".join(f"test -f {VALIDATIONS}/{name}" for name in settings.files)
    return {
        "name": "bridge",
        "image": settings.image,
        "command": ["/bin/sh", "-c", script],
        # The readiness probe is an exec. On Talos 1.12 an exec into a GPU container fails, so this container must get
        # no GPU, even where nvidia is the default runtime.
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}],
        "readinessProbe": {"exec": {"command": ["/bin/sh", "-c", check]}, "periodSeconds": 10},
        "resources": {"requests": {"cpu": "1m", "memory": "8Mi"}, "limits": {"memory": "32Mi"}},
        # Root owns the files on the host, so root writes them. The container needs no other privilege.
        "securityContext": {
            "runAsUser": 0,
            "runAsGroup": 0,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": "run-nvidia", "mountPath": "/run/nvidia"}],
    }
