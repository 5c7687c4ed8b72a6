"""The platform app: six Talos clusters with NVIDIA GPUs, each from its own `GpuNodes`, into `dist/<cluster>/manifests/` and `…/talos/`.

Five of them are clusters that people wrote down how they got to work, as they should have been: where such a document was wrong, a comment
says what is done here and why. The sixth is what to begin with today.
"""

import os
from pathlib import Path

from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, JsonPatch

from constructs_lib import (
    ArgoCd,
    DcgmExporter,
    Flux,
    GpuAlerts,
    GpuDashboard,
    GpuNodes,
    GpuWorkload,
    HttpProbe,
    MachineConfigPatch,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    OmniTarget,
    Persistent,
    PrivilegedNamespace,
    Schematic,
    SecretKey,
    StandaloneDevicePlugin,
    Taint,
    TimeSlicing,
    attach,
    merge_into_talconfig,
    omni_config_patch,
    omni_extensions,
)
from imports.ocirepository.io.fluxcd.toolkit.source import OciRepository, OciRepositorySpec, OciRepositorySpecRef


def operator_argocd(app: App) -> None:
    """An RTX 5070 Ti on Talos 1.12, the operator by Argo CD, Ollama."""
    nodes = GpuNodes(
        talos_version="1.12.6",
        labels={"nvidia.com/gpu.present": "true"},  # set by the operator, from NFD's PCI label
        taints=[Taint("nvidia.com/gpu")],
        product="RTX 5070 Ti",
        gpus_per_node=1,
        memory_per_gpu="16Gi",
        count=1,
    )
    # For Omni: both resources belong to the machine set, and the id and the type that the document left out are there.
    talos = os_layer(app, nodes, operator=True)
    machines = OmniTarget(cluster="talos", machine_set="talos-gpu")
    (talos / "omni.yaml").write_text(
        omni_config_patch(MachineConfigPatch(nodes=nodes, operator=True), target=machines)
        + "---\n"
        + omni_extensions(Schematic(nodes=nodes), target=machines)
    )
    # The validation bridge comes with the operator: a loop, because a reboot and the validator remove the files; without host network,
    # which it never needed; and with the content that the device plugin sources, where the document touched empty files.
    # The operator's own validator can't succeed on this Talos: the node's label operator-validator=false, above, keeps it away.
    NvidiaGpuOperator(Chart(app, "gpu-operator"), "gpu-operator", nodes=nodes, delivery=ArgoCd())
    # No nvidia default runtime and no cdi_spec_dirs patch on the node: the RuntimeClass does it, pod by pod.
    ollama(app, nodes)


def operator_flux(app: App) -> None:
    """An RTX 5070 Ti on Talos 1.12 that two servers share, the operator by Flux, Ollama and ComfyUI."""
    nodes = GpuNodes(
        talos_version="1.12.11",
        driver_track="lts",  # 580, the newer one on Talos 1.12: ComfyUI's image is built with CUDA 13, which production's 570 can't run
        labels={"nvidia.com/gpu.present": "true"},
        product="RTX 5070 Ti",
        gpus_per_node=1,
        memory_per_gpu="16Gi",
        count=1,
        sharing=TimeSlicing(replicas=2),  # or the second of two pods that want one GPU each waits for ever
    )
    os_layer(app, nodes, operator=True)
    # driver.enabled is false, where the document had true: the operator knows nothing of Talos' extensions, and would pull a driver image
    # that does not exist. With it off nobody reads .driver-ctr-ready, so the bridge writes two files and not three. CDI is off, not only
    # overridden. The chart has no nodeSelector for its operands, so none is given: it was ignored.
    NvidiaGpuOperator(
        Chart(app, "gpu-operator"), "gpu-operator", nodes=nodes, namespace="nvidia-gpu-operator", delivery=Flux(namespace="flux-system")
    )
    # No NVIDIA_VISIBLE_DEVICES=all in the workloads: it overrides the allocation, and shows every GPU of the node.
    ollama(app, nodes)
    comfyui(app, nodes)


def standalone_shared(app: App) -> None:
    """The standalone plugin on Talos 1.12: nvml, envvar, five pods a card, feature discovery, and a taint of the cluster's own."""
    nodes = GpuNodes(
        talos_version="1.12.11",
        labels={"nvidia.com/gpu.present": "true"},  # by the node's machine configuration and NFD's rule: GFD does not set it
        taints=[Taint("dedicated", "ai")],
        gpus_per_node=1,
        memory_per_gpu="16Gi",
        sharing=TimeSlicing(replicas=5),  # the node advertises 5, not 2
    )
    os_layer(app, nodes)
    chart = Chart(app, "gpu", namespace="nvidia-device-plugin")
    PrivilegedNamespace(chart, "nvidia-device-plugin")
    NvidiaRuntimeClass(chart, "runtime-class")
    # nvml, because its error is the clearer one; what makes NVML loadable at all is the RuntimeClass, which the plugin gets too.
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes, feature_discovery=True)
    # The document's exporter is years old, and told of five pods on a card one at random. VMAgent reads the ServiceMonitor too.
    DcgmExporter(chart, "dcgm-exporter", nodes=nodes)
    GpuDashboard(chart, "gpu-dashboard", folder="GPUs")
    # Through it feature discovery publishes its labels.
    NodeFeatureDiscovery(Chart(app, "node-feature-discovery"), "node-feature-discovery", nodes=nodes, delivery=ArgoCd())
    ollama(app, nodes)


def runtime_class_taint(app: App) -> None:
    """An RTX 2070 Super on Talos 1.11 with the LTS driver, tainted and labelled by talhelper, and a smoke test. Flux applies it all."""
    nodes = GpuNodes(
        talos_version="1.11.1",
        kernel_modules="proprietary",  # what the document's schematic ID stands for: its extension names don't exist
        driver_track="lts",
        labels={"role": "gpu"},
        taints=[Taint("gpu", "true")],
        product="RTX 2070 Super",
        gpus_per_node=1,
        memory_per_gpu="8Gi",
        count=1,
    )
    # talhelper's file stays the user's own: the node's fields are merged into it by hostname, and every other line is left alone.
    talconfig = merge_into_talconfig(
        TALCONFIG, hostnames=["velaryon"], schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes)
    )  # fmt: skip
    (os_layer(app, nodes) / "talconfig.yaml").write_text(talconfig)
    chart = Chart(app, "gpu")
    NvidiaRuntimeClass(chart, "runtime-class")
    # The document has no device plugin: every pod of the RuntimeClass sees the card, and nothing counts who uses it. With the plugin a pod
    # asks for it. Only the plugin needs a privileged namespace (kube-system is one); GPU workloads do not.
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)
    # CUDA 12.2, because the 535 driver of this track runs no CUDA 13.
    GpuWorkload(
        Chart(app, "smoke-test", namespace="default"), "nvidia-smi", nodes=nodes, kind="Job", backoff_limit=0,
        image="nvcr.io/nvidia/cuda:12.2.0-base-ubuntu22.04", command=["nvidia-smi"],
    )  # fmt: skip
    applied_by_flux(app, "runtime-class-taint")


TALCONFIG = """\
clusterName: home
talosVersion: v1.11.1
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: velaryon  # the one with the card
    ipAddress: 10.0.0.30
    installDisk: /dev/nvme0n1
"""


def single_node_h100(app: App) -> None:
    """One node with two H100 NVL on Talos 1.11, control plane and GPU node in one, without node feature discovery; vLLM on both cards."""
    nodes = GpuNodes(
        talos_version="1.11.5",
        # No labels: Talos labels the node with its extensions, and the plugin selects by that. Nobody has to null an affinity.
        taints=[Taint("node-role.kubernetes.io/control-plane")],
        product="H100 NVL",
        gpus_per_node=2,
        memory_per_gpu="94Gi",
        count=1,
    )
    os_layer(app, nodes)
    chart = Chart(app, "gpu")
    NvidiaRuntimeClass(chart, "runtime-class")
    # In kube-system, which Talos exempts from Pod Security. It tolerates nvidia.com/gpu as well, where the document's list replaced that.
    # The no-cgroups patch is gone from the node: Talos refuses to create the file, and nothing reads it.
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)
    # The last line of images before CUDA 13, which the 570 driver can't run.
    vllm(app, nodes, image="vllm/vllm-openai:v0.11.0", model="openai/gpt-oss-120b", gpus=2)


def today(app: App) -> None:
    """Talos 1.14 with CDI: RTX cards that are shared, an H100 that is not, one operator for both, alerts, Ollama and vLLM."""
    # A node says which class it belongs to by its label nvidia.com/device-plugin.config: rtx or h100, in its machine configuration.
    rtx = GpuNodes(
        talos_version="1.14.0", name="rtx", taints=[Taint("nvidia.com/gpu")], product="RTX 4090", gpus_per_node=2, memory_per_gpu="24Gi",
        count=2, sharing=TimeSlicing(replicas=4),
    )  # fmt: skip
    h100 = GpuNodes(
        talos_version="1.14.0", name="h100", taints=[Taint("nvidia.com/gpu"), Taint("dedicated", "llm")], product="H100 SXM5",
        gpus_per_node=4, memory_per_gpu="80Gi",
    )  # fmt: skip
    os_layer(app, rtx, operator=True)
    # Four cards on an NVSwitch board want NVIDIA's fabric manager, or CUDA says that the system is not ready (802).
    os_layer(app, h100, operator=True, fabric_manager=True)
    # By this label, the name of its Helm release, kube-prometheus-stack chooses what it scrapes and which rules it reads.
    chosen = {"release": "kube-prometheus-stack"}
    values = {
        # Exporters of our own instead: the operator's has no counters of errors, on which most alerts stand.
        "dcgmExporter": {"enabled": False},
        "operator": {"metrics": {"serviceMonitor": {"additionalLabels": chosen}}},
    }
    chart = Chart(app, "gpu-operator", namespace="gpu-operator")
    NvidiaGpuOperator(chart, "gpu-operator", nodes=[rtx, h100], delivery=Flux(namespace="flux-system"), values=values)
    DcgmExporter(chart, "dcgm-exporter-rtx", nodes=rtx, service_monitor_labels=chosen)
    DcgmExporter(chart, "dcgm-exporter-h100", nodes=h100, service_monitor_labels=chosen)
    GpuAlerts(chart, "alerts", operator=True, labels=chosen)
    ollama(app, rtx)
    vllm(app, h100, image="vllm/vllm-openai:v0.28.0", model="openai/gpt-oss-120b", gpus=1)


def os_layer(app: App, nodes: GpuNodes, *, operator: bool = False, fabric_manager: bool = False) -> Path:
    """What Talos wants for the same nodes: the image's schematic and name, and the machine configuration patch. Returns the folder."""
    folder = Path(app.outdir).parent / "talos"
    folder.mkdir(parents=True, exist_ok=True)
    prefix = f"{nodes.name}-" if nodes.name else ""
    image = Schematic(nodes=nodes, fabric_manager=fabric_manager)
    (folder / f"{prefix}schematic.yaml").write_text(image.text)
    (folder / f"{prefix}installer-image.txt").write_text(f"{image.installer_image()}\n")
    (folder / f"{prefix}machine-config.yaml").write_text(MachineConfigPatch(nodes=nodes, operator=operator).text)
    return folder


def ollama(app: App, nodes: GpuNodes) -> None:
    """Ollama, with its models on a volume of its own. Pull them with `ollama pull` and OLLAMA_HOST from outside, not with a postStart hook."""
    GpuWorkload(
        namespaced(app, "ollama"), "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434,
        # The context is set, because Ollama would choose it by the whole card's memory, shared or not.
        env={"OLLAMA_HOST": "0.0.0.0:11434", "OLLAMA_KEEP_ALIVE": "24h", "OLLAMA_CONTEXT_LENGTH": "8192"},
        volumes={"/root/.ollama": Persistent("100Gi", name="models")},
        memory="16Gi", startup_probe=HttpProbe("/", failure_threshold=30), liveness_probe=HttpProbe("/"), readiness_probe=HttpProbe("/"),
    )  # fmt: skip


def comfyui(app: App, nodes: GpuNodes) -> None:
    """ComfyUI. One claim, but not over all of /root: the image could then never be upgraded."""
    data = ["models", "custom_nodes", "input", "output", "user"]
    kept = [*(f"ComfyUI/{folder}" for folder in data), "user-scripts", ".cache", ".local", ".config"]
    GpuWorkload(
        namespaced(app, "comfyui"), "comfyui", nodes=nodes, image="yanwk/comfyui-boot:cu130-slim-v2", port=8188,
        volumes={f"/root/{path}": Persistent("100Gi", name="storage", sub_path=path) for path in kept},
        memory="16Gi", shared_memory="1Gi", startup_probe=HttpProbe("/system_stats", failure_threshold=60),
        liveness_probe=HttpProbe("/system_stats"), readiness_probe=HttpProbe("/system_stats"),
        termination_grace_period=10,  # its shell never hands SIGTERM on
    )  # fmt: skip


def vllm(app: App, nodes: GpuNodes, *, image: str, model: str, gpus: int) -> None:
    """VLLM, which listens only when the model is loaded; the first start downloads it. Its two Secrets are made by other means."""
    GpuWorkload(
        namespaced(app, "vllm"), "vllm", nodes=nodes, image=image, gpus=gpus, port=8000,
        args=["--model", model, "--tensor-parallel-size", str(gpus)],
        env={"HF_HOME": "/data", "HF_TOKEN": SecretKey("huggingface", "token"), "VLLM_API_KEY": SecretKey("vllm", "api-key")},
        volumes={"/data": Persistent("200Gi", name="models"), "/root/.cache/vllm": Persistent("10Gi", name="compiled")},
        memory="64Gi", shared_memory="16Gi", startup_probe=HttpProbe("/health", failure_threshold=180),
        liveness_probe=HttpProbe("/health"), readiness_probe=HttpProbe("/health"),
    )  # fmt: skip


def namespaced(app: App, name: str) -> Chart:
    """A chart with a namespace of its own: not a privileged one, as a pod that only asks for a GPU passes Talos' Pod Security."""
    chart = Chart(app, name, namespace=name)
    namespace = ApiObject(chart, "namespace", api_version="v1", kind="Namespace", metadata=ApiObjectMetadata(name=name))
    namespace.add_json_patch(JsonPatch.remove("/metadata/namespace"))  # cdk8s puts the chart's on it, and a Namespace is in none
    return chart


def applied_by_flux(app: App, cluster: str) -> None:
    """Flux applies what `flux push artifact oci://ghcr.io/example/platform:<cluster> --path=dist/<cluster>/manifests …` has pushed."""
    chart = Chart(app, "flux", namespace="flux-system")
    source = OciRepository(
        chart, "source", metadata=ApiObjectMetadata(name=cluster),
        spec=OciRepositorySpec(url="oci://ghcr.io/example/platform", interval="5m", ref=OciRepositorySpecRef(tag=cluster)),
    )  # fmt: skip
    spec = {
        "interval": "1h",
        "path": "./",
        "prune": True,
        "sourceRef": {"kind": source.kind, "name": source.name},
        "force": True,  # a Job can't be changed, so Flux makes it anew
    }
    kustomization = ApiObject(
        chart, "kustomization", api_version="kustomize.toolkit.fluxcd.io/v1", kind="Kustomization",
        metadata=ApiObjectMetadata(name=cluster),
    )  # fmt: skip
    kustomization.add_json_patch(JsonPatch.add("/spec", spec))


CLUSTERS = (operator_argocd, operator_flux, standalone_shared, runtime_class_taint, single_node_h100, today)


def main() -> None:
    """Synthesize every cluster."""
    output = Path(os.environ.get("CDK8S_OUTDIR", "dist"))
    for cluster in CLUSTERS:
        app = App(outdir=str(output / cluster.__name__.replace("_", "-") / "manifests"))
        attach(app)
        cluster(app)
        app.synth()


if __name__ == "__main__":
    main()
