"""What kubectl and talosctl print of a scene, as the files of a dump. A second recording differs only where the cluster differs.

Kubernetes makes up names, UIDs, addresses and times. They are replaced by others of the same form, in the order of the names.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from dump_scene import Scene
from talos_outputs import GoDumper, printed
from talos_side import TalosSide

KINDS = (
    "nodes",
    "namespaces",
    "runtimeclasses.node.k8s.io",
    "deviceclasses.resource.k8s.io",
    "daemonsets.apps",
    "deployments.apps",
    "replicasets.apps",
    "statefulsets.apps",
    "jobs.batch",
    "pods",
    "resourcequotas",
    "persistentvolumeclaims",
    "resourceslices.resource.k8s.io",
    "resourceclaims.resource.k8s.io",
    "resourceclaimtemplates.resource.k8s.io",
    "events",
)
TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b")
LETTERS = "bcdfghjklmnpqrstvwxz2456789"
REFUSED_POD = re.compile(r'pods \\?"([a-z0-9.-]+-)[a-z0-9]{5}\\?" is forbidden')
CREATED_POD = re.compile(r"(?:Created|Deleted) pod: (\S+)")
SCHEDULER = re.compile(r"default-scheduler-.*")
TOKEN_VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}")
BUILT_IN = ("default", "kube-system", "kube-public", "kube-node-lease")


def kubernetes(scene: Scene) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The objects of the scene as `kubectl get … --all-namespaces` prints them, normalised; and the files of the scene, with the same names."""
    return kubernetes_of(scene, json.loads(scene.kubectl("get", ",".join(KINDS), "--all-namespaces", "--output=json"))["items"])


def kubernetes_of(scene: Scene, found: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The objects that kubectl has printed of a scene, and the files of the scene, both normalised."""
    items = _sorted(_told([each for each in found if _is_of(scene, each)], keep_old=scene.keep_old_events))
    names = _names(items)
    return _normalised(_sorted(json.loads(_renamed(json.dumps(items), names)))), {
        _renamed(path, names): _renamed(text, names) for path, text in scene.files.items()
    }


def _is_of(scene: Scene, item: Mapping[str, Any]) -> bool:
    metadata = item["metadata"]
    if item["kind"] == "Namespace":
        return metadata["name"] in scene.namespaces
    return metadata.get("namespace", "") in ("", *scene.namespaces)


def _told(items: list[dict[str, Any]], *, keep_old: bool) -> Iterable[dict[str, Any]]:
    """The objects with one event of each message; of the scheduler's the last word about a pod."""
    pods = {each["metadata"]["uid"]: each for each in items if each["kind"] == "Pod"}
    names = {each["metadata"]["name"] for each in items}
    seen = set()
    for each in items:
        if each["kind"] == "Event":
            about = each["involvedObject"]
            each["message"] = REFUSED_POD.sub(r'pods "\1bbbbb" is forbidden', each["message"])
            key = (about["kind"], about["name"], each["reason"], each["message"])
            created = CREATED_POD.match(each["message"])
            if about["name"] not in names or (created and created[1] not in names):
                continue  # of an object that is gone
            if key in seen or (
                each["reason"] == "FailedScheduling" and not keep_old and not _is_last_word(each, pods.get(about.get("uid", "")))
            ):
                continue
            seen.add(key)
            for field in ("count", "firstTimestamp", "lastTimestamp"):
                if each.get("reportingComponent") != "kubelet" and each.get(field) is not None:
                    each[field] = 1 if field == "count" else each[field]
        yield each


def _is_last_word(event: Mapping[str, Any], pod: Mapping[str, Any] | None) -> bool:
    conditions = pod["status"].get("conditions", ()) if pod else ()
    return any(
        each["type"] == "PodScheduled" and each["status"] == "False" and each.get("message") == event["message"] for each in conditions
    )


def _sorted(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    every = list(items)
    kinds = {name: index for index, name in enumerate(dict.fromkeys(each["kind"] for each in every))}
    return sorted(every, key=lambda each: (kinds[each["kind"]], each["metadata"].get("namespace", ""), _stem(each)))


def _names(items: list[dict[str, Any]]) -> dict[str, str]:
    """The new name of each object whose name Kubernetes made up: the longest first, as the name of a claim begins with that of its pod."""
    numbers: dict[str, int] = {}
    names: dict[str, str] = {}
    for each in items:
        if "generateName" in each["metadata"]:
            stem = _renamed(each["metadata"]["generateName"], names)
            numbers[stem] = numbers.get(stem, 0) + 1
            names[each["metadata"]["name"]] = f"{stem}{_suffix(numbers[stem])}"
    return dict(sorted(names.items(), key=lambda each: -len(each[0])))


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for before, after in names.items():
        text = text.replace(before, after)
    return text


def _normalised(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    text = REFUSED_POD.sub(r'pods \\"\1bbbbb\\" is forbidden', json.dumps(items))
    for index, each in enumerate(items):
        text = text.replace(each["metadata"]["uid"], f"00000000-0000-4000-8000-{index:012x}")
    text = TIME.sub("2026-11-22T10:00:00Z", TOKEN_VOLUME.sub("kube-api-access-bbbbb", text))
    normalised: list[dict[str, Any]] = json.loads(text)
    numbers: dict[str, int] = {}
    for index, each in enumerate(normalised):
        metadata = each["metadata"]
        metadata["resourceVersion"] = f"{1000 + index}"
        metadata.pop("managedFields", None)
        if each["kind"] == "Event":
            about = each["involvedObject"]
            about.pop("resourceVersion", None)
            each["reportingInstance"] = SCHEDULER.sub("default-scheduler-control-1", each.get("reportingInstance", ""))
            numbers[about["name"]] = numbers.get(about["name"], 0) + 1
            metadata["name"] = f"{about['name']}.{numbers[about['name']]:016x}"
        elif each["kind"] == "Pod":
            _place(each, index)
        elif each["kind"] == "Node":
            _told_by_kubelet(each)
    return normalised


def _stem(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The part of a name that is the same in each recording, and what tells apart objects of one stem."""
    metadata = item["metadata"]
    if item["kind"] == "Event":
        about = item["involvedObject"]
        return about["kind"], about["name"], item["reason"], item["message"]
    node, phase = item.get("spec", {}).get("nodeName", ""), item.get("status", {}).get("phase", "") if item["kind"] == "Pod" else ""
    return metadata.get("generateName", metadata["name"]), node, phase, metadata["creationTimestamp"], metadata["name"]


def _suffix(index: int) -> str:
    """Five letters of those that Kubernetes takes."""
    letters = []
    for _ in range(5):
        index, rest = divmod(index, len(LETTERS))
        letters.append(LETTERS[rest])
    return "".join(reversed(letters))


def _place(pod: dict[str, Any], index: int) -> None:
    """Addresses of the pod network, for a pod that has a sandbox; the revisions of a DaemonSet have hashes of their own."""
    status = pod["status"]
    has_sandbox = status.get("phase") == "Running" or any("running" in each["state"] for each in status.get("initContainerStatuses", ()))
    for field in ("podIP", "podIPs", "hostIP", "hostIPs"):
        status.pop(field, None)
    if has_sandbox:
        status |= {"podIP": f"10.244.1.{index}", "podIPs": [{"ip": f"10.244.1.{index}"}]}


def _told_by_kubelet(node: dict[str, Any]) -> None:
    for each in node["status"].get("conditions", ()):
        if each["type"] == "Ready":
            each["message"] = "kubelet is posting ready status"
    node["metadata"].get("annotations", {}).pop("kwok.x-k8s.io/node", None)
    node["status"].pop("daemonEndpoints", None)


def as_yaml(items: list[dict[str, Any]]) -> str:
    """A List as kubectl prints it."""
    whole = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}
    return yaml.dump(whole, Dumper=GoDumper, width=120)


def as_json(items: list[dict[str, Any]]) -> str:
    """A List as kubectl prints it with --output json."""
    whole = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}
    return json.dumps(whole, indent=4) + "\n"


def by_kind(items: list[dict[str, Any]], *, is_bundle: bool) -> dict[str, str]:
    """A file for each kind, also for one without an object: as `talos-gpu doctor --collect` writes them, or by hand as YAML."""
    files = {}
    for name in KINDS:
        plural = name.partition(".")[0]
        of_kind = [each for each in items if _plural(each["kind"]) == plural]
        path, text = (f"{name}.json", as_json(of_kind)) if is_bundle else (f"{plural}.yaml", as_yaml(of_kind))
        files[f"kubernetes/{path}"] = text
    return files


def _plural(kind: str) -> str:
    return f"{kind.lower()}{'es' if kind.endswith('s') else 's'}"


def talos_files(sides: Iterable[TalosSide]) -> dict[str, str]:
    """The outputs of talosctl, in a folder for each machine."""
    return {f"talos/{side.address}/{name}": text for side in sides for name, text in printed(side).items()}


def support_bundle(sides: Iterable[TalosSide], items: list[dict[str, Any]]) -> bytes:
    """The outputs as `talosctl support` packs them (siderolabs/go-talos-support support/collectors)."""
    names = {
        "extensions.yaml": "resources/extensionstatuses.runtime.talos.dev.yaml",
        "configured-modules.yaml": "resources/kernelmodulespecs.runtime.talos.dev.yaml",
        "loaded-modules.yaml": "resources/loadedkernelmodules.runtime.talos.dev.yaml",
        "pci-devices.yaml": "resources/pcidevices.hardware.talos.dev.yaml",
        "security.yaml": "resources/securitystates.talos.dev.yaml",
        "nodename.yaml": "resources/nodenames.kubernetes.talos.dev.yaml",
        "dmesg.log": "dmesg.log",
        "version.txt": "summary",
    }
    files = {"cluster/kubernetesResources/nodes.yaml": _node_list(items)}
    for side in sides:
        outputs = printed(side)
        for name, path in names.items():
            if not outputs[name]:
                continue  # a bundle has no file of a resource that does not exist
            # A bundle names the node by its folder.
            lines = [each.removeprefix(f"{side.address}: ") for each in outputs[name].splitlines(keepends=True)]
            files[f"{side.address}/{path}"] = "".join(each for each in lines if each != f"node: {side.address}\n")
        for row in outputs["services.txt"].splitlines()[1:]:
            cells = re.split(r" {2,}", row)
            files[f"{side.address}/service-logs/{cells[1]}.state"] = _state(cells)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path, (2026, 11, 22, 10, 0, 0)), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _node_list(items: list[dict[str, Any]]) -> str:
    """The Nodes as client-go prints a NodeList: the items have no kind."""
    nodes = [{key: value for key, value in each.items() if key not in ("apiVersion", "kind")} for each in items if each["kind"] == "Node"]
    return yaml.dump(
        {"apiVersion": "v1", "items": nodes, "kind": "NodeList", "metadata": {"resourceVersion": "1"}}, Dumper=GoDumper, width=1000
    )


def _state(cells: list[str]) -> str:
    """`talosctl service NAME`: the rows of a tabwriter."""
    node, name, state, health, changed, event = cells
    rows = [("NODE", node), ("ID", name), ("STATE", state), ("HEALTH", health), ("EVENTS", f"[{state}]: {event} ({changed})")]
    return "".join(f"{key:<9}{value}\n" for key, value in rows)


def stream(sides: Iterable[TalosSide], items: list[dict[str, Any]]) -> str:
    """All outputs in one text, each below its command, as people paste them."""
    parts = [f"$ kubectl get {','.join(KINDS)} -A -o yaml\n{as_yaml(items)}"]
    words = {
        "extensions.yaml": "get extensions -o yaml",
        "services.txt": "services",
        "dmesg.log": "dmesg",
        "proc-modules.txt": "read /proc/modules",
    }
    for side in sides:
        outputs = printed(side)
        parts += [f"$ talosctl -n {side.address} {words[name]}\n{outputs[name]}" for name in words]
    return "\n".join(parts)
