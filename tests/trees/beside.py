"""Apps that stand beside a cluster's GPU stack, name GPUs, and change nothing: other vendors' plugins, virtual machines, quotas, policies, queues."""

from __future__ import annotations

from random import Random
from typing import Any

from .model import App, Object, Release
from .releases import dumped


def one(api: str, kind: str, name: str, namespace: str | None = None, /, **fields: Any) -> Object:
    """An object."""
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, **fields}


def pod(name: str, image: str, resources: Object, **spec: Any) -> Object:
    """The template of a pod with one container."""
    labels = {"app": name}
    return {"metadata": {"labels": labels}, "spec": {**spec, "containers": [{"name": name, "image": image, "resources": resources}]}}


def _workload(kind: str, name: str, namespace: str, template: Object, **spec: Any) -> Object:
    return one(
        "apps/v1", kind, name, namespace, spec={**spec, "selector": {"matchLabels": template["metadata"]["labels"]}, "template": template}
    )


def other_vendors(random: Random) -> App:
    """The plugins of AMD and Intel, with their pods, and a card that a virtual machine has."""
    amd = _workload(
        "DaemonSet",
        "amdgpu-device-plugin",
        "kube-system",
        pod(
            "amdgpu",
            "rocm/k8s-device-plugin:1.31.0.9",
            {},
            tolerations=[{"key": "amd.com/gpu", "operator": "Exists"}],
            nodeSelector={"example.org/amd": "true"},
        ),
    )
    user = _workload(
        "Deployment",
        "rocm",
        "kube-system",
        pod("rocm", "rocm/pytorch:rocm7.1", {"limits": {"amd.com/gpu": 1}}, nodeSelector={"example.org/amd": "true"}),
        replicas=1,
    )
    intel = one(
        "deviceplugin.intel.com/v1",
        "GpuDevicePlugin",
        "gpu-device-plugin",
        spec={
            "image": "intel/intel-gpu-plugin:0.34.0",
            "sharedDevNum": 5,
            "nodeSelector": {"intel.feature.node.kubernetes.io/gpu": "true"},
        },
    )
    return App("other-gpus", "kube-system", random.sample([amd, user, intel], 2))


def virtual_machines(random: Random) -> App:
    """KubeVirt with a card that is passed through."""
    domain = {"devices": {"gpus": [{"deviceName": "nvidia.com/GA102GL_A10", "name": "gpu1"}]}, "resources": {"requests": {"memory": "8Gi"}}}
    machine = one(
        "kubevirt.io/v1", "VirtualMachine", "desktop", "vms", spec={"runStrategy": "Halted", "template": {"spec": {"domain": domain}}}
    )
    devices = {
        "pciHostDevices": [{"pciVendorSelector": "10DE:2236", "resourceName": "nvidia.com/GA102GL_A10", "externalResourceProvider": False}]
    }
    virt = one("kubevirt.io/v1", "KubeVirt", "kubevirt", "vms", spec={"configuration": {"permittedHostDevices": devices}})
    return App("vms", "vms", [machine, virt])


def limits(random: Random) -> App:
    """Quotas and classes of priority."""
    quota = one("v1", "ResourceQuota", "gpus", "ai", spec={"hard": {"requests.nvidia.com/gpu": "8", "limits.memory": "512Gi"}})
    bounds = {"type": "Container", "default": {"memory": "512Mi", "nvidia.com/gpu": "0"}, "max": {"nvidia.com/gpu": "4"}}
    return App(
        "limits",
        "ai",
        [
            quota,
            one("v1", "LimitRange", "gpus", "ai", spec={"limits": [bounds]}),
            one("scheduling.k8s.io/v1", "PriorityClass", "gpu-batch", value=1000, preemptionPolicy="Never"),
        ],
    )


def policies(random: Random) -> App:
    """Kyverno's rules about GPU pods, which check and fill in what the pods of this cluster have."""
    match = {"any": [{"resources": {"kinds": ["Pod"]}}]}
    validate = {
        "message": "GPU pods need a limit",
        "pattern": {"spec": {"containers": [{"(image)": "*cuda*", "resources": {"limits": {"nvidia.com/gpu": "?*"}}}]}},
    }
    rules = [{"name": "limit", "match": match, "validate": validate}]
    add = {
        "patchStrategicMerge": {
            "spec": {
                "+(priorityClassName)": "gpu-batch",
                "containers": [{"(name)": "*", "resources": {"limits": {"+(nvidia.com/gpu)": "0"}}}],
            }
        }
    }
    rules.append({"name": "class", "match": match, "mutate": add})
    return App("policies", "kube-system", [one("kyverno.io/v1", "ClusterPolicy", "gpu-limits", spec={"background": False, "rules": rules})])


def queues(random: Random) -> App:
    """Kueue's quota of GPUs."""
    flavor = one("kueue.x-k8s.io/v1beta1", "ResourceFlavor", "gpu", spec={"nodeLabels": {}})
    group = {
        "coveredResources": ["cpu", "nvidia.com/gpu"],
        "flavors": [{"name": "gpu", "resources": [{"name": "cpu", "nominalQuota": 32}, {"name": "nvidia.com/gpu", "nominalQuota": 2}]}],
    }
    queue = one("kueue.x-k8s.io/v1beta1", "ClusterQueue", "gpus", spec={"namespaceSelector": {}, "resourceGroups": [group]})
    return App(
        "kueue", "kueue-system", [flavor, queue, one("kueue.x-k8s.io/v1beta1", "LocalQueue", "gpus", "ai", spec={"clusterQueue": "gpus"})]
    )


def scripts(random: Random) -> App:
    """Scripts and templates of pods in ConfigMaps, and jobs that are off."""
    template = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "placeholder"},
        "spec": {"containers": [{"name": "base", "image": "nvidia/cuda", "resources": {"limits": {"nvidia.com/gpu": "0.5"}}}]},
    }
    texts = {
        "pod_template.yaml": dumped(template),
        "smi.sh": "#!/bin/sh\nnvidia-smi -L || exit 1\n",
        "values.yaml": "driver: {enabled: true}\n",
    }
    names = one("v1", "ConfigMap", "templates", "default", data=texts)
    label = ["sh", "-c", "kubectl label nodes -l example.org/rack=1 example.org/gpu-rack=true --overwrite"]
    job = pod("label", "registry.k8s.io/kubectl:v1.35.0", {}, restartPolicy="Never")
    job["spec"]["containers"][0]["command"] = label
    off = one(
        "batch/v1",
        "CronJob",
        "off",
        "default",
        spec={
            "schedule": "0 0 * * *",
            "suspend": True,
            "jobTemplate": {"spec": {"template": {"spec": pod("idle", "busybox:1.37", {}, restartPolicy="Never")["spec"]}}},
        },
    )
    return App("scripts", "default", [names, one("batch/v1", "Job", "label", "default", spec={"template": job}), off])


def charts(random: Random) -> App:
    """Charts that name GPUs in settings which are off, or which are not of NVIDIA's."""
    hub: Object = {
        "singleuser": {"profileList": [{"display_name": "GPU", "kubespawner_override": {"extra_resource_limits": {"amd.com/gpu": "1"}}}]}
    }
    ollama: Object = {"ollama": {"gpu": {"enabled": False, "type": "nvidia", "number": 2}}, "runtimeClassName": ""}
    two: Object = {"controllers": {
        "web": {"containers": {"app": {"image": {"repository": "ghcr.io/open-webui/open-webui", "tag": "v0.6.41"}, "env": {"NVIDIA_NOTE": "none"}}}},
        "cron": {"type": "cronjob", "cronjob": {"schedule": "@daily"}, "containers": {"app": {"image": {"repository": "busybox", "tag": "1.37"}}}},
    }}  # fmt: skip
    return App("charts", "web", [], random.sample([
        Release("jupyterhub", "https://hub.jupyter.org/helm-chart", "4.3.1", "hub", "web", hub),
        Release("ollama", "https://otwld.github.io/ollama-helm", "1.36.0", "ollama-cpu", "web", ollama),
        Release("app-template", "oci://ghcr.io/bjw-s-labs/helm/app-template", random.choice(("3.7.3", "4.5.0")), "open-webui", "web", two),
    ], 2))  # fmt: skip


def claims(random: Random) -> App:
    """A template of claims that nothing uses, and a class of devices."""
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.intel.com"}}
    template = one("resource.k8s.io/v1", "ResourceClaimTemplate", "intel", "default", spec={"spec": {"devices": {"requests": [request]}}})
    return App(
        "claims",
        "default",
        [
            template,
            one(
                "resource.k8s.io/v1",
                "DeviceClass",
                "gpu.intel.com",
                spec={"selectors": [{"cel": {"expression": "device.driver == 'gpu.intel.com'"}}]},
            ),
        ],
    )


BESIDE = (other_vendors, virtual_machines, limits, policies, queues, scripts, charts, claims)


def beside(random: Random, minor: int) -> list[App]:
    """Some of these apps. The API of claims is stable from the Kubernetes of Talos 1.12 on."""
    fitting = [each for each in BESIDE if each is not claims or minor >= 12]
    return [each(random) for each in random.sample(fitting, random.choice((0, 0, 1, 2)))]
