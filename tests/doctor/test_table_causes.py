"""The states in tables of `kubectl get`: what they say of agents, GPU pods and GPU nodes, how sure it is, and which output tells why."""

import pytest
from doctor.kubectl_outputs import DAEMON_SETS, NODES_WIDE

from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import Outcome, doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.table_causes import agent_of
from constructs_lib.symptoms.link import Link
from constructs_lib.upstream.nvidia.agent_programs import POD_NAMES, AgentKind

WIDE = "NAME   READY   STATUS   RESTARTS   AGE   IP   NODE   NOMINATED NODE   READINESS GATES"


def report(text):
    return doctor_report(diagnose(GpuCluster(read_dump([], stream=text))))


def headlines(text):
    read = report(text)
    return [read.headline(each) for each in read.diagnosis.causes]


def pods(*rows, head="NAMESPACE NAME READY STATUS RESTARTS AGE"):
    """A table with two spaces or more between its cells, as kubectl prints one."""
    cells = [each.split() if isinstance(each, str) else each for each in (head.split(), *rows)]
    return "".join("".join(f"{cell:<40}" for cell in row).rstrip() + "\n" for row in cells)


def of_plugin(status, ready="0/1", restarts="0"):
    return pods(["nvidia", "nvidia-device-plugin-x7k2p", ready, status, restarts, "5m"])


LOG = "kubectl logs nvidia-device-plugin-x7k2p --namespace nvidia --all-containers --prefix"
DESCRIBE = "kubectl describe pod nvidia-device-plugin-x7k2p --namespace nvidia"
ENDS = "ends with an error soon after each start"


@pytest.mark.parametrize(
    ("status", "words", "command"),
    [
        ("CrashLoopBackOff", f"{ENDS}: CrashLoopBackOff (likely)", f"{LOG} --previous"),
        ("Error", f"{ENDS}: Error (likely)", f"{LOG} --previous"),
        ("ExitCode:139", f"{ENDS}: ExitCode:139 (likely)", f"{LOG} --previous"),
        ("Init:CrashLoopBackOff", f"{ENDS}: Init:CrashLoopBackOff (likely)", f"{LOG} --previous"),
        ("OOMKilled", "was ended by the kernel: a container used more memory (RAM) than its limit: OOMKilled (likely)", DESCRIBE),
        ("ImagePullBackOff", "has an image that the node can't pull: ImagePullBackOff (likely)", DESCRIBE),
        ("Init:ErrImagePull", "has an image that the node can't pull: Init:ErrImagePull (likely)", DESCRIBE),
        ("CreateContainerError", "has a container that the kubelet or the runtime can't create: CreateContainerError (likely)", DESCRIBE),
        ("Evicted", "was refused or ended by the kubelet of its node: Evicted (likely)", DESCRIBE),
        ("OutOfnvidia.com/gpu", "was refused or ended by the kubelet of its node: OutOfnvidia.com/gpu (likely)", DESCRIBE),
        ("Pending", "is not placed on a node, or its sandbox is not made yet: Pending (possible)", DESCRIBE),
        ("Init:0/1", "waits for an init container, which has not ended: Init:0/1 (possible)", LOG),
        ("ContainerCreating", "has not started: a container waits for the one before it, for a volume or for an image: ContainerCreating (possible)", DESCRIBE),
        ("Unknown", "is not reported by its node any more: Unknown (possible)", DESCRIBE),
    ],
)  # fmt: skip
def test_the_state_of_an_agent_is_a_cause_with_its_strength_and_the_command_that_tells_why(status, words, command):
    read = report(of_plugin(status))
    [cause] = read.diagnosis.causes

    assert read.headline(cause) == f"pod nvidia/nvidia-device-plugin-x7k2p: the device plugin {words}"
    assert cause.link is Link.PLUGIN
    assert read.outcome is Outcome.BROKEN
    assert read.printed(cause.fault.fix, cause.subjects, cause.about).lines == [
        f"{command}   # the table does not say why, and this output does; give it to talos-gpu doctor"
    ]


@pytest.mark.parametrize(
    ("ready", "restarts", "words"),
    [
        ("1/2", "0", "runs, and not all of its containers are ready: Running (possible)"),
        ("1/1", "12 (3m1s ago)", "runs, and was started again and again: Running (possible)"),
    ],
)
def test_an_agent_that_runs_may_be_no_good_one(ready, restarts, words):
    assert headlines(of_plugin("Running", ready, restarts)) == [f"pod nvidia/nvidia-device-plugin-x7k2p: the device plugin {words}"]


@pytest.mark.parametrize(
    ("status", "restarts"), [("Running", "12 (3d ago)"), ("Running", "2 (5m ago)"), ("Completed", "0"), ("Terminating", "0")]
)
def test_an_agent_that_is_well_or_being_deleted_is_no_cause(status, restarts):
    assert headlines(of_plugin(status, "1/1", restarts)) == []


def test_a_pod_of_another_program_is_named_and_no_cause():
    read = report(pods("ai ollama-7ccfbb9764-bbbbc 0/1 CrashLoopBackOff 5 5m", "amd amdgpu-device-plugin-x7k2p 0/1 Error 5 5m"))

    assert read.diagnosis.causes == ()
    assert "ai/ollama-7ccfbb9764-bbbbc CrashLoopBackOff, amd/amdgpu-device-plugin-x7k2p Error" in read.unread[0].reason


def test_healthy_tables_alone_are_too_little_to_judge():
    read = report(of_plugin("Running", "1/1"))

    assert read.outcome is Outcome.UNJUDGED
    assert read.what_was_read == "1 row of tables"


def test_a_row_of_an_object_that_was_read_is_no_cause():
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: nvidia-device-plugin-x7k2p, namespace: nvidia}\n---\n"

    assert headlines(pod + of_plugin("CrashLoopBackOff")) == []
    assert len(headlines(pod.replace("namespace: nvidia", "namespace: other") + of_plugin("CrashLoopBackOff"))) == 1


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: ollama, namespace: ai}
spec:
  template:
    spec:
      containers: [{name: main, image: ollama/ollama, resources: {limits: {nvidia.com/gpu: 1}}}]
"""


def test_a_pod_of_a_controller_that_asks_for_gpus_is_a_cause():
    table = pods("ai ollama-7ccfbb9764-bbbbc 0/1 ImagePullBackOff 0 5m", "ai web-7ccfbb9764-bbbbc 0/1 ImagePullBackOff 0 5m")

    assert headlines(f"{DEPLOYMENT}---\n{table}") == [
        "pod ai/ollama-7ccfbb9764-bbbbc: the pod has an image that the node can't pull: ImagePullBackOff (likely)"
    ]


def test_a_wide_table_shows_that_a_pending_pod_is_placed_nowhere():
    row = ["nvidia-device-plugin-x7k2p", "0/1", "Pending", "0", "5m", "<none>", "<none>", "<none>", "<none>"]
    head = WIDE.replace("NOMINATED NODE", "NOMINATED_NODE").replace("READINESS GATES", "READINESS_GATES")

    assert headlines(pods(row, head=head)) == ["pod nvidia-device-plugin-x7k2p: the device plugin is placed on no node: Pending (likely)"]


def test_a_node_that_is_not_ready_is_likelier_a_cause_where_an_agent_shows_its_gpus():
    agent = "\nNAME                         READY   STATUS    RESTARTS   AGE   IP           NODE    NOMINATED NODE   READINESS GATES\nnvidia-device-plugin-x7k2p   1/1     Running   0          40m   10.244.1.7   gpu-1   <none>           <none>\n"

    assert headlines(NODES_WIDE) == ["gpu-1: the node is not ready, so no pod starts there (possible)"]
    assert headlines(NODES_WIDE + agent) == ["gpu-1: the node is not ready, so no pod starts there (likely)"]


def test_a_cordoned_node_is_a_cause_only_with_gpus():
    table = (
        "NAME    STATUS                     ROLES    AGE   VERSION   LABELS\n{}   Ready,SchedulingDisabled   <none>   10d   v1.36.3   {}\n"
    )

    assert headlines(table.format("cpu-1", "a=b")) == []
    assert headlines(table.format("gpu-1", "nvidia.com/gpu.present=true")) == [
        "gpu-1: the node is cordoned, so no new pod is placed there (likely)"
    ]


def test_a_daemonset_tells_how_many_of_its_pods_are_ready():
    assert headlines(DAEMON_SETS) == ["DaemonSet nvidia/nvidia-device-plugin: the device plugin is ready in 1 of 3 pods (possible)"]
    assert len(headlines(DAEMON_SETS + "\n" + of_plugin("CrashLoopBackOff"))) == 1


def test_a_daemonset_that_is_wanted_nowhere_names_its_selector():
    table = DAEMON_SETS.replace("3         3         1       3            1 ", "0         0         0       0            0 ")

    assert headlines(table) == [
        "DaemonSet nvidia/nvidia-device-plugin: the device plugin is wanted on no node: its node selector nvidia.com/gpu.present=true matches none (likely)"
    ]


def test_an_operator_that_is_not_ready_is_a_cause():
    table = "NAME           READY   UP-TO-DATE   AVAILABLE   AGE\ngpu-operator   0/1     1            0           10d\n"

    assert headlines(table) == ["Deployment gpu-operator: the GPU operator is ready in 0 of 1 pods (possible)"]


def test_the_surest_state_comes_first():
    rows = ["gpu-operator nvidia-dcgm-exporter-x 0/1 Pending 0 5m", "gpu-operator nvidia-operator-validator-x 0/1 Init:Error 0 5m"]

    assert [each.partition(":")[0] for each in headlines(pods(*rows))] == [
        "pod gpu-operator/nvidia-operator-validator-x", "pod gpu-operator/nvidia-dcgm-exporter-x",
    ]  # fmt: skip


def test_a_state_is_no_cause_beside_the_object_or_a_log_that_tells_why():
    log = "[pod/nvidia-device-plugin-x7k2p/main] E1128 08:00:00.000000 1 factory.go:115] Incompatible strategy detected auto\n"
    [cause] = report(of_plugin("CrashLoopBackOff") + "\n" + log).diagnosis.causes

    assert cause.fault.name != "state-in-a-table"


def test_a_longer_name_of_an_agent_comes_before_one_that_it_has_in_it():
    names = list(POD_NAMES)

    assert [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if a in b] == []
    assert agent_of("gpu-operator-1699-node-feature-discovery-worker-bcdfg") is AgentKind.NFD_WORKER
    assert agent_of("intel-gpu-feature-discovery-x") is None


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("nvidia-device-plugin-daemonset-h9kxw", AgentKind.PLUGIN),
        ("nvdp-nvidia-device-plugin-zgx88", AgentKind.PLUGIN),
        ("nvidia-device-plugin-1655230975-22s26", AgentKind.PLUGIN),
        ("gpu-operator-5d7457b677-7ddw5", AgentKind.OPERATOR),
        ("nvidia-driver-daemonset-418.94.202508060022-0-hs6rw", AgentKind.DRIVER),
        ("nvidia-dra-driver-gpu-kubelet-plugin-fqq5c", AgentKind.DRA),
        ("nvidia-dra-driver-gpu-controller", AgentKind.DRA),
        ("datadog-dcgm-exporter", AgentKind.EXPORTER),
        ("grafana-dcgm-exporter-dashboard", None),
        ("grafana-dcgm-exporter-dashboard-7d9f8c6b5-x7k2m", None),
        ("gpu-operator-upgrade-crd-x7k2m", None),
        ("my-nvidia-device-plugin-tests-28412345-x7k2m", None),
        ("gpu-operator-gpu-operator-nvidia-node-feature-discovery-ma8pjr8", None),
        ("not-a-mydcgm-exporter", None),
    ],
)
def test_an_agent_is_known_by_its_own_name_and_what_kubernetes_adds_to_it(name, agent):
    assert agent_of(name) is agent


SETS = "NAME   DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE\n"


def test_a_daemon_set_for_nodes_that_the_cluster_does_not_have_is_in_order():
    plugin = "nvdp-nvidia-device-plugin   2   2   2   2   2   <none>   5d\n"
    mps = "nvdp-nvidia-device-plugin-mps-control-daemon   0   0   0   0   0   nvidia.com/mps.capable=true   5d\n"
    second = "other-nvidia-device-plugin   0   0   0   0   0   class=b   5d\n"

    assert headlines(SETS + plugin + mps + second) == []
    assert len(headlines(SETS + second)) == 1


PODS = "NAMESPACE   NAME   READY   STATUS   RESTARTS   AGE\n"


def test_an_evicted_pod_beside_the_one_in_its_place_and_a_pod_that_is_seconds_old_are_in_order():
    old = "gpu   gpu-operator-7d9f8c-bcdfg   0/1   Evicted   0   5d\n"

    assert headlines(f"{PODS}{old}gpu   gpu-operator-7d9f8c-xyzzy   1/1   Running   0   4d\n") == []
    assert len(headlines(PODS + old)) == 1
    assert headlines(f"{PODS}gpu   nvidia-device-plugin-bcdfg   0/1   ContainerCreating   0   2s\n") == []
    assert len(headlines(f"{PODS}gpu   nvidia-device-plugin-bcdfg   0/1   ContainerCreating   0   10m\n")) == 1


def test_beside_a_ready_plugin_another_agent_that_fails_takes_no_offer_away():
    failing = "gpu   nfd-node-feature-discovery-worker-bcdfg   0/1   CrashLoopBackOff   9 (1m ago)   5d\n"
    (cause,) = report(f"{PODS}{failing}gpu   nvidia-device-plugin-zb8xn   1/1   Running   0   5d\n").diagnosis.causes

    assert cause.link is None
    assert report(PODS + failing).diagnosis.causes[0].link is Link.PLUGIN
