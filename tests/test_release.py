"""The files that ship the command: workflows, the action, the container file and the release. GitHub runs none of them here."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from conftest import ROOT
from constructs_lib.cli.own_version import VERSION
from tools import dry_release
from tools.channels import write_channels
from tools.publishing import Publication
from tools.sbom import bill_of_materials, rehearsal_bill

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"
ACTIONS = (ACTION, ROOT / "diff" / "action.yml")
COMPONENT = ROOT / "templates" / "diff.yml"
RELEASE = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")


def steps(path):
    body = yaml.safe_load(path.read_text())
    return body["runs"]["steps"] if "runs" in body else [step for job in body["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=lambda path: f"{path.relative_to(ROOT)}")
def test_every_action_is_pinned_to_a_commit_and_one_action_has_one_commit(path):
    lines = [line.strip().removeprefix("- ") for line in path.read_text().splitlines() if "uses: " in line]
    used = {
        line
        for each in (*WORKFLOWS, *ACTIONS, ROOT / "docs" / "rules.md", ROOT / "docs" / "changes.md")
        for line in re.findall(r"uses: (\S+)", each.read_text())
    }

    assert len(lines) == sum("uses" in step for step in steps(path))
    assert [line for line in lines if not PINNED.fullmatch(line)] == []
    others = {each for each in used if "/cdk8s-nvidia-talos" not in each}
    assert len({each.partition("@")[0] for each in others}) == len(others)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_read_and_a_job_says_what_it_writes(path):
    body = yaml.safe_load(path.read_text())

    assert body["permissions"] in ({}, {"contents": "read"})
    assert all("timeout-minutes" in job for job in body["jobs"].values())
    assert all(step.get("with", {}).get("persist-credentials") is False for step in steps(path) if "checkout" in step.get("uses", ""))
    assert "secrets." not in path.read_text()


def test_the_jobs_of_a_release_have_the_permissions_that_they_need_alone():
    jobs = RELEASE["jobs"]

    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "test": {"contents": "read"},
        "build": {"contents": "read"},
        "provenance": {"id-token": "write", "attestations": "write"},
        "publish": {"id-token": "write"},
        "image": {"contents": "read", "packages": "write", "id-token": "write", "attestations": "write"},
        "notes": {"contents": "write"},
    }
    assert [job.get("needs") for job in jobs.values()] == [None, "test", "build", ["build", "provenance"], "publish", ["publish", "image"]]


def test_a_release_that_is_started_by_hand_only_uploads_to_the_index_of_tests():
    jobs = RELEASE["jobs"]
    action = jobs["publish"]["steps"][-1]["with"]

    assert RELEASE[True].keys() == {"push", "workflow_dispatch"}  # YAML 1.1 reads the key `on` as true
    assert [name for name, job in jobs.items() if "event_name == 'push'" not in job.get("if", "")] == ["test", "build", "publish"]
    assert action == {
        "repository-url": "${{ github.event_name == 'push' && 'https://upload.pypi.org/legacy/' || 'https://test.pypi.org/legacy/' }}"
    }
    assert jobs["publish"]["environment"].startswith("${{ github.event_name == 'push' && matrix.environment || ")


def test_each_project_has_an_environment_of_its_own_which_the_page_names_for_both_indexes():
    page = (ROOT / "docs" / "publishing.md").read_text()
    rows = re.findall(r"^\| (PyPI|TestPyPI) \| (\S+) \| OWNER \| cdk8s-nvidia-talos \| release\.yml \| (\S+) \|$", page, re.MULTILINE)
    publishers = {
        (each["project"].replace("_", "-"), each["environment"]) for each in RELEASE["jobs"]["publish"]["strategy"]["matrix"]["include"]
    }

    assert {(project, environment) for index, project, environment in rows if index == "PyPI"} == publishers
    assert {(project, environment.removeprefix("test")) for index, project, environment in rows if index == "TestPyPI"} == publishers
    assert len({environment for _, _, environment in rows}) == len(rows) == 4


@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=lambda path: f"{path.relative_to(ROOT)}")
def test_no_text_of_strangers_is_a_part_of_a_script(path):
    assert [step["run"] for step in steps(path) if "${{" in step.get("run", "")] == []


def test_the_workflows_call_what_every_machine_calls():
    runs = [step["run"] for path in WORKFLOWS for step in steps(path) if "run" in step]
    verbs = set(re.findall(r"^make ([\w-]+)$", "\n".join(runs), re.MULTILINE))

    assert ".ci/run" in runs
    assert verbs == {"release", "try-release"}
    assert "\nmake dry-release\n" in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=lambda path: f"{path.relative_to(ROOT)}")
def test_every_pip_asks_for_hashes_of_a_file_that_exists(path):
    lines = [line for step in steps(path) for line in step.get("run", "").splitlines() if "pip install" in line]

    assert all("--require-hashes" in line and "--only-binary :all:" in line for line in lines)
    assert all((ROOT / re.findall(r"requirements/\w+\.txt", line)[0]).is_file() for line in lines)


def test_the_lock_of_the_command_is_a_part_of_that_of_synth():
    lock, whole = ((ROOT / "requirements" / f"{name}.txt").read_text() for name in ("command", "synth"))
    packages = re.split(r"^(?=\S)", lock, flags=re.MULTILINE)

    assert {package.partition("==")[0] for package in packages if package} == {"attrs", "pyyaml"}
    assert all(package in whole for package in packages)


@pytest.mark.thorough
def test_one_commit_gives_the_same_wheel_and_the_same_source_distribution_in_every_clone(tmp_path):
    digests = []
    for umask in (0o002, 0o077):
        clone = tmp_path / str(umask)
        subprocess.run(["git", "clone", "--quiet", str(ROOT), clone], umask=umask, check=True)
        (clone / "constructs_lib" / "forgotten.py").write_text("")
        output = tmp_path / f"{umask} built"
        subprocess.run([sys.executable, "-m", "tools.release", output], cwd=clone, umask=umask, capture_output=True, check=True)
        digests.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in output.iterdir()})

    assert sorted(path.rpartition(".")[2] for path in digests[0]) == ["gz", "gz", "whl", "whl"]
    assert digests[0] == digests[1]


# The steps of the release that are shell


@pytest.fixture
def shell(tmp_path):
    """Run a step of the release in a folder. The programs that reach a registry write down how they are called, with what they read."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("docker", "gh"):
        (programs / name).write_text(PROGRAM.format(name=name, calls=tmp_path / "calls"))
        (programs / name).chmod(0o755)
    folder = tmp_path / "checkout"
    folder.mkdir()

    def run(job, name, status=0, **variables):
        (step,) = (step for step in RELEASE["jobs"][job]["steps"] if name in (step.get("name"), step.get("run", "").partition(" ")[0]))
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(tmp_path / "outputs"), **GITHUB, **variables}
        assert set(step.get("env", {})) <= set(environment)
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done.stderr
        return [(tmp_path / file).read_text().splitlines() if (tmp_path / file).exists() else [] for file in ("calls", "outputs")]

    return folder, run


DIGEST = f"sha256:{'a' * 64}"
PROGRAM = f"""#!/bin/bash
echo {{name}} "$@" >> {{calls}}
[ "$1" != run ] || case "$*" in *--version) echo "talos-gpu ${{{{STARTS:-1.2.3}}}} (tables of today)" ;; *) echo "${{{{FINDS-error TG045}}}}"; exit 1 ;; esac
while [ "$#" -gt 0 ]; do if [ "$1" = --metadata-file ]; then echo '{{{{"containerimage.digest": "{DIGEST}"}}}}' > "$2"; fi; shift; done
"""
GITHUB = {
    "GITHUB_REF_NAME": "v1.2.3",
    "GITHUB_REPOSITORY": "Some-Owner/cdk8s-nvidia-talos",
    "GITHUB_REPOSITORY_OWNER": "Some-Owner",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_ACTOR": "somebody",
}


def test_every_step_in_shell_of_a_release_runs_in_these_tests_or_is_a_command_of_every_machine():
    names = {step.get("name") or step["run"].partition(" ")[0] for step in steps(ROOT / ".github/workflows/release.yml") if "run" in step}

    assert names == {
        *{".ci/run", "make", "the pages have the address of this repository"},
        *{"the pages say that there is a release", "the tag is the version", "the distributions of the project alone"},
        *{"start the image", "build and push the image", "gh"},
    }


@pytest.mark.parametrize(
    ("line", "status"), [("published = true # as here", 0), ("published = true", 0), ("published = false", 1), ("# published = true", 1)]
)
def test_no_tag_is_built_while_the_pages_say_that_there_is_no_release(shell, line, status):
    folder, run = shell
    (folder / "pyproject.toml").write_text(f"[tool.publishing]\n{line}\n")

    run("test", "the pages say that there is a release", status)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ('Repository = "https://github.com/Some-Owner/cdk8s-nvidia-talos"', 0),
        ('# Repository = "https://github.com/Some-Owner/cdk8s-nvidia-talos"', 1),
        ('Repository = "https://github.com/other/cdk8s-nvidia-talos"', 1),
    ],
)
def test_no_release_is_built_while_the_pages_have_the_address_of_another_repository(shell, line, status):
    folder, run = shell
    (folder / "pyproject.toml").write_text(f"[project.urls]\n{line}\n")

    run("test", "the pages have the address of this repository", status)


def test_nothing_of_others_runs_between_the_checksums_and_the_upload():
    """The dry release installs packages, and the job with the folder of the release is its writer."""
    names = [step.get("name") or step.get("run") or step["uses"].partition("@")[0] for step in RELEASE["jobs"]["build"]["steps"]]

    assert names[2:] == [
        "make release",
        "the tag is the version",
        "actions/upload-artifact",
        "make try-release",
    ]


@pytest.mark.parametrize("name", ["constructs_lib/forgotten.py", "pyproject.toml"])
def test_no_release_is_made_of_a_working_folder_with_changes(tmp_path, name):
    """talos-gpu.pyz comes from the working folder."""
    for each in ("Makefile", ".gitignore", "pyproject.toml"):
        shutil.copy(ROOT / each, tmp_path / each)
    (tmp_path / "requirements").mkdir()
    for each in ("requirements/synth.txt", "requirements/dev.txt"):
        (tmp_path / each).touch()
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "a"], cwd=tmp_path, check=True)
    (tmp_path / ".venv").mkdir()
    for each in ("python", "synth", "dev"):
        (tmp_path / ".venv" / each).touch()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("changed = true\n")

    done = subprocess.run(["make", "release"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "release: commit or remove these changes; talos-gpu.pyz is made of the working folder:\n" in done.stderr
    assert name.partition("/")[0] in done.stderr


def test_a_dry_release_installs_by_hash_and_builds_with_the_locked_setuptools(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(dry_release, "_run", lambda command, _: calls.append(command) or "")
    monkeypatch.setattr(dry_release, "_started", lambda name, _: name)
    monkeypatch.setattr(dry_release.subprocess, "run", lambda *_, **__: None)
    with pytest.raises(ValueError, match="installs no manual"):
        dry_release._in_an_environment(tmp_path, "cdk8s_nvidia_talos-1.tar.gz")

    pips = [command[command.index("pip") :] for command in calls if "pip" in command]
    assert [("--require-hashes" in pip, "--no-index" in pip and "--no-build-isolation" in pip) for pip in pips[:2]] == [
        (True, False),
        (False, True),
    ]
    assert re.match(r"setuptools==\S+ \\\n +--hash=sha256:\w{64}", dry_release._locked_setuptools())
    assert dry_release._locked_setuptools().count("==") == 1


@pytest.mark.parametrize(("version", "status"), [("1.2.3", 0), ("1.2.4", 1)])
def test_the_tag_is_the_version_of_the_wheel(shell, version, status):
    folder, run = shell
    (folder / "build" / "release").mkdir(parents=True)
    (folder / "build" / "release" / f"cdk8s_nvidia_talos-{version}-py3-none-any.whl").touch()

    run("build", "the tag is the version", status)


@pytest.mark.parametrize("project", ["cdk8s_nvidia_talos", "cdk8s_nvidia_talos_rehearsal"])
def test_each_project_uploads_its_own_wheel_and_source_distribution_alone(shell, project):
    folder, run = shell
    (folder / "release").mkdir()
    for name in ("cdk8s_nvidia_talos", "cdk8s_nvidia_talos_rehearsal"):
        for end in ("-1.2.3-py3-none-any.whl", "-1.2.3.tar.gz"):
            (folder / "release" / f"{name}{end}").touch()
    for name in ("SHA256SUMS", "talos-gpu.pyz", "cdk8s-nvidia-talos.cdx.json"):
        (folder / "release" / name).touch()

    run("publish", "the distributions of the project alone", PROJECT=project)
    assert sorted(path.name for path in (folder / "dist").iterdir()) == [f"{project}-1.2.3-py3-none-any.whl", f"{project}-1.2.3.tar.gz"]


def test_the_image_is_pushed_for_two_architectures_and_attested_by_its_digest(shell):
    _, run = shell
    calls, outputs = run("image", "build and push the image", TOKEN="hidden")

    assert calls[:-1] == ["docker login ghcr.io --username somebody --password-stdin", "docker buildx create --use"]
    assert calls[-1] == (
        "docker buildx build --file Containerfile --platform linux/amd64,linux/arm64 --provenance=mode=max --sbom=true --push --label "
        "org.opencontainers.image.source=https://github.com/Some-Owner/cdk8s-nvidia-talos --tag ghcr.io/some-owner/talos-gpu:1.2.3 "
        "--tag ghcr.io/some-owner/talos-gpu:latest --metadata-file image.json ."
    )
    assert outputs == ["name=ghcr.io/some-owner/talos-gpu", f"digest={DIGEST}"]


@pytest.mark.parametrize(("wrong", "status"), [({}, 0), ({"STARTS": "1.2.2"}, 1), ({"FINDS": ""}, 1)])
def test_no_image_is_pushed_that_does_not_start_and_find_a_fault(shell, wrong, status):
    _, run = shell
    calls, _ = run("image", "start the image", status, **wrong)

    assert calls[0] == "docker buildx build --file Containerfile --platform linux/amd64 --load --tag talos-gpu ."
    assert all(call.startswith("docker run --rm --network none --read-only ") for call in calls[1:])
    names = [step.get("name") for step in RELEASE["jobs"]["image"]["steps"]]
    assert names.index("start the image") < names.index("build and push the image")


def test_the_release_has_every_file_of_the_build(shell):
    folder, run = shell
    (folder / "release").mkdir()
    for name in ("SHA256SUMS", "talos-gpu.pyz"):
        (folder / "release" / name).touch()
    calls, _ = run("notes", "gh", GH_TOKEN="hidden")

    assert calls == [
        "gh release create v1.2.3 --repo Some-Owner/cdk8s-nvidia-talos --verify-tag --generate-notes release/SHA256SUMS release/talos-gpu.pyz"
    ]


# The action


@pytest.fixture
def action(tmp_path):
    """Run the steps `check` and `verdict` in a repository, as GitHub would, with this Python in place of the one that the action installs."""
    repository = tmp_path / "repository"
    shutil.copytree(ROOT / "docs", repository / "a folder", ignore=shutil.ignore_patterns("*.md", "*.svg", "*.json"))
    python = tmp_path / "talos-gpu" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)

    def run(**inputs):
        for name in ("outputs", "talos-gpu.sarif"):
            (tmp_path / name).unlink(missing_ok=True)
        (step,) = (step for step in steps(ACTION) if step.get("id") == "check")
        known = {name: given["default"] for name, given in yaml.safe_load(ACTION.read_text())["inputs"].items()} | inputs
        environment = {
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_OUTPUT": str(tmp_path / "outputs"),
            "ACTION": str(ROOT),
            "PATH": os.environ["PATH"],
        }
        environment |= {"SETTINGS": known["settings"], "RUN": step["env"]["RUN"]}
        environment |= {"PATHS": known["paths"], "TALOS": known["talos"], "FAIL_ON": known["fail-on"], "PYTHONDONTWRITEBYTECODE": "1"}
        assert set(step["env"]) <= set(environment)
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]], cwd=repository, env=environment, capture_output=True, text=True, check=True
        )
        outputs = dict(line.split("=", 1) for line in (tmp_path / "outputs").read_text().splitlines())
        return outputs, done.stderr

    return repository, run


def test_the_action_writes_sarif_and_keeps_the_status_for_its_last_step(action):
    _, run = action
    outputs, _ = run(talos="1.13")

    assert (outputs["status"], outputs["written"]) == ("1", "true")
    assert json.loads(Path(outputs["sarif"]).read_text())["runs"][0]["results"]
    assert steps(ACTION)[-1]["run"] == 'exit "$STATUS"'


def test_the_action_takes_paths_with_spaces_one_a_line_and_no_path_is_a_flag(action):
    _, run = action

    assert run(paths="a folder/example.yaml\n\na folder\n", talos="1.13")[0]["status"] == "1"
    outputs, errors = run(paths="--fix")
    assert (outputs["status"], outputs.get("written")) == ("2", None)
    assert "--fix" in errors
    assert "$(touch ran)" in run(paths="$(touch ran)")[1]


MODULES = (
    "yaml",
    "constructs_lib",
    "sitecustomize",
    "usercustomize",
    "re",
    "runpy",
    "venv",
    "pip",
    "logging",
    "argparse",
    "attr",
    "ensurepip",
)


@pytest.mark.parametrize("name", ["install", "check", "verdict"])
def test_no_step_of_the_action_runs_anything_of_the_checked_repository(action, name):
    """The step `install` gets as far as the index of packages, which it may not ask here."""
    repository, run = action
    for each in MODULES:
        (repository / f"{each}.py").write_text(f"open('ran-{each}', 'w').close()\n")
        (repository / each).mkdir()
        (repository / each / "__init__.py").write_text(f"open('ran-{each}', 'w').close()\n")
        (repository / each / "__main__.py").write_text(f"open('ran-{each}', 'w').close()\n")
    for program in ("python", "grep", "bash", "git"):
        (repository / program).write_text(f"#!/bin/sh\ntouch ran-{program}\n")
        (repository / program).chmod(0o755)
    temporary = repository.parent / "runner"
    temporary.mkdir()
    if name == "check":
        assert run(talos="1.13")[0]["status"] == "1"
    else:
        (step,) = (each for each in steps(ACTION) if each.get("id", each.get("name")) == name)
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHON": sys.executable,
            "ACTION": str(ROOT),
            "RUNNER_TEMP": str(temporary),
            "STATUS": "0",
        }
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            cwd=repository,
            env={**environment, "PIP_NO_INDEX": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert name == "verdict" or (temporary / "talos-gpu" / "bin" / "pip").is_file(), done.stderr
        assert name == "verdict" or "No matching distribution" in done.stderr, done.stderr

    assert list(repository.glob("**/ran-*")) == []


def pythons():
    """Every place that starts Python for somebody else: steps of the actions, the workflows and the component, and the hook, each as its words."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    scripts = [hook["entry"], *(step["run"] for path in (*WORKFLOWS, *ACTIONS) for step in steps(path) if "run" in step)]
    scripts += yaml.safe_load(COMPONENT.read_text().partition("\n---\n")[2])["talos-gpu-diff"]["script"]
    return re.findall(r'(?:^|[\s/"])(?:python3?|\$PYTHON)"? +(\S+)', "\n".join(scripts))


def test_every_python_of_the_actions_the_workflows_the_component_and_the_hook_is_isolated():
    assert pythons() == ["-I"] * 12


def test_the_action_can_leave_the_settings_of_the_repository_out(action):
    repository, run = action
    (repository / "fine").mkdir()
    (repository / "fine" / "pod.yaml").write_text(
        'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a, resources: {limits: {nvidia.com/gpu: "1"}}}]\n'
    )
    (repository / ".talos-gpu.yaml").write_text("roots: [[fine]]\n")

    outputs, errors = run(talos="1.13")
    assert outputs["status"] == "0"
    assert "the settings leave out a folder, which none of their roots contains\n" in errors
    for given in ("false", "", "no", "--fix"):
        assert run(talos="1.13", settings=given)[0]["status"] == "1"


# The container


def instructions():
    text = (ROOT / "Containerfile").read_text()
    return [tuple(line.split(" ", 1)) for line in text.splitlines() if line and not line.startswith("#")]


def test_the_image_needs_no_shell_and_no_root():
    stages = [index for index, (word, _) in enumerate(instructions()) if word == "FROM"]
    last = dict(instructions()[stages[-1] :])

    assert {word for word, _ in instructions()} <= {"ARG", "FROM", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT"}
    assert instructions()[stages[0]] == ("FROM", "--platform=${BUILDPLATFORM} ${BASE} AS unpacked")  # what runs, runs on the builder
    assert all(json.loads(rest) for word, rest in instructions() if word in {"RUN", "ENTRYPOINT"})
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", last["USER"])
    assert "RUN" not in last
    assert (ROOT / ".containerignore").read_text().split() == [
        "*",
        *(f"!{rest.split()[0]}" for word, rest in instructions() if word == "COPY" and "--from" not in rest),
    ]


def test_the_instructions_of_the_image_give_a_command_that_starts(tmp_path):
    archive = tmp_path / "talos-gpu.pyz"
    subprocess.run([sys.executable, "-m", "tools.single_file", "--output", str(archive)], cwd=ROOT, check=True, capture_output=True)

    def here(rest):
        places = {"python3": sys.executable, "/talos-gpu.pyz": str(archive), "/opt/talos-gpu": str(tmp_path / "opt")}
        return [places.get(word, word) for word in json.loads(rest)]

    for word, rest in instructions():
        if word == "RUN":
            subprocess.run(here(rest), check=True, env={})
    (entry,) = (rest for word, rest in instructions() if word == "ENTRYPOINT")
    before = sorted(tmp_path.rglob("*"))

    assert subprocess.run([*here(entry), "--version"], env={}, capture_output=True, text=True, check=True).stdout.startswith(
        f"talos-gpu {VERSION} "
    )
    assert sorted(tmp_path.rglob("*")) == before


# The dry release


def test_a_dry_release_starts_the_file_and_names_what_it_finds(tmp_path):
    archive = tmp_path / "talos-gpu.pyz"
    subprocess.run([sys.executable, "-m", "tools.single_file", "--output", str(archive)], cwd=ROOT, check=True, capture_output=True)

    line = dry_release._started("talos-gpu.pyz", [sys.executable, "-I", "-S", str(archive)])
    assert re.fullmatch(rf"talos-gpu\.pyz: talos-gpu {re.escape(VERSION)} \(tables of [\d-]+\); check found TG\d+, .*", line)


def test_a_dry_release_fails_for_a_file_that_does_not_start_or_has_another_version(tmp_path):
    program = tmp_path / "talos-gpu"
    for script, message in (
        ("exit 3", f"{program} --version ended with 3:\n"),
        ("echo talos-gpu 0", "talos-gpu says that it is 'talos-gpu 0\\n'"),
    ):
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        with pytest.raises(ValueError, match=re.escape(message)) as error:
            dry_release._started("talos-gpu", [str(program)])
        assert str(error.value) == message


@pytest.mark.parametrize(
    "sums",
    ["", f"{'0' * 64}  a\n", f"{hashlib.sha256(b'a').hexdigest()}  a\n{hashlib.sha256(b'a').hexdigest()}  b\n"],
    ids=["none", "other", "more"],
)
def test_a_dry_release_fails_for_files_that_the_checksums_do_not_have(tmp_path, sums):
    (tmp_path / "a").write_text("a")
    (tmp_path / "SHA256SUMS").write_text(sums)

    with pytest.raises(ValueError, match="SHA256SUMS has other files or digests than"):
        dry_release._checksums(tmp_path)
    (tmp_path / "SHA256SUMS").write_text(f"{hashlib.sha256(b'a').hexdigest()}  a\n")
    assert dry_release._checksums(tmp_path) == "SHA256SUMS: 1 files"


def test_the_formula_installs_and_passes_its_test_without_homebrew(tmp_path):
    if shutil.which("ruby") is None:
        assert dry_release._formula(tmp_path) == "talos-gpu.rb: not tried, there is no ruby"
        return
    archive = tmp_path / "talos-gpu.pyz"
    subprocess.run([sys.executable, "-m", "tools.single_file", "--output", str(archive)], cwd=ROOT, check=True, capture_output=True)
    write_channels(tmp_path, Publication())
    assert dry_release._formula(tmp_path) == "talos-gpu.rb: installed, and its test passed"
    archive.write_bytes(archive.read_bytes() + b" ")
    with pytest.raises(ValueError, match=r"sha256 is not that of talos-gpu\.pyz"):
        dry_release._formula(tmp_path)


# The bill of materials


def test_the_bill_of_materials_has_every_locked_package_and_each_reference_exists():
    bill = bill_of_materials()
    locked = set(re.findall(r"^(\S+)==(\S+)", (ROOT / "requirements" / "synth.txt").read_text(), re.MULTILINE))
    known = {component["bom-ref"] for component in (*bill["components"], bill["metadata"]["component"])}

    assert {(component["name"], component["version"]) for component in bill["components"]} == locked
    assert {entry["ref"] for entry in bill["dependencies"]} == known
    assert {reference for entry in bill["dependencies"] for reference in entry["dependsOn"]} <= known


def test_the_bill_of_materials_says_what_requires_what():
    requires = {
        entry["ref"].partition("@")[0]: [each.partition("@")[0] for each in entry["dependsOn"]]
        for entry in bill_of_materials()["dependencies"]
    }

    assert {"pkg:pypi/attrs", "pkg:pypi/cdk8s", "pkg:pypi/constructs", "pkg:pypi/pyyaml"} <= set(requires["pkg:pypi/cdk8s-nvidia-talos"])
    assert "pkg:pypi/jsii" in requires["pkg:pypi/cdk8s"]
    assert requires["pkg:pypi/pyyaml"] == []


def test_the_bill_of_the_rehearsal_has_every_go_module_that_it_builds_and_the_library():
    bill = rehearsal_bill()
    modules = {
        line.split()[0]
        for path in (ROOT / "rehearsal" / "talos_gpu_rehearsal" / "programs").glob("*/go.mod")
        for line in re.findall(r"^\s*(?:require )?([\w.-]+\.[\w./-]+ v\S+)", path.read_text(), re.MULTILINE)
    }
    names = {component["name"] for component in bill["components"]}

    assert {"k8s.io/kubernetes", "github.com/containerd/containerd/v2"} <= modules
    assert modules <= names
    assert "cdk8s-nvidia-talos" in names
    assert {entry["ref"] for entry in bill["dependencies"]} == {bill["metadata"]["component"]["bom-ref"]}


def test_two_bills_of_one_lock_are_equal():
    assert bill_of_materials() == bill_of_materials()
