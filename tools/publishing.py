"""What pages say of PyPI, the release and the address of the repository. All of it follows from two constants of pyproject.toml, which the owner sets
(docs/publishing.md): `published` of [tool.publishing], and `Repository` of [project.urls]. `make docs` writes the pages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constructs_lib.cli.own_version import VERSION

ROOT = Path(__file__).resolve().parent.parent
NAME = "cdk8s-nvidia-talos"
# The workflow of the release is GitHub's, and a page is written again after the address has changed: both need this form. OWNER is the placeholder.
_ADDRESS = re.compile(rf"https://github\.com/(?P<owner>(?!OWNER/)[A-Za-z\d-]+)/{NAME}")
_ELSEWHERE = rf"https://(?:git\.example\.com|github\.com/(?!OWNER/)[A-Za-z\d-]+)/{NAME}(?![\w-])"
_OWNER = rf"(?<=uses: )[A-Za-z\d-]+(?=/{NAME}(?:/diff)?@)|(?:(?<=github>)|(?<=git\.example\.com/))[A-Za-z\d-]+(?=/{NAME}(?![\w-]))"
_VERSION = rf"(?P<before>{NAME}(?:(?:/diff)?@|\n +rev: |\.git\", ref: |//renovate/[\w.-]+#)v)\d+\.\d+\.\d+"
_MARKED = re.compile(r"(?P<start><!-- publication (?P<name>[\w-]+) -->\n?).*?(?P<end>\n?<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Publication:
    """The two constants."""

    address: str = ""
    published: bool = False

    def __post_init__(self) -> None:
        """Refuse an address that the pages and the workflow can't have."""
        if self.address and not _ADDRESS.fullmatch(self.address):
            raise ValueError(f"'Repository' must be https://github.com/OWNER/{NAME} (got {self.address!r})")
        if self.published and not self.address:
            raise ValueError("'published' must be false without 'Repository' in [project.urls]; a release has an address")

    @property
    def owner(self) -> str:
        """The owner on GitHub, or a placeholder."""
        found = _ADDRESS.fullmatch(self.address)
        return found["owner"] if found else "OWNER"

    @property
    def release_address(self) -> str:
        """The address with the owner, or with a placeholder."""
        return self.address or f"https://github.com/{self.owner}/{NAME}"


def publication(pyproject: Path = ROOT / "pyproject.toml") -> Publication:
    """The constants of today."""
    tables = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    published = tables["tool"]["publishing"]["published"]
    if not isinstance(published, bool):
        raise TypeError(f"'published' must be true or false (got {published!r})")
    return Publication(tables["project"].get("urls", {}).get("Repository", ""), published)


def written(page: str, now: Publication) -> str:
    """The page with the texts, the addresses and the version for these constants."""
    page = _MARKED.sub(lambda found: f"{found['start']}{_text(found['name'], now)}{found['end']}", page)
    page = re.sub(_ELSEWHERE, now.address or f"https://git.example.com/{NAME}", page)
    return re.sub(_VERSION, rf"\g<before>{VERSION}", re.sub(_OWNER, now.owner, page))


def on_the_index(readme: str, now: Publication) -> str:
    """The README of the package: its links lead to the files of the tag, because an index has no files beside it."""
    if not now.address:
        return readme
    readme = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\g<1>{now.address}/raw/v{VERSION}/", readme)
    return re.sub(r"(\]\()(?!https?:|#)", rf"\g<1>{now.address}/blob/v{VERSION}/", readme)


def _text(name: str, now: Publication) -> str:
    before, after = _TEXTS[name]
    replace = (
        f" Replace `v{VERSION}` by a commit; there is no tag yet."
        if now.address
        else f" Replace `OWNER` and `git.example.com` by those of your copy of this repository, and `v{VERSION}` by a tag or a commit."
    )
    return (after if now.published else before).format(
        address=now.release_address, owner=now.owner, image=image(now), version=VERSION, series=VERSION.rpartition(".")[0], replace=replace
    )


def image(now: Publication) -> str:
    """The name of the container image, which is in lower case: https://docs.github.com/en/packages."""
    return f"ghcr.io/{now.owner.lower()}/talos-gpu"


_ROWS = """\
| the checks on each pull request | the [GitHub action](rules.md#in-ci) of this repository | two dependencies, by hash |
| the checks before each commit | the [pre-commit hook](rules.md#in-ci) `talos-gpu-check` | cdk8s too |
| the constructs, for an app | [`pip install` of the constructs](#the-constructs) | cdk8s, and Node.js with the extra `node` |
| the checks in a browser | `make site` in a clone builds the site; its playground runs the checks | nothing on the reader's machine |
"""

_TEXTS: Mapping[str, tuple[str, str]] = {
    "command": (
        """clone this repository and run `make zipapp`. It writes `build/talos-gpu.pyz`, one file that only needs Python 3.11 or newer. \
The package is not on PyPI yet""",
        """download `talos-gpu.pyz` of the [newest release]({address}/releases/latest), one file that only needs Python 3.11 or newer, \
or run `pipx install cdk8s-nvidia-talos`""",
    ),
    "constructs": (
        '`pip install "./cdk8s-nvidia-talos[node]"` installs the constructs from a checkout, with Node.js for cdk8s',
        '`pip install "cdk8s-nvidia-talos[node]"` installs the constructs, with Node.js for cdk8s',
    ),
    "install": (
        """\
The package is not on PyPI yet, so never install it by its name alone.{replace}

For a first try, clone the repository and take the first row.

| you want | do this | what it installs |
|---|---|---|
| the command, as one file | `make zipapp` in a clone, then `python3 build/talos-gpu.pyz check .` | in the clone, `make` installs cdk8s and Node.js into `.venv`; the finished file needs only Python: it contains PyYAML and attrs |
| the command, for one run with uv | `uvx --from "git+https://git.example.com/cdk8s-nvidia-talos@v{version}" talos-gpu check .` | cdk8s too, without hashes |
| the command, for one run with pipx | `pipx run --spec "git+https://git.example.com/cdk8s-nvidia-talos@v{version}" talos-gpu check .` | cdk8s too, without hashes |
| the command in a container | `make zipapp`, `docker build --file Containerfile --tag talos-gpu .`, then `docker run --rm --network none --read-only --volume .:/work:ro talos-gpu check .` | one file on a Python image; `make` as above |
"""
        + _ROWS
        + """
Tried on 2026-11-28: `uvx` and `pipx run` with a commit of a clone, the file with Python 3.11, the hook with pre-commit 4, and the image with buildah.
The action is untested on a GitHub runner.""",
        """\
Version {version} is on [PyPI](https://pypi.org/project/cdk8s-nvidia-talos/{version}/), and its files are in the
[release]({address}/releases/tag/v{version}). [Verify a file](../SECURITY.md#releases) before you run it.

| you want | do this | what it installs |
|---|---|---|
| the command, as one file | `curl -fLO {address}/releases/download/v{version}/talos-gpu.pyz`, then `python3 talos-gpu.pyz check .` | one file, which needs only Python: it contains PyYAML and attrs |
| the command, for one run with uv | `uvx --from cdk8s-nvidia-talos=={version} talos-gpu check .` | cdk8s too, without hashes |
| the command, for one run with pipx | `pipx run --spec cdk8s-nvidia-talos=={version} talos-gpu check .` | cdk8s too, without hashes |
| the command with Homebrew | `brew tap-new --no-git local/tools`, `curl -fL {address}/releases/download/v{version}/talos-gpu.rb -o "$(brew --repository local/tools)/Formula/talos-gpu.rb"`, then `brew install local/tools/talos-gpu` | the one file, and Homebrew's Python |
| the command with mise | `mise use "pipx:cdk8s-nvidia-talos@{version}"` | cdk8s too, without hashes |
| the command with aqua | `aqua-registry.yaml` of the release as a registry of the type `local`, and the package `{owner}/cdk8s-nvidia-talos@v{version}` | the one file, whose checksum and provenance aqua verifies |
| the command in a container | `docker run --rm --network none --read-only --volume .:/work:ro {image}:{version} check .` | one file on a Python image, for amd64 and arm64 |
"""
        + _ROWS.rstrip("\n"),
    ),
    "install-constructs": (
        """\
Install the constructs from a checkout, or from a tag or a commit:

```
pip install "./cdk8s-nvidia-talos[node]"
pip install "cdk8s-nvidia-talos[node] @ git+https://git.example.com/cdk8s-nvidia-talos@v{version}"
```""",
        """\
Install the constructs from PyPI, or from a tag or a commit:

```
pip install "cdk8s-nvidia-talos[node]"
pip install "cdk8s-nvidia-talos[node] @ git+https://git.example.com/cdk8s-nvidia-talos@v{version}"
```""",
    ),
    "supported": ("{series}.x", "{series}.x"),
    "placeholders": ("{replace}", ""),
    "ci": ("The package is not on PyPI yet.{replace}", ""),
    "rehearsal": (
        "`pip install ./rehearsal` in a clone",
        "`pip install cdk8s-nvidia-talos-rehearsal`, or `pip install ./rehearsal` in a clone",
    ),
    "report": (
        "report a weakness in private to the maintainers of the repository from which you have this library",
        "report a weakness in private by [a security advisory]({address}/security/advisories/new)",
    ),
    "index": ("The package is not on PyPI. ", ""),
    "releases": ("There is no release yet, and none of this has run on GitHub; ", ""),
    "verify": (
        """\
Once there is a release, these commands verify a file:

```sh
sha256sum --check --ignore-missing SHA256SUMS
gh attestation verify talos-gpu.pyz --repo {owner}/cdk8s-nvidia-talos --source-ref refs/tags/v{version} --signer-workflow {owner}/cdk8s-nvidia-talos/.github/workflows/release.yml
```""",
        """\
These commands verify a file of a release, and the image:

```sh
sha256sum --check --ignore-missing SHA256SUMS
gh attestation verify talos-gpu.pyz --repo {owner}/cdk8s-nvidia-talos --source-ref refs/tags/v{version} --signer-workflow {owner}/cdk8s-nvidia-talos/.github/workflows/release.yml
gh attestation verify oci://{image}:{version} --repo {owner}/cdk8s-nvidia-talos --source-ref refs/tags/v{version} --signer-workflow {owner}/cdk8s-nvidia-talos/.github/workflows/release.yml
```""",
    ),
}
"""Each text before the first release, and after it."""
