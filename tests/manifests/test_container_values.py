import pytest

from conftest import message, one, synth
from constructs_lib import ConfigMapKey, ExecProbe, GpuWorkload, HttpProbe, SecretKey, TcpProbe
from constructs_lib.manifests.workload.container_values import Probe

V, T = ValueError, TypeError
NAME = "a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)"
KEY = "a key of letters, digits, '-', '_' and '.'"
COUNT = "a whole number of at least 1"
TIMING = {"periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3}
PROBES = {HttpProbe: ("/health",), TcpProbe: (), ExecProbe: (["true"],)}
REFERENCES = {SecretKey: ("secretKeyRef", "secret"), ConfigMapKey: ("configMapKeyRef", "config_map")}
each_probe = pytest.mark.parametrize("kind", PROBES, ids=lambda kind: kind.__name__)
each_reference = pytest.mark.parametrize("kind", REFERENCES, ids=lambda kind: kind.__name__)


@each_reference
@pytest.mark.parametrize(("given", "optional"), [({}, {}), ({"optional": False}, {}), ({"optional": True}, {"optional": True})])
def test_a_reference_names_the_object_and_its_key(kind, given, optional):
    assert kind("settings", "model", **given).reference == {REFERENCES[kind][0]: {"name": "settings", "key": "model", **optional}}


@each_reference
def test_what_a_reference_refuses(kind):
    argument = REFERENCES[kind][1]

    assert message(lambda: kind("My Settings", "a")) == f"'{argument}' must be {NAME} (got 'My Settings')"
    assert message(lambda: kind(1, "a"), T) == f"'{argument}' must be {NAME} (got 1)"
    for key in ("", " ", "a b", "a/b", "a\n", "a" * 254):
        assert message(lambda key=key: kind("a", key)) == f"'key' must be {KEY} (got {key!r})"
    assert message(lambda: kind("a", 1), T) == f"'key' must be {KEY} (got 1)"
    assert message(lambda: kind("a"), T) == f"'key' must be given to {kind.__name__} (got nothing)"
    assert message(kind, T) == f"'{argument}' must be given to {kind.__name__} (got nothing)"
    assert message(lambda: kind("a", "b", optional="no"), T) == "'optional' must be True or False (got 'no'); did you mean False?"
    assert message(lambda: kind("a", "b", option=True), T) == (
        f"'option' must be an argument of {kind.__name__} (got option=True); did you mean 'optional'?"
    )


@each_reference
@pytest.mark.parametrize("key", ["tls.crt", "_A-b.C9", "a" * 253])
def test_what_may_be_a_key(kind, key):
    assert kind("a", key).reference[REFERENCES[kind][0]]["key"] == key


@pytest.mark.parametrize(
    ("probe", "expected"),
    [
        (HttpProbe("/health"), {"httpGet": {"path": "/health", "port": "http"}}),
        (HttpProbe("/health", 9000), {"httpGet": {"path": "/health", "port": 9000}}),
        (TcpProbe(), {"tcpSocket": {"port": "http"}}),
        (TcpProbe(9000), {"tcpSocket": {"port": 9000}}),
        (ExecProbe(("test", "-e", "/ready")), {"exec": {"command": ["test", "-e", "/ready"]}}),
    ],
    ids=repr,
)
def test_a_probe_asks_its_own_port_or_else_the_workloads(probe, expected):
    assert probe.probe("http") == {**expected, **TIMING}


@each_probe
def test_a_probe_takes_its_own_timing(kind):
    probe = kind(*PROBES[kind], period=1, timeout=2, failure_threshold=60).probe("http")

    assert (probe["periodSeconds"], probe["timeoutSeconds"], probe["failureThreshold"]) == (1, 2, 60)


@each_probe
def test_probes_leave_a_busy_gpu_more_than_kubernetes_own_second(kind):
    probe = kind(*PROBES[kind])

    assert {key: probe.probe("http")[key] for key in TIMING} == TIMING
    assert probe == kind(*PROBES[kind])
    with pytest.raises(AttributeError):
        probe.period = 1


def test_a_class_of_the_users_own_is_a_probe_too(chart, cdi):
    class GrpcProbe(Probe):
        def probe(self, port):
            return {"grpc": {"port": 9000, "service": port}, **self.timing}

    GpuWorkload(chart, "app", nodes=cdi, image="app:1", port=9000, liveness_probe=GrpcProbe(period=5))
    (container,) = one(synth(chart), "Deployment")["spec"]["template"]["spec"]["containers"]
    assert container["livenessProbe"] == {"grpc": {"port": 9000, "service": "http"}, **TIMING, "periodSeconds": 5}


@each_probe
def test_each_probe_is_a_probe(kind):
    assert isinstance(kind(*PROBES[kind]), Probe)


def test_a_command_asks_no_port():
    assert "exec" in ExecProbe(["true"]).probe(None)


@pytest.mark.parametrize("probe", [HttpProbe("/"), TcpProbe()], ids=repr)
def test_a_probe_without_any_port_is_refused(probe):
    assert message(lambda: probe.probe(None)) == (
        "'port' must be given to the probe or to the workload (got None); a probe without a port uses the workload's port"
    )


@each_probe
@pytest.mark.parametrize("argument", ["period", "timeout", "failure_threshold"])
@pytest.mark.parametrize(("got", "error"), [(0, V), (-1, V), (0.5, V), (True, T), ("3", T), (None, T)])
def test_timing_is_in_whole_numbers(kind, argument, got, error):
    then = "; did you mean 3?" if got == "3" else ""
    assert message(lambda: kind(*PROBES[kind], **{argument: got}), error) == f"'{argument}' must be {COUNT} (got {got!r}){then}"


@pytest.mark.parametrize("make", [lambda port: HttpProbe("/", port), TcpProbe], ids=["HttpProbe", "TcpProbe"])
@pytest.mark.parametrize(("got", "error"), [(0, V), (65536, V), (80.0, V), (True, T), ("http", T)])
def test_a_probes_port_is_a_port(make, got, error):
    then = "; did you mean 80?" if got == 80.0 else ""
    assert message(lambda: make(got), error) == f"'port' must be a whole number from 1 to 65535 (got {got!r}){then}"


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda: HttpProbe("health"), V, "'path' must be a path that starts with '/' (got 'health')"),
        (lambda: HttpProbe(""), V, "'path' must be a string that is not empty (got '')"),
        (lambda: HttpProbe(80), T, "'path' must be a string that is not empty (got 80)"),
        (lambda: HttpProbe("/", periods=3), T, "'periods' must be an argument of HttpProbe (got periods=3); did you mean 'period'?"),
        (lambda: HttpProbe("/", 80, 5), T, "'period' must be given by its name (got 5); such as HttpProbe(…, period=…)"),
        (lambda: TcpProbe(prt=1), T, "'prt' must be an argument of TcpProbe (got prt=1); did you mean 'port'?"),
        (HttpProbe, T, "'path' must be given to HttpProbe (got nothing)"),
        (ExecProbe, T, "'command' must be given to ExecProbe (got nothing)"),
        (lambda: ExecProbe([]), V, "'command' must be a command with at least one word (got [])"),
        (lambda: ExecProbe(()), V, "'command' must be a command with at least one word (got [])"),
        (lambda: ExecProbe("true"), T, "'command' must be a list of strings (got 'true'); did you mean ['true']?"),
        (lambda: ExecProbe(["sleep", 1]), T, "'command' must be a list of strings (got ['sleep', 1]); item 1 is not a string"),
        (lambda: ExecProbe(["true"], port=1), T,
         "'port' must be an argument of ExecProbe (got port=1); the arguments of ExecProbe are 'command', 'period', 'timeout', 'failure_threshold'"),
    ],
)  # fmt: skip
def test_what_a_probe_refuses(call, error, expected):
    assert message(call, error) == expected
