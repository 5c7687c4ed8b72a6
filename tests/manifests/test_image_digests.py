"""The digests of images, and the copies of images by their digests."""

import pytest

from conftest import message
from constructs_lib.manifests.image_digests import ImageCopies, ImageDigests
from constructs_lib.manifests.registry_map import RegistryMap

DIGEST = f"sha256:{'0a' * 32}"
OTHER = f"sha256:{'0b' * 32}"
RULE = "'digests' must be references with a tag and a digest, such as 'docker.io/library/busybox:1.37.0@sha256:…', one a line"


def digests(*lines):
    return ImageDigests("digests", lines)


def test_an_image_is_found_by_every_spelling_of_its_name():
    known = digests("# by hand", "", f"  docker.io/library/busybox:latest@{DIGEST}  ", f"nvcr.io/a/b:1@{OTHER}")

    assert [known.of(image) for image in ("busybox", "busybox:latest", "index.docker.io/library/busybox", "nvcr.io/a/b:1")] == [
        DIGEST
    ] * 3 + [OTHER]
    assert [known.of(image) for image in ("busybox:1", "nvcr.io/a/b", "busybox:${TAG}", "a b")] == [None] * 4


def test_an_image_with_a_digest_keeps_it():
    copies = ImageCopies(None, digests(f"busybox:1@{DIGEST}"))
    written = f"busybox:1@{OTHER}"

    assert (copies.digests.of(written), copies.pinned(written)) == ("", written)


def test_a_copy_has_the_tag_and_the_digest():
    copies = ImageCopies(RegistryMap("registries", {"docker.io": "r.io/hub"}), digests(f"busybox:latest@{DIGEST}"))

    assert copies.pinned("busybox") == f"busybox:latest@{DIGEST}"
    assert copies.moved("busybox") == f"r.io/hub/library/busybox:latest@{DIGEST}"
    assert ImageCopies().pinned("busybox") == "busybox"


def test_images_without_a_digest_are_named_all_in_one_error():
    known = digests(f"busybox:1@{DIGEST}")

    assert message(lambda: known.check(["busybox:1", "a/b:1", "a/b:1", "nvcr.io/c:2"])) == (
        "'digests' must be a list with the digest of every image (got '1 images'); none has a/b:1, nvcr.io/c:2"
    )


@pytest.mark.parametrize(
    "line",
    ["busybox:1", f"busybox@{DIGEST}", "busybox:1@sha256:0a", f"busybox:${{TAG}}@{DIGEST}", f"busybox:1 {DIGEST}", "{", f"-f:1@{DIGEST}"],
)
def test_a_line_without_a_tag_and_a_digest_is_refused(line):
    assert message(lambda: digests(line)) == f"{RULE} (got {line!r})"


def test_two_digests_of_one_image_and_an_empty_list_are_refused():
    twice = message(lambda: digests(f"busybox:1@{DIGEST}", f"docker.io/library/busybox:1@{OTHER}"))

    assert (
        twice
        == f"'digests' must be a list with one digest for each image (got 'docker.io/library/busybox:1@{OTHER}'); another line has {DIGEST}"
    )
    assert digests(f"busybox:1@{DIGEST}", f"busybox:1@{DIGEST}").of("busybox:1") == DIGEST
    assert message(lambda: digests("# nothing")).startswith("'digests' must be a list with at least one image (got [])")
