import pytest
from cdk8s import App, Chart

from conftest import message, one, synth
from constructs_lib import (
    ConfigMapFiles,
    Empty,
    ExistingClaim,
    GpuNodes,
    GpuWorkload,
    HostPath,
    Memory,
    Nfs,
    OciImage,
    Persistent,
    SecretFiles,
)
from constructs_lib.manifests.volumes.sources import HostPathType
from constructs_lib.manifests.volumes.volume import AccessMode, Volume

V, T = ValueError, TypeError
# One of each, made with no more than it needs.
ALL = {
    Persistent: ("1Gi",),
    ExistingClaim: ("models",),
    HostPath: ("/var/mnt/models",),
    Nfs: ("nas", "/export"),
    OciImage: ("model:1",),
    ConfigMapFiles: ("settings",),
    SecretFiles: ("tls",),
    Memory: ("2Gi",),
    Empty: (),
}
NAME = "a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)"
LABEL = "a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters)"
HOST_PATHS = "one of 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket', 'CharDevice', 'BlockDevice'"
MODES = "one of 'ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany', 'ReadOnlyMany'"
each_volume = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)


def pod_of(chart: Chart, **given):
    """The pod of a workload."""
    kind = given.get("kind", "Deployment")
    GpuWorkload(chart, "app", nodes=GpuNodes(talos_version="1.14"), image="app:1", **given)
    spec = one(synth(chart), kind)["spec"]
    return (spec["jobTemplate"]["spec"] if kind == "CronJob" else spec)["template"]["spec"]


def mounts_of(pod):
    return pod["containers"][0]["volumeMounts"]


def mounted(chart: Chart, volume):
    """The volume and its mount, in the pod of a workload."""
    pod = pod_of(chart, volumes={"/data": volume})
    return pod["volumes"][0], mounts_of(pod)[0]


@pytest.mark.parametrize(
    ("volume", "source"),
    [
        (Persistent("1Gi"), {"persistentVolumeClaim": {"claimName": "app-data"}}),
        (ExistingClaim("models"), {"persistentVolumeClaim": {"claimName": "models"}}),
        (HostPath("/var/mnt/models"), {"hostPath": {"path": "/var/mnt/models", "type": "Directory"}}),
        (HostPath("/var/log/x", HostPathType.FILE_OR_CREATE), {"hostPath": {"path": "/var/log/x", "type": "FileOrCreate"}}),
        (Nfs("nas.example.com", "/export/models"), {"nfs": {"server": "nas.example.com", "path": "/export/models"}}),
        (ConfigMapFiles("settings"), {"configMap": {"name": "settings"}}),
        (SecretFiles("tls"), {"secret": {"secretName": "tls"}}),
        (Memory("2Gi"), {"emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}),
        (Empty(), {"emptyDir": {}}),
        (Empty("10Gi"), {"emptyDir": {"sizeLimit": "10Gi"}}),
    ],
    ids=repr,
)
def test_a_volume_is_this_source_in_the_pod(chart, volume, source):
    found, mount = mounted(chart, volume)

    # Before cdk8s has had it too, which would hide a null.
    assert volume.source("app-data") == source
    assert found == {"name": "data", **source}
    assert mount == {"name": "data", "mountPath": "/data"}


@each_volume
def test_any_volume_can_be_mounted_in_part_and_read_only(chart, kind):
    _, mount = mounted(chart, kind(*ALL[kind], sub_path="a/b", read_only=True))

    assert mount == {"name": "data", "mountPath": "/data", "subPath": "a/b", "readOnly": True}


@pytest.mark.parametrize(("kind", "given"), [("Deployment", {}), ("Job", {}), ("CronJob", {"schedule": "@daily"})])
def test_a_persistent_volume_is_a_claim_of_the_workload(chart, kind, given):
    pod = pod_of(chart, kind=kind, volumes={"/root/.ollama": Persistent("100Gi", storage_class="fast")}, **given)

    claim = one(synth(chart), "PersistentVolumeClaim", "app-root-ollama")
    assert claim["spec"] == {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}, "storageClassName": "fast"}
    assert pod["volumes"] == [{"name": "root-ollama", "persistentVolumeClaim": {"claimName": "app-root-ollama"}}]


def test_each_replica_of_a_stateful_set_has_a_claim_of_its_own(chart):
    pod = pod_of(chart, kind="StatefulSet", replicas=2, volumes={"/data": Persistent("1Gi"), "/tmp": Empty()})

    stateful_set = one(synth(chart), "StatefulSet")
    assert [claim["metadata"]["name"] for claim in stateful_set["spec"]["volumeClaimTemplates"]] == ["data"]
    assert [volume["name"] for volume in pod["volumes"]] == ["tmp"]


def test_two_parts_of_one_claim_are_one_volume(chart):
    pod = pod_of(chart, volumes={f"/{part}": Persistent("1Gi", name="models", sub_path=part) for part in ("hf", "vllm")})

    assert one(synth(chart), "PersistentVolumeClaim")["metadata"]["name"] == "app-models"
    assert len(pod["volumes"]) == 1
    assert mounts_of(pod) == [
        {"name": "models", "mountPath": "/hf", "subPath": "hf"},
        {"name": "models", "mountPath": "/vllm", "subPath": "vllm"},
    ]


def test_two_folders_that_are_made_for_the_pod_are_two_volumes(chart):
    pod = pod_of(chart, volumes={"/a": Empty(), "/b": Empty(), "/c": Memory("1Gi"), "/d": Memory("1Gi")}, shared_memory="1Gi")

    assert [mount["name"] for mount in mounts_of(pod)] == ["a", "b", "c", "d", "dev-shm"]
    assert [volume["name"] for volume in pod["volumes"]] == ["a", "b", "c", "d", "dev-shm"]


@pytest.mark.parametrize("kind", [ExistingClaim, HostPath, Nfs, ConfigMapFiles, SecretFiles])
def test_two_parts_of_what_is_there_before_the_pod_are_one_volume(chart, kind):
    pod = pod_of(chart, volumes={"/a": kind(*ALL[kind], sub_path="a"), "/b": kind(*ALL[kind], sub_path="b")})

    assert [mount["name"] for mount in mounts_of(pod)] == ["a", "a"]
    assert [volume["name"] for volume in pod["volumes"]] == ["a"]


def test_two_parts_of_one_claim_ask_for_the_same(chart):
    parts = {"/hf": Persistent("1Gi", name="models"), "/vllm": Persistent("2Gi", name="models")}

    assert message(lambda: pod_of(chart, volumes=parts)) == (
        "'volumes[/vllm]' must be of the same size, class and access mode as every other 'models' (got Persistent(name='models', "
        "sub_path=None, read_only=False, size='2Gi', storage_class=None, access_mode='ReadWriteOnce'))"
    )


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"volumes": {"/a/b": Empty(), "/a-b": Memory("1Gi"), "/_": ConfigMapFiles("a")}}, ["a-b", "a-b-2", "volume"]),
        ({"volumes": {"/data": Empty(), "/models": Persistent("1Gi", name="data")}}, ["data-2", "data"]),
        ({"volumes": {"/models": Persistent("1Gi", name="data"), "/data": Empty()}}, ["data", "data-2"]),
        ({"volumes": {"/data": Empty(), "/Data": Persistent("1Gi"), "/a": Persistent("1Gi", name="data-2")}}, ["data", "data-3", "data-2"]),
        ({"volumes": {"/shared-memory": Empty()}, "shared_memory": "1Gi"}, ["shared-memory", "dev-shm"]),
        ({"volumes": {"/dev-shm": Empty()}, "shared_memory": "1Gi"}, ["dev-shm", "dev-shm-2"]),
        ({"volumes": {"/models": Persistent("1Gi", name="dev-shm")}, "shared_memory": "1Gi"}, ["dev-shm", "dev-shm-2"]),
    ],
    ids=["alike", "given later", "given earlier", "number taken", "shared memory", "a path like /dev/shm", "given like /dev/shm"],
)
def test_volume_names_never_collide_and_given_ones_are_kept(chart, given, names):
    pod = pod_of(chart, **given)

    assert [volume["name"] for volume in pod["volumes"]] == [mount["name"] for mount in mounts_of(pod)] == names


def test_shared_memory_is_a_memory_at_dev_shm(chart):
    given = pod_of(chart, shared_memory="2Gi")

    assert mounts_of(given) == [{"name": "dev-shm", "mountPath": "/dev/shm"}]
    assert given["volumes"] == pod_of(Chart(App(), "other"), volumes={"/dev/shm": Memory("2Gi")})["volumes"]


@each_volume
def test_a_given_name_is_the_name_of_the_volume_and_several_mounts_are_parts_of_it(chart, kind):
    parts = {f"/{part}": kind(*ALL[kind], name="models", sub_path=part) for part in ("a", "b")}

    pod = pod_of(chart, volumes=parts)

    assert [volume["name"] for volume in pod["volumes"]] == ["models"]
    assert [(mount["name"], mount["subPath"]) for mount in mounts_of(pod)] == [("models", "a"), ("models", "b")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Empty(name="x"), Memory("1Gi", name="x")),
        (Nfs("a", "/", name="x"), Nfs("b", "/", name="x")),
        (Empty(name="x"), Persistent("1Gi", name="x")),
    ],
    ids=["kind", "server", "claim"],
)
def test_two_volumes_of_one_name_are_refused(chart, first, second):
    assert message(lambda: pod_of(chart, volumes={"/a": first, "/b": second})) == (
        f"'volumes[/b]' must be of the same volume as every other 'x' (got {second!r})"
    )


@pytest.mark.parametrize("server", ["nas", "nas.example.com", "10.0.0.1", "fd00::1", "fe80::1%eth0", "NAS_1"])
def test_an_nfs_server_is_a_host_name_or_an_address(server):
    assert Nfs(server, "/").source("") == {"nfs": {"server": server, "path": "/"}}


@each_volume
def test_a_volume_makes_no_claim_shares_no_name_and_is_for_many_nodes_unless_it_says_so(kind):
    volume = kind(*ALL[kind])

    assert isinstance(volume, Volume)
    if kind is not Persistent:
        assert (volume.claim, volume.shared_name, volume.single_node_mode) == (None, None, None)


@pytest.mark.parametrize(
    ("access_mode", "single"),
    [("ReadWriteOnce", "ReadWriteOnce"), ("ReadWriteOncePod", "ReadWriteOncePod"), ("ReadWriteMany", None), ("ReadOnlyMany", None)],
)
def test_a_persistent_volume_says_its_name_and_the_mode_that_ties_it_to_one_node(access_mode, single):
    volume = Persistent("1Gi", name="models", access_mode=access_mode)

    assert (volume.shared_name, volume.single_node_mode) == ("models", single)
    assert Persistent("1Gi").shared_name is None


def test_a_class_of_the_users_own_is_a_volume_too(chart):
    class Image(Volume):
        def source(self, claim):
            return {"image": {"reference": "models:1"}}

    assert mounted(chart, Image(read_only=True)) == (
        {"name": "data", "image": {"reference": "models:1"}},
        {"name": "data", "mountPath": "/data", "readOnly": True},
    )


def test_a_claim_asks_for_what_was_given():
    volume = Persistent("100Gi", name="models", storage_class="fast", access_mode="ReadWriteMany")

    assert volume.claim == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "100Gi"}},
        "storageClassName": "fast",
    }


def test_a_claim_leaves_the_class_to_the_cluster_or_wants_none():
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}}

    assert Persistent("100Gi").claim == claim
    assert Persistent("100Gi", storage_class="").claim == {**claim, "storageClassName": ""}


@pytest.mark.parametrize(
    ("volume", "attribute", "member"),
    [
        (Persistent("1Gi", access_mode="ReadOnlyMany"), "access_mode", AccessMode.READ_ONLY_MANY),
        (HostPath("/dev/kvm", "CharDevice"), "type", HostPathType.CHAR_DEVICE),
    ],
    ids=["access_mode", "type"],
)
def test_a_choice_given_as_a_string_is_the_member_afterwards(volume, attribute, member):
    assert getattr(volume, attribute) is member


@each_volume
def test_volumes_are_values_that_compare_and_do_not_change(kind):
    volume = kind(*ALL[kind])

    assert volume == kind(*ALL[kind])
    assert volume != kind(*ALL[kind], read_only=True)
    assert len({volume, kind(*ALL[kind])}) == 1
    with pytest.raises(AttributeError):
        volume.read_only = True


SUBJECTS = {
    Persistent: "size",
    ExistingClaim: "claim_name",
    HostPath: "path",
    Nfs: "server",
    OciImage: "image",
    ConfigMapFiles: "config_map",
    SecretFiles: "secret",
    Memory: "size",
}


@pytest.mark.parametrize(("kind", "subject"), SUBJECTS.items(), ids=lambda item: getattr(item, "__name__", item))
def test_what_a_volume_is_made_of_is_asked_for(kind, subject):
    assert message(kind, TypeError) == f"'{subject}' must be given to {kind.__name__} (got nothing)"


@each_volume
@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"sub_path": "/a"}, V, "'sub_path' must be a path inside the volume, without a leading '/' and without '..' (got '/a')"),
        ({"sub_path": "a/../b"}, V, "'sub_path' must be a path inside the volume, without a leading '/' and without '..' (got 'a/../b')"),
        ({"sub_path": ""}, V, "'sub_path' must be a string that is not empty (got '')"),
        ({"sub_path": 1}, T, "'sub_path' must be a string that is not empty (got 1)"),
        ({"read_only": "false"}, T, "'read_only' must be True or False (got 'false'); did you mean False?"),
        ({"read_only": 1}, T, "'read_only' must be True or False (got 1)"),
    ],
    ids=str,
)
def test_what_all_volumes_refuse(kind, given, error, expected):
    assert message(lambda: kind(*ALL[kind], **given), error) == expected


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda: Persistent("100GB"), V,
         "'size' must be a Kubernetes quantity above zero such as '100Gi' (got '100GB'); did you mean '100Gi'?"),
        (lambda: Persistent("0"), V, "'size' must be a Kubernetes quantity above zero such as '100Gi' (got '0')"),
        (lambda: Persistent("100"), V, "'size' must be at least 1Mi, such as '100Gi' (got '100'); did you mean '100Gi'?"),
        (lambda: Memory("512m"), V, "'size' must be at least 1Mi, such as '2Gi' (got '512m'); did you mean '512Mi'?"),
        (lambda: Empty("512m"), V, "'size' must be at least 1Mi, such as '10Gi' (got '512m'); did you mean '512Mi'?"),
        (lambda: Persistent(100), T, "'size' must be a Kubernetes quantity above zero such as '100Gi' (got 100); did you mean '100Gi'?"),
        (lambda: Persistent("100gb"), V,
         "'size' must be a Kubernetes quantity above zero such as '100Gi' (got '100gb'); did you mean '100Gi'?"),
        (lambda: Persistent("1Gi", name="Models"), V,
         f"'name' must be {LABEL} (got 'Models'); did you mean 'models'?"),
        (lambda: Persistent("1Gi", storage_class="Fast SSD"), V, f"'storage_class' must be {NAME} (got 'Fast SSD')"),
        (lambda: Persistent("1Gi", storage_class=1), T, f"'storage_class' must be {NAME} (got 1)"),
        (lambda: Persistent("1Gi", storage_class=False), T, f"'storage_class' must be {NAME} (got False)"),
        (lambda: Persistent("1Gi", storage_class=0), T, f"'storage_class' must be {NAME} (got 0)"),
        (lambda: Persistent("1Gi", access_mode="readwriteonce"), V,
         f"'access_mode' must be {MODES} (got 'readwriteonce'); did you mean 'ReadWriteOnce'?"),
        (lambda: Persistent("1Gi", access_mode=None), T, f"'access_mode' must be {MODES} (got None)"),
        (lambda: Persistent("1Gi", readonly=True), T,
         "'readonly' must be an argument of Persistent (got readonly=True); did you mean 'read_only'?"),
        (lambda: Memory("1Gi", "models"), T, "'name' must be given by its name (got 'models'); such as Memory(…, name=…)"),
        (lambda: ExistingClaim("Models"), V, f"'claim_name' must be {NAME} (got 'Models')"),
        (lambda: ExistingClaim(1), T, f"'claim_name' must be {NAME} (got 1)"),
        (lambda: ExistingClaim("a", size="1Gi"), T,
         "'size' must be an argument of ExistingClaim (got size='1Gi'); the arguments of ExistingClaim are 'claim_name', 'name', 'sub_path', 'read_only'"),
        (lambda: HostPath("var/mnt"), V, "'path' must be an absolute path on the node, without '..' (got 'var/mnt')"),
        (lambda: HostPath("/var/../etc"), V, "'path' must be an absolute path on the node, without '..' (got '/var/../etc')"),
        (lambda: HostPath(1), T, "'path' must be a string that is not empty (got 1)"),
        (lambda: HostPath("/var", "directory"), V, f"'type' must be {HOST_PATHS} (got 'directory'); did you mean 'Directory'?"),
        (lambda: HostPath("/var", None), T, f"'type' must be {HOST_PATHS} (got None)"),
        *((lambda server=server: Nfs(server, "/"), V, f"'server' must be a host name or an IP address (got {server!r})")
          for server in ("nas lan", "-nas", "nas:2049", "user@nas", "nas\n", "https://nas")),
        *((lambda server=server: Nfs(server, "/x"), V,
           f"'server' must be a host name or an IP address (got {server!r}); did you mean Nfs('nas', '/export/models')?")
          for server in ("nfs://nas/export/models", "nas:/export/models", "nas/export/models")),
        (lambda: Nfs(1, "/"), T, "'server' must be a host name or an IP address (got 1)"),
        (lambda: Nfs("", "/"), V, "'server' must be a host name or an IP address (got '')"),
        (lambda: Nfs("nas"), T, "'path' must be given to Nfs (got nothing)"),
        (lambda: Nfs("nas", "export"), V, "'path' must be an absolute path on the server, without '..' (got 'export')"),
        (lambda: Nfs("nas", "/export/../etc"), V, "'path' must be an absolute path on the server, without '..' (got '/export/../etc')"),
        (lambda: Nfs("nas", None), T, "'path' must be a string that is not empty (got None)"),
        (lambda: Nfs("nas", "/export", "models"), T, "'name' must be given by its name (got 'models'); such as Nfs(…, name=…)"),
        (lambda: ConfigMapFiles("Settings"), V, f"'config_map' must be {NAME} (got 'Settings')"),
        (lambda: SecretFiles(b"tls"), T, f"'secret' must be {NAME} (got b'tls')"),
        (lambda: Memory("2GB"), V, "'size' must be a Kubernetes quantity above zero such as '2Gi' (got '2GB'); did you mean '2Gi'?"),
        (lambda: Memory(2), T, "'size' must be a Kubernetes quantity above zero such as '2Gi' (got 2); did you mean '2Gi'?"),
        (lambda: Empty("lots"), V, "'size' must be a Kubernetes quantity above zero such as '10Gi' (got 'lots')"),
        (lambda: Empty(10), T, "'size' must be a Kubernetes quantity above zero such as '10Gi' (got 10); did you mean '10Gi'?"),
    ],
)  # fmt: skip
def test_what_one_volume_refuses(call, error, expected):
    assert message(call, error) == expected
