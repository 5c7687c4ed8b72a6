"""`make pins`: the errors of NCCL."""

import pytest

from published import Upstream
from tools.pins.error_names import NCCL, ErrorTable, renew_nccl
from tools.pins.repositories import UnreachableError, local_repository
from tools.pins.tables import Report

HEADER = (
    "/* Error type */\ntypedef enum { ncclSuccess = 0,\n  ncclSystemError =  2,\n  ncclTimeout = 8,\n  ncclNumResults = 9 } ncclResult_t;\n"
)
SOURCE = """switch (code) {
    case ncclSuccess     : return "no error";
    case ncclSystemError : return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclTimeout:
        return "timeout";
    default : return "unknown result code";
"""
HEAD, NVML = "library\tnumber\tname\twords\n", "nvml\t1\tERROR_UNINITIALIZED\t\n"
ROWS = "nccl\t2\tncclSystemError\tunhandled system error\nnccl\t8\tncclTimeout\ttimeout\n"


@pytest.fixture
def upstream(tmp_path):
    upstream = Upstream(tmp_path)
    upstream.publish(NCCL, "v2.9.6-1", {"src/nccl.h.in": "", "src/init.cc": ""})
    upstream.publish(NCCL, "v2.30.7-1", {"src/nccl.h.in": HEADER, "src/init.cc": SOURCE})
    (upstream.tables / "nvidia").mkdir(exist_ok=True)
    return upstream


def renewed(upstream):
    path, report = upstream.tables / "nvidia" / "error_codes.tsv", Report()
    table = ErrorTable(path)
    renew_nccl(table, local_repository(NCCL, upstream.copies), report)
    table.read("2026-01-02")
    is_renewed = table.is_renewed
    table.write()
    return path.read_text(), is_renewed, report.changes


def test_the_errors_of_the_newest_release_replace_those_of_nccl_alone(upstream):
    (upstream.tables / "nvidia" / "error_codes.tsv").write_text(f"{HEAD}{NVML}nccl\t2\tncclOld\told words\n")

    assert renewed(upstream) == (HEAD + NVML + ROWS, True, ["nccl: its 2 errors are those of v2.30.7-1"])
    assert renewed(upstream) == (HEAD + NVML + ROWS, False, [])


def test_a_release_without_the_enumeration_changes_nothing(upstream):
    renewed(upstream)
    upstream.publish(NCCL, "v2.31.0-1", {"src/nccl.h.in": "", "src/init.cc": SOURCE})

    with pytest.raises(UnreachableError) as error:
        renewed(upstream)
    assert str(error.value) == "NVIDIA/nccl: v2.31.0-1 has no errors in src/nccl.h.in and src/init.cc"
    assert (upstream.tables / "nvidia" / "error_codes.tsv").read_text() == HEAD + ROWS


def test_a_repository_without_a_release_is_not_read(tmp_path):
    upstream = Upstream(tmp_path)
    upstream.publish(NCCL, "v2.9.6", {})

    with pytest.raises(UnreachableError) as error:
        renew_nccl(ErrorTable(tmp_path / "none.tsv"), local_repository(NCCL, upstream.copies), Report())
    assert str(error.value) == "NVIDIA/nccl: no release"


def test_make_pins_writes_the_rows(upstream):
    assert upstream.run() == 0
    assert (upstream.tables / "nvidia" / "error_codes.tsv").read_text() == HEAD + ROWS
