"""Pods that Talos' configuration exempts from Pod Security (TG052), in each form of that configuration."""

import pytest

from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read

PLUGIN = """\
apiVersion: v1
kind: Namespace
metadata: {name: nvidia, labels: {pod-security.kubernetes.io/enforce: baseline}}
---
apiVersion: apps/v1
kind: %s
metadata: {name: nvidia-device-plugin, namespace: nvidia}
spec:
  selector: {matchLabels: {app: plugin}}
  template:
    metadata: {labels: {app: plugin}}
    spec:
      runtimeClassName: nvidia
      containers: [{name: plugin, image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0, resources: {limits: {nvidia.com/gpu: 1}}}]
      volumes: [{name: plugins, hostPath: {path: /var/lib/kubelet/device-plugins}}]
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: nvidia}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values: {runtimeClassName: nvidia}
"""
EXEMPT = "{name: PodSecurity, configuration: {exemptions: {%s}}}"
PATCH = "cluster: {apiServer: {admissionControl: [%s]}}\n"
CONTROL_PLANE = "version: v1alpha1\nmachine: {type: controlplane, token: a.b, network: {hostname: cp-1}}\n"
TALCONFIG = """\
clusterName: home
talosVersion: v1.13.9
endpoint: https://10.0.0.10:6443
nodes: [{hostname: cp-1, ipAddress: 10.0.0.11, controlPlane: true}]
controlPlane:
  patches:
"""
JSON_PATCH = "- op: add\n  path: /cluster/apiServer/admissionControl/0/configuration/exemptions/namespaces/-\n  value: nvidia\n"


def nested(text: str) -> str:
    return "    - |-\n" + "".join(f"      {line}\n" for line in text.splitlines())


NAMESPACES = EXEMPT % "namespaces: [kube-system, nvidia]"
FORMS = {
    "a patch": {"patches/all.yaml": PATCH % NAMESPACES},
    "a machine configuration": {"controlplane.yaml": CONTROL_PLANE + PATCH % NAMESPACES},
    "a document": {
        "patches/admission.yaml": "apiVersion: v1alpha1\nkind: KubeAdmissionControlConfig\n"
        + NAMESPACES.strip("{}").replace("PodSecurity, ", "PodSecurity\n")
        + "}}\n"
    },
    "talhelper": {"talconfig.yaml": TALCONFIG + nested(PATCH % NAMESPACES)},
    "talhelper, by a file": {"talconfig.yaml": TALCONFIG + '    - "@./patches/psa.yaml"\n', "patches/psa.yaml": PATCH % NAMESPACES},
    "talhelper, by operations": {"talconfig.yaml": TALCONFIG + nested(JSON_PATCH)},
    "Omni": {
        "omni.yaml": "kind: Cluster\nname: home\ntalos: {version: v1.13.9}\nkubernetes: {version: v1.35.0}\npatches:\n  - name: psa\n    inline: "
        + PATCH.strip().replace("cluster: ", "{cluster: ") % NAMESPACES
        + "}\n---\nkind: ControlPlane\nmachines: [a]\n"
    },
}


@pytest.fixture
def severities(tmp_path):
    def checked(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return [str(each.severity) for each in violations_of(RULES["TG052"], read([tmp_path]))]

    return checked


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plugin", [PLUGIN % "DaemonSet", PLUGIN.partition("---")[0] + "---\n" + RELEASE])
def test_an_exempt_namespace_needs_no_label(severities, form, plugin):
    assert severities({"gpu/plugin.yaml": plugin}) == ["error"]
    assert severities({"gpu/plugin.yaml": plugin, **FORMS[form]}) == []


def test_another_namespace_or_class_or_user_is_not_exempt(severities):
    for other in ("namespaces: [kube-system, gpu]", "runtimeClasses: [gvisor]", "usernames: [admin]"):
        assert severities({"plugin.yaml": PLUGIN % "DaemonSet", "patch.yaml": PATCH % (EXEMPT % other)}) == ["error"]


def test_the_user_of_a_controller_is_not_the_one_of_another(severities):
    user = PATCH % (EXEMPT % "usernames: ['system:serviceaccount:kube-system:daemon-set-controller']")

    assert severities({"plugin.yaml": PLUGIN % "DaemonSet", "patch.yaml": user}) == []
    assert severities({"plugin.yaml": PLUGIN % "StatefulSet", "patch.yaml": user}) == ["error"]


def test_the_configuration_of_another_admission_plugin_exempts_nothing(severities):
    other = NAMESPACES.replace("PodSecurity", "ImagePolicyWebhook")

    assert severities({"plugin.yaml": PLUGIN % "DaemonSet", "patch.yaml": PATCH % other}) == ["error"]


@pytest.mark.parametrize("written", ["namespaces: ['${NAMESPACE}']", "namespaces: '${NAMESPACES}'", "runtimeClasses: ['${CLASS}']"])
def test_an_exemption_that_can_t_be_read_makes_an_error_a_warning(severities, written):
    assert severities({"plugin.yaml": PLUGIN % "DaemonSet", "patch.yaml": PATCH % (EXEMPT % written)}) == ["warning"]
