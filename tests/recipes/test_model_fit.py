"""Whether a model fits the cards: the refusals, word for word, and what they name as fitting."""

import warnings

import attrs
import pytest

from constructs_lib import TalosGpuWarning
from constructs_lib.arguments.errors import ArgumentError
from constructs_lib.nodes.dra import Dra
from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.nodes.sharing import Mps, TimeSlicing
from constructs_lib.recipes.model import Model
from constructs_lib.recipes.model_fit import check_fits, check_server, pod_memory
from constructs_lib.recipes.model_memory import model_memory
from constructs_lib.upstream.programs.model_servers import ModelServer

LLAMA_CPP, OLLAMA, VLLM, SGLANG = ModelServer.LLAMA_CPP, ModelServer.OLLAMA, ModelServer.VLLM, ModelServer.SGLANG
LARGE = Model("llama-3.3-70b", quantization="q4_k_m", context=32768)
SMALL = Model("llama-3.1-8b", quantization="q4_k_m", context=8192)
A6000, H100, A4000 = "NVIDIA-RTX-A6000", "NVIDIA-H100-80GB-HBM3", "NVIDIA-RTX-A4000"


def nodes(product=None, **arguments):
    return GpuNodes(**{"talos_version": "1.14.2", "product": product} | arguments)


def shared_by_mps():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        return nodes(A4000, sharing=Mps(replicas=4))


def refusal(model, cards, **arguments):
    with pytest.raises(ArgumentError) as caught:
        check_fits("model", model, cards, **arguments)
    return str(caught.value)


def warnings_of(model, cards, **arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_fits("model", model, cards, **arguments)
    return [str(each.message) for each in caught]


def test_a_model_that_does_not_fit_is_refused_with_the_sum_and_with_what_fits():
    assert refusal(LARGE, nodes(A6000), server=OLLAMA) == (
        "'model' must be a model that needs at most 48.0 GiB of each GPU (got Model(name='llama-3.3-70b', quantization='q4_k_m', context=32768)); "
        "weights 39.0 + KV cache 10.0 + overhead 0.7 = 49.7 GiB; kv_cache='q8_0' needs 45.1 GiB; quantization='q3_k_m' needs 42.2 GiB; "
        "context=26624 fits; gpus=2 needs 25.5 GiB of each"
    )


def test_vllm_takes_a_part_of_the_card():
    assert refusal(attrs.evolve(LARGE, quantization="bf16"), nodes(H100), server=VLLM) == (
        "'model' must be a model that needs at most 73.6 GiB of each GPU (0.92 of 80.0 GiB, the part that vLLM takes) (got "
        "Model(name='llama-3.3-70b', quantization='bf16', context=32768)); weights 131.4 + KV cache 10.0 + overhead 2.0 = 143.4 GiB; "
        "quantization='awq' needs 49.0 GiB; gpus=2 needs 72.7 GiB of each"
    )


def test_the_part_of_vllm_can_be_another():
    model = attrs.evolve(LARGE, quantization="awq")

    assert "at most 45.6 GiB of each GPU (0.95 of 48.0 GiB, the part that vLLM takes)" in refusal(
        model, nodes(A6000), server=VLLM, utilization=0.95
    )
    assert check_fits("model", attrs.evolve(model, context=16384), nodes(A6000), server=VLLM, utilization=0.95).total < 45.6


def test_a_model_that_no_single_change_makes_fit_is_refused_without_a_hint():
    assert refusal(Model("llama-3.1-405b", quantization="bf16"), nodes(A4000, gpus_per_node=1), server=VLLM) == (
        "'model' must be a model that needs at most 14.7 GiB of each GPU (0.92 of 16.0 GiB, the part that vLLM takes) (got "
        "Model(name='llama-3.1-405b', quantization='bf16')); weights 756.0 + KV cache 63.0 + overhead 2.0 = 821.0 GiB; no single change of the model "
        "or of its GPUs is enough"
    )


@pytest.mark.parametrize("server", ModelServer)
@pytest.mark.parametrize("product", [A6000, A4000, H100])
@pytest.mark.parametrize("name", ["llama-3.3-70b", "qwen3-32b", "gemma-3-27b", "mixtral-8x7b", "deepseek-r1-671b", "gpt-oss-120b"])
def test_every_change_that_a_refusal_names_is_accepted_without_a_warning(name, product, server, recwarn):
    """The hints are read from the message, as a person reads them."""
    model = Model(name, quantization="q8_0" if server in {LLAMA_CPP, OLLAMA} else "bf16", context=32768)
    try:
        check_fits("model", model, nodes(product), server=server)
    except ArgumentError as error:
        hints = [part.split(" ")[0] for part in str(error).split("; ")[2:] if "=" in part]
    else:
        hints = []
    for hint in hints:
        key, value = hint.split("=")
        given = int(value) if value.isdigit() else value.strip("'")
        changed, gpus = (model, given) if key == "gpus" else (attrs.evolve(model, **{key: given}), 1)
        check_fits("model", changed, nodes(product), server=server, gpus=gpus)
    assert not recwarn.list


def test_the_context_that_fits_is_the_longest_in_steps_of_1024():
    assert "context=26624 fits" in refusal(LARGE, nodes(A6000), server=OLLAMA)
    assert model_memory(attrs.evolve(LARGE, context=26624), OLLAMA).total <= 48
    assert model_memory(attrs.evolve(LARGE, context=26624 + 1024), OLLAMA).total > 48


def test_a_context_below_2048_tokens_is_no_hint():
    assert "context=2048 fits" in refusal(LARGE, nodes(None, memory_per_gpu="40.4Gi"), server=OLLAMA)
    assert "fits" not in refusal(LARGE, nodes(None, memory_per_gpu="40.2Gi"), server=OLLAMA)


def test_more_gpus_than_a_node_has_are_no_hint():
    assert "gpus=" not in refusal(LARGE, nodes(A6000, gpus_per_node=1), server=OLLAMA)
    assert "gpus=2" in refusal(LARGE, nodes(A6000, gpus_per_node=2), server=OLLAMA)


def test_gpus_that_can_not_divide_the_heads_are_no_hint():
    """Two are too few, and three can't divide 40 heads."""
    model = Model("qwen2.5-32b", quantization="bf16", context=8192)

    assert "gpus=4 needs" in refusal(model, nodes(None, memory_per_gpu="24Gi"), server=VLLM)


def test_a_smaller_quantization_is_no_hint_for_experts_in_mxfp4():
    model = Model("gpt-oss-120b", quantization="mxfp4", context=8192)

    assert "quantization=" not in refusal(model, nodes(A6000), server=LLAMA_CPP).split("; ", 1)[1]


def test_a_cache_of_eight_bits_is_no_hint_for_a_smaller_one():
    assert "kv_cache='q8_0' needs" not in refusal(attrs.evolve(LARGE, kv_cache="q4_0", context=131072), nodes(A6000), server=OLLAMA)


def test_a_card_of_unknown_memory_is_not_judged():
    memory = check_fits("model", LARGE, nodes(), server=OLLAMA)

    assert str(memory) == "weights 39.0 + KV cache 10.0 + overhead 0.7 = 49.7 GiB"
    assert pod_memory(nodes()) is None


def test_a_sum_that_only_the_overhead_brings_above_the_card_is_warned_of():
    assert warnings_of(SMALL, nodes(None, memory_per_gpu="6000Mi"), server=OLLAMA) == [
        (
            "'model' leaves ollama too little memory for its overhead: weights 4.3 + KV cache 1.0 + overhead 0.7 = 6.0 GiB, and the GPU has 5.9 GiB; the "
            "overhead is an estimate"
        )
    ]


def test_more_than_the_even_share_of_a_card_is_warned_of():
    expected = [
        (
            "'model' needs more than its share of a GPU that pods share: weights 4.3 + KV cache 1.0 + overhead 0.7 = 6.0 GiB, and the even share is 4.0 "
            "GiB; the memory of the pods is not isolated, so any of them can run out of memory"
        )
    ]

    assert warnings_of(SMALL, nodes(A4000, sharing=TimeSlicing(replicas=4)), server=OLLAMA) == expected
    assert warnings_of(SMALL, nodes(A4000, dra=Dra(share="consumable", shares=4)), server=OLLAMA) == expected
    assert warnings_of(SMALL, nodes(A4000, sharing=TimeSlicing(replicas=2)), server=OLLAMA) == []


def test_a_claim_of_a_whole_card_has_its_memory():
    assert pod_memory(nodes(A4000, dra=Dra())) == (16, 16, False)
    assert pod_memory(nodes(A4000, dra=Dra(share="consumable", shares="unlimited"))) == (16, 16, False)


def test_mps_gives_a_pod_its_share_and_no_more():
    assert pod_memory(shared_by_mps()) == (4, 4, True)
    assert "at most 4.0 GiB of each GPU" in refusal(SMALL, shared_by_mps(), server=OLLAMA)


def test_a_second_share_or_partition_is_no_hint():
    for cards in (shared_by_mps(), nodes(A4000, sharing=TimeSlicing(replicas=2))):
        assert "gpus=" not in refusal(LARGE, cards, server=OLLAMA)
    assert "gpus=" not in refusal(SMALL, nodes("NVIDIA-A100-SXM4-40GB", mig_strategy="mixed"), server=OLLAMA, profile="1g.5gb")


def test_a_partition_has_the_memory_of_its_profile():
    mixed = nodes("NVIDIA-A100-SXM4-40GB", mig_devices={"1g.5gb": 2, "2g.10gb": 1}, mig_strategy="mixed")
    single = nodes("NVIDIA-A100-SXM4-40GB", mig_devices={"1g.5gb": 7}, mig_strategy="single")

    assert pod_memory(mixed, "1g.5gb") == (5, 5, True)
    assert pod_memory(mixed, "2g.10gb") == (10, 10, True)
    assert pod_memory(single) == (5, 5, True)
    assert refusal(SMALL, single, server=OLLAMA).endswith("= 6.0 GiB; quantization='q2_k' needs 4.5 GiB")


def test_pods_share_a_partition_as_they_share_a_card():
    cards = nodes("NVIDIA-A100-SXM4-40GB", mig_devices={"2g.10gb": 3}, mig_strategy="single", sharing=TimeSlicing(replicas=2))

    assert pod_memory(cards) == (10, 5, True)


@pytest.mark.parametrize("server", [LLAMA_CPP, OLLAMA])
@pytest.mark.parametrize("quantization", ["awq", "gptq", "fp8", "int8", "nvfp4"])
def test_a_server_of_gguf_refuses_another_format(server, quantization):
    with pytest.raises(ArgumentError) as caught:
        check_fits("model", attrs.evolve(LARGE, quantization=quantization), nodes(), server=server)

    assert str(caught.value) == (
        f"'model' must be a model in a type of GGUF for {server}, such as quantization='q4_k_m' (got Model(name='llama-3.3-70b', "
        f"quantization='{quantization}', context=32768))"
    )


@pytest.mark.parametrize(
    ("server", "kind", "other"), [(VLLM, "q8_0", "fp8"), (SGLANG, "q4_0", "fp8"), (OLLAMA, "fp8", "q8_0"), (LLAMA_CPP, "fp8", "q8_0")]
)
def test_a_server_refuses_a_cache_of_another_server(server, kind, other):
    with pytest.raises(ArgumentError) as caught:
        check_server("model", attrs.evolve(LARGE, kv_cache=kind), server=server)

    assert str(caught.value) == (
        f"'model' must be a model with a KV cache of {server}, such as kv_cache='{other}' (got Model(name='llama-3.3-70b', quantization='q4_k_m', "
        f"context=32768, kv_cache='{kind}'))"
    )


@pytest.mark.parametrize(("server", "kind"), [(VLLM, "fp8"), (SGLANG, "f16"), (OLLAMA, "q4_0"), (LLAMA_CPP, "f16")])
def test_a_server_takes_its_own_caches(server, kind):
    assert check_server("model", attrs.evolve(LARGE, kv_cache=kind), server=server) is None


def test_gpus_divide_the_heads_for_tensor_parallelism():
    model = attrs.evolve(LARGE, quantization="bf16")

    assert refusal(model, nodes(), server=VLLM, gpus=3) == (
        "'model' must be a model whose attention heads 3 GPUs can divide (got Model(name='llama-3.3-70b', quantization='bf16', context=32768)); the "
        "attention heads of llama-3.3-70b are divided between the GPUs, and 64 heads are no multiple of 3"
    )
    assert check_server("model", model, server=VLLM, gpus=4) is None
    assert check_server("model", LARGE, server=LLAMA_CPP, gpus=3) is None


@pytest.mark.parametrize(("name", "gpus", "kv_heads"), [("qwen3.6-27b", 3, 4), ("phi-4", 4, 10), ("llama-3.2-3b", 3, 8)])
@pytest.mark.parametrize("server", [VLLM, SGLANG])
def test_gpus_divide_the_kv_heads_too(name, gpus, kv_heads, server):
    model = Model(name, quantization="bf16", context=8192)

    assert refusal(model, nodes(), server=server, gpus=gpus) == (
        f"'model' must be a model whose attention heads {gpus} GPUs can divide (got Model(name='{name}', quantization='bf16', context=8192)); the "
        f"attention heads of {name} are divided between the GPUs, and neither of {kv_heads} KV heads and {gpus} GPUs is a multiple of the other"
    )
    assert check_server("model", model, server=server, gpus=2) is None


def test_a_kv_head_is_copied_to_several_gpus():
    model = Model("qwen3.6-27b", quantization="bf16", context=8192)

    assert check_server("model", model, server=VLLM, gpus=8) is None


def test_a_hint_proposes_only_gpus_that_divide_the_kv_heads():
    model = Model("qwen3.6-27b", quantization="bf16", context=8192)

    assert refusal(model, nodes("RTX 4090"), server=VLLM).endswith("; gpus=4 needs 14.7 GiB of each")


def test_the_argument_has_the_name_that_the_recipe_gives():
    with pytest.raises(ArgumentError, match=r"^'models\[0\]' must be a model that needs"):
        check_fits("models[0]", LARGE, nodes(A4000), server=OLLAMA)


def test_a_card_whose_ecc_takes_memory_has_less():
    assert pod_memory(nodes("NVIDIA-L4")) == (22.5, 22.5, False)
    assert "at most 45.0 GiB of each GPU" in refusal(LARGE, nodes("NVIDIA-L40S"), server=OLLAMA)
