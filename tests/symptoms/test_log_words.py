"""The words of a log line: what differs from machine to machine is no word."""

import pytest

from constructs_lib.symptoms.phrase_index import words_of


@pytest.mark.parametrize(
    "line",
    [
        'no runtime for "nvidia" is configured',
        "NO RUNTIME for 'nvidia' is configured!",
        r"no runtime for \"nvidia\" is configured",
        r"no runtime for \\\"nvidia\\\" is configured",
        r"no runtime for \x5c\"nvidia\x5c\" is configured",
        r"no runtime for \u0022nvidia\u0022 is\nconfigured",
        "\x1b[31mno runtime\x1b[0m for “nvidia” is configured",
        r"\u001b[1;31mno runtime\u001b[0m for nvidia is configured",
    ],
)
def test_case_quotes_escapes_and_colours_make_no_difference(line):
    assert words_of(line) == ["no", "runtime", "for", "nvidia", "is", "configured"]


@pytest.mark.parametrize("address", ["0000:01:00", "0000:c1:00.0", "00000000:C1:00.0", "000f:01:00"])
def test_the_address_of_a_card_is_no_word(address):
    assert words_of(f"NVRM: Xid (PCI:{address}): 79, pid=1") == ["nvrm", "xid", "pci", "79", "pid", "1"]


def test_a_number_is_a_word_of_its_own_and_an_underscore_joins_words():
    assert words_of("/dev/nvidia0 CUDA_ERROR_SYSTEM_NOT_READY v1.12") == [
        "dev",
        "nvidia",
        "0",
        "cuda_error_system_not_ready",
        "v",
        "1",
        "12",
    ]


def test_a_line_of_escapes_only_has_no_words_and_takes_linear_steps():
    assert words_of("\\" * 200_000) == []
    assert words_of("\\u" * 100_000)[:1] in ([], ["u"])
