"""The implied parts of image references."""

import pytest

from constructs_lib.arguments.names import ImageParts

DIGEST = f"sha256:{'0a' * 32}"


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("busybox", "docker.io/library/busybox:latest"),
        ("busybox:1.37", "docker.io/library/busybox:1.37"),
        ("ollama/ollama:1", "docker.io/ollama/ollama:1"),
        ("docker.io/busybox", "docker.io/library/busybox:latest"),
        ("index.docker.io/library/busybox:1", "docker.io/library/busybox:1"),
        ("localhost/app", "localhost/app:latest"),
        ("registry:5000/app:1", "registry:5000/app:1"),
        ("nvcr.io/nvidia/cuda:13", "nvcr.io/nvidia/cuda:13"),
        (f"ghcr.io/a/b@{DIGEST}", f"ghcr.io/a/b@{DIGEST}"),
    ],
)
def test_the_parts_that_are_left_out_are_those_that_containerd_adds(written, whole):
    assert str(ImageParts.parse(written)) == whole


def test_with_a_digest_the_tag_does_not_count_and_is_kept_beside_it():
    parts = ImageParts.parse(f"ghcr.io/a/b:1@{DIGEST}")

    assert (parts.tag, parts.digest, str(parts)) == ("1", DIGEST, f"ghcr.io/a/b@{DIGEST}")


@pytest.mark.parametrize(
    "written", ["", "a b", "https://nvcr.io/a:1", "nvcr.io/A/b:1", "a:", "nvcr.io/a@sha256:0", "nvcr.io/a:${TAG}", "-"]
)
def test_a_text_that_is_no_reference_has_no_parts(written):
    assert ImageParts.parse(written) is None
