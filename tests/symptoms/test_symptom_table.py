"""The table of symptoms: a real line of each gets the right page first, and every reference leads somewhere."""

import dataclasses
import re
from pkgutil import get_data

import pytest

from conftest import ROOT
from constructs_lib.checks.formats.explain import table_text
from constructs_lib.checks.rules import RULES
from constructs_lib.monitoring import AlertRules
from constructs_lib.symptoms.link import Strength, Symptom
from constructs_lib.symptoms.log_search import LogSearch
from constructs_lib.symptoms.phrase_index import words_of
from constructs_lib.symptoms.symptom_table import SYMPTOMS, all_symptoms, rule_symptoms
from constructs_lib.upstream.nvidia.xid_errors import APPLICATION_XIDS, CONTAINED_XID, RESET_XIDS, UNCORRECTABLE_XID
from constructs_lib.upstream.talos.features import KERNEL_MODULES

LINES = [
    line.split("\t") for line in (ROOT / "tests/symptoms/log_lines.tsv").read_text(encoding="utf-8").splitlines()[1:]
]  # copied from public threads, or the format of a source with the values of a machine
SEARCH = LogSearch(all_symptoms())
ALERTS = {alert.name: alert for alert in AlertRules(operator=True).all_alerts}
each_symptom = pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda symptom: symptom.name)


def names(lines):
    return [match.symptom.name for match in SEARCH.search(enumerate(lines, start=1))]


def first(line):
    return next(iter(names([line])), None)


@pytest.mark.parametrize(("symptom", "line", "source"), LINES, ids=[f"{symptom}-{number}" for number, (symptom, *_) in enumerate(LINES)])
def test_a_real_line_gets_the_right_symptom_first(symptom, line, source):
    assert first(line) == symptom
    assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/((issues|pull)/\d+|blob/HEAD/\S+)", source)


def test_each_symptom_has_a_real_line():
    assert len({line for _, line, _ in LINES}) == len(LINES)
    assert {symptom.name for symptom in SYMPTOMS} <= {symptom for symptom, *_ in LINES}


@pytest.mark.parametrize(
    "line",
    [
        "I0420 18:52:22.000001 1 server.go:117] Registered device plugin for 'nvidia.com/gpu' with Kubelet",
        "[   14.650646] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  595.71.05  Release Build",
        "Successfully assigned gpu-operator/nvidia-device-plugin-daemonset-w72xb to gpu-1",
        "[talos] service[ext-nvidia-persistenced](Running): Started task ext-nvidia-persistenced (PID 40390)",
        'error loading module "zfs": module not found',
        "curl: (6) Could not resolve host: nvidia.com",
        "0/3 nodes are available: 3 Insufficient memory.",
        'level=info msg="loaded 3 GPUs, no errors were found"',
        "",
    ],
)
def test_a_line_of_a_node_that_works_or_of_another_fault_gets_no_symptom(line):
    assert first(line) is None


@pytest.mark.parametrize("module", [*KERNEL_MODULES, "nvidia_peermem"])
def test_each_module_that_the_image_lacks_gets_the_symptom(module):
    assert first(f'error loading module "{module}": module not found') == "module-not-found"


def test_the_line_without_a_card_names_a_machine_without_a_card_and_a_card_without_support():
    assert names(["NVRM: No NVIDIA GPU found."]) == ["no-card", "wrong-kernel-modules"]


def test_lines_that_name_the_card_have_a_card_without_support_first():
    log = ["NVRM:  information.  The 535.129.03 NVIDIA driver will ignore", "NVRM: No NVIDIA GPU found."]

    assert names(log)[0] == "wrong-kernel-modules"


@pytest.mark.parametrize("line", ["nvml init failed: ERROR_LIBRARY_NOT_FOUND", "Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND"])
def test_the_device_plugins_own_words_name_the_plugin_before_the_exporter(line):
    assert names([line]) == ["nvml-missing", "exporter-nvml"]


def test_the_kubelets_word_names_the_plugin_that_was_not_registered_and_the_request_of_shares_only_by_its_own_words():
    event = "Warning UnexpectedAdmissionError kubelet Allocate failed due to "

    assert names(["UnexpectedAdmissionError"]) == ["admission-refused"]
    assert names([f"{event}requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0"]) == ["admission-error"]
    assert names([f"{event}rpc error: code = Unknown desc = invalid request: maximum request size for shared resources is 1; found 2"]) == [
        "request-of-shared-gpus"
    ]
    assert names([f"{event}no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu"]) == ["admission-error"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[ 18.7] NVRM: The NVIDIA probe routine was not called for 1 device(s).", "card-of-another-driver"),
        ('Back-off pulling image "nvcr.io/nvidia/driver:580.95.05-talosv1.11.2"', "driver-image"),
        ("failed to create device node nvidiactl: failed to determine major: invalid device node", "device-node-major"),
    ],
)
def test_a_line_of_a_known_form_gets_the_symptom(line, expected):
    assert first(line) == expected


@pytest.mark.parametrize(
    ("xids", "expected"),
    [
        ([79], {"fallen-off-the-bus"}),
        ([xid for xid in RESET_XIDS if xid != 79], {"xid-reset"}),
        ([UNCORRECTABLE_XID], {"xid-uncorrectable"}),
        ([CONTAINED_XID], {"xid-contained"}),
        ([xid for xid in APPLICATION_XIDS if xid != 45], {"xid-application"}),
        ([45], {"xid-preemptive"}),
        ([1, 999], {"xid-other"}),
    ],
)
def test_each_xid_gets_the_symptom_of_its_action_whatever_the_other_numbers_of_the_line_are(xids, expected):
    lines = [f"[ 79.48] NVRM: Xid (PCI:0000:79:00): {xid}, pid=79, name=python, channel 0x00000030" for xid in xids]

    assert {first(line) for line in lines} == expected


def test_the_table_has_the_words_of_each_rule_as_make_docs_writes_them():
    assert get_data("constructs_lib.symptoms", "rules.json").decode() == table_text()
    assert {name: rule.claim for name, rule in RULES.items()} == {name: symptom.title for name, symptom in rule_symptoms().items()}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_is_found_by_each_clause_of_its_symptom_that_identifies_something(rule):
    phrases = rule_symptoms()[rule.id].phrases
    matches = SEARCH.search(enumerate(rule.symptom.split("; "), start=1))

    assert phrases
    assert rule.id in {name for match in matches for name in match.symptom.rules}


@each_symptom
def test_each_phrase_finds_its_symptom_first(symptom):
    for phrase in symptom.phrases:
        others = {each.name for each in SYMPTOMS if phrase in each.phrases}
        assert first(phrase) == symptom.name or (symptom.strength(phrase) is Strength.POSSIBLE and first(phrase) in others)


def test_a_phrase_has_the_strength_of_the_place_where_the_row_has_it():
    symptom = Symptom(
        "a", None, "b", phrases=("sure one",), likely=("likely one",), possible=("possible one",), cause="c", remedy="r", source="s"
    )

    assert {phrase: symptom.strength(phrase) for phrase in symptom.phrases} == {
        "sure one": Strength.SURE,
        "likely one": Strength.LIKELY,
        "possible one": Strength.POSSIBLE,
    }
    assert dataclasses.replace(symptom, name="d").phrases == symptom.phrases


@pytest.mark.parametrize(
    "line",
    [
        "insmod: ERROR: could not insert module nvme-core.ko: Required key not available",  # OpenMPDK/KVSSD#6
        "iscsid: error while loading shared libraries: libz.so.1: cannot open shared object file: No such file or directory",
        "ibstat: ibwarn: [15] umad_init: can't read ABI version from /sys/class/infiniband_mad/abi_version: is ib_umad module loaded?",
        "kubelet: failed to connect to systemd D-Bus: dial unix /run/systemd/private: connect: no such file or directory",
        "pci 0000:3b:00.1: BAR 3: no space for [mem size 0x00200000 64bit pref]",
        "0/3 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }. preemption: 0/3 nodes are available",
        "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices intel.com/sriov, which is unexpected",
        "dpkg-deb: error verifying checksum for cpu_manager_state",
        "harvester-pcidevices: IOMMU is not enabled in the kernel",
        "kube-scheduler: feature gate validation failed",
        "rdma-device-plugin: device marked unhealthy",
        "nvme 0000:01:00.0: device not ready, controller has fallen off the bus",
        "write /boot/vmlinuz: no space left on device",
        "E0627 10:12:47.588076 1 factory.go:69] If this is a GPU node, did you set the docker default runtime to `nvidia`?",  # containers/crun#1802
        "W0605 06:26:38.147148 1 pinned_memory_manager.cc:236] CUDA driver version is insufficient for CUDA runtime version",  # SeldonIO/seldon-core#4887
        "RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable",  # Azure/AKS#4870
        "Failed to allocate device vector A (error code no CUDA-capable device is detected)!",
        "main.go:155] No devices found. Waiting indefinitely.",  # volcano-sh/volcano#3160
        "[h264_vaapi @ 0x1] No capable devices found",
        "amdgpu 0000:08:00.0: driver not loaded",
        'level=error msg="failed to generate CDI spec: failed to create device CDI specs: failed to initialize NVML: Insufficient Permissions"',
        "Warning  TopologyAffinityError  30s  kubelet  Resources cannot be allocated with Topology locality",
    ],
)
def test_words_that_another_program_says_or_that_have_several_causes_are_not_sure(line):
    assert [match.symptom.name for match in SEARCH.search([(1, line)]) if match.strength is Strength.SURE] == []


@each_symptom
def test_a_phrase_stands_in_one_place_of_its_row(symptom):
    assert not {*symptom.likely} & {*symptom.possible}
    assert {*symptom.likely, *symptom.possible} <= {*symptom.phrases}


@each_symptom
def test_a_symptom_names_rules_and_alerts_that_exist_and_a_source(symptom):
    assert set(symptom.rules) <= set(RULES)
    assert set(symptom.alerts) <= set(ALERTS)
    assert all(re.fullmatch(r"https://\S+|[\w.-]+/[\w.-]+(#\d+| \S+)", source) for source in symptom.source.split("; "))
    assert symptom.cause
    assert symptom.remedy
    assert symptom.commands
    assert not symptom.cause.endswith(".")
    assert not symptom.remedy.endswith(".")


@each_symptom
def test_a_phrase_is_more_than_one_common_word(symptom):
    for phrase in symptom.phrases:
        words = words_of(phrase)
        assert len(words) > 1 or len(words[0]) >= 12, phrase


def test_names_are_anchors_and_unique():
    names = [symptom.name for symptom in SYMPTOMS]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


@each_symptom
def test_a_verifying_command_only_reads(symptom):
    verbs = {"get", "describe", "logs", "read", "ls", "dmesg", "services", "version", "exec", "check"}

    assert all(verbs & set(str(command).split()[:4]) for command in symptom.commands)
    assert not [
        command for command in symptom.commands if re.search(r"\b(reboot|drain|delete|apply|upgrade|shutdown|reset)\b", str(command))
    ]


@each_symptom
def test_the_page_of_the_rules_has_the_words_of_a_symptom(symptom):
    section = (ROOT / "docs/rules.md").read_text(encoding="utf-8").split("\n## Find a rule by a log line\n")[1].split("\n## ")[0]

    assert f"| `{symptom.phrases[0]}` | " in section
    assert f"(symptoms.md#{symptom.name})" in section


def test_the_remedy_that_loses_nothing_comes_before_a_reset_and_the_reset_says_what_it_erases():
    remedy = next(each.remedy for each in SYMPTOMS if each.name == "boot-partition-full")

    assert remedy.index("Remove the unused extensions") < remedy.index("talosctl reset")
    assert all(
        word in remedy.partition("talosctl reset")[2]
        for word in ("erases", "machine configuration", "pods", "etcd", "lone control plane", "snapshot")
    )


def test_a_remedy_that_drains_or_reboots_says_what_ends():
    for each in SYMPTOMS:
        if "kubectl drain" in each.remedy:
            assert "ends its pods and deletes their emptyDir volumes" in each.remedy, each.name
