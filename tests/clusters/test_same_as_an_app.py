"""What constructs do together is the same from a file: parts beside workloads, references, objects of others, and parts of parts."""

import textwrap
import warnings

import pytest
from cdk8s import ApiObject, App, Chart, Yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import drawn, message
from constructs_lib import (
    Companion,
    Dra,
    Flux,
    GpuNodes,
    GpuStack,
    GpuWorkload,
    NodeFeatureDiscovery,
    StandaloneDevicePlugin,
    Taint,
    autoscale,
    expose,
    isolate,
    scrape,
)
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.composer import Composer
from constructs_lib.clusters.file_chart import rendered
from constructs_lib.constructs._emit import emit
from constructs_lib.recipes import Ollama, OpenWebUI
from constructs_lib.upstream.programs.delivery_tools import RESERVED_IDS
from constructs_lib.yaml.npm_bytes import stream


def from_file(text):
    """The text of each chart of a file, and its errors."""
    ((_, description),) = ClusterFile("cluster.yaml", textwrap.dedent(text)).clusters()
    composer = Composer(description)
    composer.compose()
    errors = [str(each.error) for each in composer.errors]
    return {name: stream([manifest for _, manifest in chart.objects]) for name, chart in composer.charts.items()}, errors


def from_app(build, *names):
    app = App()
    charts = {name: Chart(app, name, namespace=name) for name in names}
    build(**charts)
    return {name: Yaml.stringify(*chart.to_json()) for name, chart in charts.items()}


@pytest.fixture
def _without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_a_web_front_in_another_chart_calls_the_server_in_its_namespace():
    def build(ai, web):
        nodes = GpuNodes(talos_version="1.14")
        OpenWebUI(web, "chat", ollama=Ollama(ai, "ollama", nodes=nodes), nodes=nodes)

    text = """
        talos: "1.14"
        nodes: {gpu: {}}
        charts:
          ai: {namespace: ai, objects: {ollama: {Ollama: {}}}}
          web: {namespace: web, objects: {chat: {OpenWebUI: {ollama: ai/ollama, nodes: "*"}}}}
    """
    files, errors = from_file(text)

    assert (files, errors) == (from_app(build, "ai", "web"), [])
    assert "http://ollama.ai:11434" in files["web"] or "http://ollama.ai.svc" in files["web"]


@pytest.mark.usefixtures("_without_warnings")
def test_parts_beside_a_workload():
    def build(ai):
        nodes = GpuNodes(talos_version="1.14", gpus_per_node=2, count=2)
        ollama = Ollama(ai, "ollama", nodes=nodes)
        expose(ollama, "ollama.example.com", gateway="internal", gateway_namespace="network")
        front = Companion(ai, "front", image="nginx:1", port=80)
        isolate(ollama, from_pods=[{"app": "job"}, front], from_namespaces=["web"], egress=["internet", front])
        vllm = GpuWorkload(ai, "vllm", nodes=nodes, image="vllm/vllm-openai:v0.28.0", port=8000, replicas=None)
        scrape(vllm, interval="15s")
        autoscale(vllm, metric="vllm:num_requests_waiting", threshold=5, prometheus="http://prometheus.monitoring:9090", max_replicas=2)

    text = """
        talos: "1.14"
        nodes: {gpu: {cards: 2, count: 2}}
        charts:
          ai:
            namespace: ai
            objects:
              ollama: {Ollama: {}}
              route: {expose: {workload: ollama, hostname: ollama.example.com, gateway: internal, gateway_namespace: network}}
              front: {Companion: {image: "nginx:1", port: 80}}
              policy: {isolate: {workload: ollama, from_pods: [{app: job}, front], from_namespaces: [web], egress: [internet, {Workload: front}]}}
              vllm: {GpuWorkload: {image: "vllm/vllm-openai:v0.28.0", port: 8000, replicas: null}}
              metrics: {scrape: {workload: vllm, interval: 15s}}
              scale:
                autoscale:
                  workload: vllm
                  metric: vllm:num_requests_waiting
                  threshold: 5
                  prometheus: http://prometheus.monitoring:9090
                  max_replicas: 2
    """
    assert from_file(text) == (from_app(build, "ai"), [])


def test_a_stack_of_two_classes_with_arguments_for_its_parts():
    def build(gpu):
        rtx = GpuNodes(talos_version="1.14", name="rtx", taints=[Taint("dedicated", "ai")])
        claimed = GpuNodes(talos_version="1.14", name="claimed", dra=Dra())
        from constructs_lib import FeatureDiscovery

        GpuStack(
            gpu, "stack", nodes=[rtx, claimed], delivery=Flux(), device_plugin={"feature_discovery": FeatureDiscovery(sleep_interval="10m")},
            monitoring_labels={"release": "kps"},
        )  # fmt: skip

    text = """
        talos: "1.14"
        nodes:
          rtx: {taints: ["dedicated=ai:NoSchedule"]}
          claimed: {dra: {}}
        charts:
          gpu:
            namespace: gpu
            objects:
              stack:
                GpuStack:
                  delivery: {Flux: {}}
                  device_plugin: {feature_discovery: {FeatureDiscovery: {sleep_interval: 10m}}}
                  monitoring_labels: {release: kps}
    """
    assert from_file(text) == (from_app(build, "gpu"), [])


def test_the_claim_that_workloads_share_is_made_once():
    def build(ai):
        nodes = GpuNodes(talos_version="1.14", dra=Dra(share="claim"))
        for name in ("a", "b"):
            GpuWorkload(ai, name, nodes=nodes, image="a:1")

    text = """
        talos: "1.14"
        nodes: {gpu: {dra: {share: claim}}}
        charts: {ai: {namespace: ai, objects: {a: {GpuWorkload: {image: "a:1"}}, b: {GpuWorkload: {image: "a:1"}}}}}
    """
    files, errors = from_file(text)

    assert (files, errors) == (from_app(build, "ai"), [])
    assert files["ai"].count("kind: ResourceClaim\n") == 1


@pytest.mark.parametrize(
    ("build", "objects"),
    [
        (lambda chart, nodes: (StandaloneDevicePlugin(chart, "a", nodes=nodes), StandaloneDevicePlugin(chart, "b", nodes=nodes, name="c")),
         "a: {StandaloneDevicePlugin: {}}, b: {StandaloneDevicePlugin: {name: c}}"),
        (lambda chart, nodes: (NodeFeatureDiscovery(chart, "a", nodes=nodes, delivery=Flux()), NodeFeatureDiscovery(chart, "b", nodes=nodes, delivery=Flux())),
         "a: {NodeFeatureDiscovery: {delivery: {Flux: {}}}}, b: {NodeFeatureDiscovery: {delivery: {Flux: {}}}}"),
        (lambda chart, nodes: (GpuWorkload(chart, "a", nodes=nodes, image="a:1"), GpuWorkload(chart, "b", name="a", nodes=nodes, image="a:1")),
         'a: {GpuWorkload: {image: "a:1"}}, b: {GpuWorkload: {image: "a:1", name: a}}'),
        (lambda chart, nodes: GpuStack(chart, "a", nodes=nodes, delivery=Flux(), device_plugin={"nodes": nodes}),
         'a: {GpuStack: {delivery: {Flux: {}}, device_plugin: {nodes: "*"}}}'),
        (lambda chart, nodes: GpuWorkload(chart, "A b", nodes=nodes, image="a:1"), '"A b": {GpuWorkload: {image: "a:1"}}'),
    ],
    ids=range(5),
)  # fmt: skip
def test_a_refusal_has_the_words_of_the_app(build, objects):
    expected = message(lambda: build(Chart(App(), "ai", namespace="ai"), GpuNodes(talos_version="1.14")))
    _, (first, *_) = from_file(f"nodes: {{gpu: {{talos: '1.14'}}}}\ncharts: {{ai: {{namespace: ai, objects: {{{objects}}}}}}}\n")

    # A value that a file can't hold, such as a class of nodes, prints otherwise.
    assert first.partition(" (got ")[0] == expected.partition(" (got ")[0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "a", "yes", "1", -0.0, 1.0, 1e30]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["b", "a", "10", "9", "x/y"]), inner, max_size=3),
    max_leaves=6,
)
metadata = st.fixed_dictionaries(
    {"name": st.just("made")},
    optional={
        "namespace": st.sampled_from(["own", None]), "labels": st.dictionaries(st.sampled_from(["b", "a"]), st.just("c")),
        "annotations": st.dictionaries(st.sampled_from(["b", "a"]), st.just("c")), "finalizers": st.just(["f"]), "generation": st.just(3),
    },
)  # fmt: skip


@settings(max_examples=drawn(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    metadata,
    st.sampled_from(["ConfigMap", "Namespace", "ClusterRole"]),
    st.dictionaries(st.sampled_from(["spec", "data", "rules"]), json_values),
    st.sampled_from([None, "ai"]),
)
def test_any_object_is_rendered_as_cdk8s_renders_it(fields, kind, body, namespace):
    manifest = {"apiVersion": "v1", "kind": kind, "metadata": fields, **body}
    chart = Chart(App(), "chart", **({"namespace": namespace} if namespace else {}))
    emit(chart, "made", manifest)

    assert stream([rendered(manifest, namespace)]) == Yaml.stringify(*chart.to_json())


@pytest.mark.parametrize("name", sorted(RESERVED_IDS))
def test_an_id_that_cdk8s_takes_for_one_of_its_own_is_refused_by_both(name):
    with pytest.raises(RuntimeError, match="already a Construct"):
        ApiObject(Chart(App(), "ai"), name, api_version="v1", kind="ConfigMap")
    _, (error,) = from_file(
        f'nodes: {{gpu: {{talos: "1.14"}}}}\ncharts: {{ai: {{objects: {{"{name}": {{Object: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}}}}}}}}}}}'
    )

    assert f"'{name}'" in error
