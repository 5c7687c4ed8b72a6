"""The GPU operator's values where virtual machines have the GPUs of a class."""

import pytest
import yaml

from constructs_lib import Dra, GpuNodes, Passthrough, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.charts.user_values import check_keys
from constructs_lib.manifests.operator.settings import GpuOperatorSettings
from constructs_lib.upstream.charts import GPU_OPERATOR
from constructs_lib.upstream.version import Version

CARDS = Passthrough(pci_ids=["10de:2236", "10de:1aef"])
OFF = {"enabled": False}
FOR_MACHINES = {"vfioManager": OFF, "vgpuManager": OFF, "vgpuDeviceManager": OFF, "ccManager": OFF}


def machines(talos="1.14", **given):
    return GpuNodes(talos_version=talos, name="vms", passthrough=CARDS, **given)


def apps(talos="1.14", **given):
    return GpuNodes(talos_version=talos, name="apps", **given)


def values(*classes, **given):
    return GpuOperatorSettings(nodes=classes, **given).chart_values


@pytest.mark.parametrize("talos", ["1.12", "1.14"])
def test_a_class_of_machines_adds_the_operands_for_machines_and_changes_no_other_value(talos):
    both, alone = values(apps(talos), machines(talos)), values(apps(talos))

    assert both == {**alone, "sandboxWorkloads": {"enabled": True, "defaultWorkload": "container"}, **FOR_MACHINES}


def test_nodes_without_a_label_are_of_the_only_kind_of_workload():
    assert values(machines())["sandboxWorkloads"] == {"enabled": True, "defaultWorkload": "vm-passthrough"}
    assert "devicePlugin" not in values(machines())


def test_without_machines_the_operands_for_machines_are_not_named():
    assert values(apps()).keys().isdisjoint({"sandboxWorkloads", *FOR_MACHINES})


def test_machines_have_no_config_of_the_device_plugin_and_no_bridge():
    settings = GpuOperatorSettings(nodes=[apps("1.12", sharing=TimeSlicing(replicas=2)), machines("1.12")])

    assert list(settings.plugin_config["data"]) == ["_unlabelled", "apps"]
    assert yaml.safe_load(settings.plugin_config["data"]["apps"])["sharing"]["timeSlicing"]["resources"][0]["replicas"] == 2
    assert [bridge.nodes.name for bridge in settings.bridges] == ["apps"]
    assert [nodes.name for nodes in settings.plugin_classes] == ["apps"]
    assert GpuOperatorSettings(nodes=[apps(), machines()]).plugin_config is None
    assert GpuOperatorSettings(nodes=[machines("1.12")]).bridges == []


def test_the_mig_strategy_is_that_of_containers():
    partitioned = GpuOperatorSettings(nodes=[apps(mig_strategy="single"), machines()])

    assert (partitioned.chart_values["mig"], partitioned.plugin_config) == ({"strategy": "single"}, None)
    assert values(machines())["mig"] == {"strategy": "none"}


def test_claims_and_machines_can_be_in_one_cluster():
    assert values(apps(dra=Dra()), machines())["devicePlugin"] == {"enabled": False}


@pytest.mark.parametrize(
    ("key", "wanted", "symptom"),
    [
        ("sandboxWorkloads", True, "the operands for containers start on the nodes whose GPUs belong to virtual machines"),
        ("vfioManager", False, "vfio_pci has the cards from boot on, and the pod of the VFIO manager releases every card when it ends"),
        ("vgpuManager", False, "Talos has no vGPU host driver"),
        ("vgpuDeviceManager", False, "Talos has no vGPU host driver"),
        (
            "ccManager",
            False,
            "the sandbox validator waits for this manager on cards with confidential computing, and from v26.3 on the manager runs beside Kata alone",
        ),
    ],
)
def test_an_override_of_what_machines_need_warns_with_the_symptom(key, wanted, symptom):
    with pytest.warns(TalosGpuWarning, match=f"'values' sets {key}.enabled to {not wanted}, .* need {wanted}: {symptom}"):
        values(apps(), machines(), values={key: {"enabled": not wanted}})


@pytest.mark.parametrize(("talos", "release"), [("1.12", "v25.3.4"), ("1.12", "v25.10.1"), ("1.14", "v26.3.3"), ("1.14", "v26.7.0")])
def test_every_chart_reads_the_values_for_machines(talos, release):
    assert check_keys(GPU_OPERATOR, values(apps(talos), machines(talos), version=release), Version.parse(release)) is None
