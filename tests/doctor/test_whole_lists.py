"""Absence is proof only of a whole list: a resource that is missing in a list of Talos makes no finding."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from doctor.dump_parts import OPEN_1_13, extensions, gpu_node, machine, node_object
from doctor.test_recorded_dumps import DUMPS, named

from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.readers.dump_builder import DumpBuilder
from constructs_lib.doctor.readers.section_reader import read_text

_DOCUMENT = re.compile(r"^(?=node: )", re.MULTILINE)
_LIST = re.compile(r"^ +type: \w+\.(?:\w+\.)?talos\.dev$", re.MULTILINE)
BY_ABSENCE = {
    "toolkit-missing", "modules-extension-missing", "extensions-missing", "extensions-lost", "image-without-card", "fabric-manager-missing",
    "uvm-not-loaded", "modules-not-loaded", "modules-not-configured", "no-device-plugin", "no-plugin-pod",
}  # fmt: skip
"""The causes that something that was not read may make."""


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """The texts of a dump by their places."""
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as archive:
                for each in archive.infolist():
                    if not each.is_dir():
                        yield f"{folder.name}/{file.name}/{each.filename}", archive.read(each).decode()
        elif file.is_file() and file.name != "expected.yaml":
            yield str(file.relative_to(folder.parent)), file.read_text(encoding="utf-8")


def causes(files: dict[str, str]) -> set[str]:
    builder = DumpBuilder()
    for name, text in files.items():
        read_text(text, name, builder)
    return {each.fault.name for each in diagnose(GpuCluster(builder.finish())).causes}


@cache
def fewer(folder: Path) -> list[str]:
    """The causes by absence that come when one document of one list is missing."""
    files = dict(texts(folder))
    found, before = [], causes(files)
    for place, text in files.items():
        documents = _DOCUMENT.split(text) if _LIST.search(text) else []
        others = {name: each for name, each in files.items() if not name.endswith("proc-modules.txt")} if "modules" in place else files
        for number, document in enumerate(documents):
            if "type:" in document:
                rest = "".join([*documents[:number], *documents[number + 1 :]])
                found += [f"{name}: {place} without document {number}" for name in (causes({**others, place: rest}) - before) & BY_ABSENCE]
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("folder", DUMPS, ids=named)
def test_a_list_without_one_of_its_documents_makes_no_cause_of_the_absence(folder):
    # The two causes have the same proof, the whole list of extensions: a configuration that names NVIDIA's modules shows that the image had them once.
    renamed = {"extensions-lost": "extensions-missing"}
    known = {renamed.get(each, "") for each in causes(dict(texts(folder)))}

    assert [each for each in fewer(folder) if each.partition(":")[0] not in known] == []


SCHEMATIC = "schematic"


@pytest.mark.parametrize(
    ("numbers", "is_whole"),
    [
        ({"0": "iscsi-tools", "1": SCHEMATIC}, True),
        ({"0": SCHEMATIC}, True),
        ({"0": "iscsi-tools", "1": SCHEMATIC, "modules.dep": "modules.dep"}, True),
        ({"0": "iscsi-tools"}, False),
        ({"1": SCHEMATIC}, False),
        ({"0": "iscsi-tools", "2": SCHEMATIC}, False),
        ({"0": SCHEMATIC, "1": "iscsi-tools"}, False),
        ({}, False),
    ],
)
def test_a_list_of_extensions_is_whole_without_a_gap_and_with_the_schematic_at_its_end(numbers, is_whole):
    assert machine(extensions=extensions(), extension_numbers=numbers).has_all_extensions is is_whole


def test_the_labels_of_the_node_complete_a_list_that_may_be_cut():
    toolkit, kmod = "nvidia-container-toolkit-lts", "nvidia-open-gpu-kernel-modules-lts"
    cut = machine(extensions=extensions({kmod: OPEN_1_13[kmod]}), extension_numbers={"0": kmod})
    labels = {f"extensions.talos.dev/{name}": version for name, version in OPEN_1_13.items()}

    assert {*gpu_node(cut, node_object(labels=labels)).extensions} == {toolkit, kmod}
    assert gpu_node(cut, node_object(labels=labels)).has_all_extensions
    assert not gpu_node(cut, node_object()).has_all_extensions
    assert not gpu_node(cut).has_all_extensions
