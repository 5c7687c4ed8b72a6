"""The ports of a workload: of TCP and of UDP, in the container, in the Service and in the probes."""

import pytest

from conftest import message, one, synth
from constructs_lib import ExecProbe, GpuNodes, GpuWorkload, HttpProbe, TcpProbe

V, T = ValueError, TypeError
NUMBER = "a whole number from 1 to 65535"
RULE = f"{NUMBER}, or a string such as '8555/udp'"


def workload(chart, **given):
    return GpuWorkload(chart, "rtc", nodes=GpuNodes(talos_version="1.14"), image="rtc:1", **given)


def ports(chart, **given):
    """The ports of the container and those of the Service."""
    workload(chart, **given)
    pod = one(synth(chart), "Deployment")["spec"]["template"]["spec"]
    return pod["containers"][0]["ports"], one(synth(chart), "Service")["spec"]["ports"]


def test_a_udp_port_has_its_protocol_in_the_container_and_in_the_service_and_a_tcp_port_has_none(chart):
    container, service = ports(chart, port={"http": 80, "rtp": "8555/udp"})

    assert container == [{"name": "http", "containerPort": 80}, {"name": "rtp", "containerPort": 8555, "protocol": "UDP"}]
    assert service == [
        {"name": "http", "port": 80, "targetPort": "http"},
        {"name": "rtp", "port": 8555, "targetPort": "rtp", "protocol": "UDP"},
    ]


def test_one_number_may_be_a_port_of_both_protocols(chart):
    container, service = ports(chart, port={"rtp-udp": "8555/udp", "rtp-tcp": "8555/tcp"})

    assert [(port["containerPort"], port.get("protocol")) for port in container] == [(8555, "UDP"), (8555, None)]
    assert [(port["port"], port.get("protocol")) for port in service] == [(8555, "UDP"), (8555, None)]


def test_a_pod_spec_merges_into_the_port_of_its_protocol_alone(chart):
    udp = {"containers": [{"name": "rtc", "ports": [{"containerPort": 8555, "protocol": "UDP", "hostPort": 8555}]}]}
    container, _ = ports(chart, port={"tcp": 8555, "udp": "8555/udp"}, pod_spec=udp)

    assert container == [
        {"name": "tcp", "containerPort": 8555},
        {"name": "udp", "containerPort": 8555, "protocol": "UDP", "hostPort": 8555},
    ]


@pytest.mark.parametrize(
    ("given", "attribute"),
    [
        (80, {"http": 80}),
        ("80/tcp", {"http": 80}),
        ("80/TCP", {"http": 80}),
        ({"a": "80/tcp", "b": "80/UDP"}, {"a": 80, "b": "80/udp"}),
    ],
)
def test_the_attribute_has_a_number_for_tcp_and_a_string_for_udp(chart, given, attribute):
    assert dict(workload(chart, port=given).port) == attribute


@pytest.mark.parametrize("probe", [HttpProbe("/health"), TcpProbe()])
def test_a_probe_without_a_port_uses_the_first_tcp_port(chart, probe):
    workload(chart, port={"rtp": "8555/udp", "api": 1984, "web": 80}, readiness_probe=probe)

    container = one(synth(chart), "Deployment")["spec"]["template"]["spec"]["containers"][0]
    assert next(value["port"] for value in container["readinessProbe"].values() if isinstance(value, dict)) == "api"


@pytest.mark.parametrize("argument", ["startup_probe", "liveness_probe", "readiness_probe"])
def test_a_probe_of_a_udp_port_is_refused(chart, argument):
    both = {"tcp": 8555, "udp": "8555/udp"}
    workload(chart, port=both, **{argument: TcpProbe(8555)})

    for probe in (HttpProbe("/", 8555), TcpProbe(8555)):
        assert message(lambda probe=probe: workload(chart, port={"http": 80, "rtp": "8555/udp"}, **{argument: probe})) == (
            f"'{argument}' must be of a TCP port (got 8555); 'port' has this port for UDP alone, and Kubernetes has no UDP probe"
        )
        assert message(lambda: workload(chart, port={"rtp": "8555/udp"}, **{argument: TcpProbe()})) == (
            f"'{argument}' must be of a TCP port (got None); 'port' has its ports for UDP alone, and Kubernetes has no UDP probe"
        )


def test_a_probe_of_another_port_or_of_none_is_no_probe_of_udp(chart):
    probes = {"startup_probe": TcpProbe(80), "liveness_probe": HttpProbe("/", 81), "readiness_probe": ExecProbe(["true"])}

    workload(chart, port={"rtp": "8555/udp"}, **probes)


@pytest.mark.parametrize(
    ("port", "error", "expected"),
    [
        (
            "8555/udp",
            V,
            "'port' must be a mapping of names to ports where a port is for UDP (got '8555/udp'); did you mean {'udp': '8555/udp'}?",
        ),
        ({"a": "8555/sctp"}, V, "'port[a]' must be a port of 'tcp' or 'udp' (got '8555/sctp')"),
        ({"a": "8555/"}, V, "'port[a]' must be a port of 'tcp' or 'udp' (got '8555/')"),
        ({"a": "70000/udp"}, V, f"'port[a]' must be {NUMBER} (got 70000)"),
        ({"a": "0/udp"}, V, f"'port[a]' must be {NUMBER} (got 0)"),
        ({"a": "udp/8555"}, T, f"'port[a]' must be {RULE} (got 'udp/8555')"),
        ({"a": "8555\n/udp"}, T, f"'port[a]' must be {RULE} (got '8555\\n/udp')"),
        ({"a": "8555"}, T, f"'port[a]' must be {RULE} (got '8555'); did you mean 8555?"),
        ({"a": "8555/udp", "b": "8555/UDP"}, V, "'port' must be at least one port, each once (got {'a': '8555/udp', 'b': '8555/UDP'})"),
        ({"a": "8555/tcp", "b": 8555}, V, "'port' must be at least one port, each once (got {'a': '8555/tcp', 'b': 8555})"),
    ],
)
def test_what_a_port_refuses(chart, port, error, expected):
    assert message(lambda: workload(chart, port=port), error) == expected
    assert synth(chart) == []
