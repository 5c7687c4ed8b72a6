"""The rules about HGX and DGX machines, and about modules and libraries that must be in an image: TG104 to TG106, and TG111."""

import pytest
from test_talos_rules import FOUR, OPEN, PROPRIETARY, found, image, node, severities

# TG104


HGX = (*OPEN, "nvidia-fabricmanager-production")


@pytest.mark.parametrize(
    ("card", "extensions", "modules", "expected"),
    [
        ("NVIDIA-B200", HGX, FOUR, ["warning"]),
        ("NVIDIA-B300-SXM6-AC", HGX, FOUR, ["warning"]),
        ("NVIDIA-B200", HGX, (), ["warning"]),
        ("NVIDIA-B200", HGX, (*FOUR, "ib_umad"), []),
        ("NVIDIA-B200", HGX, (*FOUR, "ib-umad"), []),
        ("NVIDIA-B200", HGX, (*FOUR, "'${MODULE}'"), []),
        ("NVIDIA-B200", OPEN, FOUR, []),
        ("NVIDIA-H200", HGX, FOUR, []),
        ("NVIDIA-GB200", HGX, FOUR, []),
        ("'${CARD}'", HGX, FOUR, []),
    ],
)
def test_fabric_manager_for_nvlink_5_wants_ib_umad(card, extensions, modules, expected):
    text = node(extensions=extensions, modules=modules, more=f"    nodeLabels: {{nvidia.com/gpu.product: {card}}}\n")

    assert severities(text, "TG104") == expected


def test_a_missing_ib_umad_is_reported_at_the_modules():
    label = "    nodeLabels: {nvidia.com/gpu.product: NVIDIA-B200}\n"

    assert found(node(extensions=HGX, modules=FOUR, more=label), "TG104") == [
        (
            "warning",
            7,
            (
                "gpu-1 has siderolabs/nvidia-fabricmanager-production for the card NVIDIA-B200 (label nvidia.com/gpu.product), but does not load "
                "ib_umad. Without the module fabric manager can't start NVLink 5 (NV_WARN_NOTHING_TO_DO), and CUDA fails: "
                "CUDA_ERROR_SYSTEM_NOT_READY (802)"
            ),
        )
    ]
    [(_, line, message)] = found(node(extensions=HGX, modules=(*FOUR, "ib_umad"), talos="v1.11.6", more=label), "TG104")
    assert line == 6
    assert "but the fabric manager of Talos 1.11.6 has no NVLink subnet manager (NVLSM), which NVLink 5 needs" in message


def test_a_patch_that_is_not_the_whole_configuration_may_be_completed_by_another():
    patches = '    patches: ["@gpu.yaml"]\n    nodeLabels: {nvidia.com/gpu.product: NVIDIA-B200}\n'

    assert severities(node(extensions=HGX, modules=FOUR, more=patches), "TG104") == []


def test_an_extension_that_is_not_known_may_be_the_fabric_manager():
    text = node(extensions=OPEN, modules=FOUR, more="    nodeLabels: {nvidia.com/gpu.product: NVIDIA-B200}\n")

    assert severities(text, "TG078") == ["remark"]
    assert severities(text.replace("toolkit-production]", "toolkit-production, '${MANAGER}']"), "TG078") == []


# TG105


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ((*FOUR, "nvidia_peermem"), ["warning"]),
        ((*FOUR, "nvidia-peermem"), ["warning"]),
        ((*FOUR, "ib_umad", "gdrdrv"), []),
        ((*FOUR, "'${MODULE}'"), []),
    ],
)
def test_peermem_can_not_be_loaded(modules, expected):
    assert severities(node(extensions=OPEN, modules=modules), "TG105") == expected


def test_peermem_is_reported_in_a_patch_and_in_a_document():
    text = "machine: {kernel: {modules: [{name: nvidia_peermem}]}}"
    document = "apiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia_peermem\n"

    [(_, line, message)] = found(text, "TG105")
    assert line == 1
    assert message.endswith(
        "loads nvidia_peermem, which needs Mellanox OFED. Talos has no OFED: it logs 'load nvidia_peermem failed: invalid argument' and tries "
        "again and again"
    )
    assert severities(document, "TG105") == ["warning"]


# TG106


@pytest.mark.parametrize(
    ("extensions", "expected"),
    [
        (OPEN[:1], ["warning"]),
        (PROPRIETARY[:1], ["warning"]),
        (("nvidia-open-gpu-kernel-modules-lts", "nvidia-fabricmanager-lts"), ["warning"]),
        (OPEN, []),
        (OPEN[1:], []),
        (("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit"), []),
        ((OPEN[0], "${TOOLKIT}"), []),
        (("iscsi-tools",), []),
    ],
)
def test_kernel_modules_want_the_container_toolkit(extensions, expected):
    assert severities(image(*(f"'{name}'" if "$" in name else name for name in extensions)), "TG106") == expected


@pytest.mark.filterwarnings("ignore:Talos 1.15 is a beta")
def test_the_message_says_what_happens_on_this_talos():
    def message(talos):
        [(severity, line, said)] = found(image(*OPEN[:1]), "TG106", talos)
        assert (severity, line) == ("warning", 4)
        return said.partition(", but not ")[2]

    lacks_both = (
        "nvidia-container-toolkit, which has the driver's libraries and containerd's runtime. Containers don't start: no runtime for \"nvidia\" is "
        "configured"
    )
    assert message("1.13") == message("1.14") == message(None) == lacks_both
    assert message("1.15") == "nvidia-container-toolkit, which has the driver's libraries. Containers don't find libcuda.so.1"


def test_a_toolkit_that_is_pinned_beside_the_image_counts():
    pinned = "    patches: ['machine: {install: {extensions: [{image: ghcr.io/siderolabs/nvidia-container-toolkit:1}]}}']\n"

    assert severities(node(extensions=OPEN[:1], modules=FOUR, more=pinned), "TG106") == []


# TG111


LTS_HGX = ("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-lts", "nvidia-fabricmanager-lts")


@pytest.mark.parametrize(
    ("talos", "extensions", "expected"),
    [
        ("v1.13.0", HGX, ["error"]),
        ("v1.13.0", LTS_HGX, ["error"]),
        ("v1.13.0-rc.0", HGX, ["error"]),
        ("v1.13.1", HGX, []),
        ("v1.13.0-beta.1", HGX, []),
        ("v1.12.0", HGX, []),
        ("v1.13.0", OPEN, []),
        ("v1.8.4", HGX, ["error"]),
        ("v1.8.4", LTS_HGX, []),
        ("v1.9.0", HGX, []),
        ("'${TALOS}'", HGX, []),
    ],
)
def test_a_fabric_manager_that_does_not_start_is_an_error_on_exactly_its_releases(talos, extensions, expected):
    assert severities(node(extensions=extensions, modules=FOUR, talos=talos), "TG111") == expected


def test_the_fault_of_a_fabric_manager_is_told_with_its_log_line():
    ((_, _, message),) = found(node(extensions=HGX, talos="v1.13.0"), "TG111")

    assert message == (
        "gpu-1 has siderolabs/nvidia-fabricmanager-production, but the fabric manager of Talos 1.13.0 does not start: libz.so.1 is missing. CUDA fails: "
        "CUDA_ERROR_SYSTEM_NOT_READY (802)"
    )


def test_the_minor_of_the_command_line_is_no_release():
    assert severities(image(*HGX), "TG111", talos="1.13") == []
    assert severities(image(*HGX), "TG111", talos="1.13.0") == ["error"]
