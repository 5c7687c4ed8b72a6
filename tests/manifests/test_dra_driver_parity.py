"""Our values through the chart itself, and its own keys and feature gates, field by field."""

import re
from pathlib import Path

import pytest
import yaml
from cdk8s import App, Chart

from chart_key_tables import keys_at
from conftest import env_of, needs, one, synth
from constructs_lib import Dra, DraDriver, GpuNodes, HelmTemplate, Taint
from constructs_lib.upstream.charts import DRA_DRIVER
from test_schemas import SHARES

# What the templates refuse, and what is an argument of ours.
NOT_OURS = {"namespace", "nvidiaCtkPath", "consumableShares"}
# Of the chart of 0.4.1, and of any chart.
NOT_ITS = {"maskNvidiaDriverParams", "global"}
# values.yaml has it, and Helm drops it.
READ_BY_NO_TEMPLATE = {"webhook": {"strategy"}}


def upstream():
    return Path(needs("CHARTS", "a folder with the chart dra-driver-nvidia-gpu at 0.5.0")).resolve() / "dra-driver-nvidia-gpu"


def rendered(dra, **arguments):
    """What Helm renders of the chart with our values."""
    chart = Chart(App(), "gpu")
    nodes = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], dra=dra)
    DraDriver(
        chart,
        "dra-driver",
        nodes=nodes,
        delivery=HelmTemplate(helm=needs("HELM", "the path of a Helm")),
        chart=str(upstream()),
        **arguments,
    )
    return synth(chart)


@pytest.mark.parametrize("dra", SHARES, ids=repr)
def test_the_plugin_is_told_of_the_root_the_gates_and_the_shares(dra):
    made = rendered(dra)
    pod = one(made, "DaemonSet")["spec"]["template"]["spec"]
    plugin = next(each for each in pod["containers"] if each["name"] == "gpus")
    told = env_of(plugin)

    assert told["NVIDIA_DRIVER_ROOT"] == "/usr/local"
    assert {gate for gate in told.get("FEATURE_GATES", "").split(",") if gate} == {f"{gate}=true" for gate in dra.driver_feature_gates}
    assert told.get("CONSUMABLE_SHARES", "") == dra.consumable_shares
    assert [each["name"] for each in pod["containers"]] == ["gpus"]


def test_the_plugin_goes_to_the_nodes_and_serves_the_class_that_claims_name():
    made = rendered(SHARES[0])
    pod = one(made, "DaemonSet")["spec"]["template"]["spec"]

    assert {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"} in pod["tolerations"]
    terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert terms == [{"matchExpressions": [{"key": "role", "operator": "In", "values": ["gpu"]}]}]
    classes = [each for each in made if each["kind"] == "DeviceClass"]
    assert {each["apiVersion"] for each in classes} == {"resource.k8s.io/v1"}
    assert "gpu.nvidia.com" in {each["metadata"]["name"] for each in classes}


def test_the_keys_that_are_accepted_are_the_charts_own():
    values = yaml.safe_load((upstream() / "values.yaml").read_text())
    read = {key for file in (upstream() / "templates").iterdir() for key in re.findall(r"\.Values\.(\w+)", file.read_text())}

    table = keys_at(DRA_DRIVER, "0.5.0")
    assert values.keys() - NOT_OURS == table.keys() - NOT_ITS - NOT_OURS
    assert read - NOT_OURS <= table.keys()
    for name, keys in table.items():
        if keys and name in values:
            assert values[name].keys() - READ_BY_NO_TEMPLATE.get(name, set()) == keys, name


def test_the_chart_refuses_what_we_set_an_override_for():
    with pytest.warns(match="gpuResourcesEnabledOverride"), pytest.raises(ValueError, match="gpuResourcesEnabledOverride"):
        rendered(Dra(), values={"gpuResourcesEnabledOverride": False})
