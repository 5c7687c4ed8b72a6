"""Whatever somebody feeds the command, it answers: arbitrary text, arbitrary YAML, and real manifests with something wrong in them."""

import contextlib
import copy
import io
import json
import string
from unittest import mock

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import ROOT, drawn
from constructs_lib import check
from constructs_lib.checks.rules import RULES
from constructs_lib.cli import command as cli

TALOS = ("1.8", "1.12", "1.13", "1.15")
CHARTS = ("gpu-operator@v26.7.0", "nvidia-device-plugin", "dcgm-exporter@x", "")
# What stands where something else is expected.
JUNK = [None, True, 0, -1, 1.5, 10**30, "", "x", "nvidia.com/gpu", "${VAR}", [], {}, [None], [[]], [{}], ["x", 1], {"x": None}, {"": [{}]}]
KEYS = [
    "apiVersion", "kind", "metadata", "name", "namespace", "labels", "annotations", "spec", "template", "containers", "initContainers", "env",
    "resources", "limits", "requests", "nvidia.com/gpu", "nodeSelector", "affinity", "tolerations", "runtimeClassName", "handler", "chart",
    "values", "version", "items", "data", "config", "machine", "cluster", "kernel", "modules", "nodeLabels", "nodeTaints", "files", "sysctls",
    "nodes", "patches", "extensions", "sharing", "timeSlicing", "replicas", "sources", "helm", "driver", "toolkit", "cdi", "devicePlugin",
]  # fmt: skip
KINDS = [
    "Pod", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Namespace", "Node", "RuntimeClass", "Service", "ServiceMonitor", "List",
    "ConfigMap", "HelmRelease", "HelmRepository", "OCIRepository", "Application", "ApplicationSet", "Kustomization", "ClusterPolicy",
    "NodeFeatureRule", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "Cluster", "Machine", "Workers", "ConfigPatch",
    "KubeNodeConfig", "KernelModuleConfig", "InferenceService",
]  # fmt: skip

leaves = st.one_of(st.sampled_from([*JUNK[:10], *KINDS, "v1", "apps/v1", "Exists", "1"]), st.text(string.printable, max_size=12))
trees = st.recursive(
    leaves, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)), max_leaves=25
)
objects = st.builds(
    lambda kind, tree: {"apiVersion": "v1", "kind": kind, **(tree if isinstance(tree, dict) else {"spec": tree})},
    st.sampled_from(KINDS),
    trees,
)
often = settings(max_examples=drawn(150), suppress_health_check=[HealthCheck.data_too_large])


def examples():
    """Real manifests, of every kind that rules know."""
    broken = RULES["TG141"].failing  # no YAML
    yield from (example.yaml for rule in RULES.values() for example in (rule.failing, rule.passing) if example is not broken)
    yield from (path.read_text() for path in sorted((ROOT / "dist").rglob("*.yaml")) if path.stat().st_size < 30_000)


CORPUS = [list(yaml.safe_load_all(text)) for text in examples()]


def places(value, path=()):
    """Every path of a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


@st.composite
def mutated(draw):
    """Real manifests, in which a few values are something else, or gone."""
    documents = copy.deepcopy(draw(st.sampled_from(CORPUS)))
    for _ in range(draw(st.integers(1, 4))):
        found = list(places(documents))
        if not found:
            break
        *steps, last = found[draw(st.integers(0, len(found) - 1))]
        inside = documents
        for step in steps:
            inside = inside[step]
        if draw(st.booleans()):
            inside[last] = copy.deepcopy(draw(st.sampled_from(JUNK)))
        else:
            del inside[last]
    return yaml.safe_dump_all(documents)


def command(text, *flags):
    """The command on standard input: its status, its answer and its messages."""
    out, err = io.StringIO(), io.StringIO()
    with mock.patch("sys.stdin", io.StringIO(text)), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main(["check", "-", *flags])
    return status, out.getvalue(), err.getvalue()


def answers(text, *flags):
    """The command's findings; it neither crashes nor blames its flags."""
    status, out, err = command(text, "--format", "json", *flags)
    assert out, err
    findings = json.loads(out)["findings"]

    expected = 2 if "nothing was" in err else int(any(each["severity"] == "error" for each in findings))
    assert status == expected, err
    assert all(each["message"] and each["fix"] and each["rule"] in RULES for each in findings)
    return findings


@often
@given(st.text())
def test_arbitrary_text_is_answered(text):
    answers(text)


@often
@given(st.lists(trees, max_size=3), st.sampled_from(CHARTS[:3]))
def test_arbitrary_yaml_is_answered_as_manifests_and_as_values(documents, chart):
    text = yaml.safe_dump_all(documents)
    answers(text)
    answers(text, "--chart", chart)


@often
@given(st.lists(objects, max_size=4), st.sampled_from(TALOS))
def test_arbitrary_objects_are_answered(documents, talos):
    answers(yaml.safe_dump_all(documents), "--talos", talos)
    answers(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}), "--talos", talos)
    assert all(each.line is None for each in check(documents, talos_version=talos))


@settings(often, max_examples=drawn(400))
@given(mutated(), st.sampled_from([(), *(("--talos", talos) for talos in TALOS)]))
def test_real_manifests_with_something_wrong_in_them_are_answered(text, flags):
    answers(text, *flags)


@often
@given(mutated())
def test_a_capacity_is_answered_too(text):
    flags = ["--talos", "1.13", "--gpus-per-node", "1", "--count", "2", "--memory-per-gpu", "16Gi", "--capacity"]
    status, out, err = command(text, *flags)

    assert (status, err.count("\n")) == (2, 1) if "nothing was" in err else (status in (0, 1), err) == (True, "")
    assert "CLASS" in out


@pytest.mark.parametrize(
    "text",
    [
        "{{ include . }}",
        "%",
        "a: [",
        "\t",
        "--- |\n",
        "&a [*a]",
        "? {a: b}\n: c",
        "!!python/object:os.system x",
        "a: !!binary xx",
        "a: 2026-01-01\nb: 0o9\nc: .nan\nd: 1e999",
        "\ufeffkind: Pod",
        "\x00",
        "[" * 50_000,
        "a: &a [b, b]\n"
        + "".join(f"k{n}: &k{n} [*{'a' if n == 0 else f'k{n - 1}'}, *{'a' if n == 0 else f'k{n - 1}'}]\n" for n in range(40)),
    ],
    ids=range(14),
)
def test_what_is_hardly_yaml_is_answered(text):
    assert answers(text) == []


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00", b"\x80kind: Pod", "kind: Pö".encode("latin-1"), b"", b"\0" * 100],
    ids=["utf-16", "byte", "latin-1", "empty", "0"],
)
def test_files_that_are_no_text_are_answered(content, tmp_path, capsys):
    (tmp_path / "a.yaml").write_bytes(content)

    assert cli.main(["check", str(tmp_path)]) == 2
    assert "nothing to check" in capsys.readouterr().out
