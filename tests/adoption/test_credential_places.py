"""The credentials in plain data, and the tree that holds them."""

import pytest

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import differences
from constructs_lib.arguments.credentials.places import credential_path
from constructs_lib.observed.read.repository import read

PW = "hunter2secret"
OPERATOR = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {{name: nvidia, namespace: flux-system}}
spec: {{interval: 1h, url: "{url}"}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: gpu-operator, namespace: gpu-operator}}
spec:
  interval: 30m
  chart: {{spec: {{chart: gpu-operator, version: v26.7.0, sourceRef: {{kind: HelmRepository, name: nvidia, namespace: flux-system}}}}}}
  {values}
"""
URL = "https://helm.ngc.nvidia.com/nvidia"
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: llm, namespace: ai}}
spec:
  selector: {{matchLabels: {{app: llm}}}}
  template:
    metadata: {{labels: {{app: llm}}}}
    spec:
      containers:
        - name: llm
          image: example/llm:1.0
          {field}
          envFrom: [{{configMapRef: {{name: llm}}}}]
          resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n"

VARIABLES = [
    "MYSQL_PWD", "REDIS_AUTH", "pass_word", "JWT_SIGNING_KEY", "TUNNEL_CREDENTIALS", "DB_PASSWD1", "DB_PASSWORD_2", "OPENAI_KEY", "redis_auth",
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"env": [{"name": "HF_TOKEN", "value": PW}]}, ("env", 0, "value")),
        ({"env": [{"name": "AWS_ACCESS_KEY_ID", "value": "AKIA2E0A8F3B244C9986"}]}, ("env", 0, "value")),
        ({"args": [f"--api-key={PW}"]}, ("args", 0)),
        ({"args": ["--api-key", PW]}, ("args", 1)),
        ({"args": [f"vllm serve m --api-key {PW}"]}, ("args", 0)),
        ({"command": ["sh", "-c", f"HF_TOKEN={PW} run"]}, ("command", 2)),
        ({"data": {"HF_TOKEN": PW}}, ("data", "HF_TOKEN")),
        ({"data": {"app.yaml": f"a: 1\npassword: {PW}\n"}}, ("data", "app.yaml")),
        ({"data": {"values.yaml": f"env:\n- name: HF_TOKEN\n  value: {PW}\n"}}, ("data", "values.yaml")),
        ({"data": {"run.sh": f"#!/bin/sh\nset -e: x\nexport HF_TOKEN={PW}\n"}}, ("data", "run.sh")),
        ({"data": {"HF_TOKEN": f"${{TOKEN:-{PW}}}"}}, ("data", "HF_TOKEN")),
        ({"operator": {"ngcApiKey": PW}}, ("operator", "ngcApiKey")),
        ({"adminPassword": 12345}, ("adminPassword",)),
        ({"url": f"https://u:{PW}@host/x"}, ("url",)),
        ({"url": f"https://{PW}@host/x"}, ("url",)),
        ({"url": f"postgres://u:{PW}@host/x"}, ("url",)),
        ({"url": f"https://u:{PW}@${{HOST}}"}, ("url",)),
        ({"note": "nvapi-0123456789abcdef"}, ("note",)),
        ({"data": {"nvidia.ini": f"password = {PW} # production"}}, ("data", "nvidia.ini")),
        ({"data": {"app.ini": '[db]\npassword = "two words"\n'}}, ("data", "app.ini")),
        ({"data": {"app.ini": "[db]\npassphrase=my secret words\n"}}, ("data", "app.ini")),
        ({"data": {"app.tpl": f"{{{{ if .x }}}}\npassword: {PW}  # c\n"}}, ("data", "app.tpl")),
        ({"data": {"app.jsonc": f'{{\n  "token": "{PW}",  // c\n  "a": 1\n}}\n'}}, ("data", "app.jsonc")),
        ({"data": {"app.xml": f"<Config>\n  <ApiKey>{PW}</ApiKey>\n</Config>\n"}}, ("data", "app.xml")),
        ({"data": {"app.xml": f'<Config>\n  <Db user="a" password="{PW}"/>\n</Config>\n'}}, ("data", "app.xml")),
        ({"data": {"main.py": f"password: str = '{PW}'\n"}}, ("data", "main.py")),
        ({"env": [{"name": "CONNECTION", "value": f"Server=db;User Id=sa;Password={PW};Encrypt=true"}]}, ("env", 0, "value")),
        ({"env": [{"name": "DSN", "value": f"host=db user=llm password={PW}"}]}, ("env", 0, "value")),
        ({"env": [{"name": "DATABASE_URL", "value": "postgres://u:pa/ss@db/x"}]}, ("env", 0, "value")),
        ({"env": [{"name": "ENDPOINT", "value": f"https://host/x?api_key={PW}"}]}, ("env", 0, "value")),
        *(({"env": [{"name": name, "value": "hunter"}]}, ("env", 0, "value")) for name in VARIABLES),
        *(({"data": {name: "hunter"}}, ("data", name)) for name in VARIABLES),
        ({"env": [{"name": "DISCORD_WEBHOOK", "value": "https://discord.com/api/webhooks/1/a"}]}, ("env", 0, "value")),
        ({"extra": [{"kind": "secret", "data": {"a": "b"}}]}, ("extra", 0)),
        ({"extra": [{"kind": "Thing", "stringData": {"a": "b"}}]}, ("extra", 0)),
    ],
)
def test_a_literal_credential_is_found_at_its_path(value, path):
    assert credential_path(value) == path


@pytest.mark.parametrize(
    "value",
    [
        {"env": [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "HF_TOKEN"}}}]},
        {"env": [{"name": "HF_TOKEN", "value": "${HF_TOKEN}"}, {"name": "MAX_TOKENS", "value": "4096"}]},
        {"env": [{"name": "TOKENIZER", "value": "Qwen3-30B-A3B-Instruct"}, {"name": "KEYBOARD", "value": "de"}]},
        {"env": [{"name": "GOOGLE_APPLICATION_CREDENTIALS", "value": "/run/keys/google-account-2026.json"}]},
        {"env": [{"name": "HF_HUB", "value": "hf_xet_high_performance"}]},
        {"args": ["--api-key=$(API_KEY)", "--api-key", "$(API_KEY)", "--max-model-len", "4096"]},
        {"command": ["sh", "-c", "export TOKEN=$(cat /run/token)\nrun --api-key $TOKEN\n"]},
        {"url": "https://host/x", "other": "ssh://git@github.com/a/b", "third": "https://${U}:${PW}@host"},
        {"annotations": {"nginx.ingress.kubernetes.io/auth-secret": "basic-auth"}, "existingSecret": "hf", "password": ""},
        {"data": [{"secretKey": "HF_TOKEN", "remoteRef": {"key": "hf", "property": "token"}}]},
        {"template": {"data": {"HF_TOKEN": "{{ .token }}"}}},
        {"automountServiceAccountToken": False, "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]},
        {"data": {"values.yaml": "env:\n- name: HF_TOKEN\n  value: ${HF_TOKEN}\n"}},
        {"env": [{"name": "KEYCLOAK_URL", "value": "https://sso.example.com"}, {"name": "WEBUI_AUTH", "value": "False"}]},
        {"env": [{"name": "TLS_KEY", "value": "/run/tls/tls.key"}, {"name": "SSH_PUBLIC_KEY", "value": "ssh-ed25519 AAAA"}]},
        {"env": [{"name": "TAINT_KEY", "value": "nvidia.com/gpu"}, {"name": "PWD", "value": "/app"}, {"name": "TOKENS", "value": "5"}]},
        {"image": "http://registry:5000/llm@sha256:0123", "source": "http://host:8080/path@v1"},
        {"affinity": {"topologyKey": "kubernetes.io/hostname"}, "config": {"max_tokens": 10, "secret_name": "hf", "existing_secret": "hf"}},
        {"data": {"app.xml": "<Config>\n  <ApiKey>${API_KEY}</ApiKey>\n  <Token></Token>\n</Config>\n"}},
        {"data": {"app.ini": "password =  # from the Secret\ntoken = ${TOKEN} # filled in\nmax_tokens = 4096 # per request\n"}},
        {"data": {"run.sh": "TOKEN=$(cat /run/token) # mounted\nrun --x; token=$TOKEN\nrun?token=${TOKEN}\n"}},
        {"data": {"call.py": "client(url, token=token, password=None)\ntoken = get_token()\ntoken == x\ntoken: str = f'{a}'\n"}},
        {"data": {"main.py": "def f(token: str):\n    token = token\n    api_key = os.environ['API_KEY']\n"}},
    ],
)
def test_a_reference_and_a_name_are_no_credential(value):
    assert credential_path(value) is None


def adopted(folder, *texts):
    for number, text in enumerate(texts):
        (folder / f"{number}.yaml").write_text(text)
    adoption = adopt(read([folder]), "1.14.0")
    return adoption, "".join(f"{each.text}\n" for each in differences(adoption))


@pytest.mark.parametrize(
    ("texts", "label", "line"),
    [
        ([WORKLOAD.format(field=f"env: [{{name: HF_TOKEN, value: {PW}}}]")], "Deployment ai/llm", "0.yaml:12"),
        ([WORKLOAD.format(field=f"args: [--api-key={PW}]")], "Deployment ai/llm", "0.yaml:12"),
        (
            [OPERATOR.format(url=URL, values=f"values: {{operator: {{env: {{NGC_API_KEY: {PW}}}}}}}")],
            "gpu-operator v26.7.0 (gpu-operator/gpu-operator)",
            "0.yaml:12",
        ),
    ],
    ids=["env", "args", "values"],
)
def test_an_object_with_a_credential_is_named_by_its_line_and_not_copied(texts, label, line, tmp_path):
    adoption, report = adopted(tmp_path, *texts, CLASS)

    assert PW not in adoption.text + report
    (said,) = [each for each in report.splitlines() if "a credential in " in each]
    assert said.startswith("not understood: ")
    assert f"{line}: " in said
    assert label in said


def test_a_release_whose_values_from_a_config_map_hold_a_credential_stays_as_it_is(tmp_path):
    values = "valuesFrom: [{kind: ConfigMap, name: values}]"
    settings = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: values, namespace: gpu-operator}}
data:
  values.yaml: |
    operator: {{env: {{NGC_API_KEY: {PW}}}}}
"""
    adoption, report = adopted(tmp_path, OPERATOR.format(url=URL, values=values), settings, CLASS)

    assert PW not in adoption.text + report
    assert "NvidiaGpuOperator" not in adoption.text
    assert "not understood: " in report


def test_a_release_whose_source_holds_a_credential_stays_as_it_is(tmp_path):
    adoption, report = adopted(tmp_path, OPERATOR.format(url=f"https://u:{PW}@charts.home.arpa", values="values: {}"), CLASS)

    assert PW not in adoption.text + report
    assert "NvidiaGpuOperator" not in adoption.text
    assert "(gpu-operator/gpu-operator): the source of its chart holds a credential" in report


def test_a_secret_of_a_misspelled_kind_is_not_copied(tmp_path):
    secret = f"apiVersion: v1\nkind: secret\nmetadata: {{name: nvidia-ngc, namespace: ai}}\nstringData: {{x: {PW}}}\n"
    adoption, report = adopted(tmp_path, f"{CLASS}---\n{secret}")

    assert PW not in adoption.text + report
    assert "a Secret stays where it is" in report
