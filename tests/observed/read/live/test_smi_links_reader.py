"""The lists of nvidia-smi as fields of cards."""

from doctor.smi_outputs import NVLINK_ERRORS

from constructs_lib.doctor.dump_reader import read_dump

UUID = "GPU-11111111-2222-3333-4444-555555555555"


def fields(text):
    [machine] = read_dump([], stream=text).machines
    return {key: each.value for key, each in machine.smi.items()}


def test_the_paths_are_those_between_cards_and_none_to_a_network_card():
    text = (
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
        "GPU0\t X \tNV18\tPXB\t0-47\t0\t\tN/A\nGPU1\tNV18\t X \tSYS\t48-95\t1\t\tN/A\nNIC0\tPXB\tSYS\t X\n"
    )

    assert fields(text) == {
        "GPU 0: Topology GPU 0": "X",
        "GPU 0: Topology GPU 1": "NV18",
        "GPU 1: Topology GPU 0": "NV18",
        "GPU 1: Topology GPU 1": "X",
    }


def test_the_counters_of_a_link_are_fields_of_their_own_and_other_lines_are_none():
    text = f"GPU 0: NVIDIA A100 (UUID: {UUID})\n\t Link 0: 25 GB/s\n\t Link 0: Data Tx: 9 KiB\n\t Link 0: Remote Device 00000000:C1:00.0: Link 8\n"

    assert fields(text) == {"GPU 0: Product Name": "NVIDIA A100", "GPU 0: GPU UUID": UUID, "GPU 0: NVLink Link 0": "25 GB/s"}
    assert {key: value for key, value in fields(NVLINK_ERRORS).items() if "NVLink" in key} == {
        f"GPU 0: NVLink Link {link} {counter} Errors": "0" for link in (0, 1) for counter in ("Replay", "Recovery", "CRC")
    }
