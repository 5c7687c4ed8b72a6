"""The recipe of Ollama."""

import pytest

from conftest import env_of, message
from constructs_lib import Dra, Empty, ExistingClaim, GpuNodes, HostPath, Mps, OciImage, Persistent, TimeSlicing
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes import Model
from constructs_lib.recipes.model_memory import model_memory
from constructs_lib.recipes.ollama import OllamaSettings
from constructs_lib.upstream.programs.model_servers import ModelServer

NODES = GpuNodes(talos_version="1.13", product="RTX 4090")


def ollama(nodes=NODES, **given):
    return OllamaSettings(nodes=nodes, name="ollama", **given)


def variables(settings):
    return env_of(gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0])


def job(settings):
    return settings.beside()["Models"]


def test_the_context_is_always_set():
    assert variables(ollama())["OLLAMA_CONTEXT_LENGTH"] == "8192"
    assert variables(ollama(context=32768, parallel=4)) | {"OLLAMA_CONTEXT_LENGTH": "32768", "OLLAMA_NUM_PARALLEL": "4"} == variables(
        ollama(context=32768, parallel=4)
    )


@pytest.mark.parametrize(
    ("nodes", "overhead"),
    [
        (NODES, None),
        (GpuNodes(talos_version="1.13", product="RTX 4090", sharing=TimeSlicing(replicas=4)), 18 * 2**30),
        (GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=4)), None),
        (GpuNodes(talos_version="1.13", memory_per_gpu="16Gi", dra=Dra(share="consumable", shares=2)), 8 * 2**30),
    ],
)
def test_a_shared_card_of_known_memory_is_left_to_the_other_pods(nodes, overhead):
    assert variables(ollama(nodes)).get("OLLAMA_GPU_OVERHEAD") == (None if overhead is None else str(overhead))


def test_by_mps_too():
    with pytest.warns(match="MPS"):
        nodes = GpuNodes(talos_version="1.13", memory_per_gpu="16Gi", sharing=Mps(replicas=2))

    assert variables(ollama(nodes))["OLLAMA_GPU_OVERHEAD"] == str(8 * 2**30)


def test_a_smaller_kv_cache_brings_flash_attention():
    assert "OLLAMA_FLASH_ATTENTION" not in variables(ollama())
    assert variables(ollama(kv_cache="q8_0"))["OLLAMA_KV_CACHE_TYPE"] == "q8_0"
    assert variables(ollama(kv_cache="q8_0"))["OLLAMA_FLASH_ATTENTION"] == "1"
    assert (
        message(lambda: ollama(kv_cache="q8")) == "'kv_cache' must be one of 'f16', 'q8_0', 'q4_0', 'fp8' (got 'q8'); did you mean 'q8_0'?"
    )
    assert (
        message(lambda: ollama(kv_cache="fp8"))
        == "'kv_cache' must be 'f16', 'q8_0' or 'q4_0' (got 'fp8'); fp8 is a type of vLLM and SGLang"
    )


def test_the_models_are_on_a_claim_and_the_home_is_not():
    objects = gpu_workload(ollama(storage="50Gi"))

    assert objects["Claim-models"]["spec"]["resources"]["requests"]["storage"] == "50Gi"
    assert "Claim-models" not in gpu_workload(ollama(volumes={"/models": Empty()}))


def test_without_models_nothing_is_pulled():
    assert ollama().beside() == {}


def test_a_job_without_a_gpu_pulls_the_models():
    pod = job(ollama(models=["llama3.2:3b", "qwen3:8b"]))["spec"]["template"]["spec"]

    assert pod["containers"][0]["args"] == ["llama3.2:3b", "qwen3:8b"]
    assert env_of(pod["containers"][0])["OLLAMA_HOST"] == "http://ollama:11434"
    assert not {"runtimeClassName", "tolerations", "nodeSelector", "affinity"} & set(pod)
    assert "limits" not in pod["containers"][0]["resources"]
    assert pod["automountServiceAccountToken"] is False


def test_the_name_of_the_job_changes_with_the_list_and_with_nothing_else():
    names = {job(ollama(models=models))["metadata"]["name"] for models in (["a"], ["b"], ["a", "b"])}

    assert len(names) == 3
    assert job(ollama(models=["a"], context=4096))["metadata"]["name"] in names
    assert all(name.startswith("ollama-models-") for name in names)


def test_the_job_does_not_delete_itself():
    assert "ttlSecondsAfterFinished" not in job(ollama(models=["a"]))["spec"]


def test_the_service_does_not_select_the_pods_of_the_job():
    selector = gpu_workload(ollama())["Service"]["spec"]["selector"]

    assert not selector.items() <= job(ollama(models=["a"]))["spec"]["template"]["metadata"]["labels"].items()


ONE_NODE = GpuNodes(talos_version="1.13", count=1)
TWO_NODES = GpuNodes(talos_version="1.13", gpus_per_node=2, count=2)
WRITABLE = "'volumes[/models]' must be writable: the server downloads its 'models' to this volume (got "
SHARED = (
    "'replicas' must be 1 with 'models' on a volume of each pod (got 2); the Job of the models asks one pod alone; use a volume at /models that all "
    "pods share, such as an ExistingClaim"
)


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"volumes": {"/models": ExistingClaim("models", read_only=True)}}, WRITABLE),
        ({"volumes": {"/models": OciImage("registry.example.com/models:1")}}, WRITABLE),
        ({"replicas": 2, "kind": "StatefulSet"}, SHARED),
        ({"replicas": 2, "volumes": {"/models": Empty()}}, SHARED),
        (
            {"volumes": {"/models": HostPath("/var/models")}},
            "'volumes[/models]' must be a volume that every node of the class reaches (got ",
        ),
        (
            {"kind": "Job", "command": ["ollama"]},
            "'models' must be left out for a Job (got ('a',)); the models arrive by a Job that asks a server",
        ),
    ],
)
def test_a_volume_that_the_models_of_the_list_never_reach_is_refused(given, refusal):
    assert message(lambda: ollama(TWO_NODES, models=["a"], **given)).startswith(refusal)
    assert ollama(TWO_NODES, **given).models == ()


@pytest.mark.parametrize(
    ("nodes", "given"),
    [
        (TWO_NODES, {"kind": "StatefulSet"}),
        (TWO_NODES, {"replicas": 2, "volumes": {"/models": ExistingClaim("models")}}),
        (TWO_NODES, {"replicas": 2, "volumes": {"/models": Persistent("1Gi", access_mode="ReadWriteMany")}}),
        (ONE_NODE, {"volumes": {"/models": HostPath("/var/models")}}),
    ],
)
def test_a_volume_that_all_pods_share_holds_the_models_of_the_list(nodes, given):
    assert client_host(ollama(nodes, models=["a"], **given)) == "http://ollama:11434"


QUEUE = {"kueue.x-k8s.io/queue-name": "gpus", "kueue.x-k8s.io/priority-class": "high", "team": "ai"}


def test_the_job_is_in_no_queue_for_gpus_whose_nodes_it_does_not_tolerate():
    made = job(ollama(models=["a"], labels=QUEUE))

    for metadata in (made["metadata"], made["spec"]["template"]["metadata"]):
        assert metadata["labels"] == {"app.kubernetes.io/name": "ollama-models", "team": "ai"}
    assert gpu_workload(ollama(labels=QUEUE))["Resource"]["metadata"]["labels"].items() >= QUEUE.items()


def test_the_longest_name_leaves_room_for_that_of_the_job():
    def made(name):
        return job(OllamaSettings(nodes=NODES, name=name, models=["a"]))

    assert len(made("a" * 47)["metadata"]["name"]) == 63
    assert message(lambda: made("a" * 48)) == (
        f"'name' must be of at most 47 characters (got '{'a' * 48}'); the Job beside the server has the name '<name>-models-<hash>'"
    )
    assert OllamaSettings(nodes=NODES, name="a" * 63).beside() == {}


def test_a_model_is_named_once_and_is_no_flag():
    assert ollama(models=["a", "a"]).models == ("a",)
    assert message(lambda: ollama(models=["--insecure"])) == "'models' must be names of models such as 'llama3.2:3b' (got '--insecure')"
    assert message(lambda: ollama(models="llama3.2"), TypeError).startswith("'models' must be ")


def test_without_root():
    pod = gpu_workload(ollama())["Resource"]["spec"]["template"]["spec"]

    assert ollama().pod_security == "restricted"
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_a_model_that_fits_sets_the_context_and_declares_its_memory():
    model = Model("llama-3.1-8b", quantization="q4_k_m", context=16384, parallel=2, kv_cache="q8_0")
    made = gpu_workload(ollama(fits=model))["Resource"]["spec"]["template"]

    assert made["metadata"]["annotations"]["talos-gpu/gpu-memory"] == model_memory(model, ModelServer.OLLAMA).gpu_memory
    assert {name: variables(ollama(fits=model))[f"OLLAMA_{name}"] for name in ("CONTEXT_LENGTH", "NUM_PARALLEL", "KV_CACHE_TYPE")} == {
        "CONTEXT_LENGTH": "16384",
        "NUM_PARALLEL": "2",
        "KV_CACHE_TYPE": "q8_0",
    }


def test_a_model_that_does_not_fit_is_refused_with_the_sum():
    said = message(lambda: ollama(fits=Model("llama-3.3-70b", quantization="q4_k_m", context=8192)))

    assert said.startswith("'fits' must be a model that needs at most 24.0 GiB of each GPU (got Model(name='llama-3.3-70b', ")
    assert "weights 39.0 + KV cache " in said


def test_the_context_stands_once():
    model = Model("llama-3.1-8b", quantization="q4_k_m", context=16384)

    assert ollama(fits=model, context=16384).context == 16384
    assert message(lambda: ollama(fits=model, context=4096)) == (
        "'context' must be left out with 'fits', which has 16384 (got 4096); give it to the Model"
    )


def client_host(settings):
    return env_of(job(settings)["spec"]["template"]["spec"]["containers"][0])["OLLAMA_HOST"]


SERVICE = {"ports": [{"name": "http", "port": 80}]}


def test_the_client_uses_the_port_of_the_service():
    settings = ollama(models=["a"], service=SERVICE)

    assert (client_host(settings), variables(settings)["OLLAMA_HOST"]) == ("http://ollama:80", "0.0.0.0:11434")


@pytest.mark.parametrize("given", [{"kind": "StatefulSet"}, {"service": {"clusterIP": "None", **SERVICE}}])
def test_the_client_uses_the_port_of_the_pods_where_the_service_is_headless(given):
    assert client_host(ollama(models=["a"], **{"service": SERVICE, **given})) == "http://ollama:11434"


def test_the_variable_of_the_port_is_refused():
    assert message(lambda: ollama(env={"OLLAMA_HOST": "0.0.0.0:80"})) == (
        "'env' must be without OLLAMA_HOST (got 'OLLAMA_HOST'); give 'port': the Service, the probes and the Job of the models use this port"
    )


@pytest.mark.parametrize("port", [{"metrics": 9090, "http": 8080}, {"udp": "9090/udp", "api": 8080, "metrics": 9090}])
def test_the_server_listens_on_http_or_on_the_first_tcp_port_and_the_probes_ask_there(port):
    settings = ollama(models=["a"], port=port)
    container = gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0]

    assert (variables(settings)["OLLAMA_HOST"], client_host(settings)) == ("0.0.0.0:8080", "http://ollama:8080")
    assert port[container["readinessProbe"]["httpGet"]["port"]] == 8080


def test_the_server_and_its_client_use_the_given_port():
    settings = ollama(port=8080, models=["a"])

    assert variables(settings)["OLLAMA_HOST"] == "0.0.0.0:8080"
    assert env_of(job(settings)["spec"]["template"]["spec"]["containers"][0])["OLLAMA_HOST"] == "http://ollama:8080"
