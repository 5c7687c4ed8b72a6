"""Every recipe of the face as a construct: what holds for all of them."""

import inspect

import kubernetes_validate
import pytest
import yaml
from cdk8s import App, Chart
from recipe_cases import ARGUMENTS, RECIPES

from constructs_lib import GpuNodes, NvidiaRuntimeClass, StandaloneDevicePlugin, TalosGpuWarning, check
from constructs_lib.checks.rule import Severity
from constructs_lib.recipes import Vllm

TALOS = ("1.11", "1.12", "1.13", "1.14")
each_recipe = pytest.mark.parametrize("name", RECIPES)


def app_of(name, talos):
    app = App()
    nodes = GpuNodes(talos_version=talos, product="RTX 4090", gpus_per_node=4)
    stack = Chart(app, "stack")
    if nodes.runtime_class:
        NvidiaRuntimeClass(stack, "runtime-class")
    StandaloneDevicePlugin(stack, "device-plugin", nodes=nodes)
    recipe = RECIPES[name](Chart(app, "ai", namespace="ai"), name.lower(), nodes=nodes, **ARGUMENTS[name])
    return recipe, list(yaml.safe_load_all(app.synth_yaml())), nodes


def pods(manifests):
    for each in manifests:
        spec = each.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template and each["metadata"].get("namespace") == "ai":
            yield template["spec"]


@each_recipe
@pytest.mark.parametrize("talos", TALOS)
@pytest.mark.filterwarnings(f"ignore::{TalosGpuWarning.__module__}.TalosGpuWarning")
def test_the_checks_find_nothing_in_a_recipe(name, talos):
    _, manifests, nodes = app_of(name, talos)

    # NVIDIA's images of CUDA 12.9 start on no GeForce card with the driver of Talos 1.11, and the user is told.
    told = {"TG091"} if talos == "1.11" and name in ("Vllm", "Sglang") else set()
    assert {each.rule for each in check(manifests, talos_version=talos, nodes=[nodes]) if each.severity is not Severity.INFO} == told


@each_recipe
def test_a_recipe_has_a_pinned_image_probes_without_a_delay_and_no_token(name):
    _, manifests, _ = app_of(name, "1.13")
    found = list(pods(manifests))

    assert found
    for pod in found:
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False
        for container in pod["containers"]:
            assert ":" in container["image"].rpartition("/")[2]
            assert all("initialDelaySeconds" not in value for value in container.values() if isinstance(value, dict))
            assert "postStart" not in container.get("lifecycle", {})


@each_recipe
def test_a_restricted_recipe_runs_without_root(name):
    recipe, manifests, _ = app_of(name, "1.13")

    for pod in pods(manifests) if recipe.pod_security == "restricted" else ():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert all(each["securityContext"]["capabilities"] == {"drop": ["ALL"]} for each in pod["containers"])


@pytest.mark.thorough
@each_recipe
def test_a_recipe_is_valid_for_every_kubernetes_of_its_talos(name):
    _, manifests, _ = app_of(name, "1.13")
    recipe = [each for each in manifests if each["metadata"].get("namespace") == "ai"]

    assert recipe
    for minor in range(31, 37):
        for each in recipe:
            kubernetes_validate.validate(each, f"1.{minor}", strict=True)


def test_a_recipe_s_module_is_short():
    modules = {
        inspect.getmodule(base)
        for recipe in RECIPES.values()
        for base in recipe.__mro__
        if base.__module__.startswith("constructs_lib.recipes.")
    }
    lengths = {module.__name__: len(inspect.getsource(module).splitlines()) for module in modules}

    assert {name: length for name, length in lengths.items() if length > 210} == {}


def test_a_model_that_is_not_known_has_one_remark_on_standard_error_and_no_warning(capsys):
    nodes = GpuNodes(talos_version="1.13", product="RTX 4090")
    for name in ("one", "two"):
        Vllm(Chart(App(), "ai"), name, nodes=nodes, model="me/not-in-the-catalogue")

    remark = "remark: me/not-in-the-catalogue is not compared with the memory of the GPU, because the catalogue of models does not know it; give fits=Model(…)"
    assert capsys.readouterr().err == f"{remark}\n"
