"""The mock libnvidia-ml.so.1, through the entry points that NVIDIA's programs call."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from constructs_lib.nodes.cards import known_profiles
from constructs_lib.upstream.nvidia.card_memory import card_memory
from talos_gpu_rehearsal import mock_card
from talos_gpu_rehearsal.build import GO_NVML
from talos_gpu_rehearsal.card_files import device_nodes, dynamic_majors, proc_files
from talos_gpu_rehearsal.cards import A100, H100, PRESETS, RTX_4090, Card, Driver, Event, placed, write, xid
from talos_gpu_rehearsal.errors import RehearsalError
from talos_gpu_rehearsal.go_module import need_gcc, need_go
from talos_gpu_rehearsal.mig_profiles import place
from talos_gpu_rehearsal.sources import SOURCES

SUCCESS, NOT_SUPPORTED, NOT_FOUND, DRIVER_NOT_LOADED, TIMEOUT, FUNCTION_NOT_FOUND, GPU_IS_LOST, MISMATCH = 0, 3, 6, 9, 10, 13, 15, 18
ANYWHERE = Driver(device_nodes=False)


@pytest.fixture(scope="session")
def header():
    """The folder with nvml.h."""
    try:
        need_go("1.20", "the mock card")
        need_gcc("the mock card")
        return SOURCES["nvml"].module.source_folder(GO_NVML) / "gen" / "nvml"
    except RehearsalError as error:
        if os.environ.get("NO_SKIPS"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def mock(header, tmp_path_factory):
    built = tmp_path_factory.mktemp("nvml")
    mock_card.compile_mock(header, built, "-Werror")
    return built


@pytest.fixture
def machine(mock, tmp_path):
    """A machine in a process of its own: NVML reads its environment, and a library stays loaded."""
    return Machine(mock, tmp_path)


class Machine:
    def __init__(self, mock: Path, folder: Path) -> None:
        self.libraries, self.file = folder / "lib", folder / "lib" / "cards.conf"
        mock_card.install(mock, self.libraries, ANYWHERE.version, folder / "bin")

    def has(self, *cards: Card, driver: Driver = ANYWHERE) -> None:
        write(self.file, cards, driver)

    def ask(self, script: str) -> list:
        """Run lines of Python with `nvml`, `text(function, …)`, `number(function, …)` and `card(index)`; the answer is `said`."""
        code = _PROLOGUE.format(library=self.libraries / "libnvidia-ml.so.1") + script + "\nprint(json.dumps(said))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]})
        assert not done.returncode, done.stderr
        assert not done.stderr, done.stderr
        return json.loads(done.stdout)


_PROLOGUE = """
import ctypes, json
nvml = ctypes.CDLL({library!r}.__class__({library!r}))
said = []
def text(function, *given):
    buffer = ctypes.create_string_buffer(96)
    result = getattr(nvml, function)(*given, buffer, 96)
    return result or buffer.value.decode()
def number(function, *given):
    value = ctypes.c_uint()
    result = getattr(nvml, function)(*given, ctypes.byref(value))
    return result or value.value
def handle(function, *given):
    value = ctypes.c_void_p()
    result = getattr(nvml, function)(*given, ctypes.byref(value))
    assert not result, (function, result)
    return value
def card(index):
    return handle("nvmlDeviceGetHandleByIndex_v2", index)
nvml.nvmlInit_v2()
""".replace("{library!r}.__class__({library!r})", "'{library}'")


def test_a_card_has_the_name_the_memory_and_the_uuid_that_the_file_gives_it(machine):
    machine.has(RTX_4090, A100)
    name, uuid, count = machine.ask(
        "said = [text('nvmlDeviceGetName', card(1)), text('nvmlDeviceGetUUID', card(0)), number('nvmlDeviceGetCount_v2')]"
    )
    assert (name, uuid, count) == (A100.name, placed([RTX_4090])[0].uuid, 2)


def test_the_driver_has_its_version_and_its_cuda(machine):
    machine.has(RTX_4090, driver=Driver(version="570.195.03", device_nodes=False))
    assert machine.ask("said = [text('nvmlSystemGetDriverVersion'), number('nvmlSystemGetCudaDriverVersion_v2')]") == ["570.195.03", 12080]


@pytest.mark.parametrize(("init", "result"), [("ERROR_DRIVER_NOT_LOADED", DRIVER_NOT_LOADED), ("ERROR_LIB_RM_VERSION_MISMATCH", MISMATCH)])
def test_a_driver_that_does_not_start_says_why(machine, init, result):
    machine.has(RTX_4090, driver=Driver(init=init))
    assert machine.ask("said = [nvml.nvmlInit_v2(), number('nvmlDeviceGetCount_v2')]") == [result, 1]


def test_without_a_file_the_driver_is_not_loaded(machine):
    assert machine.ask("said = [nvml.nvmlInit_v2()]") == [DRIVER_NOT_LOADED]


def test_without_its_device_file_the_driver_is_not_loaded(machine):
    if Path("/dev/nvidiactl").exists():
        pytest.skip("this machine has a card of its own")
    machine.has(RTX_4090, driver=Driver())
    assert machine.ask("said = [nvml.nvmlInit_v2()]") == [DRIVER_NOT_LOADED]


def test_a_card_that_is_lost_while_a_program_runs_answers_so(machine, tmp_path):
    machine.has(RTX_4090)
    lost = tmp_path / "lost.conf"
    write(lost, [replace(RTX_4090, is_lost=True)], ANYWHERE)
    before, after, index = machine.ask(f"""
import shutil
one = card(0)
said = [text('nvmlDeviceGetName', one)]
shutil.move({str(lost)!r}, {str(machine.file)!r})
said += [text('nvmlDeviceGetName', one), nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(one))]""")
    assert (before, after, index) == (RTX_4090.name, GPU_IS_LOST, GPU_IS_LOST)


def test_a_card_that_is_not_there_keeps_the_names_of_the_others(machine):
    cards = [RTX_4090, RTX_4090]
    machine.has(replace(RTX_4090, is_present=False), RTX_4090)
    found = machine.ask(
        "said = [number('nvmlDeviceGetCount_v2'), text('nvmlDeviceGetUUID', card(0)), number('nvmlDeviceGetMinorNumber', card(0))]"
    )
    assert found == [1, placed(cards)[1].uuid, 1]


def test_a_fault_fails_one_function_of_one_card(machine):
    machine.has(replace(RTX_4090, faults=(("DeviceGetName", "ERROR_NOT_SUPPORTED"),)), RTX_4090)
    found = machine.ask(
        "said = [text('nvmlDeviceGetName', card(0)), number('nvmlDeviceGetMinorNumber', card(0)), text('nvmlDeviceGetName', card(1))]"
    )
    assert found == [NOT_SUPPORTED, 0, RTX_4090.name]


_WAIT = """
class Event(ctypes.Structure):
    _fields_ = [("device", ctypes.c_void_p), ("type", ctypes.c_ulonglong), ("data", ctypes.c_ulonglong), ("gi", ctypes.c_uint), ("ci", ctypes.c_uint)]
events = handle("nvmlEventSetCreate")
assert not nvml.nvmlDeviceRegisterEvents(card(0), ctypes.c_ulonglong(11), events)
def wait(milliseconds):
    event = Event()
    result = nvml.nvmlEventSetWait_v2(events, ctypes.byref(event), milliseconds)
    return result or [event.type, event.data, event.gi, text("nvmlDeviceGetUUID", ctypes.c_void_p(event.device))]
"""


def test_an_event_reaches_the_program_that_waits_and_no_earlier_one(machine, tmp_path):
    old = replace(RTX_4090, events=(xid(13),))
    machine.has(old)
    later = tmp_path / "later.conf"
    write(later, [replace(old, events=(*old.events, xid(79), Event(kind="ecc-double", gi=2, ci=0)))], ANYWHERE)
    nothing, first, second, no_more = machine.ask(
        _WAIT
        + f"import shutil\nsaid = [wait(0)]\nshutil.move({str(later)!r}, {str(machine.file)!r})\nsaid += [wait(60000), wait(60000), wait(0)]"
    )
    uuid = placed([old])[0].uuid
    assert (nothing, no_more) == (TIMEOUT, TIMEOUT)
    assert (first, second) == ([8, 79, 0xFFFFFFFF, uuid], [2, 0, 2, uuid])


def test_a_mig_device_has_its_profile_its_parent_and_its_ids(machine):
    card = replace(A100, mig=("1g.5gb", "3g.20gb"))
    machine.has(card)
    found = machine.ask("""
class Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("sms", "copy", "dec", "enc", "jpeg", "ofa", "gi_slices", "ci_slices")] + [("memory", ctypes.c_ulonglong)]
for index in range(number("nvmlDeviceGetMaxMigDeviceCount", card(0))):
    value = ctypes.c_void_p()
    if result := nvml.nvmlDeviceGetMigDeviceHandleByIndex(card(0), index, ctypes.byref(value)):
        said.append(result)
        continue
    attributes = Attributes()
    assert not nvml.nvmlDeviceGetAttributes_v2(value, ctypes.byref(attributes))
    parent = handle("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", value)
    said.append([text("nvmlDeviceGetName", value), text("nvmlDeviceGetUUID", parent), number("nvmlDeviceGetGpuInstanceId", value), attributes.sms, attributes.memory])
""")
    uuid = placed([card])[0].uuid
    devices = [["NVIDIA A100-SXM4-40GB MIG 3g.20gb", uuid, 2, 42, 19968], ["NVIDIA A100-SXM4-40GB MIG 1g.5gb", uuid, 7, 14, 4864]]
    assert found == devices + [NOT_FOUND] * 5


def test_mig_without_an_instance_is_on_and_a_card_without_mig_does_not_support_it(machine):
    machine.has(replace(A100, mig=()), A100, RTX_4090)
    found = machine.ask("""
for index in range(3):
    current, pending = ctypes.c_uint(), ctypes.c_uint()
    said.append(nvml.nvmlDeviceGetMigMode(card(index), ctypes.byref(current), ctypes.byref(pending)) or ["on" if current.value else "off"])
""")
    assert found == [["on"], ["off"], NOT_SUPPORTED]


def test_every_entry_point_of_the_header_is_there_and_those_that_are_not_played_say_so(machine, header):
    machine.has(RTX_4090)
    text = re.sub(r"/\*.*?\*/", "", (header / "nvml.h").read_text(), flags=re.DOTALL)
    names = sorted(set(re.findall(r"\bDECLDIR\s+(nvml\w+)\s*\(", text)))
    assert machine.ask(f"said = [name for name in {names!r} if not hasattr(nvml, name)] + [nvml.nvmlDeviceGetFanSpeed(None, None)]") == [
        FUNCTION_NOT_FOUND
    ]


def test_seven_small_instances_have_the_ids_of_a_real_card():
    assert [instance.gi for instance in place(A100.profiles, ["1g.5gb"] * 7)] == [7, 8, 9, 11, 12, 13, 14]


@pytest.mark.parametrize(
    ("card", "mig"),
    [
        (A100, ("1g.5gb",) * 8),
        (A100, ("3g.20gb",) * 3),
        (A100, ("7g.40gb", "1g.5gb")),
        (A100, ("1g.5gb+me",) * 2),
        (H100, ("1g.5gb",)),
        (RTX_4090, ("1g.5gb",)),
    ],
)
def test_instances_that_a_card_has_no_room_or_no_profile_for_are_refused(card, mig):
    with pytest.raises(ValueError, match="'mig' must"):
        replace(card, mig=mig)


def test_the_balanced_division_fits():
    names = ("1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb")
    assert sorted(instance.profile.name for instance in replace(H100, mig=names).instances()) == sorted(names)


def test_each_mig_device_has_its_capabilities_in_dev_and_proc():
    cards = [RTX_4090, replace(A100, mig=("3g.20gb",))]
    files = proc_files(cards)
    access = files["/proc/driver/nvidia/capabilities/gpu1/mig/gi2/access"].decode()
    minor = int(re.search(r"DeviceFileMinor: (\d+)", access)[1])
    assert f"gpu1/gi2/access {minor}\n" in files["/proc/driver/nvidia-caps/mig-minors"].decode()
    assert f"/dev/nvidia-caps/nvidia-cap{minor}" in {node.path for node in device_nodes(cards)}


def test_no_file_of_a_card_opens_the_device_of_another_driver():
    """The first two are free here: 511 belongs to a driver of the machine, and 510 to its block devices only."""
    devices = "Character devices:\n  1 mem\n509 vfio\n511 nvme\n\nBlock devices:\n510 mmc\n"
    assert dynamic_majors(devices) == (508, 510)


@pytest.mark.parametrize("card", PRESETS, ids=lambda card: card.name)
def test_the_library_understands_every_preset(machine, card):
    machine.has(card)
    assert machine.ask("said = [text('nvmlDeviceGetName', card(0))]") == [card.name]


def _smi(machine: Machine, *arguments: str) -> tuple[int, str]:
    environment = {"LD_LIBRARY_PATH": str(machine.libraries)}
    done = subprocess.run(
        [machine.libraries.parent / "bin" / "nvidia-smi", *arguments], capture_output=True, text=True, check=False, env=environment
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def test_nvidia_smi_lists_cards_with_their_mig_devices(machine):
    machine.has(replace(A100, mig=("1g.5gb",)), RTX_4090)
    status, text = _smi(machine, "-L")
    first, mig, second = text.splitlines()
    assert not status
    assert re.fullmatch(r"GPU 0: NVIDIA A100-SXM4-40GB \(UUID: GPU-[0-9a-f-]{36}\)", first)
    assert re.fullmatch(r"  MIG 1g\.5gb      Device  0: \(UUID: MIG-[0-9a-f-]{36}\)", mig)
    assert second.startswith("GPU 1: NVIDIA GeForce RTX 4090 (UUID: GPU-")


def test_nvidia_smi_says_in_its_table_that_it_is_a_stand_in(machine):
    machine.has(RTX_4090, replace(A100, mig=("3g.20gb",)))
    status, text = _smi(machine)
    assert not status
    assert "stand-in" in text.splitlines()[1]
    assert "CUDA Version: 13.0" in text
    assert len({len(line) for line in text.splitlines()}) == 1


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        ("csv", "index, memory.total [MiB], mig.mode.current\n0, 24564 MiB, [N/A]\n"),
        ("csv,noheader", "0, 24564 MiB, [N/A]\n"),
        ("csv,noheader,nounits", "0, 24564, [N/A]\n"),
    ],
)
def test_nvidia_smi_prints_the_fields_of_a_query(machine, format_, expected):
    machine.has(RTX_4090)
    assert _smi(machine, "--query-gpu=index,memory.total,mig.mode.current", f"--format={format_}") == (0, expected)


@pytest.mark.parametrize(
    ("driver", "cards", "status", "words"),
    [
        (
            Driver(init="ERROR_DRIVER_NOT_LOADED"),
            [RTX_4090],
            9,
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        ),
        (Driver(init="ERROR_LIB_RM_VERSION_MISMATCH"), [RTX_4090], 18, "Failed to initialize NVML: Driver/library version mismatch\n"),
        (ANYWHERE, [], 6, "No devices were found\n"),
        (
            ANYWHERE,
            [replace(RTX_4090, is_lost=True)],
            15,
            "Unable to determine the device handle for GPU0: GPU is lost.  Reboot the system to recover this GPU\n",
        ),
    ],
)
def test_nvidia_smi_fails_with_the_error_of_the_library(machine, driver, cards, status, words):
    machine.has(*cards, driver=driver)
    found, text = _smi(machine)
    assert (found, text[: len(words)]) == (status, words)


@pytest.mark.parametrize("arguments", [("--frobnicate",), ("--query-gpu=nonsense", "--format=csv"), ("mig", "-cgi"), ("-c", "SOMETIMES")])
def test_nvidia_smi_refuses_what_it_does_not_know(machine, arguments):
    machine.has(RTX_4090)
    status, text = _smi(machine, *arguments)
    assert status == 2
    assert arguments[0].lstrip("-") in text or "nonsense" in text or "SOMETIMES" in text


def test_what_a_program_sets_is_written_down(machine):
    machine.has(RTX_4090)
    uuid = placed([RTX_4090])[0].uuid
    assert not _smi(machine, "-i", uuid, "-c", "EXCLUSIVE_PROCESS")[0]
    assert not _smi(machine, "compute-policy", "-i", uuid, "--set-timeslice", "2")[0]
    assert machine.file.with_name("cards.conf.set").read_text() == f"{uuid} compute-mode 3\n{uuid} time-slice 2\n"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("memory-mib = much", "the value is no number"),
        ("memry = 1", "no such key in this section"),
        ("event = 1 earthquake", "no such type of event"),
        ("fault = DeviceGetName ERROR_MOOD", "no such error"),
        ("[sound]", "no such section"),
        ("nonsense", "a line is `key = value`"),
    ],
)
def test_a_line_that_nobody_understands_is_named(machine, line, why):
    machine.has(RTX_4090)
    text = machine.file.read_text()
    machine.file.write_text(f"{text}{line}\n")
    done = subprocess.run(
        [machine.libraries.parent / "bin" / "nvidia-smi", "-L"],
        capture_output=True,
        text=True,
        check=True,
        env={"LD_LIBRARY_PATH": str(machine.libraries)},
    )
    assert done.stderr == f"mock libnvidia-ml: {machine.file}:{len(text.splitlines()) + 1}: {why}\n"


@pytest.mark.parametrize("card", [card for card in PRESETS if card.profiles], ids=lambda card: card.name)
def test_a_preset_has_the_mig_profiles_that_the_library_knows_of_the_card(card):
    assert {profile.name: profile.count for profile in card.profiles} == known_profiles(card.name)


@pytest.mark.parametrize("card", PRESETS, ids=lambda card: card.name)
def test_a_preset_has_the_memory_that_the_library_knows_of_the_card(card):
    assert 0.9 < card.memory_mib / 1024 / card_memory(card.name) <= 1.0
