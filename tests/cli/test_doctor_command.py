"""The command `doctor`: its input, its formats, its exit statuses, and the user's own kubectl and talosctl."""

import json
import re
import shlex
import stat
import subprocess
import sys

import jsonschema
import pytest
from command_line import environment, process
from doctor_cases import TAINT, node, pod

from conftest import ROOT
from constructs_lib.cli import live_commands
from constructs_lib.doctor import chain as chains
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.fault import Broken
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.symptoms.link import Link

DUMPS = ROOT / "tests" / "doctor" / "dumps"
SCHEMA = json.loads((ROOT / "docs" / "doctor-schema.json").read_text())
PLANTED = "hf_plantedSecretValue0123456789"


def listing(*objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [each.body for each in objects]})


@pytest.fixture
def nodes_file(tmp_path):
    path = tmp_path / "nodes.json"
    path.write_text(listing(node("gpu-1")))
    return path


@pytest.fixture
def broken(monkeypatch):
    """Every pod lacks a toleration."""
    monkeypatch.setitem(chains._OF_PODS, Link.SCHEDULED, lambda *_: Broken(faults=(TAINT,)))


def test_where_each_link_was_shown_to_hold_the_status_is_0(run):
    status, out, err = run("doctor", DUMPS / "healthy-idle")

    assert (status, err) == (0, "")
    assert out.startswith("no broken link was seen: each link of 1 GPU node was shown to hold\n")


def test_where_a_link_is_not_known_nothing_is_called_well_and_the_status_is_3(run, nodes_file):
    status, out, err = run("doctor", nodes_file)

    assert (status, err) == (3, "")
    assert out.startswith("too little was read to judge 1 GPU node (not known: modules, driver, runtime, plugin, allocatable)\n")


def test_where_only_the_view_of_a_pod_is_not_known_the_nodes_are_called_whole(run):
    status, out, _ = run("doctor", DUMPS / "healthy-cdi-standalone")

    assert status == 3
    assert out.startswith("too little was read to judge 1 GPU pod (not known: seen); each link of 1 GPU node was shown to hold\n")


def test_a_cause_is_the_first_line_and_the_status_is_1(run, broken, tmp_path):
    (tmp_path / "pods.json").write_text(listing(node("gpu-1"), pod("a")))
    status, out, _ = run("doctor", tmp_path)

    assert status == 1
    assert out.splitlines()[0] == "pod gpu/a: the pod does not tolerate the taint dedicated=ai:NoSchedule"


def test_text_without_known_words_is_too_little_to_judge(run, tmp_path):
    (tmp_path / "a.txt").write_text("hello\n")
    status, out, _ = run("doctor", tmp_path / "a.txt")

    assert status == 3
    assert out.startswith("too little was read to judge: no node was read, and the text of 1 line has no known words; ")


def test_where_nothing_could_be_read_the_status_is_2(run, tmp_path):
    (tmp_path / "a.txt").write_text("")
    status, out, _ = run("doctor", tmp_path / "a.txt")

    assert status == 2
    assert out.startswith("nothing was read")


@pytest.mark.parametrize("others", [[], ["nodes.json"]])
def test_a_file_that_does_not_exist_is_an_error_in_the_words_of_check(run, nodes_file, monkeypatch, others):
    monkeypatch.chdir(nodes_file.parent)

    assert run("doctor", "nope.txt", *others) == (
        2,
        "",
        "talos-gpu doctor: PATH must be a file or a folder (got 'nope.txt'); no such file or directory\n",
    )


def test_standard_input_is_read(nodes_file):
    line = [sys.executable, "-m", "constructs_lib", "doctor", "-"]
    done = subprocess.run(line, input=nodes_file.read_bytes(), env=environment(), capture_output=True, check=False)

    assert (done.returncode, done.stdout.decode().splitlines()[0]) == (
        3,
        "too little was read to judge 1 GPU node (not known: modules, driver, runtime, plugin, allocatable)",
    )


@pytest.mark.parametrize("objects", [[node("gpu-1"), pod("a")], [node("gpu-1")], []])
def test_the_json_report_is_as_its_schema_describes_it(run, broken, tmp_path, objects):
    (tmp_path / "pods.json").write_text(listing(*objects))
    _, out, _ = run("doctor", tmp_path, "--format", "json")
    report = json.loads(out)

    jsonschema.validate(report, SCHEMA)
    assert report["version"] == SCHEMA["properties"]["version"]["const"]


def test_a_report_for_strangers_has_pseudonyms_and_the_status_of_the_diagnosis(run, broken, tmp_path):
    (tmp_path / "pods.json").write_text(listing(node("gpu-1"), pod("zebra")))
    status, out, _ = run("doctor", tmp_path, "--report")

    assert status == 1
    assert out.startswith("<!-- Names, addresses, identifiers and domains are replaced")
    assert "\npod gpu/pod-1: the pod does not tolerate the taint" in out
    assert "zebra" not in out


def test_a_report_for_strangers_names_no_context(run, cluster):
    _, out, _ = run("doctor", "--live", "--report", "--context", "zebra", "--talos-context", "zebra")

    assert "kubectl " in out
    assert "zebra" not in out


def test_markdown_is_written_to_a_file(run, broken, tmp_path):
    (tmp_path / "pods.json").write_text(listing(node("gpu-1"), pod("a")))
    status, out, _ = run("doctor", tmp_path, "--format", "markdown", "--output", tmp_path / "report.md")

    assert (status, out) == (1, "")
    assert (tmp_path / "report.md").read_text().startswith("# GPU report\n\npod gpu/a: the pod does not tolerate the taint")


def test_a_console_without_utf_8_gets_ascii(nodes_file):
    line = [sys.executable, "-m", "constructs_lib", "doctor", str(nodes_file)]
    done = subprocess.run(line, env={**environment(), "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)

    assert b"+ image -- ? modules" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a PATH must be given, or - for standard input, or --live; --collect prints a script for somebody else"),
        (["a", "--watch", "3"], "--watch must be given with --live"),
        (["a", "--context", "b"], "--context must be given with --live"),
        (["a", "--talosctl-nodes", "10.0.0.1"], "--talosctl-nodes must be given with --live"),
        (["--live", "--watch", "0"], "--watch must be a whole number of seconds of at least 1 (got 0)"),
        (["--live", "--watch", "x"], "--watch must be a whole number of seconds of at least 1 (got 'x')"),
        *(
            (
                ["--live", "--watch", "3", *flags],
                "--watch must be given without --format, --report and --output; it prints what changes as text",
            )
            for flags in (["--output", "a"], ["--report"], ["--format", "json"])
        ),
        (["a", "--report", "--format", "json"], "--report must be given without --format; it prints Markdown"),
        (["--collect", "--live"], "--collect must be given alone; the script that it prints reads the cluster"),
    ],
)
def test_wrong_flags_are_errors_in_a_sentence(run, arguments, message):
    assert run("doctor", *arguments) == (2, "", f"talos-gpu doctor: {message}\n")


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A folder for programs that is the whole $PATH, and a function that writes one: a script for the shell, which starts in a millisecond."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def write(name, code):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{code}")
        path.chmod(path.stat().st_mode | stat.S_IEXEC)

    return write


EMPTY = """echo '{"apiVersion": "v1", "items": [], "kind": "List", "metadata": {"resourceVersion": ""}}'"""
UNAUTHORIZED = "echo 'rpc error: code = PermissionDenied desc = not authorized' >&2; exit 1"
READER = f'case "$*" in *" read "*) {UNAUTHORIZED} ;; esac'
"""A talosctl with Talos' role os:reader, whose machine has nothing."""


def kubectl(calls, nodes):
    return f"""echo "kubectl $*" >> '{calls}'
case "$1 $2" in
"get nodes") exec /bin/cat '{nodes}' ;;
"get limitranges") printf 'error: limitranges is forbidden: User cannot list\\nresource\\n' >&2; exit 1 ;;
*) {EMPTY} ;;
esac
"""


def talosctl(calls, answers):
    return f"""echo "talosctl $*" >> '{calls}'\n{answers}\n"""


@pytest.fixture
def cluster(programs, tmp_path, nodes_file):
    """A kubectl with one GPU node, no device plugin and no right to list LimitRanges, and a talosctl with the role os:reader."""
    calls = tmp_path / "calls.txt"
    programs("kubectl", kubectl(calls, nodes_file))
    programs("talosctl", talosctl(calls, READER))
    return calls


def test_live_prints_each_command_before_it_runs_and_asks_only_for_what_it_may_read(run, cluster):
    status, out, err = run("doctor", "--live")
    calls = cluster.read_text().splitlines()

    assert status == 1
    assert out.startswith("gpu-1: the cluster has no known device plugin")
    assert sorted(line[2:] for line in err.splitlines() if line.startswith("+ ")) == sorted(calls)
    assert {call.split()[1] for call in calls if call.startswith("kubectl")} <= {"get", "logs"}
    talos = {call.split()[3] for call in calls if call.startswith("talosctl")}
    assert talos <= {"get", "read", "services", "dmesg", "version", "logs"}
    assert talos
    assert not [call for call in calls if "secret" in call.lower() or "machineconfig" in call.lower() or "kubeconfig" in call]


def test_talosctl_gets_the_internal_address_of_the_node_or_the_given_ones(run, cluster):
    run("doctor", "--live")
    assert {call.split()[2] for call in cluster.read_text().splitlines() if call.startswith("talosctl")} == {"10.0.0.1"}

    cluster.unlink()
    run("doctor", "--live", "--talosctl-nodes", "10.9.9.8, 10.9.9.9")
    assert {call.split()[2] for call in cluster.read_text().splitlines() if call.startswith("talosctl")} == {"10.9.9.8", "10.9.9.9"}


def test_kubectl_gets_the_context(run, cluster):
    run("doctor", "--live", "--context", "lab")
    calls = [call for call in cluster.read_text().splitlines() if call.startswith("kubectl")]

    assert all(call.endswith(" --context=lab") for call in calls)


def test_both_contexts_reach_both_programs_and_every_printed_command(run, cluster):
    _, out, _ = run("doctor", "--live", "--context", "lab x", "--talosconfig", "t.yaml", "--talos-context", "lab")
    calls = cluster.read_text().splitlines()
    printed = [line.strip() for line in out.splitlines() if re.match(r" +(kubectl|talosctl) ", line)]

    assert {call.partition(" --context=")[2] for call in calls if call.startswith("kubectl")} == {"lab x"}
    assert {" ".join(call.split()[-2:]) for call in calls if call.startswith("talosctl")} == {"--talosconfig=t.yaml --context=lab"}
    assert printed
    for line in printed:
        words = shlex.split(line, comments=True)
        assert words[1:3] == ["--talosconfig=t.yaml", "--context=lab"] if words[0] == "talosctl" else words[1] == "--context=lab x", line


@pytest.mark.parametrize("name", ["", "a\nb"])
def test_a_context_is_a_name(run, name):
    assert run("doctor", "--live", "--talos-context", name) == (
        2,
        "",
        f"talos-gpu doctor: --talos-context must be a name on one line (got {name!r})\n",
    )


def answers_as(name):
    return f"""case "$*" in
*Nodenames.kubernetes.talos.dev*)
printf 'node: 10.0.0.1\\nmetadata:\\n    type: Nodenames.kubernetes.talos.dev\\n    id: nodename\\nspec:\\n    nodename: {name}\\n' ;;
*" dmesg") echo '10.0.0.1: kern: warning: [2026-11-22T08:00:00.0Z]: NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x0:1)' ;;
esac
"""


@pytest.mark.parametrize(
    "flags", [[], ["--talosctl-nodes", "10.0.0.1"], ["--talosctl-nodes", "10.9.9.9"]], ids=["found", "given", "unknown"]
)
def test_a_machine_that_answers_as_another_node_is_not_read_and_named_as_an_error(run, cluster, programs, flags):
    programs("talosctl", talosctl(cluster, answers_as("other")))
    _, out, err = run("doctor", "--live", *flags)

    assert len([call for call in cluster.read_text().splitlines() if call.startswith("talosctl")]) == 1
    assert " answers as the node other, and in Kubernetes the address is that of " in err
    assert "answers as the node other" in out.partition("not read\n")[2]
    assert "RmInitAdapter" not in out


def test_a_machine_that_answers_as_its_node_is_read(run, cluster, programs):
    programs("talosctl", talosctl(cluster, answers_as("gpu-1")))
    _, out, err = run("doctor", "--live")

    assert len([call for call in cluster.read_text().splitlines() if call.startswith("talosctl")]) > 10
    assert "answers as" not in err
    assert "RmInitAdapter" in out


def test_a_machine_that_does_not_answer_is_asked_once(run, cluster, programs):
    programs("talosctl", talosctl(cluster, "echo 'rpc error: code = Unavailable desc = connection error' >&2; exit 1"))
    run("doctor", "--live")

    assert len([call for call in cluster.read_text().splitlines() if call.startswith("talosctl")]) == 1


def test_live_with_a_pod_reads_the_node_and_the_logs_of_that_pod_first(run, cluster, nodes_file, monkeypatch):
    monkeypatch.setattr(live_commands, "_AT_ONCE", 1)  # so that the order of the calls is the order of the requests
    placed = [pod("a", nodeName="gpu-1"), pod("b", nodeName="gpu-2")]
    for each in placed:
        each.body["status"] = {"phase": "Running"}
    nodes_file.write_text(listing(node("gpu-1", "10.0.0.1"), node("gpu-2", "10.0.0.2"), *placed))
    _, out, _ = run("doctor", "--live", "--pod", "gpu/b")
    calls = cluster.read_text().splitlines()

    assert {call.split()[2] for call in calls if call.startswith("talosctl")} == {"10.0.0.2"}
    assert next(call for call in calls if call.startswith("kubectl logs")).startswith("kubectl logs --namespace gpu b ")
    assert "pod gpu/b asks for nvidia.com/gpu: 1, with no RuntimeClass, on gpu-2" in out
    assert "gpu/a asks" not in out


def exporter(name, node, phase="Running", port=None):
    body = pod(name, nodeName=node).body
    ports = [{"name": "metrics", "containerPort": port}] if port else []
    body["spec"]["containers"] = [{"name": "exporter", "image": "nvcr.io/nvidia/k8s/dcgm-exporter:4.8.2-ubuntu22.04", "ports": ports}]
    body["metadata"]["namespace"] = "monitoring"
    body["status"] = {"phase": phase}
    return LiveObject(body, "pods.json")


def raw(name, port=9400):
    return f"kubectl get --raw /api/v1/namespaces/monitoring/pods/{name}:{port}/proxy/metrics"


def test_the_metrics_of_each_running_exporter_are_read_through_the_proxy_of_the_api_server(run, cluster, programs, nodes_file):
    exporters = [exporter("a", "gpu-1"), exporter("b", "gpu-2", port=9500), exporter("c", "gpu-2", phase="Pending"), exporter("d", "cpu-1")]
    nodes_file.write_text(listing(node("gpu-1", "10.0.0.1"), node("gpu-2", "10.0.0.2"), *exporters))
    answer = 'DCGM_FI_DEV_ROW_REMAP_FAILURE{gpu="0",UUID="GPU-1",Hostname="a"} 1'
    programs("kubectl", kubectl(cluster, nodes_file).replace("case", f"case \"$*\" in *pods/a:*) echo '{answer}'; exit 0 ;; esac\ncase", 1))
    status, out, _ = run("doctor", "--live")

    assert sorted(call for call in cluster.read_text().splitlines() if "--raw" in call) == [raw("a"), raw("b", 9500)]
    assert status == 1
    assert "gpu-1: the memory of a card can't be repaired any more: the remapping of a row has failed" in out


def test_metrics_that_may_not_be_read_are_named_with_the_permission(run, cluster, programs, nodes_file):
    nodes_file.write_text(listing(node("gpu-1"), exporter("a", "gpu-1")))
    words = 'Error from server (Forbidden): pods "a:9400" is forbidden: User "x" cannot get resource "pods/proxy" in API group ""'
    programs(
        "kubectl", kubectl(cluster, nodes_file).replace("case", f"case \"$*\" in *--raw*) echo '{words}' >&2; exit 1 ;; esac\ncase", 1)
    )
    _, out, err = run("doctor", "--live")

    assert f"{raw('a')} failed: {words}; it needs the verb get on pods/proxy, without which the report goes on\n" in err
    assert words in " ".join(out.partition("not read\n")[2].split())


def test_live_with_a_pod_reads_the_metrics_of_its_node_alone(run, cluster, nodes_file):
    placed = pod("p", nodeName="gpu-2")
    placed.body["status"] = {"phase": "Running"}
    nodes = [node("gpu-1", "10.0.0.1"), node("gpu-2", "10.0.0.2")]
    nodes_file.write_text(listing(*nodes, placed, exporter("a", "gpu-1"), exporter("b", "gpu-2")))
    run("doctor", "--live", "--pod", "gpu/p")

    assert [call for call in cluster.read_text().splitlines() if "--raw" in call] == [raw("b")]


def test_machines_are_read_at_the_same_time(run, cluster, programs, nodes_file, tmp_path):
    """Each machine answers once the other one was asked, too."""
    nodes_file.write_text(listing(node("gpu-1", "10.0.0.1"), node("gpu-2", "10.0.0.2")))
    wait = f""": > "{tmp_path}/asked-$2"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -e "{tmp_path}/asked-10.0.0.1" ] && [ -e "{tmp_path}/asked-10.0.0.2" ] && exit 0
    /bin/sleep 1
done
echo 'rpc error: code = Unavailable' >&2; exit 1"""
    programs("talosctl", talosctl(cluster, wait))
    _, _, err = run("doctor", "--live")

    assert "Unavailable" not in err


def test_a_command_that_fails_is_noted_and_the_others_go_on(run, cluster):
    _, out, err = run("doctor", "--live")

    assert (
        "failed: error: limitranges is forbidden: User cannot list resource; "
        "it needs the verb list on limitranges, without which the report goes on\n" in err
    )
    assert (
        "read /proc/modules failed: rpc error: code = PermissionDenied desc = not authorized; it needs the role os:admin, without which "
        "the report goes on; the report names the other machines\n" in err
    )
    assert "talosctl --nodes 10.0.0.1 services" in err
    assert "limitranges is forbidden" in out


def test_a_reader_gets_a_report_that_names_what_was_refused_on_which_machines_and_the_role(run, cluster, nodes_file):
    nodes_file.write_text(listing(node("gpu-1"), node("gpu-2", "10.0.0.2")))
    status, out, err = run("doctor", "--live")
    words = " ".join(out.split())

    assert status == 1
    assert "talosctl failed" not in out
    for file in ("/proc/modules", "/proc/driver/nvidia/version"):
        assert (
            f"gpu-1, gpu-2: {file} was refused: rpc error: code = PermissionDenied desc = not authorized; it needs the role os:admin, without which"
            in words
        )
        assert err.count(f"read {file} failed") == 1


def test_a_talosctl_without_a_role_is_asked_once_for_each_machine(run, cluster, programs):
    programs("talosctl", talosctl(cluster, UNAUTHORIZED))
    _, out, err = run("doctor", "--live")

    assert len([call for call in cluster.read_text().splitlines() if call.startswith("talosctl")]) == 1
    assert "desc = not authorized; it needs the role os:reader; the report names the other machines\n" in err
    assert (
        "Nodenames.kubernetes.talos.dev was refused: rpc error: code = PermissionDenied desc = not authorized; it needs the role os:reader"
        in " ".join(out.split())
    )


def test_the_summary_names_the_programs_that_failed(run, cluster, tmp_path):
    (tmp_path / "bin" / "talosctl").write_text("#!/bin/sh\nexit 1\n")
    _, out, _ = run("doctor", "--live")

    assert "\ntalosctl failed on 1 node: 10.0.0.1; kubectl failed to list LimitRange\n" in out.partition("\n\n")[0] + "\n"


def test_without_a_cause_the_second_line_names_the_nodes_on_which_talosctl_failed(run, programs, nodes_file):
    body = json.loads(nodes_file.read_text())
    body["items"][0]["status"].update(allocatable={"nvidia.com/gpu": "1"}, capacity={"nvidia.com/gpu": "1"})
    nodes_file.write_text(json.dumps(body))
    programs("kubectl", f"""[ "$2" = nodes ] && exec /bin/cat '{nodes_file}'\n{EMPTY}""")
    programs("talosctl", "exit 1")
    _, out, _ = run("doctor", "--live")

    assert out.splitlines()[1] == "talosctl failed on 1 node: 10.0.0.1"


def test_a_machine_without_a_service_or_a_driver_is_no_failure_of_talosctl(tmp_path):
    folder = tmp_path / "talos" / "10.0.0.1"
    (folder / "service-logs").mkdir(parents=True)
    for name in ("driver-version.txt.failed", "service-logs/ext-nvidia-fabricmanager.log.failed"):
        (folder / name).write_text("rpc error: code = Unknown desc = not found")
    dump = read_dump([tmp_path])

    assert dump.failed == {}
    (folder / "services.txt.failed").write_text("rpc error: code = Unavailable")
    assert read_dump([tmp_path]).failed == {"talosctl": {"10.0.0.1"}}


def test_a_kind_that_the_cluster_does_not_have_is_no_failure(run, programs):
    programs("kubectl", """echo "error: the server doesn't have a resource type \\"clusterpolicies\\"" >&2; exit 1""")
    _, _, err = run("doctor", "--live")

    assert "failed" not in err


def test_a_missing_talosctl_is_named_and_kubectl_is_read(run, cluster, tmp_path):
    (tmp_path / "bin" / "talosctl").unlink()
    status, out, err = run("doctor", "--live")

    assert status == 1
    assert "talos-gpu doctor: talosctl is not in $PATH, so the machines are not read\n" in err
    assert out.startswith("gpu-1: the cluster has no known device plugin")


def test_without_both_programs_the_error_names_them_and_the_script(run, programs):
    status, out, err = run("doctor", "--live")

    assert (status, out) == (2, "")
    assert err == (
        "talos-gpu doctor: --live needs kubectl or talosctl in $PATH; "
        "talos-gpu doctor --collect prints a script for a machine that has them\n"
    )


def test_a_cluster_that_answers_nothing_is_an_error(run, programs):
    for each in ("kubectl", "talosctl"):
        programs(each, "echo connection refused >&2; exit 1")
    status, out, err = run("doctor", "--live")

    assert (status, out) == (2, "")
    assert err.endswith("talos-gpu doctor: the cluster can't be read: no command of kubectl or talosctl succeeded\n")


REFUSED = "The connection to the server localhost:8080 was refused - did you specify the right host or port?"
LOGGED = 'E1122 22:10:01.123456   12345 memcache.go:265] "Unhandled Error" err="get current server API group list"\\n' * 5


def no_server(calls):
    return f"""echo "$*" >> '{calls}'
[ "$*" = "config current-context" ] && echo admin@prod && exit
printf '{LOGGED}{REFUSED}\\n' >&2; exit 1
"""


@pytest.mark.parametrize(("flags", "context"), [([], "admin@prod"), (["--context", "lab"], "lab")])
def test_a_kubectl_that_reaches_no_cluster_is_run_once_and_its_own_last_words_are_told_with_the_context(
    run, programs, tmp_path, flags, context
):
    calls = tmp_path / "calls.txt"
    programs("kubectl", no_server(calls))
    _, _, err = run("doctor", "--live", *flags)

    assert [call for call in calls.read_text().splitlines() if call.startswith("get")] == [
        " ".join(["get nodes --all-namespaces --output json", *(["--context=lab"] if flags else [])])
    ]
    assert [line for line in err.splitlines() if REFUSED in line] == [
        f"talos-gpu doctor: kubectl reaches no cluster: {REFUSED} (context: {context})"
    ]
    assert "memcache.go" not in err


def test_where_kubectl_reaches_no_cluster_all_its_kinds_are_named_as_not_listed_and_machines_are_read(run, programs, tmp_path):
    programs("kubectl", no_server(tmp_path / "calls.txt"))
    programs("talosctl", "echo 'nvidia 1 0 - Live 0x0'")
    _, out, err = run("doctor", "--live", "--talosctl-nodes", "10.0.0.1")

    assert "kubectl failed to list ClusterPolicy, CronJob, DaemonSet and " in out
    assert "+ talosctl --nodes 10.0.0.1 dmesg\n" in err


def test_of_a_failure_the_lines_for_developers_are_left_out(run, programs):
    programs(
        "kubectl",
        r"printf 'W1122 22:10:01.1 1 loader.go:222] config file not found\nerror: You must be logged in to the server\n' >&2; exit 1",
    )
    _, _, err = run("doctor", "--live")

    assert "json failed: error: You must be logged in to the server\n" in err
    assert "loader.go" not in err


def test_no_temporary_folder_is_left_or_named(run, cluster, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    _, out, _ = run("doctor", "--live", "--format", "json")

    assert list(temporary.iterdir()) == []
    assert str(temporary) not in out


def test_collect_prints_a_script_that_a_shell_accepts():
    done = process("doctor", "--collect")

    assert (done.returncode, done.stderr) == (0, b"")
    assert subprocess.run(["/bin/sh", "-n"], input=done.stdout, check=False).returncode == 0


def test_no_planted_secret_is_printed_in_any_format(run, tmp_path):
    container = {"name": "a", "image": "a:1", "env": [{"name": "HF_TOKEN", "value": PLANTED}], "args": ["--api-key", PLANTED]}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"runtimeClassName": "nvidia", "containers": [container]}}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"token": PLANTED}}
    (tmp_path / "a.json").write_text(listing(node("gpu-1")))
    (tmp_path / "b.json").write_text(json.dumps(body))
    (tmp_path / "c.json").write_text(json.dumps(secret))
    (tmp_path / "app.log").write_text(f"HF_TOKEN={PLANTED} CUDA error: no CUDA-capable device is detected\n")

    for form in ("text", "markdown", "json"):
        assert PLANTED not in "".join(map(str, run("doctor", tmp_path, "--format", form)))


def test_the_help_names_the_statuses_and_an_example():
    words = " ".join(process("doctor", "--help").stdout.decode().split())

    assert (
        "0 when each step from the image to the program is healthy, 1 when a cause was found, 2 when nothing could be read, and 3 when too little was read to judge"
        in words
    )
    assert "| talos-gpu doctor -" in words
