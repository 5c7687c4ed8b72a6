"""`expose`: the ways in from outside the cluster, and which way fits which port."""

import warnings

import pytest

from conftest import message, one, synth
from constructs_lib import Companion, GpuNodes, GpuWorkload, TalosGpuWarning, expose
from constructs_lib.recipes import Frigate, Triton, WyomingWhisper
from constructs_lib.upstream.kubernetes.network import IngressController

NODES = GpuNodes(talos_version="1.14")
PORTS = {"http": 8971, "rtsp": 8554, "webrtc": "8555/udp"}
HOST = "chat.example.com"
GATEWAY = {"gateway": "internal"}


def server(chart, name="server", **given):
    return GpuWorkload(chart, name, nodes=NODES, image="app:1", **{"port": PORTS, **given})


def route(chart, workload, *args, **given):
    return expose(workload, *args, **given).resource.to_json()


def test_a_route_leads_to_the_service_and_ends_no_stream_and_tries_nothing_twice(chart):
    made = route(chart, server(chart), HOST, gateway="internal", gateway_namespace="network", section="https")

    assert (made["apiVersion"], made["kind"], made["metadata"]["name"]) == ("gateway.networking.k8s.io/v1", "HTTPRoute", "server")
    assert made["spec"] == {
        "parentRefs": [{"name": "internal", "namespace": "network", "sectionName": "https"}],
        "hostnames": [HOST],
        "rules": [
            {
                "backendRefs": [{"name": "server", "port": 8971}],
                "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
                "timeouts": {"request": "0s"},
            }
        ],
    }


def test_a_route_uses_the_port_of_the_service_where_that_is_another_one(chart):
    workload = server(chart, service={"ports": [{"name": "http", "port": 80}]})

    assert route(chart, workload, HOST, **GATEWAY)["spec"]["rules"][0]["backendRefs"] == [{"name": "server", "port": 80}]


def test_path_and_timeout_of_a_route_can_be_given(chart):
    rule = route(chart, server(chart), HOST, **GATEWAY, path="/api", timeout="1h30m")["spec"]["rules"][0]

    assert rule["timeouts"] == {"request": "1h30m"}
    assert rule["matches"] == [{"path": {"type": "PathPrefix", "value": "/api"}}]


@pytest.mark.parametrize(("port", "kind"), [("rtsp", "TCPRoute"), ("webrtc", "UDPRoute")])
def test_a_port_without_a_host_name_gets_a_route_of_its_protocol(chart, port, kind):
    made = route(chart, server(chart), port=port, **GATEWAY, section="media")

    assert (made["kind"], made["metadata"]["name"]) == (kind, f"server-{port}")
    assert made["spec"] == {
        "parentRefs": [{"name": "internal", "sectionName": "media"}],
        "rules": [{"backendRefs": [{"name": "server", "port": {"rtsp": 8554, "webrtc": 8555}[port]}]}],
    }


def test_a_load_balancer_is_a_service_for_one_port_that_no_service_monitor_selects(chart):
    made = route(chart, server(chart), port="webrtc", load_balancer=True)

    assert made["metadata"]["labels"] == {"app.kubernetes.io/part-of": "server"}
    assert made["spec"] == {
        "type": "LoadBalancer",
        "selector": {"app.kubernetes.io/name": "server"},
        "ports": [{"name": "webrtc", "port": 8555, "targetPort": "webrtc", "protocol": "UDP"}],
    }


def test_a_route_to_a_stateful_set_sends_requests_to_ready_pods_alone(chart):
    made = route(chart, server(chart, kind="StatefulSet"), HOST, **GATEWAY)

    assert made["spec"]["rules"][0]["backendRefs"] == [{"name": "server-ready", "port": 8971}]
    ready = one(synth(chart), "Service", "server-ready")["spec"]
    assert (ready["type"], ready["selector"]) == ("ClusterIP", {"app.kubernetes.io/name": "server"})
    assert "publishNotReadyAddresses" not in ready


def test_an_ingress_has_the_class_the_host_and_the_certificate_and_no_annotations_of_an_unnamed_controller(chart):
    made = route(chart, server(chart), HOST, ingress_class="external", tls_secret="chat-tls")

    assert (made["apiVersion"], made["kind"]) == ("networking.k8s.io/v1", "Ingress")
    assert "annotations" not in made["metadata"]
    backend = {"service": {"name": "server", "port": {"name": "http"}}}
    assert made["spec"] == {
        "ingressClassName": "external",
        "rules": [{"host": HOST, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}],
        "tls": [{"hosts": [HOST], "secretName": "chat-tls"}],
    }


@pytest.mark.parametrize(
    ("controller", "timeout", "expected"),
    [
        ("haproxy", None, {"haproxy.org/timeout-server": "3600s"}),
        ("haproxy", "2h", {"haproxy.org/timeout-server": "7200s"}),
        (
            IngressController.INGRESS_NGINX,
            None,
            {
                "nginx.ingress.kubernetes.io/proxy-read-timeout": "3600",
                "nginx.ingress.kubernetes.io/proxy-send-timeout": "3600",
                "nginx.ingress.kubernetes.io/proxy-buffering": "off",
                "nginx.ingress.kubernetes.io/proxy-body-size": "0",
                "nginx.ingress.kubernetes.io/proxy-next-upstream": "off",
            },
        ),
    ],
)
def test_a_named_controller_keeps_long_answers_open(chart, controller, timeout, expected):
    made = route(chart, server(chart), HOST, ingress_class="a", ingress_controller=controller, timeout=timeout, annotations={"own": "b"})

    assert made["metadata"]["annotations"] == {**expected, "own": "b"}


def test_requests_through_the_interceptor_are_granted_by_its_namespace(chart):
    made = expose(server(chart, namespace="ai"), HOST, **GATEWAY, interceptor_namespace="keda")

    assert made.resource.to_json()["spec"]["rules"][0]["backendRefs"] == [
        {"name": "keda-add-ons-http-interceptor-proxy", "namespace": "keda", "port": 8080}
    ]
    grant = one(synth(chart), "ReferenceGrant", "ai-server")
    assert grant["metadata"]["namespace"] == "keda"
    assert grant["spec"] == {
        "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "ai"}],
        "to": [{"group": "", "kind": "Service", "name": "keda-add-ons-http-interceptor-proxy"}],
    }


def test_a_workload_can_be_exposed_twice_under_two_names(chart):
    workload = server(chart)
    expose(workload, HOST, **GATEWAY)
    expose(workload, "chat.lan", gateway="external", name="server-external")

    assert one(synth(chart), "HTTPRoute", "server-external")["spec"]["hostnames"] == ["chat.lan"]
    expected = "; expose already makes a HTTPRoute of this name; the second object would replace the first"
    assert message(lambda: expose(workload, "c.lan", gateway="external")).endswith(expected)


def test_the_route_is_beside_the_workload_and_keeps_its_arguments(chart):
    workload = server(chart)
    made = expose(workload, HOST, **GATEWAY)

    assert (made.workload, made.hostname, made.port) == (workload, HOST, "http")
    assert made.node.path == f"{workload.node.path}-httproute-server"


def test_a_companion_is_exposed_as_a_workload_is(chart):
    companion = Companion(chart, "front", image="front:1", port=8080)

    assert route(chart, companion, HOST, **GATEWAY)["spec"]["rules"][0]["backendRefs"] == [{"name": "front", "port": 8080}]


class Open(GpuWorkload):
    unauthenticated = "the server asks nobody for a login"


def test_a_server_without_authentication_is_exposed_with_a_warning_and_every_other_one_without(chart):
    with pytest.warns(TalosGpuWarning, match=f"open: the server asks nobody for a login. Everybody who reaches {HOST} can use the server"):
        expose(Open(chart, "open", nodes=NODES, image="app:1", port=80), HOST, **GATEWAY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expose(server(chart), HOST, **GATEWAY)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"hostname": "https://a.b", **GATEWAY},
         "'hostname' must be a host name such as 'chat.example.com' or '*.example.com' (got 'https://a.b'); did you mean 'a.b'?"),
        ({"hostname": HOST}, "'gateway' must be given, or else 'ingress_class' or 'load_balancer' (got nothing); an exposure is one way into the cluster"),
        ({"hostname": HOST, **GATEWAY, "ingress_class": "a"}, ("'ingress_class' must be left out beside 'gateway' (got 'a'); an exposure is one way into the cluster; "
         "for two ways call expose twice")),
        ({"ingress_class": "a", "load_balancer": True}, ("'load_balancer' must be left out beside 'ingress_class' (got True); an exposure is one way into the "
         "cluster; for two ways call expose twice")),
        ({"hostname": HOST, **GATEWAY, "port": "htp"}, "'port' must be the name of a port of the workload, 'http', 'rtsp', 'webrtc' (got 'htp'); did you mean 'http'?"),
        ({"hostname": HOST, **GATEWAY, "port": "webrtc"},
         "'port' must be a TCP port for a host name (got 'webrtc'); a UDP port has no host name: leave 'hostname' out, and give a 'gateway'"),
        ({"port": "rtsp", **GATEWAY}, ("'section' must be the name of the Gateway's listener for a TCPRoute (got None); without it the route takes every TCP "
         "listener of the Gateway; a server of HTTP needs a 'hostname' instead")),
        ({"port": "rtsp", **GATEWAY, "section": "a", "timeout": "1h"}, "'timeout' must be left out for a TCPRoute (got '1h')"),
        ({"port": "webrtc", **GATEWAY, "section": "a", "path": "/a"}, "'path' must be left out for a UDPRoute (got '/a')"),
        ({"hostname": HOST, **GATEWAY, "tls_secret": "a"}, "'tls_secret' must be left out for a route of a Gateway (got 'a')"),
        ({"hostname": HOST, **GATEWAY, "timeout": "1.5h"}, "'timeout' must be a duration of whole numbers such as '1h', '1h30m' or '0s' (got '1.5h')"),
        ({"hostname": HOST, "ingress_class": "a", "timeout": "1h"}, ("'timeout' must be given only with 'gateway' or 'ingress_controller' (got '1h'); "
         "an Ingress has no field for it, and the annotation depends on the controller")),
        ({"hostname": HOST, "ingress_class": "a", "ingress_controller": "haproxy", "timeout": "0s"},
         "'timeout' must be at least 1s for an Ingress (got '0s'); its controllers have no value that turns the timeout off"),
        ({"hostname": HOST, "ingress_class": "a", "ingress_controller": "haproxi"}, "'ingress_controller' must be one of 'ingress-nginx', 'haproxy' (got 'haproxi'); did you mean 'haproxy'?"),
        ({"hostname": HOST, "ingress_class": "a", "section": "b"}, "'section' must be left out for an Ingress (got 'b')"),
        ({"hostname": HOST, "ingress_class": "a", "interceptor_namespace": "b"}, "'interceptor_namespace' must be left out for an Ingress (got 'b')"),
        ({"ingress_class": "a"}, "'hostname' must be given for an Ingress (got None); an Ingress without a host takes every host of its controller"),
        ({"hostname": HOST, "load_balancer": True}, f"'hostname' must be left out for a load balancer (got '{HOST}')"),
    ],
)  # fmt: skip
def test_a_way_that_contradicts_itself_is_refused(chart, given, expected):
    assert message(lambda: expose(server(chart), **given)) == expected


def test_a_workload_that_serves_nothing_is_refused(chart):
    job = GpuWorkload(chart, "job", nodes=NODES, image="app:1", kind="Job")
    silent = GpuWorkload(chart, "silent", nodes=NODES, image="app:1")

    assert (
        message(lambda: expose(job, HOST, **GATEWAY))
        == "'workload' must be a Deployment or a StatefulSet (got 'Job'); a Job serves no port"
    )
    assert (
        message(lambda: expose(silent, HOST, **GATEWAY))
        == "'workload' must be a workload with a 'port' (got None); without a port the workload has no Service"
    )
    assert message(lambda: expose("server", HOST, **GATEWAY), TypeError) == "'workload' must be a GpuWorkload or a Companion (got 'server')"
    assert (
        message(lambda: expose(server(chart), HOST, gatewy="a"), TypeError)
        == "'gatewy' must be an argument of expose (got gatewy='a'); did you mean 'gateway'?"
    )


def test_a_route_through_the_interceptor_needs_a_namespace_to_grant(chart):
    assert message(lambda: expose(server(chart), HOST, **GATEWAY, interceptor_namespace="keda")) == (
        "'workload' must be in a chart with a namespace, or with a 'namespace' (got None); a ReferenceGrant names the namespace of the route"
    )


def test_a_host_name_for_a_port_that_serves_tls_is_refused_until_tls_is_off(chart):
    frigate = Frigate(chart, "frigate", nodes=NODES, streams=True)

    assert message(lambda: expose(frigate, HOST, **GATEWAY, port="https")) == (
        f"'hostname' must be left out for the port 'https' of 'frigate' (got '{HOST}'); the server has a certificate of its own, which routes do not "
        "trust: write 'tls: {enabled: false}' into config.yml, and give port={'http': 8971}"
    )
    assert message(lambda: expose(frigate, HOST, ingress_class="a", port="rtsp")) == (
        f"'hostname' must be left out for the port 'rtsp' of 'frigate' (got '{HOST}'); the port serves video, not HTTP: "
        "give a 'section' or a load balancer"
    )
    assert route(chart, frigate, port="https", load_balancer=True)["spec"]["ports"][0]["port"] == 8971
    plain = Frigate(chart, "plain", nodes=NODES, port={"http": 8971})
    assert route(chart, plain, HOST, **GATEWAY)["spec"]["rules"][0]["backendRefs"] == [{"name": "plain", "port": 8971}]


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize("port", [None, 10300])
def test_a_host_name_for_a_protocol_other_than_http_is_refused(chart, port):
    whisper = WyomingWhisper(chart, "whisper", nodes=NODES, port=port)

    assert message(lambda: expose(whisper, HOST, **GATEWAY)).endswith(
        "the Wyoming protocol is not HTTP: give a 'gateway' and its 'section', or a load balancer"
    )
    assert route(chart, whisper, **GATEWAY, section="whisper")["kind"] == "TCPRoute"


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
def test_the_service_says_that_a_port_speaks_grpc_so_that_a_route_does_too(chart):
    triton = Triton(chart, "triton", nodes=NODES)
    expose(triton, HOST, **GATEWAY, port="grpc")

    ports = one(synth(chart), "Service", "triton")["spec"]["ports"]
    assert {port["name"]: port.get("appProtocol") for port in ports} == {"http": None, "grpc": "kubernetes.io/h2c", "metrics": None}
    assert message(lambda: expose(triton, HOST, ingress_class="a", port="grpc")) == (
        "'port' must be a port of HTTP/1 for an Ingress (got 'grpc'); the port speaks kubernetes.io/h2c: use a 'gateway'"
    )
