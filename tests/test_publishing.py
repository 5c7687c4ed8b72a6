"""What the pages say of PyPI, of the release and of the address, by two constants; and the files that other channels need of a release."""

import hashlib
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml

from conftest import ROOT, environment, needs
from constructs_lib.cli.own_version import VERSION
from tools.channels import FILES, write_channels
from tools.publishing import Publication, on_the_index, publication, written

ADDRESS = "https://github.com/Some-Owner/cdk8s-nvidia-talos"
STATES = {"nowhere": Publication(), "address": Publication(ADDRESS), "published": Publication(ADDRESS, published=True)}
# docs/publishing.md is for the owner, and has what is to be filled in.
PAGES = [
    *(ROOT / name for name in ("README.md", "SECURITY.md")),
    *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "publishing.md"),
]
SWITCHED = {"README.md", "SECURITY.md", "changes.md", "install.md", "rehearsal.md", "renovate.md", "rules.md"}


def pages(state):
    return {path.name: written(path.read_text(), STATES[state]) for path in PAGES}


def with_words(state, words):
    return [name for name, text in pages(state).items() if re.search(words, text)]


def test_before_a_release_no_page_promises_what_is_not_there():
    for state in ("nowhere", "address"):
        assert (
            with_words(
                state,
                r"pypi\.org/project/cdk8s-nvidia|releases/(latest|download|tag)|ghcr\.io/[\w-]+/talos-gpu|brew tap-new|mise use|security/advisories",
            )
            == []
        )
        assert with_words(state, "not on PyPI") == ["README.md", "SECURITY.md", "install.md", "rules.md"]


def test_after_a_release_no_page_says_that_there_is_none():
    assert with_words("published", r"not on PyPI|no release yet|Once there is a release") == []
    assert with_words("published", r"pypi\.org/project/cdk8s-nvidia-talos") == ["install.md"]
    assert with_words("published", "pipx install cdk8s-nvidia-talos") == ["README.md"]


@pytest.mark.parametrize("state", ["address", "published"])
def test_no_page_has_a_placeholder_once_there_is_an_address(state):
    assert with_words(state, r"\bOWNER\b|git\.example\.com/cdk8s-nvidia-talos") == []
    assert f"  - repo: {ADDRESS}\n    rev: v{VERSION}\n" in pages(state)["rules.md"]
    assert f"      - uses: Some-Owner/cdk8s-nvidia-talos@v{VERSION}\n" in pages(state)["rules.md"]


def test_only_the_pages_with_texts_for_both_states_differ():
    assert {name for name, text in pages("nowhere").items() if text != pages("published")[name]} == SWITCHED


@pytest.mark.parametrize("old", STATES)
@pytest.mark.parametrize("new", STATES)
def test_a_page_is_the_same_whatever_was_written_before(old, new):
    assert {name: written(text, STATES[new]) for name, text in pages(old).items()} == pages(new)


def test_another_address_replaces_the_first():
    moved = Publication(ADDRESS.replace("Some-Owner", "other"))

    assert [name for name, text in pages("address").items() if "Some-Owner" in written(text, moved)] == []


def test_another_version_replaces_the_one_of_every_command():
    page = written((ROOT / "docs" / "rules.md").read_text().replace(f"v{VERSION}", "v0.0.9"), publication())

    assert page == (ROOT / "docs" / "rules.md").read_text()


@pytest.mark.parametrize("state", STATES)
def test_no_line_of_markdown_begins_with_a_comment_that_hides_its_words(state):
    """CommonMark takes the whole line after a comment at its start for HTML."""
    assert with_words(state, r"(?m)^<!-- publication [\w-]+ -->.*\S|^<!-- end -->.*\S") == []


@pytest.mark.parametrize(
    ("address", "published", "message"),
    [
        ("https://example.com/a", False, "'Repository' must be https://github.com/OWNER/cdk8s-nvidia-talos (got 'https://example.com/a')"),
        (f"{ADDRESS}/", False, f"'Repository' must be https://github.com/OWNER/cdk8s-nvidia-talos (got '{ADDRESS}/')"),
        (
            "https://github.com/OWNER/cdk8s-nvidia-talos",
            False,
            "'Repository' must be https://github.com/OWNER/cdk8s-nvidia-talos (got 'https://github.com/OWNER/cdk8s-nvidia-talos')",
        ),
        ("", True, "'published' must be false without 'Repository' in [project.urls]; a release has an address"),
    ],
)
def test_constants_that_contradict_each_other_are_an_error(address, published, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        Publication(address, published=published)
    assert str(error.value) == message


def test_the_constants_are_read_as_the_page_says_to_write_them(tmp_path):
    text = (ROOT / "pyproject.toml").read_text()
    page = (ROOT / "docs" / "publishing.md").read_text()
    (urls,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    urls = re.sub(r"^ +", "", urls, flags=re.MULTILINE).replace("OWNER", "Some-Owner")
    text = re.sub(r"^(# )?\[project\.urls\]\n(# )?Repository = .*\n", "", text, flags=re.MULTILINE)
    (tmp_path / "pyproject.toml").write_text(re.sub(r"^published = \w+", "published = true", text, flags=re.MULTILINE) + urls)

    assert publication(tmp_path / "pyproject.toml") == STATES["published"]


def test_published_is_true_or_false_and_no_text(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\n[tool.publishing]\npublished = "false"\n')
    with pytest.raises(TypeError, match="published") as error:
        publication(tmp_path / "pyproject.toml")
    assert str(error.value) == "'published' must be true or false (got 'false')"


def test_these_tests_pass_in_the_state_that_the_owner_publishes(tmp_path):
    """A copy with both constants set and the pages written, as docs/publishing.md says."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if name.startswith(("constructs_lib/", "tools/", "docs/")) or name.endswith(".py") or "/" not in name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    project = (tmp_path / "pyproject.toml").read_text()
    project = re.sub(
        r"^(# )?\[project\.urls\]\n(# )?Repository = .*\n", f'[project.urls]\nRepository = "{ADDRESS}"\n', project, flags=re.MULTILINE
    )
    (tmp_path / "pyproject.toml").write_text(re.sub(r"^published = \w+", "published = true", project, flags=re.MULTILINE))
    assert publication(tmp_path / "pyproject.toml") == STATES["published"]
    for path in PAGES:
        copy = tmp_path / path.relative_to(ROOT)
        copy.write_text(written(copy.read_text(), STATES["published"]))

    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-m",
            "not thorough",
            "-k",
            "not owner_publishes",
            "tests/test_publishing.py",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_address_without_a_release_promises_no_tag():
    for name in ("changes.md", "install.md", "renovate.md", "rules.md"):
        assert f"Replace `v{VERSION}` by a commit; there is no tag yet." in pages("address")[name]
    assert with_words("published", "there is no tag yet") == []


def test_a_file_and_the_image_are_verified_by_workflow_and_tag():
    (commands,) = re.findall(r"```sh\n(sha256sum .*?)```", pages("published")["SECURITY.md"], re.DOTALL)
    flags = "--signer-workflow Some-Owner/cdk8s-nvidia-talos/.github/workflows/release.yml"
    assert commands.count(f" --source-ref refs/tags/v{VERSION} {flags}\n") == 2


def test_the_readme_on_the_index_links_to_the_files_of_the_tag():
    readme = "![A](docs/a.svg) [b](docs/b.md#c) [d](https://e) [f](#g) `x[0](y)`\n".replace("`x[0](y)`", "")

    assert on_the_index(readme, STATES["address"]) == (
        f"![A]({ADDRESS}/raw/v{VERSION}/docs/a.svg) [b]({ADDRESS}/blob/v{VERSION}/docs/b.md#c) [d](https://e) [f](#g) \n"
    )
    assert on_the_index(readme, Publication()) == readme
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", on_the_index((ROOT / "README.md").read_text(), STATES["published"])) == []


# The files for other channels


@pytest.fixture
def channels(tmp_path):
    (tmp_path / "talos-gpu.pyz").write_bytes(b"#!/usr/bin/env python3\n")
    write_channels(tmp_path, STATES["published"])
    return tmp_path


def test_the_formula_has_the_address_and_the_digest_of_the_file(channels):
    formula = (channels / "talos-gpu.rb").read_text()
    digest = hashlib.sha256((channels / "talos-gpu.pyz").read_bytes()).hexdigest()

    assert f'  url "{ADDRESS}/releases/download/v{VERSION}/talos-gpu.pyz"\n  sha256 "{digest}"\n' in formula
    assert 'exec "#{Formula["python@3.13"].opt_bin}/python3.13" -I -S "#{libexec}/talos-gpu.pyz" "$@"\n' in formula
    assert re.search(r'^  desc "(?!An? )[A-Z][^"]{,78}[^".]"$', formula, re.MULTILINE)  # what brew audit asks of a description


def test_the_entry_for_aqua_takes_the_file_its_checksum_and_the_workflow_that_signed_it(channels):
    (package,) = yaml.safe_load((channels / "aqua-registry.yaml").read_text())["packages"]

    assert (package["repo_owner"], package["repo_name"], package["asset"], package["format"]) == (
        "Some-Owner",
        "cdk8s-nvidia-talos",
        "talos-gpu.pyz",
        "raw",
    )
    assert package["checksum"] == {"type": "github_release", "asset": "SHA256SUMS", "algorithm": "sha256"}
    assert package["github_artifact_attestations"] == {"signer_workflow": "Some-Owner/cdk8s-nvidia-talos/.github/workflows/release.yml"}


def test_the_entry_for_mise_uses_that_for_aqua(channels):
    entry = tomllib.loads((channels / "mise-registry.toml").read_text())

    assert entry["backends"] == ["aqua:Some-Owner/cdk8s-nvidia-talos"]
    assert entry["test"] == {"cmd": "talos-gpu --version", "expected": "talos-gpu {{version}}"}


def test_the_install_page_names_files_that_a_release_has(channels):
    assert set(re.findall(rf"releases/download/v{re.escape(VERSION)}/([\w.-]+)", pages("published")["install.md"])) == {
        "talos-gpu.pyz",
        "talos-gpu.rb",
    }
    assert {path.name for path in channels.iterdir()} == {"talos-gpu.pyz", *FILES}
    assert set(re.findall(r"^\| `([\w.-]+)` \|", (ROOT / "docs" / "publishing.md").read_text(), re.MULTILINE)) == set(FILES)


# The hook


@pytest.mark.thorough
def test_pre_commit_installs_the_hook_from_a_clone_and_a_faulty_file_fails(tmp_path):
    needs("PACKAGE_INDEX", "a package index to install pre-commit and the hook from")
    python = environment("python3", tmp_path / "venv", "pre-commit>=4,<5")
    repository = tmp_path / "repository"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), tmp_path / "hooks"], check=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path / "hooks", capture_output=True, text=True, check=True).stdout.strip()
    (config,) = re.findall(r"^```yaml\n(repos:\n.*?)^```", pages("address")["rules.md"], re.MULTILINE | re.DOTALL)
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    (repository / ".pre-commit-config.yaml").write_text(config.replace(ADDRESS, str(tmp_path / "hooks")).replace(f"v{VERSION}", commit))

    def hook(gpus):
        (repository / "pod.yaml").write_text(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
            f"spec: {{containers: [{{name: a, image: a, resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}}}]}}\n"
        )
        subprocess.run(["git", "add", "."], cwd=repository, check=True)
        return subprocess.run(
            [python, "-m", "pre_commit", "run"],
            cwd=repository,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PRE_COMMIT_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )

    failed = hook("0.5")
    assert (failed.returncode, "error TG045" in failed.stdout) == (1, True), failed.stdout + failed.stderr
    assert hook("1").returncode == 0
