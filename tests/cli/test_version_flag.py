"""`talos-gpu --version`."""

import subprocess
import sys

from conftest import ROOT
from constructs_lib.cli import main, own_version
from constructs_lib.upstream.talos.releases import READ_ON


def test_the_version_is_that_of_the_library_with_the_date_of_the_tables(capsys, monkeypatch):
    monkeypatch.setattr(own_version, "VERSION", "9.8.7")

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"talos-gpu 9.8.7 (tables of {READ_ON})\n"


def test_the_version_loads_no_parser_and_no_json():
    code = "import sys; from constructs_lib.cli import main; main(['--version']); sys.exit({'argparse', 'json', 'pathlib'} & {*sys.modules} != set())"
    environment = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("talos-gpu ")
