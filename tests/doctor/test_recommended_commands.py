"""Each command that the doctor or a symptom recommends is tried: what it prints is read, or it mends something, or its output answers a
question of the person who runs it, and then a list here says so."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from doctor.kubectl_outputs import DAEMON_SETS, EVENTS, NODE, NODES_WIDE, POD, PODS, RUNTIME_CLASSES
from doctor.smi_outputs import NVLINK, QUERY, TABLE, TOPOLOGY

import constructs_lib
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.observed.model.dump import Dump

PACKAGE = Path(constructs_lib.__file__).parent
MENDS = re.compile(
    r"kubectl (?:apply|cordon|create|delete|drain|edit|label|patch|rollout|uncordon)\b|talosctl (?:edit|patch|reboot|upgrade|service \S+ restart)\b"
)
"""The commands that change a cluster."""
FOR_A_PERSON = (
    r"kubectl exec -- (?:df|ls|python|sh|vulkaninfo)\b",  # of the program in the container, not of the chain
    r"kubectl exec -- nvidia-smi (?:--query-gpu|mig|nvlink -e)",  # -q prints the same, and is read
    r"kubectl top\b",
    r"kubectl version$",
    r"kubectl get .*jsonpath=",  # a value without its name
    r"kubectl get nodes (?:-o custom-columns|--label-columns|--watch)",
    r"kubectl (?:get|describe) \S*(?:clusterpolic|clusterqueues|computedomains|configmaps|crd|deviceclasses|localqueues|networkpolicies|priorityclasses|secrets)",
    r"kubectl (?:get|describe) \S*(?:persistentvolumeclaims|serviceaccounts|storageclasses|validating\S+|workloads|namespace)\b",
    r"kubectl get resource(?:claims|claimtemplates|slices)(?:,\S+)?(?: --all-namespaces)?$",
    r"kubectl get (?:kubevirts|pods,services,endpoints)\b",
    r"kubectl describe (?:deployment|pods,replicasets|resourcequota)",
    r"kubectl get roles,rolebindings\b",
    r"kubectl exec -- dcgmi profile\b",
    r"talosctl read /etc/cri/",
    r"talosctl (?:ls|processes|usage|get discoveredvolumes)\b",
    r"talosctl read /proc/(?:cmdline|devices|sys/|self/mountinfo|driver/nvidia-caps|driver/nvidia/params)",
)
"""The commands whose output the doctor does not read. A link that is not known asks for none of them."""


def quoted_apart(line: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: re.sub(r"[|;&()]", " ", found[0]), line)


def simple_commands(text: str) -> Iterator[str]:
    """The calls of kubectl and talosctl in a command, without placeholders, names and what follows a pipe."""
    for line in text.split("\n"):
        for part in re.split(r"&&|;|\|\|?|\$\(", re.sub(r"(?<!\S)#.*", "", quoted_apart(line))):
            if part.strip().startswith(("kubectl ", "talosctl ")):
                words = re.sub(
                    r" (?:--namespace|-n|--nodes|-c|--container|--selector|-l|--field-selector)[ =]\S+|\b(?:POD|NODE)\b| --prefix\b",
                    "",
                    part,
                )
                yield " ".join(words.split())


def called(node: ast.AST) -> Iterator[str]:
    """The templates of the commands that are made within a node of a module."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and getattr(each.func, "id", "") in ("command", "Command") and isinstance(each.args[0], ast.Constant):
            yield str(each.args[0].value)


def modules() -> Iterator[tuple[str, ast.Module]]:
    for folder in ("doctor", "symptoms"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            yield path.name, ast.parse(path.read_text(encoding="utf-8"))


def recommended() -> set[str]:
    return {each for _, tree in modules() for text in called(tree) for each in simple_commands(text)}


def asked_for() -> Iterator[str]:
    """The commands of links that are not known."""
    trees = [tree for _, tree in modules()]
    constants = {
        target.id: text
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
        for text in called(node.value)
    }
    for tree in trees:
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "NotSeen"):
            named = (constants[each.id] for each in ast.walk(call) if isinstance(each, ast.Name) and each.id in constants)
            for text in (*called(call), *named):
                yield from simple_commands(text)


def table(head: str, *rows: str) -> str:
    return "\n".join([head, *rows]) + "\n"


ITEM = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: {}\n  kind: {}\n  metadata: {{name: nvidia-x, namespace: a}}\n"
EXTENSIONS = table(
    "NODE       NAMESPACE   TYPE              ID   VERSION   NAME                           VERSION",
    "10.0.0.1   runtime     ExtensionStatus   0    1         nvidia-container-toolkit-lts   580.126.20-v1.18.2",
)
CARDS = table(
    "NODE       NAMESPACE   TYPE        ID             VERSION   CLASS                SUBCLASS                    VENDOR               PRODUCT",
    "10.0.0.1   hardware    PCIDevice   0000:01:00.0   1         Display controller   VGA compatible controller   NVIDIA Corporation   AD102 [GeForce RTX 4090]",
)
PARAMETERS = table(
    "NODE       NAMESPACE   TYPE                ID                                 VERSION   CURRENT   DEFAULT   UNSUPPORTED",
    "10.0.0.1   runtime     KernelParamStatus   proc.sys.net.core.bpf_jit_harden   1         1         0         false",
)
SERVICES = table(
    "NODE       SERVICE                   STATE     HEALTH   LAST CHANGE   LAST EVENT",
    "10.0.0.1   ext-nvidia-persistenced   Waiting   ?        1m0s ago      Waiting for file /sys/bus/pci/drivers/nvidia",
)
SERVICE = "NODE     10.0.0.1\nID       kubelet\nSTATE    Running\nHEALTH   OK\nEVENTS   [Running]: Health check successful (1m ago)\n"
SPECS = "node: 10.0.0.1\nmetadata:\n    namespace: runtime\n    type: KernelModuleSpecs.runtime.talos.dev\n    id: nvidia\nspec:\n    string: nvidia\n"
POD_LOG = "E1128 08:00:00.000000       1 factory.go:115] Incompatible strategy detected auto\n"
NODE_LABELS = table(
    "NAME    STATUS   ROLES    AGE   VERSION   LABELS", "gpu-1   Ready    <none>   10d   v1.36.3   nvidia.com/gpu.present=true"
)
OPERATOR = table("NAME           READY   UP-TO-DATE   AVAILABLE   AGE", "gpu-operator   0/1     1            0           10d")


def machine(part: str) -> Callable[[Dump], object]:
    return lambda dump: [value for each in dump.machines if (value := getattr(each, part))]


def rows(kind: str) -> Callable[[Dump], object]:
    return lambda dump: [each for each in dump.rows if each.kind == kind]


def kinds(kind: str) -> Callable[[Dump], object]:
    return lambda dump: dump.of_kind(kind) or dump.counts.get(kind)


def matches(dump: Dump) -> object:
    return [match for log in dump.logs for match in log.matches]


SAMPLES: dict[str, tuple[str, Callable[[Dump], object]]] = {
    r"kubectl describe node": (NODE, kinds("Node")),
    r"kubectl describe pods?\b(?!,)": (POD, kinds("Pod")),
    r"kubectl get events": (EVENTS, kinds("Event")),
    r"kubectl get runtimeclass": (RUNTIME_CLASSES, kinds("RuntimeClass")),
    r"kubectl get nodes? --show-labels": (NODE_LABELS, rows("Node")),
    r"kubectl get nodes?(?: -o wide)?$": (NODES_WIDE, rows("Node")),
    r"kubectl get nodes -o yaml": (ITEM.format("v1", "Node"), kinds("Node")),
    r"kubectl get pods?(?: --all-namespaces)?(?: -o wide)?$": (PODS, rows("Pod")),
    r"kubectl get pods?(?: --all-namespaces)? -o yaml": (ITEM.format("v1", "Pod"), kinds("Pod")),
    r"kubectl get daemonsets?(?: \{name\})?(?: --all-namespaces)?(?: -o wide)?$": (DAEMON_SETS, rows("DaemonSet")),
    r"kubectl get daemonsets(?: --all-namespaces)? -o yaml": (ITEM.format("apps/v1", "DaemonSet"), kinds("DaemonSet")),
    r"kubectl get deployment \{name\}$": (OPERATOR, rows("Deployment")),
    r"kubectl get limitranges -o yaml": (ITEM.format("v1", "LimitRange"), kinds("LimitRange")),
    r"kubectl get resourcequotas --all-namespaces -o yaml": (ITEM.format("v1", "ResourceQuota"), kinds("ResourceQuota")),
    r"kubectl get resourceslices -o yaml": (ITEM.format("resource.k8s.io/v1", "ResourceSlice"), kinds("ResourceSlice")),
    r"kubectl get devicetaintrules -o yaml": (ITEM.format("resource.k8s.io/v1", "DeviceTaintRule"), kinds("DeviceTaintRule")),
    r"kubectl get resourceclaims(?:,resourceclaimtemplates)?(?: --all-namespaces)? -o yaml": (
        ITEM.format("resource.k8s.io/v1", "ResourceClaim"), kinds("ResourceClaim"),
    ),
    r"kubectl logs\b": (POD_LOG, matches),
    r"kubectl exec -- nvidia-smi$": (TABLE, machine("smi")),
    r"kubectl exec -- nvidia-smi -q$": (QUERY, machine("smi")),
    r"kubectl exec -- nvidia-smi -L$": ("GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-0a1b2c3d-0000-0000-0000-000000000000)\n", machine("smi")),
    r"kubectl exec -- nvidia-smi topo -m$": (TOPOLOGY, machine("smi")),
    r"kubectl exec -- nvidia-smi nvlink -s$": (NVLINK, machine("smi")),
    r"talosctl dmesg": ("10.0.0.1: kern: warning: [2026-11-22T08:00:00.0Z]: NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x0:1)\n", machine("kernel_log")),
    r"talosctl get extensions": (EXTENSIONS, machine("extensions")),
    r"talosctl get kernelmodulespecs -o yaml": (SPECS, machine("configured_modules")),
    r"talosctl get kernelparamstatuses": (PARAMETERS, machine("sysctls")),
    r"talosctl get pcidevices": (CARDS, machine("pci")),
    r"talosctl logs \S+": ("10.0.0.1: failed to query NVIDIA devices. Please ensure that the NVIDIA device files (/dev/nvidia*) exist\n", matches),
    r"talosctl read /proc/driver/nvidia/version": ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.126.20  Release Build\n", machine("driver_version")),
    r"talosctl read /proc/modules": ("nvidia_uvm 1875968 0 - Live 0x0000000000000000 (O)\n", machine("modules")),
    r"talosctl service \S+$": (SERVICE, machine("services")),
    r"talosctl services": (SERVICES, machine("services")),
    r"talosctl version": ("Server:\n    NODE:        10.0.0.1\n    Tag:         v1.13.2\n", machine("talos_version")),
}  # fmt: skip
"""What a command prints, and what was read of it."""


@pytest.mark.parametrize("command", SAMPLES)
def test_what_a_recommended_command_prints_is_read(command):
    text, read = SAMPLES[command]

    assert read(read_dump([], stream=text))


def test_each_recommended_command_is_read_or_mends_or_is_for_a_person():
    known = [re.compile(each) for each in (*SAMPLES, *FOR_A_PERSON)]
    unknown = [each for each in recommended() if not (MENDS.match(each) or any(one.match(each) for one in known))]

    assert sorted(unknown) == []


def test_each_known_command_is_recommended():
    commands = recommended()

    assert [each for each in (*SAMPLES, *FOR_A_PERSON) if not any(re.match(each, one) for one in commands)] == []


def test_a_link_that_is_not_known_asks_for_outputs_that_are_read():
    commands = sorted(set(asked_for()))

    assert len(commands) > 10
    assert [each for each in commands if not any(re.match(one, each) for one in SAMPLES)] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (EXTENSIONS.replace("NODE       ", "NODE       *   ").replace("10.0.0.1   ", "10.0.0.1   +   "), {"10.0.0.1"}),
        (EXTENSIONS.replace("NODE       ", "NODE   *   ").replace("10.0.0.1   ", "10.0.0.1   +   "), {"10.0.0.1"}),
        (re.sub(r"(?m)^\S+ +", "", EXTENSIONS), set()),
        (EXTENSIONS.partition("\n")[2], {"10.0.0.1"}),
    ],
    ids=["watch", "watch-narrow", "without-node", "without-head"],
)
def test_a_table_of_talosctl_is_read_with_other_columns(text, names):
    [read] = read_dump([], stream=text).machines

    assert (list(read.extensions), read.names) == (["nvidia-container-toolkit-lts"], names)


def test_a_table_of_services_without_its_first_column_is_read():
    [read] = read_dump([], stream=re.sub(r"(?m)^\S+ +", "", SERVICES)).machines

    assert read.services["ext-nvidia-persistenced"].state == "Waiting"


def test_a_table_of_a_resource_of_which_nothing_is_read_is_named():
    text = table(
        "NODE       NAMESPACE   TYPE               ID    VERSION   SIZE", "10.0.0.1   runtime     DiscoveredVolume   sda   1         1 TB"
    )

    assert [each.reason for each in read_dump([], stream=text).unread] == ["a table of DiscoveredVolume, of which the doctor reads nothing"]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (PODS, ("Pod", "nvidia/nvidia-device-plugin-x7k2p", "CrashLoopBackOff", 0)),
        (NODES_WIDE, ("Node", "gpu-1", "NotReady", None)),
        (DAEMON_SETS, ("DaemonSet", "nvidia/nvidia-device-plugin", "", 1)),
    ],
)
def test_rows_that_grep_left_are_read(text, row):
    read = read_dump(
        [], stream="".join(line for line in text.splitlines(keepends=True) if re.search("device-plugin-x|NotReady|plugin  ", line))
    )

    assert [(each.kind, each.full_name, each.status, each.ready) for each in read.rows] == [row]
