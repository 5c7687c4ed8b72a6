"""The faults that the symptoms of a log become."""

import pytest
from doctor.dump_parts import log

from constructs_lib.doctor.fault import Advice
from constructs_lib.doctor.symptom_faults import symptom_fault, symptom_matches
from constructs_lib.symptoms.exporter_symptoms import EXPORTER_SYMPTOMS
from constructs_lib.symptoms.link import Link
from constructs_lib.symptoms.symptom_table import SYMPTOMS


def test_only_symptoms_after_which_the_card_works_on_stand_beside_the_chain():
    beside = {each.name for each in SYMPTOMS if each.link is None}

    metrics = {each.name for each in EXPORTER_SYMPTOMS}
    cards = {"inforom-corrupted", "iommu-fault", "numa-unknown", "pcie-link-slow"}

    assert beside == metrics | cards | {
        "host-memory-pin",
        "ollama-discovery",
        "peermem",
        "plugin-config-ignored",
        "xid-application",
        "xid-nvlink",
        "xid-preemptive",
        "xid-contained",
        "xid-other",
    }


@pytest.mark.parametrize("symptom", [each for each in SYMPTOMS if each.link], ids=lambda each: each.name)
def test_a_symptom_of_the_chain_has_a_command_that_verifies_its_fix(symptom):
    assert symptom.commands


def test_a_fault_has_the_words_of_the_symptom_and_the_line_of_the_log():
    kernel = log("boot", "NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.")
    match = kernel.matches[0]

    fault = symptom_fault(match, kernel)

    assert (fault.name, fault.is_hardware, fault.is_of_pod) == ("fallen-off-the-bus", True, False)
    assert fault.cause.startswith("The card has fallen off the PCI bus. The machine no longer reaches the card")
    assert (fault.evidence[0].text, fault.evidence[0].source) == ("NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.", "dmesg.log:2")
    assert (fault.fix, fault.source, fault.rules) == (Advice(match.symptom.remedy), match.symptom.source, match.symptom.rules)
    assert fault.verify == match.symptom.commands[0]
    assert fault.consequence.startswith("The driver can't use the card")


def test_a_given_consequence_replaces_that_of_the_link():
    kernel = log("NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.")

    assert symptom_fault(kernel.matches[0], kernel, consequence="The fan stops").consequence == "The fan stops"


def test_the_matches_of_a_link_come_with_the_reason_before_what_follows_from_it():
    kernel = log(
        "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x40:1924)",
        "NVRM: GPU 0000:01:00.0: Cannot initialize GSP firmware RM",
        'error loading module "nvidia": load nvidia failed: key was rejected by service',
    )

    assert [match.symptom.name for match, _ in symptom_matches([None, kernel], Link.DRIVER)] == ["gsp-firmware", "adapter-not-initialized"]


def test_a_program_without_a_driver_does_not_tell_why_the_modules_are_not_loaded():
    """A missing card, modules of another kind and modules of another release have the same words."""
    about = log("nvidia-container-cli: initialization error: nvml error: driver not loaded")

    assert [match.symptom.name for match, _ in symptom_matches([about], *Link)] == ["driver-not-loaded"]


def test_the_kernels_own_words_come_before_those_of_a_program_without_a_driver():
    about = log("nvml error: driver not loaded", 'error loading module "nvidia": key was rejected by service')

    assert [match.symptom.name for match, _ in symptom_matches([about], *Link)] == ["module-signature", "driver-not-loaded"]
