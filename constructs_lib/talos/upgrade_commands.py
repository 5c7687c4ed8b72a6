"""The shell commands of an upgrade plan."""

from __future__ import annotations

import json
import shlex

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream.driver_branches import DriverTrack, KernelModules
from .schematic import Schematic

# One line for each pod: its name, and its spec, which kubectl prints as JSON (k8s.io/client-go util/jsonpath PrintResults).
PODS = (
    "kubectl get pods --all-namespaces -o "
    'jsonpath=\'{range .items[*]}{.metadata.namespace}{"/"}{.metadata.name}{"\\t"}{.spec}{"\\n"}{end}\''
)
# Every kind of workload that creates pods, as a file for --leftovers.
WORKLOADS = "kubectl get daemonsets,deployments,statefulsets,jobs,cronjobs --all-namespaces -o yaml > cluster.yaml"


def patch_command(nodes: GpuNodes, *flags: str) -> str:
    """The command that prints the machine configuration patch of a class, with every argument of the class that the patch depends on."""
    written = ["--talos", str(nodes.talos_version)]
    for key, value in nodes.labels.items():
        written += ["--label", f"{key}={value}"]
    for key, value in nodes.extra_labels.items():
        written += ["--extra-label", f"{key}={value}"]
    for taint in nodes.taints:
        written += ["--taint", f"{taint.key}{'' if taint.value is None else f'={taint.value}'}:{taint.effect}"]
    return shlex.join(["talos-gpu", "patch", *written, *(["--name", nodes.name] if nodes.name else []), *flags])


def schematic_commands(image: Schematic) -> list[str]:
    """The commands that send a schematic to its factory. A schematic that no flags describe is sent from a file."""
    send = f"curl -X POST --data-binary @schematic.yaml https://{image.factory}/schematics  # must answer the ID in the next command"
    if image.meta or image.overlay or image.bootloader or image.secure_boot:
        return [f"{send}; schematic.yaml holds the text of the Schematic"]
    nodes = image.nodes
    flags = ["--talos", str(nodes.talos_version)]
    if nodes.kernel_modules is not KernelModules.OPEN:
        flags += ["--kernel-modules", str(nodes.kernel_modules)]
    if nodes.track is not DriverTrack.PRODUCTION:
        flags += ["--driver-track", str(nodes.track)]
    flags += [word for name in image.extensions for word in ("--extension", name)]
    flags += ["--fabric-manager"] * image.fabric_manager + ["--gdrcopy"] * image.gdrcopy
    # The equals sign is needed for an argument that Talos drops: the argument begins with a hyphen, as a flag does.
    flags += [f"--kernel-arg={argument}" for argument in image.extra_kernel_args]
    return [f"{shlex.join(['talos-gpu', 'schematic', *flags])} > schematic.yaml", send]


def leftovers_command(old: TalosVersion, new: TalosVersion, route: str, new_route: str, path: str) -> str:
    """The command that finds the objects to remove. It finds them by their content, not by their name or labels."""
    flags = ["--talos", str(old), "--to", str(new), "--route", route, *(["--new-route", new_route] if new_route != route else [])]
    return f"talos-gpu upgrade {shlex.join(flags)} --leftovers {path}"


def machine_command(part: str, key: str, value: object) -> str:
    """The command that sets one key of the machine configuration on one node."""
    return f"talosctl --nodes $ADDRESS patch machineconfig --patch '{json.dumps({'machine': {part: {key: value}}})}'"
