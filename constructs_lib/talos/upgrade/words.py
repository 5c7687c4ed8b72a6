"""The words that the tables of an upgrade plan may name, with the texts and commands that they make."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from ...arguments.commands import Command, command
from ...arguments.patterns import pattern
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.nodes_file import class_flags
from ...nodes.talos_version import TalosVersion
from ...upstream.charts.gpu_operator_chart import PLUGIN_LABEL
from ...upstream.nvidia.driver_branches import CUDA_FLOORS, KernelModules
from ...upstream.talos.features import DOCUMENTS, ETCD_MINORS
from ...upstream.talos.installer_images import only_nvidia
from ...upstream.talos.platforms import PLATFORM_IMAGES, SECTOR_SIZES, Platform
from ..config.kernel_settings import with_needed_sysctls
from ..config.machine_config import MachineConfigPatch
from ..image.existing_schematic import ExistingSchematic
from ..image.factory_images import checked_arch
from ..image.schematic import Schematic
from .step import Commands, Hop, Line, Text, UpgradeRoute, When, driver_of

DELETED = {"$patch": "delete"}
DRAIN_TIMEOUT = "15m"
"""How long the plan lets pods end before the reboot of a node."""
WORKLOADS = command("kubectl get daemonsets,deployments,statefulsets,jobs,cronjobs --all-namespaces -o yaml > workloads.yaml")
"""Every kind of workload that creates pods, as a file for --leftovers."""
# One line for each pod: its name, and its spec, which kubectl prints as JSON (k8s.io/client-go util/jsonpath
# PrintResults).
_POD_LINES = '{range .items[*]}{.metadata.namespace}{"/"}{.metadata.name}{"\\t"}{.spec}{"\\n"}{end}'
_FIELD = pattern(r"\{\*?([a-z_]+)\}")


# The flags of commands


def image_flags(image: Schematic | ExistingSchematic) -> list[str]:
    """The flags of an image, without its class, and without fabric manager and gdrcopy, which every patch has."""
    if isinstance(image, ExistingSchematic):
        return []
    flags = [word for name in image.extensions for word in ("--extension", name)]
    flags += [f"--sector-size={image.sector_size}"] * (image.sector_size != SECTOR_SIZES[0])
    # The equals sign is needed for an argument that Talos drops: the argument begins with a hyphen, as a flag does.
    return flags + [f"--kernel-arg={argument}" for argument in image.extra_kernel_args]


def is_of_flags(hop: Hop) -> bool:
    """Whether flags of the command describe the whole image."""
    image = hop.image
    return isinstance(image, Schematic) and not (
        image.meta or image.overlay or image.bootloader or image.secure_boot or image.embedded_config
    )


def boot_flags(hop: Hop) -> list[str]:
    """The flags that choose the installer of an image."""
    return ["--platform", str(hop.platform)] * (hop.platform is not Platform.METAL) + ["--secureboot"] * hop.secureboot


def arch_flags(hop: Hop) -> list[str]:
    """The flags that choose the architecture of an image, where the card of the nodes does not."""
    image = hop.image
    is_own = isinstance(image, Schematic) and image.arch is not checked_arch(None, nodes=hop.after, overlay=image.overlay)
    return ["--arch", str(image.arch)] * is_own


def config_flags(patch: MachineConfigPatch, nodes: GpuNodes) -> list[str]:
    """The flags that describe a patch for nodes, without the settings that the Talos of the nodes needs or replaces."""
    flags = [word for name in patch.extra_kernel_modules for word in ("--extra-kernel-module", name)]
    flags += ["--default-runtime"] * patch.default_runtime + ["--base-runtime-spec"] * patch.base_runtime_spec
    flags += [word for folder in patch.cdi_spec_dirs for word in ("--cdi-spec-dir", folder)]
    flags += [word for gate in patch.kubelet_feature_gates for word in ("--kubelet-feature-gate", gate)]
    for module, parameters in patch.kernel_module_parameters.items():
        flags += [word for parameter in parameters for word in ("--kernel-module-parameter", f"{module}.{parameter}")]
    needed = with_needed_sysctls({}, patch.nodes)
    keeps = nodes.generation is patch.nodes.generation
    settings = (f"{key}={value}" for key, value in patch.sysctls.items() if key not in needed or (keeps and value != needed[key]))
    return flags + [word for setting in settings for word in ("--sysctl", setting)]


def _patch_flags(hop: Hop) -> list[str]:
    """The flags of the command that prints the machine configuration patch of the class."""
    flags = ["--talos", str(hop.nodes.talos_version), *class_flags(hop.nodes)]
    flags += ["--for", hop.tool.patch_format] if hop.tool.patch_format else []
    flags += ["--style", "fields"] * (hop.keeps_fields and hop.tool.keeps_nodes and hop.new.minor in DOCUMENTS)
    if (hop.new_route if hop.is_moving else hop.route_of_nodes) is UpgradeRoute.OPERATOR:
        flags.append("--operator")
        # No flag describes mig_devices, by which the patch has this label.
        flags += ["--extra-label", f"{PLUGIN_LABEL}=false"] * (hop.after.mig_devices is not None)
    flags += [] if hop.patch is None else config_flags(hop.patch, hop.nodes)
    if isinstance(hop.image, Schematic):
        flags += ["--fabric-manager"] * hop.image.fabric_manager
        flags += ["--gdrcopy"] * (hop.image.gdrcopy and hop.image.nodes.kernel_modules is KernelModules.OPEN)
    return flags + hop.tool.patch_flags(hop)


def _leftover_flags(hop: Hop, route: UpgradeRoute, new_route: UpgradeRoute) -> list[str]:
    """The flags of the command that finds the objects to remove, by their content and not by their name or labels."""
    flags = ["--talos", str(hop.old), "--to", str(hop.new), "--route", str(route)]
    return flags + (["--new-route", str(new_route)] if new_route is not route else []) + class_flags(hop.before)


def schematic_commands(hop: Hop) -> list[Command]:
    """The commands that send the schematic to its factory; none for an existing schematic."""
    image = hop.image
    if not isinstance(image, Schematic):
        return []
    send = command("curl -X POST --data-binary @schematic.yaml https://{factory}/schematics", factory=image.factory)
    answer = "must answer the ID in the next command"
    if not is_of_flags(hop):
        return [send.explained(f"{answer}; schematic.yaml holds the text of the Schematic")]
    flags = ["--talos", str(image.nodes.talos_version), *class_flags(image.nodes), *image_flags(image)]
    flags += ["--fabric-manager"] * image.fabric_manager + ["--gdrcopy"] * image.gdrcopy
    return [command("talos-gpu schematic {*flags} > schematic.yaml", flags=flags), send.explained(answer)]


# The words


def _image_lines(hop: Hop) -> str:
    """The images of the manifests that can't run on the driver, and those whose CUDA is unknown, as sentences."""
    if hop.images is None:
        return ""
    from ...observed.images.cuda_drivers import cuda_major  # only a plan with manifests needs the checks

    branch, known = hop.branches[1], {image: cuda_major(image) for image in hop.images}
    blocked = [f"{image} (CUDA {major})" for image, major in known.items() if major is not None and CUDA_FLOORS.get(major, 0) > branch]
    silent = [image for image, major in known.items() if major is None]
    if blocked:
        line = f"Of your manifests these images do not run on branch {branch}: {', '.join(blocked)}"
    elif known and not silent:
        line = f"By name and tag every image of your manifests runs on branch {branch}"
    else:
        line = f"By name and tag no image of your manifests needs a newer driver than {branch}"
    return f". {line}" + (f". The name and tag of these images do not say their CUDA: {', '.join(silent)}" if silent else "")


def _image_remark(hop: Hop) -> str:
    """The sentence on an image without extensions of others; empty for any other image."""
    remark = only_nvidia("--extension, or give --from")
    return f" {remark[0].upper()}{remark[1:]}." if isinstance(hop.image, Schematic) and not hop.image.extensions else ""


def _image_hint(hop: Hop) -> str:
    """What completes an image that has less than the present one; empty for an image that flags do not describe."""
    return "; otherwise print the plan again with --extension, or with --from and the present image" if is_of_flags(hop) else ""


def _installer(hop: Hop) -> str:
    return hop.image.installer_image(hop.new, platform=hop.platform, secureboot=hop.secureboot)


def _machine_image(hop: Hop) -> str:
    """The image of a new machine: the disk image on a platform whose nodes boot from a disk image alone."""
    if PLATFORM_IMAGES[hop.platform].boots_installed:
        return hop.image.disk_image(hop.new, platform=hop.platform, secureboot=hop.secureboot)
    return _installer(hop)


def common_kubernetes(hop: Hop) -> list[str]:
    """The minor releases of Kubernetes that the Talos before and the Talos after run."""
    return [minor for minor in hop.old.release.kubernetes_versions if minor in hop.new.release.kubernetes_versions]


def _neighbour(minor: str, step: int) -> str:
    major, _, number = minor.partition(".")
    return f"{major}.{int(number) + step}"


def new_etcd(hop: Hop) -> str:
    """The minor release of etcd that the new Talos brings; empty if etcd keeps its minor release."""
    return ETCD_MINORS.get(hop.new.minor, "") if hop.is_minor else ""


def _range(talos: TalosVersion) -> str:
    """The releases of Kubernetes that a Talos runs."""
    versions = talos.release.kubernetes_versions
    return f"{versions[0]} to {versions[-1]}"


def _paths(hop: Hop) -> list[str]:
    """The paths of the manifests as arguments."""
    return [f"./{path}" if path.startswith("-") else path for path in hop.manifests]


def _or_example(known: str | None, example: str) -> str:
    """The known value; empty, which `command` prints as a placeholder, where only other nodes are known."""
    return example if known is None else known


WORDS: dict[str, Callable[[Hop], Any]] = {
    "old": lambda hop: hop.old,
    "next_node": lambda hop: _or_example(hop.export("NODE", 1), "gpu-2"),
    "next_address": lambda hop: _or_example(hop.export("ADDRESS", 1), "10.0.0.8"),
    "new": lambda hop: hop.new,
    "old_minor": lambda hop: hop.old.minor_version,
    "new_minor": lambda hop: hop.new.minor_version,
    "talos": lambda hop: hop.nodes.talos_version,
    "branch": lambda hop: hop.branches[1],
    "old_driver": lambda hop: driver_of(hop.before),
    "new_driver": lambda hop: driver_of(hop.after),
    "old_track": lambda hop: hop.before.track,
    "track": lambda hop: hop.after.track,
    "product": lambda hop: hop.after.product,
    "platform": lambda hop: hop.platform,
    "secureboot": lambda hop: str(hop.secureboot).lower(),
    "id": lambda hop: hop.image.id,
    "factory": lambda hop: hop.image.factory,
    "installer": _installer,
    "install": lambda hop: json.dumps({"machine": {"install": {"image": _installer(hop)}}}),
    "machine_image": _machine_image,
    "image_remark": _image_remark,
    "image_lines": _image_lines,
    "image_hint": _image_hint,
    "old_kubernetes": lambda hop: _range(hop.old),
    "new_kubernetes": lambda hop: _range(hop.new),
    "only_old_kubernetes": lambda hop: (
        " and ".join(minor for minor in hop.old.release.kubernetes_versions if minor not in common_kubernetes(hop))
        or common_kubernetes(hop)[0]
    ),
    "kubernetes": lambda hop: common_kubernetes(hop)[0],
    "newest_kubernetes": lambda hop: common_kubernetes(hop)[-1],
    "too_new_kubernetes": lambda hop: _neighbour(common_kubernetes(hop)[-1], 1),
    "new_etcd": new_etcd,
    "old_etcd": lambda hop: _neighbour(new_etcd(hop), -1),
    "ready": lambda hop: hop.first - 1,
    "checks": lambda hop: hop.first + 1,
    "last": lambda hop: hop.last,
    "drain_flag": lambda _: f"--drain-timeout {DRAIN_TIMEOUT}",
    "upgrade": lambda hop: ["--drain-timeout", DRAIN_TIMEOUT] * hop.is_drained + ["--image", _installer(hop)],
    "patch": _patch_flags,
    "leftovers": lambda hop: _leftover_flags(hop, hop.route, hop.new_route),
    "leftovers_of_nodes": lambda hop: _leftover_flags(hop, hop.route_of_nodes, hop.route_of_nodes),
    "paths": _paths,
    "files": lambda hop: [word for path in _paths(hop) for word in ("--filename", path)],
    "labels": lambda hop: ",".join(f"{key}={value}" for key, value in hop.nodes.pod_labels.items()),
}
"""The value of each word for a hop. A template holds no value, so no value is read as a template."""


class _Words(dict[str, Any]):
    """The words of one hop, each computed when a template names it."""

    def __init__(self, hop: Hop) -> None:
        super().__init__()
        self._hop = hop

    def __missing__(self, word: str) -> Any:
        return WORDS[word](self._hop) if word in WORDS else say(self._hop, getattr(self._hop.tool, word))


def say(hop: Hop, text: Text) -> str:
    """A text of a table, with the words of a hop."""
    if isinstance(text, str):
        return text.format_map(_Words(hop))
    return "".join(say(hop, part) for part in text) if isinstance(text, tuple) else say(hop, text(hop))


def commands(hop: Hop, table: Commands) -> Iterator[Command]:
    """The commands of a table, with the words of a hop."""
    for each in table:
        if isinstance(each, Command):
            yield each
        elif isinstance(each, str):
            yield from commands(hop, getattr(hop.tool, each))
        elif not isinstance(each, Line):
            yield from commands(hop, each(hop))
        elif each.when is None or each.when(hop):
            words = {word: WORDS[word](hop) for word in _FIELD.findall(each.template)}
            yield command(each.template, **words).explained(say(hop, each.remark))


def only(when: When, text: Text, otherwise: Text = "") -> Callable[[Hop], Text]:
    """A text for some hops, and another one or none for the others."""
    return lambda hop: text if when(hop) else otherwise


def search(pattern: str) -> Callable[[Hop], Commands]:
    """The command that searches the machine configuration of a node."""
    return lambda hop: [command(hop.tool.search, pattern=pattern)]


def change(part: str, key: str, value: object) -> Callable[[Hop], Commands]:
    """The commands that set or remove one key of the configuration: on the node, or in the tool's whole patch."""
    patch = json.dumps({"machine": {part: {key: value}}})
    remark = "on nodes with the setting" if isinstance(value, dict) else ""
    one = command("talosctl --nodes $ADDRESS patch machineconfig --patch {patch}", patch=patch).explained(remark)
    return lambda hop: hop.tool.change or [one]


def pods_with(*words: str) -> Command:
    """The command that lists the pods whose spec has all words."""
    pods = command("kubectl get pods --all-namespaces -o jsonpath={lines}", lines=_POD_LINES)
    for word in words:
        pods = pods.piped_to(command("grep {word}", word=word))
    return pods.piped_to(command("cut -f 1"))
