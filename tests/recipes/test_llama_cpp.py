"""The recipe of llama.cpp's server. The script of its download runs in a shell, with a `curl` of the test's own."""

import os
import shutil
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from conftest import env_of, message
from constructs_lib import GpuNodes, SecretKey, TimeSlicing
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.llama_cpp import LlamaCppSettings

NODES = GpuNodes(talos_version="1.13", product="RTX 4090")


def llama(nodes=NODES, **given):
    return LlamaCppSettings(**{"nodes": nodes, "name": "llama", "model": "Qwen/Qwen3-8B-GGUF", "file": "Qwen3-8B-Q4_K_M.gguf", **given})


def container(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0]


def loading(settings):
    return settings.beside()["Model"]["spec"]["template"]["spec"]["containers"][0]


def value(settings, flag):
    words = container(settings)["args"]
    return words[words.index(flag) + 1] if flag in words else None


def test_the_server_reads_the_file_that_the_job_writes():
    settings = llama(file="Q4_K_M/model-00001-of-00002.gguf")

    assert value(settings, "--model") == "/models/Qwen/Qwen3-8B-GGUF/main/Q4_K_M/model-00001-of-00002/model-00001-of-00002.gguf"
    assert env_of(loading(settings))["FOLDER"] == "/models/Qwen/Qwen3-8B-GGUF/main/Q4_K_M/model-00001-of-00002"
    assert env_of(loading(settings))["FILES"] == "Q4_K_M/model-00001-of-00002.gguf Q4_K_M/model-00002-of-00002.gguf"


def test_the_file_for_images_comes_along():
    settings = llama(projector="mmproj-F16.gguf")

    assert value(settings, "--mmproj") == f"{settings.folder}/mmproj-F16.gguf"
    assert env_of(loading(settings))["FILES"] == "Qwen3-8B-Q4_K_M.gguf mmproj-F16.gguf"
    assert settings.folder != llama().folder


@pytest.mark.parametrize(
    ("file", "refusal"),
    [
        ("Q4_K_M", "'file' must be a GGUF file of the repository, such as 'Qwen3-8B-Q4_K_M.gguf' (got 'Q4_K_M')"),
        ("../secret.gguf", "'file' must be a GGUF file"),
        ("a b.gguf", "'file' must be a GGUF file"),
        (
            "m-00002-of-00003.gguf",
            "'file' must be the first part of a model in parts (got 'm-00002-of-00003.gguf'); did you mean 'm-00001-of-00003.gguf'?",
        ),
    ],
)
def test_a_file_is_a_gguf_file_and_the_first_of_its_parts(file, refusal):
    assert message(lambda: llama(file=file)).startswith(refusal)


def test_each_request_has_its_own_context():
    assert (value(llama(), "--ctx-size"), value(llama(), "--parallel")) == ("8192", "1")
    assert value(llama(context=16384, parallel=4), "--ctx-size") == "65536"


def test_the_whole_model_is_on_the_cards_unless_the_user_leaves_layers_to_the_cpu():
    assert value(llama(), "--n-gpu-layers") == "all"
    assert container(llama(args=["--n-gpu-layers", "20"]))["args"][-2:] == ["--n-gpu-layers", "20"]


def test_the_server_has_metrics_an_open_address_and_no_network():
    assert {"--metrics", "--offline"} <= set(container(llama())["args"])
    assert (value(llama(), "--host"), value(llama(), "--port")) == ("0.0.0.0", "8080")


@pytest.mark.parametrize("word", ["--tools=all", "--agent", "-ag", "--mcp-servers-json"])
def test_a_shell_for_clients_is_refused(word):
    assert message(lambda: llama(args=[word])).startswith(f"'args' must be without {word.partition('=')[0]} (got '{word}'); every client")


def test_the_parser_takes_underscores_for_dashes():
    assert message(lambda: llama(args=["--ctx_size=1"])) == "'args' must be without --ctx-size (got '--ctx_size=1'); give 'context'"
    assert message(lambda: llama(args=["--ui_mcp_proxy"])).startswith(
        "'args' must be without --ui-mcp-proxy (got '--ui_mcp_proxy'); every client"
    )


def test_the_beginning_of_a_flag_is_not_the_flag():
    assert container(llama(args=["--ctx"]))["args"][-1] == "--ctx"


def test_a_flag_that_an_argument_sets_is_refused():
    assert message(lambda: llama(args=["-c", "4096"])) == "'args' must be without -c (got '-c'); give 'context'"


def test_several_shares_are_refused():
    nodes = GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=4))

    assert message(lambda: llama(nodes, gpus=2)).startswith("'gpus' must be 1 where pods have shares")


def test_the_key_of_the_clients_is_a_reference():
    key = {"secretKeyRef": {"name": "llama", "key": "key"}}

    assert env_of(container(llama(api_key=SecretKey("llama", "key"))))["LLAMA_API_KEY"] == key


def test_the_sigterm_comes_after_the_drain():
    assert container(llama(drain=15))["lifecycle"] == {"preStop": {"sleep": {"seconds": 15}}}


@pytest.mark.parametrize(("talos", "track", "tag"), [("1.12", "production", "server-cuda-"), ("1.12", "lts", "server-cuda13-")])
def test_the_image_runs_on_the_driver(talos, track, tag):
    assert llama(GpuNodes(talos_version=talos, driver_track=track)).image.startswith(f"ghcr.io/ggml-org/llama.cpp:{tag}b")


def test_the_job_downloads_what_is_missing_with_the_token_on_no_command_line(tmp_path):
    log, folder = tmp_path / "log", tmp_path / "models"
    program = tmp_path / "curl"
    program.write_text(
        f"#!{sys.executable}\nimport pathlib, sys\nwords = sys.argv[1:]\nwith open({str(log)!r}, 'a') as log:\n"
        "    print(words[-1], sys.stdin.read(), 'tok-1' in ' '.join(words), file=log)\n"
        "pathlib.Path(words[words.index('--output') + 1]).touch()\nsys.exit('broken' in words[-1])\n"
    )
    program.chmod(0o755)
    folder.mkdir()
    (folder / "m-00001-of-00002.gguf").touch()

    def run(settings):
        variables = {**env_of(loading(settings)), "FOLDER": str(folder), "HF_TOKEN": "tok-1", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        return subprocess.run(loading(settings)["command"], capture_output=True, check=False, env=variables).returncode

    assert run(llama(file="x/m-00001-of-00002.gguf", revision="abc")) == 0
    assert log.read_text() == (
        "https://huggingface.co/Qwen/Qwen3-8B-GGUF/resolve/abc/x/m-00002-of-00002.gguf "
        'header = "Authorization: Bearer tok-1" False\n'
    )  # fmt: skip
    assert {each.name for each in folder.iterdir()} == {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf", ".complete"}

    (folder / ".complete").unlink()
    assert run(llama(file="broken.gguf")) != 0
    assert not (folder / ".complete").exists()


@pytest.mark.parametrize("port", [9000, {"http": 9000, "other": 9001}])
def test_the_server_opens_the_port_of_the_user(port):
    assert value(llama(port=port), "--port") == "9000"


@pytest.fixture
def site():
    """A site that answers by a redirect to another host, as Hugging Face does, and the requests that both hosts got."""
    requests, data = [], b"GGUF" * 1000

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append((self.path, self.headers["Authorization"], self.headers["Range"]))
            if self.path != "/blob":
                self.send_response(302)
                self.send_header("Location", f"http://localhost:{server.server_port}/blob")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            first = int((self.headers["Range"] or "bytes=0-").removeprefix("bytes=").removesuffix("-"))
            self.send_response(206 if first else 200)
            self.send_header("Content-Length", str(len(data) - first))
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
            self.end_headers()
            self.wfile.write(data[first:])

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", requests, data
        server.shutdown()


@pytest.mark.skipif(shutil.which("curl") is None, reason="the download needs curl, which the image has")
def test_curl_goes_on_with_half_a_file_and_gives_the_token_to_hugging_face_alone(tmp_path, site):
    address, requests, data = site
    (tmp_path / "Qwen3-8B-Q4_K_M.gguf.part").write_bytes(data[:1500])
    job = loading(llama(revision="abc"))
    command = [*job["command"][:2], job["command"][2].replace("https://huggingface.co", address)]
    subprocess.run(command, check=True, env={**env_of(job), "FOLDER": str(tmp_path), "HF_TOKEN": "tok-1", "PATH": os.environ["PATH"]})

    assert (tmp_path / "Qwen3-8B-Q4_K_M.gguf").read_bytes() == data
    assert requests == [
        ("/Qwen/Qwen3-8B-GGUF/resolve/abc/Qwen3-8B-Q4_K_M.gguf", "Bearer tok-1", "bytes=1500-"),
        ("/blob", None, "bytes=1500-"),
    ]
