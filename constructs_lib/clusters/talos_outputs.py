"""The Talos files of a cluster file: for each class of nodes the schematic, the installer image and the machine
configuration patch; and the patch for control-plane nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

import attrs

from ..arguments.errors import wrong, wrong_kind
from ..arguments.kubernetes_versions import kubernetes_minor
from ..arguments.plain_values import mapping, text, texts
from ..manifests.dra.settings import DraDriverSettings
from ..nodes.file_classes import OF_THE_MACHINE
from ..nodes.gpu_nodes import GpuNodes
from ..talos.config.control_plane import ControlPlanePatch, check_talos_runs
from ..talos.config.machine_config import MachineConfigPatch
from ..talos.image.schematic import Schematic
from ..upstream.kubernetes.dra_gates import KUBELET_GATES
from ..upstream.kubernetes.pod_groups import POD_GROUPS_SINCE
from .argument_types import arguments_of
from .composer import Composer
from .file_values import FileError, Path, arguments_in, check_keys, placed

OF_THE_IMAGE = ("platform", "secureboot")
"""The keys of an entry that are arguments of `installer_image`."""
TARGETS = ("omni", "talconfig")
"""The keys of an entry for the tools that apply the files."""
OF_TALCONFIG = ("file", "hostnames")
"""The keys of `talconfig`."""


def entry_keys() -> tuple[str, ...]:
    """The keys of an entry: the class of nodes, and what a class says about its image and its machine configuration."""
    return ("nodes", *OF_THE_MACHINE)


MACHINE_CONFIG = "machine-config.yaml"
"""The end of the name of each file with a part of a machine configuration."""
CONTROL_PLANE = "control-plane.yaml"
"""The name of the patch for control-plane nodes."""


OF_CONTROL_PLANE = ("feature_gates", "kubernetes_version", "runtime_config", "style")
"""The keys of `control_plane`, which are arguments of `ControlPlanePatch`."""
_OTHER_PARTS = "other parts of the file need this Kubernetes"


def talos_files(given: object, cluster: Composer, read: Callable[[str], str], of_control_plane: object = None) -> dict[str, str]:
    """The text of each file by its name. `read` gives the text of a file beside the cluster file."""
    files: dict[str, str] = {}
    entries = given if isinstance(given, list) else [given]
    for number, entry in enumerate(entries):
        path: Path = ("talos", number) if isinstance(given, list) else ("talos",)
        own = placed(path, _entry, entry, cluster, read, path)
        for name in own:
            if name in files:
                raise FileError(path, wrong("talos", "one entry for each class of nodes", name, "an earlier entry writes the same file"))
        files |= own
    needed = placed(("control_plane",), control_plane, of_control_plane, cluster)
    if not needed:
        return files
    return {**files, CONTROL_PLANE: placed(("control_plane",), ControlPlanePatch, **needed).text}


def control_plane(given: object, cluster: Composer) -> dict[str, Any]:
    """The arguments of `ControlPlanePatch`: the features that parts need, and what the file says of the control plane; empty
    without either."""
    needed = features(cluster)
    if given is None:
        return needed
    own = mapping("control_plane", given)
    check_keys("'control_plane'", own, OF_CONTROL_PLANE, ("control_plane",))
    lists = {
        name: [*dict.fromkeys([*needed.get(name, ()), *texts(name, own.get(name, ()))])] for name in ("feature_gates", "runtime_config")
    }
    oldest = _oldest_kubernetes(cluster)
    version = own.get("kubernetes_version", oldest)
    if version is not None:
        _check_kubernetes(version, oldest, cluster)
    return {
        "talos_version": oldest_talos(cluster),
        "kubernetes_version": version,
        **lists,
        **({"style": own["style"]} if "style" in own else {}),
    }


def oldest_talos(cluster: Composer) -> str:
    """The oldest minor of Talos among the nodes."""
    return min((nodes.talos_version for nodes in cluster.every()), key=lambda talos: talos.version).minor_version


def features(cluster: Composer) -> dict[str, Any]:
    """The arguments of `ControlPlanePatch`: the features of Kubernetes that parts need; empty where none needs one."""
    parts = cluster.with_features
    if not parts:
        return {}
    gates = dict.fromkeys(gate for part in parts for gate in part.feature_gates)
    versions = dict.fromkeys(version for part in parts for version in part.runtime_config)
    return {
        "talos_version": oldest_talos(cluster),
        "kubernetes_version": _oldest_kubernetes(cluster),
        "feature_gates": [*gates],
        "runtime_config": [*versions],
    }


def _oldest_kubernetes(cluster: Composer) -> str | None:
    """The oldest Kubernetes that has what every part needs; None where no part says one."""
    given = [driver.kubernetes_version for driver in cluster.dra_drivers if driver.kubernetes_version is not None]
    minors = [kubernetes_minor(version, POD_GROUPS_SINCE) for version in given]
    of_gangs = [POD_GROUPS_SINCE for part in cluster.with_features if not isinstance(part, DraDriverSettings)]
    if not minors and not of_gangs:
        return None
    oldest = max(*minors, *of_gangs, 0)
    for version, minor in zip(given, minors, strict=True):
        if minor < oldest:
            raise wrong("kubernetes_version", f"at least '1.{oldest}' for the DRA driver", version, _OTHER_PARTS)
    return f"1.{oldest}"


def _check_kubernetes(version: object, oldest: str | None, cluster: Composer) -> None:
    minor = kubernetes_minor(version, POD_GROUPS_SINCE)
    if oldest is not None and minor < kubernetes_minor(oldest, POD_GROUPS_SINCE):
        raise wrong("kubernetes_version", f"at least {oldest!r}", version, _OTHER_PARTS)
    # The control plane is upgraded first, so its Talos is at least the newest of the nodes.
    check_talos_runs(version, max((nodes.talos_version for nodes in cluster.every()), key=lambda talos: talos.version))


def kubelet_gates(cluster: Composer, nodes: GpuNodes, own: object = ()) -> dict[str, list[str]]:
    """The argument `kubelet_feature_gates` of a class of nodes: its own gates, and those that the DRA drivers on it need;
    empty where its kubelet needs none."""
    of_drivers = [gate for driver in cluster.dra_drivers if nodes in driver.nodes for gate in driver.feature_gates if gate in KUBELET_GATES]
    gates = [*dict.fromkeys([*texts("kubelet_feature_gates", own), *of_drivers])]
    return {"kubelet_feature_gates": gates} if gates else {}


def _entry(given: object, cluster: Composer, read: Callable[[str], str], path: Path) -> dict[str, str]:
    fields = mapping("talos", {} if given is None else given)
    check_keys("an entry of 'talos'", fields, entry_keys(), path)
    fields = arguments_in(Schematic, fields, path, cluster)
    if "nodes" not in fields:
        if len(cluster.classes) != 1:
            raise wrong_kind("nodes", "given in each entry of 'talos'", list(cluster.classes), "the file has several classes of nodes")
        fields["nodes"] = next(iter(cluster.classes.values()))
    image = Schematic(**_of(Schematic, fields))
    nodes = image.nodes
    if nodes.talos_version.patch is None:
        rule = f"a release with its patch, such as '{nodes.talos_version}.0'"
        raise wrong("talos_version", rule, str(nodes.talos_version), "an image is of one release")
    patch = MachineConfigPatch(
        **{
            "operator": nodes in cluster.with_operator,
            **_of(MachineConfigPatch, fields),
            **kubelet_gates(cluster, nodes, fields.get("kubelet_feature_gates", ())),
        }
    )
    files = {
        "schematic.yaml": image.text,
        "installer-image.txt": f"{image.installer_image(**{name: fields[name] for name in OF_THE_IMAGE if name in fields})}\n",
        MACHINE_CONFIG: patch.text,
    }
    if "omni" in fields:
        files["omni.yaml"] = placed((*path, "omni"), _omni, fields["omni"], image, patch)
    if "talconfig" in fields:
        files["talconfig.yaml"] = placed((*path, "talconfig"), _talconfig, fields["talconfig"], image, patch, read, (*path, "talconfig"))
    prefix = f"{nodes.name}-" if nodes.name else ""
    return {f"{prefix}{name}": content for name, content in files.items()}


def _of(owner: type[attrs.AttrsInstance], fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in arguments_of(owner)}


def _omni(given: object, image: Schematic, patch: MachineConfigPatch) -> str:
    from ..talos.targets.omni import OmniTarget, omni_config_patch, omni_extensions  # only this key needs it

    target = OmniTarget(**mapping("omni", given, "a mapping of the arguments of OmniTarget"))
    return f"{omni_config_patch(patch, target=target)}---\n{omni_extensions(image, target=target)}"


def _talconfig(given: object, image: Schematic, patch: MachineConfigPatch, read: Callable[[str], str], path: Path) -> str:
    from ..talos.targets.talconfig import merge_into_talconfig  # only this key needs it

    fields = mapping("talconfig", given)
    check_keys("'talconfig'", fields, OF_TALCONFIG, path)
    name = text("file", fields.get("file"), "the name of a talconfig.yaml beside the cluster file")
    if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        raise wrong("file", "the path of a file in the folder of the cluster file", name)
    hostnames = texts("hostnames", fields.get("hostnames", ()))
    return merge_into_talconfig(read(name), hostnames=hostnames, schematic=image, patch=patch)
