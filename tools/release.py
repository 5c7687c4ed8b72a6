"""Write the wheels and the source distributions of a commit, of the library and of the rehearsal: `python -m tools.release FOLDER`. One commit gives
the same bytes on every machine."""

import gzip
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tools.publishing import on_the_index, publication

ROOT = Path(__file__).resolve().parent.parent
LICENCES = ("LICENSE", "NOTICE")
"""The files that both distributions have, and that stand once in the repository."""


def release(output: Path, commit: str = "HEAD") -> None:
    """Build all from the files of a commit, whatever the working folder has besides."""
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct", commit], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as source:
        # The modes are git's own: a clone has those of its user's umask.
        files = subprocess.run(["git", "-c", "tar.umask=0022", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            archive.extractall(source, filter="tar")
        readme = Path(source, "README.md")
        links = on_the_index(readme.read_text(encoding="utf-8"), publication(Path(source, "pyproject.toml")))
        readme.write_text(links, encoding="utf-8")
        for folder in (Path(source), with_licences(Path(source, "rehearsal"))):
            command = [
                sys.executable,
                "-m",
                "build",
                "--no-isolation",
                "--sdist",
                "--wheel",
                "--outdir",
                str(output.resolve()),
                str(folder),
            ]
            subprocess.run(
                command, env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": epoch}, umask=0o022, stdout=subprocess.DEVNULL, check=True
            )
    for sdist in output.glob("*.tar.gz"):
        repack(sdist, int(epoch))


def with_licences(folder: Path) -> Path:
    """A folder below the repository's, with the licences that its distribution has too."""
    for name in LICENCES:
        shutil.copy(folder.parent / name, folder / name)
    return folder


def repack(sdist: Path, epoch: int) -> None:
    """Write a source distribution again with one date, one owner, one order and plain modes: setuptools takes those of the build."""
    packed = io.BytesIO()
    with tarfile.open(sdist) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            content = old.extractfile(member) if member.isfile() else None
            mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            plain = member.replace(mtime=epoch, mode=mode, uid=0, gid=0, uname="", gname="", deep=False)
            plain.pax_headers = {}
            new.addfile(plain, content)
    with sdist.open("wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=epoch) as compressed:
        compressed.write(packed.getvalue())


if __name__ == "__main__":
    release(Path(sys.argv[1]))
