"""The release of a Helm command: https://helm.sh/docs/helm/helm_install (2026-11-22)."""

import shlex

import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.kubernetes.located_yaml import Map
from constructs_lib.observed.read.markdown.helm_commands import helm_release

FILES = {"a.yaml": Map({"driver": Map({"enabled": True}), "a": 1}), "b.yaml": Map({"a": 2})}


def release(command):
    return helm_release(tuple(shlex.split(command)), ("guide.md", 7), FILES.get)


@pytest.mark.parametrize(
    "command",
    [
        "helm install gpu nvidia/gpu-operator --version v26.7.0 --namespace gpu-operator",
        "helm upgrade -i --wait gpu oci://ghcr.io/nvidia/gpu-operator:v1 -n gpu-operator --version=v26.7.0 --timeout 5m",
        "helm --kube-context home template gpu ./charts/gpu-operator --version v26.7.0 -n=gpu-operator",
        "/usr/bin/helm install --repo https://helm.ngc.nvidia.com/nvidia gpu gpu-operator --version v26.7.0 -n gpu-operator",
    ],
)
def test_a_command_has_its_chart_version_name_and_namespace(command):
    found = release(command)
    assert found.label == "gpu-operator v26.7.0 (gpu-operator/gpu)"
    assert (found.file, found.line_of(())) == ("guide.md", 7)


@pytest.mark.parametrize(
    "more", ["> out.yaml", ">out.yaml", "2>/dev/null", "2> errors.txt", "-o yaml", "-oyaml", "--output json", "-l team=ml", "< in.txt"]
)
def test_what_goes_to_a_file_and_the_form_of_the_output_are_not_the_chart(more):
    for command in (f"helm template gpu nvidia/gpu-operator {more}", f"helm template {more} gpu nvidia/gpu-operator"):
        found = release(command)
        assert (found.label, found.complete) == ("gpu-operator (gpu)", True)


def test_a_placeholder_is_no_redirection():
    assert [isinstance(release(f"helm install {name} nvidia/gpu-operator").name, Unknown) for name in ("<name>", "x")] == [True, False]
    assert release("helm install '<name>-gpu' nvidia/gpu-operator").label.startswith("gpu-operator")


@pytest.mark.parametrize("flags", ["-na -fa.yaml", "-n=a -f=a.yaml", "-in a -f a.yaml", "-ina -fa.yaml"])
def test_a_short_flag_and_its_value_may_be_one_word(flags):
    found = release(f"helm upgrade x gpu-operator {flags}")
    assert (found.namespace, found.chart, found.complete, found.values["a"]) == ("a", "gpu-operator", True, 1)


def test_a_generated_name_is_that_of_the_chart():
    assert release("helm install -g nvdp/nvidia-device-plugin").label == "nvidia-device-plugin (nvidia-device-plugin)"


@pytest.mark.parametrize(
    "command", ["helm repo add nvidia https://x", "helm ls", "helm install", "kubectl install a b", "helm uninstall gpu"]
)
def test_other_commands_install_nothing(command):
    assert release(command) is None


def test_values_are_merged_in_the_order_of_helm():
    found = release("helm install x nvidia/gpu-operator --set a=3,driver.enabled=false -f a.yaml,b.yaml --set-string b=1 --set 'c=x\\,y'")
    assert found.values == {"driver": {"enabled": False}, "a": 3, "b": "1", "c": "x,y"}
    assert found.complete
    assert release("helm install x gpu-operator --values a.yaml --values b.yaml").values["a"] == 2


@pytest.mark.parametrize(
    "flag",
    [
        "-f missing.yaml",
        "--set-json a=1",
        "--set-file a=b",
        "-fmissing.yaml",
        "--reuse-values",
        "--reset-then-reuse-values",
        "--set 'a={b,c}'",
        "--set 'a[0]=b'",
        "--set a",
    ],
)
def test_values_that_are_not_read_are_not_known(flag):
    found = release(f"helm install x gpu-operator {flag}")
    assert not found.complete
    assert isinstance(found.value("driver", "enabled"), Unknown)


def test_variables_and_placeholders_are_not_known():
    found = release("helm install gpu nvidia/gpu-operator --version $VERSION -n '<namespace>' --set driver.version=${DRIVER}")
    assert [isinstance(each, Unknown) for each in (found.version, found.namespace, found.values["driver"]["version"])] == [True] * 3
    assert found.chart == "gpu-operator"
