"""A whole control plane for tests, with nodes that are played: ``with ControlPlane(folder) as lab: lab.apply(manifests)``.

The API server of ``api_server.py``, and beside it the scheduler and the controllers of Kubernetes, and kwok in the place of the kubelets. The
folder holds the programs (``CLUSTER_ASSETS``). So a DaemonSet has pods, a pod has a node or says why it has none, and a rollout ends or not.
Nothing runs in a pod: kwok says that a pod with a node runs, and that the pods of a Job have ended (``stages.yaml``).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from api_server import ApiError, ApiServer, reserved_port

STAGES = Path(__file__).with_name("stages.yaml")
PROGRAMS = ("etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager", "kwok")
PATIENCE = 60.0  # seconds for a state that the cluster should reach; two idle cores need about one

_State = TypeVar("_State")


class ControlPlane(ApiServer):
    """etcd, the API server, the scheduler, the controllers and kwok on loopback ports."""

    # Talos' own (siderolabs/talos internal/app/machined/pkg/controllers/k8s/control_plane_static_pod.go)
    ACCESS = ("--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction")

    def __init__(self, assets: Path, *, feature_gates: Iterable[str] = (), runtime_config: Iterable[str] = ()) -> None:
        absent = [each for each in PROGRAMS if not (assets / each).is_file()]
        if absent:
            raise FileNotFoundError(f"CLUSTER_ASSETS is {assets}, which has no {', '.join(absent)}")
        super().__init__(assets, feature_gates=feature_gates, runtime_config=runtime_config)

    def _start(self, assets: Path) -> None:
        self._serve(assets)
        kubeconfig = self.kubeconfig()
        # The default is 20 to 50 calls a second for each of them.
        client = (
            f"--kubeconfig={kubeconfig}",
            "--leader-elect=false",
            "--secure-port=0",
            "--kube-api-qps=1000",
            "--kube-api-burst=1000",
            *self._gates,
        )
        self._run(assets / "kube-scheduler", *client)
        key = f"--service-account-private-key-file={self._folder}/apiserver.key"
        # On a busy machine a heartbeat of kwok may come late. A pod that is not ready then stays so, as no kubelet says otherwise.
        grace = "--node-monitor-grace-period=1h"
        self._run(assets / "kube-controller-manager", *client, key, f"--root-ca-file={self._folder}/apiserver.crt", grace)
        self._run(
            assets / "kwok",
            f"--kubeconfig={kubeconfig}",
            f"--config={STAGES}",
            "--manage-all-nodes=true",
            f"--server-address=127.0.0.1:{reserved_port(self._ports)}",
        )
        self._wait_for_admission()  # the controllers make the account that each namespace needs

    def kubeconfig(self) -> Path:
        """The file with which kubectl and the other programs reach the API server."""
        file = self._folder / "kubeconfig"
        cluster = {"server": f"https://127.0.0.1:{self._port}", "certificate-authority": str(self._folder / "apiserver.crt")}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "lab",
            "clusters": [{"name": "lab", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": self._token}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "admin"}}],
        }
        file.write_text(json.dumps(config), encoding="utf-8")
        return file

    def get(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> dict[str, Any]:
        """One object."""
        plain = {"apiVersion": api_version, "kind": kind, "metadata": {}}
        return self._call("GET", f"{self._path(plain, namespace)}/{name}", {})[0]

    def list(self, api_version: str, kind: str, selector: str = "") -> list[dict[str, Any]]:
        """All objects of a kind, of every namespace."""
        plural, _ = self._resource(api_version, kind)
        path = f"{'/apis' if '/' in api_version else '/api'}/{api_version}/{plural}"
        return self._call("GET", path, {"labelSelector": selector} if selector else {})[0]["items"]

    def patch_status(self, manifest: Mapping[str, Any]) -> None:
        """Set fields of an object's status, as its agent on a node would."""
        path = f"{self._path(manifest, None)}/{manifest['metadata']['name']}/status"
        self._call("PATCH", path, {"fieldManager": "agent", "force": "true"}, manifest)

    def patch(self, manifest: Mapping[str, Any], manager: str) -> None:
        """Set fields of an object as another owner; fields that the owner had set before, and are missing now, go."""
        path = f"{self._path(manifest, None)}/{manifest['metadata']['name']}"
        self._call("PATCH", path, {"fieldManager": manager, "force": "true", "fieldValidation": "Strict"}, manifest)

    def create(self, manifest: Mapping[str, Any], node: str = "") -> None:
        """Create an object as `kubectl create` does, with unknown fields refused; with the rights of the kubelet of `node`, if one is named."""
        query = {"fieldManager": "test", "fieldValidation": "Strict"}
        self._call("POST", self._path(manifest, None), query, manifest, _kubelet(node) if node else None)

    def patch_as_node(self, manifest: Mapping[str, Any]) -> None:
        """Set fields of a Node with the rights of its kubelet, which are those of Talos on a worker."""
        name = manifest["metadata"]["name"]
        query = {"fieldManager": "talos", "force": "true", "fieldValidation": "Strict"}
        self._call("PATCH", f"{self._path(manifest, None)}/{name}", query, manifest, _kubelet(name))

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Create something that is no stored object, such as an eviction or an access review."""
        return self._call("POST", path, {}, body)[0]

    def delete_all(self, path: str) -> None:
        """Delete every object of a collection, such as `api/v1/nodes`."""
        self._call("DELETE", f"/{path}", {"propagationPolicy": "Background"})

    def delete(self, manifest: Mapping[str, Any], propagation: str = "Background") -> None:
        """Delete an object, and what it owns; with the propagation `Orphan` without that."""
        self._call("DELETE", f"{self._path(manifest, None)}/{manifest['metadata']['name']}", {"propagationPolicy": propagation})

    def eventually(self, question: Callable[[], _State], expected: Callable[[_State], bool] = bool, patience: float = PATIENCE) -> _State:
        """The first answer that is as expected; after a minute, or `patience` seconds, the last answer, whatever it is."""
        deadline = time.monotonic() + patience
        while True:
            asked = time.monotonic()
            try:
                answer = question()
            except ApiError as error:
                if time.monotonic() > deadline or error.code not in (404, 429):  # 429: the storage of a new CRD starts
                    raise
            else:
                if expected(answer) or time.monotonic() > deadline:
                    return answer
            time.sleep(max(0.1, 2 * (time.monotonic() - asked)))  # a long list costs the API server more than what is waited for


def state_of(pod: Mapping[str, Any]) -> str:
    """`Running`, `Succeeded`, the scheduler's reason for Pending, or nothing for a pod that nobody has judged yet."""
    status = pod["status"]
    if status.get("phase") != "Pending":
        return str(status.get("phase", ""))
    return next(
        (each.get("message", "") for each in status.get("conditions", ()) if each["type"] == "PodScheduled" and each["status"] == "False"),
        "",
    )


def states(pods: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The state of each pod by namespace and name."""
    return {f"{each['metadata']['namespace']}/{each['metadata']['name']}": state_of(each) for each in pods}


def _kubelet(node: str) -> dict[str, str]:
    return {"Impersonate-User": f"system:node:{node}", "Impersonate-Group": "system:nodes"}
