"""Every feature of a Kustomization as `kubectl kustomize` builds it: each value that we call known is kubectl's."""

from pathlib import Path

import pytest

from kubectl_kustomize import differences, kubectl_objects, own_objects, sections, write

HERE = Path(__file__).parent / "kustomizations"
CASES = {path.stem: sections(path.read_text()) for path in sorted(HERE.glob("*.txt"))}
SHARED = {path.name: path.read_text() for path in sorted((HERE / "shared").iterdir())}


@pytest.mark.parametrize("name", CASES)
def test_each_known_value_is_kubectls_and_only_these_are_unknown(name, tmp_path):
    files = dict(CASES[name])
    expected = files.pop("unknown", "").split("\n")[:-1]
    write(tmp_path / "k", {**SHARED, **files})
    wrong, unknown = differences(own_objects(tmp_path / "k"), kubectl_objects(tmp_path / "k"))
    assert wrong == []
    assert sorted(unknown) == sorted(expected)
