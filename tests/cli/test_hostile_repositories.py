"""Whatever repository a stranger commits, `talos-gpu images` and `talos-gpu page` answer with text that nothing obeys."""

import re

import pytest
from hostile_trees import CANARY, hostile_tree

RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
VERBS = [("images",), ("images", "--format", "json"), ("images", "--format", "list"), ("page", "--gpus-per-node", "1")]


@pytest.mark.parametrize("seed", range(40))
def test_a_hostile_tree_has_images_and_a_page(seed, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    root = hostile_tree(seed, tmp_path)
    for verb in VERBS:
        status, out, err = run(verb[0], root, "--talos", "1.13.2", *verb[1:])

        assert status in (0, 2), verb
        assert RAW.findall(out + err) == [], verb
        assert " failed (" not in err, err
        assert CANARY not in out
