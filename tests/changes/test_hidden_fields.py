"""Credentials by their places, which a comment on a pull request does not show."""

import pytest
import yaml

from constructs_lib.changes.parts import part_changes
from constructs_lib.observed.read.repository import read_text

HIDDEN = "(a secret value) -> another value"
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: webui, namespace: ai}
spec:
  chart: {spec: {chart: open-webui, version: 1.0.0}}
  values: {runtimeClassName: nvidia, %s}
"""
NAMES = """\
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: first, namespace: ai}
spec: {target: {name: second}}
"""


def told(old, new, more=""):
    sides = [
        read_text(RELEASE.replace("%s", yaml.safe_dump(each, default_flow_style=True, width=999).strip()[1:-1]) + more)
        for each in (old, new)
    ]
    return [f"{field}" for part in part_changes(*sides) for field in part.fields]


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ({"oauth": {"client": {"secret": "kx83hfo"}}}, {"oauth": {"client": {"secret": "9fj3kd0"}}}, "oauth.client.secret"),
        ({"adminCreds": {"user": "root", "pw": "one"}}, {"adminCreds": {"user": "root", "pw": "two"}}, "adminCreds.pw"),
        ({"pw": 1}, {"pw": 2}, "pw"),
        ({"env": [{"name": "ADMIN_PW", "value": "one"}]}, {"env": [{"name": "ADMIN_PW", "value": "two"}]}, "env.ADMIN_PW.value"),
        ({"creds": ["root:one"]}, {"creds": ["root:two"]}, "creds[0]"),
        ({"existingSecret": "first"}, {"existingSecret": "unread"}, "existingSecret"),
        ({"users": [["admin", "one"], ["bob", "x"]]}, {"users": [["admin", "two"], ["bob", "x"]]}, "users[0][1]"),
        ({"users": [{"login": "bob", "code": "one"}]}, {"users": [{"login": "bob", "code": "two"}]}, "users[0].code"),
        ({"webUsers": ["bob:one"]}, {"webUsers": ["bob:two", "eve:three"]}, "webUsers"),
    ],
)  # fmt: skip
def test_a_credential_is_known_by_its_place(old, new, where):
    assert told(old, new, NAMES) == [f"spec.values.{where}: {HIDDEN}"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"existingSecret": "first"}, {"existingSecret": "second"}, "existingSecret: first -> second"),
        ({"secret": False}, {"secret": True}, "secret: false -> true"),
        ({"secret": "${A}"}, {"secret": "${B}"}, "secret: ${A} -> ${B}"),
        ({"users": 1}, {"users": 2}, "users: 1 -> 2"),
        ({"secretName": "one"}, {"secretName": "two"}, "secretName: one -> two"),
        ({}, {"secret": {"name": "one", "keys": []}}, "secret: nothing -> a mapping with keys, name"),
    ],
)  # fmt: skip
def test_the_names_of_secrets_and_what_holds_no_value_are_shown(old, new, expected):
    assert told(old, new, NAMES) == [f"spec.values.{expected}"]
