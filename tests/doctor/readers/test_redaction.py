"""What a dump never holds: credentials in texts, variables, annotations and arguments."""

import re

import pytest

from constructs_lib.arguments.credentials.texts import hidden_text
from constructs_lib.doctor.readers.redaction import hide, is_read
from constructs_lib.upstream.charts.device_plugin_chart import CONTAINER_DRIVER_ROOT_VARIABLES
from constructs_lib.upstream.nvidia.plugin_words import SPELLINGS

CREDENTIALS = {
    "basic": ("Authorization: Basic dXNlcjpodW50ZXIx", "dXNlcjpodW50ZXIx"),
    "basic alone": ("sent Basic dXNlcjpodW50ZXIx twice", "dXNlcjpodW50ZXIx"),
    "short scheme": ("authorization=Digest hunter1", "hunter1"),
    "pwd": ("pwd=hunter1", "hunter1"),
    "pwd of a connection": ("Server=x;Pwd=hunter1;Timeout=3", "hunter1"),
    "pass": ("pass=hunter1", "hunter1"),
    "prefixed pass": ("db_pass: hunter1", "hunter1"),
    "password in lower case": ("password: hunter went home", "hunter"),
    "quoted words": ('"password": "hunter two"', "hunter two"),
    "escaped": (r"{\"password\":\"hunter1\"}", "hunter1"),
    "encryption key": ("ENCRYPTION_KEY=hunter1", "hunter1"),
    "licence key": ("LICENSE_KEY: hunter1", "hunter1"),
    "account key": ("AccountKey=hunter1==", "hunter1"),
    "flag": ("app --token hunter1", "hunter1"),
    "licence flag": ("app --license hunter1", "hunter1"),
    "spaced": ("password hunter1", "hunter1"),
    "spaced name": ("client_secret hunter1", "hunter1"),
    "spaced variable": ("PGPASS hunter1", "hunter1"),
    "url without a user": ("redis://:hunter1@redis:6379/0", "hunter1"),
    "url with a token": ("https://hunter1@example.com/x.git", "hunter1"),
    "signed url": ("https://example.com/x?X-Amz-Signature=hunter1", "hunter1"),
    "shared access": ("https://example.com/x?sv=1&sig=hunter1", "hunter1"),
    "auth": ('{"auth":"aHVudGVyMQ=="}', "aHVudGVyMQ"),
    "session": ("session=hunter1", "hunter1"),
    "google key": ("AIzaSyhunter1hunter1hunter1hunter1hunter", "hunter1"),
    "google token": ("ya29.hunter1hunter1", "hunter1"),
    "slack": ("xapp-1-A0-hunter1hunter", "hunter1"),
    "bootstrap token": ("token of the machine is wlzjyw.bei2zfylhs2by0wd", "bei2zfylhs2by0wd"),
    "mysql": ('sh -c "mysql -h db -phunter1"', "hunter1"),
    "curl": ("curl -u me:hunter1 https://example.com", "hunter1"),
}
SENTENCES = (
    "token: unexpected status from HEAD request",
    'MountVolume.SetUp failed for volume "x" : secret "hf-token" not found',
    "couldn't find key HF_TOKEN in Secret gpu/hf2",
    'password authentication failed for user "x"',
    "0/3 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: true}",
    "nvidia: module license 'NVIDIA' taints kernel.",
    "Bearer (a secret value)",
    "Authorization: Bearer (a secret value)",
    "password=(a secret value) and password (a secret value)",
    "tests passed: 5",
)


@pytest.mark.parametrize(("text", "value"), CREDENTIALS.values(), ids=CREDENTIALS)
def test_a_credential_in_a_text_is_hidden(text, value):
    assert value not in hidden_text(text)
    assert value not in hidden_text(f"a word {text} and more")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_about_credentials_stays(sentence):
    assert hidden_text(sentence) == sentence


def test_the_value_of_a_variable_that_nobody_reads_is_left_out():
    container = hide(
        {
            "env": [
                {"name": "PGPASS", "value": "x"},
                {"name": "MODEL", "value": "llama"},
                {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"},
            ]
        }
    )

    assert container["env"] == [
        {"name": "PGPASS", "valueFrom": {}},
        {"name": "MODEL", "valueFrom": {}},
        {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"},
    ]


def test_the_variables_of_device_plugins_are_read():
    variables = {
        "LD_LIBRARY_PATH",
        *CONTAINER_DRIVER_ROOT_VARIABLES,
        *(each for spelling in SPELLINGS.values() for each in spelling.variables),
    }

    assert [each for each in variables if not is_read(each)] == []
    assert not is_read("NVIDIA_API_KEY")


def test_annotations_that_nobody_reads_and_managed_fields_are_left_out():
    metadata = {"annotations": {"vault/token": "x", "talos-gpu/gpu-memory": "6Gi"}, "managedFields": [{"manager": "x"}], "name": "a"}

    assert hide({"metadata": metadata}) == {"metadata": {"annotations": {"talos-gpu/gpu-memory": "6Gi"}, "name": "a"}}


def test_the_argument_after_a_flag_for_a_credential_is_hidden():
    assert hide(["--license", "x", "--pass", "y", "--model", "llama"]) == [
        "--license",
        "(a secret value)",
        "--pass",
        "(a secret value)",
        "--model",
        "llama",
    ]


def test_the_name_of_an_event_stays_though_it_has_the_form_of_a_bootstrap_token():
    name = "secret.17f3c2a1b4d5e6f7"

    assert re.fullmatch(r"[a-z0-9]{6}\.[a-z0-9]{16}", name)
    assert hide({"metadata": {"name": name}}) == {"metadata": {"name": name}}
