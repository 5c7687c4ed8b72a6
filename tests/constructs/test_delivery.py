import json
import subprocess
import textwrap
from pathlib import Path

import pytest
from cdk8s import ApiObject, App, Chart

from conftest import message, needs, one, synth
from constructs_lib import ArgoCd, Flux, GpuNodes, HelmTemplate, NvidiaGpuOperator
from constructs_lib.manifests.plugin.options import ImagePullPolicy

NODES = GpuNodes(talos_version="1.14")
NVIDIA = "https://helm.ngc.nvidia.com/nvidia"
OCI = "oci://registry.local/charts"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"


def helm():
    return needs("HELM", "the path of a Helm")


def operator(scope, delivery, **arguments):
    return NvidiaGpuOperator(scope, "operator", nodes=NODES, delivery=delivery, **arguments)


@pytest.mark.parametrize(
    ("repository", "url"), [(NVIDIA, NVIDIA), (f"{NVIDIA}/", NVIDIA), (OCI, "registry.local/charts"), (f"{OCI}/", "registry.local/charts")]
)
def test_argo_cd_installs_the_release_with_its_values(chart, repository, url):
    made = operator(chart, ArgoCd(), repository=repository, release_name="gpu", namespace="nvidia")

    assert one(synth(chart), "Application") == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "gpu", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {
                "repoURL": url,
                "chart": "gpu-operator",
                "targetRevision": "v26.7.0",
                "helm": {"releaseName": "gpu", "valuesObject": made.chart_values},
            },
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "nvidia"},
            "syncPolicy": {"syncOptions": ["ServerSideApply=true"], "automated": {"prune": True, "selfHeal": True}},
            "ignoreDifferences": [
                {
                    "group": "nvidia.com",
                    "kind": "ClusterPolicy",
                    "jsonPointers": [
                        "/spec/cdi/default",
                        "/spec/cdi/nriPluginEnabled",
                        "/spec/hostPaths/kubeletRootDir",
                        "/spec/operator/defaultRuntime",
                    ],
                }
            ],
        },
    }


@pytest.mark.parametrize(
    ("talos", "values", "pointers"),
    [
        (
            "1.14",
            {"hostPaths": {"kubeletRootDir": ""}},
            ["cdi/default", "cdi/nriPluginEnabled", "hostPaths/kubeletRootDir", "operator/defaultRuntime"],
        ),
        (
            "1.14",
            {"hostPaths": {"kubeletRootDir": "/var/lib/kubelet"}},
            ["cdi/default", "cdi/nriPluginEnabled", "operator/defaultRuntime"],
        ),
        # The values have migManager.config.name.
        ("1.12", {}, ["cdi/default", "operator/defaultRuntime"]),
        # The values have cdi.nriPluginEnabled: true.
        ("1.15", {}, ["cdi/default", "hostPaths/kubeletRootDir", "operator/defaultRuntime"]),
    ],
)
@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
def test_argo_cd_ignores_the_fields_of_the_policy_that_the_chart_leaves_out(chart, talos, values, pointers):
    NvidiaGpuOperator(chart, "operator", nodes=GpuNodes(talos_version=talos), values=values, delivery=ArgoCd())

    ignored = one(synth(chart), "Application")["spec"]["ignoreDifferences"][0]["jsonPointers"]
    assert ignored == [f"/spec/{pointer}" for pointer in pointers]


def test_argo_cds_arguments_are_found_in_the_application(chart):
    operator(chart, ArgoCd(namespace="argo", project="platform", server="https://10.0.0.1:6443", prune=False, self_heal=False))

    made = one(synth(chart), "Application")
    assert made["metadata"]["namespace"] == "argo"
    assert made["spec"]["project"] == "platform"
    assert made["spec"]["destination"] == {"server": "https://10.0.0.1:6443", "namespace": "gpu-operator"}
    assert made["spec"]["syncPolicy"]["automated"] == {"prune": False, "selfHeal": False}


def test_argo_cd_can_wait_for_somebody_to_sync(chart):
    operator(chart, ArgoCd(automated=False))

    assert one(synth(chart), "Application")["spec"]["syncPolicy"] == {"syncOptions": ["ServerSideApply=true"]}


RELEASE = {
    "releaseName": "gpu-operator",
    "interval": "1h",
    "timeout": "15m",
    "install": {"crds": "CreateReplace", "remediation": {"retries": 3}},
    "upgrade": {"crds": "CreateReplace", "remediation": {"retries": 3}},
}


def test_flux_installs_the_release_from_a_helm_repository(chart):
    made = operator(chart, Flux())

    metadata = {"name": "gpu-operator", "namespace": "gpu-operator"}
    assert one(synth(chart), "HelmRepository") == {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "HelmRepository",
        "metadata": metadata,
        "spec": {"interval": "1h", "url": NVIDIA},
    }
    source = {"kind": "HelmRepository", "name": "gpu-operator"}
    assert one(synth(chart), "HelmRelease") == {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": metadata,
        "spec": {
            **RELEASE,
            "chart": {"spec": {"chart": "gpu-operator", "version": "v26.7.0", "sourceRef": source, "interval": "1h"}},
            "values": made.chart_values,
        },
    }


@pytest.mark.parametrize("repository", [OCI, f"{OCI}/"])
def test_flux_installs_the_release_from_a_registry(chart, repository):
    made = operator(chart, Flux(), repository=repository)

    layer = {"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "operation": "copy"}
    assert one(synth(chart), "OCIRepository")["spec"] == {
        "interval": "1h",
        "url": f"{OCI}/gpu-operator",
        "ref": {"tag": "v26.7.0"},
        "layerSelector": layer,
    }
    chart_ref = {"kind": "OCIRepository", "name": "gpu-operator"}
    assert one(synth(chart), "HelmRelease")["spec"] == {**RELEASE, "chartRef": chart_ref, "values": made.chart_values}


def test_fluxs_arguments_are_found_in_its_objects(chart):
    operator(chart, Flux(namespace="flux-system", interval="30m", timeout="1h30m"), namespace="nvidia")

    source, release = one(synth(chart), "HelmRepository"), one(synth(chart), "HelmRelease")
    assert {made["metadata"]["namespace"] for made in (source, release)} == {"flux-system"}
    assert (source["spec"]["interval"], release["spec"]["interval"], release["spec"]["timeout"]) == ("30m", "30m", "1h30m")
    assert (release["spec"]["targetNamespace"], release["spec"]["storageNamespace"]) == ("nvidia", "nvidia")


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: ArgoCd(namespace="Argo CD"), ValueError, f"'namespace' must be {NAMESPACE} (got 'Argo CD'); did you mean 'argo-cd'?"),
        (lambda: ArgoCd(namespace=None), TypeError, f"'namespace' must be {NAMESPACE} (got None)"),
        (lambda: ArgoCd(project=""), ValueError, "'project' must be a string that is not empty (got '')"),
        (lambda: ArgoCd(server=443), TypeError, "'server' must be a string that is not empty (got 443)"),
        (lambda: ArgoCd(automated="yes"), TypeError, "'automated' must be True or False (got 'yes'); did you mean True?"),
        (lambda: ArgoCd(prune=1), TypeError, "'prune' must be True or False (got 1)"),
        (lambda: ArgoCd(self_heal=None), TypeError, "'self_heal' must be True or False (got None)"),
        (lambda: ArgoCd(selfheal=True), TypeError, "'selfheal' must be an argument of ArgoCd (got selfheal=True); did you mean 'self_heal'?"),
        (lambda: Flux(namespace="flux_system"), ValueError, f"'namespace' must be {NAMESPACE} (got 'flux_system'); did you mean 'flux-system'?"),
        (lambda: Flux(interval="1 hour"), ValueError, "'interval' must be a duration such as '1h' or '30s' (got '1 hour')"),
        (lambda: Flux(interval=60), TypeError, "'interval' must be a duration such as '1h' or '30s' (got 60)"),
        (lambda: Flux(timeout="15"), ValueError, "'timeout' must be a duration such as '1h' or '30s' (got '15')"),
        (lambda: Flux(time_out="15m"), TypeError, "'time_out' must be an argument of Flux (got time_out='15m'); did you mean 'timeout'?"),
        (lambda: HelmTemplate(helm=""), ValueError, "'helm' must be a string that is not empty (got '')"),
        (lambda: HelmTemplate(helm=Path("/usr/bin/helm")), TypeError, f"'helm' must be a string that is not empty (got {Path('/usr/bin/helm')!r})"),
        (lambda: HelmTemplate(helm_flags="--debug"), TypeError, "'helm_flags' must be a list of strings (got '--debug'); did you mean ['--debug']?"),
        (lambda: HelmTemplate(helm_flags=[1]), TypeError, "'helm_flags' must be a list of strings (got [1]); item 0 is not a string"),
        (lambda: HelmTemplate(timeout=300), TypeError, "'timeout' must be a duration such as '1h' or '30s' (got 300)"),
        (lambda: HelmTemplate(timeout="0s"), ValueError, "'timeout' must be a duration above zero and up to '24h' (got '0s')"),
        (lambda: HelmTemplate(timeout="25h"), ValueError, "'timeout' must be a duration above zero and up to '24h' (got '25h')"),
        (lambda: HelmTemplate(flags=[]), TypeError, "'flags' must be an argument of HelmTemplate (got flags=[]); did you mean 'helm_flags'?"),
        (lambda: Flux("flux-system"), TypeError, "'namespace' must be given by its name (got 'flux-system'); such as Flux(…, namespace=…)"),
    ],
)  # fmt: skip
def test_a_wrong_argument_of_a_delivery_is_refused(make, error, says):
    assert message(make, error) == says


IN_A_REPOSITORY = (
    "HelmTemplate() renders a chart from a path, from the address of an archive, or from a repository that Helm knows by its name"
)


@pytest.mark.parametrize(("delivery", "tool"), [(Flux(), "Flux"), (ArgoCd(), "Argo CD")])
@pytest.mark.parametrize("repository", [NVIDIA, OCI])
@pytest.mark.parametrize(
    "where",
    ["./my-chart", "../my-chart", "/charts/my-chart", "my-chart.tgz", "https://charts.local/my-chart.tgz", "https://charts.local/my-chart", ".",
     "git+https://charts.local/my-chart", "team//my-chart"],
)  # fmt: skip
def test_a_chart_that_only_helm_here_can_follow_is_refused_where_a_tool_in_the_cluster_installs_it(
    chart, delivery, tool, repository, where
):
    assert message(lambda: operator(chart, delivery, repository=repository, chart=where)) == (
        f"'chart' must be the name of a chart in 'repository', or an address 'oci://…', where {tool} installs it (got {where!r}); {IN_A_REPOSITORY}"
    )
    assert chart.node.children == []


@pytest.mark.parametrize("delivery", [Flux(), ArgoCd()])
def test_a_chart_in_a_folder_is_a_chart_of_a_registry_only(delivery):
    made = operator(Chart(App(), "gpu"), delivery, repository=OCI, chart="team/gpu-operator")

    assert made.release.oci_url == f"{OCI}/team/gpu-operator"
    assert "(got 'team/gpu-operator')" in message(lambda: operator(Chart(App(), "gpu"), delivery, chart="team/gpu-operator"))


@pytest.mark.parametrize("where", ["oci://registry.local:5000/team/gpu-operator", "oci://registry.local:5000/team/gpu-operator/"])
@pytest.mark.parametrize("repository", [NVIDIA, OCI])
def test_a_chart_by_its_address_in_a_registry_is_installed_from_there(where, repository):
    flux, argo = Chart(App(), "flux"), Chart(App(), "argo")
    operator(flux, Flux(), repository=repository, chart=where)
    operator(argo, ArgoCd(), repository=repository, chart=where)

    assert one(synth(flux), "OCIRepository")["spec"]["url"] == "oci://registry.local:5000/team/gpu-operator"
    assert one(synth(flux), "OCIRepository")["spec"]["ref"] == {"tag": "v26.7.0"}
    source = one(synth(argo), "Application")["spec"]["source"]
    assert (source["repoURL"], source["chart"], source["targetRevision"]) == ("registry.local:5000/team", "gpu-operator", "v26.7.0")


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("oci://registry.local", "an address such as 'oci://registry.example.com/charts/name' (got 'oci://registry.local')"),
        (
            "oci://registry.local/gpu-operator:v26.7.0",
            "an address such as 'oci://registry.example.com/charts/name' (got 'oci://registry.local/gpu-operator:v26.7.0'); give the version in 'version', and the address as 'oci://registry.local/gpu-operator'",
        ),
        ("gpu operator", "the name, the path or the address of a chart, without white space (got 'gpu operator')"),
        (
            "--post-renderer=./evil.sh",
            "the name, the path or the address of a chart (got '--post-renderer=./evil.sh'); Helm would read it as a flag",
        ),
        ("-f=/etc/passwd", "the name, the path or the address of a chart (got '-f=/etc/passwd'); Helm would read it as a flag"),
    ],
)
def test_an_address_without_a_name_or_with_a_version_is_refused(chart, where, says):
    assert message(lambda: operator(chart, Flux(), chart=where)) == f"'chart' must be {says}"


def test_a_helm_that_does_not_end_is_stopped_and_the_command_is_named(chart, tmp_path):
    command = tmp_path / "endless-helm"
    command.write_text("#!/bin/sh\nexec sleep 1000\n")
    command.chmod(0o755)
    flags = "--namespace gpu-operator --include-crds --no-hooks --values -"

    assert message(lambda: operator(chart, HelmTemplate(helm=str(command), timeout="50ms"), chart="./my-chart")) == (
        f"'delivery' must be able to render ./my-chart within 50ms (got '{command}'); the command was stopped: "
        f"{command} template {flags} -- gpu-operator ./my-chart; 'timeout' of HelmTemplate sets the limit"
    )
    assert chart.node.children == []


def test_helm_may_take_five_minutes(monkeypatch, chart):
    limits = []

    def communicate(process, _, seconds):
        limits.append(seconds)
        raise subprocess.TimeoutExpired(process.args, seconds)

    monkeypatch.setattr(subprocess.Popen, "communicate", communicate)
    for delivery in (HelmTemplate(helm="sh"), HelmTemplate(helm="sh", timeout="1h1m1.5s")):
        message(lambda delivery=delivery: operator(chart, delivery))

    assert limits == [300, 3661.5]


def test_without_helm_the_other_two_deliveries_are_named_and_nothing_is_left(chart):
    assert message(lambda: operator(chart, HelmTemplate(helm="no-such-helm"))) == (
        "'delivery' must be a HelmTemplate whose helm can be run (got 'no-such-helm'); the command is not on PATH: install Helm, or deliver with ArgoCd() or Flux(), which need no Helm"
    )
    assert chart.node.children == []
    assert operator(chart, Flux()).node.id == "operator"


TEMPLATES = {
    "crds/policies.yaml": """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: clusterpolicies.nvidia.com}
        spec: {group: nvidia.com, scope: Cluster, names: {kind: ClusterPolicy, plural: clusterpolicies}}
    """,
    "templates/policy.yaml": """
        apiVersion: nvidia.com/v1
        kind: ClusterPolicy
        metadata: {name: cluster-policy}
        spec: {driver: {{ toJson .Values.driver }}, hostPaths: {{ toJson .Values.hostPaths }}}
    """,
    "templates/role.yaml": """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: operator}
        rules: []
    """,
    "templates/config.yaml": """
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: settings
          namespace: {{ .Release.Namespace }}
          annotations: {helm.sh/resource-policy: keep}
        immutable: true
        data:
          date: 2024-01-01
          clock: 22:22
          word: "yes"
          number: "0123"
          echo: {{ .Values.global.echo | quote }}
        more: {whole: 8, octal: 0644, fraction: 0.5, empty: "", list: [], mapping: {}, nested: [[1, "1"], {a: b}]}
    """,
    "templates/bare.yaml": """
        apiVersion: v1
        kind: ServiceAccount
        metadata: {name: operator}
    """,
    "templates/hook.yaml": """
        apiVersion: batch/v1
        kind: Job
        metadata: {name: upgrade, annotations: {helm.sh/hook: pre-upgrade}}
    """,
    "templates/nothing.yaml": "{{ if .Values.never }}a: b{{ end }}",
}


@pytest.fixture
def helm_chart(tmp_path):
    """A chart on disk, small, with one of each thing that a rendering can lose."""
    folder = tmp_path / "small-operator"
    for path, text in {
        **TEMPLATES,
        "Chart.yaml": "{apiVersion: v2, name: small-operator, version: 1.0.0}",
        "values.yaml": "global: {}",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(textwrap.dedent(text))
    return folder


def rendered(scope, helm_chart, **arguments):
    return operator(scope, HelmTemplate(helm=helm()), chart=str(helm_chart), values={"global": {"echo": "a: 'b' \"c\""}}, **arguments)


def test_helm_renders_the_chart_with_its_crds_and_without_its_hooks(chart, helm_chart):
    made = rendered(chart, helm_chart)

    assert sorted((each["kind"], each["metadata"]["name"]) for each in synth(chart)) == [
        ("ClusterPolicy", "cluster-policy"),
        ("ClusterRole", "operator"),
        ("ConfigMap", "settings"),
        ("CustomResourceDefinition", "clusterpolicies.nvidia.com"),
        ("Namespace", "gpu-operator"),
        ("ServiceAccount", "operator"),
    ]
    assert ApiObject.of(made).kind == "ClusterPolicy"


def test_helm_is_given_the_values(chart, helm_chart):
    rendered(chart, helm_chart)

    spec = one(synth(chart), "ClusterPolicy")["spec"]
    assert spec == {"driver": {"enabled": False}, "hostPaths": {"driverInstallDir": "/usr/local"}}
    assert one(synth(chart), "ConfigMap")["data"]["echo"] == "a: 'b' \"c\""


def test_nothing_that_helm_rendered_is_lost_or_retyped(chart, helm_chart):
    rendered(chart, helm_chart)

    assert one(synth(chart), "ConfigMap") == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": "gpu-operator", "annotations": {"helm.sh/resource-policy": "keep"}},
        "immutable": True,
        "data": {"date": "2024-01-01", "clock": "22:22", "word": "yes", "number": "0123", "echo": "a: 'b' \"c\""},
        "more": {"whole": 8, "octal": 420, "fraction": 0.5, "empty": "", "list": [], "mapping": {}, "nested": [[1, "1"], {"a": "b"}]},
    }


@pytest.mark.parametrize("namespace", [None, "elsewhere"])
def test_what_is_cluster_scoped_gets_no_namespace_whatever_the_chart_has(helm_chart, namespace):
    chart = Chart(App(), "gpu", namespace=namespace)
    rendered(chart, helm_chart)

    for kind in ("Namespace", "ClusterPolicy", "ClusterRole", "CustomResourceDefinition"):
        assert "namespace" not in one(synth(chart), kind)["metadata"], kind


@pytest.mark.parametrize("namespace", [None, "elsewhere"])
def test_what_the_chart_leaves_without_a_namespace_goes_into_the_releases(helm_chart, namespace):
    chart = Chart(App(), "gpu", namespace=namespace)
    rendered(chart, helm_chart, namespace="nvidia")

    assert one(synth(chart), "ServiceAccount")["metadata"]["namespace"] == "nvidia"


@pytest.mark.parametrize("namespace", [None, "elsewhere"])
@pytest.mark.parametrize(
    ("scope", "expected"), [("Cluster", {"name": "one"}), ("Namespaced", {"name": "one", "namespace": "gpu-operator"})]
)
def test_the_charts_own_crd_says_whether_a_kind_has_a_namespace(helm_chart, namespace, scope, expected):
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.nvidia.com"}}
    (helm_chart / "crds" / "widgets.yaml").write_text(json.dumps({**crd, "spec": {"scope": scope, "names": {"kind": "Widget"}}}))
    (helm_chart / "templates" / "widget.yaml").write_text("{apiVersion: nvidia.com/v1, kind: Widget, metadata: {name: one}}")
    chart = Chart(App(), "gpu", namespace=namespace)
    rendered(chart, helm_chart)

    assert one(synth(chart), "Widget")["metadata"] == expected


@pytest.mark.parametrize("spec", ["{scope: Cluster}", "{scope: Cluster, names: {kind: ConfigMap}}", "", "[]", "text"])
def test_whatever_an_object_has_for_a_spec_it_is_rendered(chart, helm_chart, spec):
    (helm_chart / "templates" / "odd.yaml").write_text(f"apiVersion: nvidia.com/v1\nkind: Odd\nmetadata: {{name: one}}\nspec: {spec}")
    rendered(chart, helm_chart)

    assert one(synth(chart), "Odd")["metadata"]["namespace"] == "gpu-operator"
    assert one(synth(chart), "ConfigMap")["metadata"]["namespace"] == "gpu-operator"


def test_two_objects_of_one_name_in_two_namespaces_are_both_kept(chart, helm_chart):
    roles = "\n---\n".join(
        f"{{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {{name: reader, namespace: {name}}}, rules: []}}"
        for name in "ab"
    )
    (helm_chart / "templates" / "roles.yaml").write_text(roles)
    rendered(chart, helm_chart)

    assert [made["metadata"]["namespace"] for made in synth(chart) if made["kind"] == "Role"] == ["a", "b"]


def test_helm_takes_a_choice_of_this_library_as_a_value(chart, helm_chart):
    made = operator(chart, HelmTemplate(helm=helm()), chart=str(helm_chart), values={"driver": {"imagePullPolicy": ImagePullPolicy.ALWAYS}})

    assert made.chart_values["driver"] == {"enabled": False, "imagePullPolicy": "Always"}
    assert one(synth(chart), "ClusterPolicy")["spec"]["driver"] == {"enabled": False, "imagePullPolicy": "Always"}


@pytest.mark.parametrize("namespace", ["null", "''"])
def test_an_object_whose_namespace_a_chart_leaves_empty_is_in_that_of_the_release(chart, helm_chart, namespace):
    (helm_chart / "templates" / "empty.yaml").write_text(f"{{apiVersion: v1, kind: Secret, metadata: {{name: a, namespace: {namespace}}}}}")
    rendered(chart, helm_chart)

    assert one(synth(chart), "Secret")["metadata"] == {"name": "a", "namespace": "gpu-operator"}


CRD = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a.example.com"}}


@pytest.mark.parametrize(
    "made",
    [
        {"apiVersion": "v1", "kind": "List", "items": []},
        {"apiVersion": "v1", "kind": "List", "metadata": {"generateName": "a-"}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": 1}},
        {"kind": "Secret", "metadata": {"name": "a"}},
        CRD,
        {**CRD, "spec": {"scope": "Cluster"}},
    ],
)
def test_an_object_that_helm_renders_without_what_is_read_of_it_is_refused_as_a_delivery(chart, helm_chart, made):
    (helm_chart / "templates" / "odd.yaml").write_text(json.dumps(made))

    assert message(lambda: rendered(chart, helm_chart)) == (
        f"'delivery' must be able to name each object of the chart (got {made!r}); this chart can't be rendered here; deliver it with ArgoCd() or Flux()"
    )
    assert chart.node.children == []


def test_helm_gets_the_flags_it_is_given(chart, helm_chart):
    (helm_chart / "templates" / "version.yaml").write_text(
        "{apiVersion: v1, kind: Secret, metadata: {name: '{{ .Capabilities.KubeVersion.Minor }}'}}"
    )
    operator(chart, HelmTemplate(helm=helm(), helm_flags=["--kube-version", "1.31"]), chart=str(helm_chart))

    assert one(synth(chart), "Secret")["metadata"]["name"] == "31"


def test_what_helm_says_when_it_fails_is_in_the_message_and_nothing_is_left(chart, helm_chart):
    (helm_chart / "templates" / "broken.yaml").write_text('{{ fail "the moon is in the wrong place" }}')
    said = message(lambda: rendered(chart, helm_chart))

    assert said.startswith(f"'delivery' must be able to render {helm_chart} (got '{helm()}'); helm says: ")
    assert "the moon is in the wrong place" in said
    assert "\n" not in said
    assert chart.node.children == []
    (helm_chart / "templates" / "broken.yaml").unlink()
    assert rendered(chart, helm_chart).node.id == "operator"


@pytest.fixture
def deaf_helm(tmp_path):
    """A command that fails and says with which arguments, in two lines."""
    command = tmp_path / "deaf-helm"
    command.write_text('#!/bin/sh\nprintf "%s\\n" "Error:" "$*" >&2\nexit 1\n')
    command.chmod(0o755)
    return str(command)


VERSIONED = "--version v26.7.0"


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({}, f"gpu-operator --repo {NVIDIA} {VERSIONED}"),
        ({"version": "v26.3.3", "repository": "https://charts.local"}, "gpu-operator --repo https://charts.local --version v26.3.3"),
        ({"repository": OCI}, f"{OCI}/gpu-operator {VERSIONED}"),
        ({"repository": f"{OCI}/"}, f"{OCI}/gpu-operator {VERSIONED}"),
        ({"chart": "./gpu-operator"}, "./gpu-operator"),
        ({"chart": "/charts/gpu-operator"}, "/charts/gpu-operator"),
        ({"chart": "gpu-operator.tgz"}, "gpu-operator.tgz"),
        ({"chart": "./gpu-operator", "repository": OCI}, "./gpu-operator"),
        ({"chart": "https://charts.local/gpu-operator", "repository": OCI}, "https://charts.local/gpu-operator"),
        ({"chart": "oci://charts.local/gpu-operator"}, f"oci://charts.local/gpu-operator {VERSIONED}"),
        ({"chart": "oci://charts.local/gpu-operator", "repository": OCI}, f"oci://charts.local/gpu-operator {VERSIONED}"),
        ({"chart": "team/gpu-operator", "repository": OCI}, f"{OCI}/team/gpu-operator {VERSIONED}"),
    ],
)
def test_the_chart_that_could_not_be_rendered_is_named_as_helm_was_told(chart, deaf_helm, monkeypatch, tmp_path, arguments, where):
    # A folder that happens to have the chart's name is not the chart.
    (tmp_path / "gpu-operator").mkdir()
    monkeypatch.chdir(tmp_path)

    found, *source = where.split()
    flags = " ".join([*source, "--namespace gpu-operator --include-crds --no-hooks --values -"])
    assert message(lambda: operator(chart, HelmTemplate(helm=deaf_helm), **arguments)) == (
        f"'delivery' must be able to render {where} (got '{deaf_helm}'); helm says: Error: template {flags} -- gpu-operator {found}"
    )
    assert chart.node.children == []


def test_helm_takes_no_folder_for_a_chart_that_is_given_by_its_name(chart, helm_chart, monkeypatch):
    monkeypatch.chdir(helm_chart.parent)
    nowhere = "http://127.0.0.1:1"
    said = message(lambda: operator(chart, HelmTemplate(helm=helm()), chart=helm_chart.name, repository=nowhere))

    assert said.startswith(f"'delivery' must be able to render small-operator --repo {nowhere} {VERSIONED} (got '{helm()}'); helm says: ")


def test_helm_renders_a_chart_by_a_path_that_begins_where_it_runs(chart, helm_chart, monkeypatch):
    monkeypatch.chdir(helm_chart.parent)
    operator(chart, HelmTemplate(helm=helm()), chart=f"./{helm_chart.name}")

    assert one(synth(chart), "ClusterPolicy")["metadata"] == {"name": "cluster-policy"}
