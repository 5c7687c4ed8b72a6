"""`make dry-release`: every file of build/release is installed and started on this machine, as its user would. Nothing is published.

The packages that the library needs come from the index, by the locked hashes."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from constructs_lib.cli.own_version import VERSION

ROOT = Path(__file__).resolve().parent.parent
FAULTY = ROOT / "docs" / "example.yaml"
FORMULA_RUNNER = Path(__file__).with_name("formula.rb")


def dry_release(release: Path) -> Iterator[str]:
    """A line for each file that was tried; an error for the first that fails."""
    yield _checksums(release)
    yield _started("talos-gpu.pyz", [sys.executable, "-I", "-S", str(release / "talos-gpu.pyz")])
    for name in sorted(path.name for path in release.glob("cdk8s_nvidia_talos-*") if path.suffix in {".whl", ".gz"}):
        yield _in_an_environment(release, name)
    yield _formula(release)


def _checksums(release: Path) -> str:
    lines = (release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in release.iterdir() if path.name != "SHA256SUMS"}
    if sums != found:
        raise ValueError(f"SHA256SUMS has other files or digests than {release}")
    return f"SHA256SUMS: {len(sums)} files"


def _started(name: str, command: list[str]) -> str:
    """The command says its version, and finds a fault."""
    version = _run([*command, "--version"], 0)
    if not version.startswith(f"talos-gpu {VERSION} "):
        raise ValueError(f"{name} says that it is {version!r}")
    found = set(re.findall(r"TG\d{3}", _run([*command, "check", "--talos", "1.14", str(FAULTY)], 1)))
    return f"{name}: {version.strip()}; check found {', '.join(sorted(found))}"


def _in_an_environment(release: Path, name: str) -> str:
    """The library from its wheel or source distribution, and beside it the rehearsal of the same kind."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        build = Path(folder, "build.txt")
        build.write_text(_locked_setuptools(), encoding="utf-8")
        both = [str(release / name), str(release / name.replace("talos-", "talos_rehearsal-"))]
        python = Path(folder, "bin", "python")
        pip = [str(python), "-I", "-m", "pip", "--quiet", "--disable-pip-version-check"]
        locks = ["--requirement", str(ROOT / "requirements" / "synth.txt"), "--requirement", str(build)]
        _run([*pip, "install", "--require-hashes", "--only-binary", ":all:", *locks], 0)
        _run([*pip, "install", "--no-index", "--no-deps", "--no-build-isolation", *both], 0)
        _run([*pip, "check"], 0)
        line = _started(name, [str(Path(folder, "bin", "talos-gpu"))])
        _run([str(python), "-I", "-c", "import constructs_lib.constructs, talos_gpu_rehearsal.command"], 0)
        if not Path(folder, "share", "man", "man1", "talos-gpu.1").is_file():
            raise ValueError(f"{name} installs no manual")
    return f"{line}; the rehearsal beside it"


def _locked_setuptools() -> str:
    """The lines of the lock with which a source distribution is built."""
    lock = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    (setuptools,) = re.findall(r"^setuptools==(?:.*\\\n)+.*$", lock, re.MULTILINE)
    return f"{setuptools}\n"


def _formula(release: Path) -> str:
    """The formula by Ruby, with the few methods of Homebrew that it calls. Without Ruby it is not tried."""
    ruby = shutil.which("ruby")
    if ruby is None:
        return "talos-gpu.rb: not tried, there is no ruby"
    _run([ruby, str(FORMULA_RUNNER), str(release), sys.executable], 0)
    return "talos-gpu.rb: installed, and its test passed"


def _run(command: list[str], status: int) -> str:
    # No module and no setting of this checkout: what is started has to have its own.
    clean = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}}
    with tempfile.TemporaryDirectory() as folder:
        clean["XDG_CACHE_HOME"] = folder
        done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise ValueError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main(say: Callable[[str], object] = print) -> None:
    """Try the folder, and print each line when it is known."""
    for line in dry_release(Path(sys.argv[1]).resolve()):
        say(f"dry-release: {line}")


if __name__ == "__main__":
    main()
