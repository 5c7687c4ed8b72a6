"""The argument `service`: a Service that can be shaped, and what the API server would refuse is refused."""

import pytest

from conftest import message, one, synth
from constructs_lib import GpuNodes, GpuWorkload, TalosGpuWarning

V, T = ValueError, TypeError
OWN = "made of fields of a Service's spec, 'annotations' and 'labels'"
TYPES = "left out for a Service of the type"


def workload(chart, service, **given):
    return GpuWorkload(
        chart,
        "app",
        nodes=GpuNodes(talos_version="1.14"),
        image="app:1",
        service=service,
        **{"port": {"http": 8000, "rtp": "8555/udp"}, **given},
    )


def service_of(chart, service, **given):
    workload(chart, service, **given)
    return one(synth(chart), "Service")


HTTP, RTP = {"name": "http", "port": 8000, "targetPort": "http"}, {"name": "rtp", "port": 8555, "targetPort": "rtp", "protocol": "UDP"}


def test_the_fields_are_laid_on_the_spec_and_the_metadata(chart):
    fields = {
        "type": "LoadBalancer",
        "loadBalancerClass": "io.cilium/l2-announcer",
        "externalTrafficPolicy": "Local",
        "annotations": {"lbipam.cilium.io/ips": "10.0.0.5"},
        "labels": {"tier": "edge"},
    }

    made = service_of(chart, fields, labels={"team": "ai"}, annotations={"a": "b"})

    assert made["metadata"] == {
        "name": "app",
        "labels": {"app.kubernetes.io/name": "app", "team": "ai", "tier": "edge"},
        "annotations": {"a": "b", "lbipam.cilium.io/ips": "10.0.0.5"},
    }
    assert made["spec"] == {
        "selector": {"app.kubernetes.io/name": "app"},
        "ports": [HTTP, RTP],
        "type": "LoadBalancer",
        "loadBalancerClass": "io.cilium/l2-announcer",
        "externalTrafficPolicy": "Local",
    }


def test_the_workload_itself_has_none_of_the_fields(chart):
    workload(chart, {"type": "NodePort", "annotations": {"a": "b"}})

    deployment = one(synth(chart), "Deployment")
    assert "annotations" not in deployment["metadata"]
    assert "type" not in deployment["spec"]


@pytest.mark.parametrize(
    ("ports", "expected"),
    [
        ([{"name": "http", "port": 80}], [{**HTTP, "port": 80}, RTP]),
        ([{"name": "rtp", "nodePort": 30555}], [HTTP, {**RTP, "nodePort": 30555}]),
        ([{"name": "https", "port": 443, "targetPort": "http"}], [HTTP, RTP, {"name": "https", "port": 443, "targetPort": "http"}]),
        ([{"name": "http", "appProtocol": "kubernetes.io/h2c"}], [{**HTTP, "appProtocol": "kubernetes.io/h2c"}, RTP]),
        ([{"name": "https", "port": 8555}], [HTTP, RTP, {"name": "https", "port": 8555}]),
    ],
)
def test_ports_are_merged_by_their_name(chart, ports, expected):
    assert service_of(chart, {"type": "NodePort", "ports": ports})["spec"]["ports"] == expected


def test_the_fields_of_a_headless_service_may_be_shaped(chart):
    made = service_of(chart, {"trafficDistribution": "PreferClose", "clusterIP": "None"}, kind="StatefulSet")

    assert (made["spec"]["clusterIP"], made["spec"]["trafficDistribution"]) == ("None", "PreferClose")


def test_a_deployment_may_have_a_headless_service(chart):
    assert service_of(chart, {"clusterIP": "None"})["spec"]["clusterIP"] == "None"


def test_the_attributes_hold_the_fields_and_the_object(chart):
    made = workload(chart, {"type": "NodePort"})

    assert dict(made.service_fields) == {"type": "NodePort"}
    assert (made.service.kind, made.service.name) == ("Service", "app")
    with pytest.raises(TypeError):
        made.service_fields["type"] = "LoadBalancer"


def test_a_field_of_a_newer_kubernetes_is_a_warning(chart):
    with pytest.warns(TalosGpuWarning, match="'service' has the key 'zebraPolicy', which no ServiceSpec of Kubernetes up to"):
        made = service_of(chart, {"zebraPolicy": "a"})

    assert made["spec"]["zebraPolicy"] == "a"


@pytest.mark.parametrize(
    ("service", "error", "expected"),
    [
        ([], T, "'service' must be a mapping of fields of a Service (got [])"),
        ({"spec": {"type": "NodePort"}}, V,
         f"'service' must be {OWN} (got 'spec'); write the fields without 'metadata' and 'spec', as in service={{'type': 'LoadBalancer', 'annotations': {{…}}}}"),
        ({"name": "web"}, V, "'service' must be without 'name' (got 'web'); the Service has the name of the workload"),
        ({"namespace": "web"}, V, "'service' must be without 'namespace' (got 'web'); the Service has the namespace of the workload"),
        ({"selector": {"app": "web"}}, V,
         "'service' must be without 'selector' (got {'app': 'web'}); the Service selects the workload's pods; for other pods make a Service of your own"),
        ({"selector": None}, V,
         "'service' must be without 'selector' (got None); the Service selects the workload's pods; for other pods make a Service of your own"),
        ({"annotation": {}}, V, f"'service' must be {OWN} (got 'annotation'); did you mean 'annotations'?"),
        ({"load_balancer_class": "a"}, V,
         "'service' must be made of keys of Kubernetes' ServiceSpec (got 'load_balancer_class'); did you mean 'loadBalancerClass'?"),
        ({"tpye": "NodePort"}, V, "'service' must be made of keys of Kubernetes' ServiceSpec (got 'tpye'); did you mean 'type'?"),
        ({"type": "Loadbalancer"}, V, "'service[type]' must be one of 'ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort' (got 'Loadbalancer'); did you mean 'LoadBalancer'?"),
        ({"annotations": {"a": 1}}, T, "'service[annotations][a]' must be a string (got 1)"),
        ({"type": "ExternalName"}, V,
         "'service[type]' must be one of 'ClusterIP', 'NodePort', 'LoadBalancer' (got 'ExternalName'); an ExternalName has no pods"),
        ({"loadBalancerClass": "a"}, V,
         f"'service[loadBalancerClass]' must be {TYPES} ClusterIP (got 'a'); did you mean 'type': 'LoadBalancer' as well?"),
        ({"type": "NodePort", "loadBalancerSourceRanges": ["10.0.0.0/8"]}, V,
         f"'service[loadBalancerSourceRanges]' must be {TYPES} NodePort (got ('10.0.0.0/8',)); did you mean 'type': 'LoadBalancer' as well?"),
        ({"externalTrafficPolicy": "Local"}, V,
         f"'service[externalTrafficPolicy]' must be {TYPES} ClusterIP (got 'Local'); did you mean 'type': 'LoadBalancer' as well?"),
        ({"clusterIP": "None", "type": "NodePort"}, V, "'service[type]' must be 'ClusterIP' for a headless Service (got 'NodePort')"),
        ({"ports": None}, V, "'service[ports]' must be a list of ports (got None); the ports follow from 'port'"),
        ({"ports": []}, V, "'service[ports]' must be a list of ports (got ()); the ports follow from 'port'"),
        ({"ports": [{"port": 80}]}, V,
         "'service[ports.0.name]' must be a port of the workload, 'http', 'rtp', or a new name (got None); a port is merged by its name"),
        ({"ports": [{"name": "htpp"}]}, V, "'service[ports.0.name]' must be a port of the workload, 'http', 'rtp' (got 'htpp'); did you mean 'http'?"),
        ({"ports": [{"name": "web"}]}, V,
         "'service[ports.0.name]' must be a port of the workload, 'http', 'rtp' (got 'web'); a port of another name needs 'port'"),
        ({"ports": [{"name": "http", "nodePort": 30080}]}, V,
         f"'service[ports.0.nodePort]' must be {TYPES} ClusterIP (got 30080); did you mean 'type': 'NodePort' as well?"),
        ({"ports": [{"name": "web", "port": 8000}]}, V, "'service[ports]' must be without the same 'port' twice (got [8000, 8555, 8000])"),
        ({"type": "NodePort", "ports": [{"name": "http", "nodePort": 30080}, {"name": "b", "port": 1, "nodePort": 30080}]}, V,
         "'service[ports]' must be without the same 'nodePort' twice (got [30080, 30080])"),
        ({"type": "LoadBalancer", "healthCheckNodePort": 30001}, V,
         "'service[healthCheckNodePort]' must be given only with 'externalTrafficPolicy': 'Local' (got 30001)"),
        ({"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 60}}}, V,
         "'service[sessionAffinityConfig]' must be given only with 'sessionAffinity': 'ClientIP' (got {'clientIP': {'timeoutSeconds': 60}})"),
        ({"clusterIP": "abc"}, V, "'service[clusterIP]' must be an IP address, or 'None' for a headless Service (got 'abc')"),
        ({"externalIPs": ["192.0.2.1", "192.0.2.300"]}, V, "'service[externalIPs]' must be a list of IP addresses (got '192.0.2.300')"),
        ({"type": "LoadBalancer", "loadBalancerSourceRanges": ["192.0.2.1"]}, V,
         "'service[loadBalancerSourceRanges]' must be a list of CIDR blocks such as '10.0.0.0/8' (got '192.0.2.1'); did you mean '192.0.2.1/32'?"),
        ({"type": "LoadBalancer", "loadBalancerSourceRanges": ["lan/8"]}, V,
         "'service[loadBalancerSourceRanges]' must be a list of CIDR blocks such as '10.0.0.0/8' (got 'lan/8')"),
        ({"ports": [{"name": "http", "targetPort": "htpp"}]}, V,
         "'service[ports.0.targetPort]' must be a number, or a port of the workload, 'http', 'rtp' (got 'htpp'); did you mean 'http'?"),
        ({"ports": [{"name": "http", "protocol": "UDP"}]}, V,
         "'service[ports.0.protocol]' must be 'TCP', as the port 'http' of the workload (got 'UDP'); a Service port of another protocol has no endpoints"),
        ({"ports": [{"name": "web", "port": 80, "targetPort": "rtp"}]}, V,
         "'service[ports.0.protocol]' must be 'UDP', as the port 'rtp' of the workload (got 'TCP'); a Service port of another protocol has no endpoints"),
    ],
)  # fmt: skip
def test_what_the_fields_refuse(chart, service, error, expected):
    assert message(lambda: workload(chart, service), error) == expected
    assert synth(chart) == []


@pytest.mark.parametrize(
    "service",
    [
        {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 30001},
        {"sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 60}}},
        {"clusterIP": "10.96.0.9", "externalIPs": ["192.0.2.1", "2001:db8::1"]},
        {"type": "LoadBalancer", "loadBalancerSourceRanges": ["10.1.2.3/8", "2001:db8::/32"]},
        {
            "ports": [
                {"name": "web", "port": 80, "targetPort": "http"},
                {"name": "media", "port": 81, "targetPort": "rtp", "protocol": "UDP"},
            ]
        },
        {"ports": [{"name": "web", "port": 80, "targetPort": 8001, "protocol": "UDP"}]},
    ],
)
def test_fields_that_kubernetes_takes_stand_as_given(chart, service):
    made = service_of(chart, service)["spec"]

    for field, value in service.items():
        assert made[field][-len(value) :] == value if field == "ports" else made[field] == value


def test_a_port_of_a_sidecar_may_be_a_target(chart):
    sidecar = {
        "name": "exporter",
        "image": "exporter:1.0",
        "restartPolicy": "Always",
        "ports": [{"name": "metrics", "containerPort": 9400}],
    }

    made = service_of(chart, {"ports": [{"name": "metrics", "port": 9400, "targetPort": "metrics"}]}, init_containers=[sidecar])["spec"]

    assert made["ports"][-1]["targetPort"] == "metrics"


@pytest.mark.parametrize(
    ("service", "given", "expected"),
    [
        ({"type": "NodePort"}, {"port": None}, "'service' must be given only with 'port' (got {'type': 'NodePort'}); without a port the workload has no Service"),
        ({"type": "NodePort"}, {"port": None, "kind": "Job"},
         "'service' must be given only to a Deployment or a StatefulSet (got {'type': 'NodePort'}); this is a Job"),
        ({"type": "LoadBalancer"}, {"kind": "StatefulSet"},
         ("'service[type]' must be 'ClusterIP' for a headless Service (got 'LoadBalancer'); the headless Service names the pods of a StatefulSet; "
         "make a second Service of your own")),
        ({"clusterIP": "10.0.0.1"}, {"kind": "StatefulSet"},
         "'service[clusterIP]' must be 'None' for a StatefulSet (got '10.0.0.1'); the headless Service names the pods"),
        ({"clusterIP": None}, {"kind": "StatefulSet"},
         "'service[clusterIP]' must be 'None' for a StatefulSet (got None); the headless Service names the pods"),
    ],
)  # fmt: skip
def test_what_the_fields_refuse_of_this_workload(chart, service, given, expected):
    assert message(lambda: workload(chart, service, **given)) == expected
