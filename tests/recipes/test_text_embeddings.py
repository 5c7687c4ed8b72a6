"""The recipe of Text Embeddings Inference. The script of its download runs, with a `huggingface_hub` of the test's own."""

import os
import subprocess
import sys

import pytest

from conftest import env_of, message
from constructs_lib import GpuNodes, SecretKey
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.text_embeddings import TextEmbeddingsSettings


def embeddings(product="RTX 4090", nodes=None, **given):
    nodes = nodes or GpuNodes(talos_version="1.13", product=product)
    return TextEmbeddingsSettings(nodes=nodes, name="embeddings", model="BAAI/bge-m3", **given)


def container(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0]


def loading(settings):
    return settings.beside()["Model"]["spec"]["template"]["spec"]["containers"][0]


# huggingface/text-embeddings-inference README.md, "Docker Images"
@pytest.mark.parametrize(
    ("product", "tag"),
    [
        (None, "cuda-1.9"),
        ("T4", "turing-1.9"),
        ("A100-SXM4-40GB", "1.9"),
        ("A30", "1.9"),
        ("A10", "86-1.9"),
        ("RTX 3090", "86-1.9"),
        ("RTX A6000", "86-1.9"),
        ("L40S", "89-1.9"),
        ("RTX 4090", "89-1.9"),
        ("H100", "hopper-1.9"),
        ("B200", "100-1.9"),
        ("RTX 5090", "120-1.9"),
        ("RTX PRO 6000", "120-1.9"),
        ("GB300", "100-1.9"),
    ],
)
def test_the_image_is_built_for_the_card(product, tag):
    assert embeddings(product).image == f"ghcr.io/huggingface/text-embeddings-inference:{tag}"


def test_the_image_of_the_user_wins():
    assert embeddings(image="registry.example.com/tei:86-1.9.4").image == "registry.example.com/tei:86-1.9.4"


@pytest.mark.parametrize(("product", "kind"), [("V100", "Volta"), ("GTX 1080 Ti", "Pascal")])
def test_an_older_card_is_refused(product, kind):
    nodes = GpuNodes(talos_version="1.13", driver_track="lts", kernel_modules="proprietary", product=product)

    assert message(lambda: embeddings(nodes=nodes)) == (
        f"'nodes' must be of a card from Turing on (got '{product}'); the server has no image for {kind}"
    )


def test_the_server_listens_on_a_port_that_its_user_may_open():
    assert container(embeddings())["args"][-2:] == ["--port", "8080"]
    assert container(embeddings())["ports"] == [{"name": "http", "containerPort": 8080}]
    assert embeddings().pod_security == "restricted"


def test_the_server_reads_the_model_of_the_job():
    words = container(embeddings(batch_tokens=32768))["args"]

    assert words[:4] == ["--model-id", "/models/BAAI/bge-m3/main", "--served-model-name", "BAAI/bge-m3"]
    assert words[4:6] == ["--max-batch-tokens", "32768"]


def test_one_server_uses_one_gpu():
    assert message(lambda: embeddings(gpus=2)).startswith("'gpus' must be 1: the server uses one GPU (got 2); give 'replicas'")


def test_a_flag_that_an_argument_sets_is_refused():
    assert message(lambda: embeddings(args=["--model-id=x"])) == "'args' must be without --model-id (got '--model-id=x'); give 'model'"


def test_the_key_of_the_clients_is_a_reference():
    assert env_of(container(embeddings(api_key=SecretKey("tei", "key"))))["API_KEY"] == {"secretKeyRef": {"name": "tei", "key": "key"}}


def test_the_job_downloads_by_an_image_that_can(tmp_path):
    (tmp_path / "huggingface_hub.py").write_text("def snapshot_download(*args, **given):\n    print(args, given)\n")
    (tmp_path / "python3").symlink_to(sys.executable)
    job = loading(embeddings(revision="abc"))
    folder = tmp_path / "models"
    variables = {**env_of(job), "FOLDER": str(folder), "PYTHONPATH": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(job["command"], capture_output=True, text=True, check=True, env=variables)

    assert job["image"] == "docker.io/kserve/storage-initializer:v0.20.0"
    assert done.stdout.splitlines()[1] == str(("BAAI/bge-m3",)) + " " + str(
        {"revision": "abc", "local_dir": str(folder), "ignore_patterns": ["original/*", "onnx/*", "openvino/*"]}
    )
    assert (folder / ".complete").exists()


def test_the_server_opens_the_port_of_the_user():
    assert container(embeddings(port=9000))["args"][-2:] == ["--port", "9000"]
    assert container(embeddings(port=9000))["ports"] == [{"name": "http", "containerPort": 9000}]
