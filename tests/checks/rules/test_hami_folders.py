"""TG119: the folders of HAMi's chart on Talos."""

import pytest
from chart_checks import GIVEN, checked, release, said

HOME = "/var/lib/hami/vgpu"
ALL = f"Set global.gpuHookPath: /var/lib/hami, devicePlugin.libPath: {HOME} and devicePlugin.monitor.ctrPath: {HOME}/containers"


def hami(version="2.10.0", chart="hami", hook="/var/lib/hami", **plugin):
    values = {"global": {"gpuHookPath": hook} if hook else {}, "devicePlugin": plugin}
    return release(chart, values, version=version, namespace="hami")


def test_the_default_folder_is_read_only():
    (finding,) = checked("TG119", hami(hook=None), talos="1.13")

    message = (
        "devicePlugin.libPath is /usr/local/vgpu by default, which is read-only on Talos. HAMi's device plugin stays in CreateContainerError (failed "
        'to mkdir "/usr/local/vgpu": read-only file system)'
    )

    assert said([finding]) == [("warning", message)]
    assert finding.fix == ALL


def test_a_written_folder_of_the_image_is_read_only():
    ((severity, message),) = said(checked("TG119", hami(libPath="/usr/lib/hami"), talos="1.13"))

    assert severity == "error"

    assert message.startswith("devicePlugin.libPath is /usr/lib/hami, which")


def test_the_folder_of_the_monitor_is_read_only():
    ((_, message),) = said(checked("TG119", hami(libPath=HOME), talos="1.13"))

    assert message.startswith("devicePlugin.monitor.ctrPath is /usr/local/vgpu/containers by default")


def test_the_folder_that_pods_mount_is_read_only():
    ((_, message),) = said(checked("TG119", hami(hook=None, libPath=HOME, monitor={"ctrPath": f"{HOME}/containers"}), talos="1.13"))

    assert message == (
        'global.gpuHookPath is /usr/local by default, which is read-only on Talos. GPU pods stay in CreateContainerError (failed to mkdir "/usr/local/vgpu": '
        "read-only file system)"
    )


def test_nodes_of_an_unknown_system_make_it_a_warning():
    assert [severity for severity, _ in said(checked("TG119", hami()))] == ["warning"]


@pytest.mark.parametrize(
    "document",
    [
        hami(libPath=HOME, monitor={"ctrPath": f"{HOME}/containers"}),
        hami(libPath="/opt/hami", monitor={"ctrPath": "/opt/hami/containers"}),
        hami("2.6.0", libPath=HOME, monitorctrPath=f"{HOME}/containers"),
        hami(libPath=GIVEN, monitor={"ctrPath": GIVEN}, hook=GIVEN),
        hami(enabled=False),
        hami(enabled=GIVEN),
        hami(chart="volcano"),
        hami(chart=GIVEN),
    ],
)
def test_other_folders_unread_values_and_no_plugin_are_not_judged(document):
    assert checked("TG119", document, talos="1.13") == []


def test_before_2_7_the_monitor_has_a_key_of_its_own():
    (finding,) = checked("TG119", hami("2.6.0", libPath=HOME, monitor={"ctrPath": HOME}), talos="1.13")

    assert finding.message.startswith("devicePlugin.monitorctrPath is /usr/local/vgpu/containers by default")
    assert f"devicePlugin.monitorctrPath: {HOME}/containers" in finding.fix


def test_before_2_10_other_folders_limit_nothing():
    (finding,) = checked("TG119", hami("2.9.0"), talos="1.13")

    assert (
        finding.fix
        == f"Update HAMi to 2.10.0 (older releases write /usr/local/vgpu into ld.so.preload in any case, and limit nothing). {ALL}"
    )
