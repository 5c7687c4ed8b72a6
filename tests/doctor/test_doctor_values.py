"""The values of the doctor: what a node, a fault and a dump answer."""

import dataclasses

import pytest
from doctor.dump_parts import all_seen, gpu_node, machine
from doctor.pod_parts import thing
from doctor_cases import MODULES

from constructs_lib.doctor.fault import NotSeen
from constructs_lib.doctor.node_commands import EXTENSIONS
from constructs_lib.observed.model.dump import Dump


@pytest.mark.parametrize("product", ["GH100 [H100 NVSwitch]", "NVSwitch", "Device Bridge", "PCI bridge of a card"])
def test_a_switch_or_a_bridge_is_no_card(product):
    node = gpu_node(machine(pci=all_seen({"0000:05:00.0": product, "0000:01:00.0": "GH100 [H100 SXM5 80GB]"})))

    assert len(node.cards) == 1


@pytest.mark.parametrize("value", [MODULES, NotSeen(command=EXTENSIONS), EXTENSIONS, MODULES.evidence[0]])
def test_what_was_concluded_is_not_changed(value):
    field = dataclasses.fields(value)[0].name

    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, "other")
    assert {value: 1}[dataclasses.replace(value)] == 1


def test_an_object_is_that_of_its_namespace():
    first, second = (thing("Deployment", "app", {"metadata": {"name": "app", "namespace": each}}) for each in ("a", "b"))
    dump = Dump(objects={"Deployment": [first, second]})

    assert dump.get("Deployment", "app", "b") is second
    assert dump.get("Deployment", "app", "a") is first
    assert dump.get("Deployment", "app") is None
    assert dump.get("Deployment", "other", "a") is None
