"""The whole of a change: versions, findings, steps, and "nothing" only where nothing that was read differs."""

import pytest
from test_parts import DAEMON_SET, MACHINE, SERVER

from constructs_lib.changes.change_text import NOTHING, change_text, summary
from constructs_lib.changes.cluster_change import ClusterChange, Side, outages_of, plan_command, steps_of
from constructs_lib.changes.versions import Subject, charts_of, versions
from constructs_lib.checks.rule import Finding, Severity
from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.observed.model import Inputs
from constructs_lib.observed.read.repository import read, read_text

EXTENSIONS = """\
customization:
  systemExtensions:
    officialExtensions: [siderolabs/nvidia-open-gpu-kernel-modules-production, siderolabs/nvidia-container-toolkit-production]
"""
NODES = GpuNodes(talos_version="1.13", product="RTX 4090", gpus_per_node=1, count=1)
OPERATOR = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu-operator}
spec: {chart: {spec: {chart: gpu-operator, version: v26.3.0}}}
"""


def change(old, new, *, nodes=(), talos=None):
    sides = [read_text(text, nodes=nodes, talos=talos) for text in (old, new)]
    return ClusterChange(old=Side(name="old", inputs=sides[0]), new=Side(name="new", inputs=sides[1]))


def rows(found):
    return [(str(each.subject), each.old, each.new) for each in found.versions]


def test_the_same_files_change_nothing():
    found = change(DAEMON_SET, DAEMON_SET)

    assert found.is_nothing
    assert summary(found) == NOTHING


def test_a_new_talos_brings_another_driver_and_the_steps_of_its_upgrade():
    old = f"{MACHINE}---\n{EXTENSIONS}"
    found = change(old, old.replace("v1.13.1", "v1.14.2"))

    assert ("Talos", "1.13.1", "1.14.2") in rows(found)
    ((where, to, plan),) = found.upgrades
    assert (where, to, plan_command(plan)) == ("", "1.14.2", "talos-gpu upgrade --talos 1.13.1 --to 1.14.2 --route standalone")
    assert steps_of(plan)["at the upgrade"] == ["Upgrade one node of the class to Talos 1.14.2."]
    assert {"before", "after"} < {*steps_of(plan)}


def test_an_older_talos_has_no_plan():
    assert change(MACHINE.replace("v1.13.1", "v1.14.2"), MACHINE).upgrades == []


def test_a_version_that_only_one_side_states_is_not_read_on_the_other():
    assert rows(change(SERVER, SERVER + "---\n" + MACHINE))[0] == ("Talos", None, "1.13.1")


def test_versions_of_files_that_disagree_are_told(tmp_path, monkeypatch):
    """talconfig.yaml is bumped, and a machine configuration stays."""
    talhelper = "clusterName: a\nendpoint: https://10.0.0.1:6443\ntalosVersion: v1.13.1\nnodes: [{hostname: a, ipAddress: 10.0.0.2, controlPlane: true}]\n"
    old = {"machine.yaml": MACHINE, "talconfig.yaml": talhelper}
    new = old | {"talconfig.yaml": talhelper.replace("v1.13.1", "v1.12.3")}
    found = folder_change(tmp_path, monkeypatch, old, new)

    assert rows(found)[0] == ("Talos", "1.13.1", "1.13.1, 1.12.3 (the files disagree)")
    assert found.upgrades == []
    assert rows(folder_change(tmp_path / "same", monkeypatch, new, new)) == []


def test_the_driver_of_an_image_is_exact_for_the_newest_patch_and_a_branch_for_another():
    newest = NODES.talos_version.release.newest
    image = f"{MACHINE}---\n{EXTENSIONS}"
    exact, branch = (versions(read_text(image.replace("1.13.1", patch))) for patch in (newest, "1.13.1"))
    driver = NODES.talos_version.release.drivers["production"]

    assert f"{driver} (production)" in exact.values()
    assert f"{driver.partition('.')[0]} (production)" in branch.values()
    assert f"{driver} (production)" not in branch.values()


def test_charts_and_images_have_versions():
    inputs = read_text(f"{OPERATOR}---\n{DAEMON_SET}")
    found = versions(inputs)

    assert charts_of([inputs])[0][Subject("chart gpu-operator", "gpu-operator/gpu-operator")].version == "v26.3.0"
    assert found[Subject("image nvcr.io/nvidia/k8s-device-plugin", "DaemonSet gpu/plugin (container plugin)")] == "v0.17.0"


def test_a_finding_is_new_solved_or_stays():
    broken = SERVER.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 0.5")
    second = broken.replace("name: server,", "name: second,")
    found = change(f"{broken}---\n{SERVER}", f"{second}---\n{broken}", talos="1.13")

    assert [(each.rule, each.object) for each in found.new_findings if each.severity == "error"] == [("TG045", "Deployment ai/second")]
    assert [each.rule for each in change(broken, SERVER, talos="1.13").solved_findings if each.severity == "error"] == ["TG045"]
    assert found.remaining >= 1


@pytest.mark.parametrize(("least", "expected"), [(Severity.ERROR, True), (Severity.INFO, True), (None, False)])
def test_a_new_error_fails_by_its_severity(least, expected):
    assert change(SERVER, SERVER.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 0.5"), talos="1.13").fails(least) is expected


def test_a_finding_about_a_release_stays_after_a_bump():
    old = OPERATOR.replace("version: v26.3.0}}}", "version: v26.3.2}}, values: {devicePlugin: {tolerations: []}}}")
    found = change(old, old.replace("v26.3.2", "v26.3.3"), talos="1.13")

    assert [each.rule for each in (*found.new_findings, *found.solved_findings)] == []
    assert found.versions


def test_an_old_error_fails_nothing():
    broken = SERVER.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 0.5")

    assert not change(broken, broken.replace("server:1", "server:2"), talos="1.13").fails(Severity.INFO)


def test_a_file_that_names_nvidia_and_was_not_read_is_told_where_it_differs():
    text = "kind: [nvidia\n"
    sides = [read_text(text, file="gpu.yaml"), read_text(text, file="gpu.yaml")]
    bytes_of = ({"gpu.yaml": b"1"}.get, {"gpu.yaml": b"2"}.get)
    found = ClusterChange(
        old=Side(name="a", inputs=sides[0], text_of=bytes_of[0]), new=Side(name="b", inputs=sides[1], text_of=bytes_of[1])
    )

    assert [each.file for each in found.unread] == ["gpu.yaml"]
    assert not found.is_nothing
    same = ClusterChange(old=Side(name="a", inputs=sides[0], text_of=bytes_of[0]), new=Side(name="b", inputs=sides[1], text_of=bytes_of[0]))
    assert same.is_nothing


@pytest.mark.parametrize(
    ("old", "new", "file", "fate"),
    [
        (b"1", b"2", "", "differs"),
        (b"1", None, "", "is gone"),
        (None, b"2", "", "is new"),
        (b"1", None, "gpu.yaml", "differs"),
    ],
)
def test_what_became_of_a_file_that_was_not_read_is_told(old, new, file, fate):
    unread = read_text("kind: [nvidia\n", file="gpu.yaml")
    sides = [
        Side(name=name, inputs=Inputs() if text is None else unread, text_of=lambda _, text=text: text, file=file)
        for name, text in (("a", old), ("b", new))
    ]
    (line,) = (each for each in change_text(ClusterChange(old=sides[0], new=sides[1])) if each.startswith("gpu.yaml"))

    assert line.startswith(f"gpu.yaml:2 {fate}, and was not read: ")


def test_a_file_that_is_not_here_is_told():
    same = {"inputs": read_text(SERVER)}
    found = ClusterChange(old=Side(name="a", **same), new=Side(name="b", **same, missing={"gpu.yaml": "1"}))

    assert not found.is_nothing
    assert (
        "1 file of b, such as gpu.yaml: this partial clone has only the names; `git fetch --refetch --no-filter` brings the files\n"
        in list(change_text(found))
    )


def test_two_sides_without_files_are_alike():
    assert ClusterChange(old=Side(name="a", inputs=Inputs()), new=Side(name="b", inputs=Inputs())).is_nothing


def test_a_new_version_of_a_chart_says_what_it_does_and_what_was_not_seen():
    found = change(OPERATOR, OPERATOR.replace("v26.3.0", "v26.3.3"), talos="1.13")

    expected = (
        "the operator starts anew and replaces the agents that its release changes; where the device plugin is one of them, a node offers no GPU "
        "until its device plugin has registered again; pods that run keep theirs"
    )
    assert [each for row in found.versions for each in row.effects] == [expected]
    assert "what chart gpu-operator renders, which its own templates say: `helm template` shows the objects\n" in change_text(found)


def test_an_image_that_the_values_keep_is_told_beside_the_new_chart():
    plugin = OPERATOR.replace("gpu-operator", "nvidia-device-plugin").replace("v26.3.0}}}", "0.18.2}}, values: {image: {tag: v0.18.2}}}")
    found = change(plugin, plugin.replace(" 0.18.2", " 0.19.3"), talos="1.13")

    assert found.versions[0].effects == ("the values keep the image v0.18.2: its pods restart only where the new templates differ",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{image: {tag: v0.18.2}}", "{image: {tag: v0.18.2}, affinity: {}}"),
        ("}}}\n", "}}, valuesFrom: [{kind: ConfigMap, name: unread}]}\n"),
    ],
)
def test_a_kept_image_restarts_the_pods_where_other_values_change_or_were_not_read(before, after):
    plugin = OPERATOR.replace("gpu-operator", "nvidia-device-plugin").replace("v26.3.0}}}", "0.18.2}}, values: {image: {tag: v0.18.2}}}")
    found = change(plugin, plugin.replace(" 0.18.2", " 0.19.3").replace(before, after))

    assert found.versions[0].effects == (
        "its pods restart: a node offers no GPU until its device plugin has registered again; pods that run keep theirs",
    )


def test_a_chart_that_comes_or_goes_is_none_on_the_other_side():
    assert ("chart gpu-operator (gpu-operator/gpu-operator)", "none", "v26.3.0") in rows(
        change(SERVER, f"{SERVER}---\n{OPERATOR}", talos="1.13")
    )


def test_a_chart_that_flux_can_not_pull_restarts_nothing():
    source = """\
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: plugin, namespace: gpu}
spec: {url: oci://ghcr.io/example/nvidia-device-plugin, ref: {tag: 0.19.3}}
"""
    release = OPERATOR.replace("gpu-operator", "plugin").replace(
        "{chart: {spec: {chart: plugin, version: v26.3.0}}}", "{chartRef: {kind: OCIRepository, name: plugin}}"
    )
    release = release.replace("namespace: plugin", "namespace: gpu")
    old = release + source
    broken, pulled = (change(old, old.replace("tag: 0.19.3", f"tag: 0.20.0, digest: '{digest}'")) for digest in ("4f2c", "sha256:4f2c"))

    assert [row.effects for row in broken.versions] == [()]
    assert all(row.effects for row in pulled.versions)


def test_the_plan_is_that_of_the_stack_afterwards():
    ((_, _, plan),) = change(MACHINE, MACHINE.replace("v1.13.1", "v1.13.9") + "---\n" + OPERATOR).upgrades

    assert plan_command(plan).endswith("--route operator")


def test_two_files_with_other_names_are_the_same_file():
    old, new = (read_text(text, file=name) for text, name in ((MACHINE, "a.yaml"), (MACHINE.replace("v1.13.1", "v1.13.9"), "b.yaml")))
    found = ClusterChange(old=Side(name="a", inputs=old, file="a.yaml"), new=Side(name="b", inputs=new, file="b.yaml"))

    assert [str(each.way) for each in found.parts] == ["changed"]


def test_a_file_or_a_link_that_both_sides_have_alike_is_no_difference():
    same = {"inputs": Inputs(), "missing": {"gpu.yaml": "1"}, "outside": {"out": "/etc"}}
    found = ClusterChange(old=Side(name="a", **same), new=Side(name="b", **same))
    other = ClusterChange(old=Side(name="a", **same), new=Side(name="b", **(same | {"missing": {"gpu.yaml": "2"}, "outside": {}})))

    assert (found.is_nothing, found.missing, found.outside) == (True, [], [])
    assert (other.is_nothing, other.missing, other.outside) == (False, [("a", ["gpu.yaml"]), ("b", ["gpu.yaml"])], [("a", ["out"])])


TEMPLATE = """\
kind: Cluster
name: home
talos: {version: v1.12.8}
kubernetes: {version: v1.35.4}
---
kind: Workers
machines: [430d882a-51a8-48b3-ae00-90c5b0b5b0b0]
---
kind: Machine
name: 430d882a-51a8-48b3-ae00-90c5b0b5b0b0
systemExtensions: [siderolabs/nvidia-open-gpu-kernel-modules-production, siderolabs/nvidia-container-toolkit-production]
"""


def folder_change(tmp_path, monkeypatch, old, new):
    sides = []
    for name, files in (("old", old), ("new", new)):
        (tmp_path / name).mkdir(parents=True)
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)
        monkeypatch.chdir(tmp_path / name)
        texts = {file: text.encode() for file, text in files.items()}
        sides.append(Side(name=name, inputs=read(["."]), text_of=texts.get))
    return ClusterChange(old=sides[0], new=sides[1])


def test_a_node_in_two_templates_is_compared_in_each(tmp_path, monkeypatch):
    other = TEMPLATE.replace("v1.12.8", "v1.12.3")
    old, new = ({"cluster.yaml": text, "future.yaml": other} for text in (TEMPLATE, TEMPLATE.replace("v1.12.8", "v1.13.3")))
    found = folder_change(tmp_path, monkeypatch, old, new)

    assert [(each.file, str(each.fields[0])) for each in found.parts] == [("cluster.yaml", "talos_version: v1.12.8 -> v1.13.3")]
    assert next((each.old, each.new) for each in found.versions if each.subject.where) == ("1.12.8", "1.13.3")


def test_nodes_with_the_same_upgrade_have_one_plan(tmp_path, monkeypatch):
    second = TEMPLATE.replace("430d882a", "530d882a").replace("name: home", "name: lab").replace("v1.12.8", "v1.12.3")
    old = {"a.yaml": TEMPLATE, "b.yaml": second}
    new = {file: text.replace("v1.12.8", "v1.13.3").replace("v1.12.3", "v1.13.3") for file, text in old.items()}
    found = folder_change(tmp_path, monkeypatch, old, new)

    assert sorted((str(plan.nodes.talos_version), to) for _, to, plan in found.upgrades) == sorted(
        {(row.old, row.new) for row in found.versions if row.subject.part == "Talos" and row.old and row.new}
    )


def test_the_number_of_findings_that_stay_is_told():
    broken = SERVER.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 0.5")

    assert "; on both sides: " in summary(change(broken, broken.replace("server:1", "server:2"), talos="1.13"))


BROKEN = SERVER.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 0.5")


def errors(findings):
    return [(each.rule, each.file) for each in findings if each.severity == "error"]


def test_a_finding_that_one_cluster_gets_and_another_one_loses_is_new_and_solved(tmp_path, monkeypatch):
    found = folder_change(tmp_path, monkeypatch, {"a.yaml": BROKEN, "b.yaml": SERVER}, {"a.yaml": SERVER, "b.yaml": BROKEN})

    assert errors(found.new_findings) == [("TG045", "b.yaml")]
    assert errors(found.solved_findings) == [("TG045", "a.yaml")]


def test_a_finding_of_a_moved_file_is_neither_new_nor_solved(tmp_path, monkeypatch):
    found = folder_change(tmp_path, monkeypatch, {"a.yaml": BROKEN}, {"b.yaml": BROKEN})

    assert errors([*found.new_findings, *found.solved_findings]) == []


def test_a_rule_that_an_object_still_breaks_is_not_solved_by_another_severity():
    findings = [
        Finding(rule="TG010", severity=each, message="m", fix="f", file="a.yaml", object="gpu-operator v1 (a/b)") for each in Severity
    ]
    found = ClusterChange(old=Side(name="old", inputs=Inputs()), new=Side(name="new", inputs=Inputs()))
    found.__dict__["_findings"] = [[(("TG010",), each) for each in findings], [(("TG010",), findings[0])]]

    assert found.solved_findings == []
    found.__dict__["_findings"][1] = []
    assert found.solved_findings == findings


PLUGIN = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: gpu}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.17.2}}
  values: {image: {repository: nvcr.io/nvidia/k8s-device-plugin, tag: v0.17.2}}
"""


def test_charts_of_two_namespaces_and_of_two_clusters_are_told_apart(tmp_path, monkeypatch):
    other = PLUGIN.replace("namespace: gpu", "namespace: lab")
    both, of_namespaces = ({"a.yaml": PLUGIN, "b.yaml": each} for each in (PLUGIN, other))
    bumped = {"a.yaml": PLUGIN.replace("version: 0.17.2", "version: 0.17.3")}
    clusters, namespaces = (
        folder_change(tmp_path / f"{number}", monkeypatch, old, old | bumped) for number, old in enumerate((both, of_namespaces))
    )

    assert rows(clusters) == [("chart nvidia-device-plugin (gpu/plugin, a.yaml)", "0.17.2", "0.17.3")]
    assert rows(namespaces) == [("chart nvidia-device-plugin (gpu/plugin)", "0.17.2", "0.17.3")]


@pytest.mark.parametrize("more", ["", "gfd: {enabled: true}, "])
def test_an_image_is_told_beside_the_version_of_its_chart(more):
    new = PLUGIN.replace("0.17.2", "0.17.3").replace("values: {", f"values: {{{more}")

    assert rows(change(PLUGIN, new)) == [
        ("image nvcr.io/nvidia/k8s-device-plugin (nvidia-device-plugin (gpu/plugin) (image))", "v0.17.2", "v0.17.3"),
        ("chart nvidia-device-plugin (gpu/plugin)", "0.17.2", "0.17.3"),
    ]


def test_a_kubernetes_that_is_new_enough_needs_no_step():
    old = f"{MACHINE}---\n{EXTENSIONS}".replace("v1.13.1", "v1.12.3")
    ((_, _, plan),) = change(old, old.replace("v1.12.3", "v1.13.3")).upgrades
    title = "Upgrade Kubernetes to 1.31 or newer."

    assert title in steps_of(plan)["before"]
    assert title in steps_of(plan, "v1.30.2")["before"]
    assert title not in steps_of(plan, "1.31.0")["before"]
    assert len(steps_of(plan, "1.36")["before"]) == len(steps_of(plan)["before"]) - 1


def test_the_nodes_without_gpus_during_an_upgrade_are_told():
    old = f"{MACHINE}---\n{EXTENSIONS}"
    ((_, _, plan),) = change(old, old.replace("v1.13.1", "v1.14.2")).upgrades

    assert outages_of(plan) == [
        "no GPUs: one node at a time. Its pods are evicted, and start on other nodes of the class with free GPUs; without such a node they stay Pending."
    ]


def test_a_cluster_without_gpus_has_no_steps():
    old = MACHINE.replace("{name: nvidia}, {name: nvidia_uvm}", "{name: zfs}").replace("role: gpu", "role: storage")
    found = change(old, old.replace("v1.13.1", "v1.14.2"))

    assert rows(found)[0] == ("Talos", "1.13.1", "1.14.2")
    assert found.upgrades == []
    assert list(change_text(found))[-1].startswith("no GPU operator, device plugin, GPU workload or GPU node configuration was read")


@pytest.mark.parametrize("broken", ["\0", OPERATOR + "  values: {\n"])
def test_what_is_in_a_file_that_one_side_can_not_read_is_neither_removed_nor_added_nor_solved(tmp_path, monkeypatch, broken):
    good = {"stack.yaml": f"{PLUGIN}---\n{DAEMON_SET}---\n{BROKEN}"}
    for name, found in (
        ("there", folder_change(tmp_path / "there", monkeypatch, good, {"stack.yaml": broken})),
        ("back", folder_change(tmp_path / "back", monkeypatch, {"stack.yaml": broken}, good)),
    ):
        assert found.parts == []
        assert {*errors(found.solved_findings)} <= {("TG141", "stack.yaml")}
        assert [each.file for each in found.unread] == ["stack.yaml"]
        charts = [(old, new) for subject, old, new in rows(found) if subject.startswith("chart")]
        assert charts == ([("0.17.2", None)] if name == "there" else [(None, "0.17.2")])
        # A fault is told, also where nobody knows whether it is new.
        assert bool({*errors(found.new_findings)} - {("TG141", "stack.yaml")}) is (name == "back")


def test_a_node_with_its_first_extension_of_nvidia_is_changed():
    old = f"{MACHINE}---\n{EXTENSIONS}".replace("{name: nvidia}, {name: nvidia_uvm}", "")
    plain = MACHINE.replace("{name: nvidia}, {name: nvidia_uvm}", "")
    (part,) = change(plain, MACHINE).parts

    assert (str(part.way), part.label) == ("changed", "gpu-1")
    assert change(plain, plain.replace("role: gpu", "role: web")).parts == []
    assert [str(each.way) for each in change(plain, old).parts] == ["added"]


def test_the_plan_is_that_of_the_drivers_of_the_nodes():
    """The lts driver of Talos 1.12 is that of Talos 1.13."""
    old = f"{MACHINE}---\n{EXTENSIONS}".replace("v1.13.1", "v1.12.3")
    title = "Check that your images run on the new driver."
    ((_, _, plan),) = change(old, old.replace("v1.12.3", "v1.13.3")).upgrades
    assert title in steps_of(plan)["before"]

    lts = old.replace("open-gpu-kernel-modules-production", "open-gpu-kernel-modules-lts").replace("toolkit-production", "toolkit-lts")
    ((_, _, plan),) = change(lts, lts.replace("v1.12.3", "v1.13.3")).upgrades
    assert title not in steps_of(plan)["before"]
    assert plan_command(plan) == "talos-gpu upgrade --talos 1.12.3 --to 1.13.3 --route standalone --driver-track lts"

    other = lts.replace("nvidia-open-gpu-kernel-modules", "nonfree-kmod-nvidia")
    ((_, _, plan),) = change(other, other.replace("v1.12.3", "v1.13.3")).upgrades
    assert plan_command(plan).endswith(" --driver-track lts --kernel-modules proprietary")
