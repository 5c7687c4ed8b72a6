"""The models that people run, by the numbers of their config.json."""

from __future__ import annotations

from typing import NamedTuple


class ModelShape(NamedTuple):
    """The numbers of a model that its memory follows from."""

    source: str
    """The repository on https://huggingface.co whose config.json has the numbers; empty for a model of the user's."""
    parameters: int
    """The parameters of the language model, without an encoder of images and without layers for several tokens at once
    (MTP)."""
    layers: int
    hidden: int
    heads: int
    """The attention heads, which tensor parallelism divides."""
    kv_heads: int
    """The heads of the KV cache; 0 for an encoder, which keeps none."""
    head_dim: int
    vocabulary: int
    context: int
    """The longest context of the model, in tokens."""
    expert_parameters: int = 0
    """The part of the parameters that is in routed experts (MoE)."""
    has_images: bool = False
    """Whether the repository also has an encoder of images."""
    is_tied: bool = False
    """Whether the output layer is the embedding, in one tensor."""
    windowed_layers: int = 0
    """The layers that keep the last `window` tokens only (sliding-window attention)."""
    window: int = 0
    token_values: int = 0
    """The values of a token in a layer without a window, where they are not a key and a value of each KV head (MLA,
    Gemma 4)."""
    recurrent_layers: int = 0
    """The layers with a state of fixed size in place of a KV cache (linear attention)."""
    recurrent_values: int = 0
    """The values of that state in all layers, for one request."""


# The parameters are the sum over the tensors that config.json describes. For Qwen3 32B and Qwen3 Embedding 4B the sum is the published
# number to the last digit.
# fmt: off
CATALOGUE: dict[str, ModelShape] = {
    "llama-3.1-8b": ModelShape("meta-llama/Llama-3.1-8B-Instruct", 8_030_261_248, 32, 4096, 32, 8, 128, 128256, 131072),
    "llama-3.1-70b": ModelShape("meta-llama/Llama-3.1-70B-Instruct", 70_553_706_496, 80, 8192, 64, 8, 128, 128256, 131072),
    "llama-3.1-405b": ModelShape("meta-llama/Llama-3.1-405B-Instruct", 405_853_388_800, 126, 16384, 128, 8, 128, 128256, 131072),
    "llama-3.2-1b": ModelShape("meta-llama/Llama-3.2-1B-Instruct", 1_235_814_400, 16, 2048, 32, 8, 64, 128256, 131072, is_tied=True),
    "llama-3.2-3b": ModelShape("meta-llama/Llama-3.2-3B-Instruct", 3_212_749_824, 28, 3072, 24, 8, 128, 128256, 131072, is_tied=True),
    "llama-3.3-70b": ModelShape("meta-llama/Llama-3.3-70B-Instruct", 70_553_706_496, 80, 8192, 64, 8, 128, 128256, 131072),
    "qwen2.5-0.5b": ModelShape("Qwen/Qwen2.5-0.5B-Instruct", 494_032_768, 24, 896, 14, 2, 64, 151936, 32768, is_tied=True),
    "qwen2.5-1.5b": ModelShape("Qwen/Qwen2.5-1.5B-Instruct", 1_543_714_304, 28, 1536, 12, 2, 128, 151936, 32768, is_tied=True),
    "qwen2.5-3b": ModelShape("Qwen/Qwen2.5-3B-Instruct", 3_085_938_688, 36, 2048, 16, 2, 128, 151936, 32768, is_tied=True),
    "qwen2.5-7b": ModelShape("Qwen/Qwen2.5-7B-Instruct", 7_615_616_512, 28, 3584, 28, 4, 128, 152064, 32768),
    "qwen2.5-14b": ModelShape("Qwen/Qwen2.5-14B-Instruct", 14_770_033_664, 48, 5120, 40, 8, 128, 152064, 32768),
    "qwen2.5-32b": ModelShape("Qwen/Qwen2.5-32B-Instruct", 32_763_876_352, 64, 5120, 40, 8, 128, 152064, 32768),
    "qwen2.5-72b": ModelShape("Qwen/Qwen2.5-72B-Instruct", 72_706_203_648, 80, 8192, 64, 8, 128, 152064, 32768),
    "qwen2.5-coder-7b": ModelShape("Qwen/Qwen2.5-Coder-7B-Instruct", 7_615_616_512, 28, 3584, 28, 4, 128, 152064, 32768),
    "qwen2.5-coder-14b": ModelShape("Qwen/Qwen2.5-Coder-14B-Instruct", 14_770_033_664, 48, 5120, 40, 8, 128, 152064, 32768),
    "qwen2.5-coder-32b": ModelShape("Qwen/Qwen2.5-Coder-32B-Instruct", 32_763_876_352, 64, 5120, 40, 8, 128, 152064, 32768),
    "qwq-32b": ModelShape("Qwen/QwQ-32B", 32_763_876_352, 64, 5120, 40, 8, 128, 152064, 131072),
    "qwen3-0.6b": ModelShape("Qwen/Qwen3-0.6B", 596_049_920, 28, 1024, 16, 8, 128, 151936, 40960, is_tied=True),
    "qwen3-1.7b": ModelShape("Qwen/Qwen3-1.7B", 1_720_574_976, 28, 2048, 16, 8, 128, 151936, 40960, is_tied=True),
    "qwen3-4b": ModelShape("Qwen/Qwen3-4B", 4_022_468_096, 36, 2560, 32, 8, 128, 151936, 40960, is_tied=True),
    "qwen3-8b": ModelShape("Qwen/Qwen3-8B", 8_190_735_360, 36, 4096, 32, 8, 128, 151936, 40960),
    "qwen3-14b": ModelShape("Qwen/Qwen3-14B", 14_768_307_200, 40, 5120, 40, 8, 128, 151936, 40960),
    "qwen3-32b": ModelShape("Qwen/Qwen3-32B", 32_762_123_264, 64, 5120, 64, 8, 128, 151936, 40960),
    "qwen3-30b-a3b": ModelShape(
        "Qwen/Qwen3-30B-A3B", 30_532_122_624, 48, 2048, 32, 4, 128, 151936, 40960, expert_parameters=28_991_029_248
    ),
    "qwen3-235b-a22b": ModelShape(
        "Qwen/Qwen3-235B-A22B", 235_093_634_560, 94, 4096, 64, 4, 128, 151936, 40960, expert_parameters=227_096_395_776
    ),
    "qwen3-coder-30b-a3b": ModelShape(
        "Qwen/Qwen3-Coder-30B-A3B-Instruct", 30_532_122_624, 48, 2048, 32, 4, 128, 151936, 262144, expert_parameters=28_991_029_248
    ),
    "qwen3.5-9b": ModelShape(
        "Qwen/Qwen3.5-9B", 8_953_803_264, 32, 4096, 16, 4, 256, 248320, 262144,
        has_images=True, recurrent_layers=24, recurrent_values=13_172_736
    ),
    "qwen3.6-27b": ModelShape(
        "Qwen/Qwen3.6-27B", 26_895_998_464, 64, 5120, 24, 4, 256, 248320, 262144,
        has_images=True, recurrent_layers=48, recurrent_values=39_223_296
    ),
    "qwen3.6-35b-a3b": ModelShape(
        "Qwen/Qwen3.6-35B-A3B", 34_660_610_688, 40, 2048, 16, 2, 256, 248320, 262144,
        expert_parameters=32_212_254_720, has_images=True, recurrent_layers=30, recurrent_values=16_465_920
    ),
    "gemma-2-2b": ModelShape(
        "google/gemma-2-2b-it", 2_614_341_888, 26, 2304, 8, 4, 256, 256000, 8192, is_tied=True, windowed_layers=13, window=4_096
    ),
    "gemma-2-9b": ModelShape(
        "google/gemma-2-9b-it", 9_241_705_984, 42, 3584, 16, 8, 256, 256000, 8192, is_tied=True, windowed_layers=21, window=4_096
    ),
    "gemma-2-27b": ModelShape(
        "google/gemma-2-27b-it", 27_227_128_320, 46, 4608, 32, 16, 128, 256000, 8192, is_tied=True, windowed_layers=23, window=4_096
    ),
    "gemma-3-1b": ModelShape(
        "google/gemma-3-1b-it", 999_885_952, 26, 1152, 4, 1, 256, 262144, 32768, is_tied=True, windowed_layers=22, window=512
    ),
    "gemma-3-4b": ModelShape(
        "google/gemma-3-4b-it", 3_880_099_328, 34, 2560, 8, 4, 256, 262144, 131072,
        is_tied=True, windowed_layers=29, window=1_024, has_images=True
    ),
    "gemma-3-12b": ModelShape(
        "google/gemma-3-12b-it", 11_765_788_416, 48, 3840, 16, 8, 256, 262144, 131072,
        is_tied=True, windowed_layers=40, window=1_024, has_images=True
    ),
    "gemma-3-27b": ModelShape(
        "google/gemma-3-27b-it", 27_009_002_240, 62, 5376, 32, 16, 128, 262144, 131072,
        is_tied=True, windowed_layers=52, window=1_024, has_images=True
    ),
    "gemma-4-26b-a4b": ModelShape(
        "google/gemma-4-26B-A4B-it", 25_233_053_440, 30, 2816, 16, 8, 256, 262144, 262144,
        expert_parameters=22_837_985_280, has_images=True, is_tied=True, windowed_layers=25, window=1_024, token_values=2_048
    ),
    "gemma-4-31b": ModelShape(
        "google/gemma-4-31B-it", 30_697_345_280, 60, 5376, 32, 16, 256, 262144, 262144,
        has_images=True, is_tied=True, windowed_layers=50, window=1_024, token_values=4_096
    ),
    "mistral-7b": ModelShape("mistralai/Mistral-7B-Instruct-v0.3", 7_248_023_552, 32, 4096, 32, 8, 128, 32768, 32768),
    "mistral-nemo-12b": ModelShape("mistralai/Mistral-Nemo-Instruct-2407", 12_247_782_400, 40, 5120, 32, 8, 128, 131072, 131072),
    "mistral-small-24b": ModelShape("mistralai/Mistral-Small-24B-Instruct-2501", 23_572_403_200, 40, 5120, 32, 8, 128, 131072, 32768),
    "mistral-large-123b": ModelShape("mistralai/Mistral-Large-Instruct-2407", 122_610_069_504, 88, 12288, 96, 8, 128, 32768, 131072),
    "mixtral-8x7b": ModelShape(
        "mistralai/Mixtral-8x7B-Instruct-v0.1", 46_702_792_704, 32, 4096, 32, 8, 128, 32000, 32768, expert_parameters=45_097_156_608
    ),
    "mixtral-8x22b": ModelShape(
        "mistralai/Mixtral-8x22B-Instruct-v0.1", 140_630_071_296, 56, 6144, 48, 8, 128, 32768, 65536, expert_parameters=135_291_469_824
    ),
    "phi-4": ModelShape("microsoft/phi-4", 14_659_507_200, 40, 5120, 40, 10, 128, 100352, 16384),
    "phi-4-mini": ModelShape("microsoft/Phi-4-mini-instruct", 3_836_021_760, 32, 3072, 24, 8, 128, 200064, 131072, is_tied=True),
    "deepseek-r1-distill-qwen-1.5b": ModelShape(
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", 1_777_088_000, 28, 1536, 12, 2, 128, 151936, 131072
    ),
    "deepseek-r1-distill-qwen-7b": ModelShape(
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", 7_615_616_512, 28, 3584, 28, 4, 128, 152064, 131072
    ),
    "deepseek-r1-distill-llama-8b": ModelShape(
        "deepseek-ai/DeepSeek-R1-Distill-Llama-8B", 8_030_261_248, 32, 4096, 32, 8, 128, 128256, 131072
    ),
    "deepseek-r1-distill-qwen-14b": ModelShape(
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", 14_770_033_664, 48, 5120, 40, 8, 128, 152064, 131072
    ),
    "deepseek-r1-distill-qwen-32b": ModelShape(
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", 32_763_876_352, 64, 5120, 40, 8, 128, 152064, 131072
    ),
    "deepseek-r1-distill-llama-70b": ModelShape(
        "deepseek-ai/DeepSeek-R1-Distill-Llama-70B", 70_553_706_496, 80, 8192, 64, 8, 128, 128256, 131072
    ),
    "deepseek-r1-671b": ModelShape(
        "deepseek-ai/DeepSeek-R1", 671_026_419_200, 61, 7168, 128, 128, 128, 129280, 163840,
        expert_parameters=653_908_770_816, token_values=576
    ),
    "gpt-oss-20b": ModelShape(
        "openai/gpt-oss-20b", 20_914_757_184, 24, 2880, 64, 8, 64, 201088, 131072,
        expert_parameters=19_110_297_600, windowed_layers=12, window=128
    ),
    "gpt-oss-120b": ModelShape(
        "openai/gpt-oss-120b", 116_829_156_672, 36, 2880, 64, 8, 64, 201088, 131072,
        expert_parameters=114_661_785_600, windowed_layers=18, window=128
    ),
    "bge-m3": ModelShape("BAAI/bge-m3", 567_754_752, 24, 1024, 16, 0, 0, 250002, 8192, is_tied=True),
    "mxbai-embed-large": ModelShape("mixedbread-ai/mxbai-embed-large-v1", 335_141_888, 24, 1024, 16, 0, 0, 30522, 512, is_tied=True),
    "qwen3-embedding-0.6b": ModelShape("Qwen/Qwen3-Embedding-0.6B", 595_776_512, 28, 1024, 16, 8, 128, 151669, 32768, is_tied=True),
    "qwen3-embedding-4b": ModelShape("Qwen/Qwen3-Embedding-4B", 4_021_774_336, 36, 2560, 32, 8, 128, 151665, 32768, is_tied=True),
    "qwen3-embedding-8b": ModelShape("Qwen/Qwen3-Embedding-8B", 8_188_515_328, 36, 4096, 32, 8, 128, 151665, 32768),
}
# fmt: on
"""The models by the names that they have in talk: lower case, with the number of the release and the size.

Source: config.json of each row's repository on https://huggingface.co, as in Lightning-AI/litgpt litgpt/config.py at
26857050, mlc-ai/mlc-llm python/mlc_llm/model/model_preset.py at 79d603f0 and copies of config.json; Qwen3.5 and Qwen3.6
as in their model cards and ggml-org/llama.cpp#23792, Gemma 4 as in ikawrakow/ik_llama.cpp#1607 (2026-11-22)
"""
