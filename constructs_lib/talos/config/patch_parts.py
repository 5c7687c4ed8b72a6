"""The parts of a machine configuration patch, with their comments, in both styles of Talos; and checks of its files.

A part is a section of `machine:` in the style `fields`, and a document in the style `documents`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...arguments.commands import command
from ...arguments.errors import wrong, wrong_kind
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, mapping, text
from ...arguments.spelling import did_you_mean
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.joined_workers import is_control_plane
from ...upstream.charts.gpu_operator_chart import PLUGIN_LABEL, VALIDATOR_LABEL
from ...upstream.kubernetes.api import CONTROL_PLANE
from ...upstream.nvidia.gpu_resources import PRESENT_LABEL
from ...upstream.talos.features import BPF_UNHARDENED, CUSTOMIZATION_PATH, DOCUMENTS, KERNEL_MODULES, UMAD_MODULE
from ...upstream.talos.folders import FileOperation, may_be_created
from ...upstream.talos.generations import Generation
from ...yaml.block import block
from . import node_metadata
from .kernel_settings import card_kernel_args, grub_note, why_vfio


class Wanted(NamedTuple):
    """The checked settings of a patch."""

    nodes: GpuNodes
    kernel_modules: Mapping[str, Sequence[str]]
    sysctls: Mapping[str, str]
    labels: Mapping[str, str]
    customization: str
    cdi_spec_dirs: Sequence[str]
    kubelet_feature_gates: Sequence[str]


class PatchPart(NamedTuple):
    """A section of configuration, with the lines of its comment, which say why the section is needed."""

    why: list[str]
    body: dict[str, Any]


def fields(wanted: Wanted) -> list[PatchPart]:
    """The sections of `machine:`. Talos adds the label and the taint of the control plane by itself."""
    why = [*_why_modules(wanted.nodes), *_why_module(wanted.kernel_modules), *_why_parameters(wanted)]
    parts = [PatchPart(why, {"kernel": {"modules": _modules(wanted)}})]
    if wanted.sysctls:
        parts.append(PatchPart(_why_sysctls(wanted), {"sysctls": dict(wanted.sysctls)}))
    if wanted.labels:
        parts.append(PatchPart(_why_labels(wanted), {"nodeLabels": dict(wanted.labels)}))
    parts += _kubelet_fields(_taint_fields(wanted.nodes), wanted.kubelet_feature_gates)
    if wanted.customization:
        files = check_machine_files([{"path": CUSTOMIZATION_PATH, "op": "create", "content": wanted.customization}])
        parts.append(PatchPart([*_why_files(wanted.nodes), *_why_customization(wanted)], {"files": files}))
    return parts


def documents(wanted: Wanted) -> list[PatchPart]:
    """The documents of Talos 1.14 (siderolabs/talos pkg/machinery/config/types: runtime, k8s, cri)."""
    parts = [PatchPart(_why_module([module["name"]]), _document("KernelModuleConfig", **module)) for module in _modules(wanted)]
    parts[0] = PatchPart(_why_modules(wanted.nodes), parts[0].body)
    if wanted.sysctls:
        parts.append(PatchPart(_why_sysctls(wanted), _document("SysctlConfig", params=dict(wanted.sysctls))))
    labels, taints = dict(wanted.labels), {taint.key: node_metadata.written(taint) for taint in wanted.nodes.taints}
    if is_control_plane(wanted.nodes):
        labels[CONTROL_PLANE] = ""
    if node := {key: value for key, value in {"labels": labels, "taints": taints}.items() if value}:
        parts.append(PatchPart(_why_node(wanted), _document("KubeNodeConfig", **node)))
    if wanted.customization:
        document = _document("CRICustomizationConfig", name="nvidia-gpu", content=wanted.customization)
        parts.append(PatchPart(_why_customization(wanted), document))
    if wanted.kubelet_feature_gates:
        parts.append(PatchPart(_WHY_GATES, _document("KubeletConfig", **_gates(wanted.kubelet_feature_gates))))
    return parts


_WHY_GATES = ["Talos replaces the feature-gates that another patch has: write all feature gates of the kubelet here."]


def _gates(gates: Sequence[str]) -> dict[str, Any]:
    return {"extraArgs": {"feature-gates": ",".join(f"{gate}=true" for gate in gates)}}


def _kubelet_fields(taints: list[PatchPart], gates: Sequence[str]) -> list[PatchPart]:
    """The parts of the taints, and the kubelet's feature gates in the one key `kubelet`."""
    if not gates:
        return taints
    others = [each for each in taints if "kubelet" not in each.body]
    why, kubelet = next(((each.why, each.body["kubelet"]) for each in taints if "kubelet" in each.body), ([], {}))
    return [*others, PatchPart([*why, *_WHY_GATES], {"kubelet": {**kubelet, **_gates(gates)}})]


def _document(kind: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": "v1alpha1", "kind": kind, **rest}


def _modules(wanted: Wanted) -> list[dict[str, Any]]:
    modules = wanted.kernel_modules
    return [{"name": name} | ({"parameters": list(parameters)} if parameters else {}) for name, parameters in modules.items()]


def _taint_fields(nodes: GpuNodes) -> list[PatchPart]:
    taints = node_metadata.taints(nodes)
    if not taints:
        return []
    declared = {"nodeTaints": {taint.key: node_metadata.written(taint) for taint in taints}}
    if is_control_plane(nodes):
        return [PatchPart([], declared)]
    if nodes.talos_version.minor in DOCUMENTS:
        why = "Talos sets these taints while a worker joins the cluster. For a worker that has joined, see the top of this file."
        return [PatchPart([why], declared)]
    listed = [{"key": taint.key, **({"value": taint.value} if taint.value else {}), "effect": str(taint.effect)} for taint in taints]
    comment = [
        "This Talos sets nodeTaints only on control-plane nodes. The kubelet of a worker sets the taints while the worker joins, which",
        "Kubernetes allows (siderolabs/talos#10935). Apply this patch once: Talos appends to lists, and Kubernetes refuses a node that has",
        "the same taint twice.",
    ]
    return [PatchPart(["The taints of the node. A worker gets its taints by registerWithTaints below, or by the commands at the top of this file."], declared),
            PatchPart(comment, {"kubelet": {"extraConfig": {"registerWithTaints": listed}}})]  # fmt: skip


def _why_modules(nodes: GpuNodes) -> list[str]:
    if nodes.passthrough is not None:
        return why_vfio(nodes.passthrough)
    return ["The NVIDIA extension disables automatic loading of these modules (siderolabs/extensions nvidia-gpu: files/nvidia.conf)."]


def _why_module(names: Container[str]) -> list[str]:
    if UMAD_MODULE not in names:
        return []
    return [f"Fabric manager needs {UMAD_MODULE} to start the NVSwitches of NVLink 5: B100, B200, B300 (siderolabs/extensions#717)."]


def _why_parameters(wanted: Wanted) -> list[str]:
    # siderolabs/talos internal/app/machined/pkg/controllers/runtime/kernel_module_config.go at v1.13.9: one
    # specification for each name (2026-11-23)
    module = KERNEL_MODULES[0]
    if wanted.nodes.passthrough is not None or wanted.kernel_modules.get(module):
        return []
    return [
        f"Talos appends to the list, and of two entries for a module the last one counts. If the node has {module} with parameters (NVreg_...),",
        f"give them to this patch too (--kernel-module-parameter {module}.NAME=VALUE), or its next boot is without them.",
    ]


def _why_sysctls(wanted: Wanted) -> list[str]:
    if wanted.nodes.generation is not Generation.LEGACY:
        return []
    if wanted.nodes.talos_version.minor not in BPF_UNHARDENED:
        minor = wanted.nodes.talos_version.minor_version
        return [f"The documentation of Talos {minor} sets bpf_jit_harden to 1. No cluster that was seen needs it."]
    return [
        "Talos sets bpf_jit_harden to 2. Then GPU containers fail with 'last insn is not an exit or jmp' (NVIDIA/libnvidia-container#176)."
    ]


def _why_labels(wanted: Wanted) -> list[str]:
    why = []
    if wanted.nodes.node_selector.keys() & wanted.labels.keys():
        selecting = "these labels" if wanted.nodes.node_labels == wanted.nodes.node_selector else ", ".join(wanted.nodes.node_selector)
        users = "Pods for these nodes" if wanted.nodes.passthrough is None else "Virtual machines"
        why.append(f"{users} select the nodes by {selecting}.")
    if PRESENT_LABEL in wanted.nodes.node_labels.keys() - wanted.labels.keys():
        why.append(f"The GPU operator sets {PRESENT_LABEL}: here the label would make Talos and the operator overwrite each other.")
    if wanted.labels.get(VALIDATOR_LABEL) == "false":
        why.append(
            "The validator label stops the validator of the GPU operator: this Talos has no driver at its path (NVIDIA/gpu-operator#1687)."
        )
    if wanted.nodes.mig_devices is not None and wanted.labels.get(PLUGIN_LABEL) == "false":
        why.append(
            "The device-plugin label keeps the operator's device plugin off: the standalone plugin of the class partitions the cards."
        )
    return why


def _why_node(wanted: Wanted) -> list[str]:
    why = _why_labels(wanted)
    if is_control_plane(wanted.nodes):
        why.append("With this document Talos does not add the label and the taint of the control plane, so the document contains both.")
    elif wanted.nodes.taints:
        why.append("Talos sets the taints while a worker joins the cluster. For a worker that has joined, see the top of this file.")
    return why


def _why_files(nodes: GpuNodes) -> list[str]:
    deprecated = f"Talos {DOCUMENTS.first} and newer warn that .machine.files is deprecated, and read the entry. Its document is CRICustomizationConfig."
    return [
        "The only file outside /var that Talos creates. Merge this entry once, and not into a configuration that has an entry for the path:",
        f"with two entries {_twice(nodes)}.",
        *[deprecated] * (nodes.talos_version.minor in DOCUMENTS),
    ]


def _twice(nodes: GpuNodes) -> str:
    """The answer of Talos to two entries for the fragment of containerd's configuration."""
    newer = nodes.talos_version.minor in DOCUMENTS
    return "Talos reads only the first entry" if newer else "the node can't boot (EtcFileSpecs … already exists)"


def cautions(nodes: GpuNodes, machine: Mapping[str, Any], *, joined: bool) -> list[str]:
    """The warnings in the comments of the patch. With `joined` the machines may be in the cluster already."""
    found = []
    if "files" in machine:
        found.append(f"a machine takes one entry for {CUSTOMIZATION_PATH}, from all of its patches: with two entries {_twice(nodes)}")
    if joined and (commands := node_metadata.taint_commands(nodes)):
        found.append(
            f"a worker that has joined the cluster may not change its own taints (NodeRestriction), and until it has "
            f"them Talos can't set its labels and can't cordon it for an upgrade (siderolabs/talos#8193, #13681). Run "
            f"once for each such worker: {'; '.join(commands)}"
        )
    return found


def _why_customization(wanted: Wanted) -> list[str]:
    if not wanted.cdi_spec_dirs:
        return []
    if wanted.nodes.generation is Generation.LEGACY:
        return ["These folders replace the default folders of containerd, /etc/cdi and /var/run/cdi."]
    return ["Talos adds these folders to its default, /run/cdi: the merge of Talos appends to lists (siderolabs/talos internal/pkg/toml)."]


def fields_text(nodes: GpuNodes, parts: Sequence[PatchPart]) -> str:
    """One document with `machine:`, and a comment above every part."""
    lines = [*_header(nodes)]
    if nodes.talos_version.minor in DOCUMENTS:
        lines += _comments(
            "For a node that was upgraded from Talos 1.13. A configuration that Talos 1.14 or newer generated has a document for each subject.",
            "Talos refuses a setting that is both a field and a document, so such a configuration needs a patch with --style documents.",
        )
    lines += [*_untainted(nodes, documents=False), *_commands(nodes), "machine:"]
    lines += [f"  {line}" if line else "" for part in parts for line in (*_comments(*part.why), *block(part.body))]
    return "\n".join(lines) + "\n"


def documents_text(nodes: GpuNodes, parts: Sequence[PatchPart]) -> str:
    """A document for each part."""
    lines = [*_header(nodes)]
    lines += _comments(
        f"For a configuration that Talos {nodes.talos_version.minor_version} generated. A node that was upgraded from 1.13 keeps its fields "
        "under machine:.",
        "Talos refuses a setting that is both a field and a document, so such a node needs a patch with --style fields.",
    )
    lines += [*_untainted(nodes, documents=True), *_commands(nodes)]
    lines += [line for part in parts for line in ("---", *_comments(*part.why), *block(part.body))]
    return "\n".join(lines) + "\n"


def _header(nodes: GpuNodes) -> Iterator[str]:
    named = f" of the class '{nodes.name}'" if nodes.name else ""
    kind, file = ("control-plane", "controlplane.yaml") if is_control_plane(nodes) else ("worker", "worker.yaml")
    image = "with the driver" if nodes.passthrough is None else "without a driver"
    yield from _comments(
        f"A patch of the machine configuration of nodes with NVIDIA GPUs{named}, Talos {nodes.talos_version.minor_version}.",
        "Commands for a running node, for the configuration of a new node, and for a new cluster in which every such node has GPUs:",
        "  talosctl --nodes ADDRESS patch machineconfig --patch @FILE",
        f"  {command('talosctl machineconfig patch {file} --patch @FILE --output gpu-{file}', file=file)}",
        f"  {command('talosctl gen config NAME ENDPOINT --config-patch-{kind} @FILE', kind=kind)}",
        f"A new node also needs the image {image}: the patch of talos-gpu schematic --print install-config, added in the same way.",
    )


def _untainted(nodes: GpuNodes, *, documents: bool) -> Iterator[str]:
    """How a control plane runs pods that do not tolerate its taint. A patch removes no key that Talos generated."""
    if not is_control_plane(nodes) or any(taint.key == CONTROL_PLANE for taint in nodes.taints):
        return
    removal = (
        f"If the KubeNodeConfig of the node has the taint {CONTROL_PLANE}, remove the taint there: this patch only adds keys."
        if documents
        else "Talos sets the taint unless the configuration of the node has cluster.allowSchedulingOnControlPlanes: true."
    )
    yield from _comments(
        "", "Pods for these nodes do not tolerate the taint of the control plane, so the nodes must not have the taint.", removal
    )


def _commands(nodes: GpuNodes) -> Iterator[str]:
    if arguments := card_kernel_args(nodes):
        yield from _comments(
            "",
            f"The card needs the kernel argument {' '.join(arguments)} in the image (talos-gpu schematic --product).",
            *grub_note(nodes),
        )
    if taints := node_metadata.taint_commands(nodes):
        yield from _comments(
            "",
            "A worker that has joined the cluster may not change its own taints (NodeRestriction). Until the worker has the taints of this",
            "file, Talos can't set its labels and can't cordon it for an upgrade (siderolabs/talos#8193, #13681). Run once for each such worker:",
            *(f"  {command}" for command in taints),
        )
    if labels := node_metadata.label_commands(nodes):
        yield from _comments(
            "",
            "A worker may not set these labels on itself (NodeRestriction), so this file does not contain the labels. Run for each worker",
            "after it has joined the cluster:",
            *(f"  {command}" for command in labels),
        )


def _comments(*lines: str) -> Iterable[str]:
    return (f"# {line}".rstrip() for line in lines)


_FILE_KEYS = ("path", "op", "content", "permissions")


@named_arguments(files="the list of machine.files is needed")
def check_machine_files(files: Sequence[Mapping[str, Any]], argument: str = "files") -> list[dict[str, Any]]:
    """Check the entries of `machine.files`; an entry that keeps a node from booting is refused.

    Talos writes the files at boot, and reboots when a file fails. A wrong entry is a boot loop (siderolabs/talos#5147).

    Args:
        files: The list of `machine.files`: mappings of `path`, `op`, `content` and `permissions`.
        argument: The name of the list in an error. Default: `files`.

    Raises:
        TypeError, ValueError: `'files[0].op' must be one of …`, `'files[0].path' must be in /var …`, and
            `'files' must be without a second /etc/cri/conf.d/20-customization.part …`.

    Example:
        >>> check_machine_files([{"path": "/var/lib/models/README", "op": "create", "content": "models"}])
        [{'path': '/var/lib/models/README', 'op': 'create', 'content': 'models'}]

    https://docs.siderolabs.com/talos/v1.13/reference/configuration/v1alpha1/config
    """
    rule = "a list of mappings with 'path', 'op' and 'content'"
    if isinstance(files, str | Mapping) or not isinstance(files, Sequence):
        raise wrong_kind(argument, rule, files)
    checked = [_file(f"{argument}[{index}]", entry) for index, entry in enumerate(files)]
    customizations = [index for index, entry in enumerate(checked) if entry["path"] == CUSTOMIZATION_PATH]
    if len(customizations) > 1:
        hint = "merge both entries into one: Talos 1.13 and older reboot at the second entry (EtcFileSpecs … already exists), newer Talos ignores the entry"
        raise wrong(argument, f"without a second {CUSTOMIZATION_PATH}", customizations, hint)
    return checked


def _file(argument: str, value: object) -> dict[str, Any]:
    entry = mapping(argument, value, "a mapping of 'path', 'op', 'content' and 'permissions'")
    for key in entry:
        if key not in _FILE_KEYS:
            raise wrong(argument, "a mapping of 'path', 'op', 'content' and 'permissions'", key, did_you_mean(key, _FILE_KEYS))
    path = text(f"{argument}.path", entry.get("path"), "an absolute path")
    if not path.startswith("/"):
        raise wrong(f"{argument}.path", "an absolute path", path)
    if "op" not in entry:
        rule = "one of 'create', 'overwrite', 'append'"
        raise ValueError(f"'{argument}.op' must be {rule} (got nothing); without 'op' Talos fails at boot: unknown operation for file")
    operation = choice(f"{argument}.op", entry["op"], FileOperation)
    if not isinstance(entry.get("content", ""), str):
        raise wrong_kind(f"{argument}.content", "a string", entry["content"])
    if path == CUSTOMIZATION_PATH:
        if operation is not FileOperation.CREATE:
            raise wrong(f"{argument}.op", f"'create' for {CUSTOMIZATION_PATH}", str(operation), "Talos has no file at this path to change")
    elif operation is FileOperation.CREATE and not may_be_created(path):
        hint = f"Talos fails at boot: create operation not allowed outside of /var; the only other file is {CUSTOMIZATION_PATH}"
        raise wrong(f"{argument}.path", "in /var", path, hint)
    return {**entry, "op": str(operation)}
