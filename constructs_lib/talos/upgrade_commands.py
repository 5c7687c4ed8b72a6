"""The shell commands of an upgrade plan that every tool has."""

from __future__ import annotations

import json
from functools import reduce

from ..arguments.commands import Command, command
from ..nodes.class_flags import class_flags
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream.talos.platforms import SECTOR_SIZES
from .config.kernel_settings import with_needed_sysctls
from .config.machine_config import MachineConfigPatch
from .image.existing_schematic import ExistingSchematic
from .image.schematic import Schematic

# One line for each pod: its name, and its spec, which kubectl prints as JSON (k8s.io/client-go util/jsonpath PrintResults).
_POD_LINES = '{range .items[*]}{.metadata.namespace}{"/"}{.metadata.name}{"\\t"}{.spec}{"\\n"}{end}'
WORKLOADS = command("kubectl get daemonsets,deployments,statefulsets,jobs,cronjobs --all-namespaces -o yaml > workloads.yaml")
"""Every kind of workload that creates pods, as a file for --leftovers."""


def pods_with(*words: str) -> Command:
    """The command that lists the pods whose spec has all words."""
    pods = command("kubectl get pods --all-namespaces -o jsonpath={lines}", lines=_POD_LINES)
    searches = [command("grep {word}", word=word) for word in words]
    return reduce(Command.piped_to, [*searches, command("cut -f 1")], pods)


def image_flags(image: Schematic | ExistingSchematic) -> list[str]:
    """The flags that describe the image of a class, without the class, and without fabric manager and gdrcopy, which the patch of every tool has."""
    if isinstance(image, ExistingSchematic):
        return []
    flags = [word for name in image.extensions for word in ("--extension", name)]
    flags += [f"--sector-size={image.sector_size}"] * (image.sector_size != SECTOR_SIZES[0])
    # The equals sign is needed for an argument that Talos drops: the argument begins with a hyphen, as a flag does.
    return flags + [f"--kernel-arg={argument}" for argument in image.extra_kernel_args]


def config_flags(patch: MachineConfigPatch, nodes: GpuNodes) -> list[str]:
    """The flags that describe the settings of a machine configuration for nodes, without those that the Talos of the nodes needs or replaces."""
    flags = [word for name in patch.extra_kernel_modules for word in ("--extra-kernel-module", name)]
    flags += ["--default-runtime"] * patch.default_runtime + ["--base-runtime-spec"] * patch.base_runtime_spec
    flags += [word for folder in patch.cdi_spec_dirs for word in ("--cdi-spec-dir", folder)]
    for module, parameters in patch.kernel_module_parameters.items():
        flags += [word for parameter in parameters for word in ("--kernel-module-parameter", f"{module}.{parameter}")]
    needed = with_needed_sysctls({}, patch.nodes)
    for key, value in patch.sysctls.items():
        if key not in needed or (nodes.generation is patch.nodes.generation and value != needed[key]):
            flags += ["--sysctl", f"{key}={value}"]
    return flags


def patch_words(nodes: GpuNodes, *flags: str) -> list[str]:
    """The flags of the command that prints the machine configuration patch of a class."""
    return ["--talos", str(nodes.talos_version), *class_flags(nodes), *flags]


def schematic_commands(image: Schematic | ExistingSchematic) -> list[Command]:
    """The commands that send a schematic to its factory. A schematic that no flags describe is sent from a file; an existing one is there."""
    if not isinstance(image, Schematic):
        return []
    send = command("curl -X POST --data-binary @schematic.yaml https://{factory}/schematics", factory=image.factory)
    answer = "must answer the ID in the next command"
    if not is_of_flags(image):
        return [send.explained(f"{answer}; schematic.yaml holds the text of the Schematic")]
    flags = ["--talos", str(image.nodes.talos_version), *class_flags(image.nodes), *image_flags(image)]
    flags += ["--fabric-manager"] * image.fabric_manager + ["--gdrcopy"] * image.gdrcopy
    return [command("talos-gpu schematic {*flags} > schematic.yaml", flags=flags), send.explained(answer)]


def is_of_flags(image: Schematic | ExistingSchematic) -> bool:
    """Whether flags of the command describe the whole image."""
    return isinstance(image, Schematic) and not (
        image.meta or image.overlay or image.bootloader or image.secure_boot or image.embedded_config
    )


def leftovers_command(old: GpuNodes, new: TalosVersion, route: str, new_route: str, path: str) -> Command:
    """The command that finds the objects to remove. It finds them by their content, not by their name or labels."""
    flags = ["--talos", str(old.talos_version), "--to", str(new), "--route", route]
    flags += ["--new-route", new_route] if new_route != route else []
    return command("talos-gpu upgrade {*flags} --leftovers {path}", flags=[*flags, *class_flags(old)], path=path)


def machine_command(part: str, key: str, value: object) -> Command:
    """The command that sets one key of the machine configuration on one node."""
    patch = json.dumps({"machine": {part: {key: value}}})
    return command("talosctl --nodes $ADDRESS patch machineconfig --patch {patch}", patch=patch)
