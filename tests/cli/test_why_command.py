"""`talos-gpu why`."""

import io
import re
import sys

import pytest
from command_line import process

from constructs_lib.checks import engine

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: b}
spec:
  runtimeClassName: nvidia
  containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 1}}}]
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia-cdi
"""
LINE = 'no runtime for "nvidia-cdi" is configured'


@pytest.fixture
def stdin(monkeypatch):
    def give(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


def test_a_line_gets_cause_fix_commands_rules_and_source(answer):
    out = answer("why", LINE)

    assert out.startswith("1. containerd on the node has no runtime for the RuntimeClass\n   line 1: no runtime for")
    for row in ("cause", "fix", "verify", "rule", "explain", "source"):
        assert f"\n   {row}: " in out
    assert "   rule: TG042 A RuntimeClass has a handler that Talos knows\n" in out
    assert "\n   explain: talos-gpu check --explain TG042\n" in out


def test_the_rules_that_files_violate_are_marked_with_their_places(answer, tmp_path):
    (tmp_path / "a.yaml").write_text(POD)
    out = answer("why", LINE, tmp_path, "--talos", "1.13")

    assert f"rule: TG042 A RuntimeClass has a handler that Talos knows. FOUND in {tmp_path}/a.yaml:11\n" in out
    assert "the driver's libraries. Not found in these files\n" in out


def test_of_many_places_three_are_named(answer, tmp_path):
    (tmp_path / "a.yaml").write_text("---\n".join(POD.replace("name: nvidia}", f"name: nvidia-{number}}}") for number in range(5)))
    out = answer("why", LINE, tmp_path, "--talos", "1.13")

    assert re.search(r"TG042 .+ FOUND in \S+a\.yaml:11, \S+a\.yaml:\d+, \S+a\.yaml:\d+ and 2 more\n", out)


def test_a_rule_that_fails_is_one_sentence(refusal, tmp_path, monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("rule TG001 failed: KeyError")

    monkeypatch.setattr(engine, "run_rules", fails)
    (tmp_path / "a.yaml").write_text(POD)

    assert refusal("why", LINE, tmp_path) == "rule TG001 failed: KeyError"


HALF = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: b}
spec:
  containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: "0.5"}}}]
"""
WHOLE_GPUS = "must be an integer"
NO_HOOK = "fork/exec /usr/bin/nvidia-cdi-hook: no such file or directory"
CONFIG = "version: v1alpha1\nmachine: {type: worker, install: {image: ghcr.io/siderolabs/installer:v1.12.1}}\n"
WAITS = "waiting for nvidia container stack to be setup"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository in the working folder, with files of these texts."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def rule_row(out, rule):
    """What the answer says of a rule, without the rule's claim."""
    return re.search(rf"   rule: {rule} .+?\. ([A-Z].*)\n", out)[1]


def settings_file(folder, text):
    (folder / ".talos-gpu.yaml").write_text(text)


def test_a_rule_that_the_settings_silence_is_silenced_with_the_reason(answer, repository):
    settings_file(repository(bad__a=HALF, worse__b=HALF), "ignore: [{rule: TG045, path: bad, reason: a template of ours}]\n")

    assert rule_row(answer("why", WHOLE_GPUS, "bad"), "TG045") == "Silenced in bad/a.yaml:5 (a template of ours)"
    assert rule_row(answer("why", WHOLE_GPUS, "."), "TG045") == "FOUND in worse/b.yaml:5. Silenced in bad/a.yaml:5 (a template of ours)"


@pytest.mark.parametrize(
    "text",
    [
        HALF.replace("namespace: b}", 'namespace: b, annotations: {talos-gpu/ignore-TG045: "a template of ours"}}'),
        HALF.replace("spec:\n", "spec:  # talos-gpu: ignore TG045 a template of ours\n"),
    ],
)
def test_a_rule_that_an_annotation_or_a_comment_silences_is_silenced_with_the_reason(answer, repository, text):
    repository(a=text)

    assert rule_row(answer("why", WHOLE_GPUS, "."), "TG045") == "Silenced in a.yaml:5 (a template of ours)"


def test_settings_of_another_file_are_named_by_the_flag(answer, repository):
    settings_file(repository(a=HALF, ci="ignore: [{rule: TG045, reason: for CI}]\n"), "not: read\n")

    assert rule_row(answer("why", WHOLE_GPUS, "a.yaml", "--settings", "ci.yaml"), "TG045") == "Silenced in a.yaml:5 (for CI)"


def test_a_rule_that_needs_the_talos_version_is_not_applied_without_it(answer, repository):
    folder = repository(a=POD)

    assert (
        rule_row(answer("why", NO_HOOK, "."), "TG006")
        == "Not applied: the Talos version is unknown; give --talos VERSION, such as --talos 1.14"
    )
    assert rule_row(answer("why", NO_HOOK, ".", "--talos", "1.12"), "TG006") == "Not found in these files"
    settings_file(folder, 'talos: "1.12"\n')
    assert rule_row(answer("why", NO_HOOK, "."), "TG006") == "Not found in these files"
    assert rule_row(answer("why", NO_HOOK, ".", "--talos", "1.13"), "TG006") == "Not applied: the rule is not about Talos 1.13"


def test_a_rule_that_one_of_several_clusters_leaves_open_is_not_applied(answer, repository):
    settings_file(repository(one__a=POD, two__a=POD, two__t=CONFIG), "roots: [one, two]\n")

    assert rule_row(answer("why", NO_HOOK, "two"), "TG006") == "Not found in these files"
    assert (
        rule_row(answer("why", NO_HOOK, "."), "TG006")
        == "Not applied: the Talos version is unknown; give --talos VERSION, such as --talos 1.14"
    )


def test_a_rule_for_every_talos_is_applied_without_the_version(answer, repository):
    repository(a=POD)

    assert rule_row(answer("why", WHOLE_GPUS, "."), "TG045") == "Not found in these files"


def test_wrong_settings_are_one_sentence(refusal, repository):
    settings_file(repository(a=POD), 'talos: "two"\n')

    assert refusal("why", WAITS, ".").startswith(".talos-gpu.yaml:1: 'talos' must be ")


def test_each_root_of_the_settings_is_read_by_itself(answer, repository):
    roots = {"one__a": POD.replace("nvidia-cdi", "nvidia"), "two__a": POD}
    settings_file(repository(**roots), 'talos: "1.13"\nroots: [one, two]\n')

    assert rule_row(answer("why", LINE, "."), "TG042") == "FOUND in two/a.yaml:11"


def test_the_classes_of_nodes_of_the_settings_state_the_talos_version(answer, repository):
    settings_file(repository(a=POD), 'nodes: {rtx: {talos: "1.12"}}\n')

    assert rule_row(answer("why", NO_HOOK, "."), "TG006") == "Not found in these files"


@pytest.mark.parametrize("talos", [[], ["--talos", "1.12"]])
def test_of_files_without_anything_to_read_the_answer_says_so(run, repository, talos):
    repository(sub__a="hello\n")
    status, out, err = run("why", WAITS, "sub", *talos)

    assert (status, rule_row(out, "TG001")) == (0, "Nothing was read in these files")
    assert err == "talos-gpu why: sub: nothing was checked: no Kubernetes object, chart or node configuration\n"


def test_of_objects_without_a_gpu_part_the_answer_says_so(run, repository):
    repository(a="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    _, out, err = run("why", WAITS, "a.yaml", "--talos", "1.12")

    assert rule_row(out, "TG001") == "Nothing was judged: no GPU part was read in these files"
    assert err.startswith("talos-gpu why: nothing was judged: no GPU operator, ")


def test_a_named_file_that_was_not_read_is_named(run, repository):
    repository(a=POD, b="hello\n")
    _, out, err = run("why", LINE, "a.yaml", "b.yaml", "--talos", "1.13")

    assert rule_row(out, "TG042") == "FOUND in a.yaml:11"
    assert err.startswith("talos-gpu why: b.yaml: nothing was checked: ")


def test_where_no_rule_can_know_the_fault_the_answer_says_so(answer, tmp_path):
    (tmp_path / "a.yaml").write_text(POD)
    line = "NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM"

    assert "rule: none: files do not show this fault\n" in answer("why", line, tmp_path)
    assert "rule:" not in answer("why", line)


def test_a_rule_without_a_page_of_symptoms_answers_with_its_fix(answer):
    out = answer("why", 'strconv.Atoi: parsing "v1": invalid syntax')

    assert "\n   fix: " in out
    assert "\n   cause: " not in out
    assert "explain: talos-gpu check --explain TG004\n" in out


def test_a_log_on_standard_input_is_counted(answer, stdin):
    stdin(b"boot\n" + b"NVRM: Xid (PCI:0000:44:00): 79, GPU has fallen off the bus\n" * 3)

    assert "   line 2 and 2 more: NVRM: Xid (PCI:0000:44:00): 79, GPU has fallen off the bus\n" in answer("why", "-")


def test_a_line_may_be_a_log_of_several_lines(answer):
    assert "   line 2: card fallen off the bus\n" in answer("why", "boot\ncard fallen off the bus")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("GSP firmware", "The GPU's own processor (GSP) does not start"),
        ("xid", ". The card has fallen off the PCI bus"),
        ("ext-nvidia-cdi-gen", "A service never starts, and the node reboots after 70 minutes"),
        ("llvmpipe", "Vulkan or OpenGL renders on the processor (llvmpipe)"),
        ("error 803", "libcuda in the container and the kernel modules have different versions (CUDA error 803)"),
        ("startAllServices", "A service never starts, and the node reboots after 70 minutes"),
        ("libz.so.1", "The fabric manager of Talos 1.13.0 does not start: libz.so.1 is missing"),
    ],
)
def test_a_part_of_a_line_is_enough(answer, words, title):
    assert title in answer("why", words)


def test_a_log_is_no_part_of_a_line(run, stdin):
    stdin(b"xid\n")

    assert run("why", "-")[0] == 1


def test_a_limit_keeps_the_best_and_counts_the_others(answer):
    line = "CUDA out of memory, fallen off the bus, key was rejected by service"
    whole = answer("why", line)
    out = answer("why", line, "--limit", "1")

    assert whole.count("\n   source: ") == 3
    assert out.count("\n   source: ") == 1
    assert out.endswith("\n\n2 more with --limit 3\n")
    assert whole.startswith(out.partition("\n\n")[0])


def test_a_line_that_nothing_knows_has_status_1_and_a_hint(run):
    expected = (
        "nothing known matches; with a cluster: talos-gpu doctor --live; with files: talos-gpu check PATH; "
        "talos-gpu why --list shows the words that are known\n"
    )

    assert run("why", "nvidia-smi works nowhere") == (1, expected, "")


@pytest.mark.parametrize("state", ["CrashLoopBackOff", "ImagePullBackOff", "Init:CrashLoopBackOff", "OOMKilled", "pending", " Error "])
def test_a_bare_state_names_no_cause_and_leads_to_the_cluster_the_files_and_the_log(run, state):
    status, out, err = run("why", state)

    assert (status, err) == (1, "")
    assert out == (
        f"{state.strip()} is a state, which many causes have; with a cluster: talos-gpu doctor --live; "
        "with files: talos-gpu check PATH; with a log: talos-gpu why - < FILE\n"
    )


def test_a_state_within_a_line_is_searched_with_the_other_words(answer):
    assert answer("why", "CrashLoopBackOff: GPU has fallen off the bus").startswith("1. The card has fallen off the PCI bus\n")


def test_the_name_of_a_file_gets_the_command_that_reads_the_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dmesg.log").write_text("fallen off the bus")

    assert run("why", "dmesg.log") == (1, "nothing known matches; to read the file: talos-gpu why - < dmesg.log\n", "")


def test_a_line_longer_than_any_file_name_is_no_file(run):
    assert run("why", "x" * 5000)[0] == 1


def test_the_list_shows_every_symptom_with_its_words(answer):
    out = answer("why", "--list")

    assert "The GPU's own processor (GSP) does not start\n   Cannot initialize GSP firmware RM\n" in out
    assert "docs/" not in out


def test_what_a_terminal_would_obey_is_escaped(answer):
    out = answer("why", "\x1b[31mfallen off the bus\x07")

    assert "\x1b" not in out
    assert r"\x1b[31mfallen off the bus\x07" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "a LINE must be given, or - for a log on standard input; --list shows the words that are known"),
        ([""], "LINE must be a line of a log (got ''); is a variable of the shell empty?"),
        ([" \n"], r"LINE must be a line of a log (got ' \\n'); is a variable of the shell empty?".replace("\\\\", "\\")),
        (["a", "--limit", "0"], "--limit must be a whole number of at least 1 (got 0)"),
        (["a", "--limit", "many"], "--limit must be a whole number of at least 1 (got 'many')"),
        ([LINE, "missing"], "PATH must be a file or a folder (got 'missing'); no such file or directory"),
        ([LINE, ""], "PATH must be a file or a folder (got ''); is a variable of the shell empty?"),
        ([LINE, "-"], "PATH must be a file or a folder (got '-'); standard input is for a log"),
        ([LINE, ".", "--talos", "2"], None),
    ],
)
def test_wrong_input_is_one_sentence(arguments, expected, refusal):
    sentence = refusal("why", *arguments)

    assert expected is None or sentence == expected


def test_binary_input_is_refused(refusal, stdin):
    stdin(b"\x1f\x8b\x08\x00\x00")

    assert refusal("why", "-").startswith("standard input must be a log in UTF-8 (got binary data)")


def test_the_answer_is_written_to_a_file(run, tmp_path):
    assert run("why", LINE, "--output", tmp_path / "a.txt") == (0, "", "")
    assert (tmp_path / "a.txt").read_text().startswith("1. containerd")


def test_the_real_command_reads_a_pipe():
    done = process("why", LINE)

    assert done.returncode == 0
    assert done.stdout.startswith(b"1. containerd")


UNEXPLAINED = "E1122 10:00:00.000000       1 main.go:77] unable to retrieve list of MIG devices: ERROR_UNKNOWN"


def test_a_line_that_nothing_explains_is_named_with_program_releases_and_source(run):
    status, out, err = run("why", UNEXPLAINED)

    assert (status, err) == (1, "")
    assert out == (
        "1. Said by NVIDIA's device plugin or GPU feature discovery; not yet explained here\n"
        f"   line 1: {UNEXPLAINED}\n"
        "   words: unable to retrieve list of MIG devices: %v with ERROR_UNKNOWN\n"
        "   source: NVIDIA's device plugin or GPU feature discovery 0.15 to 0.20, https://github.com/NVIDIA/k8s-device-plugin internal/lm/mig-strategy.go\n"
        "   code: NVML's error 999 is ERROR_UNKNOWN\n"
    )


def test_of_a_log_that_nothing_explains_each_message_is_named_and_limit_counts(run, stdin):
    stdin(f"some other line\n{UNEXPLAINED}\nfailed to check for empty MIG-enabled devices: 1\n".encode())
    status, out, err = run("why", "-", "--limit", "1")

    assert (status, err) == (1, "")
    assert out.startswith("1. Said by NVIDIA's device plugin or GPU feature discovery; not yet explained here\n   line ")
    assert out.endswith("\n\n1 more with --limit 2\n")


def test_an_explained_line_names_its_program_too(answer):
    out = answer("why", "main.go:416] No devices found. Waiting indefinitely.")

    assert (
        "   line 1: main.go:416] No devices found. Waiting indefinitely.\n"
        "   said by: NVIDIA's device plugin or GPU feature discovery 0.15 to 0.20, https://github.com/NVIDIA/k8s-device-plugin "
        "cmd/nvidia-device-plugin/main.go\n"
        "   cause: "
    ) in out


def test_an_explained_line_names_the_errors_in_it(answer):
    out = answer("why", "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.")

    assert (
        "\n   code: Xid 79 is ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS; NVIDIA's catalogue asks for RESTART_BM, then CONTACT_SUPPORT\n   cause: "
        in out
    )


def test_an_explained_line_that_is_cut_names_no_program_whose_message_may_not_be_the_innermost(answer):
    line = f"failed to create containerd container: {'x' * 200} CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=all"

    assert "said by:" not in answer("why", line)
    assert "said by: the CDI library" in answer("why", line.replace("x" * 200, "x"))
