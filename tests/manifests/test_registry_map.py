"""The mapping from registries and repositories to the places of their copies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib import ArgumentError, ArgumentTypeError
from constructs_lib.arguments.names import ImageParts
from constructs_lib.manifests.registry_map import RegistryMap, read_registries

HOME = {"docker.io": "registry.home.arpa/hub", "nvcr.io": "registry.home.arpa/nvcr", "nvcr.io/nvidia/k8s": "registry.home.arpa:5000"}
DIGEST = f"sha256:{'0a' * 32}"


@pytest.mark.parametrize(
    ("image", "moved"),
    [
        ("busybox:1.37", "registry.home.arpa/hub/library/busybox:1.37"),
        ("busybox", "registry.home.arpa/hub/library/busybox"),
        ("ollama/ollama:1", "registry.home.arpa/hub/ollama/ollama:1"),
        ("nvcr.io/nvidia/cuda:13", "registry.home.arpa/nvcr/nvidia/cuda:13"),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4", "registry.home.arpa:5000/dcgm-exporter:4"),
        ("nvcr.io/nvidia/k8s-device-plugin:4", "registry.home.arpa/nvcr/nvidia/k8s-device-plugin:4"),
        (f"nvcr.io/nvidia/cuda:13@{DIGEST}", f"registry.home.arpa/nvcr/nvidia/cuda:13@{DIGEST}"),
        ("nvcr.io/nvidia/cuda:${TAG}", "registry.home.arpa/nvcr/nvidia/cuda:${TAG}"),
        ("registry.home.arpa/hub/library/busybox:1", "registry.home.arpa/hub/library/busybox:1"),
        ("ghcr.io/a/b:1", None),
        ("${IMAGE}", None),
    ],
)
def test_the_longest_key_of_whole_parts_wins_and_tag_and_digest_stay(image, moved):
    assert RegistryMap("registries", HOME).moved(image) == moved


names = st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}", fullmatch=True)


@given(st.dictionaries(st.sampled_from(["docker.io", "nvcr.io", "ghcr.io/a", "b"]), names.map("r.io/{}".format), min_size=1), names)
def test_a_moved_image_is_moved_once(registries, name):
    mapping = RegistryMap("registries", registries)
    moved = mapping.moved(f"nvcr.io/{name}:1")

    assert moved is None or (mapping.moved(moved) == moved and ImageParts.parse(moved) is not None)


def test_every_image_without_an_entry_is_in_one_error():
    with pytest.raises(ArgumentError) as caught:
        RegistryMap("registries", {"nvcr.io": "r.io"}).check(["busybox", "nvcr.io/a:1", "ghcr.io/a/b:1", "quay.io/c:${TAG}", "busybox"])

    assert str(caught.value) == (
        "'registries' must be a mapping with an entry for every image (got {'nvcr.io': 'r.io'}); "
        "add 'docker.io', 'ghcr.io', 'quay.io' for busybox, ghcr.io/a/b:1, quay.io/c:${TAG}"
    )


@pytest.mark.parametrize(
    ("images", "words"),
    [
        (["org/app:1", "quay.io/org/app:1"], "docker.io/org/app:1 and quay.io/org/app:1 would both be r.home.arpa/org/app:1"),
        (
            ["quay.io/org/app", "org/app:latest"],
            "quay.io/org/app:latest and docker.io/org/app:latest would both be r.home.arpa/org/app:latest",
        ),
        (["r.home.arpa/org/app:1", "org/app:1"], "r.home.arpa/org/app:1 and docker.io/org/app:1 would both be r.home.arpa/org/app:1"),
        (
            ["org/app:${TAG}", "quay.io/org/app:${TAG}"],
            "org/app:${TAG} and quay.io/org/app:${TAG} would both be r.home.arpa/org/app:${TAG}",
        ),
    ],
)
def test_two_images_with_one_copy_are_refused_by_their_names(images, words):
    with pytest.raises(ArgumentError) as caught:
        RegistryMap("registries", {"docker.io": "r.home.arpa", "quay.io": "r.home.arpa"}).check(images)

    assert str(caught.value) == (
        "'registries' must be a mapping that keeps different images apart (got {'docker.io': 'r.home.arpa', 'quay.io': 'r.home.arpa'}); "
        f"{words}; give each registry a folder of its own"
    )


@pytest.mark.parametrize(
    "images",
    [
        ["org/app:1", "docker.io/org/app:1", "index.docker.io/org/app:1"],
        ["org/app:1", "quay.io/org/app:2"],
        [f"org/app@{DIGEST}", f"quay.io/org/app@{DIGEST}"],
    ],
)
def test_one_image_by_several_names_and_images_of_other_tags_have_their_copies(images):
    RegistryMap("registries", {"docker.io": "r.home.arpa", "quay.io": "r.home.arpa"}).check(images)


@pytest.mark.parametrize(
    ("registries", "message"),
    [
        (
            {},
            "'registries' must be a mapping with at least one registry (got {}); such as {'nvcr.io': 'registry.home.arpa/nvcr'}",
        ),
        (
            {"x": "a.io/b", "docker.io/library/x": "a.io/c"},
            "'registries' must be a mapping with one spelling of each key (got 'docker.io/library/x'); 'x' is the same: docker.io/library/x",
        ),
        (
            {"index.docker.io": "a.io", "docker.io": "b.io"},
            "'registries' must be a mapping with one spelling of each key (got 'docker.io'); 'index.docker.io' is the same: docker.io",
        ),
        (
            {"a.io": "b.io", "b.io": "a.io"},
            (
                "'registries' must be a mapping without a loop: no copy is below a key (got {'a.io': 'b.io', 'b.io': 'a.io'}); "
                "'a.io' goes to 'b.io', which itself goes to 'a.io'"
            ),
        ),
        (
            {"docker.io": "docker.io/mirror"},
            (
                "'registries' must be a mapping without a loop: no copy is below a key (got {'docker.io': 'docker.io/mirror'}); "
                "'docker.io' goes to 'docker.io/mirror', which itself goes to 'docker.io/mirror/mirror'"
            ),
        ),
        (
            {"nvcr.io": "https://r.io/nvcr"},
            (
                "'registries[nvcr.io]' must be a registry with or without a folder, such as 'registry.home.arpa/nvcr' (got 'https://r.io/nvcr'); "
                "did you mean 'r.io/nvcr'? An image has no https://"
            ),
        ),
        (
            {"nvcr.io": "r.io/"},
            "'registries[nvcr.io]' must be a registry with or without a folder, such as 'registry.home.arpa/nvcr' (got 'r.io/'); did you mean 'r.io'?",
        ),
        (
            {"nvcr.io": "mirror/nvcr"},
            (
                "'registries[nvcr.io]' must be a registry with or without a folder, such as 'registry.home.arpa/nvcr' (got 'mirror/nvcr'); "
                "'mirror' would be a folder of docker.io; a registry has a dot or a port, or is localhost"
            ),
        ),
        (
            {"nvcr.io": "r.io/a:1"},
            (
                "'registries[nvcr.io]' must be a registry with or without a folder, such as 'registry.home.arpa/nvcr' (got 'r.io/a:1'); "
                "leave the tag and the digest out: every image keeps its own"
            ),
        ),
        (
            {"nvcr.io/a:1": "r.io"},
            (
                "'registries' must be a registry or a repository, such as 'nvcr.io' or 'nvcr.io/nvidia' (got 'nvcr.io/a:1'); "
                "leave the tag and the digest out: every image keeps its own"
            ),
        ),
    ],
)
def test_a_wrong_mapping_is_refused(registries, message):
    with pytest.raises(ArgumentError) as caught:
        RegistryMap("registries", registries)

    assert str(caught.value) == message


@pytest.mark.parametrize("registries", [["nvcr.io"], {"nvcr.io": 5}, {5: "r.io"}])
def test_a_mapping_of_another_type_is_refused(registries):
    with pytest.raises((ArgumentTypeError, ArgumentError)):
        RegistryMap("registries", registries)


def test_a_registry_that_stays_has_itself_as_target():
    assert RegistryMap("registries", {"r.io": "r.io", "nvcr.io": "r.io/nvcr"}).moved("r.io/app:1") == "r.io/app:1"


def test_a_registry_with_a_port_is_a_key_and_no_image_with_a_tag():
    assert RegistryMap("registries", {"localhost:5000": "r.io"}).moved("localhost:5000/app:1") == "r.io/app:1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it has 0 documents"),
        ("a.io: b.io\n---\nc.io: d.io\n", "it has 2 documents"),
        ("a.io: b.io\na.io: c.io\n", "line 2, column 1: the key 'a.io' is in line 1, too"),
        ("a: [", "line 2, column 1"),
        ("- a.io\n", "must be a mapping from registries to the places of their copies (got ['a.io'])"),
        ("a: &a [x, x]\nb: [*a, *a]\nc: !!timestamp x\n", "must be"),
    ],
)
def test_a_file_with_no_one_mapping_is_refused(text, message):
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        read_registries("mirror", text)

    assert message in str(caught.value)
