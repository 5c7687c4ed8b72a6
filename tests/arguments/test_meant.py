"""The right form of a value of the wrong type: what a user meant by a list, a switch, or an object of cdk8s."""

import cdk8s_plus_28 as kplus
import pytest
from cdk8s import App, Chart

from conftest import message
from constructs_lib import (
    ConfigMapFiles,
    ExistingClaim,
    GpuNodes,
    GpuWorkload,
    Nfs,
    SecretKey,
    expose,
)
from constructs_lib.arguments.meant import names_meant, number_meant, pairs_meant
from constructs_lib.arguments.names import label_map
from constructs_lib.arguments.plain_values import text

NODES = GpuNodes(talos_version="1.14")
DNS_NAME = "a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)"
VOLUMES = "one of Persistent, ExistingClaim, HostPath, Nfs, OciImage, ConfigMapFiles, SecretFiles, Memory, Empty"


@pytest.fixture
def chart():
    return Chart(App(), "ai", namespace="ai")


def refused(chart, **given):
    arguments = {"nodes": NODES, "image": "app:1", **given}
    return message(lambda: GpuWorkload(chart, "app", **arguments), TypeError)


@pytest.mark.parametrize(
    ("value", "number"),
    [("4", 4), ("30s", 30), (" 4 ", 4), (4.0, 4), ([4], 4), (["4"], 4), (4.5, None), ("4m", None), (True, None), ([], None)],
)
def test_a_number_is_meant_by_its_digits(value, number):
    assert number_meant(value) == number


def test_pairs_are_meant_by_texts_and_by_kubernetes_lists():
    assert str(pairs_meant(["a=b", "c="])) == "did you mean {'a': 'b', 'c': ''}?"
    assert str(pairs_meant([{"name": "a", "value": 1}])) == "did you mean {'a': '1'}?"
    assert [pairs_meant(each) for each in ([], ["a"], ["a b=c"], [{}], 5, [("a", "b")])] == [""] * 6


def test_the_values_of_variables_are_not_repeated():
    assert str(names_meant(["TOKEN=hf_secret"])) == "did you mean {'TOKEN': '…'}?"


def test_the_name_of_an_object_of_cdk8s_belongs_where_the_object_was_given(chart):
    account, secret = kplus.ServiceAccount(chart, "account"), kplus.Secret(chart, "secret")

    assert refused(chart, service_account_name=account) == (
        f"'service_account_name' must be {DNS_NAME} (got a ServiceAccount); give the name of the ServiceAccount: service_account.name"
    )
    assert message(lambda: SecretKey(secret, "key"), TypeError) == (
        f"'secret' must be {DNS_NAME} (got a Secret); give the name of the Secret: secret.name"
    )
    assert refused(chart, image_pull_secrets=[secret]) == (
        "'image_pull_secrets' must be a list of strings (got [a Secret]); give the name of the Secret: secret.name"
    )
    assert refused(chart, image=kplus.EnvValue.from_value("app:1")) == (
        "'image' must be an image reference without white space (got an EnvValue); give the value of the EnvValue: env_value.value"
    )


def test_a_value_of_cdk8s_plus_is_no_variable(chart):
    assert refused(chart, env={"A": kplus.EnvValue.from_value("x")}) == (
        "'env[A]' must be a string, a SecretKey or a ConfigMapKey (got an EnvValue); a value of cdk8s-plus belongs to its own containers: give the text, "
        "SecretKey('secret', 'key') or ConfigMapKey('name', 'key')"
    )


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("/var/models", "HostPath('/var/models')?"),
        ("100Gi", "Persistent('100Gi')?"),
        ({"claimName": "models"}, "ExistingClaim(claim_name=…)?"),
        ({"persistentVolumeClaim": {"claimName": "models"}}, "ExistingClaim(claim_name=…)?"),
        ({"nfs": {"server": "nas", "path": "/models"}}, "Nfs(server=…, path=…)?"),
        ({"secret": {"secretName": "tls"}}, "SecretFiles(secret=…)?"),
        ({"emptyDir": {}}, "Empty(), or Memory('2Gi')?"),
        ({"hostPath": {"path": "/var/models"}}, "HostPath('/var/…')?"),
    ],
)
def test_a_volume_of_kubernetes_or_of_a_shell_has_a_value_of_this_library(chart, value, meant):
    assert refused(chart, volumes={"/models": value}) == f"'volumes[/models]' must be {VOLUMES} (got {value!r}); did you mean {meant}"


def test_an_object_of_cdk8s_plus_is_a_volume_by_its_name(chart):
    claim = kplus.PersistentVolumeClaim(chart, "claim")

    assert refused(chart, volumes={"/models": claim}) == (
        f"'volumes[/models]' must be {VOLUMES} (got a PersistentVolumeClaim); did you mean ExistingClaim(persistent_volume_claim.name)?"
    )
    assert isinstance(ExistingClaim(claim.name), ExistingClaim)
    assert isinstance(ConfigMapFiles(kplus.ConfigMap(chart, "map").name), ConfigMapFiles)


def test_what_is_no_volume_of_any_kind_gets_no_suggestion(chart):
    for value in (True, "models", {"size": "1Gi"}):
        assert refused(chart, volumes={"/models": value}) == f"'volumes[/models]' must be {VOLUMES} (got {value!r})"


def test_a_server_after_its_folder_is_turned_round():
    assert message(lambda: Nfs("/export/models", "nas.example.com")) == (
        "'server' must be a host name or an IP address (got '/export/models'); the server comes before its folder: Nfs('nas.example.com', '/export/models')"
    )


def test_a_gateway_is_given_by_its_name(chart):
    server = GpuWorkload(chart, "app", nodes=NODES, image="app:1", port=80)

    assert message(lambda: expose(server, "a.example.com", gateway=kplus.Namespace(chart, "network")), TypeError) == (
        f"'gateway' must be {DNS_NAME} (got a Namespace); give the name of the Namespace: namespace.name"
    )


def test_no_hint_repeats_a_credential():
    for value, argument in ((["hf_" + "aB3xK9" * 6], "token"), (["hf_" + "aB3xK9" * 6], "image"), (["a=hf_" + "aB3xK9" * 6], "labels")):
        check = label_map if argument == "labels" else text
        said = message(lambda: check(argument, value), TypeError)  # noqa: B023  # called at once
        assert "aB3xK9" not in said
        assert "did you mean" not in said
