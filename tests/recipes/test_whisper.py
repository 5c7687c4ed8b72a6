"""The recipes of Whisper: with OpenAI's API, and by the Wyoming protocol."""

import http.server
import shutil
import subprocess
import threading

import pytest
from cdk8s import App, Chart

from conftest import env_of, message
from constructs_lib import GpuNodes, Nfs, SecretKey, TalosGpuWarning, expose
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes import Whisper, WyomingWhisper
from constructs_lib.recipes.whisper import WhisperSettings
from constructs_lib.recipes.wyoming_whisper import WyomingWhisperSettings

NODES = GpuNodes(talos_version="1.13", product="RTX 4090")
KEY = SecretKey("whisper", "key")
MODELS = ("Systran/faster-whisper-large-v3", "whisper-1")


def whisper(**given):
    return WhisperSettings(nodes=NODES, name="whisper", **given)


def wyoming(nodes=NODES, **given):
    return WyomingWhisperSettings(nodes=nodes, name="whisper", **given)


def container(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0]


def job(settings):
    return settings.beside()["Models"]


def client(settings):
    return job(settings)["spec"]["template"]["spec"]["containers"][0]


@pytest.fixture
def server():
    """A server that has only the models of MODELS, and its requests: the method, the path and the key."""
    seen = []

    class Speaches(http.server.BaseHTTPRequestHandler):
        def answer(self):
            seen.append((self.command, self.path, self.headers.get("Authorization")))
            known = self.path == "/health" or self.path.removeprefix("/v1/models/") in MODELS
            self.send_response(200 if known else 404)
            self.end_headers()
            self.wfile.write(b"downloaded" if known else b"not found")

        do_GET = do_POST = answer  # noqa: N815  # the names of the base class

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Speaches) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}", seen
        listening.shutdown()


def run(container, address, **variables):
    """The Job's script, with the shell and curl of this machine."""
    if shutil.which("curl") is None:
        pytest.skip("the script of the Job needs curl")
    environment = {"SERVER": address, "PATH": "/usr/bin:/bin", **variables}
    command = [*container["command"], *container["args"]]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_the_job_asks_the_server_for_each_model_with_the_key(server):
    address, seen = server
    done = run(client(whisper(models=MODELS, api_key=KEY)), address, API_KEY="secret")

    assert (done.returncode, done.stdout) == (
        0,
        "downloading Systran/faster-whisper-large-v3\ndownloaded\ndownloading whisper-1\ndownloaded\n",
    )
    assert [each for each in seen if each[0] == "POST"] == [("POST", f"/v1/models/{model}", "Bearer secret") for model in MODELS]


def test_without_a_key_the_job_asks_too(server):
    address, _ = server

    assert run(client(whisper(models=["whisper-1"])), address).returncode == 0


def test_a_model_that_is_not_found_fails_the_job_and_its_log_says_why(server):
    address, _ = server
    done = run(client(whisper(models=["Systran/nothing", "whisper-1"])), address)

    assert done.returncode != 0
    assert done.stdout == "downloading Systran/nothing\nnot found"
    assert "404" in done.stderr


def test_the_job_has_no_gpu_and_its_name_changes_with_the_list():
    pod = job(whisper(models=MODELS))["spec"]["template"]["spec"]

    assert not {"runtimeClassName", "tolerations", "nodeSelector", "affinity"} & set(pod)
    assert "limits" not in pod["containers"][0]["resources"]
    assert len({job(whisper(models=models))["metadata"]["name"] for models in (MODELS, MODELS[:1], [*MODELS, *MODELS])}) == 2
    assert whisper().beside() == {}


@pytest.mark.parametrize("models", [["--data"], ["a b/c"], ["../etc"], ["https://huggingface.co/Systran/x"]])
def test_a_model_is_a_repository(models):
    assert message(lambda: whisper(models=models)).startswith("'models' must be a repository of Hugging Face such as ")


def test_with_a_key_the_server_asks_for_it_and_the_open_web_interface_is_off():
    made = container(whisper(api_key=KEY))

    assert {"name": "API_KEY", "valueFrom": KEY.reference} in made["env"]
    assert env_of(made)["ENABLE_UI"] == "false"
    assert {"name": "API_KEY", "valueFrom": KEY.reference} in client(whisper(api_key=KEY, models=MODELS))["env"]
    assert not {"ENABLE_UI", "API_KEY"} & env_of(container(whisper())).keys()


def test_with_a_key_the_probes_need_none():
    probes = ("startupProbe", "livenessProbe", "readinessProbe")

    assert all(container(whisper())[each]["httpGet"]["path"] == "/health" for each in probes)
    assert all(container(whisper(api_key=KEY))[each]["tcpSocket"] == {"port": "http"} for each in probes)


def test_a_literal_key_is_refused():
    said = message(lambda: whisper(api_key="secret"), TypeError)

    assert said.startswith("'api_key' must be a SecretKey: the value is a credential")


@pytest.mark.parametrize("key", ["secret", "$KEY", KEY])
def test_the_key_has_one_argument_because_the_probes_depend_on_it(key):
    said = message(lambda: whisper(env={"API_KEY": key}))

    assert said.startswith("'env' must be without API_KEY (got 'API_KEY'); give api_key=SecretKey(…): ")
    assert "secret" not in said


@pytest.mark.parametrize(("given", "warns"), [({}, True), ({"api_key": KEY}, False)])
def test_a_way_in_without_a_key_is_warned_of(given, warns, recwarn):
    made = Whisper(Chart(App(), "ai"), "whisper", nodes=NODES, **given)
    expose(made, "whisper.example.com", gateway="internal")

    assert [str(each.message).partition(".")[0] for each in recwarn if each.category is TalosGpuWarning] == (
        ["whisper: speaches has no authentication without 'api_key'"] if warns else []
    )


def test_the_models_outlive_the_pod():
    objects = gpu_workload(whisper(storage="20Gi"))

    assert objects["Claim-models"]["spec"]["resources"]["requests"]["storage"] == "20Gi"
    assert container(whisper())["volumeMounts"][0]["mountPath"] == "/home/ubuntu/.cache/huggingface"


def test_the_server_and_its_client_use_the_given_port():
    made = whisper(port=9000, models=MODELS)

    assert env_of(container(made))["UVICORN_PORT"] == "9000"
    assert env_of(client(made))["SERVER"] == "http://whisper:9000"


def test_the_client_uses_the_port_of_the_service():
    assert env_of(client(whisper(models=MODELS, service={"ports": [{"name": "http", "port": 80}]})))["SERVER"] == "http://whisper:80"


def test_a_volume_that_the_models_of_the_list_never_reach_is_refused():
    folder = "/home/ubuntu/.cache/huggingface"

    assert message(lambda: whisper(models=MODELS, kind="StatefulSet", replicas=2)).startswith(
        "'replicas' must be 1 with 'models' on a volume of each"
    )
    assert message(lambda: whisper(models=MODELS, volumes={folder: Nfs("nas", "/m", read_only=True)})).startswith(
        f"'volumes[{folder}]' must be writable"
    )
    assert whisper(models=MODELS, volumes={folder: Nfs("nas", "/m")}).models == MODELS


def test_the_variable_of_the_port_is_refused():
    assert message(lambda: whisper(env={"UVICORN_PORT": "80"})).startswith(
        "'env' must be without UVICORN_PORT (got 'UVICORN_PORT'); give 'port': "
    )


@pytest.mark.parametrize(("keep_alive", "variable"), [(None, None), (-1, "-1"), (0, "0"), (60, "60")])
def test_the_time_of_an_idle_model_on_the_card(keep_alive, variable):
    assert env_of(container(whisper(keep_alive=keep_alive))).get("WHISPER__TTL") == variable


def test_an_idle_time_below_that_for_ever_is_refused():
    assert message(lambda: whisper(keep_alive=-2)).startswith("'keep_alive' must be a whole number of at least -1")


@pytest.mark.parametrize(
    ("product", "image"), [(None, "gpu-v3"), ("RTX 4090", "gpu-v3"), ("GTX 1080 Ti", "gpu-legacy-v3"), ("V100-SXM2-16GB", "gpu-legacy-v3")]
)
def test_a_card_before_turing_gets_the_image_with_the_older_libraries(product, image):
    old = {"kernel_modules": "proprietary", "driver_track": "lts"} if "legacy" in image else {}
    nodes = GpuNodes(talos_version="1.13", product=product, **old)

    assert wyoming(nodes).image.startswith(f"lscr.io/linuxserver/faster-whisper:{image}.")
    assert wyoming(nodes, image="example.com/whisper:1").image == "example.com/whisper:1"


def test_wyoming_is_tcp():
    assert container(wyoming())["startupProbe"]["tcpSocket"] == {"port": "wyoming"}
    with pytest.warns(TalosGpuWarning, match=r"The Wyoming protocol has no authentication"):
        route = expose(WyomingWhisper(Chart(App(), "home"), "whisper", nodes=NODES), gateway="internal", section="whisper")
    assert route.resource.to_json()["kind"] == "TCPRoute"


def test_the_model_and_the_language_of_wyoming():
    assert env_of(container(wyoming(model="large-v3-turbo", language="de"))) == {"WHISPER_MODEL": "large-v3-turbo", "WHISPER_LANG": "de"}


def test_wyoming_does_not_claim_to_run_without_root_and_speaches_does():
    assert (wyoming().pod_security, whisper().pod_security) == ("baseline", "restricted")


def test_the_image_of_wyoming_listens_on_one_port_and_the_service_may_have_another():
    said = message(lambda: wyoming(port={"wyoming": 80}))
    service = gpu_workload(wyoming(service={"ports": [{"name": "wyoming", "port": 80}]}))["Service"]["spec"]["ports"]

    assert said == (
        "'port' must be with 10300, the port on which the image listens (got {'wyoming': 80}); service={'ports': [{'name': 'wyoming', 'port': …}]} "
        "gives the Service another port"
    )
    assert service == [{"name": "wyoming", "port": 80, "targetPort": "wyoming"}]
    assert wyoming(port={"wyoming": 10300, "other": 8000}).port == {"wyoming": 10300, "other": 8000}
