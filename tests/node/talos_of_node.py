"""What talosctl prints of a real node: its image and its kernel as the scene says, the rest from the node's own files.

The lines of dmesg are those of the scene's facts (tests/lab/kernel_lines.py): the kernel has one log for all namespaces, so a node has none of its own to
write to. `stand_in` writes a talosctl that answers the commands of the doctor with it.
"""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path

from node_scene import NodeScene
from talos_outputs import printed
from talos_side import BUS_FILE, Service, TalosSide

from constructs_lib.doctor.collect import talos_commands

TAIL = 5000
CDI_GEN, PERSISTENCED = "ext-nvidia-cdi-gen", "ext-nvidia-persistenced"
LOG_OF = {"cri": "containerd", "kubelet": "kubelet", CDI_GEN: "nvidia-cdi-gen"}
NOT_REGISTERED = "error: resource {} is not registered"


def talos_side(scene: NodeScene) -> TalosSide:
    """The scene's machine with what the node shows of its PCI bus and its services."""
    side = scene.sides[scene.name]
    has_cards = any((scene.node.folder / "pci").iterdir())
    loaded = (scene.node.folder / "proc-driver/nvidia/version").exists()
    return dataclasses.replace(
        side,
        has_cards=has_cards,
        loaded=side.loaded if side.loaded is not None or loaded else (),
        services={**_services(scene, side, is_bound=has_cards and loaded), **side.services},
    )


def _services(scene: NodeScene, side: TalosSide, *, is_bound: bool) -> dict[str, Service]:
    """The services of the toolkit's extension (siderolabs/extensions nvidia-gpu at v1.13.9: nvidia-cdi-gen.yaml, nvidia-persistenced.yaml)."""
    if not any(each.startswith("nvidia-container-toolkit") for each in side.image):
        return {}
    if not is_bound:
        waiting = {PERSISTENCED: Service("Waiting", "?", f'Waiting for file "{BUS_FILE}" to exist')}
        after = {CDI_GEN: Service("Waiting", "?", f'Waiting for service "{PERSISTENCED}" to be "up"')}
        return waiting | ({} if scene.node.layout.is_legacy else after)
    if scene.node.layout.is_legacy or (scene.node.view / "run/cdi/nvidia.yaml").exists() or not _cdi_log(scene):
        return {}
    event = f"Error running Containerd({CDI_GEN}), going to restart until it succeeds: task exited with code 1"
    return {CDI_GEN: Service("Waiting", "?", event)}


def _cdi_log(scene: NodeScene) -> str:
    file = scene.node.folder / "var/log/nvidia-cdi-gen.log"
    return file.read_text(errors="replace") if file.exists() else ""


def files(scene: NodeScene) -> dict[str, str]:
    """The outputs of talosctl by the paths of a bundle, below the folder of the node."""
    side = talos_side(scene)
    found = printed(side)
    for service, log in LOG_OF.items():
        file = scene.node.folder / f"var/log/{log}.log"
        if file.exists():
            lines = file.read_text(errors="replace").splitlines(keepends=True)[-TAIL:]
            found[f"service-logs/{service}.log"] = "".join(f"{side.address}: {line}" for line in lines)
    return found


def stand_in(scene: NodeScene, folder: Path) -> Path:
    """The program talosctl, which answers with files of the folder."""
    outputs = files(scene)
    address = scene.sides[scene.name].address
    cases = []
    for command in talos_commands(address):
        name = command.file.split("/", 2)[2]
        words = shlex.quote(" ".join(command.argv[1:]))
        if name in outputs:
            output = folder / "outputs" / name
            output.parent.mkdir(parents=True, exist_ok=True)
            output.write_text(outputs[name])
            cases.append(f"{words}) exec cat {shlex.quote(str(output))} ;;")
        else:
            failure = NOT_REGISTERED.format(command.argv[4]) if "get" in command.argv else f"error: {name} does not exist"
            cases.append(f"{words}) echo {shlex.quote(failure)} >&2; exit 1 ;;")
    program = folder / "talosctl"
    text = "\n".join(["#!/bin/sh", 'case "$*" in', *cases, '*) echo "talosctl: $*: not played" >&2; exit 2 ;;', "esac"])
    program.write_text(f"{text}\n")
    program.chmod(0o755)
    return program
