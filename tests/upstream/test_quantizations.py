"""The bits of quantized weights against published files, and their order."""

import itertools

import pytest

from constructs_lib.upstream.programs.quantizations import CACHE_BITS, QUANTIZATIONS, CacheType

GGUF = [name for name, each in QUANTIZATIONS.items() if each.is_gguf and not each.experts]
# "bits/weight" of Llama 3.1 8B in https://github.com/ggml-org/llama.cpp/blob/master/tools/quantize/README.md.
PUBLISHED = {"q8_0": 8.5008, "q6_k": 6.5633, "q5_k_m": 5.7036, "q4_k_m": 4.8944, "q4_k_s": 4.6672, "iq4_xs": 4.4597, "q2_k": 3.1593}


@pytest.mark.parametrize(("name", "bits"), PUBLISHED.items())
def test_the_parts_of_a_file_have_its_published_bits(name, bits):
    each, whole, embedding = QUANTIZATIONS[name], 8_030_261_248, 128_256 * 4096

    assert ((whole - 2 * embedding) * each.layers + embedding * (each.embedding + each.output)) / whole == pytest.approx(bits)


def test_the_types_of_gguf_are_in_the_order_of_their_names():
    """A type with fewer bits in its name is the smaller one: a hint takes the next."""
    levels = {}
    for name in GGUF:
        levels.setdefault(next(int(each) for each in name if each.isdigit()) if "f16" not in name else 16, []).append(
            QUANTIZATIONS[name].layers
        )
    order = sorted(levels)

    assert all(max(levels[low]) < min(levels[high]) for low, high in itertools.pairwise(order)), levels


@pytest.mark.parametrize("name", QUANTIZATIONS)
def test_no_part_is_smaller_than_two_bits_or_larger_than_sixteen(name):
    each = QUANTIZATIONS[name]

    assert all(2 < bits <= 16 for bits in (each.layers, each.embedding, each.output))
    assert name == name.lower()


def test_the_cache_types_are_those_of_the_servers():
    assert {str(each): bits for each, bits in CACHE_BITS.items()} == {"f16": 16, "q8_0": 8.5, "q4_0": 4.5, "fp8": 8}
    assert set(CACHE_BITS) == set(CacheType)
