"""Every difference between our pods and those of upstream's chart 0.20.0, each with its reason; one more or one less fails."""

from fnmatch import fnmatchcase

import pytest
import yaml
from cdk8s import App, Chart

from conftest import one, reference, synth
from constructs_lib import GpuNodes, Mps, StandaloneDevicePlugin, Taint, TalosGpuWarning, TimeSlicing

PLUGIN = "nvidia-device-plugin"
DISCOVERY = "nvidia-device-plugin-gpu-feature-discovery"
MPS_DAEMON = "nvidia-device-plugin-mps-control-daemon"

# `- path` is only in upstream's pod, `+ path = value` only in ours; what has another value is in both. `*` stands for anything.
ONE_CONFIG = "a plugin of ours serves one class of nodes, so its one config is mounted as it is, and needs no sidecar to choose it"
EMPTY = "upstream's template writes an empty mapping"
TALOS_LABELS = "Talos labels its nodes with their extensions by itself, so the plugin is scheduled without NFD"
OWN_ACCOUNT = "each part has an account of its own, with no more rights than it needs"
NODES_TAINTS = "the taints of GpuNodes say what is tolerated, and nodes for critical addons only have none of ours"
EXPLICIT = "the plugin's own default, written for those who look for it"
SEES_EVERY_GPU = "the image says so too, and this keeps it when the image is another"
NOT_SHARED_BY_MPS = "only nodes that share by MPS get its folders"
NO_CDI = "no CDI spec is written with the strategy envvar"
NO_MIG = "only nodes with a MIG strategy need it"

SECCOMP = "what Talos' kubelet gives a pod without a profile; every other kubelet gives it too then"
REQUESTS = "the pod has a place in the scheduler's sum; no limit, because a plugin that is killed takes its node's GPUs away"

EVERYWHERE = {
    "- securityContext": EMPTY,
    "+ securityContext/seccompProfile/type = RuntimeDefault": SECCOMP,
    "+ containers/*-ctr/resources/requests/cpu = 10m": REQUESTS,
    "+ containers/*-ctr/resources/requests/memory = 64Mi": REQUESTS,
    "- tolerations/CriticalAddonsOnly/operator": NODES_TAINTS,
    "- serviceAccountName": OWN_ACCOUNT,
    "+ affinity/*/extensions.talos.dev/nvidia-container-toolkit-lts/operator = Exists": TALOS_LABELS,
    "+ affinity/*/extensions.talos.dev/nvidia-container-toolkit-production/operator = Exists": TALOS_LABELS,
}
SEED_002_EVERYWHERE = {
    **EVERYWHERE,
    "- affinity/*/pci-10de.present/*": "the label of a card that may be passed through, or whose node may lack the extension",
    "- affinity/*/cpu-model.vendor_id/*": "the label of a Tegra, which no Talos supports",
    "- volumes/available-configs/*": ONE_CONFIG,
    "- volumes/config/emptyDir": ONE_CONFIG,
    "+ volumes/config/configMap/name = nvidia-device-plugin-config": ONE_CONFIG,
    "- containers/*-sidecar/*": ONE_CONFIG,
    "- initContainers/*-init/*": ONE_CONFIG,
    "- containers/*-ctr/volumeMounts/available-configs/mountPath": ONE_CONFIG,
    "+ containers/*-ctr/volumeMounts/config/readOnly = True": ONE_CONFIG,
    "- containers/*-ctr/env/NVIDIA_MIG_MONITOR_DEVICES/value": NO_MIG,
}
OF_THE_PLUGIN = {
    "+ serviceAccountName = nvidia-device-plugin": OWN_ACCOUNT,
    "+ automountServiceAccountToken = False": "the plugin asks the API for nothing",
    "+ containers/*-ctr/env/DEVICE_ID_STRATEGY/value = uuid": EXPLICIT,
    "+ containers/*-ctr/env/FAIL_ON_INIT_ERROR/value = true": EXPLICIT,
    "- containers/*-ctr/env/MPS_ROOT/value": NOT_SHARED_BY_MPS,
    "- containers/*-ctr/volumeMounts/mps-root/mountPath": NOT_SHARED_BY_MPS,
    "- containers/*-ctr/volumeMounts/mps-shm/mountPath": NOT_SHARED_BY_MPS,
    "- volumes/mps-root/hostPath/*": NOT_SHARED_BY_MPS,
    "- volumes/mps-shm/hostPath/path": NOT_SHARED_BY_MPS,
    "- containers/*-ctr/volumeMounts/cdi-root/mountPath": NO_CDI,
    "- volumes/cdi-root/hostPath/*": NO_CDI,
}
SEED_002_PLUGIN = {
    **SEED_002_EVERYWHERE,
    **OF_THE_PLUGIN,
    "- shareProcessNamespace": ONE_CONFIG,
    "- containers/*-ctr/securityContext/capabilities/add/0": "the config says migStrategy: none, which upstream can't see in a ConfigMap",
    "+ containers/*-ctr/securityContext/capabilities/drop/0 = ALL": "what upstream gives a plugin that is known to have no MIG",
    "+ containers/*-ctr/securityContext/allowPrivilegeEscalation = False": "what upstream gives a plugin that is known to have no MIG",
}
SEED_002_DISCOVERY = {
    **SEED_002_EVERYWHERE,
    "- shareProcessNamespace": ONE_CONFIG,
    f"+ serviceAccountName = {DISCOVERY}": OWN_ACCOUNT,
    "+ containers/*-ctr/env/FAIL_ON_INIT_ERROR/value = true": EXPLICIT,
    "+ containers/*-ctr/env/NVIDIA_VISIBLE_DEVICES/value = all": SEES_EVERY_GPU,
    "+ containers/*-ctr/env/NVIDIA_DRIVER_CAPABILITIES/value = compute,utility": SEES_EVERY_GPU,
    "- containers/*-ctr/volumeMounts/output-dir/mountPath": "with the NodeFeature API no feature file is written",
    "- volumes/output-dir/hostPath/*": "with the NodeFeature API no feature file is written",
    "- volumes/driver-root/hostPath/*": "upstream mounts it nowhere",
}
MPS_DIFFERENCES = {
    **SEED_002_EVERYWHERE,
    "+ serviceAccountName = nvidia-device-plugin": OWN_ACCOUNT,
    "+ automountServiceAccountToken = False": "the daemon asks the API for nothing",
    "+ initContainers/mps-control-daemon-mounts/resources/requests/cpu = 10m": REQUESTS,
    "+ initContainers/mps-control-daemon-mounts/resources/requests/memory = 64Mi": REQUESTS,
    "+ initContainers/mps-control-daemon-mounts/imagePullPolicy = IfNotPresent": "as in every other container; upstream forgets this one",
    "- containers/*-ctr/env/NODE_NAME/valueFrom/fieldRef/apiVersion": "the default of the API",
    "- nodeSelector/nvidia.com/mps.capable": "feature discovery would set this label; here the class of nodes says that it is shared by MPS",
}
SEED_004_PLUGIN = {
    **EVERYWHERE,
    **OF_THE_PLUGIN,
    "+ containers/*-ctr/env/CONFIG_FILE/value = /config/config.yaml": "there always is a config: it says that there is no MIG",
    "+ containers/*-ctr/volumeMounts/config/mountPath = /config": "there always is a config: it says that there is no MIG",
    "+ containers/*-ctr/volumeMounts/config/readOnly = True": "there always is a config: it says that there is no MIG",
    "+ volumes/config/configMap/name = nvidia-device-plugin-config": "there always is a config: it says that there is no MIG",
    "+ containers/*-ctr/env/DEVICE_LIST_STRATEGY/value = envvar": EXPLICIT,
    "+ containers/*-ctr/env/DEVICE_DISCOVERY_STRATEGY/value = nvml": "upstream's auto, whose error does not name the missing library",
    "- nodeSelector/kubernetes.io/os": "the seed's own; every Talos node runs Linux",
    "+ affinity/*/nvidia.com/gpu.present/operator = In": "the seed has upstream's affinity removed, as it labels no node",
    "+ affinity/*/nvidia.com/gpu.present/values/0 = true": "the seed has upstream's affinity removed, as it labels no node",
    "+ tolerations/nvidia.com/gpu/operator = Exists": "NVIDIA's own taint is tolerated always; the seed's list replaces upstream's",
    "+ tolerations/nvidia.com/gpu/effect = NoSchedule": "NVIDIA's own taint is tolerated always; the seed's list replaces upstream's",
}

TIME_SLICED = {"sharing": TimeSlicing(replicas=5)}
CONTROL_PLANE = {"taints": [Taint("node-role.kubernetes.io/control-plane")]}


def flattened(value, path=""):
    """Every leaf by its path; an item of a list by its name or key, where it has one."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from flattened(item, f"{path}/{key}")
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            known = next((key for key in ("name", "key") if isinstance(item, dict) and key in item), None)
            rest = {key: left for key, left in item.items() if key != known} if known else item
            yield from flattened(rest, f"{path}/{item[known] if known else number}")
    else:
        yield path.removeprefix("/"), value


def daemon_sets(manifests):
    return {made["metadata"]["name"]: made["spec"]["template"]["spec"] for made in manifests if made and made["kind"] == "DaemonSet"}


def upstream(seed):
    return list(yaml.safe_load_all(reference(f"rendered/device-plugin-v0.20.0-seed{seed}.yaml").read_text()))


def ours(nodes, **arguments):
    chart = Chart(App(), "gpu")
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes, **arguments)
    return synth(chart)


def differences(theirs, mine):
    """A line for each leaf that one of them has and the other has not, or has with another value."""
    theirs, mine = dict(flattened(theirs)), dict(flattened(mine))
    gone = [f"- {path}" for path, value in theirs.items() if (path, value) not in mine.items()]
    return gone + [f"+ {path} = {value}" for path, value in mine.items() if (path, value) not in theirs.items()]


def assert_exactly(found, table):
    unexplained = [line for line in found if not any(fnmatchcase(line, pattern) for pattern in table)]
    assert unexplained == [], "differences from upstream without a reason"
    assert [pattern for pattern in table if not any(fnmatchcase(line, pattern) for line in found)] == [], "reasons without a difference"


@pytest.mark.parametrize(
    ("seed", "nodes", "arguments", "name", "table"),
    [
        ("002", TIME_SLICED, {"feature_discovery": True}, PLUGIN, SEED_002_PLUGIN),
        ("002", TIME_SLICED, {"feature_discovery": True}, DISCOVERY, SEED_002_DISCOVERY),
        ("004", CONTROL_PLANE, {}, PLUGIN, SEED_004_PLUGIN),
    ],
    ids=["seed002-plugin", "seed002-feature-discovery", "seed004-plugin"],
)
def test_every_difference_from_upstreams_pod_has_a_reason(seed, nodes, arguments, name, table):
    mine = daemon_sets(ours(GpuNodes(talos_version="1.12", **nodes), **arguments))

    assert_exactly(differences(daemon_sets(upstream(seed))[name], mine[name]), table)


def test_every_difference_from_upstreams_mps_daemon_has_a_reason():
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working"):
        nodes = GpuNodes(talos_version="1.13", sharing=Mps(replicas=5))

    assert_exactly(differences(daemon_sets(upstream("002"))[MPS_DAEMON], daemon_sets(ours(nodes))[MPS_DAEMON]), MPS_DIFFERENCES)


@pytest.mark.parametrize(("seed", "nodes", "arguments"), [("002", TIME_SLICED, {"feature_discovery": True}), ("004", CONTROL_PLANE, {})])
def test_there_is_a_daemon_for_each_of_upstreams_except_the_one_for_mps_that_nobody_asked_for(seed, nodes, arguments):
    mine = daemon_sets(ours(GpuNodes(talos_version="1.12", **nodes), **arguments))

    assert mine.keys() == daemon_sets(upstream(seed)).keys() - {MPS_DAEMON}


def test_the_config_shares_as_the_seeds_does():
    text = one([made for made in upstream("002") if made], "ConfigMap")["data"]["default"]
    mine = yaml.safe_load(one(ours(GpuNodes(talos_version="1.12", **TIME_SLICED)), "ConfigMap")["data"]["config.yaml"])

    theirs = yaml.safe_load(text)
    assert mine["version"] == theirs["version"]
    assert mine["sharing"]["timeSlicing"]["resources"] == theirs["sharing"]["timeSlicing"]["resources"]


def test_a_difference_that_nobody_explained_is_found():
    theirs = daemon_sets(upstream("004"))[PLUGIN]
    mine = daemon_sets(ours(GpuNodes(talos_version="1.12", **CONTROL_PLANE), pod_spec={"hostNetwork": True}))[PLUGIN]

    with pytest.raises(AssertionError, match=r"without a reason[\s\S]*hostNetwork = True"):
        assert_exactly(differences(theirs, mine), SEED_004_PLUGIN)
