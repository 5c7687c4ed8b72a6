"""`isolate`: who reaches a workload, and what it reaches."""

import pytest

from conftest import message, synth
from constructs_lib import Companion, GpuNodes, GpuWorkload, TalosGpuWarning, isolate
from constructs_lib.recipes import Ollama, Whisper

NODES = GpuNodes(talos_version="1.14")
DNS = {
    "to": [
        {
            "namespaceSelector": {
                "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["kube-system"]}]
            },
            "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
        }
    ],
    "ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}],
}


def server(chart, name="server", **given):
    return GpuWorkload(chart, name, nodes=NODES, image="app:1", **{"port": {"http": 80, "media": "82/udp"}, **given})


def namespaces(*names):
    return {"namespaceSelector": {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(names)}]}}


def pods(name):
    return {"podSelector": {"matchLabels": {"app.kubernetes.io/name": name}}}


def spec(workload, **given):
    return isolate(workload, **given).resource.to_json()["spec"]


def test_without_arguments_the_pods_of_the_namespace_reach_the_ports_and_the_workload_reaches_dns_alone(chart):
    assert spec(server(chart)) == {
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "server"}},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [{"from": [{"podSelector": {}}], "ports": [{"port": 80, "protocol": "TCP"}, {"port": 82, "protocol": "UDP"}]}],
        "egress": [DNS],
    }


def test_the_policy_selects_the_pods_of_the_workload(chart):
    workload = server(chart)
    selected = spec(workload)["podSelector"]["matchLabels"]

    assert selected == workload.pod_selector
    assert selected.items() <= synth(chart)[0]["spec"]["template"]["metadata"]["labels"].items()


def test_chosen_namespaces_and_pods_reach_the_one_port(chart):
    front = Companion(chart, "front", image="front:1")
    elsewhere = Companion(chart, "bot", image="bot:1", namespace="bots")
    made = spec(
        server(chart, namespace="ai"), port="http", from_namespaces=["network", "monitoring"], from_pods=[front, elsewhere, {"app": "a"}]
    )

    assert made["ingress"] == [
        {
            "from": [
                pods("front"),
                {**namespaces("bots"), **pods("bot")},
                {"podSelector": {"matchLabels": {"app": "a"}}},
                namespaces("network", "monitoring"),
            ],
            "ports": [{"port": 80, "protocol": "TCP"}],
        }
    ]


def test_a_workload_reaches_what_is_given_on_the_ports_that_are_known(chart):
    made = spec(server(chart), egress=[server(chart, "other"), {"app": "a"}, "10.0.0.0/8", "10.1.0.0/16:443", "2001:db8::/32:80"])

    assert made["egress"] == [
        DNS,
        {"to": [pods("other")], "ports": [{"port": 80, "protocol": "TCP"}, {"port": 82, "protocol": "UDP"}]},
        {"to": [{"podSelector": {"matchLabels": {"app": "a"}}}]},
        {"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]},
        {"to": [{"ipBlock": {"cidr": "10.1.0.0/16"}}], "ports": [{"port": 443, "protocol": "TCP"}]},
        {"to": [{"ipBlock": {"cidr": "2001:db8::/32"}}], "ports": [{"port": 80, "protocol": "TCP"}]},
    ]


def test_the_internet_is_every_public_address_and_no_private_one(chart):
    (_, internet) = spec(server(chart), egress=["internet"])["egress"]

    assert internet["ports"] == [{"port": 443, "protocol": "TCP"}]
    assert internet["to"] == [
        {"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"]}},
        {"ipBlock": {"cidr": "::/0", "except": ["fc00::/7", "fe80::/10"]}},
    ]


def test_egress_true_limits_who_comes_in_alone(chart):
    made = spec(server(chart), egress=True)

    assert made["policyTypes"] == ["Ingress"]
    assert "egress" not in made


def test_nobody_reaches_the_pods_of_a_job(chart):
    made = spec(server(chart, kind="Job", port=None), egress=["internet"])

    assert made["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in made


MODELS = {Ollama: "llama3.2:3b", Whisper: "Systran/faster-whisper-large-v3"}
each_recipe = pytest.mark.parametrize("recipe", MODELS)


@each_recipe
def test_the_job_of_the_models_reaches_the_port_of_the_server_beside_the_chosen_peers(chart, recipe):
    made = recipe(chart, "server", nodes=NODES, models=[MODELS[recipe]], port={"metrics": 9090, "http": 80})
    (job,) = [each for each in synth(chart) if each["kind"] == "Job"]
    client = {"from": [pods("server-models")], "ports": [{"port": 80, "protocol": "TCP"}]}

    for given in ({"from_namespaces": ["chat"]}, {"from_pods": [{"app": "a"}]}, {"port": "metrics"}):
        assert spec(made, name=f"by-{'-'.join(given).replace('_', '-')}", egress=["internet"], **given)["ingress"][1:] == [client]
    assert job["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/name"] == "server-models"


@each_recipe
def test_without_models_no_job_is_let_in(chart, recipe):
    assert len(spec(recipe(chart, "server", nodes=NODES), from_namespaces=["chat"])["ingress"]) == 1


@each_recipe
def test_a_server_that_downloads_its_models_needs_egress(chart, recipe):
    made = recipe(chart, "server", nodes=NODES, models=[MODELS[recipe]])

    assert message(lambda: isolate(made)) == (
        "'egress' must be given where the server downloads its 'models' (got ()); server itself downloads its 'models'; give ['internet'], or "
        "the proxy or registry that has the 'models'"
    )


def test_egress_without_the_internet_is_warned_of_where_no_proxy_is_named(chart):
    def made(name, **given):
        return Ollama(chart, name, nodes=NODES, models=["a"], **given)

    with pytest.warns(TalosGpuWarning, match=r"^a: 'egress' has no way to the internet"):
        isolate(made("a"), egress=[{"app": "proxy"}])
    isolate(made("b", env={"HTTPS_PROXY": "http://proxy"}), egress=[{"app": "proxy"}])
    isolate(made("c"), egress=["10.0.0.0/8"])
    isolate(made("d"), egress=True)


TARGETS = "'internet', or a block of addresses such as '10.0.0.0/8' or '10.0.0.0/8:443'"


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"egress": ["huggingface.co"]}, ValueError,
         f"'egress[0]' must be {TARGETS} (got 'huggingface.co'); a NetworkPolicy knows no host names; 'internet' is every public address"),
        ({"egress": ["10.0.0.4"]}, ValueError, f"'egress[0]' must be {TARGETS} (got '10.0.0.4'); did you mean '10.0.0.4/32'?"),
        ({"egress": ["10.0.0.4/8"]}, ValueError, f"'egress[0]' must be {TARGETS} (got '10.0.0.4/8'); 10.0.0.4/8 has host bits set"),
        ({"egress": ["10.0.0.0/8:0"]}, ValueError, "'egress[0]' must be a whole number from 1 to 65535 (got 0)"),
        ({"egress": "internet"}, TypeError, ("'egress' must be True, or a list of workloads, labels of pods, 'internet' and blocks such as '10.0.0.0/8:443' "
         "(got 'internet'); did you mean ['internet']?")),
        ({"egress": False}, TypeError, "'egress' must be True, or a list of workloads, labels of pods, 'internet' and blocks such as '10.0.0.0/8:443' (got False)"),
        ({"egress": [4]}, TypeError, "'egress[0]' must be a workload, or the labels of pods (got 4)"),
        ({"from_pods": {"app": "a"}}, TypeError, "'from_pods' must be a list of workloads and of labels of pods (got {'app': 'a'}); put the value into a list"),
        ({"from_pods": [{}]}, ValueError, "'from_pods[0]' must be a workload, or at least one label (got {}); no label selects every pod of the namespace"),
        ({"from_namespaces": "ai"}, TypeError, "'from_namespaces' must be a list of strings (got 'ai'); did you mean ['ai']?"),
        ({"from_namespaces": ["A"]}, ValueError, ("'from_namespaces' must be the name of a namespace (lower-case letters, digits and '-', at most 63 characters) "
         "(got 'A'); did you mean 'a'?")),
        ({"port": "htp"}, ValueError, "'port' must be the name of a port of the workload, 'http', 'media' (got 'htp'); did you mean 'http'?"),
    ],
)  # fmt: skip
def test_a_peer_that_is_none_is_refused(chart, given, error, expected):
    assert message(lambda: isolate(server(chart), **given), error) == expected


def test_peers_of_a_workload_without_a_port_are_refused(chart):
    expected = "'from_namespaces' must be left out for a workload without a 'port' (got ('a',)); nobody can reach its pods"

    assert message(lambda: isolate(server(chart, port=None), from_namespaces=["a"])) == expected
