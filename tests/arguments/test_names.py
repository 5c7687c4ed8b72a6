"""Names and numbers that the API server or the kubelet would refuse later."""

import pytest

from conftest import message
from constructs_lib import GpuNodes, GpuWorkload, HttpProbe, TimeSlicing
from constructs_lib.arguments.names import env_name, image_reference, label_key
from constructs_lib.arguments.plain_values import whole_number
from constructs_lib.arguments.quantities import cpu_quantity, seconds

IMAGE = "an image reference such as 'registry.example.com/team/app:1.2'"
DIGEST = f"sha256:{'0a' * 32}"


@pytest.mark.parametrize(
    "image",
    [
        "busybox", "busybox:1.37.0", "ollama/ollama:0.32.15", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", "localhost/app", "localhost:5000/app:1",
        "registry:5000/team/app", "[fd00::1]:5000/app:1", "Registry.Local/app:1", f"app@{DIGEST}", f"ghcr.io/team/app:1.2@{DIGEST}",
        "ghcr.io/a__b/c-d.e--f:UPPER_tag.1-x", "${REGISTRY}/App:${TAG}", "a" * 255, "a/" * 127 + "a", f"app:{'t' * 128}",
    ],
)  # fmt: skip
def test_an_image_that_the_container_runtime_reads_is_taken(image):
    assert image_reference("image", image) == image


@pytest.mark.parametrize(
    ("image", "hint"),
    [
        ("https://ghcr.io/team/app:1", "did you mean 'ghcr.io/team/app:1'? The container runtime takes no 'https://'"),
        ("docker://busybox", "did you mean 'busybox'? The container runtime takes no 'docker://'"),
        ("https://", ""),
        ("Ollama/ollama:1", "did you mean 'ollama/ollama:1'? The path of an image is in lower case"),
        ("ghcr.io/Team/App:V1", "did you mean 'ghcr.io/team/app:V1'? The path of an image is in lower case"),
        ("BusyBox", "did you mean 'busybox'? The path of an image is in lower case"),
        ("app:", "leave the ':' out, or give a tag"),
        ("ghcr.io/team/app:", "leave the ':' out, or give a tag"),
        ("app:-1", "a tag has at most 128 letters, digits, '_', '-' and '.'"),
        (f"app:{'t' * 129}", "a tag has at most 128 letters, digits, '_', '-' and '.'"),
        ("app:ä", "a tag has at most 128 letters, digits, '_', '-' and '.'"),
        ("app@sha256:12", "a digest is 'sha256:' and 64 hexadecimal digits in lower case"),
        ("app@", "a digest is 'sha256:' and 64 hexadecimal digits in lower case"),
        ("/app", ""),
        ("app/", ""),
        ("team//app", ""),
        ("team/-app", ""),
        ("team/a___b", ""),
        ("registry:port/app", ""),
        ("reg_istry.io/app", ""),
        (":1", ""),
        (f"@{DIGEST}", ""),
        ("a" * 256, ""),
        ("a/" * 127 + "aa", ""),
        ("a-" * 5000 + "!", ""),
    ],
)
def test_an_image_that_the_container_runtime_cannot_read_is_refused(image, hint):
    assert message(lambda: image_reference("image", image)) == f"'image' must be {IMAGE} (got {image!r})" + (f"; {hint}" if hint else "")


@pytest.mark.parametrize("image", ["a b", " app", "app\n", "${TAG} x"])
def test_an_image_has_no_white_space(image):
    assert message(lambda: image_reference("image", image)) == f"'image' must be an image reference without white space (got {image!r})"


@pytest.mark.parametrize("name", [".", "..", "..data"])
def test_a_variable_that_looks_like_a_folder_is_refused(name):
    assert message(lambda: env_name("env", name)) == (
        f"'env' must be the name of an environment variable (letters, digits, '_', '-' and '.') (got {name!r}); "
        "Kubernetes refuses a name that is '.' or starts with '..'"
    )


def test_a_variable_may_start_with_one_dot():
    assert env_name("env", ".hidden") == ".hidden"


@pytest.mark.parametrize("number", [2**31, 10**30])
def test_a_whole_number_is_within_the_int32_of_kubernetes(number):
    assert whole_number("replicas", 2**31 - 1) == 2**31 - 1
    assert message(lambda: whole_number("replicas", number)) == f"'replicas' must be a whole number from 1 to 2147483647 (got {number})"


def test_a_number_that_python_does_not_write_is_refused_without_its_digits():
    assert message(lambda: whole_number("replicas", 10**5000)) == (
        "'replicas' must be a whole number from 1 to 2147483647 (got a number of thousands of digits)"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda chart: GpuWorkload(chart, "app", nodes=GpuNodes(talos_version="1.14"), image="app", replicas=10**30),
        lambda chart: GpuWorkload(chart, "app", nodes=GpuNodes(talos_version="1.14"), image="app", kind="Job", backoff_limit=10**30),
        lambda chart: GpuWorkload(chart, "app", nodes=GpuNodes(talos_version="1.14"), image="app", kind="Job", completions=10**30),
        lambda _: HttpProbe("/", period=10**30),
        lambda _: TimeSlicing(replicas=10**30),
        lambda _: GpuNodes(talos_version="1.14", gpus_per_node=10**30),
    ],
)
def test_every_number_of_an_argument_is_within_int32(chart, call):
    assert f"to 2147483647 (got {10**30})" in message(lambda: call(chart))


@pytest.mark.parametrize("amount", [10**30, 2.0**63])
def test_cpus_are_a_quantity_that_kubernetes_can_hold(amount):
    assert message(lambda: cpu_quantity("cpu", amount)) == f"'cpu' must be a Kubernetes quantity above zero such as '500m' (got {amount!r})"


@pytest.mark.parametrize(("written", "expected"), [("1h30m", 5400), ("50ms", 0.05), ("1.5s", 1.5), ("1h1m1s1ms", 3661.001)])
def test_the_seconds_of_a_duration(written, expected):
    assert seconds(written) == expected


@pytest.mark.parametrize("key", ["gpu", "example.com/gpu", "a.b.example.com/gpu_1.x"])
def test_the_key_of_a_label_may_have_a_prefix(key):
    assert label_key("key", key) == key


@pytest.mark.parametrize("key", ["example.Com/gpu", "exa_mple.com/gpu", "example..com/gpu", "-a.com/gpu", "/gpu", "example.com/", "a/b/c"])
def test_each_part_of_the_prefix_of_a_label_is_a_dns_label(key):
    rule = "a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.')"

    assert message(lambda: label_key("key", key)) == f"'key' must be {rule} (got {key!r})"
