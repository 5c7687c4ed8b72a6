"""The recipes of the servers that decode and encode video."""

import pytest

from conftest import env_of, message
from constructs_lib import ConfigMapFiles, GpuNodes, Mps, SecretKey, TalosGpuWarning
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.frigate import FrigateSettings
from constructs_lib.recipes.jellyfin import JellyfinSettings
from constructs_lib.recipes.plex import PlexSettings

NODES = GpuNodes(talos_version="1.13")


def pod(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]


def variables(settings):
    return env_of(pod(settings)["containers"][0])


@pytest.mark.parametrize("recipe", [FrigateSettings, JellyfinSettings, PlexSettings])
@pytest.mark.parametrize("talos", ["1.11", "1.12", "1.13"])
def test_a_video_server_asks_for_the_video_libraries(recipe, talos):
    assert variables(recipe(nodes=GpuNodes(talos_version=talos), name="video"))["NVIDIA_DRIVER_CAPABILITIES"] == "compute,video,utility"


@pytest.mark.parametrize(("talos", "path"), [("1.11", None), ("1.12", "/usr/local/glibc/usr/lib"), ("1.13", None)])
def test_plex_finds_the_libraries_with_its_own_libc(talos, path):
    assert variables(PlexSettings(nodes=GpuNodes(talos_version=talos), name="plex")).get("LD_LIBRARY_PATH") == path


def test_the_claim_token_of_plex_is_a_reference():
    plex = PlexSettings(nodes=NODES, name="plex", claim=SecretKey("plex", "claim"))

    assert pod(plex)["containers"][0]["env"][-1] == {"name": "PLEX_CLAIM", "valueFrom": {"secretKeyRef": {"name": "plex", "key": "claim"}}}
    assert message(lambda: PlexSettings(nodes=NODES, name="plex", claim="claim-abc"), TypeError).startswith(
        "'claim' must be a SecretKey: the value is a credential"
    )


def test_jellyfin_runs_without_root_and_plex_and_frigate_do_not_claim_to():
    assert [each(nodes=NODES, name="video").pod_security for each in (JellyfinSettings, PlexSettings, FrigateSettings)] == [
        "restricted",
        "baseline",
        "baseline",
    ]


def test_the_service_of_frigate_has_no_port_without_a_login():
    assert gpu_workload(FrigateSettings(nodes=NODES, name="frigate"))["Service"]["spec"]["ports"] == [
        {"name": "https", "port": 8971, "targetPort": "https"}
    ]


def test_the_streams_of_frigate_are_tcp_and_udp():
    ports = gpu_workload(FrigateSettings(nodes=NODES, name="frigate", streams=True))["Service"]["spec"]["ports"]

    assert {each["name"]: (each["port"], each.get("protocol")) for each in ports} == {
        "https": (8971, None),
        "rtsp": (8554, None),
        "webrtc": (8555, None),
        "webrtc-udp": (8555, "UDP"),
    }


# blakeblackshear/frigate docs/docs/frigate/installation.md: (width * height * 1.5 * 20 + 270480) / 1048576 for each camera, and 40 for the logs
@pytest.mark.parametrize(("cameras", "size"), [([(1280, 720)], "67Mi"), ([(1280, 720)] * 8, "256Mi"), ([(1920, 1080)], "100Mi")])
def test_the_shared_memory_of_frigate_follows_from_its_cameras(cameras, size):
    assert FrigateSettings(nodes=NODES, name="frigate", cameras=cameras).shared_memory == size


def test_the_shared_memory_of_frigate_is_inside_its_memory():
    said = message(lambda: FrigateSettings(nodes=NODES, name="frigate", cameras=[(3840, 2160)] * 4, memory="900Mi"))

    assert said.startswith("'memory' must be more than 'shared_memory' (")


@pytest.mark.parametrize("cameras", [[], "1280x720", [1280, 720], [(1280,)]])
def test_cameras_are_pairs(cameras):
    said = message(lambda: FrigateSettings(nodes=NODES, name="frigate", cameras=cameras), TypeError)

    assert said.startswith("'cameras' must be pairs of a width and a height, such as [(1280, 720)] (got ")


def test_frigate_takes_its_configuration_from_a_config_map():
    frigate = FrigateSettings(nodes=NODES, name="frigate", volumes={"/config/config.yml": ConfigMapFiles("frigate", sub_path="config.yml")})

    assert {each["mountPath"] for each in pod(frigate)["containers"][0]["volumeMounts"]} >= {"/config", "/config/config.yml"}


def test_by_mps_the_daemon_s_volume_is_the_shared_memory():
    with pytest.warns(TalosGpuWarning, match="MPS"):
        nodes = GpuNodes(talos_version="1.13", sharing=Mps(replicas=2))

    assert FrigateSettings(nodes=nodes, name="frigate").shared_memory is None


@pytest.mark.parametrize(
    ("settings", "own", "port"),
    [(JellyfinSettings, 8096, 80), (FrigateSettings, 8971, {"https": 9000}), (FrigateSettings, 8971, 5000)],
)
def test_a_port_that_the_image_never_opens_is_refused(settings, own, port):
    said = message(lambda: settings(nodes=NODES, name="media", port=port))

    assert said.startswith(f"'port' must be with {own}, the port on which the image listens (got ")


def test_the_probes_ask_the_port_of_the_image_in_any_order_of_the_ports():
    made = gpu_workload(JellyfinSettings(nodes=NODES, name="jellyfin", port={"http": 80, "web": 8096}))["Resource"]

    assert made["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]["httpGet"]["port"] == "web"


def test_plex_listens_on_one_port_beside_which_others_may_stand():
    said = message(lambda: PlexSettings(nodes=NODES, name="plex", port=80))

    assert said.startswith("'port' must be with 32400, the port on which the image listens (got {'http': 80}); service=")
    assert PlexSettings(nodes=NODES, name="plex", port={"http": 32400, "dlna": "1900/udp"}).port["dlna"] == "1900/udp"


def test_the_port_of_frigate_without_a_login_is_refused_beside_the_other_one():
    said = message(lambda: FrigateSettings(nodes=NODES, name="frigate", port={"https": 8971, "api": 5000}))

    assert said.startswith("'port' must be without 5000, the port without a login (got ")
