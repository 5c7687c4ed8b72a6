"""A control plane with Kueue, JobSet and LeaderWorkerSet: ``with GangControlPlane(assets, gangs) as lab: …``.

They are the real programs with their real webhooks, built by `tools/kueue.sh`; `GANG_ASSETS` names the folder. The webhooks answer on loopback with the
certificate of the API server, in the place of a Service and of certificates that they would make themselves.
"""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from control_plane import ControlPlane

from api_server import reserved_port

# The webhooks of the kinds that the laboratory has, by controller.
WEBHOOKS = {
    "jobset": ("jobset",),
    "lws": ("leaderworkerset", "pod"),
    "kueue": ("jobset", "leaderworkerset", "pod", "workload", "clusterqueue", "resourceflavor", "cohort"),
}
# The pods of LeaderWorkerSets (kubernetes-sigs/lws config/webhook/mutating-patch.yaml at v0.9.0).
OF_ITS_PODS = {"matchExpressions": [{"key": "leaderworkerset.sigs.k8s.io/name", "operator": "Exists"}]}


class GangControlPlane(ControlPlane):
    """The control plane of the laboratory, with the controllers of gangs beside those of Kubernetes."""

    def __init__(self, assets: Path, gangs: Path, *, kueue: Mapping[str, Any] | None = None, **features: Iterable[str]) -> None:
        """`kueue` is a further part of Kueue's Configuration."""
        super().__init__(assets, **features)
        self._gangs, self._kueue = gangs, dict(kueue or {})

    def _start(self, assets: Path) -> None:
        super()._start(assets)
        certificate = (self._folder / "apiserver.crt").read_bytes()
        for target, source in (("tls.crt", "apiserver.crt"), ("tls.key", "apiserver.key")):
            (self._folder / target).write_bytes((self._folder / source).read_bytes())
        bundle = base64.b64encode(certificate).decode()
        for name in WEBHOOKS:
            self.apply(documents(self._gangs / f"{name}-crds.yaml"))
        for name in WEBHOOKS:
            port = reserved_port(self._ports)
            config = self._folder / f"{name}.yaml"
            settings = configuration(name, port, str(self._folder)) | (self._kueue if name == "kueue" else {})
            config.write_text(yaml.safe_dump(settings), encoding="utf-8")
            self._run(self._gangs / name, f"--config={config}", f"--kubeconfig={self.kubeconfig()}")
            self._wait(lambda port=port: socket.create_connection(("127.0.0.1", port), 1).close())  # type: ignore[misc]
            self.apply(webhooks(self._gangs / f"{name}-webhooks.yaml", name, port, bundle))


def documents(file: Path) -> list[dict[str, Any]]:
    """The objects of a file."""
    return [each for each in yaml.safe_load_all(file.read_text(encoding="utf-8")) if each]


def configuration(name: str, port: int, certificates: str) -> dict[str, Any]:
    """The configuration of one controller: one instance, no certificates of its own, no limit of its calls."""
    common = {
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": "0"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"port": port, "host": "127.0.0.1", "certDir": certificates},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "clientConnection": {"qps": 1000, "burst": 1000},
    }
    if name != "kueue":
        return {"apiVersion": f"config.{name}.x-k8s.io/v1alpha1", **common}
    own = {
        "integrations": {"frameworks": ["jobset.x-k8s.io/jobset", "leaderworkerset.x-k8s.io/leaderworkerset", "pod"]},
        "featureGates": {"VisibilityOnDemand": False},
    }
    return {"apiVersion": "config.kueue.x-k8s.io/v1beta2", **common, **own}


def webhooks(file: Path, controller: str, port: int, bundle: str) -> Iterator[dict[str, Any]]:
    """The webhooks of the laboratory's kinds, at the port of their controller."""
    for each in documents(file):
        each["metadata"]["name"] = f"{controller}-{each['metadata']['name']}"
        each["webhooks"] = [hook for hook in each["webhooks"] if hook["name"][1:].removesuffix(".kb.io") in WEBHOOKS[controller]]
        for hook in each["webhooks"]:
            path = hook["clientConfig"].pop("service")["path"]
            if hook["name"].endswith("pod.kb.io"):
                hook["objectSelector"] = OF_ITS_PODS
            hook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": bundle}
        yield each
