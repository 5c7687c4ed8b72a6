"""The numbers and names of errors."""

from constructs_lib.upstream.nvidia.error_codes import error_codes
from constructs_lib.upstream.nvidia.xid_errors import APPLICATION_XIDS, RESET_XIDS

NVLINK = 74


def of(library):
    return {number: code for (name, number), code in error_codes().items() if name == library}


def test_every_number_of_the_libraries_is_there():
    assert sorted(of("xid")) == list(range(1, 173))
    assert (len(of("nvml")), of("nvml")[999].name) == (31, "ERROR_UNKNOWN")
    assert (len(of("nccl")), of("nccl")[2].words) == (8, ("unhandled system error",))
    assert (len(of("cuda")), of("cuda")[35].name) == (135, "cudaErrorInsufficientDriver")


def test_the_xids_that_need_a_reset_are_those_of_the_catalogue():
    asked = {number for number, code in of("xid").items() if code.words[:1] in (("RESET_GPU",), ("RESTART_BM",))}

    assert asked | {NVLINK} == set(RESET_XIDS)


def test_after_the_xids_of_an_application_no_card_is_reset():
    assert {of("xid")[number].words[0] for number in APPLICATION_XIDS} == {"RESTART_APP", "IGNORE", "WORKFLOW_XID_45"}
