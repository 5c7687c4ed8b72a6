"""The platform app: seven Talos clusters with NVIDIA GPUs, each from its own `GpuNodes`, into `dist/<cluster>/manifests/` and `…/talos/`.

Each cluster has a page of its own, `dist/<cluster>/README.md`, which `cluster_page` writes from the files and the nodes.

Five clusters correct published descriptions of working clusters: where a description was wrong, a comment gives the correction and its reason. The sixth
cluster, `today`, is the recommended start. The seventh, `llm_platform`, is a company's: servers, training and notebooks, each on nodes of its own.
"""

import os
from pathlib import Path
from typing import Any

import cdk8s_plus_28 as kplus
from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, Duration, JsonPatch, Size

from constructs_lib import (
    ArgoCd,
    DcgmExporter,
    Flux,
    GpuAlerts,
    GpuDashboard,
    GpuGang,
    GpuNodes,
    GpuQuota,
    GpuStack,
    KueueQueue,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    Persistent,
    PrivilegedNamespace,
    SecretKey,
    StandaloneDevicePlugin,
    Taint,
    TimeSlicing,
    attach,
    autoscale,
    cluster_page,
    expose,
    isolate,
    request_gpus,
    scrape,
)
from constructs_lib.recipes import ComfyUI, CudaSmokeTest, Jupyter, Ollama, Vllm
from constructs_lib.talos import MachineConfigPatch, OmniTarget, Schematic, merge_into_talconfig, omni_config_patch, omni_extensions
from imports.ocirepository.io.fluxcd.toolkit.source import OciRepository, OciRepositorySpec, OciRepositorySpecRef


def operator_argocd(app: App) -> list[GpuNodes]:
    """An RTX 5070 Ti on Talos 1.12, the operator by Argo CD, Ollama."""
    nodes = GpuNodes(
        talos_version="1.12.6",
        # The operator sets this label, from NFD's PCI label. The machine configuration leaves it out: Talos and the operator would overwrite each other.
        labels={"nvidia.com/gpu.present": "true"},
        taints=[Taint("nvidia.com/gpu")],
        product="RTX 5070 Ti",
        gpus_per_node=1,
        memory_per_gpu="16Gi",
        count=1,
    )
    # For Omni: both resources belong to the machine set. Their id and type, which the description left out, are set.
    talos = os_layer(app, nodes, operator=True)
    machines = OmniTarget(cluster="talos", machine_set="talos-gpu")
    (talos / "omni.yaml").write_text(
        omni_config_patch(MachineConfigPatch(nodes=nodes, operator=True), target=machines)
        + "---\n"
        + omni_extensions(Schematic(nodes=nodes), target=machines)
    )
    # The operator brings the validation bridge. The bridge is a loop, because a reboot and the validator remove the files. It needs no host network. It
    # writes the content that the device plugin sources; the description touched empty files. The operator's own validator can't succeed on this
    # Talos: the label operator-validator=false in the machine configuration keeps the validator off the node.
    NvidiaGpuOperator(Chart(app, "gpu-operator"), "gpu-operator", nodes=nodes, delivery=ArgoCd())
    # The node needs no nvidia default runtime and no cdi_spec_dirs patch: the RuntimeClass selects the runtime for each pod.
    ollama(app, nodes)
    return [nodes]


def operator_flux(app: App) -> list[GpuNodes]:
    """An RTX 5070 Ti on Talos 1.12 that two servers share, the operator by Flux, Ollama and ComfyUI."""
    nodes = GpuNodes(
        talos_version="1.12.11",
        driver_track="lts",  # 580; on Talos 1.12 production is 570, which can't run the CUDA 13 of ComfyUI's image
        labels={"nvidia.com/gpu.present": "true"},
        product="RTX 5070 Ti",
        gpus_per_node=1,
        memory_per_gpu="16Gi",
        count=1,
        sharing=TimeSlicing(replicas=2),  # without sharing the second of two GPU pods stays Pending
    )
    os_layer(app, nodes, operator=True)
    # driver.enabled is false; the description had true. The operator does not know Talos' extensions and would pull a driver image that does not
    # exist. Without the operator's driver nothing reads .driver-ctr-ready, so the bridge writes two files, not three. CDI is off, not only
    # overridden. The chart ignores a nodeSelector for its operands, so none is set.
    NvidiaGpuOperator(
        Chart(app, "gpu-operator"), "gpu-operator", nodes=nodes, namespace="nvidia-gpu-operator", delivery=Flux(namespace="flux-system")
    )
    # The workloads do not set NVIDIA_VISIBLE_DEVICES=all, which overrides the allocation and shows every GPU of the node.
    ollama(app, nodes)
    ComfyUI(namespaced(app, "comfyui"), "comfyui", nodes=nodes, storage="100Gi", memory="16Gi")
    return [nodes]


def standalone_shared(app: App) -> list[GpuNodes]:
    """The standalone plugin on Talos 1.12: nvml, envvar, five pods a card, feature discovery, and a taint of the cluster's own."""
    nodes = GpuNodes(
        talos_version="1.12.11",
        labels={"nvidia.com/gpu.present": "true"},  # set by the machine configuration and by NFD's rule; GFD does not set it
        taints=[Taint("dedicated", "ai")],
        gpus_per_node=1,
        memory_per_gpu="16Gi",
        sharing=TimeSlicing(replicas=5),  # the node advertises 5, not 2
    )
    os_layer(app, nodes)
    chart = Chart(app, "gpu", namespace="nvidia-device-plugin")
    PrivilegedNamespace(chart, "nvidia-device-plugin")
    NvidiaRuntimeClass(chart, "runtime-class")
    # nvml is the default, because its error is clearer than that of auto. The plugin's RuntimeClass makes the NVML library available.
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes, feature_discovery=True)
    # The description's exporter is years old and names only one of five pods on a card. VMAgent reads the ServiceMonitor too.
    DcgmExporter(chart, "dcgm-exporter", nodes=nodes)
    GpuDashboard(chart, "gpu-dashboard", folder="GPUs")
    # GPU feature discovery publishes its labels through node feature discovery.
    NodeFeatureDiscovery(Chart(app, "node-feature-discovery"), "node-feature-discovery", nodes=nodes, delivery=ArgoCd())
    ollama(app, nodes)
    return [nodes]


def runtime_class_taint(app: App) -> list[GpuNodes]:
    """An RTX 2070 Super on Talos 1.11 with the LTS driver, tainted and labelled by talhelper, and a smoke test. Flux applies it all."""
    nodes = GpuNodes(
        talos_version="1.11.1",
        kernel_modules="proprietary",  # the modules of the description's schematic ID; its extension names don't exist
        driver_track="lts",
        labels={"role": "gpu"},
        taints=[Taint("gpu", "true")],
        product="RTX 2070 Super",
        gpus_per_node=1,
        memory_per_gpu="8Gi",
        count=1,
    )
    # The node's fields are merged into talhelper's file by hostname. Every other line of the file stays.
    talconfig = merge_into_talconfig(
        TALCONFIG, hostnames=["velaryon"], schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes)
    )  # fmt: skip
    (os_layer(app, nodes) / "talconfig.yaml").write_text(talconfig)
    chart = Chart(app, "gpu")
    NvidiaRuntimeClass(chart, "runtime-class")
    # The description has no device plugin: every pod with the RuntimeClass sees the card, and nothing counts the users of the card. With the plugin a
    # pod asks for the card by a limit. Only the plugin needs a privileged namespace, such as kube-system; GPU workloads do not.
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)
    # The Job's log says what it proved. Its CUDA is 12, because the 535 driver of this track runs no CUDA 13.
    CudaSmokeTest(Chart(app, "smoke-test", namespace="default"), "smoke-test", nodes=nodes)
    applied_by_flux(app, "runtime-class-taint")
    return [nodes]


TALCONFIG = """\
clusterName: home
talosVersion: v1.11.1
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: velaryon  # the node with the card
    ipAddress: 10.0.0.30
    installDisk: /dev/nvme0n1
"""


def single_node_h100(app: App) -> list[GpuNodes]:
    """One node with two H100 NVL on Talos 1.11, control plane and GPU node in one, without node feature discovery; vLLM on both cards."""
    nodes = GpuNodes(
        talos_version="1.11.5",
        # No labels: Talos labels the node with its extensions, and the plugin selects the node by these labels.
        taints=[Taint("node-role.kubernetes.io/control-plane")],
        product="H100 NVL",
        gpus_per_node=2,
        memory_per_gpu="94Gi",
        count=1,
    )
    os_layer(app, nodes)
    chart = Chart(app, "gpu")
    NvidiaRuntimeClass(chart, "runtime-class")
    # The plugin runs in kube-system, which Talos exempts from Pod Security. It also tolerates nvidia.com/gpu; the description's list replaced this
    # toleration. The node has no no-cgroups patch: Talos refuses to create the file, and nothing reads the file.
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)
    # The recipe takes the image with CUDA 12: the 570 driver can't run CUDA 13.
    vllm(app, nodes, model="openai/gpt-oss-120b", gpus=2)
    return [nodes]


def today(app: App) -> list[GpuNodes]:
    """Talos 1.14 with CDI: RTX cards that are shared, an H100 that is not, one operator for both, alerts, Ollama, ComfyUI, vLLM."""
    # The node label nvidia.com/device-plugin.config, rtx or h100, names the class of a node. The machine configuration sets this label.
    rtx = GpuNodes(
        talos_version="1.14.0", name="rtx", taints=[Taint("nvidia.com/gpu")], product="RTX 4090", gpus_per_node=2, memory_per_gpu="24Gi",
        count=2, sharing=TimeSlicing(replicas=4),
    )  # fmt: skip
    h100 = GpuNodes(
        talos_version="1.14.0", name="h100", taints=[Taint("nvidia.com/gpu"), Taint("dedicated", "llm")], product="H100 SXM5",
        gpus_per_node=8, memory_per_gpu="80Gi",
    )  # fmt: skip
    os_layer(app, rtx, operator=True)
    # Eight of these cards are on a board with NVSwitch: the image has NVIDIA's fabric manager, without which CUDA fails with error 802.
    os_layer(app, h100, operator=True)
    # kube-prometheus-stack selects its ServiceMonitors and rules by this label, the name of its Helm release.
    chosen = {"release": "kube-prometheus-stack"}
    values = {
        # The operator's exporter lacks the error counters that most alerts need, so each class has a DcgmExporter.
        "dcgmExporter": {"enabled": False},
        "operator": {"metrics": {"serviceMonitor": {"additionalLabels": chosen}}},
    }
    chart = Chart(app, "gpu-operator", namespace="gpu-operator")
    NvidiaGpuOperator(chart, "gpu-operator", nodes=[rtx, h100], delivery=Flux(namespace="flux-system"), values=values)
    DcgmExporter(chart, "dcgm-exporter-rtx", nodes=rtx, service_monitor_labels=chosen)
    DcgmExporter(chart, "dcgm-exporter-h100", nodes=h100, service_monitor_labels=chosen)
    GpuAlerts(chart, "alerts", operator=True, labels=chosen)
    ollama(app, rtx)
    comfyui_website(app, rtx, host="comfyui.home.arpa")
    vllm(app, h100, model="openai/gpt-oss-120b", gpus=1)
    return [rtx, h100]


def llm_platform(app: App) -> list[GpuNodes]:
    """Four nodes with eight H100 on Talos 1.14, the operator by Argo CD: two servers, a queue of gangs, and a node in MIG for notebooks."""
    card: dict[str, Any] = {
        "talos_version": "1.14.6",
        "product": "H100 SXM5",
        "gpus_per_node": 8,
        "memory_per_gpu": "80Gi",
        "taints": [Taint("nvidia.com/gpu")],
    }
    # Each kind of work has nodes of its own. A server on a node for training would leave seven cards there, and a gang of two whole nodes would never start.
    serving, training = GpuNodes(**card, name="serving", count=1), GpuNodes(**card, name="training", count=2)
    partitioned = GpuNodes(**card, name="partitioned", count=1, mig_devices={"1g.10gb": 7})
    classes = [serving, training, partitioned]
    for nodes in classes:
        os_layer(app, nodes, operator=True)
    chosen = {"release": "kube-prometheus-stack"}
    GpuStack(
        Chart(app, "gpu-operator"), "gpu-stack", nodes=classes, operator=True, delivery=ArgoCd(), monitoring_labels=chosen, dashboard={"folder": "GPUs"},
    )  # fmt: skip
    servers(app, serving)
    # The queue hands out the whole class: nothing outside of it runs on these nodes.
    runs = namespaced(app, "training")
    queue = KueueQueue(runs, "training-queue", nodes=training, namespaces=["training"], name="training")
    GpuGang(
        runs, "finetune", nodes=training, kind="JobSet", size=2, gpus=8, queue=queue.name,
        image="registry.example.com/finetune:2026-11-20", command=["torchrun", "train.py"], memory="512Gi", max_restarts=2,
    )  # fmt: skip
    notebooks(app, partitioned)
    return classes


def servers(app: App, nodes: GpuNodes) -> None:
    """Two servers on the eight cards of a node: four cards for one model, and up to four pods of one card for the other."""
    chart = namespaced(app, "models")
    GpuQuota(chart, "gpus", nodes=nodes, gpus=8)
    key, token = SecretKey("models", "api-key"), SecretKey("huggingface", "token")
    llama = Vllm(
        chart, "llama", nodes=nodes, model="meta-llama/Llama-3.3-70B-Instruct", gpus=4, token=token, api_key=key, storage="300Gi", memory="64Gi",
    )  # fmt: skip
    shared = Persistent("200Gi", access_mode="ReadWriteMany")
    gpt_oss = Vllm(
        chart, "gpt-oss", nodes=nodes, model="openai/gpt-oss-120b", replicas=None, token=token, api_key=key, volumes={"/models": shared}, memory="64Gi",
    )  # fmt: skip
    autoscale(gpt_oss, metric="vllm:num_requests_waiting", threshold=5, prometheus="http://prometheus.monitoring.svc:9090", max_replicas=4)
    for server in (llama, gpt_oss):
        scrape(server, labels={"release": "kube-prometheus-stack"})
        expose(server, f"{server.name}.example.com", gateway="internal", gateway_namespace="gateway", timeout="10m")
        isolate(server, from_namespaces=["gateway", "monitoring"])


def notebooks(app: App, nodes: GpuNodes) -> None:
    """A notebook for each person, on a partition of its own; the namespace may have a quarter of the partitions."""
    chart = namespaced(app, "notebooks")
    GpuQuota(chart, "gpus", nodes=nodes, profiles={"1g.10gb": 14}, gpus_per_container=1)
    for person in ("ada", "grace"):
        notebook = Jupyter(chart, person, nodes=nodes, profile="1g.10gb", token=SecretKey("jupyter", person), memory="32Gi")
        isolate(notebook, from_namespaces=["gateway"])


def os_layer(app: App, nodes: GpuNodes, *, operator: bool = False) -> Path:
    """Write the Talos files for the nodes: the schematic, the installer image's name and the machine configuration patch. Return their folder."""
    folder = Path(app.outdir).parent / "talos"
    folder.mkdir(parents=True, exist_ok=True)
    prefix = f"{nodes.name}-" if nodes.name else ""
    image = Schematic(nodes=nodes)
    (folder / f"{prefix}schematic.yaml").write_text(image.text)
    (folder / f"{prefix}installer-image.txt").write_text(f"{image.installer_image()}\n")
    (folder / f"{prefix}machine-config.yaml").write_text(MachineConfigPatch(nodes=nodes, operator=operator).text)
    return folder


def ollama(app: App, nodes: GpuNodes) -> None:
    """Ollama, without a model: clients pull models with `ollama pull` and OLLAMA_HOST, or `models=[…]` brings them by a Job."""
    Ollama(namespaced(app, "ollama"), "ollama", nodes=nodes, keep_alive="24h", memory="16Gi")


COMFYUI = "yanwk/comfyui-boot:cu130-slim-v2"
COMFYUI_FOLDERS = [
    *(f"ComfyUI/{folder}" for folder in ("models", "custom_nodes", "input", "output", "user")), "user-scripts", ".cache", ".local", ".config",
]  # fmt: skip


def comfyui_website(app: App, nodes: GpuNodes, *, host: str) -> None:
    """ComfyUI by cdk8s-plus, with an Ingress. ComfyUI has no login, so the host is one of the internal network."""
    chart = namespaced(app, "comfyui")
    named = ApiObjectMetadata(name="comfyui")
    claim = kplus.PersistentVolumeClaim(
        chart, "storage", metadata=ApiObjectMetadata(name="comfyui-storage"), storage=Size.gibibytes(100),
        access_modes=[kplus.PersistentVolumeAccessMode.READ_WRITE_ONCE],
    )  # fmt: skip
    storage = kplus.Volume.from_persistent_volume_claim(chart, "storage-volume", claim, name="storage")
    status = kplus.Probe.from_http_get("/system_stats")
    # The defaults of cdk8s-plus fit no such image: runAsNonRoot, a read-only root file system, 2048Mi of memory, two pods, and a rolling update, whose
    # new pod would wait for the volume and the GPU of the old pod.
    deployment = kplus.Deployment(
        chart, "comfyui", metadata=named, replicas=1, strategy=kplus.DeploymentStrategy.recreate(), termination_grace_period=Duration.seconds(10),
    )  # fmt: skip
    container = deployment.add_container(
        name="comfyui", image=COMFYUI, port_number=8188, liveness=status, readiness=status,
        startup=kplus.Probe.from_http_get("/system_stats", failure_threshold=60),
        resources=kplus.ContainerResources(memory=kplus.MemoryResources(request=Size.gibibytes(16), limit=Size.gibibytes(16))),
        security_context=kplus.ContainerSecurityContextProps(ensure_non_root=False, read_only_root_filesystem=False),
    )  # fmt: skip
    for folder in COMFYUI_FOLDERS:
        container.mount(f"/root/{folder}", storage, sub_path=folder)
    shared_memory = kplus.Volume.from_empty_dir(chart, "shm", "shm", medium=kplus.EmptyDirMedium.MEMORY, size_limit=Size.gibibytes(1))
    container.mount("/dev/shm", shared_memory)  # noqa: S108  # shared memory, no temporary file
    service = deployment.expose_via_service(name="comfyui", ports=[kplus.ServicePort(port=80, target_port=8188)])
    ingress = kplus.Ingress(chart, "ingress", metadata=named, class_name="internal")
    ingress.add_host_rule(host, "/", kplus.IngressBackend.from_service(service))
    request_gpus(deployment, nodes=nodes)


def vllm(app: App, nodes: GpuNodes, *, model: str, gpus: int) -> None:
    """VLLM with a model that a Job downloads. Its two Secrets must exist: only the Job has the token of Hugging Face."""
    Vllm(
        namespaced(app, "vllm"), "vllm", nodes=nodes, model=model, gpus=gpus, token=SecretKey("huggingface", "token"),
        api_key=SecretKey("vllm", "api-key"), storage="200Gi", memory="64Gi", shared_memory="16Gi",
    )  # fmt: skip


def namespaced(app: App, name: str) -> Chart:
    """A chart with its own namespace, which is not privileged: a pod that only asks for a GPU passes Talos' Pod Security."""
    chart = Chart(app, name, namespace=name)
    namespace = ApiObject(chart, "namespace", api_version="v1", kind="Namespace", metadata=ApiObjectMetadata(name=name))
    namespace.add_json_patch(JsonPatch.remove("/metadata/namespace"))  # cdk8s adds the chart's namespace, and a Namespace has none
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
    }
    kustomization = ApiObject(
        chart, "kustomization", api_version="kustomize.toolkit.fluxcd.io/v1", kind="Kustomization",
        metadata=ApiObjectMetadata(name=cluster),
    )  # fmt: skip
    kustomization.add_json_patch(JsonPatch.add("/spec", spec))


CLUSTERS = (operator_argocd, operator_flux, standalone_shared, runtime_class_taint, single_node_h100, today, llm_platform)


def main() -> None:
    """Synthesize every cluster."""
    output = Path(os.environ.get("CDK8S_OUTDIR", "dist"))
    for cluster in CLUSTERS:
        folder = output / cluster.__name__.replace("_", "-")
        app = App(outdir=str(folder / "manifests"))
        attach(app)
        nodes = cluster(app)
        app.synth()
        (folder / "README.md").write_text(cluster_page(folder, nodes=nodes))


if __name__ == "__main__":
    main()
