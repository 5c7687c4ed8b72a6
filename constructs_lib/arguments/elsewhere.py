"""Names that people try first and that are no argument, and what to write instead. Only the error for such a name reads these tables."""

from __future__ import annotations

from collections.abc import Mapping

_UPDATES = "the argument is 'update_strategy'"
_SELECTOR = "give the 'labels' to GpuNodes: the labels become the selector"
_AFFINITY = "give the 'labels' to GpuNodes, or use 'pod_spec'"
_RUNTIME = "the RuntimeClass follows from the 'talos_version' of GpuNodes"
_HOST_NETWORK = "give 'hostNetwork' in 'pod_spec': {'hostNetwork': True}"
_GATES = "give feature gates in 'values': {'featureGates': …}"

# The start of the code that sets a field of the object for which there is no argument.
_PATCH = "write ApiObject.of(workload).add_json_patch(JsonPatch."

# The keys hold names without '_', in lower case, so that they stand for every spelling.
_COMMON = {
    "give the 'taints' to GpuNodes: every pod for these nodes tolerates the taints": "tolerations toleration",
    _SELECTOR: "nodeselector nodelabels",
    _RUNTIME: "runtimeclass runtimeclassname runtime",
    "'mig_strategy' is an argument of GpuNodes": "migstrategy",
    "'sharing' is an argument of GpuNodes": "sharing",
    "'dra' is an argument of GpuNodes": "dra",
    "give dra=Dra(…) to GpuNodes": "resourceclaims",
    "give sharing=TimeSlicing(…) to GpuNodes": "timeslicing",
    "give sharing=Mps(…) to GpuNodes": "mps",
}

_OF_PODS = {
    "a pod requests a MIG profile by 'profile'; 'mig_devices' of GpuNodes sets the partitions of the cards": "migprofile mig",
    "the argument is 'gpus'": "gpusperpod gpucount numgpus ngpus nvidiagpu",
}

_OF_WORKLOADS = {
    **_OF_PODS,
    "write port=8000, or port={'http': 8000, 'rtp': '8555/udp'}": "ports containerport containerports targetport expose",
    "write port={'rtp': '8555/udp'}": "protocol protocols",
    "write env={'NAME': 'value'}": "environment envvars envvariables variables environmentvariables extraenv extraenvvars",
    "write env={'TZ': 'Europe/Berlin'}; for the schedule of a CronJob the argument is 'time_zone'": "tz",
    "write env={'NAME': SecretKey('secret', 'key')}, or volumes={'/path': SecretFiles('secret')}": "secrets secret secretenv secretname",
    "write env={'NAME': ConfigMapKey('name', 'key')}, or volumes={'/path': ConfigMapFiles('name')}": "config configmap configmaps configfiles",
    "write pod_spec={'containers': [{'name': …, 'envFrom': […]}]}, or env={…} with a SecretKey or ConfigMapKey each": "envfrom",
    "write cpu='2', memory='16Gi' and gpus=1": "resources limits requests resource",
    "write cpu='2', which is the request: a limit would make the GPU wait": "cpulimit cpulimits cpurequest",
    "give product='…' to GpuNodes": "gputype gpumodel gpuproduct card",
    "write gpu_memory='8Gi'": "vram",
    "write shared_memory='2Gi'": "shm shmsize devshm shmemory sharedmem",
    "write pod_spec={'hostIPC': True}": "ipc hostipc",
    "write pod_spec={'hostPID': True}": "hostpid pid",
    _HOST_NETWORK: "hostnetwork",
    "write pod_spec={'restartPolicy': 'OnFailure'} for kind='Job'; servers restart always": "restartpolicy restart",
    "write an Ingress or an HTTPRoute of your own, whose backend is the workload's 'service'": (
        "ingress ingressclass ingresshost host hosts domain url tls route httproute gateway"
    ),
    "write pod_spec={'hostname': '…'}; the Service already has the workload's name in DNS": "hostname",
    "write service={'type': 'LoadBalancer'}": "servicetype loadbalancer loadbalancertype svc",
    "write service={'type': 'LoadBalancer', 'loadBalancerClass': '…'}": "loadbalancerclass",
    "write service={'type': 'LoadBalancer', 'loadBalancerIP': '…'}, or service={'annotations': {…}}": "loadbalancerip externalip",
    "write service={'type': 'NodePort', 'ports': [{'name': 'http', 'nodePort': 30080}]}": "nodeport",
    "write service={'annotations': {…}}": "serviceannotations",
    "write service={'ports': [{'name': 'http', 'port': 80}]}": "serviceport serviceports",
    "write name='…', which is the name of the Service too": "servicename",
    "write volumes={'/path': Persistent('100Gi')}, or ExistingClaim('name')": (
        "pvc pvcs storage storagesize persistence persistent persistentvolumeclaim persistentvolume disk claim claimname volumeclaimtemplates"
    ),
    "write volumes={'/path': Persistent('100Gi', storage_class='…')}": "storageclass storageclassname",
    "write volumes={'/path': …}: each key is a mount path, each value a volume such as Persistent('100Gi')": "volumemounts mounts mount mountpath",
    "write volumes={'/path': HostPath('/var/mnt/…')}": "hostpath hostpaths",
    "write volumes={'/path': Nfs('server', '/export')}": "nfs",
    "write volumes={'/path': OciImage('registry/image:tag')}": "imagevolume imagevolumes ociimage modelimage",
    "write volumes={'/path': Empty()}": "emptydir emptydirs scratch tmp",
    "write volumes={'/path': Memory('2Gi')}": "tmpfs ramdisk",
    "write security_context={'runAsUser': 1000}": "user uid runasuser",
    "write security_context={'runAsGroup': 1000}": "group gid runasgroup",
    "write security_context={'runAsNonRoot': True}": "runasnonroot nonroot rootless",
    "write security_context={'readOnlyRootFilesystem': True}": "readonlyrootfilesystem readonly",
    "write security_context={'capabilities': {'add': ['…']}}": "capabilities capadd caps",
    "write security_context={'privileged': True}; a GPU needs no privilege": "privileged",
    "write pod_security_context={'fsGroup': 1000}": "fsgroup supplementalgroups",
    "write gpus=1: the device plugin gives the container its GPUs": "devices device visibledevices nvidiavisibledevices cudavisibledevices",
    "write readiness_probe=HttpProbe('/health'), and startup_probe=… for a slow start": (
        "probe probes healthcheck healthchecks health healthpath healthcheckpath readiness"
    ),
    "write liveness_probe=HttpProbe('/health')": "liveness",
    "write startup_probe=HttpProbe('/health', failure_threshold=60)": "startup startupseconds",
    _UPDATES: "strategy rollout deploymentstrategy updatepolicy",
    "write update_strategy='RollingUpdate', which has no surge: the old pod holds the GPU": "rollingupdate maxsurge maxunavailable surge",
    f"{_PATCH}add('/spec/minReadySeconds', 30)) for a Deployment": "minreadyseconds",
    f"{_PATCH}add('/spec/progressDeadlineSeconds', 1800)) for a Deployment": "progressdeadlineseconds",
    f"{_PATCH}add('/spec/revisionHistoryLimit', 3)) for a Deployment": "revisionhistorylimit",
    f"{_PATCH}add('/spec/podFailurePolicy', {{'rules': […]}})) for a Job": "podfailurepolicy",
    f"{_PATCH}add('/spec/successfulJobsHistoryLimit', 1)) for a CronJob": "successfuljobshistorylimit",
    f"{_PATCH}add('/spec/failedJobsHistoryLimit', 3)) for a CronJob": "failedjobshistorylimit",
    f"{_PATCH}replace('/spec/concurrencyPolicy', 'Replace')) for a CronJob, which has 'Forbid': two runs at once need twice the GPUs": (
        "concurrencypolicy concurrency"
    ),
    "write replicas=None and an autoscaler of your own for the attribute 'resource'": (
        "autoscaling autoscaler autoscale hpa horizontalpodautoscaler keda minreplicas maxreplicas"
    ),
    "write replicas=2": "replicacount instances scale pods",
    "write init_containers=[{'name': …, 'image': '…', 'restartPolicy': 'Always'}]": "sidecar sidecars containers container extracontainers",
    "write command=['…'], which replaces the image's ENTRYPOINT": "entrypoint commands",
    "write args=['…'], which replaces the image's CMD": "cmd arguments argv parameters extraargs",
    "write pod_spec={'containers': [{'name': …, 'workingDir': '…'}]}": "workingdir workdir cwd",
    "write pod_spec={'containers': [{'name': …, 'lifecycle': {…}}]}": "lifecycle prestop poststart",
    "write pod_spec={'containers': [{'name': …, 'imagePullPolicy': 'Always'}]}": "imagepullpolicy pullpolicy",
    "write pod_spec={'dnsPolicy': 'ClusterFirstWithHostNet'}": "dns dnspolicy dnsconfig",
    "write pod_spec={'hostAliases': […]}": "hostaliases extrahosts",
    "write pod_spec={'schedulerName': '…'}": "scheduler schedulername",
    "write pod_spec={'nodeSelector': {'kubernetes.io/hostname': '…'}}": "nodename",
    "write pod_spec={'topologySpreadConstraints': […]}": "topologyspreadconstraints topologyspread",
    "write termination_grace_period=30": "terminationgraceperiodseconds graceperiod stoptimeout",
    "write priority_class_name='…'": "priority priorityclass",
    "write service_account_name='…'": "serviceaccount sa",
    "write image_pull_secrets=['…']": "pullsecret pullsecrets registrysecret dockerconfig imagepullsecret",
    "write image='repository:tag'": "tag imagetag repository imagename",
    "write labels={…}, for the objects and the pods": "podlabels extralabels",
    "write labels={…} and annotations={…}": "metadata",
    "write kind='Job'": "job",
    "write kind='CronJob', schedule='0 3 * * *'": "cron cronjob",
    "write kind='StatefulSet'": "statefulset stateful",
    "write kind='Deployment', 'StatefulSet', 'Job' or 'CronJob'": "workloadkind workloadtype type",
    "write backoff_limit=3 for kind='Job'": "retries maxretries",
    "write active_deadline_seconds=3600 for kind='Job'": "deadline timeout timeoutseconds maxruntime",
    "write hashed_name=True for kind='Job'": "namesuffix generatename hash",
    "select the pods by the attribute 'pod_selector' in an object of your own": "networkpolicy pdb poddisruptionbudget servicemonitor podmonitor",
    "give talos_version='1.12' to GpuNodes, and the GpuNodes as nodes=…": "talos talosversion",
    _AFFINITY: "affinity antiaffinity podaffinity nodeaffinity podantiaffinity",
}

_BY_OWNER: Mapping[str, Mapping[str, str]] = {
    "GpuWorkload": _OF_WORKLOADS,
    "GpuClaim": _OF_PODS,
    "gpu_pod": _OF_PODS,
    "gpu_claim": _OF_PODS,
    "request_gpus": _OF_PODS,
    "StandaloneDevicePlugin": {
        "the argument is 'feature_discovery'": "gfd",
        "the plugin's config follows from 'sharing' and 'mig_strategy' of GpuNodes": "config",
        "the argument is 'resources'": "limits requests",
        _UPDATES: "strategy",
        _AFFINITY: "affinity",
        _HOST_NETWORK: "hostnetwork",
    },
    "DcgmExporter": {"the argument is 'resources'": "limits requests", _AFFINITY: "affinity", _HOST_NETWORK: "hostnetwork"},
    "NvidiaRuntimeClass": {"the handler is 'nvidia' on every Talos, whatever the name of the RuntimeClass": "handler"},
    "DraDriver": {_GATES: "featuregates"},
    "NodeFeatureDiscovery": {_GATES: "featuregates"},
    "GpuStack": {
        "the argument is 'operator'": "gpuoperator nvidiagpuoperator",
        "the argument is 'device_plugin'": "plugin plugins deviceplugins standalonedeviceplugin",
        "the argument is 'driver'": "dradriver",
        "the argument is 'discovery'": "nfd gfd nodefeaturediscovery featurediscovery",
        "the argument is 'exporter'": "dcgm dcgmexporter exporters",
        "the argument is 'alerts'": "gpualerts prometheusrule rules",
        "the argument is 'dashboard'": "gpudashboard grafana",
        "the argument is 'monitoring_labels'": "labels release servicemonitorlabels",
    },
    "GpuQuota": {
        "the argument is 'gpus_per_container'": "limit max maximum limitrange gpusperpod",
        "the argument is 'profiles'": "profile migprofile migprofiles partitions",
    },
    "KueueQueue": {
        "the argument is 'namespaces'": "namespace",
        "the argument is 'gpus'": "quota quotas nominalquota",
        "the argument is 'resources'": "cpu memory",
    },
}


def answers(owner: str) -> dict[str, str]:
    """The answers to names that `owner` does not have, by name; the names are without '_' and in lower case."""
    tables = (_COMMON, _BY_OWNER.get(owner, {}))
    return {name: hint for table in tables for hint, names in table.items() for name in names.split()}


def answer(owner: str, name: str) -> str:
    """The answer to a name that `owner` does not have: the code to write instead; empty for a name that is in no table."""
    return answers(owner).get(name.replace("_", "").lower(), "")
