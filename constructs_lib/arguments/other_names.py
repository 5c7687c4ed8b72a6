"""Names of Kubernetes, Docker Compose and Helm charts that people try as arguments, and what to write instead.

Only the error for such a name reads them.
"""

from __future__ import annotations

from collections.abc import Mapping

_SELECTOR = "give the 'labels' to GpuNodes: the labels become the selector"
_RUNTIME = "the RuntimeClass follows from the 'talos_version' of GpuNodes"

# The values hold names without '_', in lower case, so that they stand for every spelling.
_COMMON = {
    "give the 'taints' to GpuNodes: every pod for these nodes tolerates the taints": "tolerations toleration",
    _SELECTOR: "nodeselector nodelabels affinity nodeaffinity",
    _RUNTIME: "runtimeclass runtimeclassname runtime",
    "'mig_strategy' is an argument of GpuNodes": "migstrategy",
    "'sharing' is an argument of GpuNodes": "sharing",
    "'dra' is an argument of GpuNodes": "dra",
    "give sharing=TimeSlicing(…) to GpuNodes": "timeslicing",
}
_OF_PODS = {
    "a pod requests a MIG profile by 'profile'; 'mig_devices' of GpuNodes sets the partitions of the cards": "migprofile mig",
    "the argument is 'gpus'": "gpusperpod gpucount numgpus ngpus nvidiagpu",
}
_OF_WORKLOADS = {
    **_OF_PODS,
    "give talos_version='1.12' to GpuNodes, and the GpuNodes as nodes=…": "talos talosversion",
    "write port=8000, or port={'http': 8000, 'rtp': '8555/udp'}": "ports containerport containerports targetport expose",
    "write env={'NAME': 'value'}": "environment envvars variables extraenv",
    "write env={'NAME': SecretKey('secret', 'key')}, or volumes={'/path': SecretFiles('secret')}": "secrets secret",
    "write env={'NAME': ConfigMapKey('name', 'key')}, or volumes={'/path': ConfigMapFiles('name')}": "config configmap configmaps",
    "write pod_spec={'containers': [{'name': …, 'envFrom': […]}]}, or env={…} with a SecretKey or ConfigMapKey each": "envfrom",
    "write cpu='2', memory='16Gi' and gpus=1": "resources limits requests",
    "write gpu_memory='8Gi'": "vram",
    "write shared_memory='2Gi'": "shm shmsize",
    "write pod_spec={'hostNetwork': True}": "hostnetwork",
    "write pod_spec={'restartPolicy': 'OnFailure'} for kind='Job'; servers restart always": "restartpolicy restart",
    "write an Ingress or an HTTPRoute of your own, whose backend is the workload's 'service'": "ingress host hosts domain httproute",
    "write service={'type': 'LoadBalancer'}": "servicetype loadbalancer",
    "write service={'type': 'NodePort', 'ports': [{'name': 'http', 'nodePort': 30080}]}": "nodeport",
    "write volumes={'/path': Persistent('100Gi')}, or ExistingClaim('name')": "pvc storage persistence persistent",
    "write volumes={'/path': Persistent('100Gi', storage_class='…')}": "storageclass storageclassname",
    "write volumes={'/path': …}: each key is a mount path, each value a volume such as Persistent('100Gi')": "volumemounts mounts",
    "write volumes={'/path': HostPath('/var/mnt/…')}": "hostpath",
    "write volumes={'/path': Nfs('server', '/export')}": "nfs",
    "write volumes={'/path': Empty()}": "emptydir",
    "write security_context={'runAsUser': 1000}": "user runasuser",
    "write security_context={'privileged': True}; a GPU needs no privilege": "privileged",
    "write pod_security_context={'fsGroup': 1000}": "fsgroup",
    "write gpus=1: the device plugin gives the container its GPUs": "devices device visibledevices nvidiavisibledevices",
    "write readiness_probe=HttpProbe('/health'), and startup_probe=… for a slow start": "probe probes healthcheck",
    "the argument is 'update_strategy'": "strategy",
    "write replicas=None and an autoscaler of your own for the attribute 'resource'": "autoscaling hpa",
    "write replicas=2": "replicacount",
    "write init_containers=[{'name': …, 'image': '…', 'restartPolicy': 'Always'}]": "sidecar sidecars containers",
    "write command=['…'], which replaces the image's ENTRYPOINT": "entrypoint",
    "write args=['…'], which replaces the image's CMD": "cmd extraargs",
    "write pod_spec={'nodeSelector': {'kubernetes.io/hostname': '…'}}": "nodename",
    "write image='repository:tag'": "tag repository",
    "write image_pull_secrets=['…']": "pullsecrets imagepullsecret",
    "write kind='CronJob', schedule='0 3 * * *'": "cron cronjob",
}
_GATES = {"give feature gates in 'values': {'featureGates': …}": "featuregates"}
_BY_OWNER: Mapping[str, Mapping[str, str]] = {
    "DraDriver": _GATES,
    "NodeFeatureDiscovery": _GATES,
    "GpuWorkload": _OF_WORKLOADS,
    "GpuClaim": _OF_PODS,
    "gpu_pod": _OF_PODS,
    "gpu_claim": _OF_PODS,
    "request_gpus": _OF_PODS,
    "StandaloneDevicePlugin": {
        "the argument is 'feature_discovery'": "gfd",
        "the plugin's config follows from 'sharing' and 'mig_strategy' of GpuNodes": "config",
    },
    "NvidiaRuntimeClass": {"the handler is 'nvidia' on every Talos, whatever the name of the RuntimeClass": "handler"},
    "GpuStack": {
        "the argument is 'operator'": "gpuoperator",
        "the argument is 'discovery'": "nfd gfd",
        "the argument is 'exporter'": "dcgm dcgmexporter",
        "the argument is 'dashboard'": "grafana",
    },
}


def answers(owner: str) -> dict[str, str]:
    """The answers to names that `owner` does not have, by name; the names are without '_' and in lower case."""
    tables = (_COMMON, _BY_OWNER.get(owner, {}))
    return {name: hint for table in tables for hint, names in table.items() for name in names.split()}


def answer(owner: str, name: str) -> str:
    """The answer to a name that `owner` does not have: the code to write instead; empty for a name in no table."""
    return answers(owner).get(name.replace("_", "").lower(), "")
