"""Names that are no argument: each answer is about arguments that exist, and what it says to write works."""

import ast
import inspect
import re

import pytest

import constructs_lib
from constructs_lib import GpuNodes, GpuWorkload, TcpProbe
from constructs_lib.arguments.keywords import _BY_OWNER, answers
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings

PLACES = {"'name': …": "'name': 'app'", "[…]": "[]", "{…}": "{}", "…": "x"}


def arguments_of(owner):
    return set(inspect.signature(getattr(constructs_lib, owner)).parameters)


def test_a_name_that_is_answered_is_no_argument_and_its_answer_names_arguments_that_exist():
    attributes = {name for name, member in inspect.getmembers(GpuWorkload) if isinstance(member, property)}
    wrong = []
    for owner in (*_BY_OWNER, "DcgmExporter"):
        arguments = arguments_of(owner)
        for name, hint in answers(owner).items():
            known = arguments | attributes | (arguments_of("GpuNodes") if "GpuNodes" in hint else set())
            words = set(re.findall(r"(?:argument is|in|use|by|the|and) '([a-z_]+)'", hint))
            if name in {each.replace("_", "") for each in arguments} or not words <= known:
                wrong.append((owner, name, hint))
    assert wrong == []


def test_what_people_try_first_is_answered_and_not_by_the_list_of_all_arguments():
    for name in (
        "ports",
        "environment",
        "env_from",
        "resources",
        "tolerations",
        "node_selector",
        "runtime_class_name",
        "shm_size",
        "volume_mounts",
        "sidecars",
    ):
        with pytest.raises(TypeError) as caught:
            GpuWorkload(None, "app", nodes=GpuNodes(talos_version="1.14"), image="app:1", **{name: 1})

        assert (
            str(caught.value)
            == f"'{name}' must be an argument of GpuWorkload (got {name}=1); {answers('GpuWorkload')[name.replace('_', '')]}"
        )


def written(hint):
    """The first arguments that an answer says to write, with a value in the place of each '…'."""
    code = hint.removeprefix("write ")
    for place, value in PLACES.items():
        code = code.replace(place, value)
    for end in range(len(code), 0, -1):
        try:
            call = ast.parse(f"dict({code[:end]})", mode="eval").body
        except SyntaxError:
            continue
        names = {each.id for each in ast.walk(call) if isinstance(each, ast.Name)} - {"dict"}
        if isinstance(call, ast.Call) and names <= set(constructs_lib.__all__):
            return eval(f"dict({code[:end]})", {name: getattr(constructs_lib, name) for name in names})
    return {}


def test_what_an_answer_says_to_write_is_accepted():
    for hint in sorted({each for each in answers("GpuWorkload").values() if re.match("write [a-z_]+=", each)}):
        given = written(hint)
        if "init_containers" in given:
            given["init_containers"][0]["name"] = "side"
        if given.get("volumes") == {"/path": "x"}:  # "each value a volume such as …"
            del given["volumes"]
        if "for kind='Job'" in hint:
            given["kind"] = "Job"
        if "replicas" in given:  # a rolling update without a readiness probe is warned of
            given["readiness_probe"] = TcpProbe()
        if "Job" not in given.get("kind", ""):
            given.setdefault("port", 80)

        assert gpu_workload(GpuWorkloadSettings(nodes=GpuNodes(talos_version="1.14"), **{"image": "app:1", "name": "app", **given})), hint
        assert re.match(r"write ([a-z_]+)=", hint)[1] in given or "each value a volume" in hint
