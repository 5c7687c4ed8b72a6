"""Fixes: each is checked again, changes nothing else, and is left where the file is not the author's."""

import difflib
import gc
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from constructs_lib.checks.engine import rules_of
from constructs_lib.checks.fixes import fixer
from constructs_lib.checks.fixes.fixer import SAFE, Fixes, fixes, fixes_of, flags_of_fix
from constructs_lib.checks.rule import Rule, Severity, Violation, set_to
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read, read_text

FIXABLE = [rule for rule in RULES.values() if flags_of_fix(rule)]
RUNTIME_CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: %s\n"
"""A RuntimeClass, whose handler a fix sets."""
MACHINE = """\
machine:
  type: worker
  token: abcdef.0123456789abcdef
  ca: {crt: LS0tLS1CRUdJTg==}
  network: {hostname: gpu-1}
  kernel:
    modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
  sysctls: {net.core.bpf_jit_harden: "1"}
"""
BAD, GOOD = RUNTIME_CLASS % "nvidia-cdi", RUNTIME_CLASS % "nvidia"
VALUES = "driver: {enabled: false}\nmigManager: {enabled: false}\nhostPaths: {driverInstallDir: /usr/local}\n"


@pytest.fixture
def fix(tmp_path):
    """Fixes files by their names, with the fixes in memory."""

    def call(files: dict[str, str], *, unsafe: bool = False, given: list[str] | None = None, **settings) -> Fixes:
        for name, text in {**files, "machine.yaml": files.get("machine.yaml", MACHINE)}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        paths = [tmp_path / name for name in given] if given else [tmp_path]

        call.readings = 0

        def reading(texts):
            call.readings += 1
            return read(paths, texts=texts, **{"talos": "1.12", **settings})

        return fixes(reading, reading({}), paths, unsafe=unsafe)

    return call


def reasons(result: Fixes) -> set[str]:
    return {reason for _, reason in result.left}


def of_example(rule: Rule, folder: Path) -> tuple[str, Fixes]:
    example, file = rule.failing, folder / "example.yaml"
    file.write_text(example.yaml, encoding="utf-8")

    def reading(texts):
        return read([file], texts=texts, chart=example.chart, talos=example.talos, nodes=example.nodes)

    result = fixes(reading, reading({}), [folder], unsafe=flags_of_fix(rule) != SAFE)
    return result.texts.get(file, example.yaml), result


@pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: rule.id)
def test_the_fix_of_a_fixable_rule_removes_the_finding_from_its_failing_example(rule, tmp_path):
    text, result = of_example(rule, tmp_path)

    assert [each.finding for each in fixes_of(result.inputs, [rule])] == []
    assert text != rule.failing.yaml
    changed = [line for line in difflib.ndiff(rule.failing.yaml.splitlines(), text.splitlines()) if line[0] in "-+"]
    assert len(changed) <= 6, changed


def test_at_least_thirty_rules_are_fixable_and_twenty_of_them_safely():
    assert len(FIXABLE) >= 30
    assert sum(flags_of_fix(rule) == SAFE for rule in FIXABLE) >= 20


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_only_errors_are_fixed_safely(rule, tmp_path):
    file = tmp_path / "example.yaml"
    file.write_text(rule.failing.yaml, encoding="utf-8")
    inputs = read([file], chart=rule.failing.chart, talos=rule.failing.talos, nodes=rule.failing.nodes)

    assert all(each.finding.severity is Severity.ERROR for each in fixes_of(inputs, [rule]) if each.is_safe)


def test_a_fix_keeps_every_other_byte(fix, tmp_path):
    text = BAD.replace("metadata", "# the class\nmetadata").replace("-cdi\n", "-cdi   # talos has no such handler").replace("\n", "\r\n")

    result = fix({"class.yaml": text})

    assert result.texts == {tmp_path / "class.yaml": text.replace("nvidia-cdi ", "nvidia ")}
    assert (result.fixed, result.before) == (1, 1)


@pytest.mark.parametrize(("before", "after"), [(("0.5", "0.5"), (1, 1)), ((2, 1), (2, 2))])
def test_an_amount_keeps_its_quotes(fix, tmp_path, before, after):
    resources = "    resources:\n      limits: {nvidia.com/gpu: %s}\n      requests: {nvidia.com/gpu: '%s'}\n"
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  runtimeClassName: nvidia\n  containers:\n  - name: a\n    image: b\n"

    result = fix({"a.yaml": pod + resources % before, "class.yaml": GOOD}, unsafe=True)

    assert result.texts[tmp_path / "a.yaml"] == pod + resources % after


@pytest.mark.parametrize("written", ["022", "0x1F", "1_000", "1.10", "true"])
def test_a_number_or_a_bool_in_place_of_a_string_gets_quotes_and_keeps_its_text(fix, tmp_path, written):
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  runtimeClassName: nvidia\n  containers:\n  - name: a\n    image: b\n"
        "    resources: {limits: {nvidia.com/gpu: 1}}\n    env:\n    - name: UMASK\n      value: %s # as it was\n"
    )

    result = fix({"a.yaml": pod % written, "class.yaml": GOOD})

    assert result.texts[tmp_path / "a.yaml"] == pod % f'"{written}"'


def test_an_unsafe_fix_is_counted_and_not_made(fix):
    files = {"values.yaml": VALUES + "toolkit: {enabled: false}\ngds: {enabled: true}\n"}
    settings = {"chart": "gpu-operator@v26.7.0", "talos": "1.13", "given": ["values.yaml"]}

    result = fix(files, **settings)

    assert ([each.rule for each in result.unsafe], result.texts) == (["TG037"], {})
    assert fix(files, unsafe=True, **settings).fixed == 1


def test_several_fixes_of_one_file_are_made_together(fix, tmp_path):
    files = {"values.yaml": "# mine\nmigManager: {enabled: false}\nhostPaths:\n  driverInstallDir: /usr/local/glibc/usr/lib\n"}

    result = fix(files, chart="gpu-operator@v26.7.0", talos="1.13", given=["values.yaml"])

    assert result.texts[tmp_path / "values.yaml"] == (
        "# mine\nmigManager: {enabled: false}\nhostPaths:\n  driverInstallDir: /usr/local\ndriver:\n  enabled: false\ntoolkit:\n  enabled: false\n"
    )
    assert fix.readings == 2  # before, and after all of them


def test_a_fix_that_adds_a_line_moves_no_other_fix(fix, tmp_path):
    pods = "".join(
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers:\n"
        "    - {name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}\n"
        for name in "abc"
    )

    plugin = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: plugin, namespace: kube-system}\nspec:\n"
        "  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}\n  values: {runtimeClassName: nvidia, gfd: {enabled: true}}\n"
    )

    result = fix({"pods.yaml": GOOD + pods, "plugin.yaml": plugin})

    assert result.texts[tmp_path / "pods.yaml"] == GOOD + pods.replace("gpu: 1}}}\n", "gpu: 1}}}\n  runtimeClassName: nvidia\n")
    assert (result.fixed, fix.readings) == (3, 2)


def a_list_of_pods(number):
    pod = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: a%d}\n  spec:\n    runtimeClassName: nvidia\n    containers:\n"
    pod += "    - {name: a, image: b, resources: {limits: {nvidia.com/gpu: '0.5'}}}\n"
    return GOOD + "---\napiVersion: v1\nkind: List\nitems:\n" + "".join(pod % each for each in range(number))


@pytest.mark.parametrize("unsafe", [True, False])
def test_the_fixes_of_a_document_parse_it_as_often_as_one_fix_does(fix, monkeypatch, unsafe):
    calls = []

    def counted(call):
        return lambda text, *given, **settings: calls.extend(["call"] * ("kind: List" in text)) or call(text, *given, **settings)

    for name in ("compose", "compose_all", "load_all", "parse", "scan"):
        monkeypatch.setattr(yaml, name, counted(getattr(yaml, name)))
    numbers = []
    for pods in (1, 30):
        calls.clear()
        result = fix({"pods.yaml": a_list_of_pods(pods)}, unsafe=unsafe)
        numbers.append(len(calls))
        assert result.fixed == pods

    assert 0 < numbers[0] == numbers[1] < 20


def test_fixes_beside_each_other_are_made_one_after_the_other(fix, tmp_path):
    """The last key of the container and that of the pod's spec are new, and go below the same line."""
    pods = "".join(
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: a{each}}}\nspec:\n  containers:\n  - name: a\n    image: b\n"
        "    resources:\n      requests:\n        nvidia.com/gpu: 1\n"
        for each in range(3)
    )

    result = fix({"pods.yaml": GOOD + pods}, unsafe=True)

    new = "        nvidia.com/gpu: 1\n      limits:\n        nvidia.com/gpu: 1\n  runtimeClassName: nvidia\n"
    assert result.texts == {tmp_path / "pods.yaml": GOOD + pods.replace("        nvidia.com/gpu: 1\n", new)}
    assert (result.left, fix.readings) == ([], 3)


def test_equal_findings_of_two_containers_on_one_line_are_fixed_together(fix, tmp_path):
    container = "{name: %s, image: b, resources: {limits: {nvidia.com/gpu: '0.5'}}}"
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
    pod += f"spec: {{runtimeClassName: nvidia, containers: [{container % 'a'}, {container % 'b'}]}}\n"

    result = fix({"pod.yaml": GOOD + "---\n" + pod})

    assert result.texts == {tmp_path / "pod.yaml": GOOD + "---\n" + pod.replace("'0.5'", "'1'")}
    assert (result.left, fix.readings) == ([], 2)


def test_many_bad_fixes_end_with_a_reason(fix, monkeypatch):
    def check(inputs):
        for each in inputs.of_kind("RuntimeClass"):
            yield Violation(severity=Severity.ERROR, message="it is wrong", about=each, path=("handler",), edits=set_to("other"))

    monkeypatch.setattr(fixer, "rules_of", lambda *_: [replace(RULES["TG042"], check=check)])
    monkeypatch.setattr(fixer, "_MOST_READINGS", 6)

    result = fix({"class.yaml": "---\n".join(BAD.replace("nvidia}", f"n{each}}}") for each in range(8))})

    assert fix.readings == 7  # and the first reading
    assert any(reason.startswith("too many fixes can't be made") for reason in reasons(result))
    assert len(result.left) == 8


def test_a_second_run_fixes_nothing(fix, tmp_path):
    files = {"values.yaml": VALUES.replace("false", "true"), "class.yaml": BAD}
    settings = {"chart": "gpu-operator@v26.7.0", "talos": "1.13", "given": ["values.yaml"]}
    fixed = fix(files, **settings).texts

    assert fix({name: fixed.get(tmp_path / name, text) for name, text in files.items()}, **settings).texts == {}


def test_a_fix_that_would_cause_another_finding_is_left(fix):
    """The plugin needs the RuntimeClass, and nothing creates one."""
    plugin = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: plugin, namespace: kube-system}\nspec:\n"
    plugin += "  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}\n  values: {nodeSelector: {kubernetes.io/hostname: gpu-1}, affinity: null}\n"

    result = fix({"plugin.yaml": plugin})

    assert result.texts == {}
    assert any("the fix would cause TG041" in reason for reason in reasons(result))


def test_a_fix_after_which_the_finding_stays_is_left(fix, monkeypatch):
    def check(inputs):
        for each in inputs.of_kind("RuntimeClass"):
            yield Violation(severity=Severity.ERROR, message="it is wrong", about=each, path=("handler",), edits=set_to("other"))

    rule = replace(RULES["TG042"], check=check)
    monkeypatch.setattr(fixer, "rules_of", lambda *_: [rule])

    assert reasons(fix({"class.yaml": BAD})) == {"the finding stays after the fix: another place sets the value, too"}


def test_an_edit_that_would_change_other_values_hinders_no_other_fix(fix, monkeypatch, tmp_path):
    def check(inputs):
        for each in inputs.of_kind("RuntimeClass"):
            if each.at("handler") != "other":
                yield Violation(Severity.ERROR, "it is wrong", each, ("handler",), edits=set_to("other"))
            if each.at("x", "a") == "b":
                yield Violation(Severity.ERROR, "it is bad", each, ("x", "a"), edits=set_to("c, d"))

    monkeypatch.setattr(fixer, "rules_of", lambda *_: [replace(RULES["TG042"], check=check)])

    result = fix({"class.yaml": f"{BAD}x: {{a: b}}\n"})

    assert result.texts == {tmp_path / "class.yaml": f"{BAD.replace('handler: nvidia-cdi', 'handler: other')}x: {{a: b}}\n"}
    assert reasons(result) == {"the text can't be edited: the edit would change other values of the document"}


def test_a_good_fix_is_made_beside_a_bad_one(fix, tmp_path):
    plugin = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: plugin, namespace: kube-system}\nspec:\n"
    plugin += "  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}\n  values: {nodeSelector: {kubernetes.io/hostname: gpu-1}, affinity: null}\n"
    other = BAD.replace("{name: nvidia}", "{name: nvidia-cdi}")

    result = fix({"plugin.yaml": plugin, "class.yaml": other})

    assert result.texts == {tmp_path / "class.yaml": other.replace("handler: nvidia-cdi", "handler: nvidia")}
    assert result.left


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("class.yaml", "# This file was generated by a tool. DO NOT EDIT.\n" + BAD, "the file says that it is generated"),
        ("app.k8s.yaml", BAD, "cdk8s generates the file"),
        ("class.yaml", "---\n# Source: charts/templates/class.yaml\n" + BAD, "helm template generates the file"),
        ("class.yaml", BAD + "---\nsops: [mac]\n", "the file is encrypted"),
        ("class.yaml", BAD + "---\nkind: Odd\napiVersion: v1\nsecret: ENC[AES256_GCM,data:a]\n", "the file is encrypted"),
        ("class.yaml", BAD + "#% if x %#\n", "the file is a template"),
        ("class.yaml", BAD.replace("name: nvidia}", "name: nvidia, resourceVersion: '1'}"), "the file is a copy of a cluster's object"),
        ("class.yaml", BAD.replace("nvidia-cdi", "&handler nvidia-cdi"), "the value has an anchor"),
        (
            "class.yaml",
            BAD.replace("metadata:", "x: &handler nvidia-cdi\nmetadata:").replace("handler: n", "handler: *handler #"),
            "the value has an",
        ),
        ("class.yaml", BAD.replace("nvidia-cdi", "!!str nvidia-cdi"), "the value has an anchor, an alias or a tag"),
        ("class.yaml", BAD.replace("nvidia-cdi", ">-\n  nvidia-cdi"), "the value is not one word on one line"),
        ("class.yaml", BAD.replace("handler: nvidia-cdi", "<<: {handler: nvidia-cdi}"), "the value is put together"),
        ("class.yaml", BAD + "handler: nvidia-cdi\n", "the key handler already exists"),
    ],
)
def test_a_file_of_a_program_and_a_shared_value_are_left_with_the_reason(fix, name, text, reason):
    result = fix({name: text}, unsafe=True)

    assert result.texts == {}
    assert any(reason in each for each in reasons(result)), reasons(result)


def test_a_value_with_a_variable_has_no_fix(fix):
    result = fix({"class.yaml": BAD.replace("nvidia-cdi", "${HANDLER}")})

    assert (result.texts, result.left) == ({}, [])


def test_the_output_of_cdk8s_is_left(fix):
    result = fix({"cdk8s.yaml": "language: python\noutput: rendered\n", "rendered/class.yaml": BAD, "mine/class.yaml": GOOD})

    assert reasons(result) == {"cdk8s generates the file: change the program"}


@pytest.mark.parametrize("name", ["a\n--- b.yaml\n+++ b.yaml\n/class.yaml", "a\tb.yaml", "a\x1b[2K.yaml"])
def test_a_file_whose_name_could_be_read_as_lines_of_a_diff_is_left(fix, name):
    result = fix({name: BAD})

    assert (result.texts, result.names) == ({}, {})
    assert reasons(result) == {"the file's name has unprintable characters"}


def test_a_file_outside_of_the_given_paths_is_left(fix, tmp_path):
    (tmp_path / ".git").mkdir()
    files = {"base/class.yaml": BAD, "apps/kustomization.yaml": "resources: [../base/class.yaml, ../machine.yaml]\n"}

    assert reasons(fix(files, given=["apps"], talos="1.12")) == {"the file is outside of the given files and folders"}
    assert fix(files, given=["apps", "base", "machine.yaml"]).fixed == 1


def test_an_object_that_kustomize_patches_is_fixed_in_the_patch(fix, tmp_path):
    files = {
        "class.yaml": GOOD,
        "patch.yaml": "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata:\n  name: nvidia\nhandler: nvidia-cdi # here\n",
        "kustomization.yaml": "resources: [class.yaml]\npatches: [{path: patch.yaml}]\n",
    }

    result = fix(files)

    assert result.texts == {tmp_path / "patch.yaml": files["patch.yaml"].replace("nvidia-cdi", "nvidia")}


def test_a_value_that_kustomize_generates_is_left(fix):
    files = {
        "class.yaml": GOOD,
        "kustomization.yaml": 'resources: [class.yaml]\npatches:\n  - target: {kind: RuntimeClass}\n    patch: \'[{"op": "replace", "path": "/handler", "value": "nvidia-cdi"}]\'\n',
    }

    result = fix(files)

    assert result.texts == {}
    assert len(result.left) == 1


def test_a_machine_patch_in_a_talconfig_is_fixed_inside_of_its_literal_block(fix, tmp_path):
    talconfig = """\
clusterName: home
talosVersion: v1.11.5
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
    patches:
      - |-
        machine:
          # the modules
          kernel:
            modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]

          sysctls:
            net.core.bpf_jit_harden: "2"   # Talos' default
"""

    result = fix({"talconfig.yaml": talconfig}, talos=None, given=["talconfig.yaml"])

    assert result.texts == {tmp_path / "talconfig.yaml": talconfig.replace('"2"', '"1"')}


def test_the_values_of_a_merged_config_map_are_fixed_there(fix, tmp_path):
    files = {
        "release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gpu-operator, namespace: gpu}\nspec:\n"
        "  chart: {spec: {chart: gpu-operator, version: v26.7.0}}\n  valuesFrom: [{kind: ConfigMap, name: values}]\n",
        "values.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: values, namespace: gpu}\ndata:\n  values.yaml: |\n"
        "    driver: {enabled: true} # no\n    toolkit: {enabled: false}\n    migManager: {enabled: false}\n    hostPaths: {driverInstallDir: /usr/local}\n",
    }

    result = fix(files, talos="1.13")

    assert result.texts == {tmp_path / "values.yaml": files["values.yaml"].replace("enabled: true", "enabled: false")}


GATES = "nvidiaDriverRoot: /usr/local\ngpuResourcesEnabledOverride: true\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("featureGates:\n  DeviceMetadata: true\n", "featureGates:\n  DeviceMetadata: false\n"),
        ("consumableShares: '4'\n", "consumableShares: '4'\nfeatureGates:\n  ConsumableShares: true\n"),
        ("featureGates: {MPSSupport: true}\n", "featureGates: {MPSSupport: false}\n"),
        (
            "featureGates: {ConsumableShares: true, MPSSupport: true}\n",
            "featureGates: {ConsumableShares: true, MPSSupport: false}\n",
        ),
    ],
)
def test_a_feature_gate_is_switched_where_only_one_gate_can_be(fix, tmp_path, before, after):
    result = fix({"values.yaml": GATES + before}, unsafe=True, chart="dra-driver-nvidia-gpu@0.5.0", talos="1.13", given=["values.yaml"])

    assert result.texts == {tmp_path / "values.yaml": GATES + after}


def test_of_two_feature_gates_that_exclude_each_other_the_author_chooses_one(fix):
    text = GATES + "featureGates: {DynamicMIG: true, PassthroughSupport: true}\n"

    assert fix({"values.yaml": text}, unsafe=True, chart="dra-driver-nvidia-gpu@0.5.0", talos="1.13", given=["values.yaml"]).texts == {}


PARTITION = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  runtimeClassName: nvidia
  containers: [{name: a, image: a, resources: {limits: {nvidia.com/mig-1g.10gb: 1}}}]
"""
MIXED = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0, sourceRef: {kind: HelmRepository, name: nvidia}}}
  values:
    runtimeClassName: nvidia
    migStrategy: mixed
"""


def test_a_plugin_beside_a_pod_with_a_partition_gets_its_privileges(fix, tmp_path):
    result = fix({"plugin.yaml": MIXED, "pod.yaml": PARTITION, "class.yaml": GOOD}, unsafe=True)

    assert result.texts[tmp_path / "plugin.yaml"] == MIXED + "    securityContext:\n      privileged: true\n"
    assert fix({"plugin.yaml": MIXED, "pod.yaml": PARTITION}).texts == {}


@pytest.mark.parametrize(
    "text", [MIXED, f"{MIXED}    securityContext: {{allowPrivilegeEscalation: false}}\n---\n{PARTITION}"], ids=["no partition", "its own"]
)
def test_a_plugin_gets_no_privileges_without_a_partition_or_beside_its_own_security_context(text):
    assert [each.edits for each in fixes_of(read_text(text, talos="1.13"), [RULES["TG038"]])] == [()]


def test_the_inputs_of_an_earlier_round_are_freed(tmp_path):
    """A reading of a large repository needs gigabytes, and the command fixes without the garbage collector."""
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(BAD)

    def reading(texts):
        return read([tmp_path], texts=texts, talos="1.12")

    pending = fixer._Fixer(reading, reading({}), [tmp_path], rules_of(), None)
    pending.unsafe = True
    one, other = (each for each in pending.all if each.finding.rule == "TG042")

    gc.disable()
    try:
        assert pending.make([one])
        earlier = weakref.ref(pending.inputs)
        assert pending.make(pending.again([other]))
        assert earlier() is None
    finally:
        gc.enable()
