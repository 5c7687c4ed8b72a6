"""Symptoms of DCGM and its exporter, from which the metrics of GPUs come."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.generations import CLASS_HANDLER, NRI_TOOLKIT
from .link import Symptom

_LOG = command("kubectl logs POD")
_POD = command("kubectl get pod POD -o yaml")

# fmt: off
EXPORTER_SYMPTOMS = (
    Symptom("exporter-nvml", None, "dcgm-exporter runs without the driver's libraries",
        phrases=(
            "Cannot init NVML library",
            "Error starting nv-hostengine: DCGM initialization error",
            "Cannot initialize the hostengine"),
        possible=("ERROR_LIBRARY_NOT_FOUND",),
        cause="The exporter's pod has no RuntimeClass nvidia, so the runtime injects nothing",
        remedy=f"{CLASS_HANDLER.opening} set runtimeClassName: nvidia in the values of the chart, or use DcgmExporter of this library; "
        f"{NRI_TOOLKIT.when} use the operator's exporter",
        commands=(command("kubectl get pod POD -o jsonpath='{.spec.runtimeClassName}'"),),
        source="NVIDIA/dcgm-exporter#612; NVIDIA/dcgm-exporter#34",
        rules=("TG019",), alerts=("GpuMetricsTargetDown",)),
    Symptom("dcgm-remote-engine", None, "dcgm-exporter does not reach the host engine of DCGM", rank=1,
        # NVIDIA/dcgm-exporter@4.5.3-4.8.2:internal/pkg/dcgmprovider/{dcgm,smart_init}.go; DCGM's errorString of -21
        phrases=(
            "Failed to connect to remote hostengine",
            "Error connecting to nv-hostengine: Host engine connection invalid/disconnected",
            "Both embedded and remote DCGM failed",
            "Unable to connect to host engine"),
        likely=("Host engine connection invalid/disconnected", "unable to establish a connection to the specified host"),
        cause="DCGM_REMOTE_HOSTENGINE_INFO (or --remote-hostengine-info) names an address, and no nv-hostengine answers there: no pod of "
        "DCGM runs on the node, or it listens on 127.0.0.1 only. The cards are well",
        remedy="Take the variable out, so that the exporter starts its own engine (operator: dcgm.enabled: false), or let the pod of "
        "DCGM run on each GPU node with -b ALL",
        commands=(_LOG, command("kubectl get pods --all-namespaces -o wide -l app=nvidia-dcgm")),
        source="NVIDIA/gpu-operator#414; NVIDIA/dcgm-exporter#61", alerts=("GpuMetricsTargetDown",)),
    Symptom("dcgm-profiling-refused", None, "DCGM can't read the profiling counters of the card", rank=2,
        # DCGM's errorString of -33, -37 and -41; NVIDIA/dcgm-exporter@4.5.3-4.8.2:pkg/cmd/app.go, internal/pkg/capabilities/capabilities.go
        phrases=(
            "The third-party Profiling module returned an unrecoverable error",
            "doesn't have sufficient privileges to expose profiling metrics",
            "Profiling API panic - DCP metrics disabled"),
        likely=("DCGM_PROFILING_SR_WATCH_FIELDS failed",),
        cause="DCGM_FI_PROF_… come from hardware counters. Only a privileged pod may read them, and only one program at a time. The "
        "exporter has no SYS_ADMIN, or another program holds the counters (another exporter, Nsight, a profiler in a pod). An old "
        "exporter ends with this error. The other metrics need no counters",
        remedy="Give the exporter securityContext.capabilities.add: [SYS_ADMIN], and end the other profiler (dcgmi profile --pause frees "
        "the card). Or take DCGM_FI_PROF_… out of its list of metrics",
        commands=(_LOG, _POD),
        source="NVIDIA/dcgm-exporter#148; NVIDIA/DCGM#62"),
    Symptom("dcgm-profiling-unsupported", None, "The card or its mode has no profiling counters", rank=3,
        phrases=("Profiling is not supported for this group of GPUs or GPU",),
        likely=("Not collecting DCP metrics", "Error watching fields: This request is serviced by a module of DCGM that is not currently loaded"),
        possible=("This request is serviced by a module of DCGM that is not currently loaded", "metric not enabled"),
        cause="DCGM's profiling module does not load for this card: GeForce and old cards have no such counters, and some engines need a "
        "newer driver or SYS_ADMIN. The exporter goes on with its other metrics, so panels of DCGM_FI_PROF_… stay empty; one before "
        "2.1.2 ends (Error watching fields). It is no fault of the node",
        remedy="Use DCGM_FI_DEV_GPU_UTIL and DCGM_FI_DEV_MEM_COPY_UTIL in place of DCGM_FI_PROF_…. On a data centre card: a newer "
        "exporter, and SYS_ADMIN",
        commands=(_LOG, _POD),
        source="NVIDIA/dcgm-exporter#459; NVIDIA/dcgm-exporter#328", rules=("TG125",)),
    Symptom("dcgm-field-unsupported", None, "The list of metrics has a field that this card lacks", rank=2,
        # NVIDIA/go-dcgm pkg/dcgm around DCGM's errorString of -6; NVIDIA/dcgm-exporter@4.5.3-4.8.2:internal/pkg/collector/expcollector.go
        likely=("Error watching fields: Feature not supported",),
        possible=("Failed to watch metrics",),
        cause="DCGM can't watch one of the fields in the CSV on this card: FP64 or tensor pipes of cards without them (A10, GeForce), NVLink "
        "fields without NVLink, ECC or memory rows without ECC. Exporters before 2.6.10 end with this error; newer ones skip what DCGM lists as "
        "not supported, and go on. Cards and node are well",
        remedy="Remove the fields that the card lacks from the exporter's CSV, or use a newer exporter. dcp-metrics-included.csv has all "
        "fields, default-counters.csv those of every card; dcgmi profile -l lists the card's fields",
        commands=(_LOG, command("kubectl exec POD -- dcgmi profile -l")),
        source="NVIDIA/go-dcgm#15; NVIDIA/dcgm-exporter#86", rules=("TG125",)),
    Symptom("dcgm-counters-file", None, "dcgm-exporter can't read its list of metrics", rank=1,
        # NVIDIA/dcgm-exporter@4.5.3-4.8.2:internal/pkg/counters/counter_config.go
        phrases=(
            "could not find DCGM field; err",
            "could not find Prometheus metric type",
            "malformed CSV record; err",
            "malformed configmap contents; err: no metrics found"),
        likely=("Could not read metrics file", "could not retrieve ConfigMap … err"),
        cause="The CSV with the metrics (--collectors, or the ConfigMap of --configmap-data) is missing, or has a line unknown to this "
        "release of DCGM. So the exporter ends at once",
        remedy="Take the line out, or write it as DCGM_FI_…, type, help. The service account of the exporter must be allowed to read the "
        "ConfigMap",
        commands=(_LOG, command("kubectl get configmaps --all-namespaces | grep -i dcgm")),
        source="NVIDIA/dcgm-exporter internal/pkg/counters/counter_config.go", rules=("TG125",), alerts=("GpuMetricsTargetDown",)),
    Symptom("dcgm-listen", None, "dcgm-exporter can't listen at its address", rank=1,
        # NVIDIA/dcgm-exporter@4.5.3-4.8.2:internal/pkg/server/server.go
        phrases=("Failed to Listen and Server HTTP",),
        cause="The address of --address or DCGM_EXPORTER_LISTEN is not host:port (missing port in address: 9400 in place of :9400). Or "
        "the port is taken, for example by a second exporter with hostNetwork (address already in use)",
        remedy="Set DCGM_EXPORTER_LISTEN=:9400, and run one exporter on a node where it has the network of the host",
        commands=(_POD, _LOG), source="NVIDIA/gpu-monitoring-tools#111; NVIDIA/dcgm-exporter internal/pkg/server/server.go", alerts=("GpuMetricsTargetDown",)),
    Symptom("dcgm-library", None, "The image of the exporter has no DCGM for the machine", rank=1,
        # NVIDIA/dcgm-exporter@4.5.3-4.8.2:internal/pkg/prerequisites/{variables,dcgmlib_rule}.go
        phrases=("library was not found. Install Data Center GPU Manager", "library architecture mismatch with the system; wanted"),
        cause="libdcgm.so.4 is missing in the image or is built for another architecture (amd64 on an arm64 node)",
        remedy="Use the image nvcr.io/nvidia/k8s/dcgm-exporter with its tag for both architectures",
        commands=(_POD, _LOG), source="NVIDIA/dcgm-exporter internal/pkg/prerequisites/dcgmlib_rule.go"),
    Symptom("dcgm-pod-resources", None, "dcgm-exporter does not know which pod has which GPU", rank=3,
        # NVIDIA/dcgm-exporter@4.5.3-4.8.2:internal/pkg/transformation/kubernetes.go
        phrases=("failure connecting to '/var/lib/kubelet/pod-resources/kubelet.sock'", "failure getting pod resources; err", "No Kubelet socket, ignoring"),
        cause="The exporter asks the kubelet for the cards' pods by a socket. The socket is not mounted, or the kubelet does not answer. "
        "The metrics have no labels pod and namespace",
        remedy="Mount the host's /var/lib/kubelet/pod-resources in the pod of the exporter",
        commands=(_POD, _LOG), source="NVIDIA/dcgm-exporter internal/pkg/transformation/kubernetes.go"),
    Symptom("dcgm-service-monitor", None, "The cluster has no ServiceMonitor, and a chart makes one", rank=1,
        phrases=('no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"', 'no matches for kind "PodMonitor" in version "monitoring.coreos.com/v1"'),
        cause="The CRDs of the Prometheus operator are not in the cluster, so Helm, Flux or Argo CD can't apply the release with the "
        "exporter",
        remedy="Install the Prometheus operator's CRDs first (a dependency of the release), or set serviceMonitor.enabled: false",
        commands=(command("kubectl get crd servicemonitors.monitoring.coreos.com"),),
        source="NVIDIA/dcgm-exporter#34", rules=("TG059",)),
)
