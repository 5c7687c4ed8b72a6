"""The image of GPU nodes and its kernel settings: modules that Talos has to load, an image for them, the toolkit with its
runtime, net.core.bpf_jit_harden, and a cluster without a driver."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.agents import device_plugins, dra_drivers
from ....observed.agents.operators import operators
from ....observed.model import Inputs, NodeConfig, Path, Read, at, equals, is_given, is_open, known_str, mappings
from ....observed.model.talos_documents import default_of, fragments, runtimes_of
from ....observed.nodes.node_extensions import drivers, has_own_driver, may_load, modules, nvidia_extensions, official_name
from ....observed.nodes.node_settings import gpu_node_configs, is_for_gpus, is_whole, names_every_module, talos_of, unless_made
from ....observed.pods.workloads import gpu_workloads
from ....upstream.nvidia.gpu_resources import PRESENT_LABEL
from ....upstream.talos.config_documents import INSTALL_KIND
from ....upstream.talos.extension_names import MODULES as EXTENSIONS
from ....upstream.talos.extension_names import TOOLKIT
from ....upstream.talos.features import BPF_JIT_HARDEN, BPF_UNHARDENED, DMA_BUF, KERNEL_MODULES, PEERMEM_MODULE
from ....upstream.talos.features import RUNTIME_CLASS as RUNTIME_NAME
from ....upstream.talos.generations import NRI_TOOLKIT
from ...halves import extensions_or_modules, talos_of_nodes
from ...rule import Edit, Example, Rule, Severity, Violation, Witness, addition, removal, set_to
from .._shared import MODULES, OPEN, RUNTIME_CLASS, WORKER, each_node, once, plugin_release, pod, schematic, talconfig

_MODULE = "nvidia"
# Modules of nodes whose cards are for virtual machines, or are Jetsons.
_OTHER_DRIVERS = {"vfio_pci", "nvgpu"}

_LABELS = '    nodeLabels: {nvidia.com/gpu.present: "true"}\n'
_PATCHED = """\
    patches:
      - |
        machine:
          kernel:
            modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
"""
_CONTROL_PLANE = "  - {hostname: cp-1, ipAddress: 10.0.0.11, controlPlane: true}\n"
_CLUSTER = f"{plugin_release()}{pod().removeprefix(RUNTIME_CLASS)}---\n%s{_CONTROL_PLANE}"


@Rule(
    id="TG123",
    claim="A node of the cluster loads NVIDIA's driver where pods request GPUs",
    symptom="0/2 nodes are available: 1 Insufficient nvidia.com/gpu; no /dev/nvidia0; Failed to initialize NVML: Driver Not Loaded",
    fix="Give a node an image with NVIDIA's extensions (talos-gpu schematic), and set machine.kernel.modules: "
    "[{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}] (talhelper: kernelModules)",
    source="https://docs.siderolabs.com/talos/v1.12/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_CLUSTER % talconfig(_LABELS)),
    # The modules are in a patch, and not in the node's own fields.
    passing=Example(_CLUSTER % talconfig(f"{_LABELS}{_PATCHED}")),
)
def _no_driver(inputs: Inputs) -> Iterator[Violation]:
    servers = _servers(inputs)
    if not servers or not gpu_workloads(inputs) or not _is_whole_cluster(inputs) or any(map(_may_have_driver, inputs.node_configs)):
        return
    count = len(inputs.node_configs)
    nobody = (
        f"none of the {count} nodes {inputs.here} loads the module nvidia"
        if count > 1
        else f"the only node {inputs.here} does not load the module nvidia"
    )
    labelled = [config for config in inputs.node_configs if equals(at(config.labels, PRESENT_LABEL), "true").is_yes]
    for config in labelled:
        message = (
            f"{config.name} has the label {PRESENT_LABEL}=true, but {nobody}. The node has no /dev/nvidia0, and GPU pods stay Pending: "
            "'Insufficient nvidia.com/gpu'"
        )
        related = ((servers[0], ()), *((each, each.paths.get("kernel_modules", _MODULES_PATH)) for each in inputs.node_configs))
        yield Violation(Severity.ERROR, message, config, (*config.paths.get("labels", ()), PRESENT_LABEL), related=related)
    if not labelled:
        message = f"{nobody}. Unless the cluster has further nodes, no node offers a GPU, and GPU pods stay Pending: 'Insufficient nvidia.com/gpu'"
        yield Violation(Severity.WARNING, message, servers[0])


def _servers(inputs: Inputs) -> list[Read]:
    """The releases and objects that offer GPUs to pods: operators, device plugins and DRA drivers."""
    agents = [*device_plugins(inputs), *dra_drivers(inputs)]
    return [*(operator.about for operator in operators(inputs)), *(agent.about for agent in agents)]


def _is_whole_cluster(inputs: Inputs) -> bool:
    """Whether the whole configuration of every node was read, of the control plane, too. Described classes of nodes
    have their own patches."""
    configs = inputs.node_configs
    return not inputs.nodes and all(map(is_whole, configs)) and any(config.control_plane for config in configs)


def _may_have_driver(config: NodeConfig) -> bool:
    loaded = modules(config)
    return (
        is_for_gpus(config)
        or may_load(config, _MODULE)
        or not loaded.isdisjoint(_OTHER_DRIVERS)
        or config.extensions is None
        or is_open(config.extensions)
    )


_INSTALL_FIX = f"Set installer.image of the {INSTALL_KIND} to the installer of a schematic with NVIDIA's extensions"
_DRIVER, _UVM = "nvidia", "nvidia_uvm"
_WITHOUT_DRM = "    kernelModules: [{name: nvidia}, {name: nvidia-uvm}, {name: nvidia-modeset}]\n"


@Rule(
    id="TG071",
    claim="A node with NVIDIA's extensions loads their kernel modules: the extension turns automatic loading off",
    symptom="no /dev/nvidia0; Failed to initialize NVML: Driver Not Loaded; NVRM is not in the kernel's log",
    fix="Set machine.kernel.modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: "
    "nvidia_modeset}] (talhelper: kernelModules; from Talos 1.14 on: one KernelModuleConfig per module). Or, if "
    "the node has no card, take the extensions out of its image",
    source="siderolabs/extensions nvidia-gpu; siderolabs/talos#9187",
    severity=Severity.ERROR,
    shown_by=Witness.TALOS,
    lists_users=True,
    failing=Example(talconfig(schematic(*OPEN) + "    kernelModules: [{name: nbd}]\n")),
    passing=Example(talconfig(schematic(*OPEN) + _WITHOUT_DRM)),
)
def _not_loaded(inputs: Inputs) -> Iterator[Violation]:
    """Nodes whose driver is not loaded. If another node loads the driver, such a node may have no card, and the image
    in common with the other."""
    severity = Severity.WARNING if any("nvidia" in modules(config) for config in inputs.node_configs) else Severity.ERROR
    for config in inputs.node_configs:
        if not names_every_module(config) or may_load(config, _UVM):
            continue
        path = config.paths.get("kernel_modules", ())
        if _DRIVER not in modules(config):
            if drivers(config):
                missing = [name for name in KERNEL_MODULES if not may_load(config, name)]
                message = (
                    f"the node has {drivers(config)[0].name}, but loads neither nvidia nor nvidia_uvm. The extension turns automatic "
                    "loading off, so the node has no /dev/nvidia0" + unless_made(config)
                )
                edits = addition(*({"name": name} for name in missing), path=path) if path else ()
                extension = drivers(config)[0].path
                related = ((config, extension if path else _MODULES_PATH),)
                sure = severity if config.complete else severity.lowered
                yield Violation(sure, message, config, path or extension, edits=edits, related=related)
        elif config.complete:
            message = f"the node loads {_DRIVER}, but not {_UVM}, which CUDA needs"
            fix = f"Add {{name: {_UVM}}} to machine.kernel.modules"
            yield Violation(Severity.INFO, message, config, path, fix=fix, edits=addition({"name": _UVM}, safe=False))


_MODULES_PATH: Path = ("documents", 0, "machine", "kernel", "modules")
"""The place where a machine configuration would name the modules."""
_SYSCTL_PATH: Path = ("documents", 0, "machine", "sysctls", BPF_JIT_HARDEN)
_JETSON = "    kernelModules: [{name: nvgpu}]\n"


@Rule(
    id="TG083",
    claim="A node that loads NVIDIA's modules has an image with these modules",
    symptom='error loading module "nvidia": module not found; after an upgrade nvidia.com/gpu is gone',
    fix="Set the installer of a schematic with NVIDIA's extensions: machine.install.image (talhelper: schematic or talosImageURL)",
    source="jlengelbrecht/prox-ops talos/talconfig.yaml; siderolabs/talos pkg/machinery/config/types/v1alpha1",
    severity=Severity.WARNING,
    shown_by=Witness.TALOS,
    failing=Example(talconfig("    talosImageURL: ghcr.io/siderolabs/installer\n" + MODULES)),
    passing=Example(talconfig("    talosImageURL: ghcr.io/siderolabs/installer\n" + _JETSON)),
)
@each_node
def _without_image(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    if "nvidia" not in modules(config) or config.extensions is None or _is_nvidias(config):
        return
    image = f"the image {config.image}" if is_given(config.image) else "the node's image"
    message = (
        f"{config.name} loads nvidia, but {image} has no extension with NVIDIA's modules. Talos logs 'error loading module \"nvidia\": module not "
        "found', and the node has no GPU"
    )
    fix = _INSTALL_FIX if any(equals(at(document, "kind"), INSTALL_KIND).is_yes for _, document in config.documents) else ""
    yield Violation(Severity.WARNING, message, config, config.paths.get("image", config.paths["kernel_modules"]), fix=fix)


def _is_nvidias(config: NodeConfig) -> bool:
    """Whether the image, or an extension that is pinned beside the image, brings the modules, or may."""
    return bool(drivers(config)) or has_own_driver(config) or is_open(config.extensions) or _may_pin(config, *EXTENSIONS.values())


def _may_pin(config: NodeConfig, *names: str) -> bool:
    """Whether one of these extensions, or an unknown one, is pinned beside the image."""
    for _, body in config.documents:
        pinned = at(body, "machine", "install", "extensions")
        official = [official_name(at(each, "image")) for _, each in mappings(pinned)]
        if is_open(pinned) or any(not each or any(name in each for name in names) for each in official):
            return True
    return False


@Rule(
    id="TG106",
    claim="An image with NVIDIA's kernel modules has the container toolkit, too: the extension with the driver's libraries",
    symptom='no runtime for "nvidia" is configured; libcuda.so.1: cannot open shared object file',
    fix="Add siderolabs/nvidia-container-toolkit-production (or -lts, as the modules) to the extensions of the image",
    source="siderolabs/extensions nvidia-gpu/nvidia-container-toolkit; NVIDIA/k8s-device-plugin#479",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(talconfig(schematic(OPEN[0]) + MODULES)),
    passing=Example(talconfig(schematic("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit") + MODULES)),
)
@each_node
def _without_toolkit(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    found = nvidia_extensions(config)
    if not drivers(config) or any(each.kind == TOOLKIT for each in found) or is_open(config.extensions) or _may_pin(config, TOOLKIT):
        return
    talos = talos_of(config, inputs)
    if talos and talos.minor in NRI_TOOLKIT:
        happens = "the driver's libraries. Containers don't find libcuda.so.1"
    else:
        happens = "the driver's libraries and containerd's runtime. Containers don't start: no runtime for \"nvidia\" is configured"
    message = f"{config.name} has {drivers(config)[0].name}, but not {TOOLKIT}, which has {happens}"
    fix = f"Add siderolabs/{TOOLKIT}-{drivers(config)[0].track} to the extensions of the image"
    edits = addition(f"siderolabs/{TOOLKIT}-{drivers(config)[0].track}", path=drivers(config)[0].path[:-1], safe=False)
    yield Violation(Severity.WARNING, message, config, drivers(config)[0].path, fix=fix, edits=edits)


_DEFAULT_RUNTIME = """\
    patches:
      - |
        machine:
          files:
            - path: /etc/cri/conf.d/20-customization.part
              op: create
              content: |
                [plugins."io.containerd.cri.v1.runtime".containerd]
                  default_runtime_name = "nvidia"
"""
_OWN_RUNTIME = """\
                [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia]
                  runtime_type = "io.containerd.runc.v2"
"""
_NO_RUNTIME = "the image of the node has no nvidia-container-toolkit, which brings this runtime"
_PREVIEW = "the extensions of Talos {talos} bring no runtime: the GPU operator's toolkit does"


@Rule(
    id="TG136",
    claim="A node whose default runtime is nvidia has that runtime",
    symptom="no corresponding runtime configured in `containerd.runtimes` for `containerd` `default_runtime_name = "
    '"nvidia"`; the node stays NotReady: container runtime is down',
    fix="Remove default_runtime_name from the nodes without a GPU, or add siderolabs/nvidia-container-toolkit-production to the image",
    source="containerd/containerd internal/cri/config/config.go; siderolabs/extensions nvidia-gpu/nvidia-container-toolkit",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    lists_users=True,
    failing=Example(talconfig(_DEFAULT_RUNTIME)),
    passing=Example(talconfig(schematic(*OPEN) + MODULES + _DEFAULT_RUNTIME)),
    examples={
        "a runtime of the same name in a fragment of the node": Example(talconfig(_DEFAULT_RUNTIME + _OWN_RUNTIME)),
        "an image whose extensions are not known": Example(
            talconfig(f"    talosImageURL: factory.talos.dev/metal-installer/{'ab' * 32}\n" + _DEFAULT_RUNTIME)
        ),
    },
)
def _without_runtime(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        places = [path for path, text in fragments(config.at("documents")) if default_of(text) == RUNTIME_NAME]
        if not equals(config.default_runtime, RUNTIME_NAME).is_yes or not places or config.extensions is None:
            continue
        if has_own_driver(config) or is_open(config.extensions) or _may_pin(config, TOOLKIT) or _has_own_runtime(config):
            continue
        talos = talos_of(config, inputs)
        is_preview = talos is not None and talos.minor in NRI_TOOLKIT
        if is_preview or not any(each.kind == TOOLKIT for each in nvidia_extensions(config)):
            reason = _PREVIEW.format(talos=talos) if is_preview else _NO_RUNTIME
            message = (
                f"default_runtime_name is {RUNTIME_NAME}, and {reason}. containerd's CRI plugin then does not start, so the node starts no pod, "
                "also none without a GPU"
            )
            severity = Severity.ERROR if is_whole(config) else Severity.WARNING
            image = ((config, config.paths.get("extensions", ())),)
            related = talos_of_nodes(inputs, config) if is_preview else image
            yield Violation(severity, message, config, ("documents", *places[-1]), related=related)


def _has_own_runtime(config: NodeConfig) -> bool:
    """Whether a fragment of containerd's configuration defines the runtime, or may."""
    texts = [text for _, text in fragments(config.at("documents"))]
    return any(not isinstance(text, str) or RUNTIME_NAME in runtimes_of(text) for text in texts)


@Rule(
    id="TG105",
    claim="No node loads nvidia_peermem: Talos can't load the module, and DMA-BUF takes its place",
    symptom='error loading module "nvidia_peermem": load nvidia_peermem failed: invalid argument',
    fix="Remove nvidia_peermem from the modules. For GPUDirect RDMA use DMA-BUF, which needs no further module: "
    f"open kernel modules, Talos {DMA_BUF.first} or newer",
    source="siderolabs/talos#12021; siderolabs/pkgs#1356",
    severity=Severity.WARNING,
    shown_by=Witness.TALOS,
    failing=Example(talconfig(schematic(*OPEN) + MODULES.replace("]", ", {name: nvidia-peermem}]"))),
    passing=Example(talconfig(schematic(*OPEN) + MODULES.replace("]", ", {name: ib_umad}, {name: mlx5_ib}]"))),
)
@each_node
def _peermem(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    if PEERMEM_MODULE in modules(config):
        message = (
            f"{config.name} loads {PEERMEM_MODULE}, which needs Mellanox OFED. Talos has no OFED: it logs 'load {PEERMEM_MODULE} failed: "
            "invalid argument' and tries again and again"
        )
        yield Violation(Severity.WARNING, message, config, config.paths["kernel_modules"], edits=_without(config, PEERMEM_MODULE))


def _without(config: NodeConfig, module: str) -> tuple[Edit, ...]:
    path = config.paths["kernel_modules"]
    indices = [index for index, each in mappings(config.at(*path)) if equals(at(each, "name"), module).is_yes]
    return removal((*path, indices[0]), safe=False) if len(indices) == 1 else ()


@Rule(
    id="TG073",
    claim="Up to Talos 1.11 a GPU node sets net.core.bpf_jit_harden to 1",
    symptom="nvidia-container-cli: mount error: failed to add device rules: last insn is not an exit or jmp",
    fix='Set machine.sysctls: {net.core.bpf_jit_harden: "1"}',
    source="NVIDIA/libnvidia-container#176; siderolabs/extensions#101",
    severity=Severity.ERROR,
    shown_by=Witness.TALOS,
    failing=Example(WORKER, talos="1.11"),
    # The documentation of 1.12 still sets it, and clusters work without.
    passing=Example(talconfig(schematic(*OPEN) + MODULES, "v1.12.11")),
    talos=BPF_UNHARDENED,
)
@once
def _hardening(inputs: Inputs) -> Iterator[Violation]:
    somewhere = any(_sysctl(config)[0] is not None for config in inputs.node_configs)
    for config in gpu_node_configs(inputs):
        talos = talos_of(config, inputs)
        value, path = _sysctl(config)
        if talos is None or is_open(value):
            continue
        if value is None and (not config.kernel_modules or (not is_whole(config) and somewhere)):
            continue
        if known_str(value) not in {"0", "1"}:
            setting = f"sets {BPF_JIT_HARDEN} to {value}" if value is not None else f"does not set {BPF_JIT_HARDEN}, and Talos sets it to 2"
            yield Violation(
                Severity.ERROR if is_whole(config) or value is not None else Severity.WARNING,
                f"{config.name} {setting}. nvidia-container-cli can't read the eBPF program that it extends",
                config,
                path or config.paths.get("kernel_modules", ()),
                edits=_softened(config, path),
                related=((config, extensions_or_modules(config) if path else _SYSCTL_PATH),),
            )


def _softened(config: NodeConfig, path: Path) -> tuple[Edit, ...]:
    """The edit of the setting, or of the machine configuration that loads the modules."""
    modules_path = config.paths.get("kernel_modules", ())
    is_field = modules_path[2:3] == ("machine",)
    return set_to("1", path or (*modules_path[:3], "sysctls", BPF_JIT_HARDEN)) if path or is_field else ()


def _sysctl(config: NodeConfig) -> tuple[object, Path]:
    for key in (BPF_JIT_HARDEN, BPF_JIT_HARDEN.replace(".", "/")):
        value = at(config.sysctls, key)
        if value is not None:
            return value, (*config.paths.get("sysctls", ()), key)
    return None, ()
