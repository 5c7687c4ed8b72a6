"""The commands of an upgrade plan: each a line of a shell that does, or shows, what its step says."""

from __future__ import annotations

import json
import shlex

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream.driver_branches import DriverTrack, KernelModules
from .schematic import Schematic

# One line for each pod: its name, and all that its spec says, which kubectl prints as JSON (k8s.io/client-go util/jsonpath PrintResults).
PODS = (
    "kubectl get pods --all-namespaces -o "
    'jsonpath=\'{range .items[*]}{.metadata.namespace}{"/"}{.metadata.name}{"\\t"}{.spec}{"\\n"}{end}\''
)
# What makes pods, as a file for --leftovers.
WORKLOADS = "kubectl get daemonsets,deployments,statefulsets,jobs,cronjobs --all-namespaces -o yaml > cluster.yaml"


def patch_command(nodes: GpuNodes, *flags: str) -> str:
    """The class's machine configuration patch, with all of the class that stands in it."""
    said = ["--talos", str(nodes.talos_version)]
    for key, value in nodes.labels.items():
        said += ["--label", f"{key}={value}"]
    for taint in nodes.taints:
        said += ["--taint", f"{taint.key}{'' if taint.value is None else f'={taint.value}'}:{taint.effect}"]
    return shlex.join(["talos-gpu", "patch", *said, *(["--name", nodes.name] if nodes.name else []), *flags])


def schematic_commands(image: Schematic) -> list[str]:
    """What sends the schematic to its factory: from the flags that make it, or, where it has more, from the file that has its text."""
    send = f"curl -X POST --data-binary @schematic.yaml https://{image.factory}/schematics"
    if image.meta or image.overlay or image.bootloader or image.secure_boot:
        return [f"{send}  # the file has the text of the Schematic"]
    nodes = image.nodes
    flags = ["--talos", str(nodes.talos_version)]
    if nodes.kernel_modules is not KernelModules.OPEN:
        flags += ["--kernel-modules", str(nodes.kernel_modules)]
    if nodes.driver_track is not DriverTrack.PRODUCTION:
        flags += ["--driver-track", str(nodes.driver_track)]
    flags += [word for name in image.extensions for word in ("--extension", name)]
    flags += ["--fabric-manager"] * image.fabric_manager + ["--gdrcopy"] * image.gdrcopy
    # With an equals sign: an argument that Talos is to drop begins with a hyphen, as a flag does.
    flags += [f"--kernel-arg={argument}" for argument in image.extra_kernel_args]
    return [f"{shlex.join(['talos-gpu', 'schematic', *flags])} > schematic.yaml", send]


def leftovers_command(old: TalosVersion, new: TalosVersion, route: str, new_route: str, path: str) -> str:
    """What finds whatever has to go by what it does, whoever made it and whatever its labels."""
    flags = ["--talos", str(old), "--to", str(new), "--route", route, *(["--new-route", new_route] if new_route != route else [])]
    return f"talos-gpu upgrade {shlex.join(flags)} --leftovers {path}"


def machine_command(part: str, key: str, value: object) -> str:
    """One key of a part of the machine configuration, set on one node."""
    return f"talosctl --nodes $ADDRESS patch machineconfig --patch '{json.dumps({'machine': {part: {key: value}}})}'"
