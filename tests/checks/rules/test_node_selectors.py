"""Who makes which label of a node, and selectors for labels that nothing makes (TG007), or whose value changes (TG049)."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import run_rules, violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.nodes.node_labels import discoverers, labels_of_nodes
from constructs_lib.observed.read.repository import read, read_text

NODES = GpuNodes(talos_version="1.13", labels={"role": "gpu"})
PATCH = """\
---
machine:
  kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}]}
"""


def said(rule: str, yaml: str, **given) -> list[tuple[str, str]]:
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], read_text(yaml, **given))]


def pod(selector: str, image: str = "ollama/ollama:0.32.15", runtime_class: str = "nvidia") -> str:
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: ollama, namespace: ollama}}
spec:
  runtimeClassName: {runtime_class}
  nodeSelector: {selector}
  containers: [{{name: ollama, image: "{image}"}}]
"""


def release(chart: str, values: str = "{}", version: str = "0.20.0") -> str:
    return f"""\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {chart}, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: {chart}, version: {version}}}}}
  values: {values}
"""


def rule(labels: str) -> str:
    return f"""\
---
apiVersion: nfd.k8s-sigs.io/v1alpha1
kind: NodeFeatureRule
metadata: {{name: gpu}}
spec: {{rules: [{{name: gpu, {labels}}}]}}
"""


PRESENT = '{nvidia.com/gpu.present: "true"}'


CUSTOM = '{worker: {config: {sources: {custom: [{name: gpu, labels: {nvidia.com/gpu.present: "true"}}]}}}}'
RENDERED = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nfd-worker, namespace: nfd}
spec: {template: {spec: {containers: [{name: worker, image: "registry.k8s.io/nfd/node-feature-discovery:v0.19.0"}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: nfd-worker-conf, namespace: nfd}
data:
  nfd-worker.conf: |
    %s
"""


def test_a_label_of_nvidias_that_nothing_makes_is_a_warning():
    message = (
        "nothing in these files sets the node label nvidia.com/gpu.present=true. Unless something else sets the label, pods that select it stay Pending, "
        "and a DaemonSet stays at DESIRED 0"
    )

    assert said("TG007", pod(PRESENT) + release("nvidia-device-plugin", "{affinity: null}")) == [("warning", message)]
    assert said("TG007", pod(PRESENT)) == [("remark", message)]


@pytest.mark.parametrize(
    "maker",
    [
        release("gpu-operator", version="v26.7.0"),
        rule('labels: {nvidia.com/gpu.present: "true"}'),
        rule('labelsTemplate: "{{ range . }}{{ end }}"'),
        release("node-feature-discovery", CUSTOM),
        release("node-feature-discovery", '{worker: {config: {sources: {custom: "${RULES}"}}}}'),
        RENDERED % CUSTOM.removeprefix("{worker: {config: ").removesuffix("}}"),
        '---\nmachine: {nodeLabels: {nvidia.com/gpu.present: "true"}}\n',
        '---\napiVersion: v1alpha1\nkind: KubeNodeConfig\nlabels: {nvidia.com/gpu.present: "true"}\n',
        '---\nmachine: {nodeLabels: {nvidia.com/gpu.present: "${PRESENT}"}}\n',
        '---\nmachine: {nodeLabels: "${LABELS}"}\n',
        '---\napiVersion: v1\nkind: Node\nmetadata: {name: gpu-1, labels: {nvidia.com/gpu.present: "true"}}\n',
    ],
)
def test_what_makes_it_is_known(maker):
    assert said("TG007", pod(PRESENT) + maker) == []


@pytest.mark.parametrize("maker", [release("node-feature-discovery"), release("nvidia-device-plugin", "{gfd: {enabled: true}}")])
def test_neither_nfd_nor_feature_discovery_makes_gpu_present(maker):
    assert [severity for severity, message in said("TG007", pod(PRESENT) + maker) if "stay Pending" in message] == ["warning"]


def test_a_label_with_another_value_is_none():
    message = (
        "nothing in these files sets the node label role=ai (role is only set to gpu). Unless something else sets the label, pods that select it stay "
        "Pending, and a DaemonSet stays at DESIRED 0"
    )

    assert said("TG007", pod("{role: ai}"), nodes=[NODES]) == [("warning", message)]
    assert said("TG007", pod("{role: gpu}"), nodes=[NODES]) == []


def test_a_label_that_nothing_sets_is_one_finding_for_all_that_select_it():
    affinity = "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: %s}]}]}}}}"
    plugin = release("nvidia-device-plugin", affinity % 'nvidia.com/gpu.present, operator: In, values: ["true"]')
    (finding,) = run_rules(
        read_text(pod(PRESENT) + "---\n" + pod(PRESENT).replace("name: ollama,", "name: vllm,") + plugin), select=["TG007"]
    )

    assert finding.object == "Pod ollama/ollama"
    assert finding.message.endswith(
        "3 objects are affected: Pod ollama/ollama, Pod ollama/vllm, nvidia-device-plugin 0.20.0 (kube-system/nvidia-device-plugin)"
    )


def test_a_boolean_that_lost_its_quotes_is_the_same_label():
    assert said("TG007", pod("{nvidia.com/gpu.present: true}") + rule('labels: {nvidia.com/gpu.present: "true"}')) == []


def test_somebodys_own_label_is_a_warning_only_beside_a_configuration_that_labels_nodes():
    assert [severity for severity, _ in said("TG007", pod("{role: gpu}"))] == ["remark"]
    assert [severity for severity, _ in said("TG007", pod("{role: gpu}") + "---\nmachine: {nodeLabels: {rack: a}}\n")] == ["warning"]


@pytest.mark.parametrize(
    ("file", "text", "selector", "expected"),
    [
        ("inventory.hcl", 'labels = { "nvidia.com/gpu.present" = "true" }', PRESENT, []),
        ("nodes.tf", 'labels = { "example.com/gpu" = var.gpu }', "{example.com/gpu: nvidia}", []),
        ("nodes.tf", 'labels = { role = "gpu" }', "{role: gpu}", []),
        ("flake.nix", 'labels = { role = "gpu"; };', "{role: gpu}", []),
        ("nodes.tf", 'role = "storage"', "{role: gpu}", ["remark"]),
        ("nodes.tf", 'labels = { "example.com/gpu" = 1 }', PRESENT, ["remark"]),
        ("notes.txt", "nvidia.com/gpu.present", PRESENT, ["remark"]),
    ],
)
def test_a_label_that_terraform_or_nix_names_may_be_made_there(tmp_path, file, text, selector, expected):
    (tmp_path / "pod.yaml").write_text(pod(selector))
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / file).write_text(text)

    assert [str(each.severity) for each in violations_of(RULES["TG007"], read([tmp_path]))] == expected


@pytest.mark.parametrize(
    "selector",
    [
        "{kubernetes.io/hostname: gpu-1}",
        "{topology.kubernetes.io/zone: a}",
        "{node-role.kubernetes.io/control-plane: ''}",
        "{extensions.talos.dev/nvidia-container-toolkit-lts: 580}",
        "{nvidia.com/mps.capable: 'true'}",
        "{'${KEY}': 'true'}",
    ],
)
def test_labels_that_the_cluster_or_talos_sets_need_no_maker(selector):
    assert said("TG007", pod(selector)) == []


def test_talos_labels_a_node_by_the_extensions_of_its_own_track():
    schematic = "---\ncustomization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-container-toolkit-%s]}}\n"
    wanted = pod("{extensions.talos.dev/nvidia-container-toolkit-lts: '${VERSION}'}")

    assert said("TG007", wanted + schematic % "lts") == []
    assert [severity for severity, _ in said("TG007", wanted + schematic % "production")] == ["warning"]


def test_a_bare_extension_is_the_one_of_the_lts_track():
    schematic = "---\ncustomization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-container-toolkit]}}\n"

    assert labels_of_nodes(read_text(schematic)).makes("extensions.talos.dev/nvidia-container-toolkit-lts")
    assert not labels_of_nodes(read_text(schematic)).makes("extensions.talos.dev/nvidia-container-toolkit-production")


def test_what_has_nothing_to_do_with_gpus_is_not_judged():
    assert said("TG007", pod("{role: gpu}", image="busybox", runtime_class="kata")) == []


def test_one_term_of_an_affinity_is_enough():
    affinity = """\
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions: [{key: nvidia.com/gpu.present, operator: In, values: ["true"]}]
          - matchExpressions: [{key: KEY, operator: Exists}]
"""
    other = pod("{}") + affinity

    assert said("TG007", other.replace("KEY", "kubernetes.io/os")) == []
    assert [severity for severity, _ in said("TG007", other.replace("KEY", "nvidia.com/gpu.product"))] == ["remark"]


def test_what_must_not_be_there_needs_no_maker():
    affinity = """\
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions: [{key: nvidia.com/gpu.present, operator: DoesNotExist}, {key: nvidia.com/mig.capable, operator: NotIn, values: ["true"]}]
"""

    assert said("TG007", pod("{}") + affinity) == []


def test_feature_discovery_makes_what_it_is_known_to():
    product = pod("{nvidia.com/gpu.product: NVIDIA-L4}")
    plugin = release("nvidia-device-plugin", "{affinity: null}")

    assert [severity for severity, _ in said("TG007", product)] == ["remark"]
    assert [severity for severity, _ in said("TG007", product + plugin)] == ["warning"]
    (violation,) = violations_of(RULES["TG007"], read_text(product + plugin))
    assert violation.fix == (
        "Let GPU feature discovery set the label: gfd: {enabled: true} in the values of the chart nvidia-device-plugin. The GPU operator runs it by default"
    )
    (violation,) = violations_of(RULES["TG007"], read_text(pod(PRESENT) + plugin))
    assert violation.fix is None
    assert said("TG007", product + release("nvidia-device-plugin", "{gfd: {enabled: true}}")) == []
    assert said("TG007", product + release("gpu-operator", version="v26.7.0")) == []
    assert [severity for severity, _ in said("TG007", product + release("gpu-operator", "{gfd: {enabled: false}}", "v26.7.0"))] == [
        "warning"
    ]


NFD = "{worker: {config: {sources: {pci: {deviceLabelFields: %s}}}}}"


@pytest.mark.parametrize(
    ("fields", "labels"),
    [
        ("[vendor]", ["pci-10de"]),
        ("[class, vendor]", ["pci-0300_10de", "pci-0302_10de"]),
        ("[vendor, class]", ["pci-0300_10de", "pci-0302_10de"]),
        ("[maker]", ["pci-0300_10de", "pci-0302_10de"]),
        ("[vendor, device]", ["pci-10de_*"]),
        ('"${FIELDS}"', ["pci-10de", "pci-0300_10de", "pci-0302_10de"]),
    ],
)
def test_the_labels_of_a_card_follow_from_nfds_fields(fields, labels):
    (found,) = discoverers(read_text(release("node-feature-discovery", NFD % fields)))

    assert found.labels == [f"feature.node.kubernetes.io/{each}.present" for each in labels]


WHITELIST = "{worker: {config: {sources: {pci: {deviceClassWhitelist: %s, deviceLabelFields: %s}}}}}"


@pytest.mark.parametrize(
    ("classes", "fields", "labels"),
    [
        ('["02"]', "[vendor]", []),
        ("[]", "[vendor]", []),
        ('["03"]', "[vendor]", ["pci-10de"]),
        ('["0302"]', "[vendor]", ["pci-10de"]),
        ('["0300"]', "[class, vendor]", ["pci-0300_10de"]),
        ('["02", "0C03"]', "[class, vendor]", ["pci-0c03_10de"]),
        ('["${CLASS}"]', "[vendor]", ["pci-10de"]),
        ("null", "[class, vendor]", ["pci-0300_10de", "pci-0302_10de"]),
    ],
)
def test_a_card_has_a_label_where_its_class_begins_with_one_of_nfds_whitelist(classes, fields, labels):
    (found,) = discoverers(read_text(release("node-feature-discovery", WHITELIST % (classes, fields))))

    assert found.labels == [f"feature.node.kubernetes.io/{each}.present" for each in labels]


def test_an_nfd_that_labels_no_card_keeps_the_plugins_default_affinity_unmet():
    charts = release("nvidia-device-plugin") + release("node-feature-discovery", WHITELIST % ('["02"]', "[vendor]"))
    (found,) = run_rules(read_text(charts), select=["TG007"])

    assert found.message == (
        "nothing in these files sets the node label feature.node.kubernetes.io/pci-10de.present=true or nvidia.com/gpu.present=true (NFD here labels no "
        "card, by its deviceClassWhitelist). Unless something else sets one of the labels, pods that select it stay Pending, and a DaemonSet stays at DESIRED 0"
    )
    assert found.fix == (
        'Add "03" to worker.config.sources.pci.deviceClassWhitelist in the values of NFD, and set deviceLabelFields: [vendor] there, which sets '
        "feature.node.kubernetes.io/pci-10de.present"
    )


def test_a_rendered_nfd_is_read_from_its_config_map():
    rendered = RENDERED % "{sources: {pci: {deviceLabelFields: [vendor]}}}"
    (found,) = discoverers(read_text(rendered))

    assert found.fields == ("vendor",)
    (unread,) = discoverers(read_text(rendered.replace("[vendor]}", "[vendor")))
    assert unread.fields is None


def test_the_plugins_default_affinity_beside_an_nfd_with_other_labels_says_which_those_are():
    charts = release("nvidia-device-plugin") + release("node-feature-discovery")
    ((severity, message),) = said("TG007", charts)

    assert severity == "warning"
    assert message == (
        "nothing in these files sets the node label feature.node.kubernetes.io/pci-10de.present=true or nvidia.com/gpu.present=true (NFD here labels a "
        "card feature.node.kubernetes.io/pci-0300_10de.present and feature.node.kubernetes.io/pci-0302_10de.present). Unless something else sets one of the "
        "labels, pods that select it stay Pending, and a DaemonSet stays at DESIRED 0"
    )
    assert said("TG007", charts + rule('labels: {nvidia.com/gpu.present: "true"}')) == []
    assert said("TG007", release("nvidia-device-plugin") + release("node-feature-discovery", NFD % "[vendor]")) == []
    assert said("TG007", release("nvidia-device-plugin", "{affinity: null}") + release("node-feature-discovery")) == []


def test_the_term_for_tegra_is_no_way_out():
    nfd_alone = release("node-feature-discovery")
    plugin = release("nvidia-device-plugin")

    assert len(said("TG007", nfd_alone + plugin)) == 1


def test_a_release_of_which_not_all_is_read_is_not_judged():
    values_from = release("nvidia-device-plugin") + "  valuesFrom: [{kind: Secret, name: values}]\n"

    assert said("TG007", values_from) == []


def test_the_value_of_an_extensions_label_is_its_version():
    ((severity, message),) = said("TG049", pod("{extensions.talos.dev/nvidia-container-toolkit-lts: 580.126.20-v1.18.2}"))

    assert severity == "warning"
    assert message == (
        "the selector extensions.talos.dev/nvidia-container-toolkit-lts=580.126.20-v1.18.2 contains the extension's version. "
        "When an upgrade of Talos changes this version, the selector matches no node, and new pods stay Pending"
    )
    assert said("TG049", pod("{extensions.talos.dev/nvidia-container-toolkit-lts: '${VERSION}'}")) == []


def test_the_same_in_an_affinity_and_in_a_charts_values():
    affinity = """\
{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
  {matchExpressions: [{key: extensions.talos.dev/nvidia-container-toolkit-lts, operator: OPERATOR, values: [580.126.20-v1.18.2]}]}]}}}}
"""

    assert len(said("TG049", release("nvidia-device-plugin", affinity.replace("OPERATOR", "In").replace("\n", "")))) == 1
    assert said("TG049", release("nvidia-device-plugin", affinity.replace("OPERATOR", "Exists").replace("\n", ""))) == []


def made(yaml: str, **given):
    return labels_of_nodes(read_text(yaml, **given))


def test_a_label_with_any_value_is_made_by_one_with_some():
    assert made('---\nmachine: {nodeLabels: {role: "gpu"}}\n').makes("role")
    assert not made('---\nmachine: {nodeLabels: {role: "gpu"}}\n').makes("pool")


def test_a_value_that_is_filled_in_later_may_be_any():
    one, other = '---\nmachine: {nodeLabels: {role: "gpu"}}\n', '---\nmachine: {nodeLabels: {role: "${ROLE}"}}\n'

    for yaml in (one + other, other + one):
        assert made(yaml).makes("role", frozenset({"ai"}))
    assert not made(one + one.replace("gpu", "cpu")).makes("role", frozenset({"ai"}))


def test_the_operator_alone_makes_the_labels_that_place_its_operands():
    deploy = "nvidia.com/gpu.deploy.device-plugin"

    assert made(release("gpu-operator", version="v26.7.0")).makes(deploy)
    assert not made(release("nvidia-device-plugin", "{gfd: {enabled: true}}")).makes(deploy)


def test_nfd_makes_the_labels_of_other_features():
    cpu = "feature.node.kubernetes.io/cpu-cpuid.AVX2"

    assert made(release("node-feature-discovery")).makes(cpu)
    assert not made(pod("{}")).makes(cpu)
    assert not made(release("node-feature-discovery")).makes("feature.node.kubernetes.io/pci-10de.present")


def test_other_extensions_are_not_compared():
    schematic = "---\ncustomization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-container-toolkit-lts]}}\n"

    assert made(schematic).makes("extensions.talos.dev/iscsi-tools")
    assert not made(schematic).makes("extensions.talos.dev/nvidia-container-toolkit-production")
    unread = schematic.replace("siderolabs/nvidia-container-toolkit-lts", '"${EXTENSION}"')
    assert made(schematic + unread).makes("extensions.talos.dev/nvidia-container-toolkit-production")


def test_nodes_that_were_described_have_the_labels_that_our_selectors_want():
    assert made(pod("{}"), nodes=[GpuNodes(talos_version="1.13")]).makes("nvidia.com/gpu.present", frozenset({"true"}))
    assert not made(pod("{}"), nodes=[NODES]).makes("nvidia.com/gpu.present", frozenset({"true"}))


def test_a_node_that_was_listed_is_an_inventory():
    listed = "---\napiVersion: v1\nkind: Node\nmetadata: {name: gpu-1, labels: {rack: a}}\n"

    assert made(listed).inventory
    assert not made(pod("{}")).inventory


def test_nfd_puts_its_domain_before_a_label_without_one():
    labels = made(rule('labels: {gpu: "true", "${KEY}": "true"}'))

    assert made(rule('labels: {gpu: "true"}')).makes("feature.node.kubernetes.io/gpu")
    assert labels.makes("anything/at-all")
    assert made(rule('labels: "${LABELS}"')).makes("anything/at-all")
    assert made(rule('labels: {sku: "@pci.device.vendor"}')).makes("feature.node.kubernetes.io/sku", frozenset({"10de"}))


@pytest.mark.parametrize(
    "terms",
    ['"${TERMS}"', "[]", '["${TERM}"]', '[{matchExpressions: [{key: "${KEY}", operator: Exists}]}]', "[{matchFields: []}]"],
)
def test_an_affinity_that_can_not_be_read_is_not_judged(terms):
    affinity = f"  affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}}}\n"

    assert said("TG007", pod("{}") + affinity) == []


@pytest.mark.parametrize(("values", "count"), [("[a, b]", 0), ("[b, c]", 1), ('[c, "${VALUE}"]', 0), ('"${VALUES}"', 0)])
def test_one_of_several_values_is_enough(values, count):
    expression = f"{{key: role, operator: In, values: {values}}}"
    affinity = (
        "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        f"{{nodeSelectorTerms: [{{matchExpressions: [{expression}]}}]}}}}}}\n"
    )

    assert len(said("TG007", pod("{}") + affinity + "---\nmachine: {nodeLabels: {role: a}}\n")) == count


def test_a_label_with_an_unread_value_is_set():
    """TG007 asks whether something sets the label. A placeholder most likely stands for the value that the pods select."""
    labelled = f"{PATCH}  nodeLabels: {{nvidia.com/kind: %s}}\n"

    assert said("TG007", pod("{nvidia.com/kind: rtx}") + labelled % '"${KIND}"') == []
    assert [severity for severity, _ in said("TG007", pod("{nvidia.com/kind: rtx}") + labelled % "other")] == ["warning"]
    assert [severity for severity, _ in said("TG007", pod("{nvidia.com/type: rtx}") + labelled % '"${KIND}"')] == ["warning"]
