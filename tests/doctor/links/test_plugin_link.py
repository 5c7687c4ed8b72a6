"""The link `plugin`: a device plugin or the DRA driver runs on the node, and why not."""

import pytest
from doctor.dump_parts import command, fault_names, healthy_line
from doctor.pod_parts import (
    DRA_IMAGE,
    LOST,
    PREEMPTION,
    WITHOUT_NETWORK,
    agent_pod,
    agent_spec,
    cluster,
    crashing,
    daemon_set,
    event,
    node,
    only_fault,
    pod_log,
    resource_slice,
    running,
    shown,
    thing,
    unschedulable,
    waiting,
    workload,
)

from constructs_lib.doctor.links.plugin_link import plugin

ALL = "Node DaemonSet Deployment Pod"
NFD_LABEL = "feature.node.kubernetes.io/pci-10de.present"


def state_of(about, *objects, listed=ALL, logs=(), system_nodes=""):
    made = cluster(about, *objects, listed=listed, logs=logs, system_nodes=system_nodes)
    return plugin(made, made.node(about.name))


def fault_of(about, *objects, **given):
    return only_fault(state_of(about, *objects, **given))


BARE = node(gpus=None)


@pytest.mark.parametrize("image", ["nvcr.io/nvidia/k8s-device-plugin:v0.20.0", DRA_IMAGE])
def test_a_ready_agent_on_the_node_is_healthy(image):
    assert healthy_line(state_of(BARE, agent_pod(spec=agent_spec(image)))) == "Ready: True"


INVALID = (
    "E1 main.go:198] error starting plugins: unable to validate flags: invalid --device-list-strategy option: invalid strategy: envvars"
)


@pytest.mark.parametrize(("has_backed_off", "gpus", "name"), [(True, None, "plugin-strategy"), (False, None, ""), (True, 1, "")])
def test_a_plugin_that_ends_soon_after_each_start_is_not_taken_for_ready_in_the_moment_in_which_it_runs(has_backed_off, gpus, name):
    spec = agent_spec()
    about = agent_pod(spec=spec, status={"containerStatuses": [running(spec["containers"][0]["name"], last={"exitCode": 1})]})
    events = (event(about, "BackOff", "Back-off restarting failed container"),) if has_backed_off else ()

    state = state_of(node(gpus=gpus), about, *events, listed=f"{ALL} Event", logs=(pod_log(about, INVALID, is_previous=True),))

    assert (only_fault(state).name if name else healthy_line(state)) == (name or "Ready: True")


def test_what_a_node_without_news_offered_shows_nothing():
    fault = fault_of(node(ready=LOST), agent_pod())

    assert fault.name == "node-not-ready"
    assert fault.cause.startswith("The node is not ready; Kubernetes has no news of it")
    assert "Ready: Unknown, NodeStatusUnknown Kubelet stopped posting node status. | Node gpu-1, status.conditions" in shown(fault)


def test_a_node_that_reports_that_it_is_not_ready_is_told_by_the_words_of_its_kubelet():
    fault = fault_of(node(ready=WITHOUT_NETWORK), agent_pod())

    assert fault.cause == "The kubelet reports that the node is not ready"
    assert "cni plugin not initialized" in shown(fault)


def test_gpus_on_offer_show_an_agent_that_was_not_read():
    assert healthy_line(state_of(node(), listed="Node")) == "nvidia.com/gpu: 1"
    assert healthy_line(state_of(BARE, resource_slice("gpu-1", "gpu-0"), listed="Node")) == "1 devices"


def test_without_lists_of_daemon_sets_and_pods_nothing_is_said():
    assert command(state_of(BARE, listed="Node")).startswith("kubectl get daemonsets")


def test_a_cluster_without_any_agent_is_told():
    fault = fault_of(BARE)

    assert fault.name == "no-device-plugin"
    assert "no nvidia.com/gpu | Node gpu-1, status.allocatable" in shown(fault)


def test_a_removed_plugin_leaves_capacity_and_nothing_to_allocate():
    fault = fault_of(node(gpus=1, allocatable=0))

    assert fault.name == "no-device-plugin"
    assert fault.cause.endswith("and the one that had registered the node's GPUs is gone")
    assert "nvidia.com/gpu: capacity 1, allocatable 0 | Node gpu-1, status" in shown(fault)
    assert "no nvidia.com/gpu" not in shown(fault)


def test_a_node_without_a_pod_of_an_agent_is_told_where_daemon_sets_were_not_listed():
    assert fault_of(BARE, agent_pod(on="gpu-2"), listed="Node Pod", system_nodes="gpu-1").name == "no-plugin-pod"


def test_a_list_of_pods_without_a_system_pod_of_the_node_may_be_filtered_and_shows_no_absence():
    state = state_of(BARE, agent_pod(on="gpu-2"), listed="Node Pod", system_nodes="gpu-2")

    assert command(state).startswith("kubectl get daemonsets")


def test_no_second_plugin_is_installed_beside_one_that_is_not_known():
    volumes = [{"name": "sockets", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]
    hami = daemon_set("hami-device-plugin", spec=agent_spec("projecthami/hami:v2.9.0", volumes=volumes))

    state = state_of(node(gpus=None), hami, listed="Pod")

    assert command(state).startswith("kubectl logs --namespace nvidia daemonset/hami-device-plugin")


def test_a_daemon_set_is_not_made_to_tolerate_a_condition_of_the_node():
    fault = fault_of(node(gpus=None, taints=["node.cilium.io/agent-not-ready:NoExecute"]), daemon_set(desired=0))

    assert fault.name == "gpu-nodes-not-in-service"
    assert "wait for the agent of node.cilium.io" in fault.cause
    assert "toleration" not in str(fault.fix)


def test_a_daemon_set_that_selects_another_value_of_a_label_is_to_select_that_of_the_node():
    selecting = daemon_set(desired=0, spec=agent_spec(nodeSelector={"accelerator": "h100"}))

    fault = fault_of(node(gpus=None, labels={"accelerator": "l4"}), selecting)

    assert str(fault.fix) == "Set in the values of the chart:\nnodeSelector:\n  'accelerator': 'l4'"


def test_a_daemon_set_that_does_not_tolerate_the_nodes_taint_is_told():
    fault = fault_of(node(gpus=None, taints=["dedicated=ai:NoSchedule"]), daemon_set(desired=0))

    assert fault.name == "agent-untolerated-taint"
    assert fault.cause == "The DaemonSet nvidia/nvidia-device-plugin does not tolerate the taint dedicated=ai:NoSchedule of GPU nodes"
    assert "desiredNumberScheduled: 0 | DaemonSet nvidia/nvidia-device-plugin, status" in shown(fault)
    assert "- {key: 'dedicated', operator: Equal, value: 'ai', effect: 'NoSchedule'}" in str(fault.fix)


def test_a_daemon_set_tolerates_what_kubernetes_itself_taints():
    state = state_of(node(gpus=None, taints=["node.kubernetes.io/not-ready:NoExecute"], is_cordoned=True), daemon_set())

    assert command(state).startswith("kubectl get daemonsets")


PRESENT = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": NFD_LABEL, "operator": "In", "values": ["true"]}]},
    {"matchExpressions": [{"key": "nvidia.com/gpu.present", "operator": "In", "values": ["true"]}]},
]}}}}  # fmt: skip


def test_a_daemon_set_that_selects_labels_that_the_node_lacks_is_told():
    fault = fault_of(BARE, daemon_set(desired=0, spec=agent_spec(**PRESENT)))

    assert fault.name == "agent-label-missing"
    assert f"node affinity {NFD_LABEL} In [true], or nvidia.com/gpu.present In [true]" in fault.cause
    assert str(fault.fix).startswith("kubectl label node NODE nvidia.com/gpu.present=true")


def test_a_daemon_set_whose_label_the_node_has_is_not_blamed():
    state = state_of(node(gpus=None, labels={"nvidia.com/gpu.present": "true"}), daemon_set(desired=0, spec=agent_spec(**PRESENT)))

    assert fault_names(state) == []


def test_a_taint_and_a_label_are_two_faults():
    state = state_of(node(gpus=None, taints=["a=b:NoSchedule"]), daemon_set(desired=0, spec=agent_spec(**PRESENT)))

    assert fault_names(state) == ["agent-untolerated-taint", "agent-label-missing"]


def test_of_two_daemon_sets_the_one_that_is_nearest_to_the_node_tells_the_cause():
    far = daemon_set("other", spec=agent_spec(nodeSelector={"class": "h100"}, **PRESENT))
    near = daemon_set("own", spec=agent_spec(nodeSelector={"class": "rtx"}))

    assert "nvidia/own" in fault_of(BARE, far, near).cause


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ('violates PodSecurity "baseline:latest": hostPath volumes (volume "device-plugin")', "pod-security"),
        ('pod rejected: RuntimeClass "nvidia" not found', "runtime-class-missing"),
        ("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1", "quota-exceeded"),
    ],
)
def test_a_daemon_set_that_can_not_create_pods_is_told_in_the_words_of_its_events(words, name):
    status = {"desiredNumberScheduled": 1, "currentNumberScheduled": 0}
    agent = workload("DaemonSet", "nvidia-device-plugin", agent_spec(), namespace="nvidia", status=status)

    fault = fault_of(BARE, agent, event(agent, "FailedCreate", f'Error creating: pods "nvidia-device-plugin-" is forbidden: {words}'))

    assert (fault.name, fault.is_of_pod) == (name, False)
    assert "kubectl label namespace NAMESPACE" in str(fault.fix) or name != "pod-security"


def test_an_old_refusal_of_a_daemon_set_with_all_its_pods_is_not_told():
    agent = daemon_set(spec=agent_spec(**PRESENT))

    assert fault_of(BARE, agent, event(agent, "FailedCreate", "exceeded quota: q, requested: a")).name == "agent-label-missing"


def test_a_pending_pod_of_the_agent_is_judged_by_the_scheduler():
    field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-1"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [field]}}}
    words = f"0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector. {PREEMPTION}"
    status = {"phase": "Pending", **unschedulable(words)}

    fault = fault_of(BARE, node("gpu-2"), daemon_set(), agent_pod(on="", spec=agent_spec(affinity=affinity), status=status))

    assert fault.cause == "No node that the pod may use has enough cpu left; the GPUs are not the cause"


def crashed(**given):
    return agent_pod(is_ready=False, status=crashing(), **given)


def test_a_crashing_agent_without_a_runtime_class_lacks_the_runtime_class():
    about = crashed(spec=agent_spec(runtime_class=""))

    fault = fault_of(BARE, about, logs=(pod_log(about, "Failed to initialize NVML: could not load NVML library."),))

    assert (fault.name, fault.rules) == ("agent-without-runtime-class", ("TG018",))
    assert "no runtimeClassName | Pod nvidia/nvidia-device-plugin-x7k2p, spec" in shown(fault)


def test_an_agent_with_the_runtime_class_is_not_told_to_name_it():
    about = crashed()

    fault = fault_of(BARE, about, logs=(pod_log(about, "Failed to initialize NVML: could not load NVML library."),))

    assert (fault.name, fault.rules) == ("nvml-missing", ("TG106",))
    assert "runtimeClassName: nvidia | Pod nvidia/nvidia-device-plugin-x7k2p, spec" in shown(fault)
    assert "runtimeClassName" not in str(fault.fix)


@pytest.mark.parametrize(("talos", "name"), [("1.15.0", "toolkit-pod-missing"), ("1.14.0", "agent-without-runtime-class")])
def test_from_talos_1_15_on_the_operator_s_toolkit_gives_agents_their_library(talos, name):
    about = crashed(spec=agent_spec(runtime_class=""))
    words = "CDI --device-list-strategy options are only supported on NVML-based systems"

    fault = fault_of(node(gpus=None, talos=talos), about, logs=(pod_log(about, words),))

    assert fault.name == name


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Failed to initialize NVML: could not load NVML library.", "nvml-missing"),
        ("Incompatible strategy detected auto", "nvml-missing"),
        ("error validating: invalid --device-list-strategy option: invalid strategy: envvars", "plugin-strategy"),
        ("using MPS requires --mps-root to be specified", "mps-root-missing"),
        ("error getting device memory: Not Supported", "unified-memory"),
    ],
)
def test_the_log_of_a_crashing_agent_tells_the_cause(line, name):
    about = crashed()

    fault = fault_of(BARE, about, logs=(pod_log(about, line),))

    assert (fault.name, fault.is_of_pod) == (name, False)


def test_a_crashing_agent_without_a_log_is_told_with_its_exit_code():
    assert fault_of(BARE, crashed()).cause == "The container ends with exit code 1"


def test_an_agent_whose_runtime_is_not_configured_is_told():
    about = agent_pod(is_ready=False, status={"phase": "Pending"})
    words = 'failed to get sandbox runtime: no runtime for "nvidia" is configured'

    assert fault_of(BARE, about, event(about, "FailedCreatePodSandBox", words)).name == "runtime-not-configured"


def test_an_agent_that_is_not_ready_for_no_known_reason_names_its_log():
    assert command(state_of(BARE, agent_pod(is_ready=False))) == "kubectl logs POD --namespace NAMESPACE --all-containers"


def test_the_init_container_of_the_dra_driver_waits_for_the_driver_root():
    about = agent_pod(spec=agent_spec(DRA_IMAGE), is_ready=False, status={"initContainerStatuses": [waiting_init("init-container")]})

    fault = fault_of(BARE, about)

    assert (fault.name, fault.rules) == ("dra-driver-root", ("TG031",))


def waiting_init(name):
    return {**running(name), "ready": False}


def operand(name="nvidia-device-plugin-daemonset-a"):
    status = {"initContainerStatuses": [waiting_init("toolkit-validation")], "containerStatuses": [waiting("PodInitializing")]}
    return agent_pod(name, is_ready=False, status=status, namespace="gpu-operator")


def policy(status=None, **spec):
    return thing("ClusterPolicy", "cluster-policy", {"spec": spec, "status": status or {}})


RIGHT = {"driver": {"enabled": False}, "toolkit": {"enabled": False}, "hostPaths": {"driverInstallDir": "/usr/local"}}
OPERATOR = workload(
    "Deployment",
    "gpu-operator",
    agent_spec("nvcr.io/nvidia/gpu-operator:v26.7.0"),
    namespace="gpu-operator",
    status={"availableReplicas": 1},
)


def test_the_operators_pods_wait_for_a_bridge_on_legacy_talos():
    fault = fault_of(node(gpus=None, talos="1.12.6"), operand(), policy(**RIGHT))

    assert (fault.name, fault.rules) == ("validation-bridge-missing", ("TG001",))
    assert "toolkit-validation: running since" in shown(fault)
    assert "Talos (v1.12.6)" in shown(fault)


def test_a_bridge_that_does_not_start_is_the_cause_on_legacy_talos():
    spec = agent_spec(
        "busybox:1.37",
        containers=[{"name": "bridge", "image": "busybox:1.37", "command": ["sh", "-c", "touch /run/nvidia/validations/toolkit-ready"]}],
    )
    bridge = agent_pod(
        "bridge", spec=spec, owner="bridge", is_ready=False, status={"containerStatuses": [waiting("ImagePullBackOff", "a")]}
    )

    assert fault_of(node(gpus=None, talos="1.12.6"), operand(), bridge).name == "image-not-pulled"


def test_the_folder_of_the_driver_is_the_cause_from_talos_1_13_on():
    fault = fault_of(BARE, operand(), policy(**{**RIGHT, "hostPaths": {"driverInstallDir": "/run/nvidia/driver"}}))

    assert (fault.name, fault.rules) == ("driver-install-dir", ("TG003",))
    assert "hostPaths.driverInstallDir: /run/nvidia/driver" in shown(fault)


def test_a_validator_that_crashes_is_the_cause_from_talos_1_13_on():
    validator = agent_pod(
        "nvidia-operator-validator-a",
        owner="nvidia-operator-validator",
        spec={"containers": [{"name": "nvidia-operator-validator", "image": "a"}]},
        is_ready=False,
        status={"initContainerStatuses": [waiting("CrashLoopBackOff", "a", last={"exitCode": 1}, name="driver-validation")]},
    )

    fault = fault_of(BARE, operand(), policy(**RIGHT), validator)

    assert "driver-validation: exit code 1" in shown(fault)


def test_operands_that_wait_for_no_known_reason_have_the_symptoms_own_words():
    assert fault_of(BARE, operand(), policy(**RIGHT)).name == "operator-waits"


def test_an_operator_that_installs_the_driver_is_told_with_the_image_that_it_pulls():
    driver = agent_pod(
        "nvidia-driver-daemonset-a",
        owner="nvidia-driver-daemonset",
        spec={"containers": [{"name": "nvidia-driver-ctr", "image": "nvcr.io/nvidia/driver:595.91.07-talosv1.13.2"}]},
        is_ready=False,
        status={
            "containerStatuses": [waiting("ImagePullBackOff", 'Back-off pulling image "nvcr.io/nvidia/driver:595.91.07-talosv1.13.2"')]
        },
    )

    fault = fault_of(BARE, operand(), driver)

    assert (fault.name, fault.rules) == ("operator-installs-driver", ("TG010",))
    assert "talosv1.13.2" in shown(fault)
    assert str(fault.fix).endswith("--set driver.enabled=false")


def test_an_operator_that_installs_the_toolkit_is_told_up_to_talos_1_14():
    wrong = policy(**{**RIGHT, "toolkit": {"enabled": True}})

    assert fault_of(BARE, operand(), wrong).name == "operator-installs-toolkit"
    assert fault_of(node(gpus=None, talos="1.15.0"), operand(), wrong).name != "operator-installs-toolkit"


DEPLOYED = daemon_set(
    "nvidia-device-plugin-daemonset",
    namespace="gpu-operator",
    desired=0,
    spec=agent_spec(nodeSelector={"nvidia.com/gpu.deploy.device-plugin": "true"}),
)
NFD = {"containers": [{"name": "worker", "image": "registry.k8s.io/nfd/node-feature-discovery:v0.19.0"}]}


def test_without_node_feature_discovery_no_operand_is_deployed():
    fault = fault_of(BARE, DEPLOYED, OPERATOR)

    assert (fault.name, fault.rules) == ("node-feature-discovery-missing", ("TG005",))


def test_node_feature_discovery_that_crashes_on_the_node_is_the_cause():
    worker = agent_pod("nfd-worker", owner="nfd-worker", spec=NFD, is_ready=False, status=crashing())

    assert fault_of(BARE, DEPLOYED, OPERATOR, worker).name == "container-crashes"


def test_node_feature_discovery_that_sees_no_card_is_told():
    worker = agent_pod("nfd-worker", owner="nfd-worker", spec=NFD)

    assert fault_of(BARE, DEPLOYED, OPERATOR, worker).name == "card-not-discovered"


def test_an_operator_that_does_not_run_labels_no_node():
    stopped = workload("Deployment", "gpu-operator", agent_spec("nvcr.io/nvidia/gpu-operator:v26.3.0"), namespace="gpu-operator")
    about = node(gpus=None, labels={NFD_LABEL: "true"})
    own = agent_pod("gpu-operator-6c9-a", owner="gpu-operator-6c9", kind="ReplicaSet", namespace="gpu-operator", is_ready=False, on="cpu-1",
                    spec=agent_spec("nvcr.io/nvidia/gpu-operator:v26.3.0"), status=crashing())  # fmt: skip

    assert fault_of(about, DEPLOYED, stopped).name == "operator-not-running"
    assert fault_of(about, DEPLOYED, stopped, own).name == "container-crashes"


@pytest.mark.parametrize("label", ["nvidia.com/gpu.deploy.operands", "nvidia.com/gpu.deploy.device-plugin"])
def test_a_label_that_switches_the_operands_off_is_told(label):
    fault = fault_of(node(gpus=None, labels={label: "false"}), DEPLOYED, OPERATOR)

    assert fault.name == "operands-switched-off"
    assert str(fault.fix) == f"kubectl label node NODE {label}-"


def test_an_operator_without_a_device_plugin_is_told_by_its_cluster_policy():
    off = fault_of(BARE, OPERATOR, policy(devicePlugin={"enabled": False}))
    error = fault_of(
        BARE, OPERATOR, policy({"state": "notReady", "conditions": [{"type": "Error", "message": "unable to retrieve OS name"}]})
    )
    none = fault_of(BARE, OPERATOR, listed=f"{ALL} ClusterPolicy")

    assert off.name == error.name == none.name == "operator-without-plugin"
    assert "devicePlugin.enabled: false" in shown(off)
    assert "unable to retrieve OS name" in shown(error)
    assert none.cause == "The GPU operator runs, and has no ClusterPolicy that tells it to start the device plugin"


def test_a_cluster_policy_is_ready_without_a_node_that_the_operator_knows():
    fault = fault_of(BARE, OPERATOR, policy({"state": "ready"}))

    assert fault.name == "operator-without-plugin"
    assert (
        fault.cause
        == "The GPU operator has not started the device plugin, although its ClusterPolicy is ready: it knows no node with a GPU"
    )
    assert "feature.node.kubernetes.io/pci-10de.present" in str(fault.fix)
