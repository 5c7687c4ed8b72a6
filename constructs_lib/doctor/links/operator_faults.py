"""The faults of the GPU operator on Talos: what its pods wait for, and why it starts none on a node."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import Command, command
from ...arguments.patterns import pattern
from ...observed.model.evidence import Evidence
from ...observed.model.live_object import LiveObject
from ...observed.pods.pod_templates import state_of
from ...symptoms.agent_symptoms import AGENT_SYMPTOMS
from ...upstream.charts.gpu_operator_chart import DEPLOY_LABEL, GPU_OPERATOR, VALIDATOR_LABEL
from ...upstream.charts.nfd_chart import VENDOR_LABEL
from ...upstream.nvidia.agent_programs import AgentKind
from ...upstream.nvidia.gpu_resources import PRESENT_LABEL
from ...upstream.talos.features import DRIVER_ROOT
from ...upstream.talos.generations import BRIDGED, NRI_TOOLKIT, UNBRIDGED
from ..fault import Advice, Broken, Fault, Fix
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..node_commands import helm_value
from .agent_faults import is_ready, pod_state, pods_for

_PCI_LABEL = pattern(r"^feature\.node\.kubernetes\.io/pci-(?:030[02]_)?10de\.present$")
_OPERANDS = f"{DEPLOY_LABEL}operands"
_PODS = command("kubectl get pods --namespace gpu-operator -o wide")
_DOCS = "https://docs.siderolabs.com/talos/v1.13/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu"
_WAITS = next(each for each in AGENT_SYMPTOMS if each.name == "operator-waits")


def waiting_faults(cluster: GpuCluster, node: GpuNode, waits: Evidence) -> tuple[Fault, ...]:
    """The fault for which an init container of the operator's pods waits (`Init:0/1`)."""
    return tuple(_waiting(cluster, node, waits))[:1]


def _waiting(cluster: GpuCluster, node: GpuNode, waits: Evidence) -> Iterator[Fault]:
    policy = next(iter(cluster.dump.of_kind("ClusterPolicy")), None)
    yield from _installer(cluster, policy, waits, AgentKind.DRIVER)
    if node.minor is not None and node.minor not in NRI_TOOLKIT:
        yield from _installer(cluster, policy, waits, AgentKind.TOOLKIT)
    bridges = cluster.of_agent(AgentKind.BRIDGE)
    if node.minor is not None and node.minor in BRIDGED:
        state = next((pod_state(cluster, each) for each in pods_for(bridges, node.name) if not is_ready(each)), None)
        if isinstance(state, Broken):
            yield from state.faults
        elif not bridges and "DaemonSet" in cluster.dump.listed:
            yield _no_bridge(node, waits)
    folder = policy.at("spec", "hostPaths", "driverInstallDir") if policy else None
    if policy is not None and node.minor is not None and node.minor in UNBRIDGED and folder != DRIVER_ROOT:
        yield _other_folder(cluster, policy, folder, waits)
    validators = pods_for(cluster.of_agent(AgentKind.VALIDATOR), node.name)
    for state in (pod_state(cluster, each) for each in validators if not is_ready(each)):
        if isinstance(state, Broken) and state.faults[0].name != _WAITS.name:
            yield from state.faults
    yield _fault(
        _WAITS.name, f"{_WAITS.title}. {_WAITS.cause}", (waits,), Advice(_WAITS.remedy), _WAITS.commands[0], _WAITS.source, _WAITS.rules
    )


def _set(cluster: GpuCluster, value: str) -> Command:
    """The command that sets a value of the operator's release."""
    objects = (*cluster.dump.of_kind("ClusterPolicy"), *(each.workload for each in cluster.of_agent(AgentKind.OPERATOR)))
    return helm_value(GPU_OPERATOR.name, f"nvidia/{GPU_OPERATOR.name}", value, objects)


def _fault(name: str, cause: str, evidence: tuple[Evidence, ...], fix: Fix, verify: Command, source: str, rules: tuple[str, ...]) -> Fault:
    return Fault(
        name=name,
        cause=cause,
        evidence=evidence,
        consequence="The operator's pods on the node wait or are absent, the device plugin among them, so the node offers no GPUs",
        fix=fix,
        verify=verify,
        source=source,
        rules=rules,
    )


def _installer(cluster: GpuCluster, policy: LiveObject | None, waits: Evidence, kind: AgentKind) -> Iterator[Fault]:
    """The fault of an operator that is to install a part that Talos brings as an extension."""
    part, rule = ("driver", "TG010") if kind is AgentKind.DRIVER else ("toolkit", "TG011")
    lines = [policy.evidence(f"{part}.enabled: true", "spec")] if policy is not None and policy.at("spec", part, "enabled") is True else []
    for agent in cluster.of_agent(kind):
        for pod in agent.pods:
            for field, status in pod.statuses:
                waiting = state_of(status, "waiting")
                if waiting is not None and waiting.get("reason") not in ("PodInitializing", "ContainerCreating"):
                    lines.append(pod.about.evidence(f"{waiting.get('reason')}: {waiting.get('message', '')}", f"{field}.state.waiting"))
        if agent.workload is not None and not lines:
            lines.append(agent.workload.evidence(f"the operator's DaemonSet of the {part}"))
    if lines:
        yield _fault(
            f"operator-installs-{part}",
            f"The GPU operator installs the {part} itself ({part}.enabled: true), which it can't on Talos: Talos brings the {part} as an extension",
            (lines[0], waits),
            _set(cluster, f"{part}.enabled=false"),
            _PODS,
            "NVIDIA/gpu-operator#647" if kind is AgentKind.DRIVER else "NVIDIA/gpu-operator#2382",
            (rule,),
        )


def _no_bridge(node: GpuNode, waits: Evidence) -> Fault:
    talos = node.talos_version
    return _fault(
        "validation-bridge-missing",
        f"Nothing writes the marker files for which the operator's pods wait: {BRIDGED.when} the operator's validator can't find the driver, and no bridge runs",
        (waits, *([talos.evidence] if talos else [])),
        command(
            "talos-gpu check --explain TG001   # apply its DaemonSet (ValidationBridge of this library), then:\nkubectl label node NODE {label}",
            label=f"{VALIDATOR_LABEL}=false",
        ),
        _PODS,
        "NVIDIA/gpu-operator#1687",
        ("TG001",),
    )


def _other_folder(cluster: GpuCluster, policy: LiveObject, folder: object, waits: Evidence) -> Fault:
    return _fault(
        "driver-install-dir",
        f"The operator looks for the driver in another folder than Talos has it in: hostPaths.driverInstallDir is not {DRIVER_ROOT}",
        (policy.evidence(f"hostPaths.driverInstallDir: {folder or 'not set'}", "spec"), waits),
        _set(cluster, f"hostPaths.driverInstallDir={DRIVER_ROOT}"),
        _PODS,
        _DOCS,
        ("TG003",),
    )


def undeployed_faults(cluster: GpuCluster, node: GpuNode) -> tuple[Fault, ...]:
    """The fault of a node without the labels by which the operator's DaemonSets select nodes:
    `nvidia.com/gpu.deploy.device-plugin`."""
    live = node.node
    if live is None or not cluster.of_agent(AgentKind.OPERATOR):
        return ()
    switched = [key for key in (_OPERANDS, f"{DEPLOY_LABEL}device-plugin") if live.labels.get(key) == "false"]
    if switched:
        return (
            _fault(
                "operands-switched-off",
                f"The label {switched[0]}=false switches the operator's device plugin off on the node",
                (live.evidence(f"{switched[0]}: false", "metadata.labels"),),
                command("kubectl label node NODE {label}-", label=switched[0]),
                _PODS,
                "NVIDIA/gpu-operator controllers/state_manager.go at v26.7.0",
                (),
            ),
        )
    card = next((key for key, value in live.labels.items() if _PCI_LABEL.match(key) and value == "true"), None)
    return tuple(_idle_operator(cluster, live, card) if card else _unlabelled(cluster, node, live))[:1]


def _idle_operator(cluster: GpuCluster, live: LiveObject, card: str) -> Iterator[Fault]:
    if live.labels.get(PRESENT_LABEL) == "true":
        return
    evidence = (live.evidence(f"{card}: true, and no label {PRESENT_LABEL}", "metadata.labels"),)
    yield from _stopped_operator(cluster, evidence)


def _stopped_operator(cluster: GpuCluster, evidence: tuple[Evidence, ...]) -> Iterator[Fault]:
    """The fault of an operator that does not run itself."""
    for agent in cluster.of_agent(AgentKind.OPERATOR):
        available = agent.workload.at("status", "availableReplicas") if agent.workload else None
        if any(is_ready(each) for each in agent.pods) or available:
            continue
        for state in (pod_state(cluster, each) for each in agent.pods):
            if isinstance(state, Broken):
                yield from state.faults
        if agent.workload is not None:
            status = agent.workload.evidence(f"availableReplicas: {available or 0}", "status")
            yield _fault(
                "operator-not-running",
                f"The GPU operator itself does not run (Deployment {agent.workload.full_name}), so nothing labels GPU nodes and starts the device plugin",
                (status, *evidence),
                command(
                    "kubectl describe deployment {name} --namespace {namespace}\nkubectl logs deployment/{name} --namespace {namespace}",
                    name=agent.workload.name,
                    namespace=agent.workload.namespace,
                ),
                command(
                    "kubectl get deployment {name} --namespace {namespace}", name=agent.workload.name, namespace=agent.workload.namespace
                ),
                "NVIDIA/gpu-operator controllers/nodelabeling_controller.go at v26.7.0",
                ("TG004",),
            )


def _unlabelled(cluster: GpuCluster, node: GpuNode, live: LiveObject) -> Iterator[Fault]:
    """The fault of a node on which node feature discovery has not labelled the card."""
    line = live.evidence("no label feature.node.kubernetes.io/pci-10de.present", "metadata.labels")
    agents = cluster.of_agent(AgentKind.NFD_MASTER, AgentKind.NFD_WORKER)
    if not agents and "DaemonSet" in cluster.dump.listed:
        yield _fault(
            "node-feature-discovery-missing",
            "Node feature discovery does not run in the cluster, so no node has the label of a card that the GPU operator looks for",
            (line,),
            _set(cluster, "nfd.enabled=true"),
            command("kubectl get nodes --show-labels | grep pci-10de"),
            "NVIDIA/gpu-operator controllers/nodelabeling_controller.go at v26.7.0",
            ("TG005",),
        )
        return
    pods = pods_for(agents, node.name)
    for state in (pod_state(cluster, each) for each in pods if not is_ready(each)):
        if isinstance(state, Broken):
            yield from state.faults
    if pods and any(is_ready(each) for each in pods):
        ready = next(each for each in pods if is_ready(each))
        yield _fault(
            "card-not-discovered",
            "Node feature discovery runs on the node and labels no card of NVIDIA's: the machine shows it no card, or its sources.pci leaves the card out",
            (ready.about.evidence("Ready: True", "status.conditions"), line),
            command(
                "talosctl --nodes ADDRESS get pcidevices   # with a card there: nfd.worker.config.sources.pci.deviceLabelFields: [vendor]"
            ),
            command("kubectl get nodes --show-labels | grep pci-10de"),
            "NVIDIA/k8s-device-plugin#607",
            ("TG005", "TG007"),
        )


def planless_faults(cluster: GpuCluster) -> tuple[Fault, ...]:
    """The fault of an operator in a cluster without a DaemonSet of the device plugin."""
    agents = [each for each in cluster.of_agent(AgentKind.OPERATOR) if each.workload is not None]
    if not agents or agents[0].workload is None:
        return ()
    stopped = tuple(_stopped_operator(cluster, ()))
    if stopped:
        return stopped[:1]
    policy = next(iter(cluster.dump.of_kind("ClusterPolicy")), None)
    if policy is None and "ClusterPolicy" not in cluster.dump.listed:
        return ()
    line = agents[0].workload.evidence("no DaemonSet of the device plugin")
    if policy is None:
        cause, fix = (
            "The GPU operator runs, and has no ClusterPolicy that tells it to start the device plugin",
            _set(cluster, "clusterPolicy.deployCR=true"),
        )
    elif policy.at("spec", "devicePlugin", "enabled") is False:
        line = policy.evidence("devicePlugin.enabled: false", "spec")
        cause = "The GPU operator is told not to start the device plugin (devicePlugin.enabled: false), and no DRA driver runs either"
        fix = _set(cluster, "devicePlugin.enabled=true").explained("or install the chart dra-driver-nvidia-gpu")
    else:
        messages = [
            str(each.get("message"))
            for each in policy.mappings("status", "conditions")
            if each.get("type") == "Error" and each.get("message")
        ]
        line = policy.evidence(messages[0] if messages else f"state: {policy.at('status', 'state') or 'not set'}", "status")
        cause, fix = (
            "The GPU operator has not started the device plugin: its ClusterPolicy is not ready",
            command("kubectl describe clusterpolicy"),
        )
        if policy.at("status", "state") == "ready":  # so the operator says without a GPU node, too
            cause = "The GPU operator has not started the device plugin, although its ClusterPolicy is ready: it knows no node with a GPU"
            fix = command("kubectl get nodes --label-columns {label}", label=VENDOR_LABEL).explained(
                "NFD sets the label; its worker has to run on the GPU nodes"
            )
    return (
        _fault(
            "operator-without-plugin",
            cause,
            (line,),
            fix,
            command("kubectl get clusterpolicy,daemonsets --all-namespaces"),
            _DOCS,
            ("TG005", "TG034"),
        ),
    )
