"""A value of a running release is set without moving its chart, and where Flux or Argo CD delivers it, in their values."""

import pytest
from doctor.pod_parts import thing

from constructs_lib.doctor.node_commands import helm_value, running_version


def of_chart(label):
    return thing("Deployment", "gpu-operator", {"metadata": {"name": "gpu-operator", "labels": {"helm.sh/chart": label}}})


@pytest.mark.parametrize(
    ("label", "version"),
    [
        ("gpu-operator-v25.10.1", "v25.10.1"),
        ("gpu-operator-26.7.0", "26.7.0"),
        ("gpu-operator-v26.7.0-rc.1", "v26.7.0-rc.1"),
        ("gpu-operator-v1.0.0-devel", ""),
        ("other-v25.10.1", ""),
        ("x-gpu-operator-v25.10.1", ""),
        ("gpu-operator-$(reboot)", ""),
        ("gpu-operator-v1.2.3;reboot", ""),
        ("", ""),
    ],
)
def test_the_version_is_that_of_the_label_of_helm(label, version):
    assert running_version("gpu-operator", [None, of_chart(label)]) == version


def test_the_command_keeps_the_version_of_the_chart_and_names_the_value_for_gitops():
    printed = str(helm_value("gpu-operator", "nvidia/gpu-operator", "driver.enabled=false", [of_chart("gpu-operator-v25.10.1")])).split(
        "\n"
    )

    assert printed == [
        "# Flux and Argo CD undo this. There set in the values of the HelmRelease or Application: driver.enabled: false",
        "helm upgrade gpu-operator nvidia/gpu-operator --namespace gpu-operator --version v25.10.1 --reuse-values --set driver.enabled=false",
    ]


def test_an_unknown_version_is_a_placeholder_with_the_command_that_tells_it():
    *comments, upgrade = str(helm_value("gpu-operator", "nvidia/gpu-operator", "a=b", [])).split("\n")

    assert " --version VERSION " in upgrade
    assert comments[-1] == "# VERSION: that of the running chart, in the output of: helm list --namespace gpu-operator"
