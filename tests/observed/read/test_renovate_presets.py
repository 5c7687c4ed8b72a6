"""Comments about Talos' published installer image, below a configuration of Renovate that extends our preset."""

import pytest

from constructs_lib.observed.read.repository import read

COMMENT = "# renovate: datasource=docker depName=ghcr.io/siderolabs/installer\n"
TALENV = COMMENT + "talosVersion: v1.13.9\n"
PRESET = "github>somebody/cdk8s-nvidia-talos//renovate/default"
JSON = '{"extends": ["config:recommended", "%s"]}'


def watched(folder, config, name="renovate.json", path=".", talenv=TALENV):
    (folder / "talos").mkdir()
    (folder / "talos/talenv.yaml").write_text(talenv)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(config)
    return len(read([folder / path]).watched)


@pytest.mark.parametrize(
    ("preset", "count"),
    [
        (PRESET, 0),
        (f"{PRESET}.json", 0),
        (f"{PRESET}#v0.1.0", 0),
        (PRESET.replace("github>", "local>"), 0),
        (PRESET.replace("default", "talos-1.13"), 1),
        (f"{PRESET}-other", 1),
        ("github>somebody/presets//renovate/default", 1),
    ],
)
def test_only_the_default_preset_replaces_the_comment(preset, count, tmp_path):
    assert watched(tmp_path, JSON % preset) == count


@pytest.mark.parametrize(
    "name",
    [
        "renovate.json", "renovate.jsonc", "renovate.json5", ".renovaterc", ".renovaterc.json", ".renovaterc.json5",
        ".github/renovate.json", ".github/renovate.json5", ".gitlab/renovate.json", ".gitlab/renovate.json5",
    ],
)  # fmt: skip
def test_renovates_configuration_has_many_names(name, tmp_path):
    assert watched(tmp_path, JSON % PRESET, name) == 0


def test_json5_has_comments_bare_keys_and_trailing_commas(tmp_path):
    config = f"{{\n\t// see https://docs.renovatebot.com\n\textends: [\n\t\t'config:recommended', /* ours\n*/ '{PRESET}',\n\t],\n}}\n"

    assert watched(tmp_path, config, "renovate.json5") == 0


@pytest.mark.parametrize(
    "config", [f'{{"extends": [] // "{PRESET}"\n}}', f'{{"description": "{PRESET}"}}', f'{{"extends": ["{PRESET}"', "[]", ""]
)
def test_a_preset_that_the_configuration_does_not_extend_replaces_nothing(config, tmp_path):
    assert watched(tmp_path, config) == 1


def test_the_first_configuration_counts(tmp_path):
    (tmp_path / ".renovaterc").write_text(JSON % PRESET)

    assert watched(tmp_path, JSON % "config:recommended") == 1


def test_the_configuration_is_at_the_root_of_the_git_repository(tmp_path):
    assert watched(tmp_path, JSON % PRESET, path="talos") == 1
    (tmp_path / ".git").mkdir()
    assert len(read([tmp_path / "talos"]).watched) == 0
    assert len(read([tmp_path / "talos/talenv.yaml"]).watched) == 0


def test_the_preset_leaves_the_tag_of_the_image_at_talos_1_13(tmp_path):
    text = f"machine:\n  install:\n    {COMMENT}    image: ghcr.io/siderolabs/installer:v1.13.9\n"

    assert watched(tmp_path, JSON % PRESET, talenv=text) == 1
