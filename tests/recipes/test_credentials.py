"""Credentials are references: a literal one is refused, wherever it stands, and no error repeats it."""

import pytest
from cdk8s import App, Chart

from conftest import message
from constructs_lib import ConfigMapKey, GpuNodes, GpuWorkload, OciImage, SecretKey
from constructs_lib.recipes import Frigate, LlamaCpp, Ollama, OpenWebUI, Sglang, TextEmbeddings, Vllm

NODES = GpuNodes(talos_version="1.13")
SECRET = "hf_leak"


@pytest.fixture
def place():
    return Chart(App(), "c", namespace="ai")


def vllm(place, **given):
    return Vllm(place, "vllm", nodes=NODES, model="a/b", **given)


def beside(*words, **variables):
    env = [{"name": name, "value": value} for name, value in variables.items()]
    return {"name": "beside", "image": "busybox:1.37.0", "env": env, "args": [*words]}


@pytest.mark.parametrize("name", ["token", "api_key"])
@pytest.mark.parametrize("value", [SECRET, SECRET.encode(), {"key": SECRET}])
def test_the_error_for_a_literal_argument_hides_it(place, name, value):
    assert message(lambda: vllm(place, **{name: value}), TypeError) == (
        f"'{name}' must be a SecretKey: the value is a credential (got '(a secret value)'); create a Secret, and give "
        "SecretKey('<name of the Secret>', '<key>')"
    )


@pytest.mark.parametrize(
    "given", [{"hf_token": SECRET}, {"apikey": SECRET}, {"password": 12345}, {"environment": {"HF_TOKEN": SECRET}}], ids=str
)
def test_the_error_for_an_unknown_argument_hides_a_credential(place, given):
    ((name, value),) = given.items()
    refused = message(lambda: vllm(place, **given), TypeError)

    assert refused.startswith(f"'{name}' must be an argument of Vllm (got {name}=")
    assert "'(a secret value)'" in refused
    assert SECRET not in refused
    assert str(value) not in refused


def test_the_error_for_an_unknown_argument_shows_other_values(place):
    assert "(got modle='a/b')" in message(lambda: vllm(place, modle="a/b"), TypeError)
    assert "(got hf_token=SecretKey(" in message(lambda: vllm(place, hf_token=SecretKey("hf", "token")), TypeError)


@pytest.mark.parametrize("env", [[{"name": "HF_TOKEN", "value": SECRET}], [f"HF_TOKEN={SECRET}"], f"HF_TOKEN={SECRET}"], ids=str)
def test_the_error_for_variables_in_another_form_hides_a_credential(place, env):
    refused = message(lambda: vllm(place, env=env), TypeError)

    assert refused.startswith("'env' must be a mapping of names to values (got ")
    assert "(a secret value)" in refused
    assert SECRET not in refused


def test_the_error_for_variables_in_another_form_shows_other_values(place):
    assert "(got ['A=1'])" in message(lambda: vllm(place, env=["A=1"]), TypeError)


@pytest.mark.parametrize("value", [SECRET.encode(), 12345])
def test_the_error_for_a_variable_that_is_no_text_hides_a_credential(place, value):
    assert message(lambda: vllm(place, env={"API_TOKEN": value}), TypeError) == (
        "'env[API_TOKEN]' must be a string, a SecretKey or a ConfigMapKey (got '(a secret value)')"
    )


@pytest.mark.parametrize("value", ["hf_ab$c", "$(unclosed", "$HF", "x$(HF)", "$(HF)x", "${HF}x", "${HF:=hf_leak}"])
def test_a_literal_with_a_dollar_is_no_reference(place, value):
    said = message(lambda: Ollama(place, "ollama", nodes=NODES, env={"HF_TOKEN": value}))

    assert said.startswith("'env[HF_TOKEN]' must be a SecretKey: ")
    assert value not in said


@pytest.mark.parametrize("value", ["$(HF)", "$(hf.token-1)", "${HF}", ""])
def test_a_whole_reference_is_no_literal(place, value):
    assert Ollama(place, "ollama", nodes=NODES, env={"HF_TOKEN": value}).env["HF_TOKEN"] == value


@pytest.mark.parametrize(
    "name", ["PGPASSWORD", "FRIGATE_MQTT_PASS", "OPENAI_API_KEYS", "SONARR__APIKEY", "db_password", "LITELLM_MASTER_KEY", "PLEX_CLAIM"]
)
def test_a_variable_with_the_name_of_a_credential_is_one(place, name):
    assert message(lambda: Frigate(place, "frigate", nodes=NODES, env={name: SECRET})).startswith(f"'env[{name}]' must be a SecretKey: ")


@pytest.mark.parametrize(
    "name", ["MAX_TOKENS", "COMPASS", "BYPASS", "AWS_ACCESS_KEY_ID", "WEBUI_SECRET_KEY_FILE", "TOKENIZERS_PARALLELISM"]
)
def test_a_name_that_only_resembles_that_of_a_credential_is_none(place, name):
    assert Ollama(place, "ollama", nodes=NODES, env={name: "1"}).env[name] == "1"


@pytest.mark.parametrize(
    "args",
    [
        ["--api-key", "$(unclosed hf_leak"], ["--api_key", SECRET], [f"--api_key={SECRET}"], ["--api-k", SECRET], ["--hf-tok", SECRET],
        ["-hft", SECRET], [f"--IdentityProvider.token={SECRET}"], ["--mqtt.password", SECRET],
    ],
    ids=str,
)  # fmt: skip
def test_a_flag_with_a_literal_credential_is_refused_in_every_spelling(place, args):
    said = message(lambda: Ollama(place, "ollama", nodes=NODES, args=args))

    assert said.startswith("'args' must be without a credential (got ")
    assert SECRET not in said


def test_other_flags_are_no_credentials(place):
    args = ["--max-tokens", "5", "--api", "on", "--password-file=/run/password", "--token=${TOKEN}", "--tokenizer-mode", "auto"]

    assert Ollama(place, "ollama", nodes=NODES, args=args).args[-len(args) :] == tuple(args)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"pod_spec": {"containers": [beside(HF_TOKEN=SECRET)]}}, "pod_spec[containers.0.env.0.value]"),
        ({"pod_spec": {"containers": [{"name": "ollama", "env": beside(A="1", HF_TOKEN=SECRET)["env"]}]}}, "pod_spec[containers.0.env.1.value]"),
        ({"pod_spec": {"initContainers": [beside(HF_TOKEN=SECRET)]}}, "pod_spec[initContainers.0.env.0.value]"),
        ({"pod_spec": {"containers": [beside("--token", SECRET)]}}, "pod_spec[containers.0.args]"),
        ({"init_containers": [beside(HF_TOKEN=SECRET)]}, "init_containers[0.env.0.value]"),
    ],
    ids=str,
)  # fmt: skip
def test_a_literal_credential_of_a_container_beside_is_refused(place, given, path):
    said = message(lambda: Ollama(place, "ollama", nodes=NODES, **given))

    assert said.startswith(f"'{path}' must be ")
    assert SECRET not in said


def test_a_container_beside_may_have_other_variables_and_references(place):
    reference = {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}
    container = {**beside("--token", "$(HF_TOKEN)"), "env": [reference, {"name": "SEED", "value": "1"}]}

    assert Ollama(place, "ollama", nodes=NODES, pod_spec={"containers": [container]})


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "OPENAI_API_KEYS", "WEBUI_SECRET_KEY"])
def test_the_web_front_takes_no_literal_credential(place, name):
    server = GpuWorkload(place, "server", nodes=NODES, image="a:1", port=8000)

    assert message(lambda: OpenWebUI(place, "chat", openai=server, env={name: SECRET})) == (
        f"'env[{name}]' must be a SecretKey: the value is a credential (got '(a secret value)'); give SecretKey('<name of the Secret>', '{name}')"
    )


@pytest.mark.parametrize("name", ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"])
@pytest.mark.parametrize("value", [SecretKey("hf", "t"), ConfigMapKey("hf", "t"), SECRET, "$(HF)", ""], ids=repr)
def test_the_token_of_a_recipe_whose_job_downloads_is_its_argument(place, name, value):
    said = message(lambda: vllm(place, env={name: value}))

    assert said.startswith(f"'env' must be without {name} (got ")
    assert said.endswith("); give 'token': the Job that downloads the model needs the token, and the server does not")
    assert SECRET not in said


@pytest.mark.parametrize(("recipe", "given"), [(Sglang, {}), (TextEmbeddings, {}), (LlamaCpp, {"file": "a.gguf"})])
def test_every_recipe_whose_job_downloads_refuses_the_token_in_the_server(place, recipe, given):
    env = {"HF_TOKEN": SecretKey("hf", "t")}

    assert "give 'token'" in message(lambda: recipe(place, "server", nodes=NODES, model="a/b", env=env, **given))


def test_a_server_whose_model_is_an_image_may_have_a_token(place):
    token = SecretKey("hf", "t")
    nodes = GpuNodes(talos_version="1.14")

    assert (
        Vllm(place, "v", nodes=nodes, model="a/b", env={"HF_TOKEN": token}, volumes={"/models": OciImage("a/b:1")}).env["HF_TOKEN"] == token
    )
