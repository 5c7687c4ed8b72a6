"""A recipe completes the arguments of a workload: a recipe of the test's own shows that a new one needs only its own file."""

from types import MappingProxyType

import attrs
import pytest

from conftest import env_of, message
from constructs_lib import GpuNodes, HttpProbe, SecretKey, TalosGpuWarning
from constructs_lib.arguments.fields import named
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.recipe_settings import RecipeSettings
from constructs_lib.recipes.sglang import SglangSettings

NODES = GpuNodes(talos_version="1.13")


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class Painter(RecipeSettings):
    """A server of the test's own."""

    images = MappingProxyType({12: "example.com/painter:1-cu126", 13: "example.com/painter:1-cu130"})
    health = HttpProbe("/health")
    user = (1000, 100, 100)
    startup: int = 600
    drain: int = 20

    def _facts(self):
        return {"port": 8188, "args": ["--listen"], "env": {"HOME": "/home/painter"}, "memory": "8Gi"}


def painter(nodes=NODES, **given):
    return Painter(nodes=nodes, name="painter", **given)


def pod(settings):
    (deployment,) = [each for each in gpu_workload(settings).values() if each["kind"] == "Deployment"]
    return deployment["spec"]["template"]["spec"]


def container(settings):
    return pod(settings)["containers"][0]


def test_the_facts_complete_the_workload():
    made = container(painter())

    assert made["args"] == ["--listen"]
    assert env_of(made) == {"HOME": "/home/painter"}
    assert made["ports"] == [{"name": "http", "containerPort": 8188}]
    assert made["resources"]["limits"]["memory"] == "8Gi"


def test_what_the_user_gives_wins_and_mappings_merge():
    made = container(painter(port=80, args=["--fast"], env={"HOME": "/data", "SEED": "1"}, memory="16Gi"))

    assert made["args"] == ["--listen", "--fast"]
    assert env_of(made) == {"HOME": "/data", "SEED": "1"}
    assert made["ports"][0]["containerPort"] == 80
    assert made["resources"]["limits"]["memory"] == "16Gi"


def test_security_contexts_merge_field_by_field():
    made = painter(pod_security_context={"runAsUser": 2000}, security_context={"readOnlyRootFilesystem": True})

    assert pod(made)["securityContext"] == {
        "seccompProfile": {"type": "RuntimeDefault"},
        "runAsNonRoot": True,
        "runAsUser": 2000,
        "runAsGroup": 100,
        "fsGroup": 100,
        "fsGroupChangePolicy": "OnRootMismatch",
    }
    assert container(made)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


@pytest.mark.parametrize(("startup", "failures", "deadline"), [(30, 3, None), (95, 10, None), (1800, 180, 2400)])
def test_one_startup_sets_the_probe_and_the_deadline_of_the_rollout(startup, failures, deadline):
    settings = painter(startup=startup)
    (deployment,) = [each for each in gpu_workload(settings).values() if each["kind"] == "Deployment"]
    probe = container(settings)["startupProbe"]

    assert (probe["httpGet"]["path"], probe["periodSeconds"], probe["failureThreshold"]) == ("/health", 10, failures)
    assert deployment["spec"].get("progressDeadlineSeconds") == deadline
    assert all("initialDelaySeconds" not in container(settings)[each] for each in ("startupProbe", "livenessProbe", "readinessProbe"))


def test_a_server_that_drains_gets_its_sigterm_when_the_gateways_have_forgotten_the_pod():
    made = pod(painter(drain=18))

    assert made["containers"][0]["lifecycle"] == {"preStop": {"sleep": {"seconds": 5}}}
    assert made["terminationGracePeriodSeconds"] == 28


def test_a_server_that_cuts_its_requests_gets_its_sigterm_after_the_drain():
    class Abrupt(Painter):
        drains = False

    made = pod(Abrupt(nodes=NODES, name="painter", drain=18))

    assert made["containers"][0]["lifecycle"] == {"preStop": {"sleep": {"seconds": 18}}}


def test_no_drain_is_no_hook():
    assert "lifecycle" not in container(painter(drain=0))


def test_a_drain_that_a_power_off_cuts_is_a_warning():
    with pytest.warns(
        TalosGpuWarning, match=r"'drain' is longer than the 20 seconds that Talos gives pods when a node is powered off \(got 21\)"
    ):
        painter(drain=21)


@pytest.mark.parametrize(
    ("talos", "track", "image"),
    [("1.11", "production", "cu126"), ("1.12", "production", "cu126"), ("1.12", "lts", "cu130"), ("1.13", "lts", "cu130")],
)
def test_the_image_has_the_newest_cuda_that_the_driver_runs(talos, track, image):
    assert painter(GpuNodes(talos_version=talos, driver_track=track)).image == f"example.com/painter:1-{image}"


def test_a_card_without_gsp_gets_an_image_that_has_code_for_it():
    pascal = GpuNodes(talos_version="1.13", product="GTX 1080 Ti", kernel_modules="proprietary", driver_track="lts")

    assert painter(pascal).image == "example.com/painter:1-cu126"
    assert message(lambda: painter(pascal, image="a/b:cu130")) == (
        "'image' must be built with another CUDA than 13 on these nodes (got 'a/b:cu130'); the libraries of CUDA 13 have no code for a Pascal card "
        "such as GTX 1080 Ti; use 'example.com/painter:1-cu126'"
    )


def test_an_image_whose_cuda_the_driver_can_t_run_is_refused_with_one_that_works():
    nodes = GpuNodes(talos_version="1.11", driver_track="production")

    assert message(lambda: painter(nodes, image="example.com/other:cuda13")) == (
        "'image' must be built with another CUDA than 13 on these nodes (got 'example.com/other:cuda13'); CUDA 13 needs driver 580 or newer, and "
        f"the production driver of Talos 1.11 is {nodes.talos_version.release.drivers['production']}; use 'example.com/painter:1-cu126'"
    )


def test_an_image_that_does_not_name_its_cuda_is_not_judged():
    assert painter(GpuNodes(talos_version="1.11"), image="example.com/other:1.2").image == "example.com/other:1.2"


@pytest.mark.parametrize("image", ["example.com/painter", "example.com/painter:latest"])
def test_an_image_that_changes_by_itself_is_refused(image):
    assert message(lambda: painter(image=image)) == (
        f"'image' must be an image with a tag other than 'latest', or with a digest (got {image!r}); a restart would run another release; leave the "
        "argument out for the release that the recipe knows"
    )


@pytest.mark.parametrize("image", [f"example.com/painter@sha256:{'0' * 64}", "example.com/painter:${TAG}"])
def test_a_digest_and_a_variable_are_no_latest(image):
    assert painter(image=image).image == image


@pytest.mark.parametrize("name", ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "VLLM_API_KEY", "API_KEY", "PLEX_CLAIM", "DB_PASSWORD"])
def test_a_literal_credential_is_refused_and_not_repeated(name):
    said = message(lambda: painter(env={name: "hf_abcdef"}))

    assert said == (
        f"'env[{name}]' must be a SecretKey: the value is a credential (got '(a secret value)'); give SecretKey('<name of the Secret>', '{name}')"
    )


def test_a_credential_by_reference_and_other_variables_are_taken():
    settings = painter(
        env={"HF_TOKEN": SecretKey("hf", "token"), "MAX_TOKENS": "100", "TOKENIZERS_PARALLELISM": "false", "API_KEY": "${KEY}"}
    )

    assert env_of(container(settings))["MAX_TOKENS"] == "100"


@pytest.mark.parametrize("args", [["--api-key=abc"], ["--api-key", "abc"], ["--hf-token", "abc"]])
def test_a_credential_on_the_command_line_is_refused(args):
    said = message(lambda: painter(args=args))

    assert said.startswith("'args' must be without a credential (got ")
    assert "abc" not in said


@pytest.mark.parametrize("args", [["--api-key", "$(KEY)"], ["--api-key=$(KEY)"], ["--max-tokens", "5"]])
def test_a_variable_on_the_command_line_is_no_credential(args):
    assert painter(args=args).args == ("--listen", *args)


@pytest.mark.parametrize("kind", ["Job", "CronJob"])
def test_a_server_is_no_job_without_a_command_of_the_user(kind):
    schedule = {"schedule": "@daily"} if kind == "CronJob" else {}

    assert message(lambda: painter(kind=kind, **schedule)) == (
        f"'kind' must be 'Deployment' or 'StatefulSet' (got '{kind}'); the program of Painter is a server, which never ends: the Job would hold its GPU for "
        "ever; with a 'command' of your own any kind is right"
    )
    assert painter(kind=kind, command=["render"], **schedule).kind == kind


def test_a_job_has_no_probes_and_no_drain():
    (job,) = [each for each in gpu_workload(painter(kind="Job", command=["render"])).values() if each["kind"] == "Job"]

    assert not {"startupProbe", "lifecycle"} & set(job["spec"]["template"]["spec"]["containers"][0])


@pytest.mark.parametrize("arguments", [{"gpus": b"1"}, {"gpus": "2"}, {"profile": 1}, {"gpu_memory": []}], ids=repr)
def test_wrong_gpus_are_refused_before_a_fact_follows_from_them(arguments):
    with pytest.raises((TypeError, ValueError), match=f"^'{next(iter(arguments))}' must be "):
        SglangSettings(name="sglang", nodes=NODES, model="Qwen/Qwen3-8B", **arguments)
