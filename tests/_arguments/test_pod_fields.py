"""Fields in Kubernetes' spelling: what the API server would refuse or drop is refused here."""

import warnings

import pytest

from conftest import message
from constructs_lib import ArgumentError, ArgumentTypeError, GpuNodes, GpuWorkload, TalosGpuWarning, gpu_pod
from constructs_lib._arguments.fields import to_pod_spec
from constructs_lib._arguments.pod_fields import check_fields
from constructs_lib._arguments.spelling import is_near
from constructs_lib.upstream.kubernetes_fields import field_table

NODES = GpuNodes(talos_version="1.14", labels={"role": "gpu"})


def said(value, kind="PodSpec"):
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        check_fields("pod_spec", value, kind)
    return str(caught.value)


def in_container(**fields):
    return {"containers": [{"name": "main", **fields}]}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"node_selector": {}}, "'pod_spec' must be made of keys of Kubernetes' PodSpec (got 'node_selector'); did you mean 'nodeSelector'?"),
        ({"tolerationss": []}, "'pod_spec' must be made of keys of Kubernetes' PodSpec (got 'tolerationss'); did you mean 'tolerations'?"),
        ({"hostnetwork": True}, "'pod_spec' must be made of keys of Kubernetes' PodSpec (got 'hostnetwork'); did you mean 'hostNetwork'?"),
        ({"host-network": True}, "'pod_spec' must be made of keys of Kubernetes' PodSpec (got 'host-network'); did you mean 'hostNetwork'?"),
        ({"my_own": True}, "'pod_spec' must be made of keys of Kubernetes' PodSpec (got 'my_own'); Kubernetes writes its keys like 'nodeSelector'"),
        (
            {"securityContext": {"run_as_user": 1}},
            "'pod_spec[securityContext]' must be made of keys of Kubernetes' PodSecurityContext (got 'run_as_user'); did you mean 'runAsUser'?",
        ),
        (
            in_container(livenessProbe={"httpGet": {"path": "/", "prot": 80}}),
            "'pod_spec[containers.0.livenessProbe.httpGet]' must be made of keys of Kubernetes' HTTPGetAction (got 'prot'); did you mean 'port'?",
        ),
    ],
)  # fmt: skip
def test_a_misspelt_key_is_refused_with_the_key_that_was_meant(value, says):
    assert said(value) == says


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"hostNetwork": "yes"}, "'pod_spec[hostNetwork]' must be True or False (got 'yes'); did you mean True?"),
        ({"hostNetwork": "Off"}, "'pod_spec[hostNetwork]' must be True or False (got 'Off'); did you mean False?"),
        ({"hostNetwork": 1}, "'pod_spec[hostNetwork]' must be True or False (got 1)"),
        ({"priority": "5"}, "'pod_spec[priority]' must be a whole number from -2147483648 to 2147483647 (got '5'); did you mean 5?"),
        ({"priority": True}, "'pod_spec[priority]' must be a whole number from -2147483648 to 2147483647 (got True)"),
        ({"priority": 2**31}, "'pod_spec[priority]' must be a whole number from -2147483648 to 2147483647 (got 2147483648)"),
        ({"priority": 1.5}, "'pod_spec[priority]' must be a whole number from -2147483648 to 2147483647 (got 1.5)"),
        ({"nodeSelector": {"gpu": True}}, "'pod_spec[nodeSelector.gpu]' must be a string (got True); did you mean 'true'?"),
        ({"hostname": 5}, "'pod_spec[hostname]' must be a string (got 5); did you mean '5'?"),
        ({"hostname": []}, "'pod_spec[hostname]' must be a string (got [])"),
        ({"tolerations": {"key": "gpu"}}, "'pod_spec[tolerations]' must be a list of mappings (got {'key': 'gpu'}); did you mean [{'key': 'gpu'}]?"),
        (in_container(command="ollama serve"), "'pod_spec[containers.0.command]' must be a list of strings (got 'ollama serve'); did you mean ['ollama', 'serve']?"),
        (in_container(args=["--port", 80]), "'pod_spec[containers.0.args.1]' must be a string (got 80); did you mean '80'?"),
        (
            in_container(resources={"limits": {"memory": "16 GB"}}),
            "'pod_spec[containers.0.resources.limits.memory]' must be a Kubernetes quantity such as '500m' or '16Gi' (got '16 GB'); did you mean '16Gi'?",
        ),
        (in_container(resources={"limits": {"cpu": -1}}), "'pod_spec[containers.0.resources.limits.cpu]' must be a Kubernetes quantity such as '500m' or '16Gi' (got -1)"),
        (in_container(resources={"limits": {"cpu": True}}), "'pod_spec[containers.0.resources.limits.cpu]' must be a Kubernetes quantity such as '500m' or '16Gi' (got True)"),
        (in_container(livenessProbe={"tcpSocket": {"port": True}}), "'pod_spec[containers.0.livenessProbe.tcpSocket.port]' must be a whole number or a string (got True)"),
        (in_container(ports=[{"containerPort": 70000}]), "'pod_spec[containers.0.ports.0.containerPort]' must be a whole number from 1 to 65535 (got 70000)"),
        (in_container(ports=[{"containerPort": 80, "hostPort": 0}]), "'pod_spec[containers.0.ports.0.hostPort]' must be a whole number from 1 to 65535 (got 0)"),
        (in_container(env=[{"name": "A=b"}]), "'pod_spec[containers.0.env.0.name]' must be the name of an environment variable (letters, digits, '_', '-' and '.') (got 'A=b')"),
        (in_container(image="https://ghcr.io/a"), (
            "'pod_spec[containers.0.image]' must be an image reference such as 'registry.example.com/team/app:1.2' (got 'https://ghcr.io/a'); "
            "did you mean 'ghcr.io/a'? The container runtime takes no 'https://'"
        )),
    ],
)  # fmt: skip
def test_a_value_of_another_kind_than_kubernetes_is_refused(value, says):
    assert said(value) == says


@pytest.mark.parametrize(
    "value",
    [
        {"hostNetwork": None, "terminationGracePeriodSeconds": 2**40, "nodeSelector": {}, "tolerations": ()},
        {"volumes": [{"name": "a", "emptyDir": {"sizeLimit": "1Gi"}}, {"name": "b", "emptyDir": {"sizeLimit": 5}}]},
        in_container(resources={"limits": {"nvidia.com/gpu": 1, "cpu": 0.5, "memory": "0"}}, ports=[{"containerPort": 80}]),
        in_container(livenessProbe={"httpGet": {"port": "http"}}, readinessProbe={"httpGet": {"port": 80}}),
        {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": {"topologyKey": "a"}}]}}},
        {"hostnameOverride": "a", "containers": [{"name": "a", "restartPolicyRules": []}]},
    ],
    ids=range(6),
)  # fmt: skip
def test_what_kubernetes_takes_is_taken(value):
    assert check_fields("pod_spec", value, "PodSpec") == []


def test_a_key_that_a_newer_kubernetes_may_have_is_a_warning_with_the_date_of_the_table():
    table = field_table()
    with pytest.warns(TalosGpuWarning) as caught:
        to_pod_spec({"quorum": {"any": "thing"}}, "pod_spec")

    assert [str(each.message) for each in caught] == [
        f"'pod_spec' has the key 'quorum', which no PodSpec of Kubernetes up to {table.newest} has (read on {table.read_on})"
    ]


def test_a_warned_key_names_the_key_that_is_most_similar():
    with pytest.warns(TalosGpuWarning, match=r"'runtimeClass', which no PodSpec .*; did you mean 'runtimeClassName'\?$"):
        to_pod_spec({"runtimeClass": "nvidia"}, "pod_spec")


def test_a_template_of_an_operator_may_have_fields_of_its_own():
    own = {"modelFormat": {"name": "huggingface"}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pod = gpu_pod({"spec": in_container(image="a", **own)}, nodes=NODES)

    assert pod["spec"]["containers"][0].items() >= own.items()


@pytest.mark.parametrize(
    ("word", "known", "near"),
    [
        ("evn", "env", True), ("iamge", "image", True), ("nam", "name", True), ("volumeMount", "volumeMounts", True),
        ("hostNetwrk", "hostNetwork", True), ("nodSelectr", "nodeSelector", True), ("ndSelectr", "nodeSelector", False),
        ("cmd", "command", False), ("hostIP", "hostPID", False), ("post", "host", True), ("tost", "hose", False),
    ],
)  # fmt: skip
def test_one_slip_is_near_and_two_are_near_in_a_long_word(word, known, near):
    assert is_near(word, known) is near


@pytest.mark.parametrize(("argument", "kind"), [("security_context", "SecurityContext"), ("pod_security_context", "PodSecurityContext")])
def test_the_security_contexts_of_a_workload_are_held_to_their_fields(chart, argument, kind):
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=NODES, image="a", **{argument: {"run_as_user": 1000}})) == (
        f"'{argument}' must be made of keys of Kubernetes' {kind} (got 'run_as_user'); did you mean 'runAsUser'?"
    )
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=NODES, image="a", **{argument: {"runAsUser": "0"}}), TypeError) == (
        f"'{argument}[runAsUser]' must be a whole number from -9223372036854775808 to 9223372036854775807 (got '0'); did you mean 0?"
    )


def test_a_template_is_held_to_the_fields_of_its_spec_and_its_metadata():
    pod = {"metadata": {"labels": {"a": 1}}, "spec": in_container(image="a")}

    assert (
        message(lambda: gpu_pod(pod, nodes=NODES), TypeError) == "'template[metadata.labels.a]' must be a string (got 1); did you mean '1'?"
    )
    pod = {"spec": {**in_container(image="a"), "host_ipc": True}}
    assert message(lambda: gpu_pod(pod, nodes=NODES)) == (
        "'template[spec]' must be made of keys of Kubernetes' PodSpec (got 'host_ipc'); did you mean 'hostIPC'?"
    )


@pytest.mark.parametrize(
    ("text", "flag"), [("true", True), ("yes", True), ("on", True), ("false", False), ("no", False), ("off", False), ("False", False)]
)
def test_a_word_for_a_flag_is_refused_with_the_flag_that_was_meant(text, flag):
    assert said({"hostNetwork": text}) == f"'pod_spec[hostNetwork]' must be True or False (got {text!r}); did you mean {flag}?"
