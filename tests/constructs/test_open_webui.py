"""`OpenWebUI`: the addresses of its servers, its data, and no GPU."""

import pytest
from cdk8s import App, Chart

from conftest import env_of, message, one, synth
from constructs_lib import Empty, ExistingClaim, GpuNodes, GpuWorkload, HttpProbe, SecretKey, check, expose
from constructs_lib.recipes import LlamaCpp, OpenWebUI, Vllm

NODES = GpuNodes(talos_version="1.14")


def server(scope, name="ollama", **given):
    return GpuWorkload(scope, name, nodes=NODES, image="ollama/ollama:0.32.15", **{"port": 11434, **given})


def container(made):
    return made.resource.to_json()["spec"]["template"]["spec"]["containers"][0]


def test_the_front_knows_its_server_and_keeps_its_data_and_its_key(chart):
    made = OpenWebUI(chart, "chat", ollama=server(chart))

    assert env_of(container(made)) == {
        "ENABLE_OLLAMA_API": "True",
        "ENABLE_OPENAI_API": "False",
        "OLLAMA_BASE_URL": "http://ollama:11434",
        "WEBUI_SECRET_KEY_FILE": "/app/backend/data/.webui_secret_key",
        "NVIDIA_VISIBLE_DEVICES": "void",
    }
    assert container(made)["volumeMounts"] == [{"name": "app-backend-data", "mountPath": "/app/backend/data"}]
    assert made.claims["/app/backend/data"].to_json()["spec"]["resources"]["requests"] == {"storage": "10Gi"}
    assert made.service.to_json()["spec"]["ports"] == [{"name": "http", "port": 8080, "targetPort": "http"}]
    assert {container(made)[probe]["httpGet"]["path"] for probe in ("startupProbe", "readinessProbe")} == {"/health"}


@pytest.mark.parametrize("port", [3000, {"metrics": 9090, "http": 3000}, {"udp": "9090/udp", "web": 3000}])
def test_the_front_listens_on_the_given_port_and_the_probes_ask_there(chart, port):
    made = container(OpenWebUI(chart, "chat", ollama=server(chart), port=port))
    numbers = {each["name"]: each["containerPort"] for each in made["ports"]}

    assert env_of(made)["PORT"] == "3000"
    assert {numbers[made[probe]["httpGet"]["port"]] for probe in ("startupProbe", "readinessProbe")} == {3000}


def test_servers_with_openais_api_have_its_path(chart):
    made = OpenWebUI(chart, "chat", openai=server(chart, "vllm", port=8000), env={"OPENAI_API_KEY": SecretKey("vllm", "key")})

    variables = env_of(container(made))
    assert variables["OPENAI_API_BASE_URL"] == "http://vllm:8000/v1"
    assert variables["OPENAI_API_KEY"] == {"secretKeyRef": {"name": "vllm", "key": "key"}}
    assert (variables["ENABLE_OLLAMA_API"], variables["ENABLE_OPENAI_API"]) == ("False", "True")


KEY = SecretKey("vllm", "key")


def guarded(scope, name="vllm", **given):
    return Vllm(scope, name, nodes=NODES, model="a/b", **{"api_key": KEY, **given})


def test_the_key_of_the_server_is_passed(chart):
    llama = LlamaCpp(chart, "llama", nodes=NODES, model="a/b", file="a.gguf", api_key=KEY)

    for made in (OpenWebUI(chart, "a", openai=guarded(chart)), OpenWebUI(chart, "b", openai=llama)):
        assert env_of(container(made))["OPENAI_API_KEY"] == {"secretKeyRef": {"name": "vllm", "key": "key"}}
    assert "OPENAI_API_KEY" not in env_of(container(OpenWebUI(chart, "c", openai=guarded(chart, "open", api_key=None))))


def test_a_key_that_the_user_gives_wins_over_that_of_the_server(chart):
    own = SecretKey("own", "key")

    assert OpenWebUI(chart, "chat", openai=guarded(chart), env={"OPENAI_API_KEY": own}).env["OPENAI_API_KEY"] == own


def test_a_key_in_another_namespace_is_refused_with_what_to_give():
    app = App()
    models, web = Chart(app, "models", namespace="models"), Chart(app, "web", namespace="web")
    vllm, own = guarded(models), SecretKey("own", "key")

    assert message(lambda: OpenWebUI(web, "chat", openai=vllm)) == (
        "'env' must be given with OPENAI_API_KEY (got nothing); 'vllm' asks for a key, whose Secret is in the namespace 'models': give a SecretKey "
        "of this namespace"
    )
    assert OpenWebUI(web, "chat", openai=vllm, env={"OPENAI_API_KEY": own}).env["OPENAI_API_KEY"] == own


def test_the_keys_of_several_servers_are_one_secret(chart):
    servers, own = [server(chart, "open", port=8000), guarded(chart)], SecretKey("own", "keys")

    assert message(lambda: OpenWebUI(chart, "chat", openai=servers)) == (
        "'env' must be given with OPENAI_API_KEYS (got nothing); 'vllm' asks for a key: give a Secret with the key of each server in their order, "
        "separated by ';'"
    )
    assert OpenWebUI(chart, "chat", openai=servers, env={"OPENAI_API_KEYS": own}).env["OPENAI_API_KEYS"] == own


def test_several_servers_are_a_list(chart):
    made = OpenWebUI(chart, "chat", ollama=[server(chart, "a"), server(chart, "b", service={"ports": [{"name": "http", "port": 80}]})])

    assert env_of(container(made))["OLLAMA_BASE_URLS"] == "http://a:11434;http://b:80"


def test_a_server_of_another_namespace_is_named_with_it():
    app = App()
    models, web = Chart(app, "models", namespace="models"), Chart(app, "web", namespace="web")
    servers = [server(models, "a"), server(models, "b", namespace="web"), server(web, "c")]

    assert (
        env_of(container(OpenWebUI(web, "chat", ollama=servers)))["OLLAMA_BASE_URLS"]
        == "http://a.models:11434;http://b:11434;http://c:11434"
    )


@pytest.mark.parametrize(
    ("given", "claims"),
    [
        ({"storage": None}, 0),
        ({"storage": "50Gi"}, 1),
        ({"volumes": {"/app/backend/data": ExistingClaim("chat")}}, 0),
        ({"volumes": {"/tmp": Empty()}}, 1),
    ],
)
def test_the_data_is_where_the_user_wants_it(chart, given, claims):
    assert len(OpenWebUI(chart, "chat", ollama=server(chart), **given).claims) == claims


def test_what_is_given_wins(chart):
    probe = HttpProbe("/ready")
    made = OpenWebUI(
        chart, "chat", ollama=server(chart), image="own:1", port=80, readiness_probe=probe, env={"OLLAMA_BASE_URL": "http://x"}
    )

    assert (made.image, dict(made.port), made.readiness_probe) == ("own:1", {"http": 80}, probe)
    assert env_of(container(made))["OLLAMA_BASE_URL"] == "http://x"


def test_the_front_is_exposed_and_the_checks_find_nothing(chart):
    front = OpenWebUI(chart, "chat", ollama=server(chart), nodes=NODES)
    expose(front, "chat.example.com", gateway="internal")

    web = [made for made in synth(chart) if made["metadata"]["name"].startswith("chat")]
    assert one(web, "HTTPRoute")["spec"]["rules"][0]["backendRefs"] == [{"name": "chat", "port": 8080}]
    assert check(web, nodes=NODES) == []


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({}, ValueError, "'ollama' must be given, or else 'openai' (got nothing); the web front needs a server of models"),
        ({"ollama": "http://ollama:11434"}, TypeError, "'ollama' must be a GpuWorkload or a Companion, or a list of them (got 'http://ollama:11434')"),
        ({"ollama": [4]}, TypeError, "'ollama[0]' must be a GpuWorkload or a Companion (got 4)"),
        ({"openai": "silent"}, ValueError, "'workload' must be a workload with a 'port' (got None); without a port the workload has no Service"),
        ({"ollama": "udp"}, ValueError, "'port' must be a TCP port (got '53/udp'); the server of 'ollama' speaks HTTP, and the port 'udp' is for UDP alone"),
        ({"ollama": "fine", "replicas": 2}, ValueError, ("'replicas' must be 1 for a Deployment whose claim only one node can mount (got 2); the claim at "
         "/app/backend/data is ReadWriteOnce: use kind='StatefulSet', or access_mode='ReadWriteMany'")),
        ({"ollama": "fine", "storage": "10"}, ValueError, "'storage' must be at least 1Mi, such as '16Gi' (got '10'); did you mean '10Gi'?"),
    ],
)  # fmt: skip
def test_a_front_without_a_server_that_answers_is_refused(chart, given, error, expected):
    servers = {"silent": {"port": None}, "udp": {"port": {"udp": "53/udp"}}, "fine": {}}
    given = {
        name: server(chart, value, **servers[value]) if isinstance(value, str) and value in servers else value
        for name, value in given.items()
    }

    assert message(lambda: OpenWebUI(chart, "chat", **given), error) == expected


def test_the_address_of_a_headless_server_has_the_port_of_its_pods(chart):
    headless = server(chart, kind="StatefulSet", service={"ports": [{"name": "http", "port": 80}]})
    front = OpenWebUI(chart, "front", ollama=headless)

    assert front.env["OLLAMA_BASE_URL"] == "http://ollama:11434"
