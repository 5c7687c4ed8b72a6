import warnings

import pytest

from conftest import message
from constructs_lib import TalosGpuWarning
from constructs_lib.manifests.exporter.version import check_exporter_image, exporter_version
from constructs_lib.upstream.charts import DCGM_EXPORTER
from constructs_lib.upstream.images import DCGM_EXPORTER_IMAGE
from constructs_lib.upstream.talos.releases import READ_ON
from constructs_lib.upstream.version import Version

REPOSITORY = "nvcr.io/nvidia/k8s/dcgm-exporter"
RULE = "of dcgm-exporter 4.8.0 or newer, such as 'nvcr.io/nvidia/k8s/dcgm-exporter:4.6.1-4.8.4-distroless'"
DIGEST = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    ("image", "version"),
    [
        (f"{REPOSITORY}:4.6.0-4.8.3-distroless", (4, 8, 3)),
        (f"{REPOSITORY}:4.6.0-4.8.3", (4, 8, 3)),
        (f"{REPOSITORY}:4.8.4", (4, 8, 4)),
        (f"{REPOSITORY}:4.8.4-distroless", (4, 8, 4)),
        (f"{REPOSITORY}:3.3.9-3.6.1-ubuntu22.04", (3, 6, 1)),
        (f"registry.local:5000/dcgm-exporter:v4.5.3-v4.8.2@{DIGEST}", (4, 8, 2)),
        ("registry.local:5000/dcgm-exporter", None),
        (f"{REPOSITORY}@{DIGEST}", None),
        (f"{REPOSITORY}:latest", None),
        (f"{REPOSITORY}:4.6.0-4.8", None),
    ],
)
def test_the_version_is_the_second_one_of_the_tag(image, version):
    assert exporter_version(image) == (version and Version(*version))


@pytest.mark.parametrize("dra", [False, True])
def test_the_pinned_image_is_of_the_generation_that_is_known(dra):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_exporter_image(DCGM_EXPORTER_IMAGE, dra=dra)


@pytest.mark.parametrize(
    ("tag", "version"),
    [("4.6.1-4.8.5-distroless", "4.8.5"), ("4.7.0-4.9.0-distroless", "4.9.0"), ("4.9.0", "4.9.0"), ("5.0.0-5.0.0", "5.0.0")],
)
def test_an_exporter_newer_than_the_tables_is_taken_with_a_warning_of_their_date(tag, version):
    image = f"{REPOSITORY}:{tag}"
    with pytest.warns(TalosGpuWarning) as caught:
        check_exporter_image(image, dra=True)

    (warning,) = caught
    assert str(warning.message) == (
        f"dcgm-exporter {version} is newer than this library's tables, which were read on {READ_ON} (newest: {DCGM_EXPORTER.newest}): nobody has "
        "tried this version with the variables and the counters of DcgmExporter"
    )


@pytest.mark.parametrize("tag", ["4.4.2-4.7.1-distroless", "3.3.9-3.6.1-ubuntu22.04"])
def test_an_exporter_that_does_not_know_every_counter_is_refused(tag):
    assert message(lambda: check_exporter_image(f"{REPOSITORY}:{tag}", dra=False)) == (
        f"'image' must be {RULE} (got '{REPOSITORY}:{tag}'); older exporters don't know DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION, and exit at start"
    )


@pytest.mark.parametrize("tag", ["4.5.1-4.8.0-distroless", "4.5.3-4.8.2-distroless"])
def test_an_exporter_that_waits_for_an_old_api_is_refused_with_dra_alone(tag):
    image = f"{REPOSITORY}:{tag}"

    check_exporter_image(image, dra=False)
    assert message(lambda: check_exporter_image(image, dra=True)) == (
        f"'image' must be of dcgm-exporter 4.8.3 or newer with 'dra' (got '{image}'); older exporters wait for ever for resource.k8s.io/v1beta1"
    )


def test_a_tag_that_tells_no_version_is_warned_of():
    with pytest.warns(TalosGpuWarning) as caught:
        check_exporter_image("registry.local/dcgm-exporter:latest", dra=True)

    assert [str(each.message) for each in caught] == [
        "'image' 'registry.local/dcgm-exporter:latest' names no version in its tag: a dcgm-exporter before 4.8.0 does not know every counter, and exits at start"
    ]
