"""What has to go in an upgrade is found in everything that the checks read, and what can't be told is named."""

import pytest
import yaml
from chart_checks import config_map, daemon_set, plugin_pods, release, runtime_class

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.nodes.talos_version import TalosVersion
from constructs_lib.observed.leftovers.upgrade_leftovers import Move, upgrade_leftovers
from constructs_lib.observed.leftovers.upgrade_unknowns import upgrade_unknowns
from constructs_lib.observed.read.repository import read, read_manifests, read_text

LEGACY, CDI, NRI = TalosVersion(12), TalosVersion(13), TalosVersion(15)
CROSSING = Move(before=LEGACY, after=CDI, route="standalone", new_route="standalone")
TO_OPERATOR = Move(before=CDI, after=CDI, route="standalone", new_route="operator")
TO_STANDALONE = Move(before=CDI, after=CDI, route="operator", new_route="standalone")
NO_MOVE = Move(before=CDI, after=TalosVersion(14), route="operator", new_route="operator")
OLD = "/usr/local/glibc/usr/lib"


def inputs_of(*documents):
    text = "\n---\n".join(each if isinstance(each, str) else yaml.safe_dump(each) for each in documents)
    return read_text(text, file="x.yaml")


def labels(found):
    return [each.about.label for each in found]


def leftovers(move, *documents):
    """What goes as a whole, or changes in its pods, and nothing that can't be told."""
    inputs = inputs_of(*documents)
    found = upgrade_leftovers(inputs, move)
    assert upgrade_unknowns(inputs, move, found) == []
    assert all(each.path is None or each.in_pods for each in found)
    return labels(found)


def unknowns(move, *documents):
    """Why it can't be told, where nothing goes for sure."""
    inputs = inputs_of(*documents)
    found = upgrade_leftovers(inputs, move)
    assert found == []
    return [(each.about.label, each.reason) for each in upgrade_unknowns(inputs, move, found)]


# The same as the rules find

ABOUT_THE_OLD_ROOT = ("TG003", "TG021", "TG061", "TG077")
EXAMPLES = {
    f"{rule.id}-{side}": example for rule in RULES.values() for side, example in (("failing", rule.failing), ("passing", rule.passing))
}


def differences(example):
    """The objects that only one of the two finds, and the lines of settings that the rules don't find."""
    inputs = read_text(example.yaml, file="example.yaml", chart=example.chart, talos="1.13")
    findings = [
        each
        for each in run_rules(inputs, select=ABOUT_THE_OLD_ROOT)
        if "/usr/local/glibc" in each.message or "marker files" in each.message
    ]
    found = upgrade_leftovers(inputs, CROSSING)

    settings = [each for each in found if each.path is not None]
    return [
        *({each.about.label for each in found} ^ {each.object for each in findings}),
        *({each.about.line_of(each.path) for each in settings} - {each.line for each in findings}),
    ]


def test_what_names_the_old_libraries_is_what_the_rules_find_on_the_new_talos():
    assert {name: found for name, example in EXAMPLES.items() if (found := differences(example))} == {}


def test_the_rules_about_the_old_libraries_have_examples_that_are_found():
    for rule in ABOUT_THE_OLD_ROOT:
        example = RULES[rule].failing
        assert upgrade_leftovers(read_text(example.yaml, chart=example.chart, talos=example.talos), CROSSING) != []


@pytest.mark.parametrize("rule", ["TG014", "TG026"])
def test_what_two_owners_have_on_the_way_to_the_operator_goes(rule):
    example = RULES[rule].failing
    inputs = read_text(example.yaml, file="example.yaml", talos="1.13")
    found = labels(upgrade_leftovers(inputs, TO_OPERATOR))

    assert {each.object for each in run_rules(inputs, select=[rule])} <= set(found)


# Each form in which a chart is installed

PLUGIN = "nvidia-device-plugin"


def application_set(*generators, name="gpu", chart="{{chart}}", **source):
    template = {
        "metadata": {"name": "{{name}}", "namespace": "argocd"},
        "spec": {
            "source": source or {"chart": chart, "repoURL": "https://example.com", "targetRevision": "1.0.0"},
            "destination": {"namespace": "gpu"},
        },
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {"generators": list(generators), "template": template},
    }


def listed(**charts):
    return {"list": {"elements": [{"name": name, "chart": chart.replace("_", "-")} for name, chart in charts.items()]}}


def application(name="plugin", chart=PLUGIN, **metadata):
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd", **metadata},
        "spec": {
            "source": {"chart": chart, "repoURL": "https://example.com", "targetRevision": "1.0.0"},
            "destination": {"namespace": "gpu"},
        },
    }


def test_an_application_set_goes_when_all_of_its_applications_go():
    assert leftovers(TO_OPERATOR, application_set(listed(a="nvdp", b=PLUGIN))) == ["ApplicationSet argocd/gpu"]
    assert leftovers(TO_STANDALONE, application_set(listed(a="gpu-operator"))) == ["ApplicationSet argocd/gpu"]


def test_of_an_application_set_whose_other_applications_stay_one_application_goes():
    inputs = inputs_of(application_set(listed(a="dcgm-exporter", b=PLUGIN)))
    (found,) = upgrade_leftovers(inputs, TO_OPERATOR)

    assert found.about.label == "Application argocd/b"
    assert found.reason == (
        "the release installs a device plugin, and the operator runs its own; the ApplicationSet gpu generates the Application, and has to leave it out"
    )


def test_an_application_set_without_anything_of_nvidias_stays():
    assert leftovers(TO_OPERATOR, application_set(listed(a="cilium", b="dcgm-exporter"))) == []


def test_two_application_sets_of_one_stream_are_told_apart():
    first, second = application_set(listed(a="cilium"), name="a"), application_set(listed(b=PLUGIN), name="b")

    assert leftovers(TO_OPERATOR, first, second) == ["ApplicationSet argocd/b"]


def test_an_application_of_a_live_cluster_goes_with_the_set_that_owns_it():
    owners = [{"kind": "ApplicationSet", "name": "gpu", "controller": True}]
    live = application(ownerReferences=owners)

    # Its generator asks Argo CD for clusters, which only a cluster has.
    assert leftovers(TO_OPERATOR, application_set({"list": {"elements": []}}), live) == ["ApplicationSet argocd/gpu"]
    (alone,) = upgrade_leftovers(inputs_of(live), TO_OPERATOR)
    assert alone.about.label == "Application argocd/plugin"
    assert alone.reason.endswith("; the ApplicationSet gpu generates the Application, and has to leave it out")


def test_an_application_set_with_a_git_generator_makes_applications_of_folders(tmp_path):
    (tmp_path / ".git").mkdir()
    for name, chart in (("plugin", "nvidia-device-plugin"), ("web", "nginx")):
        (tmp_path / "apps" / name).mkdir(parents=True)
        (tmp_path / "apps" / name / "kustomization.yaml").write_text(
            f"helmCharts: [{{name: {chart}, version: 1.0.0, releaseName: {name}}}]\n"
        )
    source = {"repoURL": "https://example.com/a.git", "path": "{{path}}"}
    made = application_set({"git": {"repoURL": "https://example.com/a.git", "directories": [{"path": "apps/*"}]}}, **source)
    (tmp_path / "set.yaml").write_text(yaml.safe_dump(made).replace("'{{name}}'", "'{{path.basename}}'"))
    inputs = read([tmp_path])
    found = upgrade_leftovers(inputs, TO_OPERATOR)

    assert labels(found) == ["nvidia-device-plugin 1.0.0 (gpu/plugin)"]
    assert upgrade_unknowns(inputs, TO_OPERATOR, found) == []


def test_a_chart_that_another_chart_of_the_repository_wraps_goes(tmp_path):
    (tmp_path / "charts" / "gpu").mkdir(parents=True)
    (tmp_path / "charts" / "gpu" / "Chart.yaml").write_text("name: gpu\ndependencies: [{name: nvidia-device-plugin, version: 0.17.1}]\n")
    made = application("gpu")
    made["spec"]["source"] = {"repoURL": "https://example.com/a.git", "path": "charts/gpu"}
    (tmp_path / "gpu.yaml").write_text(yaml.safe_dump(made))
    inputs = read([tmp_path])

    assert labels(upgrade_leftovers(inputs, TO_OPERATOR)) == ["nvidia-device-plugin 0.17.1 (gpu/gpu)"]


@pytest.mark.parametrize(
    "chart", [PLUGIN, "nvdp", "k8s-device-plugin", "./charts/nvidia-device-plugin", "oci://example.com/nvidia-device-plugin"]
)
def test_a_chart_is_known_by_each_of_its_names(chart):
    assert leftovers(TO_OPERATOR, application(chart=chart)) == ["nvidia-device-plugin 1.0.0 (gpu/plugin)"]
    assert len(leftovers(TO_OPERATOR, release(chart, {}))) == 1
    assert leftovers(TO_STANDALONE, application(chart=chart)) == []


def test_a_chart_of_the_plugin_that_runs_no_plugin_goes_for_what_it_runs():
    def reasons(values):
        return [each.reason for each in upgrade_leftovers(inputs_of(release(PLUGIN, values)), TO_OPERATOR)]

    assert reasons({"devicePlugin": {"enabled": False}, "gfd": {"enabled": True}}) == [
        "the operator runs its own GPU feature discovery, and two of them set the same labels"
    ]
    assert reasons({"devicePlugin": {"enabled": False}, "gfd": {"enabled": False}}) == []


def test_a_release_that_a_patch_of_kustomize_names_goes_by_its_new_name(tmp_path):
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(release(PLUGIN, {})))
    (tmp_path / "kustomization.yaml").write_text("resources: [release.yaml]\nnamespace: gpu-system\n")

    assert [each.about.namespace for each in upgrade_leftovers(read([tmp_path]), TO_OPERATOR)] == ["gpu-system"]


# Each form in which pods are made

CONTAINER = {"name": "a", "image": "a:1", "env": [{"name": "LD_LIBRARY_PATH", "value": OLD}]}
POD = {"spec": {"containers": [CONTAINER]}}


def an_object(kind, api_version, spec, name="a"):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "ai"}, "spec": spec}


@pytest.mark.parametrize(
    "made",
    [
        an_object("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", {"leaderWorkerTemplate": {"workerTemplate": POD}}),
        an_object("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", {"leaderWorkerTemplate": {"leaderTemplate": POD}}),
        an_object("JobSet", "jobset.x-k8s.io/v1alpha2", {"replicatedJobs": [{"name": "a", "template": {"spec": {"template": POD}}}]}),
        an_object("InferenceService", "serving.kserve.io/v1beta1", {"predictor": {"containers": [CONTAINER]}}),
        an_object("StatefulSet", "apps/v1", {"template": POD}),
        an_object("CronJob", "batch/v1", {"jobTemplate": {"spec": {"template": POD}}}),
    ],
)
def test_pods_that_look_for_the_old_libraries_go_whatever_makes_them(made):
    assert leftovers(CROSSING, made) == [f"{made['kind']} ai/a"]
    assert leftovers(CROSSING, {"apiVersion": "v1", "kind": "List", "items": [made]}) == [f"{made['kind']} ai/a"]
    assert leftovers(TO_OPERATOR, made) == []


def test_of_the_values_of_a_chart_the_setting_goes_and_not_the_release():
    values = {"ollama": {"gpu": {"enabled": True}}, "extraEnv": [{"name": "LD_LIBRARY_PATH", "value": OLD}]}
    inputs = inputs_of(release("ollama", values))
    (found,) = upgrade_leftovers(inputs, CROSSING)

    assert found.about.label.startswith("ollama")
    assert found.path == ("spec", "values", "extraEnv", 0, "value")


def test_a_config_file_of_a_plugin_loses_its_setting_wherever_it_stands():
    config = "version: v1\nflags: {nvidiaDriverRoot: /usr/local/glibc}\n"
    in_values = release(PLUGIN, {"config": {"map": {"default": config}}})
    (in_object,) = upgrade_leftovers(inputs_of(config_map("plugin", {"default": config}), plugin_pods()), CROSSING)
    (in_chart,) = upgrade_leftovers(inputs_of(in_values), CROSSING)

    assert (in_object.about.label, in_object.path) == ("ConfigMap gpu/plugin", ("data", "default"))
    assert in_chart.path == ("spec", "values", "config", "map", "default")


def test_a_cluster_policy_stays_without_its_setting():
    policy = {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy"},
        "spec": {"hostPaths": {"driverInstallDir": "/usr/local/glibc"}},
    }
    (found,) = upgrade_leftovers(inputs_of(policy), CROSSING)

    assert (found.about.label, found.path) == ("ClusterPolicy cluster-policy", ("spec", "hostPaths", "driverInstallDir"))


def test_settings_of_a_release_that_goes_are_not_named_beside_it():
    values = {"nvidiaDriverRoot": "/usr/local/glibc"}
    both = Move(before=LEGACY, after=CDI, route="standalone", new_route="operator")

    assert [each.path for each in upgrade_leftovers(inputs_of(release(PLUGIN, values)), CROSSING)] == [
        ("spec", "values", "nvidiaDriverRoot")
    ]
    assert [each.path for each in upgrade_leftovers(inputs_of(release(PLUGIN, values)), both)] == [None]


def test_a_patch_that_reaches_several_nodes_is_one_setting():
    talconfig = """\
clusterName: home
talosVersion: v1.12.11
endpoint: https://10.0.0.10:6443
nodes: [{hostname: gpu-1, ipAddress: 10.0.0.30}, {hostname: gpu-2, ipAddress: 10.0.0.31}]
worker:
  patches:
    - |-
      machine:
        files: [{path: /var/a, op: create, content: /usr/local/glibc}]
"""

    assert len(upgrade_leftovers(inputs_of(talconfig), CROSSING)) == 1


# Scripts

BRIDGE = "while true; do touch ${DIR}/driver-ready ${DIR}/toolkit-ready; sleep 30; done"
RUN_NVIDIA = {"volumes": [{"name": "run", "hostPath": {"path": "/run/nvidia"}}]}


def test_a_bridge_whose_script_has_variables_of_a_shell_is_found_or_named():
    inputs = inputs_of(daemon_set("busybox:1.37", container={"command": ["sh", "-c", BRIDGE]}, pod=RUN_NVIDIA))
    found = upgrade_leftovers(inputs, CROSSING)

    assert [*labels(found), *labels(upgrade_unknowns(inputs, CROSSING, found))] == ["DaemonSet gpu/agent"]


def test_a_script_of_a_config_map_is_named_where_its_pods_mount_the_folder_of_the_markers():
    scripts = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bridge"}, "data": {"run.sh": "touch /v/toolkit-ready"}}
    volumes = [*RUN_NVIDIA["volumes"], {"name": "scripts", "configMap": {"name": "bridge"}}]
    mounts = daemon_set("busybox:1.37", container={"command": ["/scripts/run.sh"]}, pod={"volumes": volumes})
    reason = "the pod mounts /run/nvidia and a ConfigMap, and a script in a ConfigMap names toolkit-ready"

    assert unknowns(CROSSING, scripts, mounts) == [("DaemonSet gpu/agent", reason)]
    assert unknowns(TO_STANDALONE, scripts, mounts) == [("DaemonSet gpu/agent", reason)]
    assert unknowns(TO_OPERATOR, scripts, mounts) == []
    assert unknowns(CROSSING, mounts) == []
    assert unknowns(CROSSING, scripts, daemon_set("busybox:1.37", pod=RUN_NVIDIA)) == []


# The RuntimeClass


def test_why_the_runtime_class_goes_depends_on_the_talos_that_it_is_to_run_on():
    def reason(after):
        (found,) = upgrade_leftovers(inputs_of(runtime_class()), Move(before=CDI, after=after, route="standalone", new_route="operator"))
        return found.reason

    assert reason(CDI) == "the operator creates this RuntimeClass and owns it"
    assert reason(NRI) == "Talos 1.15 has no runtime nvidia, and the operator creates no RuntimeClass there"


# What can't be told


def with_chart_ref(**reference):
    body = release("x", {})
    body["spec"] = {"chartRef": reference}
    return body


def argo(path, **source):
    made = application("apps")
    made["spec"]["source"] = {"repoURL": "https://example.com/a.git", "path": path, **source}
    return made


def flux_kustomization(path):
    return an_object("Kustomization", "kustomize.toolkit.fluxcd.io/v1", {"path": path, "sourceRef": {"kind": "GitRepository", "name": "a"}})


UNKNOWN = [
    (release("${CHART}", {}), "another tool fills in the name of the chart, ${CHART}"),
    (application(chart="{{ chart }}"), "another tool fills in the name of the chart, {{ chart }}"),
    (with_chart_ref(kind="OCIRepository", name="gpu"), "the chart comes from the OCIRepository gpu, which was not read"),
    (with_chart_ref(kind="ExternalArtifact", name="gpu"), "the chart comes from the ExternalArtifact gpu, which was not read"),
    (with_chart_ref(kind="HelmChart", name="${NAME}"), "another tool fills in the name of the chart, ${NAME}"),
    (argo("apps/gpu"), "the deployed folder apps/gpu was not read"),
    (argo("clusters/${CLUSTER}"), "another tool fills in the deployed folder, clusters/${CLUSTER}"),
    (flux_kustomization("./apps/gpu"), "the deployed folder ./apps/gpu was not read"),
    (flux_kustomization("./apps/${CLUSTER}"), "another tool fills in the deployed folder, ./apps/${CLUSTER}"),
    (application_set({"list": {"elements": []}}), "the generators create no Application from these inputs"),
    (an_object("DaemonSet", "apps/v1", {"template": "${TEMPLATE}"}), "another tool fills in the containers, ${TEMPLATE}"),
    (an_object("JobSet", "jobset.x-k8s.io/v1alpha2", {"replicatedJobs": "${JOBS}"}), "another tool fills in the containers, ${JOBS}"),
]


@pytest.mark.parametrize("move", [CROSSING, TO_OPERATOR, TO_STANDALONE], ids=["crossing", "to operator", "to standalone"])
@pytest.mark.parametrize(("document", "reason"), UNKNOWN)
def test_what_can_not_be_told_is_named_with_its_reason(document, reason, move):
    ((_, said),) = unknowns(move, document)

    assert said == reason


def test_an_object_whose_kind_something_fills_in_is_named_by_the_reader_or_by_the_facts():
    inputs = inputs_of(an_object("${KIND}", "apps/v1", {}))
    reasons = [each.reason for each in (*inputs.skipped, *upgrade_unknowns(inputs, TO_OPERATOR, []))]

    assert ["${KIND}" in reason for reason in reasons] == [True]


def test_of_an_application_set_that_other_generators_fill_in_the_set_is_named():
    made = application_set({"clusters": {}})

    assert unknowns(TO_OPERATOR, made) == [("ApplicationSet argocd/gpu", "another tool fills in the name of the chart, {{chart}}")]


@pytest.mark.parametrize(("document", "reason"), UNKNOWN)
def test_nothing_is_named_where_nothing_can_have_to_go(document, reason):
    assert unknowns(NO_MOVE, document) == []


ONCE = [
    (
        CROSSING,
        daemon_set("a:1", env={"LD_LIBRARY_PATH": "${LIBRARIES}"}),
        "another tool fills in the variable LD_LIBRARY_PATH, ${LIBRARIES}",
    ),
    (CROSSING, daemon_set("a:1", env={"NVIDIA_DRIVER_ROOT": "${ROOT}"}), "another tool fills in the variable NVIDIA_DRIVER_ROOT, ${ROOT}"),
    (
        CROSSING,
        daemon_set("a:1", pod={"volumes": [{"hostPath": {"path": "${ROOT}/lib"}}]}),
        "another tool fills in the host path ${ROOT}/lib",
    ),
    (
        CROSSING,
        release("gpu-operator", {}, valuesFrom=[{"kind": "Secret", "name": "a"}]),
        "some of the values come from a source that was not read",
    ),
    (
        TO_STANDALONE,
        daemon_set("a:1", container={"command": ["sh", "-c", "${SCRIPT}"]}, pod=RUN_NVIDIA),
        "another tool fills in the command, and the pod mounts /run/nvidia",
    ),
    (TO_OPERATOR, daemon_set("${IMAGE}"), "another tool fills in the image, ${IMAGE}"),
    (TO_OPERATOR, daemon_set("example.com/${NAME}:v1"), "another tool fills in the image, example.com/${NAME}:v1"),
    (
        TO_STANDALONE,
        an_object("Deployment", "apps/v1", {"template": {"spec": {"containers": [{"image": "{{ image }}"}]}}}),
        "another tool fills in the image, {{ image }}",
    ),
    (TO_OPERATOR, runtime_class("${NAME}"), "another tool fills in the name, ${NAME}"),
]


@pytest.mark.parametrize(("move", "document", "reason"), ONCE)
def test_what_decides_only_of_one_move_is_named_for_that_move(move, document, reason):
    assert [said for _, said in unknowns(move, document)] == [reason]


@pytest.mark.parametrize(
    ("move", "document"),
    [
        # Only what decides is named: most of a repository is filled in by Flux.
        (CROSSING, daemon_set("a:${TAG}", env={"DOMAIN": "${DOMAIN}"})),
        (TO_OPERATOR, daemon_set("example.com/agent:${TAG}")),
        (TO_OPERATOR, daemon_set("${REGISTRY}/agent@${DIGEST}")),
        (CROSSING, daemon_set("${IMAGE}")),
        (TO_OPERATOR, daemon_set("a:1", env={"LD_LIBRARY_PATH": "${LIBRARIES}"})),
        (TO_OPERATOR, release("cilium", {"a": "${A}"})),
        (TO_STANDALONE, daemon_set("a:1", container={"command": ["sh", "-c", "${SCRIPT}"]})),
        (TO_OPERATOR, argo(".")),
    ],
)
def test_what_decides_nothing_may_be_filled_in(move, document):
    assert unknowns(move, document) == []


def test_an_object_whose_pods_change_may_still_have_to_go_and_one_that_goes_is_named_once():
    both = Move(before=LEGACY, after=CDI, route="standalone", new_route="operator")
    pods = inputs_of(daemon_set("${IMAGE}", env={"LD_LIBRARY_PATH": OLD}))
    bridge = inputs_of(daemon_set("${IMAGE}", container={"command": ["touch", "/run/nvidia/validations/toolkit-ready"]}))

    (changed,), (gone,) = upgrade_leftovers(pods, both), upgrade_leftovers(bridge, both)

    assert (changed.about.label, changed.in_pods, gone.about.label, gone.path) == ("DaemonSet gpu/agent", True, "DaemonSet gpu/agent", None)
    assert [each.reason for each in upgrade_unknowns(pods, both, [changed])] == ["another tool fills in the image, ${IMAGE}"]
    assert upgrade_unknowns(bridge, both, [gone]) == []


def test_a_folder_that_was_read_or_said_to_be_skipped_is_not_named(tmp_path, monkeypatch):
    for name in ("gpu", "chart/templates"):
        (tmp_path / "repo" / "apps" / name).mkdir(parents=True)
    (tmp_path / "repo" / "apps" / "gpu" / "a.yaml").write_text(yaml.safe_dump(runtime_class()))
    (tmp_path / "repo" / "apps" / "chart" / "Chart.yaml").write_text("name: chart\n")
    (tmp_path / "repo" / "apps" / "chart" / "templates" / "a.yaml").write_text("{{ include }}")
    documents = [flux_kustomization(f"./repo/apps/{name}") for name in ("gpu", "chart", "none")]
    (tmp_path / "repo" / "flux.yaml").write_text("\n---\n".join(map(yaml.safe_dump, documents)))
    # From inside of the repository, too, whose paths begin above.
    for folder, given in ((tmp_path, "repo"), (tmp_path / "repo", ".")):
        monkeypatch.chdir(folder)
        inputs = read([given])
        found = upgrade_leftovers(inputs, TO_OPERATOR)
        reasons = [each.reason for each in upgrade_unknowns(inputs, TO_OPERATOR, found)]

        assert [reason for reason in reasons if "apps/gpu" in reason] == []
        assert "the deployed folder ./repo/apps/none was not read" in reasons


def test_an_overlay_is_read_though_its_objects_are_in_its_base(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    for name in ("base", "overlay", "flux"):
        (tmp_path / name).mkdir()
    (tmp_path / "base" / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tmp_path / "base" / "a.yaml").write_text(yaml.safe_dump(runtime_class("gpu")))
    (tmp_path / "overlay" / "kustomization.yaml").write_text("resources: [../base]\n")
    documents = [flux_kustomization("./overlay"), flux_kustomization("./base")]
    documents[1]["metadata"]["name"] = "base"
    (tmp_path / "flux" / "apps.yaml").write_text("\n---\n".join(map(yaml.safe_dump, documents)))
    inputs = read([tmp_path])

    assert upgrade_unknowns(inputs, TO_OPERATOR, []) == []
    # A program has no files, and so nothing beside them.
    monkeypatch.chdir(tmp_path)
    made = read_manifests([("manifests[0]", flux_kustomization("./overlay"))])
    assert [each.reason for each in upgrade_unknowns(made, TO_OPERATOR, [])] == ["the deployed folder ./overlay was not read"]


def test_a_source_stays_where_what_stays_may_take_its_chart_from_it():
    source = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "HelmRepository", "metadata": {"name": "nvidia", "namespace": "gpu"}}
    reference = {"kind": "HelmRepository", "name": "nvidia"}

    def one(chart, **changed):
        body = release(chart, {})
        body["spec"]["chart"]["spec"]["sourceRef"] = {**reference, **changed}
        return body

    def kinds(*documents):
        return [each.about.at("kind") for each in upgrade_leftovers(inputs_of(*documents), TO_OPERATOR)]

    assert kinds(source, one(PLUGIN)) == ["HelmRepository", "HelmRelease"]
    assert kinds(source, one(PLUGIN), one("network-operator", name="other")) == ["HelmRepository", "HelmRelease"]
    assert kinds(source, one(PLUGIN), one("network-operator", name="${SOURCE}")) == ["HelmRelease"]
    assert kinds(source, one(PLUGIN, name="${SOURCE}")) == ["HelmRelease"]


def test_two_names_with_the_same_variable_are_not_the_same_source():
    source = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "HelmRepository", "metadata": {"name": "${A}", "namespace": "gpu"}}
    body = release(PLUGIN, {})
    body["spec"]["chart"]["spec"]["sourceRef"] = {"kind": "HelmRepository", "name": "${A}"}

    assert [each.about.at("kind") for each in upgrade_leftovers(inputs_of(source, body), TO_OPERATOR)] == ["HelmRelease"]
