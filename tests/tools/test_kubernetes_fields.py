"""The table of Kubernetes' fields: made from the schemas and the Go types by `make pins`, and read by the check of `pod_spec`."""

import itertools
import json

import pytest

from conftest import ROOT
from constructs_lib.arguments.pod_fields import _SCALARS
from constructs_lib.arguments.spelling import is_near
from constructs_lib.upstream.kubernetes.fields import field_table
from published import Upstream, api_files
from tools.pins import kubernetes_fields as tool
from tools.pins.go_types import choices
from tools.pins.tables import Report, Table

PATH = ROOT / "constructs_lib" / "upstream" / "tables" / "kubernetes_fields.json"
MINORS = {minor: tool.fields(by_name) for minor, by_name in tool.schemas().items()}


@pytest.fixture
def upstream(tmp_path):
    return Upstream(tmp_path)


def table_of(upstream):
    return upstream.facts("tables/kubernetes_fields")


def test_the_fields_of_the_table_are_those_of_the_installed_package():
    table, report = Table(PATH), Report()
    tool.renew_fields(table, report)

    assert (report, table.is_renewed) == (Report(), False)


def test_each_kind_of_the_table_is_one_that_the_check_knows():
    types = field_table().types
    kinds = {kind.strip("[]{}") for fields in types.values() for kind in fields.values()}

    assert kinds <= {*_SCALARS, *types}
    assert types.keys() >= {*tool.ROOTS, "Container", "SecurityContext", "PodSecurityContext", "Probe", "ServicePort", "HTTPIngressPath"}
    assert {key: types["HTTPGetAction"][key] for key in ("port", "host")} == {"port": "int or string", "host": "string"}
    assert types["ResourceRequirements"]["limits"] == "{quantity}"


def test_required_fields_and_enumerations_are_those_of_fields_of_the_table():
    table = field_table()

    for name, required in table.required.items():
        assert set(required) <= table.types[name].keys(), name
    for name, fields in table.choices.items():
        assert {table.types[name][key] for key in fields} <= {"string", "[string]"}, name
        assert all(values and all(values) and values == sorted(set(values)) for values in fields.values()), name


@pytest.mark.parametrize(
    ("name", "required"),
    [
        ("Container", ["name"]), ("VolumeMount", ["mountPath", "name"]), ("EnvVar", ["name"]), ("ContainerPort", ["containerPort"]),
        ("HTTPGetAction", ["port"]), ("TopologySpreadConstraint", ["maxSkew", "topologyKey", "whenUnsatisfiable"]), ("ServicePort", ["port"]),
        ("StatefulSetSpec", ["selector", "template"]), ("CronJobSpec", ["jobTemplate", "schedule"]), ("HostAlias", ["ip"]), ("Toleration", []),
    ],
)  # fmt: skip
def test_a_field_is_required_if_the_newest_kubernetes_requires_it(name, required):
    assert field_table().required.get(name, []) == required


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("PodSpec.restartPolicy", ["Always", "Never", "OnFailure"]),
        ("PodSpec.dnsPolicy", ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]),
        ("PodSpec.preemptionPolicy", ["Never", "PreemptLowerPriority"]),
        ("Container.imagePullPolicy", ["Always", "IfNotPresent", "Never"]),
        ("EphemeralContainer.imagePullPolicy", ["Always", "IfNotPresent", "Never"]),
        ("Container.terminationMessagePolicy", ["FallbackToLogsOnError", "File"]),
        ("ContainerPort.protocol", ["SCTP", "TCP", "UDP"]),
        ("Toleration.operator", ["Equal", "Exists", "Gt", "Lt"]),
        ("Toleration.effect", ["NoExecute", "NoSchedule", "PreferNoSchedule"]),
        ("TopologySpreadConstraint.whenUnsatisfiable", ["DoNotSchedule", "ScheduleAnyway"]),
        ("SeccompProfile.type", ["Localhost", "RuntimeDefault", "Unconfined"]),
        ("HTTPIngressPath.pathType", ["Exact", "ImplementationSpecific", "Prefix"]),
        ("LabelSelectorRequirement.operator", ["DoesNotExist", "Exists", "In", "NotIn"]),
        ("ServiceSpec.ipFamilies", ["IPv4", "IPv6"]),
        ("CronJobSpec.concurrencyPolicy", ["Allow", "Forbid", "Replace"]),
    ],
)  # fmt: skip
def test_the_table_has_the_enumerations_of_kubernetes(field, values):
    name, _, key = field.partition(".")

    assert field_table().choices[name][key] == values


@pytest.mark.parametrize(
    ("name", "key"), [("EmptyDirVolumeSource", "medium"), ("PodReadinessGate", "conditionType"), ("ContainerResizePolicy", "resourceName")]
)
def test_a_type_with_constants_for_some_of_its_values_is_no_enumeration(name, key):
    assert key not in field_table().choices.get(name, {})


def test_a_field_of_any_version_is_in_the_table_with_its_newest_kind():
    types = field_table().types

    assert f"1.{max(MINORS)}" == field_table().newest
    for minor, fields in MINORS.items():
        for name, kinds in fields.items():
            assert kinds.keys() <= types[name].keys(), (minor, name)
    newest = MINORS[max(MINORS)]
    assert {name: {key: types[name][key] for key in kinds} for name, kinds in newest.items()} == newest


def test_no_key_that_kubernetes_added_would_have_been_refused_by_the_table_before():
    added = [
        (minor, name, key, sorted(MINORS[before][name]))
        for before, minor in itertools.pairwise(MINORS)
        for name, kinds in MINORS[minor].items()
        for key in kinds
        if name in MINORS[before] and key not in MINORS[before][name]
    ]

    assert len(added) >= 45
    assert [each for *each, known in added if any(is_near(each[-1], other) for other in known)] == []
    assert [key for _, _, key, _ in added if "_" in key or "-" in key] == []


def test_the_enumerations_are_the_constants_of_a_fields_type():
    go = """
type Probe struct {
\tHandler `json:",inline"`
\tCommon `json:"" protobuf:"bytes,1,req"`
\tFamilies []Family `json:"families,omitempty" protobuf:"bytes,1"`
\tFree string `json:"free"`
}

type Handler struct {
\tScheme *corev1.Scheme `json:"scheme,omitempty"`
\tMedium StorageMedium `json:"medium"`
\tType SecretType `json:"type"`
}

type Common struct {
\tProxy Scheme `json:"proxy"`
}

type Scheme string

type Family string

type StorageMedium string

type SecretType string

const (
\tHTTPS Scheme = "HTTPS"
\tHTTP Scheme = "HTTP"
\tUnset Scheme = ""
\tIPv4 = Family("IPv4")
\tMemory StorageMedium = "Memory"
\tOpaque SecretType = "Opaque"
\tother = "x"
)
"""
    schemes = ["HTTP", "HTTPS"]
    assert choices(go) == {
        "Probe": {"scheme": schemes, "proxy": schemes, "families": ["IPv4"]},
        "Handler": {"scheme": schemes},
        "Common": {"proxy": schemes},
    }


def test_the_tag_of_the_table_is_read_again_for_fields_that_are_new_in_the_package(upstream, capsys):
    path = upstream.tables / "tables" / "kubernetes_fields.json"
    path.write_text(path.read_text().replace('"ContainerPort": {"protocol": ["TCP", "UDP"]},', ""))
    upstream.run()

    assert table_of(upstream)["choices"]["ContainerPort"] == {"protocol": ["TCP", "UDP"]}
    assert "kubernetes/api" not in capsys.readouterr().err


def test_a_newer_tag_renews_the_enumerations_with_their_source(upstream, capsys):
    upstream.publish(tool.API, "v0.37.0-beta.0", api_files("UDP", "QUIC"))
    upstream.publish(tool.API, "kubernetes-1.38.0", api_files())

    assert upstream.run("--check") == 1
    assert "would change: Kubernetes v0.37.0-beta.0: enumerations of ContainerPort change" in capsys.readouterr().out
    assert table_of(upstream)["choices"]["ContainerPort"] == {"protocol": ["TCP", "UDP"]}
    upstream.run()
    assert table_of(upstream)["choices"] == {
        "ContainerPort": {"protocol": ["QUIC", "TCP", "UDP"]},
        "LabelSelectorRequirement": {"operator": ["In"]},
    }
    assert table_of(upstream)["sources"][tool.API] == "v0.37.0-beta.0"


@pytest.mark.parametrize("older", ["v0.35.9", "v0.36.1-rc.1"])
def test_a_copy_that_ends_before_the_tables_tag_changes_nothing(upstream, capsys, older):
    path = upstream.tables / "tables" / "kubernetes_fields.json"
    path.write_text(path.read_text().replace('"kubernetes/api": "v0.36.1"', '"kubernetes/api": "v0.36.2"'))
    upstream.publish(tool.API, older, api_files())

    assert upstream.run("--check") == 0
    assert "not read: kubernetes/api: ends at v0.36.1 here; the enumerations of v0.36.2 stay" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (dict.fromkeys(tool.GO_FILES[tool.API], "package v1\n"), "kubernetes/api: v0.37.0 has no enumeration where one was"),
        ({"README.md": ""}, "kubernetes/api: fatal: "),
    ],
)  # fmt: skip
def test_types_that_are_not_where_they_were_are_named_and_change_nothing(upstream, capsys, files, says):
    upstream.publish(tool.API, "v0.37.0", files)

    assert upstream.run("--check") == 0
    error = capsys.readouterr().err
    assert f"not read: {says}" in error
    assert "; kubernetes_fields stays as it is" in error


def test_a_newer_package_renews_the_fields(upstream, capsys):
    path = upstream.tables / "tables" / "kubernetes_fields.json"
    facts = table_of(upstream)
    facts["sources"]["kubernetes-validate"] = "1.2.3"
    del facts["types"]["PodSpec"]["hostNetwork"], facts["required"]["Container"]
    path.write_text(json.dumps(facts))
    upstream.run()

    assert (table_of(upstream)["types"]["PodSpec"]["hostNetwork"], table_of(upstream)["required"]["Container"]) == ("bool", ["name"])
    assert table_of(upstream)["sources"]["kubernetes-validate"] != "1.2.3"
    printed = capsys.readouterr().out
    assert f"changed: Kubernetes {field_table().newest}: types of PodSpec change" in printed
    assert f"changed: Kubernetes {field_table().newest}: required of Container change" in printed


@pytest.mark.parametrize("is_installed", [True, False])
def test_without_the_package_or_with_an_older_one_the_fields_stay(upstream, capsys, monkeypatch, is_installed):
    def version(name):
        if is_installed:
            return "1.20.0"
        raise tool.PackageNotFoundError(name)

    before = upstream.texts
    monkeypatch.setattr(tool, "version", version)

    assert upstream.run("--check") == 0
    assert upstream.texts == before
    says = "1.20.0 is installed" if is_installed else "not installed"
    assert f"not read: kubernetes-validate: {says}; the fields of Kubernetes stay those of " in capsys.readouterr().err
