"""The names of EtcFileConfig: a file in /etc that Talos does not write itself."""

import pytest

from constructs_lib.upstream.talos.folders import etc_file_name


@pytest.mark.parametrize(
    ("path", "name"), [("/etc/nfsmount.conf", "nfsmount.conf"), ("/etc/multipath/wwids", "multipath/wwids"), ("/etc/cnis", "cnis")]
)
def test_a_file_has_its_path_below_etc(path, name):
    assert etc_file_name(path) == name


@pytest.mark.parametrize(
    "path", ["/etc/cni", "/etc/ssl/a", "/etc/hosts", "/etc//cni/x", "/etc/a/..", "/etc/a/../b", "/etc/.a", "/etc/", "/var/etc/a", "/opt/a"]
)
def test_a_path_that_the_document_refuses_has_no_name(path):
    assert etc_file_name(path) is None
