"""GPU workloads that run: as plain objects, and as values of the charts in which people write them."""

from __future__ import annotations

from random import Random
from typing import Any

from .model import App, Object, Release

PROGRAMS = {
    "ollama": ("ollama/ollama:0.13.5", 11434),
    "comfyui": ("yanwk/comfyui-boot:cu126-slim-20250901", 8188),
    "whisper": ("fedirz/faster-whisper-server:0.6.0-rc.3-cuda", 8000),
    "jellyfin": ("jellyfin/jellyfin:10.11.4", 8096),
    "immich-machine-learning": ("ghcr.io/immich-app/immich-machine-learning:v2.4.1-cuda", 3003),
    "llama-swap": ("ghcr.io/mostlygeek/llama-swap:v179-cuda-b7406", 8080),
}
"""Programs that are run on GPUs of Talos clusters, each with its image and port."""
VIDEO = ("jellyfin",)
APP_TEMPLATE = ("oci://ghcr.io/bjw-s-labs/helm/app-template", "https://bjw-s-labs.github.io/helm-charts")
TRUECHARTS = "oci://oci.trueforge.org/truecharts"


class GpuNeeds:
    """What a pod of this cluster needs for one GPU."""

    def __init__(self, runtime_class: str | None, tolerations: list[Object], selector: dict[str, str], capabilities: str) -> None:
        self.runtime_class, self.tolerations, self.selector, self.capabilities = runtime_class, tolerations, selector, capabilities

    def pod(self) -> Object:
        found: Object = {}
        if self.runtime_class:
            found["runtimeClassName"] = self.runtime_class
        if self.tolerations:
            found["tolerations"] = [dict(each) for each in self.tolerations]
        if self.selector:
            found["nodeSelector"] = dict(self.selector)
        return found

    def env(self, name: str) -> dict[str, str]:
        return {"NVIDIA_DRIVER_CAPABILITIES": self.capabilities} if name in VIDEO else {}


def plain(random: Random, name: str, namespace: str, needs: GpuNeeds) -> App:
    """The program as a Deployment or StatefulSet with its Service."""
    image, port = PROGRAMS[name]
    labels = {"app.kubernetes.io/name": name}
    env = [{"name": key, "value": value} for key, value in {"TZ": "Europe/Berlin", **needs.env(name)}.items()]
    container: Object = {
        "name": random.choice((name, "app", "main")),
        "image": image,
        "ports": [{"name": "http", "containerPort": port}],
        "env": env,
        "resources": {
            "requests": {"cpu": "100m", "memory": "2Gi", **({"nvidia.com/gpu": 1} if random.random() < 0.3 else {})},
            "limits": {"memory": "16Gi", "nvidia.com/gpu": random.choice((1, "1"))},
        },
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    if random.random() < 0.3:
        container["startupProbe"] = {"httpGet": {"path": "/", "port": "http"}, "failureThreshold": 30, "periodSeconds": 5}
    pod = {**needs.pod(), "containers": [container], "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}},
    }
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": labels, "ports": [{"name": "http", "port": port, "targetPort": "http"}]},
    }
    spec: Object = {"replicas": 1, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
    kind = random.choice(("Deployment", "StatefulSet"))
    spec |= {"strategy": {"type": "Recreate"}} if kind == "Deployment" else {"serviceName": name}
    meta = {"name": name, "namespace": namespace, "labels": labels}
    workload = {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": spec}
    return App(name, namespace, [workload, service, claim])


def of_app_template(random: Random, name: str, namespace: str, needs: GpuNeeds) -> App:
    """The program as values of bjw-s' app-template."""
    image, port = PROGRAMS[name]
    repository, _, tag = image.rpartition(":")
    controller: Object = {
        "strategy": "Recreate",
        "containers": {
            "app": {
                "image": {"repository": repository, "tag": tag},
                "env": {"TZ": "Europe/Berlin", **needs.env(name)},
                "resources": {"requests": {"cpu": "100m"}, "limits": {"nvidia.com/gpu": 1, "memory": "8Gi"}},
            }
        },
    }
    values: Object = {"controllers": {name: controller}, "service": {"app": {"controller": name, "ports": {"http": {"port": port}}}}}
    if random.random() < 0.5:
        values["defaultPodOptions"] = needs.pod()
    else:
        controller["pod"] = needs.pod()
    if random.random() < 0.4:
        odd = {"enabled": False, "containers": {"app": {"image": {"repository": repository, "tag": tag}}}}
        odd["containers"]["app"]["resources"] = {"limits": {"nvidia.com/gpu": 4}, "requests": {"nvidia.com/gpu": 2}}
        values["controllers"]["old"] = odd
    values["persistence"] = {"data": {"existingClaim": name}, "tmp": {"type": "emptyDir"}}
    return App(
        name,
        namespace,
        [],
        [Release("app-template", random.choice(APP_TEMPLATE), random.choice(("4.5.0", "3.7.3")), name, namespace, values)],
    )


def of_truecharts(random: Random, name: str, namespace: str, needs: GpuNeeds) -> App:
    """The program as values of TrueCharts' common library."""
    image, _ = PROGRAMS[name]
    repository, _, tag = image.rpartition(":")
    container: Object = {"env": {"TZ": "Europe/Berlin", **needs.env(name)}, "resources": {"limits": {"nvidia.com/gpu": 1}}}
    spec: Object = {**needs.pod(), "containers": {"main": container}}
    workload: Object = {"main": {"type": "Deployment", "strategy": "Recreate", "podSpec": spec}}
    values: Object = {"image": {"repository": repository, "tag": tag}, "workload": workload}
    if random.random() < 0.5:
        values["podOptions"] = {key: spec.pop(key) for key in list(needs.pod()) if key != "runtimeClassName"}
    if random.random() < 0.5:
        values["resources"] = {"limits": {"nvidia.com/gpu": 1}}
        del container["resources"]
    version = f"{random.randint(10, 25)}.{random.randint(0, 9)}.{random.randint(0, 9)}"
    return App(name, namespace, [], [Release(name, TRUECHARTS, version, name, namespace, values)])


FORMS = (plain, plain, of_app_template, of_app_template, of_truecharts)


def job(name: str, namespace: str, needs: GpuNeeds) -> Object:
    """A Job that runs nvidia-smi."""
    limits: dict[str, Any] = {"limits": {"nvidia.com/gpu": 1}}
    container = {"name": "smi", "image": "nvcr.io/nvidia/cuda:12.6.3-base-ubuntu24.04", "command": ["nvidia-smi"], "resources": limits}
    template = {"spec": {"restartPolicy": "Never", **needs.pod(), "containers": [container]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": namespace}, "spec": {"template": template}}
