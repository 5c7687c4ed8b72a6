"""The GPUs that pods ask for against those that plugins advertise: TG046, TG047 and TG115."""

import pytest

from constructs_lib import Dra, GpuNodes, TimeSlicing
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.checks.rules._shared import in_deployment
from constructs_lib.observed.nodes.offers import offers
from constructs_lib.observed.read.repository import read_text


def said(rule: str, yaml: str, **given) -> list[tuple[str, str]]:
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], read_text(yaml, **given))]


def pod(resource: str = "nvidia.com/gpu", amount: object = 1) -> str:
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: ollama}}
spec: {{containers: [{{name: main, image: a/b:1, resources: {{limits: {{{resource}: {amount}}}}}}}]}}
"""


def sharing(block: str = "resources: [{name: nvidia.com/gpu, replicas: 4}]", key: str = "timeSlicing") -> str:
    return f"{{version: v1, sharing: {{{key}: {{{block}}}}}}}"


def plugin(config: str | None = None, values: str = "") -> str:
    held = f"    config: {{map: {{config: '{config}'}}}}\n" if config else ""
    return f"""\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: nvidia-device-plugin, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: nvidia-device-plugin, version: 0.20.0}}}}
  values:
    runtimeClassName: nvidia
{held}{values}"""


RENAMED = "renameByDefault: true, resources: [{name: nvidia.com/gpu, replicas: 4}]"
FAILING = "failRequestsGreaterThanOne: true, resources: [{name: nvidia.com/gpu, replicas: 4}]"


@pytest.mark.parametrize(
    ("config", "names"),
    [
        (None, {"nvidia.com/gpu"}),
        (sharing(), {"nvidia.com/gpu"}),
        (sharing(RENAMED), {"nvidia.com/gpu.shared"}),
        (
            sharing("renameByDefault: true, resources: [{name: nvidia.com/mig-1g.10gb, replicas: 2}]"),
            {"nvidia.com/gpu", "nvidia.com/mig-1g.10gb.shared"},
        ),
    ],
)
def test_what_a_config_advertises(config, names):
    (found,) = offers(read_text(plugin(config)))

    assert found.names == names


@pytest.mark.parametrize(
    "yaml",
    [
        pod(),
        plugin("${CONFIG}"),
        plugin(values="    config: {name: somewhere-else}\n"),
        plugin() + "  valuesFrom: [{kind: Secret, name: values}]\n",
    ],
)
def test_what_can_not_be_read_may_advertise_anything(yaml):
    assert offers(read_text(yaml)) is None


def test_a_config_map_that_a_chart_or_a_daemon_set_names():
    config = (
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: plugin, namespace: kube-system}}\ndata: {{a: '{sharing(RENAMED)}'}}\n"
    )
    daemon_set = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: kube-system}
spec: {template: {spec: {containers: [{name: a, image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0}], volumes: [{name: c, configMap: {name: plugin}}]}}}
"""

    for yaml in (plugin(values="    config: {name: plugin}\n"), daemon_set):
        (found,) = offers(read_text(yaml + config))
        assert found.names == {"nvidia.com/gpu.shared"}
    assert offers(read_text(daemon_set)) is None


def test_a_plugin_of_others_may_advertise_anything():
    other = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: %s, namespace: kube-system}
spec: {template: {spec: {containers: [{name: a, image: b}], volumes: [{name: c, hostPath: {path: /var/lib/kubelet/device-plugins}}]}}}
"""

    assert offers(read_text(plugin() + other % "nvidia-jetson")) is None
    assert offers(read_text(plugin() + other % "intel")) is not None


def test_a_resource_that_nothing_advertises_is_an_error():
    assert said("TG047", pod() + plugin(sharing(RENAMED))) == [
        (
            "error",
            ("the pod requests nvidia.com/gpu, but the device plugins advertise only nvidia.com/gpu.shared. The pods stay Pending"),
        )
    ]
    assert said("TG047", pod("nvidia.com/gpu.shared") + plugin(sharing(RENAMED))) == []
    assert [severity for severity, _ in said("TG047", pod("nvidia.com/gpu.shared") + plugin())] == ["error"]
    assert said("TG047", pod() + plugin()) == []
    assert said("TG047", pod(amount=0) + plugin(sharing(RENAMED))) == []


def test_a_workload_without_replicas_has_no_pod_that_stays_pending():
    deployment = in_deployment("  replicas: 0\n")

    ((severity, message),) = said("TG047", deployment + plugin(sharing(RENAMED)))

    assert severity == "warning"
    assert message.endswith("Once the workload has replicas, its pods stay Pending")


def test_the_fix_names_the_option_that_brings_the_requested_resource():
    def fix(yaml):
        return [each.fix for each in violations_of(RULES["TG047"], read_text(yaml))]

    assert fix(pod() + plugin(sharing(RENAMED))) == [
        "Set limits: {nvidia.com/gpu.shared: 1}, or set renameByDefault: false in the plugin's config"
    ]
    assert fix(pod("nvidia.com/gpu.shared") + plugin()) == [
        "Set limits: {nvidia.com/gpu: 1}, or share nvidia.com/gpu with renameByDefault: true in the plugin's config"
    ]
    assert fix(pod("nvidia.com/mig-1g.10gb") + plugin()) == ["Set limits: {nvidia.com/gpu: 1}, or set migStrategy: mixed"]


def test_partitions_are_advertised_with_the_strategy_mixed():
    partition = pod("nvidia.com/mig-1g.10gb")

    assert [severity for severity, _ in said("TG047", partition + plugin())] == ["error"]
    assert said("TG047", partition + plugin(values="    migStrategy: mixed\n")) == []
    assert said("TG047", partition + plugin("{version: v1, flags: {migStrategy: mixed}}")) == []
    assert said("TG047", partition + plugin(values='    migStrategy: "${STRATEGY}"\n')) == []


def test_nodes_and_device_classes_advertise_too():
    nodes = GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=2, rename_by_default=True))
    device_class = (
        "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {extendedResourceName: nvidia.com/gpu}\n"
    )

    assert [severity for severity, _ in said("TG047", pod(), nodes=[nodes])] == ["error"]
    assert said("TG047", pod() + device_class, nodes=[nodes]) == []


def test_a_plugin_of_the_files_says_more_than_described_nodes():
    nodes = [GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=4))]

    assert said("TG047", pod() + plugin(sharing(RENAMED)), nodes=nodes) == said("TG047", pod() + plugin(sharing(RENAMED))) != []


def test_dra_may_serve_the_limit_beside_a_plugin_that_renames():
    shared = GpuNodes(talos_version="1.13", name="shared", sharing=TimeSlicing(replicas=2, rename_by_default=True))
    claimed, by_limit = (GpuNodes(talos_version="1.13", name="dra", dra=Dra(extended_resource=on)) for on in (False, True))
    driver = "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: dra, namespace: dra}\nspec: {chart: {spec: {chart: dra-driver-nvidia-gpu, version: 0.5.0}}}\n"

    assert said("TG047", pod() + plugin(sharing(RENAMED))) != []
    assert said("TG047", pod() + plugin(sharing(RENAMED)) + driver) == []
    assert said("TG047", pod(), nodes=[shared, claimed]) == said("TG047", pod(), nodes=[shared, by_limit]) == []
    assert [severity for severity, _ in said("TG047", pod("nvidia.com/gpu.shared"), nodes=[by_limit])] == ["error"]


def test_the_operators_plugin():
    operator = plugin(values="    {}\n").replace("nvidia-device-plugin", "gpu-operator").replace("0.20.0", "v26.7.0")
    operator = operator.partition("  values:")[0]

    assert said("TG047", pod() + operator) == []
    assert [severity for severity, _ in said("TG047", pod("nvidia.com/gpu.shared") + operator)] == ["error"]
    assert offers(read_text(operator + "  values: {devicePlugin: {enabled: false}}\n")) is None


def test_two_shares_where_the_plugin_refuses_them():
    message = (
        "the pod requests nvidia.com/gpu: 2, but the resource is shared by time-slicing with failRequestsGreaterThanOne. The "
        "device plugin refuses the pods"
    )

    assert said("TG046", pod(amount=2) + plugin(sharing(FAILING))) == [("error", message)]
    assert said("TG046", pod(amount=1) + plugin(sharing(FAILING))) == []
    assert said("TG046", pod(amount=2) + plugin(sharing())) == []
    assert said("TG046", pod(amount=2) + plugin()) == []
    assert said("TG046", pod(amount=2)) == []


def test_mps_refuses_them_by_default():
    assert [severity for severity, _ in said("TG046", pod(amount=2) + plugin(sharing(key="mps")))] == ["error"]
    allowed = sharing("failRequestsGreaterThanOne: false, resources: [{name: nvidia.com/gpu, replicas: 4}]", key="mps")
    assert said("TG046", pod(amount=2) + plugin(allowed)) == []


def test_one_plugin_that_shares_nothing_may_serve_it():
    assert said("TG046", pod(amount=2) + plugin(sharing(FAILING)) + plugin().replace("name: nvidia-device-plugin", "name: whole")) == []


# The rule TG115: several shares of a time-sliced card


def sliced_nodes(cards):
    sharing = TimeSlicing(replicas=4, fail_requests_greater_than_one=False)
    return [GpuNodes(talos_version="1.13", count=1, gpus_per_node=cards, sharing=sharing)]


def test_several_shares_of_a_nodes_only_card_are_one_gpu():
    message = (
        "the pod requests nvidia.com/gpu: 2, but the resource is shared by time-slicing. 2 shares are shares of one card: the container then sees one GPU, "
        "and gets no more memory or time of the GPU than with one share"
    )

    assert said("TG115", pod(amount=2), nodes=sliced_nodes(1)) == [("warning", message)]


@pytest.mark.parametrize("given", [{}, {"nodes": sliced_nodes(2)}, {"nodes": sliced_nodes(1) + sliced_nodes(2)}])
def test_where_a_node_may_have_several_cards_the_shares_may_be_of_several(given):
    ((severity, message),) = said("TG115", pod(amount=2) + plugin(sharing()), **given)

    assert severity == "remark"
    assert "2 shares may be shares of one card" in message


@pytest.mark.parametrize(
    "yaml",
    [
        pod(amount=1) + plugin(sharing()),
        pod(amount=2) + plugin(),
        pod(amount=2),
        pod(amount="${SHARES}") + plugin(sharing()),
        # TG046 speaks of a plugin that refuses, and of MPS.
        pod(amount=2) + plugin(sharing(FAILING)),
        pod(amount=2) + plugin(sharing("failRequestsGreaterThanOne: false, resources: [{name: nvidia.com/gpu, replicas: 4}]", key="mps")),
        # The other plugin may allocate whole cards.
        pod(amount=2) + plugin(sharing()) + plugin().replace("name: nvidia-device-plugin", "name: whole"),
        pod(amount=2) + plugin(sharing("resources: [{name: nvidia.com/mig-1g.10gb, replicas: 4}]")),
    ],
)
def test_one_share_whole_cards_and_unread_amounts_are_no_shares_of_one_card(yaml):
    assert said("TG115", yaml) == []
