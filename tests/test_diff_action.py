"""The action of diff/, the workflows of docs/changes.md and the component of GitLab CI: their shell runs here, against a server that speaks the
documented APIs. No forge runs them here."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from forge_server import INTEGRATION, SECONDARY, TOKEN, ForgeServer

from conftest import ROOT
from constructs_lib.cli.own_version import VERSION
from constructs_lib.forges import rest
from constructs_lib.forges.__main__ import main
from constructs_lib.forges.comments import comment_text, cut, marker_of
from tools.publishing import publication

ACTION = yaml.safe_load((ROOT / "diff" / "action.yml").read_text())
_, TEMPLATE = yaml.safe_load_all((ROOT / "templates" / "diff.yml").read_text())
WORKFLOWS = re.findall(r"^```yaml\n(name: .*?)^```", (ROOT / "docs" / "changes.md").read_text(), re.MULTILINE | re.DOTALL)
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: server, namespace: ai}
spec:
  runtimeClassName: nvidia
  containers: [{name: server, image: "server:1", resources: {limits: {nvidia.com/gpu: 1}}}]
"""
BROKEN = POD.replace("gpu: 1", "gpu: 0.5")
MARKER = "<!-- talos-gpu diff -->"


def git(folder, *words):
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder, text, **others):
    for name, content in {"pod.yaml": text, **others}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=a")
    return git(folder, "rev-parse", "HEAD")


class PullRequest:
    """A clone with the branch of a pull request. The target branch went on, and broke something itself."""

    def __init__(self, tmp_path, text=BROKEN, **others):
        self.folder, self.runner = tmp_path / "repository", tmp_path / "runner"
        self.folder.mkdir()
        self.runner.mkdir()
        git(self.folder, "init", "--quiet")
        self.fork = commit(self.folder, POD)
        git(self.folder, "checkout", "--quiet", "-b", "change")
        self.head = commit(self.folder, text, **{"readme.txt": "changed", **others})
        git(self.folder, "checkout", "--quiet", "main")
        self.base = commit(self.folder, POD, **{"other.yaml": BROKEN.replace("server", "other")})
        python = self.runner / "talos-gpu" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        self.summary, self.outputs = tmp_path / "summary", {}

    def step(self, name, forge, **inputs):
        """Run a step as a runner would, with the expressions of its environment filled in."""
        (step,) = (each for each in ACTION["runs"]["steps"] if each.get("name") == name)
        known = {key: given["default"] for key, given in ACTION["inputs"].items()} | {"token": TOKEN} | inputs
        expressions = {f"inputs.{key}": value for key, value in known.items()}
        expressions |= {f"steps.diff.outputs.{key}": value for key, value in self.outputs.items()}
        pull = {"base.sha": self.base, "head.sha": self.head, "number": "7"}
        expressions |= {f"github.event.pull_request.{key}": value for key, value in pull.items()}
        expressions["github.action_path"] = str(ROOT / "diff")
        given = {key: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: expressions[found[1]], value) for key, value in step["env"].items()}
        written = self.runner / "outputs"
        written.write_text("")
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "RUNNER_TEMP": str(self.runner),
            "GITHUB_OUTPUT": str(written),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_REPOSITORY": "acme/clusters",
            "GITHUB_API_URL": forge.address,
            "GITHUB_GRAPHQL_URL": f"{forge.address}/graphql",
        }
        line = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(line, cwd=self.folder, env=environment | given, capture_output=True, text=True, check=False)
        self.outputs |= dict(each.split("=", 1) for each in written.read_text().splitlines())
        return done

    def run(self, forge, **inputs):
        """The steps up to the first that fails, as their statuses, and what they said."""
        said, statuses = "", []
        for name in ("diff", "post", "verdict"):
            done = self.step(name, forge, **inputs)
            statuses.append(done.returncode)
            said += done.stdout + done.stderr
            if done.returncode:
                break
        return statuses, said


@pytest.fixture
def forge():
    with ForgeServer() as server:
        yield server


@pytest.fixture
def pull(tmp_path):
    return PullRequest(tmp_path)


# The action


def test_a_pull_request_gets_one_comment_which_later_runs_update(pull, forge):
    assert pull.run(forge) == ([0, 0, 1], "")
    (comment,) = forge.comments
    assert comment["body"].splitlines()[:2] == [
        MARKER,
        "### GPUs: parts of the GPU stack: 1 changed; new: 1 error; on both sides: 1 finding",
    ]
    assert comment["body"].endswith(f"\n\n<sub>talos-gpu diff: the commit `{pull.head[:12]}`, from where it left its target branch</sub>")

    git(pull.folder, "checkout", "--quiet", "change")
    pull.head = commit(pull.folder, POD.replace("server:1", "server:2"))
    assert pull.run(forge) == ([0, 0, 0], "")
    assert len(forge.comments) == 1
    assert "no new finding" in comment["body"]
    assert pull.head[:12] in comment["body"]


def test_what_the_target_branch_did_meanwhile_is_no_change_of_the_pull_request(pull, forge):
    pull.run(forge)

    assert "other" not in forge.comments[0]["body"]


def test_a_check_run_has_the_new_findings_at_their_lines(pull, forge):
    pull.run(forge)

    (check,) = forge.checks
    assert {key: check[key] for key in ("name", "head_sha", "status", "conclusion")} == {
        "name": "talos-gpu diff",
        "head_sha": pull.head,
        "status": "completed",
        "conclusion": "failure",
    }
    assert check["output"]["title"] == "parts of the GPU stack: 1 changed; new: 1 error; on both sides: 1 finding"
    (annotation,) = check["output"]["annotations"]
    assert "; fix: " in annotation.pop("message")
    assert annotation == {
        "path": "pod.yaml",
        "start_line": 6,
        "end_line": 6,
        "annotation_level": "failure",
        "title": "TG045 Pod ai/server",
    }


def test_a_comment_of_a_stranger_with_the_marker_is_not_edited_and_ours_is_found_on_a_later_page(pull, forge):
    for number in range(250):
        forge.comment("stranger", f"{MARKER}\n{number}")
    ours = forge.comment("github-actions[bot]", f"{MARKER}\nold")
    forge.comment("github-actions[bot]", "another action of the same token")
    pull.run(forge, checks="false")

    assert forge.writes() == [f"PATCH /repos/acme/clusters/issues/comments/{ours['id']}"]
    assert ours["body"].startswith(f"{MARKER}\n### GPUs: ")


def test_nothing_makes_no_comment_and_updates_one_that_is_there(tmp_path, forge):
    pull = PullRequest(tmp_path, POD)
    assert pull.run(forge, checks="false") == ([0, 0, 0], "")
    assert forge.writes() == []

    ours = forge.comment("github-actions[bot]", f"{MARKER}\nold")
    pull.run(forge, checks="false")
    assert ours["body"].startswith(f"{MARKER}\n### GPUs: nothing changes for the GPUs, as far as the files were read\n")


def test_the_token_of_a_fork_may_not_write_and_the_summary_has_the_text(tmp_path, forge):
    pull = PullRequest(tmp_path, POD.replace("server:1", "server:2"))
    forge.next_answers = {("POST", "/comments"): [(403, INTEGRATION, {})], ("POST", "/check-runs"): [(403, INTEGRATION, {})]}
    statuses, said = pull.run(forge)

    assert statuses == [0, 0, 0]
    assert said == "".join(
        f"::warning title=talos-gpu diff::no {what} was written: the token may not (POST /repos/acme/clusters/{path}: 403 Resource not accessible by "
        "integration). The token of a pull request from a fork, or of Dependabot, only reads; for others the job needs the permission "
        f"{permission}. The summary of the job has the whole text\n"
        for what, path, permission in (
            ("comment", "issues/7/comments", "pull-requests: write"),
            ("check run", "check-runs", "checks: write"),
        )
    )
    assert pull.summary.read_text().startswith("### GPUs: ")


def test_a_shallow_clone_is_told_with_the_fix(pull, forge, tmp_path):
    git(tmp_path, "clone", "--quiet", "--depth=1", "--branch=change", f"file://{pull.folder}", "shallow")
    pull.folder = tmp_path / "shallow"
    statuses, said = pull.run(forge)

    fix = "this clone is shallow: `git fetch --unshallow` brings it (in CI: fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 of GitLab)"
    assert statuses == [2]
    assert said == (
        f"talos-gpu diff: OLD and NEW must each be a file, a folder, or a ref of git (got '{pull.base}'); git knows no such commit; {fix}\n"
    )
    git(pull.folder, "fetch", "--quiet", "--depth=1", "origin", "main")
    assert pull.run(forge)[1] == (
        f"talos-gpu diff: OLD and NEW must have a common ancestor in this clone (got '{pull.base}...{pull.head}'); {fix}\n"
    )
    assert forge.requests == []


def test_a_path_is_a_part_of_the_places_and_has_a_comment_of_its_own(tmp_path, forge):
    pull = PullRequest(tmp_path, POD, **{"a b/pod.yaml": BROKEN})
    pull.run(forge, path="a b")

    assert forge.comments[0]["body"].startswith("<!-- talos-gpu diff a%20b -->\n")
    assert forge.comments[0]["body"].endswith(", from where it left its target branch in `a b`</sub>")
    assert forge.checks[0]["name"] == "talos-gpu diff a b"
    assert forge.checks[0]["output"]["annotations"][0]["path"] == "a b/pod.yaml"


def test_without_a_pull_request_the_action_says_what_it_needs(pull, forge):
    (step,) = (each for each in ACTION["runs"]["steps"] if each.get("name") == "diff")
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], env={"NUMBER": ""}, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "::error title=talos-gpu diff::this action needs a pull request: on: pull_request\n")


def test_settings_of_the_pull_request_do_not_change_the_verdict(tmp_path, forge):
    pull = PullRequest(tmp_path, BROKEN, **{".talos-gpu.yaml": "ignore: {TG045: we know better}\n"})

    assert pull.run(forge)[0] == [0, 0, 1]


def test_nothing_of_the_compared_repository_runs(pull, forge):
    for name in ("yaml", "constructs_lib", "sitecustomize", "usercustomize", "runpy", "json", "urllib", "logging", "attr"):
        (pull.folder / f"{name}.py").write_text(f"open('ran-{name}', 'w').close()\n")
        (pull.folder / name).mkdir()
        (pull.folder / name / "__init__.py").write_text(f"open('ran-{name}', 'w').close()\n")
    for program in ("python", "git", "bash", "head", "mktemp"):
        (pull.folder / program).write_text(f"#!/bin/sh\ntouch ran-{program}\n")
        (pull.folder / program).chmod(0o755)

    assert pull.run(forge) == ([0, 0, 1], "")
    assert list(pull.folder.glob("**/ran-*")) == []


def test_the_step_that_reads_the_pull_request_has_no_token():
    steps = {each["name"]: each for each in ACTION["runs"]["steps"] if "name" in each}

    assert [name for name, step in steps.items() if "token" in json.dumps(step).lower()] == ["post"]
    assert 'env -i "PATH=$PATH" "HOME=$HOME" ' in next(
        line for line in "\n".join(TEMPLATE["talos-gpu-diff"]["script"]).splitlines() if " diff " in line
    )


# The forges


def report(tmp_path, count=1, *, file="pod.yaml", nothing=False):
    """The files of the command, with so many new findings."""
    finding = {"severity": "error", "rule": "TG045", "message": "m", "fix": "f", "file": file, "line": 6, "object": "Pod a/b"}
    change = {"summary": "s", "nothing": nothing, "findings": {"new": [{**finding, "line": line} for line in range(1, count + 1)]}}
    (tmp_path / "json").write_text(json.dumps(change))
    (tmp_path / "markdown").write_text("### GPUs: s\n")
    return [f"--markdown={tmp_path / 'markdown'}", f"--json={tmp_path / 'json'}", "--number=7", "--head=0123456789abcdef"]


@pytest.fixture
def post(tmp_path, monkeypatch, capsys):
    """Run the program against a forge: its status, and what it said."""

    def call(forge, *flags, graphql=None, count=1, file="pod.yaml"):
        monkeypatch.setenv("TALOS_GPU_TOKEN", TOKEN)
        monkeypatch.setenv("GITHUB_API_URL", forge.address)
        monkeypatch.setenv("GITHUB_GRAPHQL_URL", f"{forge.address}/graphql" if graphql is None else graphql)
        monkeypatch.setenv("GITHUB_REPOSITORY", "acme/clusters")
        return main(["github", *report(tmp_path, count, file=file), *(flags or ("--comment", "--check"))]), capsys.readouterr().out

    return call


@pytest.mark.parametrize(("login", "has_user"), [("forgejo-actions", False), ("gitea-actions", False), ("renovate", True)])
def test_forgejo_and_gitea_have_the_same_comments_and_no_check_runs(post, login, has_user):
    with ForgeServer(login, has_graphql=False, has_user=has_user, has_checks=False) as forge:
        forge.comment("stranger", f"{MARKER}\n")
        for _ in range(2):
            assert post(forge, graphql="") == (
                0,
                (
                    "::warning title=talos-gpu diff::no check run was written: this forge has none (POST /repos/acme/clusters/check-runs: 404 Not Found); "
                    "the input checks: 'false' leaves it out\n"
                ),
            )
        assert [each["user"]["login"] for each in forge.comments] == ["stranger", login]


def test_the_token_is_sent_to_no_other_server(post, forge):
    with ForgeServer() as other:
        post(forge, "--comment", graphql=f"{other.address}/graphql")
        forge.next_answers = {("GET", "/comments"): [(200, [], {"link": f'<{other.address}/repos?page=2>; rel="next"'})]}
        assert post(forge, "--comment") == (
            2,
            (
                "::error title=talos-gpu diff::the next page of /repos/acme/clusters/issues/7/comments?per_page=20 is on another server "
                f"('{other.address}/repos?page=2'); the token is not sent there\n"
            ),
        )
        forge.next_answers = {("GET", "/comments"): [(301, {"message": "Moved Permanently"}, {"location": f"{other.address}/repos"})]}
        assert post(forge, "--comment") == (
            2,
            "::error title=talos-gpu diff::GET /repos/acme/clusters/issues/7/comments: 301 Moved Permanently\n",
        )
        assert other.requests == []
    assert set(forge.tokens) == {TOKEN}


def test_each_request_has_at_most_50_annotations(post, forge):
    assert post(forge, "--check", count=120) == (0, "")

    assert forge.writes() == ["POST /repos/acme/clusters/check-runs", *["PATCH /repos/acme/clusters/check-runs/1"] * 2]
    assert [each["start_line"] for each in forge.checks[0]["output"]["annotations"]] == [*range(1, 121)]


def test_refused_annotations_leave_a_check_run_without_them(post, forge):
    wrong = (422, {"message": "Invalid request."}, {})
    forge.next_answers = {("POST", "/check-runs"): [wrong]}

    assert post(forge, "--check") == (0, "")
    (check,) = forge.checks
    assert check["output"]["summary"] == "**The forge took no annotations: the findings stand here alone.**\n\n### GPUs: s\n"
    assert check["output"]["annotations"] == []
    forge.next_answers = {("POST", "/check-runs"): [wrong, wrong]}
    assert post(forge, "--check") == (2, "::error title=talos-gpu diff::POST /repos/acme/clusters/check-runs: 422 Invalid request.\n")


@pytest.mark.parametrize("file", ["/etc/passwd", "../other/pod.yaml", ""])
def test_a_place_outside_of_the_repository_is_no_annotation(post, forge, file):
    assert post(forge, "--check", file=file) == (0, "")
    assert forge.checks[0]["output"]["annotations"] == []


def test_what_a_cluster_file_describes_is_annotated_at_the_file(post, forge):
    post(forge, "--check", "--path=home/cluster.yaml", file="manifests/workloads.k8s.yaml")

    (annotation,) = forge.checks[0]["output"]["annotations"]
    assert (annotation["path"], annotation["start_line"]) == ("home/cluster.yaml", 1)


@pytest.mark.parametrize(
    "limited",
    [(403, SECONDARY, {"retry-after": "0"}), (429, SECONDARY, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"})],
)
def test_a_rate_limit_is_waited_for_and_makes_no_second_comment(post, forge, limited, monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    forge.next_answers = {("POST", "/comments"): [limited, limited]}

    assert post(forge, "--comment") == (0, "")
    assert (len(forge.comments), waits) == (1, [0, 0])


def test_a_long_rate_limit_is_told_and_not_waited_for(post, forge):
    forge.next_answers = {("GET", "/comments"): [(429, SECONDARY, {"retry-after": "3600"})]}

    assert post(forge, "--comment") == (
        2,
        (
            "::error title=talos-gpu diff::GET /repos/acme/clusters/issues/7/comments: 429 You have exceeded a secondary rate limit. Please wait a few "
            "minutes before you try again.; the rate limit ends in 3600 seconds\n"
        ),
    )


def test_a_rate_limit_without_a_readable_end_is_a_refusal(post, forge):
    forge.next_answers = {
        ("GET", "/comments"): [
            (403, {"message": "limited"}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": each}) for each in ("soon", "9" * 5000)
        ]
    }
    refused = "::warning title=talos-gpu diff::no comment was written: the token may not (GET /repos/acme/clusters/issues/7/comments: 403 limited). "

    for _ in range(2):
        status, said = post(forge, "--comment")
        assert (status, said[: len(refused)]) == (0, refused)


def test_an_answer_that_is_too_large_is_told(post, forge, monkeypatch):
    monkeypatch.setattr(rest, "_LARGEST", 100)
    forge.comment("stranger", "x" * 101)

    assert post(forge, "--comment") == (
        2,
        "::error title=talos-gpu diff::GET /repos/acme/clusters/issues/7/comments: the answer is larger than 100 bytes\n",
    )


def test_notes_of_the_largest_size_that_strangers_write_do_not_fail_the_job(pull):
    with ForgeServer("project_42_bot_1", has_user=True) as forge:
        for _ in range(21):
            forge.comment("stranger", "\x01" * 1_000_000)  # six bytes each, in JSON
        for _ in range(2):
            assert merge_request(pull, forge).returncode == 1
        assert forge.writes() == ["POST /projects/42/merge_requests/7/notes", "PUT /projects/42/merge_requests/7/notes/1021"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((404, {"message": "100% Not Found"}, {}), "404 100%25 Not Found"),
        ((500, ["no object"], {}), "500 Internal Server Error"),
        ((401, {"message": "Bad\n::set-output::credentials"}, {}), r"401 Bad\n::set-output::credentials"),
    ],
)
def test_another_refusal_fails_in_the_words_of_the_forge(post, forge, answer, words):
    forge.next_answers = {("GET", "/comments"): [answer]}

    assert post(forge, "--comment") == (2, f"::error title=talos-gpu diff::GET /repos/acme/clusters/issues/7/comments: {words}\n")


def test_a_forge_that_does_not_answer_is_told(post):
    with ForgeServer() as forge:
        pass

    status, said = post(forge, "--comment")
    assert status == 2
    assert said.startswith("::error title=talos-gpu diff::GET /repos/acme/clusters/issues/7/comments: ")


def test_a_long_text_is_cut_at_a_line_and_says_so():
    sentence = "**The text is cut here: it is longer than the forge takes. The summary or the artifact of the job has all of it.**"
    text = "### GPUs\n\n<details><summary>é</summary>\n\n" + "- é and more\n" * 10_000 + "\n</details>\n"
    shown = comment_text(text, marker=marker_of(""), head="0123456789abcdef", path="", most=65_535)

    assert 65_000 < len(shown.encode()) <= 65_535
    assert shown.splitlines()[-7:-1] == ["- é and more", "", "</details>", "", sentence, ""]
    assert cut("short\n", 100) == "short\n"
    assert cut("line\n" * 100, 300).endswith(f"line\n\n{sentence}\n")
    assert "</details>" not in cut("line\n" * 100, 300)


def test_a_tag_in_the_text_of_a_file_closes_nothing():
    text = "- `</details>`\n\n<details><summary>steps</summary>\n\n" + "- step\n" * 100 + "\n</details>\n"

    assert "\n- step\n\n</details>\n\n**The text is cut here" in cut(text, 300)


def test_a_path_can_not_end_the_marker():
    assert marker_of("a --> b") == "<!-- talos-gpu diff a%20--%3E%20b -->"


# The workflows of docs/changes.md


def test_every_workflow_of_the_page_gives_inputs_that_the_action_has_and_fetches_the_history():
    workflows = [yaml.safe_load(each) for each in WORKFLOWS]
    checkouts, actions = zip(*((job["steps"][0], job["steps"][-1]) for each in workflows for job in each["jobs"].values()), strict=True)

    assert [each.get(True) for each in workflows] == ["pull_request", "pull_request_target", "pull_request"]
    assert [each["uses"].removeprefix("https://git.example.com/") for each in actions] == [
        f"{publication().owner}/cdk8s-nvidia-talos/diff@v{VERSION}"
    ] * 3
    assert all(set(each["with"]) <= set(ACTION["inputs"]) for each in actions)
    # No ref: a workflow with a token that writes checks the target branch out.
    assert [each["with"] for each in checkouts] == [{"fetch-depth": 0, "persist-credentials": False}] * 3
    assert all(re.fullmatch(r"actions/checkout@[0-9a-f]{40}", each["uses"]) for each in checkouts)


def test_a_fork_is_compared_without_a_checkout(pull, forge, tmp_path):
    git(pull.folder, "update-ref", "refs/pull/7/head", pull.head)
    git(pull.folder, "branch", "--quiet", "-D", "change")
    git(tmp_path, "clone", "--quiet", f"file://{pull.folder}", "target")
    pull.folder = tmp_path / "target"
    (fetch,) = (step for step in yaml.safe_load(WORKFLOWS[1])["jobs"]["diff"]["steps"] if step.get("name") == "fetch")
    subprocess.run(["bash", "-e", "-c", fetch["run"]], cwd=pull.folder, env={"PATH": os.environ["PATH"], "NUMBER": "7"}, check=True)

    assert pull.run(forge) == ([0, 0, 1], "")
    assert "TG045" in forge.comments[0]["body"]
    assert not (pull.folder / "readme.txt").exists()


# GitLab


def merge_request(pull, forge, *, token=TOKEN, **others):
    """Run the script of the job: without its part that installs the command."""
    job = TEMPLATE["talos-gpu-diff"]
    tool = pull.runner / "tool"
    (tool / "python" / "bin").mkdir(parents=True, exist_ok=True)
    for name, target in (("source", ROOT), ("python/bin/python", pull.runner / "talos-gpu" / "bin" / "python")):
        if not (tool / name).exists():
            (tool / name).symlink_to(target)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONDONTWRITEBYTECODE": "1",
        "RUN": job["variables"]["RUN"],
        "WHERE": "",
        "FAIL_ON": "error",
        "CI_API_V4_URL": forge.address,
        "CI_MERGE_REQUEST_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": pull.fork,
        "CI_COMMIT_SHA": pull.head,
        "TALOS_GPU_TOKEN": token,
        "tool": str(tool),
    }
    script = "\n".join(job["script"][1:] if others.get("CI_MERGE_REQUEST_IID") != "" else job["script"])
    line = ["bash", "-eo", "pipefail", "-c", script]
    return subprocess.run(line, cwd=pull.folder, env=environment | others, capture_output=True, text=True, check=False)


def test_a_merge_request_gets_one_note_and_a_report_of_code_quality(pull):
    with ForgeServer("project_42_bot_1", has_user=True) as forge:
        forge.comment("stranger", f"{MARKER}\n")
        for _ in range(2):
            done = merge_request(pull, forge)
            assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
        assert forge.writes() == ["POST /projects/42/merge_requests/7/notes", "PUT /projects/42/merge_requests/7/notes/1001"]
        assert forge.comments[1]["body"].startswith(f"{MARKER}\n### GPUs: ")
    (found,) = json.loads((pull.folder / "talos-gpu-code-quality.json").read_text())
    assert sorted(found) == ["check_name", "description", "fingerprint", "location", "severity"]
    assert (found["check_name"], found["severity"]) == ("TG045", "critical")
    assert found["location"] == {"path": "pod.yaml", "lines": {"begin": 6}}
    assert (pull.folder / "talos-gpu-diff.md").read_text().startswith("### GPUs: ")


def test_a_merge_request_without_a_token_has_the_artifacts_and_says_why_no_note(pull, forge):
    done = merge_request(pull, forge, token="")

    assert (done.returncode, done.stdout) == (
        1,
        "::warning title=talos-gpu diff::no note was written: the variable TALOS_GPU_TOKEN has no token, and CI_JOB_TOKEN can't write notes\n",
    )
    assert forge.requests == []
    assert all((pull.folder / each).is_file() for each in ("talos-gpu-code-quality.json", "talos-gpu-diff.md", "talos-gpu-diff.json"))


def test_what_reads_the_merge_request_has_no_variable_of_the_job(pull, forge, tmp_path):
    folder, seen, real = tmp_path / "wrapped", tmp_path / "seen", shutil.which("git")
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\nenv >> {seen}\nexec {real} "$@"\n')
    (folder / "git").chmod(0o755)
    secrets = {
        "CI_REPOSITORY_URL": "https://gitlab-ci-token:secret@x",
        "CI_REGISTRY_PASSWORD": "secret",
        "CI_JOB_TOKEN": "secret",
        "OTHER": "secret",
    }
    merge_request(pull, forge, token="secret", PATH=f"{folder}:{os.environ['PATH']}", **secrets)

    assert "PATH=" in seen.read_text()
    assert "secret" not in seen.read_text()


def test_links_in_the_merge_request_are_no_way_to_other_files(pull, forge, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("kept")
    for name in ("talos-gpu-code-quality.json", "talos-gpu-diff.md", "talos-gpu-diff.json"):
        (pull.folder / name).symlink_to(victim)
    merge_request(pull, forge, token="")

    assert victim.read_text() == "kept"
    assert json.loads((pull.folder / "talos-gpu-diff.json").read_text())["findings"]["new"]


def test_a_wrong_token_fails_the_job_after_the_artifacts(pull):
    with ForgeServer("project_42_bot_1", has_user=True) as forge:
        done = merge_request(pull, forge, token="wrong")

    assert (done.returncode, done.stdout) == (2, "::error title=talos-gpu diff::GET /user: 401 401 Unauthorized\n")
    assert (pull.folder / "talos-gpu-diff.md").is_file()


def test_a_merged_result_is_compared_by_its_source_branch(pull, forge):
    done = merge_request(pull, forge, token="", CI_COMMIT_SHA=pull.base, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=pull.head)

    assert done.returncode == 1
    assert "TG045" in (pull.folder / "talos-gpu-diff.md").read_text()


def test_the_target_branch_has_an_empty_report_beside_which_gitlab_shows_the_others(pull, forge):
    assert merge_request(pull, forge, CI_MERGE_REQUEST_IID="").returncode == 0
    assert (pull.folder / "talos-gpu-code-quality.json").read_text() == "[]\n"


def test_every_input_of_the_component_is_used_and_reaches_the_script_as_a_variable():
    spec, job = yaml.safe_load_all((ROOT / "templates" / "diff.yml").read_text())
    text = json.dumps(job)

    assert set(re.findall(r"\$\[\[ inputs\.([\w-]+) \]\]", text)) == set(spec["spec"]["inputs"])
    assert "[[ inputs" not in json.dumps(job["talos-gpu-diff"]["script"])
    assert "CI_JOB_TOKEN" not in json.dumps(job["talos-gpu-diff"]["variables"])
    assert job["talos-gpu-diff"]["variables"]["GIT_DEPTH"] == "0"
