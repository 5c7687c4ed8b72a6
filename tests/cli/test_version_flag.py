"""`talos-gpu --version`."""

import pytest

from constructs_lib.cli import main, own_version
from constructs_lib.upstream.talos.releases import READ_ON


def test_the_version_is_that_of_the_library_with_the_date_of_the_tables(capsys, monkeypatch):
    monkeypatch.setattr(own_version, "VERSION", "9.8.7")
    with pytest.raises(SystemExit) as ended:
        main(["--version"])

    assert ended.value.code == 0
    assert capsys.readouterr().out == f"talos-gpu 9.8.7 (tables of {READ_ON})\n"
