"""A control plane with the ApplicationSet controller of Argo CD: ``with ArgoCdControlPlane(assets, argocd, repository) as lab: …``.

It is the real controller with its CRDs, built by `tools/argocd.sh`; `ARGOCD_ASSETS` names the folder. Each git repository has the folders of one folder
of this machine. No other program of Argo CD runs: nothing applies what an Application names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from control_plane import ControlPlane

from constructs_lib.manifests.objects import Manifest
from constructs_lib.upstream.programs.delivery_tools import CLUSTER_SECRET

NAMESPACE = "argocd"
API_VERSION = "argoproj.io/v1alpha1"
PATIENCE = 300.0
"""The seconds after which an answer is final: the controller tries an invalid destination again after 180, also one of which it has not heard yet."""

_State = TypeVar("_State")


class ArgoCdControlPlane(ControlPlane):
    """The control plane of the laboratory, with the controller of ApplicationSets beside those of Kubernetes."""

    def __init__(self, assets: Path, argocd: Path, repository: Path) -> None:
        super().__init__(assets)
        self._argocd = argocd
        self._repository = repository

    def _start(self, assets: Path) -> None:
        super()._start(assets)
        self.apply([crd for crd in yaml.safe_load_all((self._argocd / "crds.yaml").read_text(encoding="utf-8")) if crd])
        self.apply(installation())
        arguments = (f"--kubeconfig={self.kubeconfig()}", f"--namespace={NAMESPACE}", f"--repository={self._repository}")
        self._run(self._argocd / "applicationset-controller", *arguments)

    def eventually(self, question: Callable[[], _State], expected: Callable[[_State], bool] = bool, patience: float = PATIENCE) -> _State:
        return super().eventually(question, expected, patience)

    def applications(self, application_set: str) -> dict[str, Manifest]:
        """The Applications of an ApplicationSet by their names."""
        found = self.list(API_VERSION, "Application")
        return {each["metadata"]["name"]: each for each in found if each["metadata"]["ownerReferences"][0]["name"] == application_set}

    def register(self, clusters: Iterable[str], labels: dict[str, str]) -> None:
        """Register clusters in Argo CD, or give registered ones other labels."""
        self.apply(registration(name, labels) for name in clusters)


def installation() -> list[Manifest]:
    """What an Argo CD has from its start: its namespace, its settings and an AppProject."""
    metadata = {"name": "argocd-cm", "namespace": NAMESPACE, "labels": {"app.kubernetes.io/part-of": "argocd"}}
    spec = {"sourceRepos": ["*"], "destinations": [{"namespace": "*", "server": "*"}]}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata},
        {"apiVersion": API_VERSION, "kind": "AppProject", "metadata": {"name": "default", "namespace": NAMESPACE}, "spec": spec},
    ]


def registration(name: str, labels: dict[str, str]) -> Manifest:
    """The Secret with which Argo CD knows a cluster."""
    metadata = {"name": f"cluster-{name}", "namespace": NAMESPACE, "labels": {**dict([CLUSTER_SECRET]), **labels}}
    content: dict[str, Any] = {"name": name, "server": f"https://{name}.example:6443", "config": "{}"}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": content}
