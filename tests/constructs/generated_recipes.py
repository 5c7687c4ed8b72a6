"""Arguments of every recipe: those of `GpuWorkload` that make sense for a recipe, and the recipe's own."""

from __future__ import annotations

from typing import Any

from generated_arguments import Arguments, any_workload, drawn, flags, gpu_nodes, gpu_requests, names, sizes
from hypothesis import strategies as st
from recipe_cases import ARGUMENTS, OWN_FIELDS, RECIPES

from constructs_lib import GpuNodes, SecretKey, TcpProbe

_LEFT_OUT = ("image", "command", "args", "termination_grace_period")
"""Arguments of a `GpuWorkload` that a recipe has facts of."""
_SERVER = {"storage": sizes, "startup": st.integers(1, 9999), "drain": st.integers(0, 60), "replicas": st.integers(0, 1)}
_secrets = st.builds(SecretKey, names, names)
_numbers = st.integers(1, 65536)
_port = st.sampled_from([9000, {"http": 9000}])
_BY_TYPE = {"SecretKey | None": _secrets, "int": _numbers, "int | None": _numbers, "str | None": names, "bool": flags}
"""Values of an argument by its type, where `_OWN` has none."""
_OWN: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "*": {"revision": st.sampled_from(["main", "refs/pr/1", "0123abcd"]), "parallel": st.integers(1, 8), "fits": st.nothing()},
    "ComfyUI": {"flags": st.lists(st.sampled_from(["--lowvram", "--fast"]))},
    "CudaSmokeTest": {"backoff_limit": st.integers(0, 9), "active_deadline_seconds": st.integers(1, 999)},
    "Frigate": {"cameras": st.lists(st.tuples(st.integers(1, 4096), st.integers(1, 4096)), min_size=1, max_size=3)},
    "ImmichMachineLearning": {"port": _port},
    "Jupyter": {"port": _port},
    "LlamaCpp": {"projector": st.just("mmproj-F16.gguf"), "port": _port},
    "Ollama": {
        "models": st.lists(st.sampled_from(["example:3b", "example:8b"])), "port": _port,
        "keep_alive": st.sampled_from(["30m", "-1"]), "kv_cache": st.sampled_from(["f16", "q8_0", "q4_0"]),
    },
    "Sglang": {"port": _port},
    "TextEmbeddings": {"port": _port},
    "Triton": {"port": st.sampled_from([{"http": 9000}, {"metrics": 9002, "http": 9000}])},
    "Vllm": {"port": _port},
    "Whisper": {"models": st.just(["Systran/faster-whisper-large-v3"]), "keep_alive": st.integers(-1, 9999), "port": _port},
    "WyomingWhisper": {"model": st.just("large-v3-turbo"), "language": st.just("de")},
}  # fmt: skip


def _own(name: str) -> dict[str, st.SearchStrategy[Any]]:
    """Values of a recipe's own arguments; `_SERVER` and `_fractions` have those of `startup`, `drain` and a part of a card."""
    by_type = {each: _BY_TYPE[field.type] for each, field in OWN_FIELDS[name].items() if field.type in _BY_TYPE and each not in _SERVER}
    given = {each: value for each, value in _OWN["*"].items() if each in OWN_FIELDS[name]}
    return {each: value for each, value in {**by_type, **given, **_OWN.get(name, {})}.items() if not value.is_empty}


@st.composite
def _recipes(draw: Any, name: str) -> Arguments:
    nodes = draw(gpu_nodes(claimed=None))
    given = {each: value for each, value in draw(any_workload).items() if each not in _LEFT_OUT}
    if "pod_spec" in given:
        # A grace period has to be longer than the recipe's sleep before SIGTERM.
        given["pod_spec"] = {field: value for field, value in given["pod_spec"].items() if field != "terminationGracePeriodSeconds"}
    given |= draw(drawn(image=st.just("registry.local/own:v1"), args=st.just(["--verbose"])))
    given |= draw(gpu_requests(nodes, 1)) | draw(drawn(**_own(name)))
    given |= draw(st.just({"kind": "CronJob", "schedule": "@daily"}) | st.just({}) if name == "CudaSmokeTest" else _server(name))
    if nodes.by_mps:
        given.pop("shared_memory", None)
    if name in ("Sglang", "Vllm"):
        given |= draw(_fractions(nodes))
    return {**given, **ARGUMENTS[name], "nodes": nodes}


def _server(name: str) -> st.SearchStrategy[Arguments]:
    """Arguments of a recipe that serves. Not each has files to keep."""
    own = {each: value for each, value in _SERVER.items() if each != "storage" or each in OWN_FIELDS[name]}
    service = st.sampled_from([{"annotations": {"a": "yes"}}, {"type": "LoadBalancer"}])
    return drawn(**own, startup_probe=st.just(TcpProbe()), service=service)


def _fractions(nodes: GpuNodes) -> st.SearchStrategy[Arguments]:
    """A part of a card that every pod may use; required where nobody knows the share of a pod."""
    fraction = {"memory_fraction": st.just(0.01)}
    return drawn(fraction) if nodes.dra and nodes.dra.claims_per_gpu is None else drawn(**fraction)


LEGAL_RECIPES: dict[type, st.SearchStrategy[Arguments]] = {RECIPES[name]: _recipes(name) for name in RECIPES}
"""Legal arguments of every recipe, without its scope and its id."""
