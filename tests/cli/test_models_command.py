"""`talos-gpu models`."""

import json

import pytest

from constructs_lib.recipes.model_table import card_table, cards_table, model_table


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], cards_table()),
        (["--card", "RTX 4090"], card_table("RTX 4090")),
        (["--model", "Qwen/Qwen3-32B"], model_table("qwen3-32b")),
        (["--card", "RTX 4090", "--model", "qwen3-32b"], card_table("RTX 4090", ["qwen3-32b"])),
    ],
)
def test_the_flags_choose_the_table(flags, expected, answer):
    assert answer("models", *flags) == expected


@pytest.mark.parametrize(
    ("written", "card"), [("4090", "RTX 4090"), ("rtx4090", "RTX 4090"), ("A6000", "RTX A6000"), ("2080 Ti", "RTX 2080 Ti")]
)
def test_a_card_is_written_as_for_init(written, card, answer):
    assert answer("models", "--card", written, "--model", "qwen3-8b") == card_table(card, ["qwen3-8b"])


def test_json_has_the_same_rows(answer):
    rows = json.loads(answer("models", "--card", "RTX 4090", "--model", "gpt-oss-20b", "--format", "json"))

    assert rows == [
        {
            "card": "RTX 4090", "model": "gpt-oss-20b", "quantization": "mxfp4", "server": server, "gpus": 1, "context": 131072, "memory": memory,
        }
        for server, memory in (("vllm", 18.5), ("llama.cpp", 15.6))
    ]  # fmt: skip


def test_json_without_a_card_has_a_card_of_each_memory(answer):
    rows = json.loads(answer("models", "--model", "qwen3-0.6b", "--format", "json"))

    assert {row["card"] for row in rows} >= {"RTX 4060", "H200"}


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (
            ["--card", "RTX 5060 Ti"],
            (
                "--card must be a card of known memory (got 'RTX 5060 Ti'); the name does not tell the size: write the size behind the name, as "
                "'A100-SXM4-80GB'"
            ),
        ),
        (
            ["--model", "qwen3-33b"],
            "--model must be a model of the catalogue, such as 'llama-3.3-70b' (got 'qwen3-33b'); did you mean 'qwen3-32b'?",
        ),
        (["--format", "yaml"], "--format must be one of 'text', 'json' (got 'yaml')"),
    ],
)
def test_a_wrong_flag_is_refused(flags, expected, run):
    assert run("models", *flags) == (2, "", f"talos-gpu models: {expected}\n")


def test_an_unknown_card_is_refused_as_unknown(run):
    code, out, errors = run("models", "--card", "my card")

    assert (code, out) == (2, "")
    assert errors.splitlines()[0] == (
        "talos-gpu models: --card must be a card of known memory (got 'my card'); the card is not known: write the size behind the name, as 'A100-SXM4-80GB'"
    )
