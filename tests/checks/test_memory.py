"""The memory of the checks, counted in bytes for each object: it grows with the number of objects, and not faster."""

import gc
import tracemalloc

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.formats.programs import as_json, github, sarif
from constructs_lib.checks.formats.text import text
from constructs_lib.checks.report import Report
from constructs_lib.observed.read.repository import read_text

pytestmark = pytest.mark.thorough

# 140,000 pods are a file of almost 20 MB, the largest that is read. In 300 MB, of which Python and this library need 30, each pod has 1,928 bytes.
BYTES = (300_000_000 - 30_000_000) / 140_000


PLAIN = "env: [{name: A, value: b}], tty: true"
GPU = "resources: {limits: {nvidia.com/gpu: 1}}"


def pods(count, settings=PLAIN):
    """The text of that many pods: as many mappings in as little text as manifests have."""
    spec = f"{{containers: [{{name: a, image: ii, {settings}}}]}}"
    return "".join(f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{number:06}}}\nspec: {spec}\n" for number in range(count))


def peak(count):
    """The most bytes for each pod while the text is read and checked."""
    text = pods(count)
    gc.collect()
    tracemalloc.start()
    inputs = read_text(text, talos="1.13")
    found = run_rules(inputs)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(inputs.objects), found) == (count, [])
    return most / count


@pytest.fixture(scope="module")
def thousand():
    peak(10)  # what is loaded and compiled once
    return peak(1000)


def test_four_times_the_pods_take_four_times_the_memory(thousand):
    assert peak(4000) < 1.1 * thousand


def test_the_pods_of_the_largest_file_are_checked_in_300_megabytes():
    peak(10)
    assert peak(4000) < BYTES


def test_equal_messages_of_many_findings_need_memory_once():
    messages = [each.message for each in run_rules(read_text(pods(50, GPU), talos="1.13"), select=["TG040"])]

    assert len(messages) == 50
    assert len({id(each) for each in messages}) == 1


@pytest.mark.parametrize(
    "write", [lambda report: text(report, remarks=True, everything=True), as_json, sarif, lambda report: github(report, remarks=True)]
)
def test_the_parts_of_a_report_need_little_more_memory_than_their_text(write):
    inputs = read_text(pods(2000, GPU), talos="1.13")
    report = Report(inputs=inputs, all_findings=tuple(run_rules(inputs, select=["TG040"])))
    list(write(report))  # what is loaded and compiled once
    tracemalloc.start()
    parts = list(write(report))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(parts) >= 2000
    assert most < sum(map(len, parts)) + 2000 * 200


def test_a_report_of_equal_findings_is_no_longer_where_there_are_more():
    def length(count):
        inputs = read_text(pods(count, GPU), talos="1.13")
        return len(list(text(Report(inputs=inputs, all_findings=tuple(run_rules(inputs, select=["TG040"]))), remarks=True)))

    assert length(1000) == length(20)
