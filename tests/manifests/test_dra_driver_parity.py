"""Our values and the chart: the inputs that its rendering was recorded for, what became of them, and its own keys."""

import pytest
import yaml
from cdk8s import App, Chart

from chart_key_tables import keys_at
from conftest import RecordedHelm, env_of, one, reference, synth
from constructs_lib import Dra, DraDriver, Flux, GpuNodes, HelmTemplate, Taint
from constructs_lib.upstream.charts import DRA_DRIVER
from test_schemas import SHARES

# What the templates refuse, and what is an argument of ours.
NOT_OURS = {"namespace", "nvidiaCtkPath", "consumableShares"}
# Of the chart of 0.4.1, and of any chart.
NOT_ITS = {"maskNvidiaDriverParams", "global"}
# values.yaml has it, and Helm drops it.
READ_BY_NO_TEMPLATE = {"webhook": {"strategy"}}


RECORDED = {"exclusive": Dra(), "consumable": Dra(share="consumable", shares=4)}


def nodes(dra):
    return GpuNodes(talos_version="1.14", taints=[Taint("dedicated", "ai")], dra=dra)


def values(dra):
    return DraDriver(Chart(App(), "gpu"), "dra-driver", nodes=nodes(dra), delivery=Flux()).chart_values


def recorded_input(name):
    return yaml.safe_load(reference(f"values/input-dra-{name}.yaml").read_text())


@pytest.fixture(params=RECORDED)
def recorded(request):
    return request.param


@pytest.fixture
def helm(tmp_path, recorded):
    return RecordedHelm(tmp_path, reference(f"rendered/dra-driver-0.5.0-dev-{recorded}.yaml"))


@pytest.fixture
def made(helm, recorded):
    """What the construct makes of the chart's rendering for our values."""
    chart = Chart(App(), "gpu")
    DraDriver(chart, "dra-driver", nodes=nodes(RECORDED[recorded]), delivery=HelmTemplate(helm=str(helm.path)))
    return synth(chart)


def test_the_chart_was_rendered_with_our_values(helm, made, recorded):
    assert helm.values == recorded_input(recorded)


def test_the_plugin_is_told_of_the_root_the_gates_and_the_shares(made, recorded):
    dra = RECORDED[recorded]
    pod = one(made, "DaemonSet")["spec"]["template"]["spec"]
    plugin = next(each for each in pod["containers"] if each["name"] == "gpus")
    told = env_of(plugin)

    assert told["NVIDIA_DRIVER_ROOT"] == "/usr/local"
    assert {gate for gate in told.get("FEATURE_GATES", "").split(",") if gate} == {f"{gate}=true" for gate in dra.driver_feature_gates}
    assert told.get("CONSUMABLE_SHARES", "") == dra.consumable_shares
    assert [each["name"] for each in pod["containers"]] == ["gpus"]


def test_the_plugin_goes_to_the_nodes_and_serves_the_class_that_claims_name(made, helm):
    pod = one(made, "DaemonSet")["spec"]["template"]["spec"]

    assert {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"} in pod["tolerations"]
    assert pod["affinity"] == helm.values["kubeletPlugin"]["affinity"]
    classes = [each for each in made if each["kind"] == "DeviceClass"]
    assert {each["apiVersion"] for each in classes} == {"resource.k8s.io/v1"}
    assert "gpu.nvidia.com" in {each["metadata"]["name"] for each in classes}


@pytest.mark.parametrize("dra", SHARES, ids=repr)
def test_any_other_share_differs_from_the_rendered_inputs_in_its_gates_and_shares_alone(dra):
    gates = dict.fromkeys(dra.driver_feature_gates, True)
    expected = recorded_input("exclusive")
    expected |= {"featureGates": gates} if gates else {}
    expected |= {"consumableShares": dra.consumable_shares} if dra.consumable_shares else {}

    assert values(dra) == expected


def test_the_keys_that_are_accepted_are_the_charts_own():
    values = yaml.safe_load(reference("values/dra-driver-nvidia-gpu-0.5.0-dev.yaml").read_text())
    table = keys_at(DRA_DRIVER, "0.5.0")

    assert values.keys() - NOT_OURS == table.keys() - NOT_ITS - NOT_OURS
    for name, keys in table.items():
        if keys and name in values:
            assert values[name].keys() - READ_BY_NO_TEMPLATE.get(name, set()) == keys, name


def test_an_override_of_what_the_chart_refuses_is_warned_of():
    with pytest.warns(match="gpuResourcesEnabledOverride"):
        DraDriver(Chart(App(), "gpu"), "dra-driver", nodes=nodes(Dra()), delivery=Flux(), values={"gpuResourcesEnabledOverride": False})
