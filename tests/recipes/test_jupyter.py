"""The recipe of Jupyter."""

import pytest

from conftest import env_of, message
from constructs_lib import GpuNodes, Mps, SecretKey, TalosGpuWarning
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.jupyter import JupyterSettings

NODES = GpuNodes(talos_version="1.13")
TOKEN = SecretKey("jupyter", "token")
START = "start-notebook.py"


def jupyter(nodes=NODES, **given):
    return JupyterSettings(nodes=nodes, name="jupyter", **given)


def pod(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]


def test_the_token_is_a_reference():
    assert {"name": "JUPYTER_TOKEN", "valueFrom": TOKEN.reference} in pod(jupyter(token=TOKEN))["containers"][0]["env"]
    assert "JUPYTER_TOKEN" not in env_of(pod(jupyter())["containers"][0])
    assert message(lambda: jupyter(token="secret"), TypeError).startswith("'token' must be a SecretKey: the value is a credential")


@pytest.mark.parametrize("arg", ["--IdentityProvider.token=hunter2", "--ServerApp.token=hunter2", "--NotebookApp.password=hunter2"])
def test_a_token_on_the_command_line_is_refused(arg):
    said = message(lambda: jupyter(args=[arg]))

    assert said.startswith("'args' must be without a credential (got ")
    assert "hunter2" not in said


def test_an_empty_token_which_lets_everybody_in_is_refused():
    assert message(lambda: jupyter(args=["--IdentityProvider.token="])).startswith("'args' must be without a credential (got ")


def test_idle_kernels_end_also_in_an_open_browser():
    assert jupyter().args == (START, "--MappingKernelManager.cull_idle_timeout=3600", "--MappingKernelManager.cull_connected=True")
    assert jupyter(cull_idle=None).args == (START,)
    assert jupyter(cull_idle=60, args=["--debug"]).args[1:] == (
        "--MappingKernelManager.cull_idle_timeout=60",
        "--MappingKernelManager.cull_connected=True",
        "--debug",
    )


def test_the_home_is_on_a_claim_that_the_group_of_the_user_may_write():
    made = pod(jupyter())

    assert {"name": "home", "mountPath": "/home/jovyan"} in made["containers"][0]["volumeMounts"]
    assert {key: made["securityContext"][key] for key in ("runAsUser", "runAsGroup", "fsGroup")} == {
        "runAsUser": 1000,
        "runAsGroup": 100,
        "fsGroup": 100,
    }
    assert gpu_workload(jupyter(storage="5Gi"))["Claim-home"]["spec"]["resources"]["requests"]["storage"] == "5Gi"


def test_the_server_listens_on_the_given_port():
    assert env_of(pod(jupyter())["containers"][0])["JUPYTER_PORT"] == "8888"
    assert env_of(pod(jupyter(port=9999))["containers"][0])["JUPYTER_PORT"] == "9999"


def test_the_probes_ask_the_path_that_needs_no_token():
    assert pod(jupyter())["containers"][0]["livenessProbe"]["httpGet"]["path"] == "/api"


@pytest.mark.parametrize(("track", "image"), [("production", "cuda12"), ("lts", "cuda13")])
def test_the_image_has_the_newest_cuda_that_the_driver_runs(track, image):
    assert f":{image}-" in jupyter(GpuNodes(talos_version="1.12", driver_track=track)).image


def test_by_mps_the_daemon_s_volume_is_the_shared_memory():
    with pytest.warns(TalosGpuWarning, match="MPS"):
        nodes = GpuNodes(talos_version="1.13", sharing=Mps(replicas=2))

    assert (jupyter(nodes).shared_memory, jupyter().shared_memory) == (None, "2Gi")
