"""What a cluster file can't say: each error with the file's line, and a hint."""

import textwrap

import pytest

from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.file_values import FileError
from constructs_lib.clusters.messages import message_of
from constructs_lib.clusters.synthesis import synthesize

HEAD = "nodes: {gpu: {talos: 1.14.0}}\n"
POD = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: m, image: i}]}}"


def errors(text, *, with_checks=True):
    """The sentences about a file."""
    file = ClusterFile("cluster.yaml", textwrap.dedent(text))
    try:
        clusters = list(file.clusters())
    except FileError as error:
        return [str(message_of(file, error))]
    found = []
    for name, description in clusters:
        result = synthesize(description, lambda _: "", with_checks=with_checks)
        found += [str(message_of(file, each, name if len(clusters) > 1 else "")) for each in (*result.errors, *result.violations)]
    return found


def in_a_chart(*objects, nodes=HEAD, namespace="ai"):
    return nodes + f"charts:\n  a:\n    namespace: {namespace}\n    objects:\n" + "".join(f"      {each}\n" for each in objects)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a", "cluster.yaml:1: 'cluster' must be one document with the keys 'name', 'talos', 'nodes', 'stack', 'gitops', 'control_plane', 'workloads', 'charts', 'clusters', 'delivery' (got 'list'); see talos-gpu synth --help"),
        ("nodes: {\n", "cluster.yaml:2: did not find expected node content"),
        ("a: 1\nb: 2\na: 3\n", "cluster.yaml:3: the key 'a' is in line 1, too"),
        (HEAD + "chart: {}\n", "cluster.yaml:2: chart: 'chart' must be a key of a cluster file (got {}); did you mean 'charts'?"),
        ("charts: {}\n", "cluster.yaml:1: 'nodes' must be given (got nothing); the nodes with GPUs by their names, such as nodes: {gpu-1: {card: RTX 4090}}"),
        (HEAD + "name: A b\n", "cluster.yaml:2: name: 'name' must be a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters) (got 'A b'); did you mean 'a-b'?"),
        ("nodes:\n  a: {talos: 1.14.0}\n  b: {tallos: 1.14.0}\n",
         "cluster.yaml:3: 'nodes.b.tallos' must be a key of a node (got '1.14.0'); did you mean 'talos'?"),
        ("nodes:\n  a: {talos: 1.14.0}\n  b: {talos: 1.14.0, product: L4}\n",
         "cluster.yaml:3: 'nodes.b.product' must be a key of a node (got 'L4'); write 'card'"),
        ("nodes:\n  a: {talos: 1.14.0}\n  b: {talos: 1.13.9, name: a}\n",
         "cluster.yaml:3: 'nodes.b.name' must be one that no other class has (got 'a')"),
        ("talos: 1.14.0\nnodes:\n  a:\n    card: RTX 5090\n    kernel_modules: proprietary\n",
         "cluster.yaml:5: 'nodes.a.kernel_modules' must be 'open' with card: 'RTX 5090' (got 'proprietary'); Blackwell needs the open modules"),
        ("talos: 1.14.0\nnodes:\n  a: {card: L4}\n  b:\n    card: L4\n    cards: 0\n",
         "cluster.yaml:6: 'nodes.b.cards' must be a whole number of at least 1 (got 0)"),
        ("talos: 1.4\nnodes: {a: {}}\n", "cluster.yaml:1: 'talos' must be a Talos version such as '1.14', from '1.8' on, with or without its patch (got 1.4)"),
        ("talos: 1.14.0\nnodes: [a]\n", "cluster.yaml:2: 'nodes' must be a mapping of names to nodes, such as nodes: {gpu-1: {card: RTX 4090}} (got [a])"),
        ("talos: 1.14.0\nnodes: {a: {address: 10.0.0.1, addresses: [10.0.0.2]}}\n", "cluster.yaml:2: 'nodes.a.address' must be left out beside 'addresses' (got '10.0.0.1')"),
        ("talos: 1.14.0\nnodes: {a: {address: --help}}\n", "cluster.yaml:2: 'nodes.a.address' must be the address or the name of a node, such as 192.168.1.21 (got '--help')"),
        ("talos: 1.14.0\nnodes: {a: {addresses: [b, c], count: 3}}\n", "cluster.yaml:2: 'nodes.a.count' must be 2, the number of addresses, or left out (got 3)"),
        ("talos: 1.14.0\nnodes: {a: {talos_files: 1}}\n", "cluster.yaml:2: 'nodes.a.talos_files' must be true or false (got 1)"),
        (HEAD + "stack: operater\n", "cluster.yaml:2: stack: 'stack' must be 'standalone', 'operator', 'none', or the keys of GpuStack (got 'operater'); did you mean 'operator'?"),
        (HEAD + "stack: {operater: true}\n", "cluster.yaml:2: stack: 'operater' must be a key of GpuStack (got operater: true); did you mean 'operator'?"),
        (HEAD + "gitops: 5\n", "cluster.yaml:2: gitops: 'gitops' must be one of 'flux', 'argocd', 'none' (got 5)"),
        (HEAD + "workloads:\n  a: {recipe: ollama}\n", "cluster.yaml:3: workloads.a: 'recipe' must be the name of a recipe, such as Ollama (got 'ollama'); did you mean 'Ollama'?"),
        (HEAD + "workloads:\n  a: {port: 80}\n", "cluster.yaml:3: workloads.a: 'recipe' must be the name of a recipe, such as Ollama (got 'nothing'); or give the workload an 'image'"),
        (HEAD + "workloads:\n  a:\n    recipe: Ollama\n    storage: 1Gx\n",
         "cluster.yaml:5: workloads.a: 'storage' must be a Kubernetes quantity above zero such as '16Gi' (got '1Gx')"),
        (HEAD + "workloads:\n  a:\n    recipe: Ollama\n    expose:\n      hostnam: a.b\n",
         "cluster.yaml:6: workloads.a: 'hostnam' must be a key of expose (got hostnam: a.b); did you mean 'hostname'?"),
        (HEAD + "workloads:\n  a: {recipe: Ollama, nodes: b}\n", "cluster.yaml:3: workloads.a: 'nodes' must be one of the classes in 'nodes', 'gpu' (got 'b')"),
        (HEAD + "workloads: {a: {recipe: Ollama}}\ncharts: {workloads: {objects: {}}}\n",
         "cluster.yaml:3: charts.workloads: 'charts' must be charts of other names than those of 'stack' and 'workloads' (got 'workloads')"),
        (HEAD + "charts:\n  a: {namespaces: b, objects: {}}\n", "cluster.yaml:3: charts.a.namespaces: 'namespaces' must be a key of a chart (got 'b'); did you mean 'namespace'?"),
        (HEAD + "charts:\n  a: {}\n", "cluster.yaml:3: charts.a: 'objects' must be given (got nothing); the objects of the chart, by their ids"),
        (in_a_chart("b: {Ollamma: {}}"), "cluster.yaml:6: charts.a.objects.b: 'b' must be a construct of this library, or Object (got 'Ollamma'); did you mean 'Ollama'?"),
        (in_a_chart("b:", "  GpuWorkload:", "    image: a:1", "    gpus: two"), "cluster.yaml:9: charts.a.objects.b: 'gpus' must be a whole number of at least 1 (got 'two')"),
        (in_a_chart("b: {GpuWorkload: {}}"), "cluster.yaml:6: charts.a.objects.b: 'image' must be given (got nothing); name the image to run"),
        (in_a_chart("b:", "  GpuWorkload:", "    image: a:1", "    volumes:", "      /a: {Persistent: {size: 1Gx}}"),
         "cluster.yaml:10: charts.a.objects.b: 'size' must be a Kubernetes quantity above zero such as '100Gi' (got '1Gx')"),
        (in_a_chart("b:", "  GpuWorkload:", "    image: a:1", "    volumes:", "      /a: {Persistant: 1Gi}"),
         "cluster.yaml:10: charts.a.objects.b: 'volumes[/a]' must be one of {ConfigMapFiles: …}, {Empty: …}"),
        (in_a_chart("b: {expose: {workload: c, hostname: a.example.com, gateway: g}}"),
         "cluster.yaml:6: charts.a.objects.b: 'workload' must be the id of a workload above, or 'chart/id' (got 'c'); an object is made after the objects above it"),
        (in_a_chart("b: {NvidiaGpuOperator: {delivery: {HelmTemplate: {helm: ./evil}}}}"),
         "cluster.yaml:6: charts.a.objects.b: 'helm' must be left out in a cluster file (got './evil'); a file can't choose the programs that run on this machine: Helm is the one on PATH"),
        (in_a_chart("b: {Object: {apiVersion: v1, kind: Secret, metadata: {}}}"), "cluster.yaml:6: charts.a.objects.b: 'Object[metadata.name]' must be a string that is not empty (got nothing)"),
        (in_a_chart("b: {request_gpus: {workload: {apiVersion: v1, kind: Secret, metadata: {name: a}}}}"),
         "cluster.yaml:6: charts.a.objects.b: 'workload' must be of one of the kinds 'Deployment'"),
        (in_a_chart(f"b: {{request_gpus: {{gpus: 2, containers: {{m: {{}}}}, workload: {POD}}}}}"),
         "cluster.yaml:6: charts.a.objects.b: 'gpus' must be left out beside 'containers' (got 2); give 'gpus' to each container"),
        (in_a_chart(f"b: {{request_gpus: {{container: m, containers: {{m: {{}}}}, workload: {POD}}}}}"),
         "cluster.yaml:6: charts.a.objects.b: 'container' must be left out beside 'containers' (got 'm')"),
        (in_a_chart(f"b: {{request_gpus: {{containers: {{}}, workload: {POD}}}}}"),
         "cluster.yaml:6: charts.a.objects.b: 'containers' must be at least one container with GPUs (got nothing)"),
        (in_a_chart(f"b: {{request_gpus: {{containers: {{m: {{gpu: 1}}}}, workload: {POD}}}}}"),
         "cluster.yaml:6: charts.a.objects.b: 'gpu' must be a key of a container of request_gpus (got gpu: 1); did you mean 'gpus'?"),
        (in_a_chart(f"b: {{request_gpus: {{containers: {{n: }}, workload: {POD}}}}}"),
         "cluster.yaml:6: charts.a.objects.b: 'container' must be the name of a container of this pod, 'm' (got 'n')"),
        (in_a_chart("constructor: {Ollama: {}}"),
         "cluster.yaml:6: charts.a.objects.constructor: 'id' must be another word (got 'constructor'); every scope of cdk8s has this id already"),
        (HEAD + "charts:\n  constructor: {objects: {}}\n",
         "cluster.yaml:3: charts.constructor: 'id' must be another word (got 'constructor'); every scope of cdk8s has this id already"),
        ("nodes: {gpu: {talos: 1.14.0, operater: true}}\n", "cluster.yaml:1: 'nodes.gpu.operater' must be a key of a node (got true); did you mean 'operator'?"),
        ("talos: 1.14.0\nnodes:\n  a: {}\n  gpu:\n    talconfig: {file: ../../etc/passwd, hostnames: [a]}\n",
         "cluster.yaml:5: nodes.gpu: 'file' must be the path of a file in the folder of the cluster file (got '../../etc/passwd')"),
        (HEAD + "clusters: {}\n", "cluster.yaml:2: clusters: 'clusters' must be a mapping of names to what differs (got {})"),
        (HEAD + "clusters:\n  a: {chart: {}}\n", "cluster.yaml:3: clusters.a: 'chart' must be a key of a cluster (got {}); did you mean 'charts'?"),
    ],
)  # fmt: skip
def test_an_error_names_the_line_and_the_fix(text, expected):
    (first, *_) = errors(text)

    assert first.startswith(expected)


def test_every_object_with_an_error_is_named_and_what_refers_to_it_is_not():
    text = in_a_chart(
        "a: {Ollama: {gpus: 0}}",
        "b: {expose: {workload: a, hostname: a.example.com, gateway: g}}",
        "c: {Ollama: {keep_aliv: 1h}}",
    )

    assert [each.partition(" must be ")[0] for each in errors(text)] == [
        "cluster.yaml:6: charts.a.objects.a: 'gpus'",
        "cluster.yaml:8: charts.a.objects.c: 'keep_aliv'",
    ]


def test_the_neighbours_are_those_of_the_constructs():
    text = in_a_chart(
        "class: {NvidiaRuntimeClass: {}}", "operator: {NvidiaGpuOperator: {delivery: {Flux: {}}}}", "second: {NvidiaRuntimeClass: {}}"
    )
    first, second = errors(text)

    assert "'values[operator.runtimeClass]' must be a name that no NvidiaRuntimeClass of this app has (got 'nvidia')" in first
    assert "'name' must be unique among the objects of kind RuntimeClass in this app (got 'nvidia')" in second


def test_what_only_the_whole_file_shows_is_refused_at_the_part():
    nodes = 'nodes: {gpu: {talos: "1.14", mig_strategy: mixed, mig_devices: {1g.10gb: 7}}}\n'

    (first,) = errors(in_a_chart("op: {NvidiaGpuOperator: {delivery: {Flux: {}}}}", nodes=nodes))
    assert first.startswith(
        "cluster.yaml:6: charts.a.objects.op: 'nodes' must be classes with 'mig_devices' that have a StandaloneDevicePlugin each"
    )


def test_an_object_of_a_name_that_a_part_has_made_is_refused():
    text = in_a_chart(
        "a: {NvidiaRuntimeClass: {}}", "b: {Object: {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}}}"
    )

    assert "NvidiaRuntimeClass already makes a RuntimeClass of this name" in errors(text)[0]


def test_the_rules_of_check_judge_the_objects():
    text = in_a_chart(
        "a: {GpuWorkload: {image: a:1}}",
        "b: {Object: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: a, resources: {limits: {nvidia.com/gpu: 0.5}}}]}}}",
    )
    (first, *_) = errors(text)

    assert first.startswith("cluster.yaml:7: charts.a.objects.b: TG045 [a/b] ")
    assert errors(text, with_checks=False) == []


def test_an_error_in_what_all_clusters_have_in_common_is_at_the_common_line_and_one_of_a_cluster_at_its_own():
    text = in_a_chart("b: {Ollama: {gpus: 0}}") + "clusters:\n  one: {}\n  two:\n    charts: {a: {objects: {b: {Ollama: {gpus: 9.5}}}}}\n"

    assert [each.partition(" must be ")[0] for each in errors(text)] == [
        "cluster.yaml:6: [one] charts.a.objects.b: 'gpus'",
        "cluster.yaml:10: [two] charts.a.objects.b: 'gpus'",
    ]


@pytest.mark.parametrize(
    "bomb",
    [
        "[" * 100_000,
        "a: &a [1, 1]\n"
        + "".join(f"k{n}: &k{n} [*{'a' if n == 0 else f'k{n - 1}'}, *{'a' if n == 0 else f'k{n - 1}'}]\n" for n in range(40)),
    ],
)
def test_a_bomb_is_refused(bomb):
    (first,) = errors(bomb)

    assert "nested deeper" in first or "more than 1000000 values" in first


@pytest.mark.parametrize(
    "text", ["kind: Secret\ndata: {a: hunter2}\n", "data: {password: hunter2}\n", "- hunter2\n", "a: hunter2\n---\nb: 1\n"]
)
def test_no_content_of_another_file_is_quoted(text):
    (first,) = errors(text)

    assert "hunter2" not in first


def test_an_id_with_a_slash_is_refused():
    assert errors(in_a_chart("a/b: {NvidiaRuntimeClass: {}}"))[0].startswith(
        "cluster.yaml:6: charts.a.objects.a/b: 'id' must be a string without '/' (got 'a/b')"
    )
