"""The rules about node configurations, each by its own conditions."""

import json
import textwrap
from pathlib import Path

import pytest
import yaml

from conftest import needs
from constructs_lib.checks.engine import run_rules, violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.checks.rules._shared import dra_release
from constructs_lib.nodes.factory_ids import id_of_written
from constructs_lib.observed.read.repository import read, read_text
from constructs_lib.upstream.talos.config_documents import CONFIG_DOCUMENTS_SINCE
from constructs_lib.upstream.talos.releases import READ_ON

OPEN = ("nvidia-open-gpu-kernel-modules-production", "nvidia-container-toolkit-production")
PROPRIETARY = ("nonfree-kmod-nvidia-production", "nvidia-container-toolkit-production")
FOUR = ("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset")
MINE = [f"TG{number:03}" for number in range(70, 90)]


def found(text, rule, talos=None):
    """Severity, line and message of what a rule says of a text."""
    inputs = read_text(text, file="talos.yaml", talos=talos)
    return [(str(each.severity), each.line, each.message) for each in run_rules(inputs, select=[rule])]


def severities(text, rule, talos=None):
    return [severity for severity, _, _ in found(text, rule, talos)]


def node(*, extensions=(), modules=(), talos="v1.13.9", more=""):
    """A worker of talhelper."""
    lines = ["clusterName: home", f"talosVersion: {talos}", "endpoint: https://10.0.0.10:6443", "nodes:", "  - hostname: gpu-1"]
    if extensions:
        listed = ", ".join(f"siderolabs/{name}" for name in extensions)
        lines.append(f"    schematic: {{customization: {{systemExtensions: {{officialExtensions: [{listed}]}}}}}}")
    if modules:
        lines.append(f"    kernelModules: [{', '.join(f'{{name: {name}}}' for name in modules)}]")
    return "\n".join(lines) + f"\n{more}"


def image(*extensions):
    listed = "".join(f"      - {name if '/' in name or '$' in name else f'siderolabs/{name}'}\n" for name in extensions)
    return f"customization:\n  systemExtensions:\n    officialExtensions:\n{listed}"


def file(content, path="/etc/cri/conf.d/20-customization.part", op="create"):
    """A patch with one file."""
    return json.dumps({"machine": {"files": [{"path": path, **({"op": op} if op else {}), "content": content}]}})


def test_nothing_is_said_of_a_node_without_gpus():
    text = node(extensions=("iscsi-tools",), modules=("nbd",), talos="v1.11.5", more="    nodeLabels: {role: web}\n")

    assert run_rules(read_text(text), select=MINE) == []


# TG070


def test_extensions_for_a_whole_omni_cluster_are_a_warning():
    template = f"kind: Cluster\nname: home\nsystemExtensions: [siderolabs/{OPEN[0]}]\n---\nkind: Workers\nmachines: [a, b]\n"

    assert found(template, "TG070") == [
        (
            "warning",
            3,
            (
                f"every node of home gets siderolabs/{OPEN[0]}. On a node without a card ext-nvidia-persistenced waits for /dev/nvidia0, and Talos reboots the node "
                "about every 70 minutes"
            ),
        )
    ]
    assert severities(template.replace("Cluster\nname: home\nsystem", "Cluster\nname: home\nother"), "TG070") == []


def test_extensions_for_a_set_of_workers_are_theirs():
    assert (
        severities(f"kind: Cluster\nname: home\n---\nkind: Workers\nsystemExtensions: [siderolabs/{OPEN[0]}]\nmachines: [a, b]\n", "TG070")
        == []
    )


def test_an_omni_resource_for_a_cluster_is_a_warning_and_one_for_a_set_is_none():
    resource = "metadata: {labels: {omni.sidero.dev/cluster: home%s}}\nspec: {extensions: [siderolabs/nonfree-kmod-nvidia-lts]}\n"

    assert severities(resource % "", "TG070") == ["warning"]
    assert severities(resource % ", omni.sidero.dev/machine-set: home-gpu", "TG070") == []


def test_the_toolkit_alone_waits_for_nothing():
    template = f"kind: Cluster\nname: home\nsystemExtensions: [siderolabs/{OPEN[1]}]\n---\nkind: Workers\nmachines: [a, b]\n"

    assert severities(template, "TG070") == []


# TG071


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ((), ["error"]),
        (("nbd",), ["error"]),
        (("nvidia_drm", "nvidia_modeset"), ["error"]),
        (("nvidia",), ["remark"]),
        (("nvidia", "nvidia_uvm"), []),
        (("nvidia", "nvidia-uvm", "nvidia-modeset"), []),
        (("nvidia_uvm",), []),
        (FOUR, []),
        (("nvidia", "nvidia-uvm", "nvidia-drm", "nvidia-modeset"), []),
        (("'${MODULE}'",), []),
    ],
)
def test_a_node_with_the_extension_has_to_load_its_modules(modules, expected):
    assert severities(node(extensions=OPEN, modules=modules), "TG071") == expected


def test_a_node_beside_one_that_loads_the_modules_may_have_no_card():
    other = node(extensions=OPEN, modules=FOUR).partition("nodes:\n")[2].replace("gpu-1", "gpu-2")

    assert severities(f"{node(extensions=OPEN)}{other}", "TG071") == ["warning"]
    assert severities(f"{node(extensions=OPEN)}{other.replace('nvidia', 'nbd')}", "TG071") == ["error"]


def test_what_is_missing_is_named():
    assert found(node(extensions=OPEN), "TG071") == [
        (
            "error",
            6,
            f"the node has siderolabs/{OPEN[0]}, but loads neither nvidia nor nvidia_uvm. The extension turns automatic loading off, so the node has no /dev/nvidia0",
        )
    ]
    assert [line for _, line, _ in found(node(extensions=OPEN, modules=("nbd",)), "TG071")] == [7]
    assert found(node(extensions=OPEN, modules=("nvidia",)), "TG071") == [
        ("remark", 7, "the node loads nvidia, but not nvidia_uvm, which CUDA needs")
    ]


def test_modules_that_may_be_in_what_was_not_read_are_not_missing():
    unread = "    patches: ['@not-there.yaml']\n"

    assert severities(node(extensions=OPEN, more=unread), "TG071") == []
    assert severities(image(*OPEN), "TG071") == []


def test_the_toolkit_alone_brings_no_modules():
    assert severities(node(extensions=OPEN[1:]), "TG071") == []


# TG072


@pytest.mark.parametrize("name", ["siderolabs/zfs:2.1", "siderolabs/zfs@sha256:12"])
def test_an_extension_with_a_version_is_none_that_the_factory_knows(name):
    [(severity, line, message)] = found(image("iscsi-tools", name), "TG072")

    assert (severity, line) == ("error", 5)
    assert message == f"{name} names a version. The Image Factory has no extension with such a name"


def test_several_are_named_in_one_finding():
    [(_, line, message)] = found(image("zfs:1", "iscsi-tools:2"), "TG072")

    assert (line, message.partition(" name ")[0]) == (4, "siderolabs/zfs:1, siderolabs/iscsi-tools:2")


def test_names_of_others_and_what_is_filled_in_later_are_passed_by():
    assert severities(image("ghcr.io/somebody/extension:v1", "'siderolabs/zfs:${VERSION}'"), "TG072") == []


@pytest.mark.parametrize("written", ["ghcr.io/siderolabs/nvidia-container-toolkit-lts:535.1", "nvidia-container-toolkit-lts@sha256:12"])
def test_the_fix_of_a_pinned_extension_has_the_whole_name(written):
    inputs = read_text(f"customization: {{systemExtensions: {{officialExtensions: ['{written}']}}}}\n")
    [violation] = violations_of(RULES["TG072"], inputs)

    assert run_rules(inputs, select=["TG089"]) == []
    assert violation.fix == "Write siderolabs/nvidia-container-toolkit-lts. The version follows from the Talos version"
    assert [edit.value for edit in violation.edits] == ["siderolabs/nvidia-container-toolkit-lts"]


def test_an_image_that_is_pinned_in_the_machine_configuration_is_a_warning():
    install = "machine:\n  install:\n    extensions:\n      - image: ghcr.io/siderolabs/%s:570.1-v1.11.0\n"

    assert [(severity, line) for severity, line, _ in found(install % "nonfree-kmod-nvidia", "TG072")] == [("warning", 4)]
    assert severities(install % "iscsi-tools", "TG072") == []


@pytest.mark.parametrize(
    ("installer", "extension", "severity"),
    [
        ("v1.13.0", "nonfree-kmod-nvidia-lts:580.126.20-v1.12.4", "error"),
        ("v1.12.4", "nonfree-kmod-nvidia-lts:580.126.20-v1.12.4", "remark"),
        ("v1.13.0", "nvidia-container-toolkit-lts:580.126.20-v1.18.2", "warning"),
        ("${TALOS}", "nonfree-kmod-nvidia-lts:580.126.20-v1.12.4", "warning"),
    ],
)
def test_pinned_modules_are_compared_with_the_talos_of_the_installer(installer, extension, severity):
    install = f"machine:\n  install:\n    image: ghcr.io/siderolabs/installer:{installer}\n    extensions:\n      - image: ghcr.io/siderolabs/{extension}\n"

    assert severities(install, "TG072") == [severity]


def test_pinned_modules_of_another_talos_are_named_with_the_installer():
    install = "machine: {install: {image: 'ghcr.io/siderolabs/installer:v1.13.0', extensions: [{image: 'ghcr.io/siderolabs/nonfree-kmod-nvidia:580-v1.12.4'}]}}"
    ((_, _, message),) = found(install, "TG072")

    assert message == (
        "ghcr.io/siderolabs/nonfree-kmod-nvidia:580-v1.12.4 is pinned beside the installer ghcr.io/siderolabs/installer:v1.13.0. The modules are built for "
        "Talos 1.12.4, and the kernel of Talos 1.13.0 refuses them (key was rejected)"
    )


def test_a_pinned_toolkit_has_libraries_and_no_modules():
    image = "ghcr.io/siderolabs/nvidia-container-toolkit:530.41.03-v1.12.1"
    ((_, _, message),) = found(f"machine: {{install: {{extensions: [{{image: '{image}'}}]}}}}", "TG072")

    assert message == (
        f"{image} is pinned beside the installer. Its driver has to have the version of the kernel modules, which refuse another one: 'Driver/library version mismatch'"
    )


# TG073


@pytest.mark.parametrize(
    ("talos", "value", "expected"),
    [
        ("v1.11.5", None, ["error"]),
        ("v1.11.5", "2", ["error"]),
        ("v1.11.5", "1", []),
        ("v1.11.5", "0", []),
        ("v1.11.5", "${HARDEN}", []),
        ("v1.12.4", None, []),
        ("v1.12.4", "2", []),
        ("v1.13.9", None, []),
        ("v1.13.9", "1", []),
        ("${VERSION}", None, []),
        ("v1.7.1", None, []),
    ],
)
def test_the_hardening_of_ebpf_is_judged_by_the_talos(talos, value, expected):
    more = "" if value is None else f"    patches: [\"machine: {{sysctls: {{net.core.bpf_jit_harden: '{value}'}}}}\"]\n"

    assert severities(node(extensions=OPEN, modules=FOUR, talos=talos, more=more), "TG073") == expected


def test_what_is_set_and_where_is_said():
    harden = "    patches: [\"machine: {sysctls: {net.core.bpf_jit_harden: '2'}}\"]\n"
    effect = "read the eBPF program that it extends"

    assert found(node(extensions=OPEN, modules=FOUR, talos="v1.11.5", more=harden), "TG073") == [
        ("error", 8, f"gpu-1 sets net.core.bpf_jit_harden to 2. nvidia-container-cli can't {effect}")
    ]
    assert found(node(extensions=OPEN, modules=FOUR, talos="v1.11.5"), "TG073") == [
        ("error", 7, f"gpu-1 does not set net.core.bpf_jit_harden, and Talos sets it to 2. nvidia-container-cli can't {effect}")
    ]


def test_a_patch_that_loads_the_modules_may_have_the_sysctl_beside_it():
    modules = "machine: {kernel: {modules: [{name: nvidia}]}}\n"
    sysctl = "---\nmachine: {sysctls: {net/core/bpf_jit_harden: 1}}\n"
    dotted = "---\nmachine: {sysctls: {net.core.bpf_jit_harden: 1}}\n"

    assert severities(modules, "TG073", "1.11") == ["warning"]
    assert severities(modules + dotted, "TG073", "1.11") == []
    assert severities(modules + sysctl, "TG073", "1.11") == []
    assert severities(image(*OPEN), "TG073", "1.11") == []


# TG074


TWO_PATCHES = (
    'patches: ["machine: {files: [{path: %s, op: create, content: a}]}", "machine: {files: [{path: %s, op: create, content: b}]}"]\n'
)
PART = "/etc/cri/conf.d/20-customization.part"


def test_a_second_part_keeps_a_node_from_coming_up():
    [(severity, line, message)] = found(node(talos="v1.12.4", more="    " + TWO_PATCHES % (PART, PART)), "TG074")

    assert (severity, line) == ("error", 6)
    assert message == (
        f"gpu-1 gets {PART} twice. The first entry is at talos.yaml:6. The node fails on the second entry (EtcFileSpecs … already exists), and reboots in a loop"
    )


def test_from_talos_1_14_on_the_second_part_is_not_read():
    [(_, _, message)] = found(node(talos="v1.14.0", more="    " + TWO_PATCHES % (PART, PART)), "TG074")

    assert message.endswith(". Talos reads only the first entry")


def test_other_files_may_come_twice_and_parts_of_two_nodes_never_meet():
    assert severities(node(more="    " + TWO_PATCHES % ("/var/a", "/var/a")), "TG074") == []
    apart = "    patches: ['machine: {files: [{path: %s, op: create}]}']\n" % PART  # noqa: UP031  # braces
    assert severities(node(more=apart + "  - hostname: gpu-2\n" + apart), "TG074") == []


def test_omni_gives_a_machine_what_is_for_its_cluster_too():
    data = "metadata: {id: %s, labels: {omni.sidero.dev/cluster: home%s}}\nspec:\n  data: |\n    machine: {files: [{path: %s, op: create}]}\n---\n"
    cluster, machine = data % ("a", "", PART), data % ("b", ", omni.sidero.dev/cluster-machine: uuid", PART)
    other = data % ("c", ", omni.sidero.dev/cluster-machine: other-uuid", PART)

    assert [(severity, line) for severity, line, _ in found(cluster + machine, "TG074")] == [("error", 9)]
    assert severities(machine + other, "TG074") == []


# TG075


@pytest.mark.parametrize(
    ("path", "op", "expected"),
    [
        ("/etc/nvidia-container-runtime/config.toml", "create", ["error"]),
        ("/usr/local/etc/a", "create", ["error"]),
        ("/variable", "create", ["error"]),
        ("/etc/cri/conf.d/30-customization.part", "create", ["warning"]),
        (PART, "create", []),
        ("/var/lib/a", "create", []),
        ("/etc/kubernetes/manifests/a.yaml", "create", []),
        ("/etc/cri/conf.d/10-nvidia-container-runtime.part", "overwrite", []),
        ("/etc/nfsmount.conf", "overwrite", []),
        ("/etc/hosts", "append", []),
        ("/var/lib/a", None, ["warning"]),
        ("/etc/${NAME}", "create", []),
        ("/etc/a", "${OP}", []),
    ],
)
def test_talos_creates_files_in_var_and_changes_them_elsewhere(path, op, expected):
    assert severities(file("a", path, op), "TG075") == expected


def test_a_file_without_an_operation_is_an_error_where_a_node_gets_it():
    text = node(more="    patches: ['machine: {files: [{path: /var/lib/a, content: a}]}']\n")

    assert found(text, "TG075") == [("error", 6, "/var/lib/a has no op. Talos fails at boot with 'unknown operation for file'")]


def test_a_part_of_another_name_has_another_place_than_the_toolkits_and_any_other_file():
    [part] = run_rules(read_text(file("a", "/etc/cri/conf.d/99-nvidia.part")), select=["TG075"])
    [other] = run_rules(read_text(file("a", "/etc/a")), select=["TG075"])

    assert part.message.endswith(
        f". Talos may refuse the file at boot (create operation not allowed outside of /var), and reads only {PART} there"
    )
    assert part.fix == f"Move the content to {PART}, or from Talos 1.14 on to a CRICustomizationConfig"
    assert other.message == (
        "/etc/a has op: create, and is outside of /var. Talos refuses the file at boot (create operation not allowed outside of /var), and the node "
        "reboots in a loop"
    )
    assert other.fix == "Set path to a file below /var. To change a file of /etc that the image has, set op: overwrite"
    [toolkit] = run_rules(read_text(file("a", "/etc/nvidia-container-runtime/config.toml")), select=["TG075"])
    assert toolkit.fix.startswith("Remove the file: Talos 1.13 and newer read no configuration of the toolkit")


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("/etc/multipath/conf.d/a.conf", "{apiVersion: v1alpha1, kind: EtcFileConfig, name: multipath/conf.d/a.conf, contents: '…'}"),
        ("/etc/hosts.allow", "name: hosts.allow"),
        ("/etc/hosts", "op: overwrite"),
        ("/etc/cni/a", "op: overwrite"),
        ("/etc/.a", "op: overwrite"),
        ("/etc/a/../b", "op: overwrite"),
        ("/usr/local/etc/a", "op: overwrite"),
        ("/etc/cri/conf.d/99-nvidia.part", "Move each content to a CRICustomizationConfig"),
    ],
)
def test_talos_1_14_has_a_document_for_a_file_that_talos_does_not_write_itself(path, fix):
    [finding] = run_rules(read_text(file("a", path), talos="1.14"), select=["TG075"])

    assert fix in finding.fix


def test_two_entries_belong_into_a_document_from_talos_1_14_on():
    text = node(talos="v1.14.0", more="    " + TWO_PATCHES % (PART, PART))
    [finding] = run_rules(read_text(text), select=["TG074"])

    assert finding.fix == "Move each content to a CRICustomizationConfig: Talos 1.14 and newer warn that .machine.files is deprecated"


def test_a_file_that_a_patch_deletes_is_not_created():
    assert severities("machine: {files: [{path: /etc/a, $patch: delete}]}", "TG075") == []


# TG076


@pytest.mark.parametrize(
    ("card", "extensions", "talos", "expected"),
    [
        ("Quadro-P2200", PROPRIETARY, "v1.13.9", ["warning"]),
        ("Quadro-P2200", PROPRIETARY, "v1.12.4", []),
        ("Quadro-P2200", PROPRIETARY, "${VERSION}", []),
        ("Quadro-P2200", ("nonfree-kmod-nvidia",), "v1.13.9", []),
        ("Quadro-P2200", OPEN, "${VERSION}", ["warning"]),
        ("Tesla-V100-SXM2-32GB", ("nvidia-open-gpu-kernel-modules-lts",), "v1.12.4", ["warning"]),
        ("RTX-5070-Ti", PROPRIETARY, "v1.13.9", ["warning"]),
        ("RTX-5070-Ti", OPEN, "v1.13.9", []),
        ("NVIDIA-GB10", PROPRIETARY, "v1.13.9", []),
        ("NVIDIA-GB10", OPEN, "v1.13.9", []),
        ("RTX-4090", PROPRIETARY, "v1.13.9", []),
        ("RTX-4090", OPEN, "v1.13.9", []),
        ("Some-New-Card", PROPRIETARY, "v1.13.9", []),
    ],
)
def test_modules_and_driver_have_to_run_the_card_that_is_named(card, extensions, talos, expected):
    text = node(extensions=extensions, modules=FOUR, talos=talos, more=f"    nodeLabels: {{nvidia.com/gpu.product: {card}}}\n")

    assert severities(text, "TG076") == expected


def test_the_card_and_the_reason_are_named():
    text = node(extensions=PROPRIETARY, modules=FOUR, more="    nodeLabels: {nvidia.com/gpu.product: Quadro-P2200}\n")

    assert found(text, "TG076") == [
        (
            "warning",
            6,
            (
                "gpu-1 has siderolabs/nonfree-kmod-nvidia-production, which does not fit the card Quadro-P2200 (label "
                "nvidia.com/gpu.product): this card needs a driver of at most 580, and the 'production' driver is 595.91.07"
            ),
        )
    ]


# TG077


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"machine": {"kubelet": {"extraMounts": [{"source": "/usr/local/glibc/usr/lib"}]}}}, ["error"]),
        ({"machine": {"files": [{"path": "/var/a", "op": "create", "content": "a\nPATH=/usr/local/glibc/bin\n"}]}}, ["error"]),
        ({"machine": {"env": {"LD_LIBRARY_PATH": "/usr/local/glibc/usr/lib"}}}, ["remark"]),
        ({"machine": {"files": [{"path": "/var/a", "op": "create", "content": "LD_LIBRARY_PATH=/usr/local/glibc/usr/lib"}]}}, ["remark"]),
        ({"machine": {"env": {"LD_LIBRARY_PATH": "/usr/local/lib"}}}, []),
    ],
)
def test_the_old_place_of_the_libraries_is_gone_from_talos_1_13_on(body, expected):
    text = json.dumps(body)

    assert severities(text, "TG077", "1.13") == expected
    assert severities(text, "TG077", "1.13.0-beta.1") == []
    assert severities(text, "TG077", "1.12") == []
    assert severities(text, "TG077") == []


def test_what_the_old_place_means_is_said():
    mount = {"machine": {"kubelet": {"extraMounts": [{"source": "/usr/local/glibc/usr/lib"}]}}}
    variable = {"machine": {"env": {"LD_LIBRARY_PATH": "/usr/local/glibc/usr/lib"}}}
    has_not = "the node configuration names /usr/local/glibc, a path that Talos 1.13 no longer has. "

    assert [message for _, _, message in found(json.dumps(mount), "TG077", "1.13")] == [
        f"{has_not}The driver is in /usr/local/lib and /usr/local/bin since Talos 1.13"
    ]
    assert [message for _, _, message in found(json.dumps(variable), "TG077", "1.13")] == [f"{has_not}LD_LIBRARY_PATH finds nothing there"]


# TG078


@pytest.mark.parametrize(
    ("card", "extensions", "expected"),
    [
        ("NVIDIA-H100-80GB-HBM3", OPEN, ["remark"]),
        ("NVIDIA-A100-SXM4-80GB", OPEN, ["remark"]),
        ("NVIDIA-B200", OPEN, ["remark"]),
        ("NVIDIA-H200", OPEN, ["remark"]),
        ("NVIDIA-H200", (*OPEN, "nvidia-fabricmanager-production"), []),
        ("NVIDIA-B300-SXM6-AC", OPEN, ["remark"]),
        ("NVIDIA-GB200", OPEN, []),
        ("NVIDIA-H100-PCIe", OPEN, []),
        ("NVIDIA-H100-NVL", OPEN, []),
        ("NVIDIA-A100-PCIE-40GB", OPEN, []),
        ("RTX-4090", OPEN, []),
    ],
)
def test_boards_with_nvswitch_want_the_fabric_manager(card, extensions, expected):
    text = node(extensions=extensions, modules=FOUR, more=f"    nodeLabels: {{nvidia.com/gpu.product: {card}}}\n")

    assert severities(text, "TG078") == expected


# TG079


@pytest.mark.parametrize(
    ("talos", "more", "expected"),
    [
        ("v1.13.9", "", ["remark"]),
        ("${VERSION}", "", ["remark"]),
        ("v1.14.0", "", []),
        ("v1.13.9", "    controlPlane: true\n", []),
        (
            "v1.13.9",
            "    patches: ['machine: {kubelet: {extraConfig: {registerWithTaints: [{key: gpu, value: a, effect: NoSchedule}]}}}']\n",
            [],
        ),
        (
            "v1.13.9",
            "    patches: ['machine: {kubelet: {extraConfig: {registerWithTaints: [{key: gpu, value: b, effect: NoSchedule}]}}}']\n",
            ["remark"],
        ),
    ],
)
def test_talos_never_taints_a_worker_before_1_14(talos, more, expected):
    assert severities(node(talos=talos, more="    nodeTaints: {gpu: 'a:NoSchedule'}\n" + more), "TG079") == expected


def test_a_taint_of_a_node_without_gpus_is_of_no_interest():
    taint = "    nodeTaints: {dedicated: 'storage:NoSchedule'}\n"

    assert severities(node(more=taint), "TG079") == []
    assert severities(node(modules=FOUR, more=taint), "TG079") == ["remark"]


def test_whose_role_is_not_known_may_be_the_control_plane():
    assert severities("machine: {nodeTaints: {gpu: NoSchedule}}", "TG079", "1.13") == []


def test_the_command_is_in_the_fix():
    inputs = read_text(node(modules=FOUR, more="    nodeTaints: {dedicated: 'ai:NoSchedule'}\n"))
    [finding] = run_rules(inputs, select=["TG079"])

    assert finding.line == 7
    assert finding.message == (
        "Talos 1.13.9 can't set the taint dedicated=ai:NoSchedule of nodeTaints on a worker. Until the node has the taint, "
        "Talos sets none of the node's labels either"
    )
    assert finding.fix == (
        "Run kubectl taint nodes gpu-1 dedicated=ai:NoSchedule --overwrite once. For new nodes set machine.kubelet.extraConfig.registerWithTaints: "
        "[{key: dedicated, value: ai, effect: NoSchedule}]"
    )


# TG080


@pytest.mark.parametrize(
    ("extensions", "expected"),
    [
        (("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-lts"), []),
        (("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-production"), ["error"]),
        (("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-lts", "nvidia-fabricmanager-production"), ["error"]),
        (("nvidia-open-gpu-kernel-modules-lts", "nonfree-kmod-nvidia-lts", "nvidia-container-toolkit-lts"), ["error"]),
        (("nvidia-open-gpu-kernel-modules-lts", "nonfree-kmod-nvidia-production"), ["error", "error"]),
        (("nonfree-kmod-nvidia", "nvidia-container-toolkit"), ["remark"]),
        (("nonfree-kmod-nvidia-lts", "nvidia-container-toolkit"), ["remark"]),
        (("nonfree-kmod-nvidia-production", "nvidia-container-toolkit"), ["error"]),
        (("nonfree-kmod-nvidia-lts", "nvidia-gdrdrv-device", "iscsi-tools"), []),
        (("nonfree-kmod-nvidia-lts", "'siderolabs/nvidia-container-toolkit-${TRACK}'"), []),
    ],
)
def test_nvidias_extensions_are_of_one_flavour_and_one_track(extensions, expected):
    assert severities(image(*extensions), "TG080") == expected


def test_what_does_not_fit_is_named_in_its_line():
    assert found(image("nonfree-kmod-nvidia-production", "nvidia-container-toolkit"), "TG080") == [
        (
            "error",
            5,
            (
                "siderolabs/nonfree-kmod-nvidia-production and siderolabs/nvidia-container-toolkit, which stands for -lts, have "
                "different driver versions. The libraries refuse the modules (Driver/library version mismatch)"
            ),
        )
    ]


def test_alternatives_of_a_template_never_meet(tmp_path):
    (tmp_path / "schematic.yaml.j2").write_text(
        "customization:\n  systemExtensions:\n    officialExtensions:\n      {% if ENV.A %}\n      - siderolabs/nonfree-kmod-nvidia-lts\n"
        "      {% else %}\n      - siderolabs/nvidia-open-gpu-kernel-modules-production\n      {% endif %}\n"
    )
    inputs = read([tmp_path])

    assert len(inputs.node_configs) == 1
    assert run_rules(inputs, select=MINE) == []


# TG081


RUNTIME = 'plugins."io.containerd.cri.v1.runtime"'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            f'[{RUNTIME}]\ndefault_runtime_name = "nvidia"',
            f"{RUNTIME}.default_runtime_name has no effect: containerd reads default_runtime_name only in {RUNTIME}.containerd",
        ),
        (
            '[plugins."io.containerd.grpc.v1.cri".containerd]\ndefault_runtime_name = "nvidia"',
            (
                'default_runtime_name has no effect: plugins."io.containerd.grpc.v1.cri" is a key of containerd 1, and the containerd '
                "of Talos reads io.containerd.cri.v1.runtime"
            ),
        ),
        (
            (
                '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]\nruntime_type = "a"\n'
                '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia.options]\nBinaryName = "/usr/bin/nvidia-container-runtime"'
            ),
            (
                'runtime_type and BinaryName have no effect: plugins."io.containerd.grpc.v1.cri" is a key of containerd 1, and the '
                "containerd of Talos reads io.containerd.cri.v1.runtime"
            ),
        ),
        (
            f'[{RUNTIME}.containerd_runtimes.nvidia]\nruntime_type = "io.containerd.runc.v2"',
            f"{RUNTIME}.containerd_runtimes.nvidia.runtime_type has no effect: containerd reads runtimes only in {RUNTIME}.containerd.runtimes",
        ),
        (
            f'[{RUNTIME}.containerd.runtimes.nvidia.options]\nBinaryName = "/usr/bin/nvidia-container-runtime"',
            (
                f"{RUNTIME}.containerd.runtimes.nvidia.options.BinaryName is /usr/bin/nvidia-container-runtime, a file that no Talos has. Containers of this "
                "runtime don't start"
            ),
        ),
        # A table that containerd does not read needs no second finding about the file that it names.
        (
            f'[{RUNTIME}.containerd_runtimes.nvidia]\nruntime_type = "a"\n[{RUNTIME}.containerd_runtimes.nvidia.options]\nBinaryName = "/usr/bin/nvidia-container-runtime"',
            f"{RUNTIME}.containerd_runtimes.nvidia.runtime_type has no effect: containerd reads runtimes only in {RUNTIME}.containerd.runtimes",
        ),
        ("default_runtime_name = nvidia", "the fragment is not valid TOML. Talos can't merge it into containerd's configuration"),
    ],
)
def test_what_containerd_does_not_read_is_a_warning(content, message):
    assert found(file(content), "TG081") == [("warning", 1, message)]


@pytest.mark.parametrize(
    "content",
    [
        f'[{RUNTIME}.containerd]\ndefault_runtime_name = "nvidia"',
        (
            f'[{RUNTIME}.containerd.runtimes.nvidia]\nruntime_type = "a"\n[{RUNTIME}.containerd.runtimes.nvidia.options]\n'
            'BinaryName = "/usr/local/bin/nvidia-container-runtime"'
        ),
        # What is wrong and has nothing to do with GPUs is not ours to check: one such cluster works.
        '[plugins."io.containerd.grpc.v1.cri"]\nenable_unprivileged_ports = true',
        (
            '[plugins."io.containerd.grpc.v1.cri".registry]\nconfig_path = "/etc/cri/conf.d/hosts"\n'
            f'[{RUNTIME}.containerd]\ndefault_runtime_name = "nvidia"'
        ),
        "no TOML",
        '[plugins."${PLUGIN}"]\ndefault_runtime_name = "nvidia"',
        ".".join(["a"] * 500) + ' = "nvidia"',
    ],
)
def test_what_containerd_reads_and_what_is_not_about_gpus_is_fine(content):
    assert found(file(content), "TG081") == []


def test_a_fragment_that_talos_does_not_take_is_the_finding_of_another_rule():
    content = f'[{RUNTIME}]\ndefault_runtime_name = "nvidia"'

    assert found(file(content, path="/etc/cri/conf.d/99-nvidia.part"), "TG081") == []
    assert severities(file(content, path="/etc/cri/conf.d/99-nvidia.part"), "TG075") == ["warning"]


def test_the_documents_of_1_14_are_read_too():
    text = f'apiVersion: v1alpha1\nkind: CRICustomizationConfig\nname: nvidia\ncontent: |\n  [{RUNTIME}]\n    default_runtime_name = "nvidia"\n'

    assert [(severity, line) for severity, line, _ in found(text, "TG081")] == [("warning", 4)]


# TG082


@pytest.mark.parametrize(
    ("extensions", "talos", "expected"),
    [
        ((*OPEN, "nfs-utils"), "1.12", ["warning"]),
        ((*OPEN, "nfs-utils"), "1.13", []),
        ((*OPEN, "nfs-utils"), None, []),
        ((*OPEN, "nfsd"), "1.12", []),
        (("nfs-utils", "iscsi-tools"), "1.12", []),
    ],
)
def test_nfs_utils_does_not_go_with_nvidia_on_1_12(extensions, talos, expected):
    assert severities(image(*extensions), "TG082", talos) == expected


# TG083


@pytest.mark.parametrize(
    ("url", "modules", "expected"),
    [
        ("ghcr.io/siderolabs/installer", FOUR, ["warning"]),
        ("factory.talos.dev/installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba", FOUR, ["warning"]),
        ("factory.talos.dev/installer/af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7", FOUR, []),
        (f"factory.talos.dev/installer/{'0' * 64}", FOUR, []),
        ("ghcr.io/somebody/installer", FOUR, []),
        ("ghcr.io/siderolabs/installer", ("nvgpu",), []),
        ("ghcr.io/siderolabs/installer", ("'${MODULE}'",), []),
    ],
)
def test_an_image_without_the_modules_has_nothing_to_load(url, modules, expected):
    assert severities(node(modules=modules, more=f"    talosImageURL: {url}\n"), "TG083") == expected


def test_an_extension_that_may_be_there_may_bring_them(tmp_path):
    (tmp_path / "talconfig.yaml.j2").write_text(
        "clusterName: a\nendpoint: b\nnodes:\n  - hostname: a\n    kernelModules: [{name: nvidia}]\n    schematic:\n      customization:\n"
        "        systemExtensions:\n          officialExtensions:\n            - siderolabs/zfs\n            {% if GPU %}\n"
        "            - siderolabs/nonfree-kmod-nvidia-lts\n            {% endif %}\n"
    )
    inputs = read([tmp_path])

    assert len(inputs.node_configs) == 1
    assert run_rules(inputs, select=["TG083"]) == []


def test_a_node_of_talhelper_without_a_schematic_has_the_plain_image():
    assert found(node(modules=FOUR), "TG083") == [
        (
            "warning",
            6,
            (
                "gpu-1 loads nvidia, but the node's image has no extension with NVIDIA's modules. Talos logs 'error loading module \"nvidia\": module "
                "not found', and the node has no GPU"
            ),
        )
    ]
    assert severities(node(modules=FOUR, extensions=("iscsi-tools",)), "TG083") == ["warning"]
    assert severities(node(modules=FOUR, extensions=OPEN), "TG083") == []


def test_an_extension_that_somebody_built_may_bring_the_modules():
    listed = "    schematic: {customization: {systemExtensions: {officialExtensions: [%s]}}}\n"

    assert severities(node(modules=FOUR, more=listed % "jfroy/siderolabs/nvidia-driver-production"), "TG083") == []
    assert severities(node(modules=FOUR, more=listed % "jfroy/siderolabs/zfs"), "TG083") == ["warning"]


@pytest.mark.parametrize(
    ("pinned", "expected"),
    [
        ("[{image: ghcr.io/siderolabs/nonfree-kmod-nvidia:1}]", []),
        ("[{image: ghcr.io/siderolabs/zfs:1}, {image: ghcr.io/siderolabs/nvidia-open-gpu-kernel-modules-lts:1}]", []),
        ("[{image: ghcr.io/somebody/drivers:1}]", []),
        ("[{image: '${EXTENSION}'}]", []),
        ("'${EXTENSIONS}'", []),
        ("[{image: ghcr.io/siderolabs/nvidia-container-toolkit:535-v1.14}]", ["warning"]),
        ("[]", ["warning"]),
    ],
)
def test_an_extension_that_is_pinned_beside_the_image_may_bring_the_modules(pinned, expected):
    install = f"image: ghcr.io/siderolabs/installer:v1.12.0\n    extensions: {pinned}\n"

    assert severities(f"machine:\n  install:\n    {install}  kernel: {{modules: [{{name: nvidia}}]}}\n", "TG083") == expected


def test_an_extension_that_is_pinned_beside_the_image_may_be_the_toolkit():
    pinned = "    patches: ['machine: {install: {extensions: [{image: ghcr.io/siderolabs/%s:1}]}}']\n"
    config = node(extensions=OPEN[:1], modules=FOUR, more=pinned % "nvidia-container-toolkit-production")

    assert severities(config, "TG106") == []
    assert severities(node(extensions=OPEN[:1], modules=FOUR, more=pinned % "zfs"), "TG106") == ["warning"]


def test_the_fix_of_a_node_with_a_document_for_its_installer_names_the_field_of_the_document():
    config = """\
machine: {type: worker, kernel: {modules: [{name: nvidia}]}}
---
apiVersion: v1alpha1
kind: UnattendedInstallConfig
installer: {image: "ghcr.io/siderolabs/installer:v1.14.6"}
"""
    fixes = [each.fix for each in run_rules(read_text(config), select=["TG083"])]

    assert fixes == ["Set installer.image of the UnattendedInstallConfig to the installer of a schematic with NVIDIA's extensions"]
    field = config.partition("---")[0].replace("type: worker", 'type: worker, install: {image: "ghcr.io/siderolabs/installer:v1.14.6"}')
    assert [each.fix[:22] for each in run_rules(read_text(field), select=["TG083"])] == ["Set the installer of a"]


# TG084


@pytest.mark.parametrize("field", ["nodeLabels", "nodeTaints", "nodeAnnotations"])
def test_a_field_of_the_machine_under_its_kubelet_is_refused(field):
    assert found(f"machine:\n  kubelet:\n    {field}: {{a: b}}\n", "TG084") == [
        ("error", 3, f"machine.kubelet has no field {field}. Talos refuses the whole configuration")
    ]
    assert severities(f"machine:\n  kubelet: {{}}\n  {field}: {{a: b}}\n", "TG084") == []


# TG085


POD_OF_CDI = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}], volumes: [{name: a, hostPath: {path: %s}}]}}"


@pytest.mark.parametrize(
    ("folders", "talos", "expected"),
    [
        ('"/var/cdi/static"', "1.12", ["warning"]),
        ('"/var/cdi/static"', "1.13", []),
        ('"/var/cdi/static"', None, []),
        ('"/var/cdi/static", "/var/run/cdi"', "1.12", []),
        ('"/run/cdi"', "1.12", []),
        ("", "1.12", []),
    ],
)
def test_folders_of_cdi_specifications_take_the_place_of_containerds_own_on_legacy_talos(folders, talos, expected):
    patch = file(f"[{RUNTIME}]\ncdi_spec_dirs = [{folders}]")

    assert severities(f"{patch}\n---\n{dra_release()}", "TG085", talos) == expected
    assert severities(f"{patch}\n---\n{POD_OF_CDI % '/var/run/cdi'}", "TG085", talos) == expected
    assert severities(f"{patch}\n---\n{POD_OF_CDI % '/var/lib/cdi'}", "TG085", talos) == []
    assert severities(patch, "TG085", talos) == []


# TG086


DOCUMENT = "---\napiVersion: v1alpha1\nkind: %s\nname: a\n"


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("machine: {nodeLabels: {a: b}}", "KubeNodeConfig"),
        ("machine: {nodeTaints: {a: NoSchedule}}", "KubeNodeConfig"),
        ("machine: {nodeAnnotations: {a: b}}", "KubeNodeConfig"),
        ("machine: {kubelet: {nodeIP: {validSubnets: [10.0.0.0/8]}}}", "KubeNodeConfig"),
        ("cluster: {allowSchedulingOnControlPlanes: false}", "KubeNodeConfig"),
        ("machine: {kubelet: {image: a}}", "KubeletConfig"),
        ("cluster: {apiServer: {image: a}}", "KubeAPIServerConfig"),
        ("cluster: {apiServer: {admissionControl: [{name: a}]}}", "KubeAdmissionControlConfig"),
        ("machine: {baseRuntimeSpecOverrides: {a: b}}", "CRIBaseRuntimeSpecConfig"),
    ],
)
def test_talos_refuses_a_field_beside_the_document_that_takes_it_over(field, kind):
    text = f"{field}\n{DOCUMENT % kind}"

    assert severities(text, "TG086", "1.14") == ["error"]
    assert severities(text, "TG086") == ["error"]
    assert severities(text, "TG086", "1.13") == []
    assert severities(field, "TG086", "1.14") == []


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("machine: {kernel: {modules: [{name: nvidia}]}}", "KernelModuleConfig"),
        ("machine: {sysctls: {a: b}}", "SysctlConfig"),
        ("machine: {files: [{path: /var/a, op: create}]}", "CRICustomizationConfig"),
        ("machine: {kubelet: {image: a}}", "KubeNodeConfig"),
        ("machine: {nodeLabels: '${LABELS}'}", "KubeNodeConfig"),
    ],
)
def test_what_talos_merges_may_stand_in_both(field, kind):
    assert severities(f"{field}\n{DOCUMENT % kind}", "TG086", "1.14") == []


def test_the_name_of_the_file_is_no_name_for_a_document():
    assert [(severity, line) for severity, line, _ in found(DOCUMENT % "CRICustomizationConfig" + "content: ''\n", "TG086", "1.14")] == []
    reserved = "apiVersion: v1alpha1\nkind: CRICustomizationConfig\nname: customization\ncontent: ''\n"
    assert [(severity, line) for severity, line, _ in found(reserved, "TG086", "1.14")] == [("error", 3)]


def test_an_install_section_beside_the_install_document_of_talos_1_14_is_found_with_its_fix():
    text = "machine: {install: {image: a}}\n---\napiVersion: v1alpha1\nkind: UnattendedInstallConfig\ninstaller: {image: b}\n"
    (violation,) = violations_of(RULES["TG086"], read_text(text, talos="1.14"))

    assert violation.message == "machine.install and an UnattendedInstallConfig exclude each other. Talos refuses a configuration with both"
    assert violation.fix.startswith("Move machine.install.image to installer.image of the UnattendedInstallConfig")


# TG087


def test_documents_that_a_talos_does_not_know_are_named_in_one_finding():
    text = DOCUMENT % "HostnameConfig" + DOCUMENT % "KernelModuleConfig" + DOCUMENT % "SysctlConfig" + DOCUMENT % "VolumeConfig"

    assert found(text, "TG087", "1.13") == [
        ("error", 7, "KernelModuleConfig and SysctlConfig exist only from Talos 1.14 on. Talos 1.13 refuses the whole configuration")
    ]
    assert severities(text, "TG087", "1.11") == ["error"]
    assert severities(text, "TG087", "1.14") == []
    assert severities(text, "TG087") == []


@pytest.mark.parametrize("minor", [13, 14])
def test_the_documents_of_each_talos_are_those_of_its_schema(minor):
    folder = Path(needs("TALOS_SCHEMAS", "the schemas that Talos publishes"))

    def kinds(of):
        schema = json.loads((folder / f"config.schema-v1.{of}.json").read_text())
        return {kind for each in schema["$defs"].values() for kind in each.get("properties", {}).get("kind", {}).get("enum", ())}

    # The schemas have one of them by another name, and lack one: the sources have both.
    known = {"UnattendedInstall": "UnattendedInstallConfig"}
    assert {known.get(kind, kind) for kind in kinds(minor) - kinds(minor - 1)} == set(CONFIG_DOCUMENTS_SINCE[minor].split()) - {
        "ImageVerificationConfig"
    }


# TG088


@pytest.mark.parametrize(
    ("extensions", "modules", "expected"),
    [
        ((*PROPRIETARY, "nvidia-gdrdrv-device"), FOUR, ["warning"]),
        (PROPRIETARY, (*FOUR, "gdrdrv"), ["warning"]),
        ((*OPEN, "nvidia-gdrdrv-device"), FOUR, ["remark"]),
        ((*OPEN, "nvidia-gdrdrv-device"), (*FOUR, "gdrdrv"), []),
        (OPEN, (*FOUR, "gdrdrv"), []),
        (("nvidia-gdrdrv-device",), ("gdrdrv",), []),
    ],
)
def test_gdrcopy_goes_with_the_open_modules(extensions, modules, expected):
    assert severities(node(extensions=extensions, modules=modules), "TG088") == expected


def test_a_schematic_alone_loads_nothing_and_misses_nothing():
    assert severities(image(*OPEN, "nvidia-gdrdrv-device"), "TG088") == []


# TG089


@pytest.mark.parametrize(
    ("name", "talos", "expected"),
    [
        ("nvidia-driver", "1.11", ["error"]),
        ("nvidia-driver", None, ["warning"]),
        ("nvidia-container-toolkit-newest", "1.13", ["error"]),
        ("nvidia-gdrdrv-device", "1.11", ["error"]),
        ("nvidia-gdrdrv-device", "1.12", []),
        ("nvidia-gdrdrv-device", None, []),
        ("nvidia-fabricmanager-lts", "1.13", []),
        ("nonfree-kmod-nvidia", "1.13", []),
        ("some-new-extension", "1.13", []),
        ("somebody/nvidia-driver", "1.13", []),
    ],
)
def test_an_extension_of_nvidia_is_one_that_the_factory_has(name, talos, expected):
    assert severities(image(name), "TG089", talos) == expected


@pytest.mark.parametrize("maker", ["", "ghcr.io/siderolabs/"])
@pytest.mark.parametrize("name", ["nvidia-open-gpu-kernel-modules-lts", "nonfree-kmod-nvidia", "nvidia-gdrdrv-device"])
def test_an_official_extension_is_named_with_its_maker_and_without_its_registry(maker, name):
    schematic = f"customization: {{systemExtensions: {{officialExtensions: [{maker}{name}]}}}}\n"
    [violation] = violations_of(RULES["TG089"], read_text(schematic, talos="1.13"))

    assert violation.message == (
        f"the Image Factory has no extension with the name {maker}{name}, and builds no image with it. The name begins with siderolabs/"
    )
    assert violation.fix == f"Write siderolabs/{name}"
    assert [edit.value for edit in violation.edits] == [f"siderolabs/{name}"]


@pytest.mark.parametrize("name", ["somebody/nvidia-container-toolkit-lts", "ghcr.io/somebody/nvidia-container-toolkit-lts", "nvidia-own"])
def test_an_extension_of_another_maker_may_exist_at_another_factory(name):
    schematic = f"customization: {{systemExtensions: {{officialExtensions: [{name}]}}}}\n"

    assert severities(schematic, "TG089", "1.13") == []


def test_an_extension_without_its_maker_counts_for_its_track():
    schematic = "customization: {systemExtensions: {officialExtensions: [nvidia-container-toolkit-lts, siderolabs/nonfree-kmod-nvidia-production]}}\n"

    assert severities(schematic, "TG080") == ["error"]


def test_what_there_is_not_is_named_with_its_talos():
    [driver] = run_rules(read_text(image("nvidia-driver"), talos="1.11"), select=["TG089"])
    [device] = run_rules(read_text(image("nvidia-gdrdrv-device"), talos="1.11"), select=["TG089"])
    [anywhere] = run_rules(read_text(image("nvidia-driver")), select=["TG089"])

    assert driver.message == (
        "the extension siderolabs/nvidia-driver does not exist for Talos 1.11. The Image Factory builds no image with it"
    )
    assert driver.fix.startswith("Use siderolabs/nvidia-open-gpu-kernel-modules-production or")
    assert device.fix == "Remove siderolabs/nvidia-gdrdrv-device: the extension exists from Talos 1.12 on"
    assert (str(anywhere.severity), anywhere.message) == (
        "warning",
        (
            f"the extension siderolabs/nvidia-driver is not known (tables of {READ_ON}). The Image Factory builds no image with an extension that "
            "does not exist"
        ),
    )


@pytest.mark.filterwarnings("ignore:Talos 1.1.* is newer than this library's tables:constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize("talos", ["1.16.2", "1.15.4", "1.14.99"])
def test_an_extension_of_a_talos_after_the_tables_may_exist(talos):
    [finding] = run_rules(read_text(image("nvidia-imex-stable"), talos=talos), select=["TG089"])

    assert str(finding.severity) == "warning"
    assert finding.message.startswith(f"the extension siderolabs/nvidia-imex-stable is not known for Talos {talos} (tables of {READ_ON})")


# What reaches a node from a file of its own.


def test_a_fault_in_a_patch_is_said_where_it_is_written_and_once(tmp_path):
    (tmp_path / "patches").mkdir()
    (tmp_path / "talconfig.yaml").write_text(
        "clusterName: a\ntalosVersion: v1.12.0\nendpoint: b\nnodes: [{hostname: one}, {hostname: two}]\npatches: ['@patches/bad.yaml']\n"
    )
    (tmp_path / "patches/bad.yaml").write_text("machine:\n  files:\n    - op: create\n      path: /etc/a\n")
    findings = run_rules(read([tmp_path]), select=MINE)

    assert [(each.rule, each.file, each.line, each.object) for each in findings] == [
        ("TG075", str(tmp_path / "patches/bad.yaml"), 4, "one"),
    ]


def test_a_comment_in_a_patch_silences_a_rule_there(tmp_path):
    (tmp_path / "talconfig.yaml").write_text("clusterName: a\nendpoint: b\nnodes: [{hostname: one, patches: ['@bad.yaml']}]\n")
    (tmp_path / "bad.yaml").write_text(
        "machine:\n  files:\n    - op: create\n      # talos-gpu: ignore TG075 it is tried out\n      path: /etc/a\n"
    )
    [finding] = run_rules(read([tmp_path]), select=["TG075"])

    assert finding.ignored == "it is tried out"


def test_one_document_that_pins_an_extension_may_bring_the_modules():
    pinned = (
        "    patches:\n      - 'machine: {install: {extensions: [{image: ghcr.io/siderolabs/nonfree-kmod-nvidia:1}]}}'\n"
        "      - '{apiVersion: v1alpha1, kind: WatchdogTimerConfig, device: /dev/watchdog0}'\n"
    )

    assert severities(node(modules=FOUR, more=pinned), "TG083") == []


RUNTIME_PATCH = """\
machine:
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
        [plugins."io.containerd.cri.v1.runtime".containerd]
          default_runtime_name = "nvidia"
"""
TOOLKIT_SCHEMATIC = "schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-container-toolkit-production]}}}"


def in_talconfig(patches: str, *nodes: str) -> str:
    """A cluster of talhelper whose workers have the patches, and whose nodes have these fields."""
    listed = "".join(f"  - {{hostname: n{index}, ipAddress: 10.0.0.{index}{node}}}\n" for index, node in enumerate(nodes, 1))
    return f"clusterName: home\nendpoint: https://10.0.0.1:6443\ntalosVersion: v1.13.9\nnodes:\n{listed}{patches}"


@pytest.mark.parametrize("where", ["talconfig", "file", "document"])
def test_a_default_runtime_without_the_toolkit_is_found_on_every_node_that_gets_it(tmp_path, where):
    texts = {
        "talconfig": "patches:\n  - |\n" + textwrap.indent(RUNTIME_PATCH, "    "),
        "file": "patches: ['@./runtime.yaml']\n",
        "document": 'patches:\n  - |\n    apiVersion: v1alpha1\n    kind: CRICustomizationConfig\n    name: a\n    content: |\n      [plugins."io.containerd.cri.v1.runtime".containerd]\n        default_runtime_name = "nvidia"\n',
    }  # fmt: skip
    (tmp_path / "runtime.yaml").write_text(RUNTIME_PATCH)
    (tmp_path / "talconfig.yaml").write_text(in_talconfig(texts[where], ", controlPlane: true", f", {TOOLKIT_SCHEMATIC}", ""))
    found = [*violations_of(RULES["TG136"], read([tmp_path]))]

    assert [(each.about.label, str(each.severity)) for each in found] == [("n1", "error"), ("n3", "error")]


def test_another_default_runtime_needs_no_toolkit():
    text = in_talconfig("patches:\n  - |\n" + textwrap.indent(RUNTIME_PATCH.replace('"nvidia"', '"crun"'), "    "), "")

    assert [*violations_of(RULES["TG136"], read_text(text))] == []


def test_talos_1_15_has_no_runtime_of_the_toolkit_at_all():
    text = in_talconfig("patches:\n  - |\n" + textwrap.indent(RUNTIME_PATCH, "    "), f", {TOOLKIT_SCHEMATIC}")

    assert [*violations_of(RULES["TG136"], read_text(text))] == []
    (found,) = violations_of(RULES["TG136"], read_text(text.replace("v1.13.9", "v1.15.0")))
    assert "the extensions of Talos 1.15.0 bring no runtime" in found.message


# TG160


def beside(image="", **fields):
    node = yaml.safe_load(RULES["TG160"].passing.yaml)
    node["nodes"][0] |= ({"talosImageURL": image} if image else {}) | fields
    return yaml.safe_dump(node)


OF_IT = f"factory.talos.dev/metal-installer/{id_of_written(yaml.safe_load(RULES['TG160'].passing.yaml)['nodes'][0]['schematic'])}"
OF_NVIDIA = yaml.safe_load(RULES["TG160"].passing.yaml)["nodes"][0]["schematic"]
NOT_NVIDIA = {"customization": {"systemExtensions": {"officialExtensions": ["siderolabs/zfs"]}}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (beside(), []),
        (beside(OF_IT), []),
        (beside(f"factory.talos.dev/metal-installer/{'a' * 64}"), ["warning"]),
        (beside("ghcr.io/siderolabs/installer"), ["warning"]),
        (beside("${IMAGE}"), []),
        (beside("ghcr.io/siderolabs/installer", schematic=NOT_NVIDIA), []),
        (beside("ghcr.io/siderolabs/installer", schematic={**OF_NVIDIA, "overlay": {"name": "a", "image": "b"}}), ["remark"]),
    ],
)
def test_a_schematic_beside_another_image_is_ignored(text, found):
    assert severities(text, "TG160") == found
