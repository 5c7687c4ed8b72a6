"""What the tests of the rules on charts have in common: documents as somebody would write them, and what one rule says of them."""

from typing import Any

import yaml

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Finding
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.charts import CHARTS

Values = dict[str, Any]
GIVEN = "${SOMETHING}"
"""What only Flux fills in."""

_OFF = {"enabled": False}
LEGACY: Values = {"driver": _OFF, "toolkit": _OFF, "cdi": _OFF, "migManager": _OFF}
CDI: Values = {"driver": _OFF, "toolkit": _OFF, "migManager": _OFF, "hostPaths": {"driverInstallDir": "/usr/local"}}


def checked(rule: str, *documents: Values | str, **given: Any) -> list[Finding]:
    """What one rule finds in a stream of documents."""
    text = "\n---\n".join(each if isinstance(each, str) else yaml.safe_dump(each) for each in documents)
    inputs = read_text(text, file="x.yaml", **given)
    assert inputs.skipped == ()
    return run_rules(inputs, select=[rule])


def said(findings: list[Finding]) -> list[tuple[str, str]]:
    """Severities and messages."""
    return [(str(each.severity), each.message) for each in findings]


def severities(rule: str, *documents: Values | str, **given: Any) -> list[str]:
    """How severe one rule finds a stream of documents."""
    return [str(each.severity) for each in checked(rule, *documents, **given)]


def operator(
    rule: str, values: Values, *beside: Values | str, version: str = "v26.7.0", talos: str | None = "1.13", **given: Any
) -> list[str]:
    """How severe one rule finds an operator with these values, on this Talos."""
    return severities(rule, values, *beside, chart=f"gpu-operator@{version}" if version else "gpu-operator", talos=talos, **given)


def release(chart: str, values: Values, *, version: str | None = "", namespace: str = "gpu", **spec: Any) -> Values:
    """A HelmRelease, of the newest version that the tables have unless another is given; None pins none."""
    known = CHARTS[chart].newest if chart in CHARTS else "1.0.0"
    pinned = {} if version is None else {"version": version or known}
    return {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": chart, "namespace": namespace},
        "spec": {"chart": {"spec": {"chart": chart, **pinned}}, "values": values, **spec},
    }


def plugin(values: Values, *, version: str = "0.20.0", **given: Any) -> Values:
    """The device plugin's chart, under NVIDIA's runtime."""
    return release("nvidia-device-plugin", {"runtimeClassName": "nvidia", **values}, version=version, **given)


def daemon_set(
    image: str,
    *,
    name: str = "agent",
    env: dict[str, Any] | None = None,
    pod: Values | None = None,
    container: Values | None = None,
    **metadata: Any,
) -> Values:
    """A DaemonSet with one container."""
    variables = [{"name": key, "value": value} for key, value in (env or {}).items()]
    labels = {"app": name}
    spec = {"containers": [{"name": "main", "image": image, "env": variables, **(container or {})}], **(pod or {})}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "gpu", **metadata},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}},
    }


PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"


def plugin_pods(env: dict[str, Any] | None = None, **given: Any) -> Values:
    """A device plugin as a DaemonSet of its own, under NVIDIA's runtime."""
    pod = {"runtimeClassName": "nvidia", **given.pop("pod", {})}
    return daemon_set(PLUGIN_IMAGE, env=env, pod=pod, **given)


def config_map(name: str, data: dict[str, str], namespace: str = "gpu") -> Values:
    """A ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def runtime_class(name: str = "nvidia", handler: str = "nvidia", **metadata: Any) -> Values:
    """A RuntimeClass."""
    return {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name, **metadata}, "handler": handler}


def node_feature_rule(labels: dict[str, str]) -> Values:
    """A rule that makes NFD set labels."""
    return {
        "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
        "kind": "NodeFeatureRule",
        "metadata": {"name": "rule"},
        "spec": {"rules": [{"name": "rule", "labels": labels}]},
    }


def node(name: str = "gpu-1", *, gpu: bool = True, talos: str = "v1.13.9", **machine: Any) -> Values:
    """The whole machine configuration of a node, with NVIDIA's kernel modules where it has a GPU."""
    modules = {"kernel": {"modules": [{"name": "nvidia"}, {"name": "nvidia_uvm"}]}} if gpu else {}
    return {
        "version": "v1alpha1",
        "machine": {
            "type": "worker",
            "token": "abcdef.0123456789abcdef",
            "ca": {"crt": "Y2VydGlmaWNhdGU="},
            "network": {"hostname": name},
            "install": {"image": f"factory.talos.dev/metal-installer/{'0' * 64}:{talos}"},
            **modules,
            **machine,
        },
        "cluster": {},
    }


DEFAULT_RUNTIME = {
    "path": "/etc/cri/conf.d/20-customization.part",
    "op": "create",
    "content": '[plugins."io.containerd.cri.v1.runtime".containerd]\n  default_runtime_name = "nvidia"\n',
}
