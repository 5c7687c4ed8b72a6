"""Fields in Kubernetes' spelling: what the API server would refuse or drop is refused here."""

import re
import warnings

import pytest

from conftest import message
from constructs_lib import (
    ArgumentError,
    ArgumentTypeError,
    DcgmExporter,
    GpuNodes,
    GpuWorkload,
    StandaloneDevicePlugin,
    TalosGpuWarning,
    gpu_pod,
)
from constructs_lib.arguments.fields import to_containers, to_pod_spec, to_service
from constructs_lib.arguments.pod_fields import check_fields, check_required
from constructs_lib.arguments.spelling import is_near
from constructs_lib.upstream.kubernetes.fields import field_table

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
        pod = gpu_pod({"spec": in_container(image="a:1", **own)}, nodes=NODES)

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
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=NODES, image="a:1", **{argument: {"run_as_user": 1000}})) == (
        f"'{argument}' must be made of keys of Kubernetes' {kind} (got 'run_as_user'); did you mean 'runAsUser'?"
    )
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=NODES, image="a:1", **{argument: {"runAsUser": "0"}}), TypeError) == (
        f"'{argument}[runAsUser]' must be a whole number from -9223372036854775808 to 9223372036854775807 (got '0'); did you mean 0?"
    )


def test_a_template_is_held_to_the_fields_of_its_spec_and_its_metadata():
    pod = {"metadata": {"labels": {"a": 1}}, "spec": in_container(image="a:1")}

    assert (
        message(lambda: gpu_pod(pod, nodes=NODES), TypeError) == "'template[metadata.labels.a]' must be a string (got 1); did you mean '1'?"
    )
    pod = {"spec": {**in_container(image="a:1"), "host_ipc": True}}
    assert message(lambda: gpu_pod(pod, nodes=NODES)) == (
        "'template[spec]' must be made of keys of Kubernetes' PodSpec (got 'host_ipc'); did you mean 'hostIPC'?"
    )


def one_of(*values):
    return "one of " + ", ".join(f"'{value}'" for value in values)


PULL, PROTOCOL = one_of("Always", "IfNotPresent", "Never"), one_of("SCTP", "TCP", "UDP")
SPREAD = {"maxSkew": 1, "topologyKey": "zone"}


@pytest.mark.parametrize(
    ("value", "place", "rule", "got", "hint"),
    [
        ({"restartPolicy": "always"}, "restartPolicy", one_of("Always", "Never", "OnFailure"), "always", "did you mean 'Always'?"),
        ({"dnsPolicy": "ClusterFirstWithHostnet"}, "dnsPolicy", one_of("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"), "ClusterFirstWithHostnet", "did you mean 'ClusterFirstWithHostNet'?"),
        (in_container(imagePullPolicy="IfNotPresnt"), "containers.0.imagePullPolicy", PULL, "IfNotPresnt", "did you mean 'IfNotPresent'?"),
        (in_container(ports=[{"containerPort": 80, "protocol": "tcp"}]), "containers.0.ports.0.protocol", PROTOCOL, "tcp", "did you mean 'TCP'?"),
        (in_container(livenessProbe={"httpGet": {"port": 80, "scheme": "https"}}), "containers.0.livenessProbe.httpGet.scheme", one_of("HTTP", "HTTPS"), "https", "did you mean 'HTTPS'?"),
        (in_container(securityContext={"seccompProfile": {"type": "Runtime"}}), "containers.0.securityContext.seccompProfile.type", one_of("Localhost", "RuntimeDefault", "Unconfined"), "Runtime", "did you mean 'RuntimeDefault'?"),
        (in_container(lifecycle={"stopSignal": "SIGTREM"}), "containers.0.lifecycle.stopSignal", "one of Kubernetes' values of 'stopSignal'", "SIGTREM", "did you mean 'SIGTERM'?"),
        ({"tolerations": [{"operator": "Exist"}]}, "tolerations.0.operator", one_of("Equal", "Exists", "Gt", "Lt"), "Exist", "did you mean 'Exists'?"),
        ({"topologySpreadConstraints": [{**SPREAD, "whenUnsatisfiable": "Schedule"}]}, "topologySpreadConstraints.0.whenUnsatisfiable", one_of("DoNotSchedule", "ScheduleAnyway"), "Schedule", None),
        ({"topologySpreadConstraints": [{**SPREAD, "whenUnsatisfiable": ""}]}, "topologySpreadConstraints.0.whenUnsatisfiable", one_of("DoNotSchedule", "ScheduleAnyway"), "", ""),
    ],
)  # fmt: skip
def test_a_value_that_an_enumeration_does_not_have_is_refused(value, place, rule, got, hint):
    text = said(value)

    assert text.startswith(f"'pod_spec[{place}]' must be {rule} (got {got!r})")
    assert hint is None or text.endswith(f"; {hint}" if hint else f"(got {got!r})")


@pytest.mark.parametrize(
    ("value", "place", "key"),
    [
        ({"restartPolicy": "Sometime"}, "restartPolicy", "restartPolicy"),
        ({"preemptionPolicy": "Now"}, "preemptionPolicy", "preemptionPolicy"),
        ({"tolerations": [{"effect": "NoStart"}]}, "tolerations.0.effect", "effect"),
        (in_container(terminationMessagePolicy="Log"), "containers.0.terminationMessagePolicy", "terminationMessagePolicy"),
    ],
)
def test_a_value_that_may_be_of_a_newer_kubernetes_is_a_warning_with_the_date_of_the_table(value, place, key):
    (warning,) = check_fields("pod_spec", value, "PodSpec")

    table = field_table()
    assert re.fullmatch(
        rf"'pod_spec\[{place}\]' is '\w+', which is no value of '{key}' in kubernetes/api {table.choices_from} \(read on {table.read_on}\)",
        warning,
    )


def test_an_empty_text_is_the_default_of_an_enumeration_and_a_variable_may_be_any_value():
    variable = in_container(imagePullPolicy="${POLICY}", name="${NAME}", ports=[{"containerPort": 80, "protocol": "", "name": "${PORT}"}])
    pod = {"restartPolicy": "", "dnsPolicy": "${DNS:=Default}", "nodeSelector": {"${KEY}": "a", "b": "${VALUE:=a b}"}, **variable}

    assert check_fields("pod_spec", pod, "PodSpec") == []


LABEL = "a DNS label (lower-case letters, digits and '-', at most 63 characters)"
PORT_NAME = "the name of a port (lower-case letters, digits and single '-', with a letter, at most 15 characters)"
KEY = "a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.')"
VALUE = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        ("Container", {"name": "my_app"}, f"'it[name]' must be {LABEL} (got 'my_app')"),
        ("Volume", {"name": "a.b"}, f"'it[name]' must be {LABEL} (got 'a.b')"),
        ("Volume", {"name": "a" * 64}, f"'it[name]' must be {LABEL} (got '{'a' * 64}')"),
        ("ContainerPort", {"name": "prometheus-metrics"}, f"'it[name]' must be {PORT_NAME} (got 'prometheus-metrics')"),
        ("ContainerPort", {"name": "80"}, f"'it[name]' must be {PORT_NAME} (got '80')"),
        ("ContainerPort", {"name": "a--b"}, f"'it[name]' must be {PORT_NAME} (got 'a--b')"),
        ("PodSpec", {"nodeSelector": {"a b": "c"}}, f"'it[nodeSelector]' must be {KEY} (got 'a b')"),
        ("PodSpec", {"nodeSelector": {"a": "b c"}}, f"'it[nodeSelector.a]' must be {VALUE} (got 'b c')"),
        ("ObjectMeta", {"name": "My-App"}, "'it[name]' must be a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters) (got 'My-App')"),
        ("ObjectMeta", {"namespace": "my.ns"}, "'it[namespace]' must be the name of a namespace (lower-case letters, digits and '-', at most 63 characters) (got 'my.ns'); did you mean 'my-ns'?"),
        ("ObjectMeta", {"labels": {"a": "b/c"}}, f"'it[labels.a]' must be {VALUE} (got 'b/c')"),
        ("ObjectMeta", {"labels": {"a": True}}, "'it[labels.a]' must be a string (got True); did you mean 'true'?"),
        ("ObjectMeta", {"annotations": {"a/b/c": "d"}}, f"'it[annotations]' must be {KEY} (got 'a/b/c')"),
        ("ObjectMeta", {"annotations": {"a": 5}}, "'it[annotations.a]' must be a string (got 5); did you mean '5'?"),
        ("ServiceSpec", {"type": "Loadbalancer"}, "'it[type]' must be one of 'ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort' (got 'Loadbalancer'); did you mean 'LoadBalancer'?"),
        ("ServiceSpec", {"ipFamilies": ["IPv4", "ipv6"]}, "'it[ipFamilies.1]' must be one of 'IPv4', 'IPv6' (got 'ipv6'); did you mean 'IPv6'?"),
        ("ServiceSpec", {"selector": {"app": "a b"}}, f"'it[selector.app]' must be {VALUE} (got 'a b')"),
        ("ServiceSpec", {"cluster_ip": "None"}, "'it' must be made of keys of Kubernetes' ServiceSpec (got 'cluster_ip'); did you mean 'clusterIP'?"),
        ("ServiceSpec", {"ports": [{"port": 70000}]}, "'it[ports.0.port]' must be a whole number from 1 to 65535 (got 70000)"),
        ("ServiceSpec", {"ports": [{"nodePort": 0}]}, "'it[ports.0.nodePort]' must be a whole number from 1 to 65535 (got 0)"),
        ("ServicePort", {"name": "Http"}, f"'it[name]' must be {LABEL} (got 'Http')"),
        ("DeploymentSpec", {"strategy": {"type": "recreate"}}, "'it[strategy.type]' must be one of 'Recreate', 'RollingUpdate' (got 'recreate'); did you mean 'Recreate'?"),
        ("DeploymentSpec", {"replica": 1}, "'it' must be made of keys of Kubernetes' DeploymentSpec (got 'replica'); did you mean 'replicas'?"),
        ("StatefulSetSpec", {"podManagementPolicy": "parallel"}, "'it[podManagementPolicy]' must be one of 'OrderedReady', 'Parallel' (got 'parallel'); did you mean 'Parallel'?"),
        ("StatefulSetSpec", {"volumeClaimTemplates": [{"spec": {"accessModes": ["ReadWriteOne"]}}]}, "'it[volumeClaimTemplates.0.spec.accessModes.0]' must be one of 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod' (got 'ReadWriteOne'); did you mean 'ReadWriteOnce'?"),
        ("JobSpec", {"backoffLimits": 1}, "'it' must be made of keys of Kubernetes' JobSpec (got 'backoffLimits'); did you mean 'backoffLimit'?"),
        ("CronJobSpec", {"concurrencyPolicy": "forbid"}, "'it[concurrencyPolicy]' must be one of 'Allow', 'Forbid', 'Replace' (got 'forbid'); did you mean 'Forbid'?"),
        ("IngressSpec", {"rules": [{"http": {"paths": [{"pathType": "prefix"}]}}]}, "'it[rules.0.http.paths.0.pathType]' must be one of 'Exact', 'ImplementationSpecific', 'Prefix' (got 'prefix'); did you mean 'Prefix'?"),
    ],
)  # fmt: skip
def test_names_services_and_workloads_are_held_to_kubernetes_rules(kind, value, says):
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        check_fields("it", value, kind)

    assert str(caught.value) == says


def missing(argument, kind, where=""):
    return f"'{argument}' must be given (got nothing); Kubernetes requires this field of every {kind}" + (
        f" (here in '{where}')" if where else ""
    )


@pytest.mark.parametrize(
    ("kind", "value", "place", "of", "where"),
    [
        ("PodSpec", {}, "containers", "PodSpec", ""),
        ("PodSpec", {"containers": [{"image": "a:1"}]}, "containers.0.name", "Container", ""),
        ("PodSpec", in_container(ports=[{"containerPort": 80}, {"name": "http"}]), "containers.0.ports.1.containerPort", "ContainerPort", "main/http"),
        ("PodSpec", in_container(ports=[{"containerPort": None}]), "containers.0.ports.0.containerPort", "ContainerPort", "main"),
        ("PodSpec", in_container(volumeMounts=({"name": "data"},)), "containers.0.volumeMounts.0.mountPath", "VolumeMount", "main/data"),
        ("PodSpec", in_container(env=[{"value": "a"}]), "containers.0.env.0.name", "EnvVar", "main"),
        ("PodSpec", in_container(livenessProbe={"httpGet": {"path": "/"}}), "containers.0.livenessProbe.httpGet.port", "HTTPGetAction", "main"),
        ("PodSpec", {**in_container(), "topologySpreadConstraints": [SPREAD]}, "topologySpreadConstraints.0.whenUnsatisfiable", "TopologySpreadConstraint", ""),
        ("PodSpec", {**in_container(), "volumes": [{"name": "a", "hostPath": {}}]}, "volumes.0.hostPath.path", "HostPathVolumeSource", "a"),
        ("ServiceSpec", {"ports": [{"name": "http"}]}, "ports.0.port", "ServicePort", "http"),
        ("DeploymentSpec", {"template": {}}, "selector", "DeploymentSpec", ""),
        ("StatefulSetSpec", {"selector": {"matchExpressions": [{"key": "a"}]}, "template": {}}, "selector.matchExpressions.0.operator", "LabelSelectorRequirement", ""),
        ("CronJobSpec", {"schedule": "@daily", "jobTemplate": {"spec": {}}}, "jobTemplate.spec.template", "JobSpec", ""),
    ],
)  # fmt: skip
def test_a_whole_value_without_a_required_field_is_refused(kind, value, place, of, where):
    with pytest.raises(ArgumentError) as caught:
        check_required("it", value, kind)

    assert str(caught.value) == missing(f"it[{place}]", of, where)


MAKERS = {
    "workload": lambda chart, **arguments: GpuWorkload(chart, "ollama", nodes=NODES, image="a:1", port=80, **arguments),
    "plugin": lambda chart, **arguments: StandaloneDevicePlugin(chart, "plugin", nodes=NODES, **arguments),
    "exporter": lambda chart, **arguments: DcgmExporter(chart, "exporter", nodes=NODES, **arguments),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_field_that_the_merged_pod_lacks_is_refused_before_anything_is_made(chart, make):
    sidecar = {"containers": [{"name": "sidecar", "image": "a:1", "ports": [{"name": "http"}]}]}
    before = len(chart.node.find_all())

    said = message(lambda: make(chart, pod_spec=sidecar))
    assert said.endswith(
        ".ports.0.containerPort]' must be given (got nothing); Kubernetes requires this field of every ContainerPort (here in 'sidecar/http')"
    )
    assert len(chart.node.find_all()) == before


def test_a_required_field_may_come_from_the_generated_pod(chart):
    MAKERS["workload"](
        chart, pod_spec={"containers": [{"name": "ollama", "ports": [{"containerPort": 80, "hostPort": 80}]}], "volumes": []}
    )
    pod = next(each for each in chart.to_json() if each["kind"] == "Deployment")["spec"]["template"]["spec"]
    assert [(each["image"], each["ports"][0]["hostPort"]) for each in pod["containers"]] == [("a:1", 80)]
    MAKERS["exporter"](chart, pod_spec={"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}})


@pytest.mark.parametrize(("argument", "profile"), [("security_context", "seccompProfile"), ("pod_security_context", "appArmorProfile")])
def test_a_security_context_without_a_required_field_is_refused_unless_the_pod_spec_has_it(chart, argument, profile):
    given = {argument: {profile: {"localhostProfile": "a.json"}}}
    kind = f"{profile[0].upper()}{profile[1:]}"
    inner = {"securityContext": {profile: {"type": "Localhost"}}}
    pod_spec = inner if argument.startswith("pod") else {"containers": [{"name": "ollama", **inner}]}

    assert message(lambda: MAKERS["workload"](chart, **given)) == missing(f"{argument}[{profile}.type]", kind)
    MAKERS["workload"](chart, **given, pod_spec=pod_spec)


def test_the_profile_of_a_pods_security_context_keeps_its_type(chart):
    MAKERS["workload"](chart, pod_security_context={"seccompProfile": {"localhostProfile": None}, "runAsUser": 1000})

    pod = next(each for each in chart.to_json() if each["kind"] == "Deployment")["spec"]["template"]["spec"]
    assert pod["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}, "runAsUser": 1000}


def test_a_required_field_may_come_from_the_nodes(chart):
    empty = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": None}}}}
    without_labels = GpuNodes(talos_version="1.14")

    assert gpu_pod({"spec": {**in_container(image="a:1"), **empty}}, nodes=without_labels)["spec"]["affinity"] != empty["affinity"]
    GpuWorkload(chart, "ollama", nodes=without_labels, image="a:1", pod_spec=empty)
    StandaloneDevicePlugin(chart, "plugin", nodes=without_labels, pod_spec=empty)


def test_an_operator_may_fill_in_a_required_field_of_its_template():
    probe = {"httpGet": {"path": "/healthz"}}  # Knative fills in the port

    assert (
        gpu_pod({"spec": in_container(image="a:1", readinessProbe=probe)}, nodes=NODES)["spec"]["containers"][0]["readinessProbe"] == probe
    )


@pytest.mark.parametrize(
    ("kind", "value"),
    [("HTTPHeader", {"name": "a"}), ("Sysctl", {"name": "a"}), ("SleepAction", {})],
)
def test_what_the_api_server_takes_without_a_required_field_is_taken(kind, value):
    check_required("it", value, kind)
    assert field_table().required[kind]


def test_fields_of_a_service_are_checked_and_may_lack_what_the_service_has():
    assert to_service(None, "service") == {}
    assert to_service({"type": "LoadBalancer", "ports": [{"name": "http", "nodePort": 30000}]}, "service")["type"] == "LoadBalancer"
    with pytest.raises(
        ArgumentError,
        match=r"^'service\[externalTrafficPolicy\]' must be one of 'Cluster', 'Local' \(got 'local'\); did you mean 'Local'\?$",
    ):
        to_service({"externalTrafficPolicy": "local"}, "service")


def test_a_list_of_whole_containers_is_checked_with_the_place_of_each():
    assert to_containers([], "init_containers") == ()
    assert to_containers([{"name": "a", "command": ["true"]}], "init_containers") == ({"name": "a", "command": ("true",)},)
    for value, says in (
        (
            [{"name": "a"}, {"imagePullPolicy": "always"}],
            f"'init_containers[1.imagePullPolicy]' must be {PULL} (got 'always'); did you mean 'Always'?",
        ),
        ([{"name": "a"}, {"image": "b"}], missing("init_containers[1.name]", "Container")),
        ({"name": "a"}, "'init_containers' must be a list of containers (got {'name': 'a'}); put the container into a list"),
        ("a", "'init_containers' must be a list of containers (got 'a')"),
    ):
        with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
            to_containers(value, "init_containers")
        assert str(caught.value) == says


@pytest.mark.parametrize(
    ("text", "flag"), [("true", True), ("yes", True), ("on", True), ("false", False), ("no", False), ("off", False), ("False", False)]
)
def test_a_word_for_a_flag_is_refused_with_the_flag_that_was_meant(text, flag):
    assert said({"hostNetwork": text}) == f"'pod_spec[hostNetwork]' must be True or False (got {text!r}); did you mean {flag}?"
