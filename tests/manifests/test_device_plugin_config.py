"""Every config that either route writes, read as NVIDIA's own code reads it, and refused for what that code ignores or refuses.

The reader below is NVIDIA/k8s-device-plugin v0.20.0 api/config/v1 (config.go, flags.go, sharing.go, replicas.go, resources.go) and
cmd/nvidia-device-plugin/main.go, in Python, and stricter: a field that it would pass over, or ignore with a warning, is an error here.
"""

import re
import warnings

import pytest
import yaml
from cdk8s import App, Chart
from hypothesis import given
from hypothesis import strategies as st

from conftest import one, synth
from constructs_lib import Flux, GpuNodes, Mps, NvidiaGpuOperator, StandaloneDevicePlugin, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.plugin.config import device_plugin_config, device_plugin_config_text

LONGEST_RESOURCE_NAME = 63
DNS_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
PROFILES = ["1g.5gb", "1g.10gb", "1g.10gb+me", "1g.24gb+me.all", "1g.24gb+gfx", "1g.24gb-me", "3g.40gb", "7g.141gb"]


class RefusedError(Exception):
    """What the device plugin would say."""


def accept(config):
    """The resources that a node advertises for what the config shares: of each its name before, its name after, and its replicas."""
    fields("the config", config, {"version", "flags", "sharing"})
    if config.get("version") != "v1":
        raise RefusedError(f"unknown version: {config.get('version')}")
    fields("flags", config["flags"], {"migStrategy"})
    strategy = config["flags"]["migStrategy"]
    if strategy not in ("none", "single", "mixed"):
        raise RefusedError(f"unknown MIG strategy: {strategy}")
    sharing = config.get("sharing", {"timeSlicing": None})
    if len(sharing) != 1:
        raise RefusedError("one way of sharing hides the other")
    ((kind, replicated),) = sharing.items()
    fields("sharing", sharing, {"timeSlicing", "mps"})
    if kind == "mps" and strategy != "none":
        raise RefusedError("MIG devices don't support MPS")
    return [] if replicated is None else shared(replicated)


def shared(replicated):
    fields("sharing", replicated, {"renameByDefault", "failRequestsGreaterThanOne", "resources"})
    for flag in ("renameByDefault", "failRequestsGreaterThanOne"):
        if not isinstance(replicated[flag], bool):
            raise RefusedError(f"cannot unmarshal {flag}")
    if not replicated["resources"]:
        raise RefusedError("no resources specified")
    return [resource(each, rename=replicated["renameByDefault"]) for each in replicated["resources"]]


def resource(each, *, rename):
    # 'rename' and 'devices' are ignored with a warning.
    fields("resources", each, {"name", "replicas"})
    if not isinstance(each["replicas"], int) or each["replicas"] < 2:
        raise RefusedError("number of replicas must be >= 2")
    prefix, _, name = each["name"].partition("/")
    if prefix != "nvidia.com" or not re.fullmatch(DNS_SUBDOMAIN, name) or len(each["name"]) > LONGEST_RESOURCE_NAME:
        raise RefusedError(f"incorrect format for resource name '{each['name']}'")
    return each["name"], f"{each['name']}.shared" if rename else each["name"], each["replicas"]


def fields(where, given, known):
    if not isinstance(given, dict) or set(given) - known:
        raise RefusedError(f"{where} has {given}")


def quiet(**arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        return GpuNodes(**{"talos_version": "1.14", **arguments})


flags = {"rename_by_default": st.booleans(), "fail_requests_greater_than_one": st.booleans()}
time_slicing = st.builds(TimeSlicing, replicas=st.integers(2, 1000), **flags)
layouts = st.dictionaries(st.sampled_from(PROFILES), st.integers(1, 7), min_size=1)
every_sharing = st.none() | time_slicing
classes = st.one_of(
    st.builds(quiet, sharing=every_sharing | st.builds(Mps, replicas=st.integers(2, 48), **flags)),
    st.builds(
        quiet, mig_strategy=st.just("single"), sharing=every_sharing, mig_devices=st.none() | st.sampled_from(PROFILES).map(lambda name: {name: 1})
    ),
    st.builds(
        quiet, mig_strategy=st.just("mixed"), sharing=every_sharing,
        mig_devices=layouts | st.lists(layouts | st.just({}), min_size=1).filter(any),
    ),
    st.builds(quiet, mig_strategy=st.just("mixed")),
)  # fmt: skip


@given(classes)
def test_the_device_plugin_accepts_every_config_and_advertises_what_pods_ask_for(nodes):
    config = yaml.safe_load(device_plugin_config_text(nodes))
    advertised = accept(config)

    assert config == device_plugin_config(nodes)
    if nodes.sharing is None:
        assert advertised == []
    else:
        profiles = [*nodes.mig_profiles] if nodes.mig_strategy == "mixed" else [None]
        assert {after for _, after, _ in advertised} >= {nodes.resource(profile) for profile in profiles}
        assert {replicas for _, _, replicas in advertised} == {nodes.sharing.replicas}
        assert len({before for before, _, _ in advertised}) == len(advertised)


def configs(chart):
    return [yaml.safe_load(text) for name, text in one(synth(chart), "ConfigMap")["data"].items() if name != "mig-parted.yaml"]


@pytest.mark.parametrize("route", ["standalone", "operator"])
@pytest.mark.parametrize(
    ("sharing", "advertised"),
    [
        (TimeSlicing(replicas=5), ("nvidia.com/gpu", "nvidia.com/gpu", 5)),
        (TimeSlicing(replicas=5, rename_by_default=True), ("nvidia.com/gpu", "nvidia.com/gpu.shared", 5)),
        (Mps(replicas=48), ("nvidia.com/gpu", "nvidia.com/gpu", 48)),
    ],
)
def test_both_routes_write_a_config_that_is_accepted(route, sharing, advertised):
    chart, nodes = Chart(App(), "gpu"), quiet(sharing=sharing)
    if route == "standalone":
        StandaloneDevicePlugin(chart, "plugin", nodes=nodes)
    else:
        NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=Flux())

    assert [accept(config) for config in configs(chart)] == [[advertised]]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("version", "v2"),
        ("flags/migStrategy", "both"),
        ("flags/deviceListStrategies", "envvar"),
        ("sharing/mps", {}),
        ("sharing/timeSlicing/resources", []),
        ("sharing/timeSlicing/renameByDefault", "false"),
        ("sharing/timeSlicing/resources/0/replicas", 1),
        ("sharing/timeSlicing/resources/0/rename", "nvidia.com/mine"),
        ("sharing/timeSlicing/resources/0/name", "nvidia.com/mig-1g.10gb+me"),
    ],
)
def test_what_the_device_plugin_refuses_or_ignores_is_refused_by_its_reader(path, value):
    config = device_plugin_config(quiet(sharing=TimeSlicing(replicas=2)))
    *steps, last = path.split("/")
    found = config
    for step in steps:
        found = found[int(step)] if isinstance(found, list) else found[step]
    found[last] = value

    with pytest.raises(RefusedError):
        accept(config)
