"""Trees of clusters that work: the checks say nothing against them. More: `python -m tests.trees 2000`."""

import pytest

from conftest import drawn
from trees.checking import judged
from trees.layouts import LAYOUTS
from trees.node_layouts import NODE_LAYOUTS
from trees.trees import working_tree

TREES, AT_ONCE = drawn(1_000), 50


@pytest.mark.parametrize("first", range(0, TREES, AT_ONCE))
def test_a_tree_of_a_cluster_that_works_has_no_error_and_no_warning(first, tmp_path):
    said = []
    for seed in range(first, first + AT_ONCE):
        (root := tmp_path / f"{seed}").mkdir()
        made = working_tree(seed, root)
        said += [f"{made}: {each.severity} {each.rule} {each.file}:{each.line} {each.message}" for each in judged(root)]

    assert said == []


def test_the_trees_are_of_every_layout_and_route(tmp_path):
    made = [working_tree(seed, tmp_path) for seed in range(AT_ONCE)]

    assert {each.layout for each in made} == set(LAYOUTS)
    assert {each.nodes for each in made} == set(NODE_LAYOUTS)
    assert {each.route for each in made} == {"plugin", "operator", "dra"}


def test_a_seed_makes_one_tree(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        working_tree(7, tmp_path / name)
    files = [path.relative_to(tmp_path / "a") for path in sorted((tmp_path / "a").rglob("*")) if path.is_file()]

    assert files
    assert [(tmp_path / "a" / each).read_bytes() == (tmp_path / "b" / each).read_bytes() for each in files] == [True] * len(files)


def test_the_checks_read_the_gpu_stack_of_a_tree(tmp_path):
    """A tree of which nothing was read would be silent too."""
    from constructs_lib.checks.report import gpu_parts
    from constructs_lib.observed.read.repository import read

    unread = []
    for seed in range(60):
        (root := tmp_path / f"{seed}").mkdir()
        made = working_tree(seed, root)
        parts = gpu_parts(read([root]))
        wanted = {"plugin": "device plugin", "operator": "GPU operator", "dra": "DRA driver"}[made.route]
        wanted_parts = [wanted, "GPU workload", *([] if made.nodes == "nothing" else ["GPU node configuration"])]
        unread += [f"{made}: {each}" for each in wanted_parts if each not in parts]

    assert unread == []
