"""Every recipe runs without root, or with the capabilities alone that its image needs, and docs/recipes.md shows why."""

import pytest
from cdk8s import App, Chart
from recipe_cases import ARGUMENTS, RECIPES

from conftest import ROOT
from constructs_lib import GpuNodes
from constructs_lib.manifests.objects import plain
from constructs_lib.recipes import Ollama, OpenWebUI
from constructs_lib.recipes.comfy_ui import ComfyUISettings
from constructs_lib.recipes.wyoming_whisper import WyomingWhisperSettings
from constructs_lib.upstream.programs import container_rights
from constructs_lib.upstream.programs.container_rights import RootImage

NODES = GpuNodes(talos_version="1.13")
SERVERS = {"Ollama": {"models": ["llama3.2:3b"]}, "Whisper": {"models": ["Systran/faster-whisper-large-v3"]}}
BASELINE = {
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
}
"""What Pod Security `baseline` lets a container add: https://kubernetes.io/docs/concepts/security/pod-security-standards/"""


def pods_of(name):
    """The pod specs of a recipe: of the server, and of the Job beside it."""
    chart = Chart(App(), "ai")
    RECIPES[name](chart, "recipe", nodes=NODES, **ARGUMENTS[name], **SERVERS.get(name, {}))
    found = {each["kind"]: each["spec"]["template"]["spec"] for each in chart.to_json() if "template" in each.get("spec", {})}
    assert found
    return found


def needs_of(name):
    return RECIPES[name].root_image


def containers(pod):
    return [*pod.get("initContainers", []), *pod["containers"]]


def test_every_pod_has_the_profile_and_no_token_and_no_container_gains_privileges():
    wrong = [
        (name, kind)
        for name in RECIPES
        for kind, pod in pods_of(name).items()
        if pod["securityContext"]["seccompProfile"] != {"type": "RuntimeDefault"}
        or pod["automountServiceAccountToken"] is not False
        or any(each["securityContext"]["allowPrivilegeEscalation"] is not False for each in containers(pod))
    ]

    assert wrong == []


def test_every_container_drops_all_capabilities_and_adds_those_of_its_image_alone():
    wrong = []
    for name in RECIPES:
        needs = needs_of(name)
        expected = {"drop": ["ALL"], **({"add": list(needs.capabilities)} if needs else {})}
        wrong += [
            (name, kind)
            for kind, pod in pods_of(name).items()
            for each in containers(pod)
            if each["securityContext"]["capabilities"] != expected
        ]

    assert wrong == []


def test_a_recipe_runs_without_root_or_its_image_is_in_the_table():
    found = {name: all(pod["securityContext"].get("runAsNonRoot") is True for pod in pods_of(name).values()) for name in RECIPES}

    assert {name for name, is_so in found.items() if not is_so} == {name for name in RECIPES if needs_of(name) is not None}
    assert {name for name in RECIPES if needs_of(name)} == {"ComfyUI", "Frigate", "Plex", "Sglang", "WyomingWhisper"}


def test_a_root_file_system_is_read_only_where_the_table_has_no_reason_against_it():
    found = {
        name: pods_of(name)["Deployment"]["containers"][0]["securityContext"].get("readOnlyRootFilesystem")
        for name in RECIPES
        if needs_of(name)
    }

    assert found == {"ComfyUI": True, "Frigate": None, "Plex": None, "Sglang": None, "WyomingWhisper": True}
    assert [name for name in found if (found[name] is None) is not bool(needs_of(name).writes)] == []


@pytest.mark.parametrize("name", ["LlamaCpp", "Ollama", "Sglang", "TextEmbeddings", "Vllm", "Whisper"])
def test_a_job_beside_the_server_writes_to_its_volumes_alone(name):
    (container,) = pods_of(name)["Job"]["containers"]

    assert container["securityContext"]["readOnlyRootFilesystem"] is True


def test_the_services_of_the_wyoming_server_have_a_folder_that_programs_run_from():
    pod = pods_of("WyomingWhisper")["Deployment"]
    mounts = {each["mountPath"]: each["name"] for each in pod["containers"][0]["volumeMounts"]}

    assert {"name": mounts["/run"], "emptyDir": {}} in pod["volumes"]
    assert {"name": mounts["/tmp"], "emptyDir": {}} in pod["volumes"]


@pytest.mark.parametrize("variable", sorted(container_rights.WYOMING_WRITES))
def test_a_variable_that_changes_the_users_of_the_wyoming_server_needs_files_that_can_be_written(variable):
    settings = WyomingWhisperSettings(nodes=NODES, name="whisper", env={variable: "1000"})

    assert settings.security_context["readOnlyRootFilesystem"] is False
    assert WyomingWhisperSettings(nodes=NODES, name="whisper", env={"TZ": "UTC"}).security_context["readOnlyRootFilesystem"] is True


def test_a_user_can_take_the_read_only_files_and_the_capabilities_back():
    context = {"readOnlyRootFilesystem": False, "capabilities": {"add": ["SYS_CHROOT"]}}
    settings = ComfyUISettings(nodes=NODES, name="comfy", security_context=context)

    assert plain(settings.security_context) == {"readOnlyRootFilesystem": False, "capabilities": {"add": ["SYS_CHROOT"], "drop": ["ALL"]}}


def test_the_web_front_has_one_capability():
    chart = Chart(App(), "ai")
    OpenWebUI(chart, "chat", ollama=Ollama(chart, "ollama", nodes=NODES))
    context = next(each for each in chart.to_json() if each["metadata"]["name"] == "chat" and each["kind"] == "Deployment")["spec"][
        "template"
    ]["spec"]["containers"][0]["securityContext"]

    assert context == {"allowPrivilegeEscalation": False, "capabilities": {"add": ["DAC_OVERRIDE"], "drop": ["ALL"]}}


def test_every_root_image_has_its_reasons_keeps_to_baseline_and_is_on_the_page():
    page = (ROOT / "docs" / "recipes.md").read_text()
    images = [each for each in vars(container_rights).values() if isinstance(each, RootImage)]

    assert len(images) == 6
    assert [each for each in images if not each.root or not set(each.capabilities) <= BASELINE] == []
    assert [
        each.root for each in images if f"| {', '.join(each.capabilities)} | {each.root} | {each.writes or 'read-only'} |" not in page
    ] == []
