"""Archives and lists of strangers that grow: what the doctor reads has limits on the sum, and takes time in proportion to its size."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import time
import zipfile

import pytest

from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster

FEW_SECONDS = 30
"""Of the processor, on a slow machine. Each of these inputs took minutes."""


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def sparse():
    """A tar of a few bytes with a member of 400 MB, in GNU's old form of sparse files."""
    member = tarfile.TarInfo("dmesg.log")
    member.type = tarfile.GNUTYPE_SPARSE
    head = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    head[483:495] = tarfile.itn(400 * 2**20, 12, tarfile.GNU_FORMAT)
    head[148:156] = b" " * 8
    head[148:156] = f"{sum(head):06o}\0 ".encode()
    return bytes(head) + bytes(1024)


def read(content):
    before = time.process_time()
    dump = read_dump([], stream=content)
    assert time.process_time() - before < FEW_SECONDS
    return dump


@pytest.mark.parametrize(
    "packed",
    [
        lambda: gzip.compress(bytes(40 * 2**20)),
        lambda: gzip.compress(b"NVRM: a\n" * 5 * 2**20),
        lambda: zipped([("dmesg.log", bytes(40 * 2**20))]),
        lambda: zipped([(f"{number}/dmesg.log", bytes(2**20)) for number in range(40)]),
        lambda: gzip.compress(tarred([("dmesg.log", bytes(40 * 2**20))])),
    ],
    ids=["gzip", "gzip-of-lines", "zip", "zip-of-many", "tar.gz"],
)
def test_an_archive_that_grows_out_of_proportion_is_not_read(packed):
    content = packed()
    assert len(content) < 150_000
    dump = read(content)

    assert [each.reason for each in dump.unread] == ["an archive that grows to more than 200 times its size; unpack it first"]
    assert dump.logs == dump.machines == []


def test_a_sparse_member_of_a_tar_is_not_read():
    assert [each.reason for each in read(sparse()).unread] == ["a sparse file, whose size says nothing of its content"]


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_the_number_of_members_is_limited_and_empty_ones_count(pack):
    dump = read(pack((f"{number}.log", b"") for number in range(30_000)))

    assert {"more than 20000 files"} <= {each.reason for each in dump.unread}
    assert len(dump.unread) <= 20_001


def test_many_empty_members_take_time_in_proportion():
    assert len(read(zipped((f"{number}.log", b"") for number in range(19_000))).unread) == 19_000


def test_the_name_of_a_member_is_limited():
    dump = read(zipped([("a." * 30_000, b"NVRM: a\n"), ("dmesg.log", b"NVRM: a\n")]))

    assert [each.reason for each in dump.unread if "too long" in each.reason] == ["a name that is too long"]


def test_names_with_many_parts_take_time_in_proportion():
    read(zipped((f"{'a.' * 500}{number}", b"10.0.0.1: kern: warning: [2026-11-22T08:00:00.0Z]: NVRM: a\n") for number in range(2000)))


def test_machines_that_share_an_address_take_time_in_proportion():
    member = "node: 10.0.0.{0}\nmetadata:\n    type: Members.cluster.talos.dev\n    id: m{1}\nspec:\n    addresses:\n        - 10.9.9.9\n    hostname: host-{1}\n---\n"
    text = "".join(member.format(number % 250, number) for number in range(3_000))

    assert GpuCluster(read(text.encode())).all_nodes == []


def test_logs_of_many_pods_take_time_in_proportion():
    pods = [
        {"kind": "Pod", "metadata": {"name": f"gpu-{number}", "namespace": "a"}, "spec": {"runtimeClassName": "nvidia"}}
        for number in range(6_000)
    ]
    cluster = json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})
    logs = [(f"gpu-{number}.log", b"CUDA error: no CUDA-capable device is detected\n") for number in range(3_000)]
    dump = read(zipped([("cluster.json", cluster), *logs]))

    assert {each.pod for each in dump.logs} == {f"gpu-{number}" for number in range(3_000)}


def test_an_archive_of_an_ordinary_dump_is_read():
    lines = "".join(f"10.0.0.1: kern: warning: [2026-11-22T08:00:{number % 60:02}.0Z]: NVRM: GPU {number}\n" for number in range(20_000))

    for content in (gzip.compress(lines.encode()), zipped([("talos/10.0.0.1/dmesg.log", lines)])):
        assert len(read(content).machines) == 1


def test_the_directory_of_a_zip_is_not_read_when_it_has_far_too_many_files():
    content = zipped([("a", b"NVRM: a\n")])
    edge = content.rindex(b"PK\x01\x02")

    dump = read(content[:edge] + content[edge : content.rindex(b"PK\x05\x06")] * 200_001 + content[content.rindex(b"PK\x05\x06") :])

    assert [each.reason for each in dump.unread] == ["more than 20000 files"]
