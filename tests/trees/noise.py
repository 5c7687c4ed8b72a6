"""What stands in repositories beside a cluster's GPU stack and changes nothing: other apps, old notes, an archive, a second cluster."""

from __future__ import annotations

from random import Random

from .layouts import second_cluster
from .model import App, Object, Release
from .tree import Tree
from .working import Draw

NOTES = """\
# Home cluster

Notes of the time before the move to Talos:

```yaml
driver:
  enabled: true
toolkit:
  enabled: true
```

```yaml
apiVersion: v1
kind: Pod
metadata:
  name: cuda-test
spec:
  runtimeClassName: nvidia-legacy
  containers:
    - name: cuda
      image: nvidia/cuda
      resources:
        limits:
          nvidia.com/gpu: "0.5"
```

```sh
helm upgrade --install gpu-operator nvidia/gpu-operator --set driver.enabled=true
```
"""
RENOVATE = '{\n  "extends": ["config:recommended"],\n  // nvidia: by hand\n  "packageRules": [{"matchPackageNames": ["nvidia/**"], "enabled": false}]\n}\n'


def other_apps(random: Random) -> list[App]:
    """Apps without a GPU of NVIDIA."""
    cilium: Object = {"kubeProxyReplacement": True, "operator": {"replicas": 1}, "hubble": {"enabled": False, "relay": {"enabled": False}}}
    intel: Object = {
        "controllers": {"frigate": {"containers": {"app": {"image": {"repository": "ghcr.io/blakeblackshear/frigate", "tag": "0.16.3"}}}}}
    }
    intel["controllers"]["frigate"]["containers"]["app"]["resources"] = {"limits": {"gpu.intel.com/i915": "1"}}
    longhorn: Object = {
        "defaultSettings": {"taintToleration": "nvidia.com/gpu:NoSchedule"},
        "longhornUI": {"enabled": False, "runtimeClassName": ""},
    }
    bjw = "oci://ghcr.io/bjw-s-labs/helm/app-template"
    found = [
        App(
            "cilium",
            "kube-system",
            [],
            [Release("cilium", "oci://quay.io/cilium/charts/cilium", "1.18.4", "cilium", "kube-system", cilium)],
        ),
        App(
            "cert-manager",
            "cert-manager",
            [],
            [
                Release(
                    "cert-manager",
                    "oci://quay.io/jetstack/charts/cert-manager",
                    "v1.19.1",
                    "cert-manager",
                    "cert-manager",
                    {"crds": {"enabled": True}},
                )
            ],
        ),
        App("frigate", "home", [], [Release("app-template", bjw, "4.5.0", "frigate", "home", intel)]),
        App(
            "longhorn",
            "longhorn-system",
            [],
            [Release("longhorn", "https://charts.longhorn.io", "1.10.1", "longhorn", "longhorn-system", longhorn)],
        ),
        App("whoami", "web", [web("whoami", "web")]),
        App("grafana", "monitoring", [dashboards("monitoring")], []),
    ]
    return random.sample(found, random.randint(0, 3))


def web(name: str, namespace: str) -> Object:
    """A Deployment without a GPU."""
    labels = {"app": name}
    pod = {"containers": [{"name": name, "image": "traefik/whoami:v1.11.0", "resources": {"limits": {"memory": "64Mi"}}}]}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def dashboards(namespace: str) -> Object:
    """A ConfigMap with a dashboard of another exporter."""
    text = '{"title": "nodes", "panels": [{"targets": [{"expr": "node_memory_MemAvailable_bytes"}]}]}'
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "dashboards", "namespace": namespace},
        "data": {"nodes.json": text},
    }


def archive(tree: Tree) -> None:
    """A folder of what ran before, which nothing deploys."""
    folder = tree.random.choice(("archive", "old", ".archive", "_attic", "deprecated"))
    pod: Object = {
        "runtimeClassName": "nvidia-cdi",
        "containers": [{"name": "app", "image": "nvidia/cuda", "resources": {"limits": {"nvidia.com/gpu": "0.5"}}}],
    }
    tree.put(f"{folder}/pod.yaml", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "test"}, "spec": pod})
    values = {"driver": {"enabled": True}, "toolkit": {"enabled": True}}
    chart = {"spec": {"chart": "gpu-operator", "version": "v23.9.0", "sourceRef": {"kind": "HelmRepository", "name": "nvidia"}}}
    spec = {"interval": "1h", "chart": chart, "values": values}
    meta = {"name": "gpu-operator", "namespace": "gpu-operator"}
    tree.put(
        f"{folder}/gpu-operator/helmrelease.yaml",
        {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": meta, "spec": spec},
    )


def old_talos(tree: Tree) -> None:
    """Talos' configuration of an older cluster, which is not the live one."""
    folder = tree.random.choice(("archive", "old", "ref", "examples"))
    machine = {"type": "worker", "install": {"image": "ghcr.io/siderolabs/installer:v1.7.4"}, "kernel": {"modules": [{"name": "nvidia"}]}}
    tree.put(f"{folder}/talos/worker.yaml", {"version": "v1alpha1", "machine": machine, "cluster": {}})


def notes(tree: Tree) -> None:
    """A README with blocks of code, and settings of other tools."""
    tree.text(tree.random.choice(("README.md", "docs/gpu.md", "docs/old.md")), NOTES)
    tree.text(".renovaterc.json5", RENOVATE)
    tree.put(".sops.yaml", {"creation_rules": [{"path_regex": "talos/.*", "age": "age1example"}]})
    tree.put(
        ".github/workflows/ci.yaml",
        {"name": "ci", "on": ["push"], "jobs": {"lint": {"runs-on": "ubuntu-24.04", "steps": [{"run": "true"}]}}},
    )


def add_noise(tree: Tree, *, is_deployed: bool) -> list[str]:
    """Add some of it; the names of what was added."""
    random, added = tree.random, []
    if random.random() < 0.5:
        notes(tree)
        added.append("notes")
    if is_deployed and random.random() < 0.3:
        archive(tree)
        added.append("archive")
    if random.random() < 0.1:
        old_talos(tree)
        added.append("old Talos")
    if is_deployed and random.random() < 0.15:
        other = Draw(random, "edge", has_nodes=False).drawn()
        added.append(f"{second_cluster(other, tree, '')} ({other.talos})")
    return added
