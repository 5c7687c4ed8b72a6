"""The control plane of a rehearsal: etcd, the API server, the scheduler and the controllers, as Talos starts them.

siderolabs/talos v1.13.9 internal/app/machined/pkg/controllers/k8s/control_plane_static_pod.go (authorization, admission
plugins) and pkg/machinery/config/generate/init.go (Pod Security: baseline is enforced, kube-system is exempt).
"""

from __future__ import annotations

import json
from pathlib import Path

ADDRESS = "10.96.0.1"
"""The address of the API server: the first of the range of Services, so that pods reach it without kube-proxy."""
SERVICES = "10.96.0.0/12"
ADMISSION = {
    "apiVersion": "apiserver.config.k8s.io/v1",
    "kind": "AdmissionConfiguration",
    "plugins": [
        {
            "name": "PodSecurity",
            "configuration": {
                "apiVersion": "pod-security.admission.config.k8s.io/v1",
                "kind": "PodSecurityConfiguration",
                "defaults": {
                    "enforce": "baseline",
                    "enforce-version": "latest",
                    "audit": "restricted",
                    "audit-version": "latest",
                    "warn": "restricted",
                    "warn-version": "latest",
                },
                "exemptions": {"usernames": [], "runtimeClasses": [], "namespaces": ["kube-system"]},
            },
        }
    ],
}


def write(folder: Path, nodes: list[str]) -> None:
    """The accounts and the configurations of the control plane. Its addresses are reachable from its own network only."""
    folder.mkdir(parents=True)
    tokens = ["admin-token,admin,admin,system:masters"]
    tokens += [f'{name}-token,system:node:{name},{name},"system:nodes"' for name in nodes]
    (folder / "tokens.csv").write_text("\n".join(tokens) + "\n")
    (folder / "admission.json").write_text(json.dumps(ADMISSION))
    (folder / "admin.conf").write_text(kubeconfig("admin-token"))


def kubeconfig(token: str) -> str:
    """The file with which a program reaches the API server."""
    cluster = {"name": "rehearsal", "cluster": {"server": f"https://{ADDRESS}", "insecure-skip-tls-verify": True}}
    context = {"name": "rehearsal", "context": {"cluster": "rehearsal", "user": "rehearsal"}}
    user = {"name": "rehearsal", "user": {"token": token}}
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "rehearsal"}
    return json.dumps(config | {"clusters": [cluster], "contexts": [context], "users": [user]})


def first_programs(folder: Path, programs: Path, etcd: Path) -> dict[str, list[str]]:
    """Etcd and the API server."""
    client, peer = "http://127.0.0.1:2379", "http://127.0.0.1:2380"
    key = folder / "apiserver.key"
    return {
        "etcd": [
            str(etcd / "etcd"),
            f"--data-dir={folder}/etcd",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
        ],
        "kube-apiserver": [
            str(programs / "kube-apiserver"),
            f"--etcd-servers={client}",
            f"--bind-address={ADDRESS}",
            f"--advertise-address={ADDRESS}",
            "--endpoint-reconciler-type=none",
            "--secure-port=443",
            f"--cert-dir={folder}",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-cluster-ip-range={SERVICES}",
            f"--token-auth-file={folder}/tokens.csv",
            "--allow-privileged=true",
            f"--admission-control-config-file={folder}/admission.json",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--kubelet-preferred-address-types=InternalIP",
        ],
    }


def later_programs(folder: Path, programs: Path) -> dict[str, list[str]]:
    """The scheduler and the controllers, once the API server answers."""
    client = [
        f"--kubeconfig={folder}/admin.conf",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=500",
        "--kube-api-burst=500",
    ]
    return {
        "kube-scheduler": [str(programs / "kube-scheduler"), *client],
        "kube-controller-manager": [
            str(programs / "kube-controller-manager"),
            *client,
            f"--service-account-private-key-file={folder}/apiserver.key",
            f"--root-ca-file={folder}/apiserver.crt",
            "--pvclaimbinder-sync-period=1s",
        ],
    }
