"""The tables of the API server's defaults, asked of a real API server: a field with its default is stored like a field that is left out."""

import copy

import pytest

from api_server import ApiServer
from conftest import needs
from constructs_lib.upstream.kubernetes import fields as api_fields

LABELS = {"app": "a"}
CONTAINER = {"name": "a", "image": "a:1"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": [CONTAINER]}}
OF_A_JOB = {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
SELECTOR = {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}
VOLUMES = [
    {"name": "files", "configMap": {"name": "a"}},
    {"name": "secrets", "secret": {"secretName": "a"}},
    {"name": "claim", "persistentVolumeClaim": {"claimName": "a"}},
]
PROBED = {
    **CONTAINER,
    "ports": [{"containerPort": 80}],
    "startupProbe": {"httpGet": {"port": 80}},
    "env": [{"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
    "volumeMounts": [{"name": "files", "mountPath": "/files"}],
}
POD = ("v1", "Pod", {"containers": [PROBED], "volumes": VOLUMES})
FIRST = ("spec", "containers", 0)
SPECS = {
    "Deployment": ("apps/v1", SELECTOR),
    "StatefulSet": ("apps/v1", {"serviceName": "a", **SELECTOR}),
    "DaemonSet": ("apps/v1", SELECTOR),
    "Job": ("batch/v1", {"template": OF_A_JOB}),
    "CronJob": ("batch/v1", {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": OF_A_JOB}}}),
    "Service": ("v1", {"selector": LABELS, "ports": [{"port": 80}]}),
    "PersistentVolumeClaim": ("v1", CLAIM),
}
PLACES = {
    "OF_POD": [(*POD, ("spec",))],
    "OF_CONTAINER": [(*POD, FIRST)],
    "OF_PROBE": [(*POD, (*FIRST, "startupProbe"))],
    "OF_HTTP_GET": [(*POD, (*FIRST, "startupProbe", "httpGet"))],
    "OF_FIELD": [(*POD, (*FIRST, "env", 0, "valueFrom", "fieldRef"))],
    "OF_PORT": [(*POD, (*FIRST, "ports", 0)), ("v1", "Service", SPECS["Service"][1], ("spec", "ports", 0))],
    "OF_VOLUME_FILES": [(*POD, ("spec", "volumes", 0, "configMap")), (*POD, ("spec", "volumes", 1, "secret"))],
    "OF_MOUNT": [(*POD, (*FIRST, "volumeMounts", 0)), (*POD, ("spec", "volumes", 2, "persistentVolumeClaim"))],
}
"""Where the defaults of a table stand: an object and a path in it."""
RANDOM = ("selector", "template", "clusterIP", "clusterIPs")
"""The fields of a spec that the server invents anew each time."""


def defaults():
    """Every field of every table: the object, the place, the field and its default."""
    for table, places in PLACES.items():
        for api_version, kind, spec, path in places:
            for field, value in getattr(api_fields, table).items():
                yield pytest.param(api_version, kind, spec, path, field, value, id=f"{kind}.{'.'.join(map(str, path))}.{field}")
    for kind, fields in api_fields.OF_SPEC.items():
        for field, value in fields.items():
            yield pytest.param(SPECS[kind][0], kind, SPECS[kind][1], ("spec",), field, value, id=f"{kind}.spec.{field}")


@pytest.fixture(scope="module")
def api():
    needs("KUBEBUILDER_ASSETS", "the folder with etcd and kube-apiserver")
    with ApiServer() as server:
        yield server


def part(body, path):
    """The stored fields at a path. A field that is false means the same as no field: `optional: false` is stored as it is written."""
    for step in path:
        body = body[step]
    return {name: value for name, value in body.items() if name not in RANDOM and value is not False}


@pytest.mark.parametrize(("api_version", "kind", "spec", "path", "field", "default"), list(defaults()))
def test_a_field_with_its_default_is_stored_like_a_field_that_is_left_out(api, api_version, kind, spec, path, field, default):
    bare = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "spec": spec}
    written = copy.deepcopy(bare)
    place = written
    for step in path:
        place = place[step]
    assert field not in place
    place[field] = default

    assert part(api.stored(written), path) == part(api.stored(bare), path)


def test_every_table_is_asked():
    tables = {name for name in vars(api_fields) if name.startswith("OF_")}

    assert tables == {*PLACES, "OF_SPEC"}
    assert set(SPECS) == set(api_fields.OF_SPEC)
