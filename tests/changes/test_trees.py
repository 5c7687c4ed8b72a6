"""Whole trees of clusters that work: a tree differs in nothing from itself, and any two can be compared."""

import contextlib
import itertools
import json

import pytest
from trees.trees import working_tree

from constructs_lib.changes.change_text import NOTHING, change_json, change_markdown, change_text
from constructs_lib.changes.cluster_change import ClusterChange, Side
from constructs_lib.observed.read.repository import read

SEEDS = (*range(10), 22)
"""The last one has a text that Terraform encodes."""


def side(folder):
    with contextlib.chdir(folder):
        inputs = read(["."])
    return Side(name=folder.name, inputs=inputs, text_of=lambda file: (folder / file).read_bytes() if (folder / file).is_file() else None)


@pytest.fixture
def trees(tmp_path):
    folders = [tmp_path / f"{seed}" for seed in SEEDS]
    for seed, folder in zip(SEEDS, folders, strict=True):
        folder.mkdir()
        working_tree(seed, folder)
    return folders


def test_a_tree_differs_in_nothing_from_itself(trees):
    for tree in trees:
        found = ClusterChange(old=side(tree), new=side(tree))

        assert found.is_nothing
        assert next(change_text(found)) == f"{tree.name} -> {tree.name}: {NOTHING}\n"


def test_any_two_trees_are_compared_in_every_format_and_the_way_back_is_the_mirror(trees):
    sides = [side(tree) for tree in trees]
    for old, new in itertools.pairwise(sides):
        there, back = ClusterChange(old=old, new=new), ClusterChange(old=new, new=old)
        assert next(change_markdown(there)).startswith("### GPUs: ")
        assert json.loads("".join(change_json(there)))["nothing"] is False
        assert [(one.subject, one.old, one.new) for one in there.versions if one.old and one.new] == [
            (one.subject, one.new, one.old) for one in back.versions if one.old and one.new
        ]
        assert [each.rule for each in there.new_findings] == [each.rule for each in back.solved_findings]
