"""Patches that talhelper's file names and git does not hold: ClusterTool's, and those that git ignores."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.report import Report
from constructs_lib.observed.read.repository import read

TALCONFIG = """\
clusterName: home
talosVersion: v1.12.4
endpoint: https://10.0.0.10:6443
patches: ['@./patches/all.yaml']
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
    controlPlane: true
    schematic:
      customization:
        systemExtensions:
          officialExtensions: [siderolabs/nonfree-kmod-nvidia-production, siderolabs/nvidia-container-toolkit-production]
"""
PLUGIN = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values: {runtimeClassName: nvidia}
"""


def tree(folder, **files):
    (folder / "clusters/main/talos").mkdir(parents=True)
    (folder / "clusters/main/talos/talconfig.yaml").write_text(TALCONFIG)
    (folder / "plugin.yaml").write_text(PLUGIN)
    for name, text in files.items():
        path = folder / {"ignores": ".gitignore", "variables": "clusters/main/clusterenv.yaml"}[name]
        path.write_text(text)
    return read([folder])


def head(inputs):
    return "\n".join(Report(inputs=inputs, all_findings=()).head)


def test_clustertools_patches_are_named_in_the_head(tmp_path):
    inputs = tree(tmp_path, variables="VIP: 10.0.0.10\n")
    assert "ClusterTool makes ./patches/all.yaml outside of git: what this file says of modules" in head(inputs)
    (config,) = inputs.node_configs
    assert config.talos_version == "v1.12.4"
    assert config.extensions
    assert not config.complete


@pytest.mark.parametrize("pattern", ["all.yaml", "*patches/all.yaml", "/clusters/main/talos/patches/", "patches/", "**/patches/all.yaml"])
def test_a_file_that_git_ignores_is_made_by_a_tool(tmp_path, pattern):
    assert "A tool makes ./patches/all.yaml outside of git" in head(tree(tmp_path, ignores=f"# made\n{pattern}\n"))


@pytest.mark.parametrize("pattern", ["", "worker.yaml", "/all.yaml", "all.yaml\n!all.yaml", "patches/*.json"])
def test_another_missing_file_is_only_missing(tmp_path, pattern):
    inputs = tree(tmp_path, ignores=f"{pattern}\n")
    assert "outside of git" not in head(inputs)
    assert any("can't be read" in each.reason for each in inputs.skipped)


def test_a_label_that_an_unread_patch_may_set_is_a_remark(tmp_path):
    label = next(each for each in run_rules(tree(tmp_path, variables="VIP: 10.0.0.10\n")) if each.rule == "TG007")
    assert label.severity == "remark"


def test_without_such_a_patch_the_label_is_a_warning(tmp_path):
    assert next(each for each in run_rules(tree(tmp_path)) if each.rule == "TG007").severity == "warning"


NAMESPACE = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: gpu}\n"


@pytest.mark.parametrize("files", [{"variables": "VIP: 10.0.0.10\n"}, {}], ids=["made by ClusterTool", "missing"])
def test_pod_security_that_an_unread_patch_may_turn_off_is_a_remark(tmp_path, files):
    (tmp_path / "namespace.yaml").write_text(NAMESPACE + "---\n" + PLUGIN.replace("kube-system", "gpu"))
    inputs = tree(tmp_path, **files)
    (found,) = [each for each in run_rules(inputs) if each.rule == "TG052"]

    assert found.severity == "remark"
    assert found.message.endswith("if no patch of the control plane changes that: not all of them were read")


MISSING = (
    "the node has siderolabs/nonfree-kmod-nvidia-production, but loads neither nvidia nor nvidia_uvm. The extension turns automatic loading "
    "off, so the node has no /dev/nvidia0"
)


def test_clustertools_patches_name_no_module_so_a_missing_module_is_a_warning(tmp_path):
    (finding,) = run_rules(tree(tmp_path, variables="VIP: 10.0.0.10\n"), select=["TG071"])
    assert (finding.severity, finding.message) == ("warning", f"{MISSING}. Unless a patch that ClusterTool makes sets it")


def test_a_patch_that_another_tool_makes_may_name_the_modules(tmp_path):
    assert run_rules(tree(tmp_path, ignores="all.yaml\n"), select=["TG071"]) == []


def test_a_second_patch_that_can_t_be_read_may_name_the_modules_too(tmp_path):
    tree(tmp_path, variables="VIP: 10.0.0.10\n")
    path = tmp_path / "clusters/main/talos/talconfig.yaml"
    path.write_text(path.read_text().replace("all.yaml'", "all.yaml', '@./patches/gpu.yaml'"))
    assert run_rules(read([tmp_path]), select=["TG071"]) == []
