"""TG120: video servers without the libraries for NVENC and NVDEC."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

GPU = "resources: {limits: {nvidia.com/gpu: 1}}"
VIDEO = "NVIDIA_DRIVER_CAPABILITIES"
MISSING = (
    "On Talos 1.11 and older NVIDIA's runtime then leaves out the libraries for video: 'Cannot load libnvidia-encode.so.1' and 'Cannot load "
    "libnvcuvid.so.1'. The server encodes and decodes on the CPU"
)


def found(text, talos="1.11"):
    return [(str(each.severity), each.message) for each in run_rules(read_text(text, talos=talos), select=["TG120"])]


def server(image, env=None, resources=GPU, more=""):
    variables = "" if env is None else f', env: [{{name: {VIDEO}, value: "{env}"}}]'
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: video, namespace: media}}
spec: {{runtimeClassName: nvidia, containers: [{{name: main, image: "{image}", {resources}{variables}{more}}}]}}
"""


def app_template(env):
    return f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: jellyfin, namespace: media}}
spec:
  chart: {{spec: {{chart: app-template, version: 4.2.0}}}}
  values:
    controllers:
      main:
        containers:
          main:
            image: {{repository: ghcr.io/jellyfin/jellyfin, tag: 10.11.11}}
            env: {env}
            resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""


def test_capabilities_without_video_are_named():
    assert found(server("ghcr.io/jellyfin/jellyfin:10.11.11", "compute,utility")) == [
        ("warning", f"NVIDIA_DRIVER_CAPABILITIES is 'compute,utility', without video. {MISSING}")
    ]


def test_the_image_of_plex_inc_sets_no_capabilities():
    message = (
        f"NVIDIA_DRIVER_CAPABILITIES is not set, and the image plexinc/pms-docker:plexpass does not set the variable either. {MISSING}"
    )

    assert found(server("plexinc/pms-docker:plexpass")) == [("warning", message)]
    assert len(found(server("docker.io/plexinc/pms-docker:latest@sha256:0123"))) == 1


def test_a_release_is_read_too():
    assert len(found(app_template(f"{{{VIDEO}: utility}}"))) == 1
    assert found(app_template(f'{{{VIDEO}: "compute,video,utility"}}')) == []


def test_a_release_whose_values_are_not_all_read_may_set_the_variable():
    plex = app_template("{TZ: Europe/Berlin}").replace("ghcr.io/jellyfin/jellyfin", "plexinc/pms-docker")
    more = plex.replace("spec:\n", "spec:\n  valuesFrom: [{kind: Secret, name: more}]\n", 1)

    assert len(found(plex)) == 1
    assert found(more) == []


def test_a_container_without_a_gpu_beside_one_with_a_gpu_needs_no_libraries():
    beside = server("ollama/ollama:0.32.15").replace("containers: [", "containers: [{name: plex, image: plexinc/pms-docker}, ")

    assert found(beside) == []


@pytest.mark.parametrize("image", ["linuxserver/plex", "lscr.io/linuxserver/emby:4", "ghcr.io/blakeblackshear/frigate:0.17.1-tensorrt"])
def test_every_video_server_is_known_by_its_last_name(image):
    assert len(found(server(image, "utility"))) == 1


@pytest.mark.parametrize(
    "text",
    [
        server("jellyfin/jellyfin:10.11.11", "all"),
        server("jellyfin/jellyfin:10.11.11", "compute, video, utility"),
        server("jellyfin/jellyfin:10.11.11", "${CAPABILITIES}"),
        server("jellyfin/jellyfin:10.11.11"),
        server("linuxserver/plex:1.43.0"),
        server("plexinc/pms-docker", "all"),
        server("plexinc/pms-docker", resources="resources: {limits: {gpu.intel.com/i915: 1}}"),
        server("plexinc/pms-docker", more=", envFrom: [{secretRef: {name: plex}}]"),
        server("plexinc/pms-docker", more=', env: ["${ENV}"]'),
        server("plexinc/pms-docker", more=f", env: [{{name: {VIDEO}, valueFrom: {{configMapKeyRef: {{name: a, key: b}}}}}}]"),
        server("${IMAGE}", "utility"),
        server("rebelcore/jellyfin-exporter:1", "utility"),
        server("ollama/ollama:0.32.15", "compute,utility"),
    ],
)
def test_video_and_what_may_be_video_are_not_found(text):
    assert found(text) == []


def test_newer_talos_gives_every_library_and_an_unknown_talos_may():
    text = server("plexinc/pms-docker")

    assert found(text, talos="1.12") == []
    assert found(text, talos=None) == []
