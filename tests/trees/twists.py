"""Other ways to say what a working tree says: kustomize's patches, components and replacements, patches and variables of Flux, and odd files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from posixpath import relpath
from typing import Any

from .model import Object
from .releases import dumped
from .tree import KUSTOMIZATION, Tree

WORKLOADS = ("Deployment", "StatefulSet")


def kustomized(tree: Tree) -> Iterator[tuple[str, Object, list[Object]]]:
    """Each folder with a kustomization: its path, the kustomization, and the objects of the folder's own files."""
    for path in [each for each in tree.files if each.endswith(f"/{KUSTOMIZATION}")]:
        folder = path.rpartition("/")[0]
        documents = tree.files[path]
        if isinstance(documents, list) and documents[0]["kind"] == "Kustomization" and "resources" in documents[0]:
            named = [f"{folder}/{each.removeprefix('./')}" for each in documents[0]["resources"]]
            yield folder, documents[0], [one for name in named for one in _documents(tree, name)]


def _documents(tree: Tree, path: str) -> list[Any]:
    """The objects of a file, which may be changed: other files do not share them."""
    documents = tree.files.get(path)
    if not isinstance(documents, list):
        return []
    documents[:] = deepcopy(documents)
    return documents


def _workloads(objects: list[Object]) -> list[tuple[Object, Object]]:
    return [(each, each["spec"]["template"]["spec"]) for each in objects if each.get("kind") in WORKLOADS]


def _patch(body: Object, target: Object, patch: Any) -> None:
    """Add a patch of one object to a kustomization, or to a Kustomization's spec."""
    wanted = {"kind": target["kind"], "name": target["metadata"]["name"]}
    body.setdefault("patches", []).append({"target": wanted, "patch": dumped(patch)})


def pod_by_operations(tree: Tree, folder: str, body: Object, objects: list[Object]) -> bool:
    """JSON6902 operations give the pod what it needs."""
    for each, pod in (found := _workloads(objects)):
        needs = [key for key in ("tolerations", "runtimeClassName", "nodeSelector") if key in pod]
        _patch(body, each, [{"op": "add", "path": f"/spec/template/spec/{key}", "value": pod.pop(key)} for key in needs])
        if not needs:
            body["patches"].pop()
    return bool(found)


def pod_by_merge(tree: Tree, folder: str, body: Object, objects: list[Object]) -> bool:
    """A strategic merge gives the pod what it needs, and deletes a container that could not run."""
    for each, pod in (found := _workloads(objects)):
        needs = {key: pod.pop(key) for key in ("tolerations", "runtimeClassName", "nodeSelector") if key in pod}
        pod["containers"].append({"name": "old", "image": "nvidia/cuda", "resources": {"limits": {"nvidia.com/gpu": "0.5"}}})
        spec = {"template": {"spec": {**needs, "containers": [{"name": "old", "$patch": "delete"}]}}}
        _patch(
            body,
            each,
            {"apiVersion": each["apiVersion"], "kind": each["kind"], "metadata": {"name": each["metadata"]["name"]}, "spec": spec},
        )
    return bool(found)


def pod_by_component(tree: Tree, folder: str, body: Object, objects: list[Object]) -> bool:
    """A component gives the RuntimeClass to every workload of the folder."""
    found = [pod for _, pod in _workloads(objects) if "runtimeClassName" in pod]
    if not found or len(found) < len(_workloads(objects)):
        return False
    name = found[0]["runtimeClassName"]
    for pod in found:
        del pod["runtimeClassName"]
    operation = [{"op": "add", "path": "/spec/template/spec/runtimeClassName", "value": name}]
    component: Object = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}
    component["patches"] = [{"target": {"kind": "(Deployment|StatefulSet)"}, "patch": dumped(operation)}]
    tree.files[f"components/nvidia/{KUSTOMIZATION}"] = [component]
    body.setdefault("components", []).append(relpath("components/nvidia", folder))
    return True


def pod_by_replacement(tree: Tree, folder: str, body: Object, objects: list[Object]) -> bool:
    """A replacement copies the RuntimeClass from a generated ConfigMap."""
    found = [(each, pod) for each, pod in _workloads(objects) if "runtimeClassName" in pod]
    for each, pod in found:
        name, pod["runtimeClassName"] = pod["runtimeClassName"], "set-by-kustomize"
        body.setdefault("configMapGenerator", [])
        if not any(one["name"] == "gpu-settings" for one in body["configMapGenerator"]):
            body["configMapGenerator"].append({"name": "gpu-settings", "literals": [f"runtime={name}"]})
        target = {"select": {"kind": each["kind"], "name": each["metadata"]["name"]}, "fieldPaths": ["spec.template.spec.runtimeClassName"]}
        source = {"kind": "ConfigMap", "name": "gpu-settings", "fieldPath": "data.runtime"}
        body.setdefault("replacements", []).append({"source": source, "targets": [target]})
    return bool(found)


def values_by_operations(tree: Tree, folder: str, body: Object, objects: list[Object]) -> bool:
    """JSON6902 operations set values of a HelmRelease."""
    found = [each for each in objects if each.get("kind") == "HelmRelease" and each["spec"].get("values")]
    for each in found:
        values = each["spec"]["values"]
        key = tree.random.choice(sorted(values))
        _patch(body, each, [{"op": "add", "path": f"/spec/values/{key}", "value": values.pop(key)}])
    return bool(found)


def values_by_merge(tree: Tree, folder: str, body: Object, objects: list[Object]) -> bool:
    """A patch file sets values of a HelmRelease over others."""
    found = [each for each in objects if each.get("kind") == "HelmRelease" and each["spec"].get("values", {}).get("runtimeClassName")]
    for each in found:
        wanted = each["spec"]["values"]["runtimeClassName"]
        each["spec"]["values"]["runtimeClassName"] = "nvidia-legacy"
        body.setdefault("patches", []).append({"path": f"patch-{each['metadata']['name']}.yaml"})
        spec = {"values": {"runtimeClassName": wanted}}
        meta = dict(each["metadata"])
        tree.put(
            f"{folder}/patch-{meta['name']}.yaml", {"apiVersion": each["apiVersion"], "kind": "HelmRelease", "metadata": meta, "spec": spec}
        )
    return bool(found)


def by_flux(tree: Tree, folder: str, body: Object, objects: list[Object]) -> bool:
    """Flux' Kustomization patches the pods of a folder, and fills in a variable with a default."""
    flux = [
        one
        for each in list(tree.files)
        for one in _documents(tree, each)
        if one.get("kind") == "Kustomization"
        and one["apiVersion"].startswith("kustomize.toolkit")
        and one["spec"]["path"].removeprefix("./") == folder
    ]
    found = [(each, pod) for each, pod in _workloads(objects) if "runtimeClassName" in pod]
    if len(flux) != 1 or not found:
        return False
    for each, pod in found:
        if "tolerations" in pod:
            _patch(flux[0]["spec"], each, [{"op": "add", "path": "/spec/template/spec/tolerations", "value": pod.pop("tolerations")}])
        pod["runtimeClassName"] = f"${{GPU_RUNTIME:={pod['runtimeClassName']}}}"
    flux[0]["spec"]["postBuild"] = {"substitute": {"APP": "app"}}
    return True


def secrets(tree: Tree, folder: str, body: Object, objects: list[Object]) -> bool:
    """A file that SOPS encrypts, among the resources."""
    sops = {"age": [{"recipient": "age1example", "enc": "-----BEGIN AGE ENCRYPTED FILE-----"}], "mac": "ENC[AES256_GCM,data:x,type:str]"}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": f"secret-{folder.replace('/', '-').lower()}"},
        "stringData": {"TOKEN": "ENC[AES256_GCM,data:x,type:str]"},
    }
    if not objects:
        return False
    tree.put(f"{folder}/secret.sops.yaml", {**secret, "sops": sops})
    body["resources"].append("./secret.sops.yaml")
    return True


TWISTS: tuple[Callable[[Tree, str, Object, list[Object]], bool], ...] = (
    pod_by_operations, pod_by_merge, pod_by_component, pod_by_replacement, values_by_operations, values_by_merge, by_flux, secrets,
)  # fmt: skip


def odd_files(tree: Tree) -> list[str]:
    """Files of comments alone, of nothing, with a mark of the byte order, and folders of what was."""
    random, said = tree.random, list[str]()
    if random.random() < 0.2:
        folder = random.choice(("_old", "old-cluster", "backup", "disabled", ".trash"))
        objects = [documents for path, documents in tree.files.items() if isinstance(documents, list) and path.endswith("helmrelease.yaml")]
        for number, documents in enumerate(deepcopy(objects[:2])):
            documents[0]["spec"]["values"] = {"driver": {"enabled": True}, "runtimeClassName": "nvidia-old"}
            tree.files[f"{folder}/app-{number}/helmrelease.yaml"] = documents
        said.append(folder)
    if random.random() < 0.2:
        tree.text(
            random.choice(("docs/notes.yaml", "talos/README.yaml")),
            "---\n# driver: {enabled: true}\n---\n\n# runtimeClassName: nvidia-cdi\n",
        )
        tree.text("empty.yaml", "")
        said.append("comments")
    return said


def twist(tree: Tree, *, is_deployed: bool) -> list[str]:
    """Say some of a tree in another way; the names of the ways."""
    said = odd_files(tree) if is_deployed else []
    for folder, body, objects in list(kustomized(tree)):
        if tree.random.random() < 0.5:
            ways = tree.random.sample(TWISTS, len(TWISTS))
            said.append(next((f"{way.__name__} in {folder}" for way in ways if way(tree, folder, body, objects)), "nothing"))
    return said
