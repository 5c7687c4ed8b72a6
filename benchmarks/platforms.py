"""One platform in three ways: by this library, by raw `ApiObject`s with the same bodies, and by hand with cdk8s-plus-28.

The platform is a Namespace, and workloads on GPUs of Talos 1.12: each a Deployment with a Service and a PersistentVolumeClaim. The library and the raw
objects write the same text, byte for byte. cdk8s-plus has its own defaults; what it has no field for is patched in, as its users do.
"""

from collections.abc import Callable
from typing import Any

Platform = Callable[[Any, int], None]
"""A function that adds the platform with so many workloads to a chart."""

IMAGE, NAMESPACE, PORT, PATH, SIZE = "ollama/ollama:0.32.15", "ai", 11434, "/root/.ollama", 100
TOLERATIONS = [
    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"},
]
PRIVILEGED = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}


WORKLOADS_OF_A_SYNTH = 6
"""The workloads of a cluster of 20 objects: with a Namespace and a RuntimeClass."""


def fleet_file(clusters: int) -> str:
    """A cluster file of clusters with 20 objects, which differ in a label of their nodes."""
    objects = "".join(
        f"      app-{each}: {{GpuWorkload: {{image: '{IMAGE}', port: {PORT}, volumes: {{{PATH}: {{Persistent: {SIZE}Gi}}}}}}}}\n"
        for each in range(WORKLOADS_OF_A_SYNTH)
    )
    return (
        'talos: "1.12"\nnodes: {gpu: {taints: ["dedicated=ai:NoSchedule"]}}\n'
        f"charts:\n  gpu:\n    namespace: {NAMESPACE}\n    create_namespace: true\n"
        f"    objects:\n      runtime-class: {{NvidiaRuntimeClass: {{}}}}\n{objects}"
        "clusters:\n" + "".join(f"  c{number}: {{nodes: {{gpu: {{labels: {{cluster: c{number}}}}}}}}}\n" for number in range(clusters))
    )


def workloads_of(objects: int) -> int:
    """The workloads of a platform with about so many objects."""
    return max(1, (objects - 1) // 3)


def with_library() -> Platform:
    """The platform by this library."""
    from constructs_lib import GpuNodes, GpuWorkload, Persistent, PrivilegedNamespace, Taint

    def platform(chart: Any, workloads: int) -> None:
        nodes = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")])
        PrivilegedNamespace(chart, NAMESPACE)
        for number in range(workloads):
            GpuWorkload(chart, f"app-{number}", nodes=nodes, image=IMAGE, port=PORT, volumes={PATH: Persistent(f"{SIZE}Gi")})

    return platform


def with_raw_objects() -> Platform:
    """The platform by raw `ApiObject`s with the same bodies."""
    from cdk8s import ApiObject, ApiObjectMetadata, JsonPatch

    without_namespace = JsonPatch.remove("/metadata/namespace")  # a chart gives its namespace to a Namespace too

    def made(chart: Any, id: str, api_version: str, kind: str, metadata: dict[str, Any], **body: Any) -> None:  # noqa: A002
        api_object = ApiObject(chart, id, api_version=api_version, kind=kind, metadata=ApiObjectMetadata(**metadata))
        patches = [JsonPatch.add(f"/{field}", value) for field, value in body.items()]
        api_object.add_json_patch(*(patches or [without_namespace]))

    def platform(chart: Any, workloads: int) -> None:
        made(chart, NAMESPACE, "v1", "Namespace", {"name": NAMESPACE, "labels": PRIVILEGED})
        for number in range(workloads):
            name = f"app-{number}"
            labels = {"app.kubernetes.io/name": name}
            metadata = {"name": name, "labels": labels}
            made(chart, f"{name}-claim", "v1", "PersistentVolumeClaim", {**metadata, "name": f"{name}-root-ollama"}, spec=claim_spec())
            made(chart, name, "apps/v1", "Deployment", metadata, spec=deployment_spec(name, labels))
            made(chart, f"{name}-service", "v1", "Service", metadata, spec=service_spec(labels))

    return platform


def claim_spec() -> dict[str, Any]:
    """The spec of a PersistentVolumeClaim."""
    return {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": f"{SIZE}Gi"}}}


def service_spec(labels: dict[str, str]) -> dict[str, Any]:
    """The spec of a Service."""
    return {"selector": labels, "ports": [{"name": "http", "port": PORT, "targetPort": "http"}]}


def deployment_spec(name: str, labels: dict[str, str]) -> dict[str, Any]:
    """The spec of a Deployment."""
    container = {
        "name": name,
        "image": IMAGE,
        "ports": [{"name": "http", "containerPort": PORT}],
        "volumeMounts": [{"name": "root-ollama", "mountPath": PATH}],
        "securityContext": {"allowPrivilegeEscalation": False},
        "resources": {"limits": {"nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}},
    }
    pod = {
        "enableServiceLinks": False,
        "automountServiceAccountToken": False,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
        "volumes": [{"name": "root-ollama", "persistentVolumeClaim": {"claimName": f"{name}-root-ollama"}}],
        "runtimeClassName": "nvidia",
        "tolerations": TOLERATIONS,
        "nodeSelector": {"role": "gpu"},
    }
    return {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "strategy": {"type": "Recreate"},
        "template": {"metadata": {"labels": {**labels, "talos-gpu/class": "default"}}, "spec": pod},
    }


def with_cdk8s_plus() -> Platform:
    """The platform by hand with cdk8s-plus-28."""
    import cdk8s_plus_28 as kplus
    from cdk8s import ApiObject, ApiObjectMetadata, JsonPatch, Size

    def workload(chart: Any, name: str) -> None:
        mode = kplus.PersistentVolumeAccessMode.READ_WRITE_ONCE
        metadata = ApiObjectMetadata(name=f"{name}-root-ollama")
        claim = kplus.PersistentVolumeClaim(chart, f"{name}-claim", metadata=metadata, access_modes=[mode], storage=Size.gibibytes(SIZE))
        volume = kplus.Volume.from_persistent_volume_claim(chart, f"{name}-volume", claim, name="root-ollama")
        container = kplus.ContainerProps(
            name=name, image=IMAGE, port_number=PORT, volume_mounts=[kplus.VolumeMount(path=PATH, volume=volume)]
        )
        deployment = kplus.Deployment(
            chart,
            name,
            metadata=ApiObjectMetadata(name=name),
            replicas=1,
            strategy=kplus.DeploymentStrategy.recreate(),
            containers=[container],
        )
        deployment.expose_via_service(name=name)
        one = kplus.k8s.Quantity.from_number(1)
        pod = "/spec/template/spec"
        ApiObject.of(deployment).add_json_patch(
            JsonPatch.add(f"{pod}/runtimeClassName", "nvidia"),
            JsonPatch.add(f"{pod}/nodeSelector", {"role": "gpu"}),
            JsonPatch.add(f"{pod}/tolerations", TOLERATIONS),
            JsonPatch.add(f"{pod}/enableServiceLinks", value=False),
            JsonPatch.add(f"{pod}/containers/0/resources/limits/nvidia.com~1gpu", one),
            JsonPatch.add(f"{pod}/containers/0/resources/requests/nvidia.com~1gpu", one),
        )

    def platform(chart: Any, workloads: int) -> None:
        kplus.Namespace(chart, NAMESPACE, metadata=ApiObjectMetadata(name=NAMESPACE, labels=PRIVILEGED))
        for number in range(workloads):
            workload(chart, f"app-{number}")

    return platform


PLATFORMS: dict[str, Callable[[], Platform]] = {"library": with_library, "raw": with_raw_objects, "cdk8s-plus": with_cdk8s_plus}
