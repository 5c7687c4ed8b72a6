"""`make pins`: what upstream publishes goes into the tables, and what can't be read is named."""

import json
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT
from constructs_lib.upstream import images
from constructs_lib.upstream.charts import CHARTS
from published import Upstream, chart, extension_files, talos_files
from tools.pins import tables
from tools.pins.__main__ import main
from tools.pins.chart_tables import CHART_SOURCES
from tools.pins.spoken_programs import PROGRAMS

PLUGIN = "nvidia-device-plugin"


@pytest.fixture
def upstream(tmp_path):
    return Upstream(tmp_path)


def test_tables_that_hold_all_are_left_as_they_are(upstream, capsys):
    upstream.run()
    before = upstream.texts

    assert upstream.run("--check") == 0
    assert upstream.run() == 0
    assert upstream.texts == before
    assert "the tables hold every fact that was read" in capsys.readouterr().out


def test_a_new_patch_release_moves_the_row_with_its_files_and_their_source(upstream, capsys):
    upstream.publish("siderolabs/talos", "v1.14.2", talos_files(kernel="6.18.9"))
    upstream.publish("siderolabs/extensions", "v1.14.2", extension_files(toolkit="1.20.0", LTS="580.2.02", PRODUCTION="595.2.02"))
    upstream.run()

    assert upstream.facts("tables/talos_releases")["releases"]["1.14"] == {
        "newest": "1.14.2",
        "kubernetes": [32, 37],
        "kernel": "6.18.9",
        "drivers": {"lts": "580.2.02", "production": "595.2.02"},
        "toolkit": "1.20.0",
        "sources": {"siderolabs/talos": "v1.14.2", "siderolabs/extensions": "v1.14.2"},
    }
    assert "changed: Talos 1.14: its newest release is 1.14.2 (was 1.14.1)" in capsys.readouterr().out


@pytest.mark.parametrize("tag", ["v1.14.2-alpha.0", "v1.14.0", "pkg/machinery/v1.14.9", "v1.14.2-dev"])
def test_neither_a_pre_release_of_a_later_patch_nor_an_older_or_foreign_tag_is_a_new_release(upstream, tag):
    upstream.publish("siderolabs/talos", tag, talos_files())
    upstream.run()

    assert upstream.facts("tables/talos_releases")["releases"]["1.14"]["newest"] == "1.14.1"


def test_the_release_after_its_betas_is_for_a_person_too(upstream, capsys):
    path = upstream.tables / "tables" / "talos_releases.json"
    path.write_text(path.read_text().replace('"newest": "1.14.1"', '"newest": "1.14.0-beta.1"'))
    upstream.run()

    assert upstream.facts("tables/talos_releases")["releases"]["1.14"]["newest"] == "1.14.1"
    assert "to review: Talos 1.14 is released: nodes with it are warned of no beta any more; try its manifests" in capsys.readouterr().out


def test_a_minor_that_the_table_lacks_is_for_a_person(upstream, capsys):
    upstream.publish("siderolabs/talos", "v1.15.0-alpha.0", talos_files())
    upstream.run()

    assert list(upstream.facts("tables/talos_releases")["releases"]) == ["1.14"]
    assert "to review: Talos 1.15 has 1.15.0-alpha.0: add it to the table once its manifests were tried" in capsys.readouterr().out


def test_a_driver_track_that_the_library_lacks_is_for_a_person(upstream, capsys):
    upstream.publish("siderolabs/talos", "v1.14.2", talos_files())
    upstream.publish("siderolabs/extensions", "v1.14.2", extension_files(LTS="580.2.02", FUTURE="700.1.01"))
    upstream.run()

    assert upstream.facts("tables/talos_releases")["releases"]["1.14"]["drivers"] == {"lts": "580.2.02"}
    assert "to review: siderolabs/extensions v1.14.2: DriverTrack has no future, which has the driver 700.1.01" in capsys.readouterr().out


def test_a_release_without_its_extensions_keeps_the_drivers_and_says_so(upstream, capsys):
    upstream.publish("siderolabs/talos", "v1.14.2", talos_files())
    upstream.run()

    row = upstream.facts("tables/talos_releases")["releases"]["1.14"]
    assert (row["newest"], row["drivers"]["lts"], row["sources"]["siderolabs/extensions"]) == ("1.14.2", "580.1.01", "v1.14.1")
    assert "not read: siderolabs/extensions has no v1.14.2 here; what is known of v1.14.1 stays" in capsys.readouterr().err


def test_files_that_say_something_else_are_named_and_change_nothing(upstream, capsys):
    upstream.publish("siderolabs/talos", "v1.14.2", {**talos_files(), "pkg/machinery/constants/constants.go": "package constants\n"})
    upstream.run()

    assert upstream.facts("tables/talos_releases")["releases"]["1.14"]["kernel"] == "6.18.1"
    assert (
        "not read: siderolabs/talos v1.14.2: the versions of the kernel and of Kubernetes are not where they were"
        in capsys.readouterr().err
    )


def test_a_new_extension_is_known_from_its_minor_on_and_one_that_is_gone_is_for_a_person(upstream, capsys):
    upstream.publish("siderolabs/extensions", "v1.14.2", extension_files(names=["brand-new"]))
    upstream.run()

    table = upstream.facts("tables/extension_names")
    assert table["since"] == {"brand-new": "1.14", "nonfree-kmod-nvidia-lts": "1.14", "nvidia-container-toolkit-lts": "1.14"}
    assert table["whole"] == {"1.14": "1.14.2"}
    assert (
        "to review: Talos 1.14.2 has no extension nvidia-container-toolkit-lts, which the table has since 1.14" in capsys.readouterr().out
    )


def test_an_extension_that_was_renamed_is_not_missed(upstream, capsys):
    path = upstream.tables / "tables" / "extension_names.json"
    path.write_text(path.read_text().replace('"since": {', '"since": {\n  "i915-ucode": "1.8",\n  "gone": "1.9",'))
    upstream.run("--every-tag")

    printed = capsys.readouterr().out
    assert "has no extension gone" in printed
    assert "i915-ucode" not in printed


def test_an_extension_that_comes_to_an_older_minor_later_is_known_from_that_on(upstream):
    upstream.publish("siderolabs/extensions", "v1.15.0", extension_files(names=["nvidia-container-toolkit-lts", "late"]))
    upstream.run()
    upstream.publish("siderolabs/extensions", "v1.14.2", extension_files(names=["nvidia-container-toolkit-lts", "late"]))
    upstream.run()

    assert upstream.facts("tables/extension_names")["since"]["late"] == "1.14"


def test_a_key_of_a_new_release_has_its_since_and_one_that_is_gone_its_until(upstream, capsys):
    upstream.publish_chart(PLUGIN, "v1.1.0", chart("{{ .Values.tag }}{{ .Values.image }}", "tag: b"))
    upstream.publish_chart(PLUGIN, "v1.2.0", chart("{{ .Values.tag }}", "tag: b"))
    upstream.publish_chart(PLUGIN, "v1.3.0-rc.1", chart("{{ .Values.candidate }}"))
    upstream.run()

    table = upstream.facts(f"charts/tables/{PLUGIN}")
    assert table["keys"] == {"image": {"until": "1.2.0"}, "tag": {"since": "1.1.0"}}
    assert (table["newest"], table["released"]) == ("1.2.0", "1.2.0")
    assert f"changed: {PLUGIN}: tag no key -> since 1.1.0" in capsys.readouterr().out


def test_a_key_of_values_yaml_that_no_template_reads_is_for_a_person(upstream, capsys):
    upstream.publish_chart(PLUGIN, "v1.1.0", chart("{{ .Values.image }}", "{image: a, forgotten: {inner: 1}}"))
    upstream.run()

    assert upstream.keys(PLUGIN) == {"image": {}}
    review = f"to review: {PLUGIN} 1.1.0: values.yaml has forgotten, and no template reads it: it is not in the table"
    assert review in capsys.readouterr().out


def test_a_default_that_the_library_goes_by_and_that_changed_is_for_a_person(upstream, capsys):
    assert "tolerations" in CHARTS[PLUGIN].defaults
    upstream.publish_chart(PLUGIN, "v1.1.0", chart("{{ .Values.image }}{{ toYaml .Values.tolerations }}", "tolerations: [{key: a}]"))
    upstream.run()

    assert f"to review: {PLUGIN} 1.1.0: values.yaml has another tolerations" in capsys.readouterr().out


def test_the_types_that_templates_ask_for_are_those_of_the_newest_release(upstream):
    template = (
        '{{ if typeIs "bool" .Values.a }}{{ end }}{{ if typeIs "string" .Values.b }}{{ end }}{{ if .Values.c }}{{ end }}{{ .Values.d }}'
        "{{ if .Values.e }}{{ .Values.e }}{{ end }}{{ if .Values.f }}{{ end }}"
    )
    upstream.publish_chart(PLUGIN, "v1.1.0", chart(template, "{a: true, b: x, c: false, d: true, e: true, f: text}"))
    upstream.run()

    table = upstream.facts(f"charts/tables/{PLUGIN}")
    assert (table["booleans"], table["strings"], table["switches"]) == (["a"], ["b"], ["c"])


def test_the_fields_of_a_crd_are_keys_below_what_the_chart_hands_on_whole(upstream):
    template = "{{ .Values.image }}{{ toYaml .Values.daemonsets }}"
    upstream.publish_chart("gpu-operator", "v26.2.0", chart(template, daemonsets=["labels", "tolerations"]))
    upstream.run()

    assert upstream.keys("gpu-operator") == {"daemonsets.labels": {}, "daemonsets.tolerations": {"since": "v26.2.0"}, "image": {}}


def test_the_version_of_a_subchart_stands_by_the_release_that_brings_it_and_its_keys_are_its_own(upstream):
    dependency = {"name": "node-feature-discovery", "alias": "nfd"}
    for tag, inner in (("v1.1.0", "v0.1.0"), ("v1.2.0", "0.1.0"), ("v1.3.0", "0.2.0")):
        template = "{{ .Values.image }}{{ .Values.nfd.master }}"
        upstream.publish_chart(PLUGIN, tag, chart(template, dependencies=[{**dependency, "version": inner}]))
    upstream.run()

    assert upstream.facts(f"charts/tables/{PLUGIN}")["subcharts"] == {"nfd": {"1.1.0": "0.1.0", "1.3.0": "0.2.0"}}
    assert upstream.keys(PLUGIN) == {"image": {}}


def test_the_images_of_the_values_stand_by_the_release_that_brings_each_and_end_with_it(upstream):
    for tag, values in (
        ("v26.2.0", "image: a\ndcgm: {repository: nvcr.io/x, image: dcgm, version: '4'}\nold: {repository: r.io, image: a, version: '1'}"),
        ("v26.3.0", "image: a\ndcgm: {repository: nvcr.io/x, image: dcgm, version: '4'}\noperator: {repository: r.io, image: o}"),
        ("v26.4.0", "image: a\ndcgm: {repository: nvcr.io/x, image: dcgm, version: '5'}\noperator: {repository: r.io, image: o}"),
    ):
        upstream.publish_chart("gpu-operator", tag, chart("{{ .Values.image }}", values, daemonsets=["labels"]))
    upstream.run()

    assert upstream.facts("charts/tables/gpu-operator")["images"] == {
        "dcgm": {"v26.2.0": "nvcr.io/x/dcgm:4", "v26.4.0": "nvcr.io/x/dcgm:5"},
        "old": {"v26.2.0": "r.io/a:1", "v26.3.0": ""},
        "operator": {"v26.3.0": "r.io/o:v26.3.0", "v26.4.0": "r.io/o:v26.4.0"},
    }


def test_what_a_schema_of_values_says_stands_by_the_release_that_brings_it_and_ends_with_it(upstream):
    for tag, types in (("v26.2.0", {"a": "string", "b": "boolean"}), ("v26.3.0", {"a": "integer", "b": "boolean"}), ("v26.4.0", {})):
        schema = {"values.schema.json": json.dumps({"properties": {key: {"type": each} for key, each in types.items()}})} if types else {}
        upstream.publish_chart("gpu-operator", tag, chart("{{ .Values.a }}{{ .Values.b }}", daemonsets=["labels"]) | schema)
    upstream.run()

    assert upstream.facts("charts/tables/gpu-operator")["schema"] == {
        "a": {"v26.2.0": {"type": "string"}, "v26.3.0": {"type": "integer"}, "v26.4.0": ""},
        "b": {"v26.2.0": {"type": "boolean"}, "v26.4.0": ""},
    }


def test_a_release_that_is_no_template_ends_the_reading_there_and_is_named(upstream, capsys):
    upstream.publish_chart(PLUGIN, "v1.1.0", chart("{{ if .Values.image }}"))
    upstream.publish_chart(PLUGIN, "v1.2.0", chart("{{ .Values.image }}{{ .Values.later }}"))
    upstream.run()

    table = upstream.facts(f"charts/tables/{PLUGIN}")
    assert (table["keys"], table["newest"], table["released"]) == ({"image": {}}, "1.0.0", "1.2.0")
    assert "not read: NVIDIA/k8s-device-plugin v1.1.0: " in capsys.readouterr().err


def test_a_copy_that_ends_before_the_table_is_named_and_changes_nothing(upstream, capsys):
    path = upstream.tables / "charts" / "tables" / f"{PLUGIN}.json"
    path.write_text(
        path.read_text().replace('"newest": "1.0.0"', '"newest": "1.5.0"').replace('"released": "1.0.0"', '"released": "1.6.0"')
    )
    before = upstream.texts
    upstream.run("--every-tag")

    assert upstream.texts[f"charts/tables/{PLUGIN}.json"] == before[f"charts/tables/{PLUGIN}.json"].replace("2026-01-01", "2026-01-02")
    assert f"not read: {PLUGIN}: NVIDIA/k8s-device-plugin ends at 1.0.0 here; what is known of 1.6.0 stays" in capsys.readouterr().err


def test_a_repository_that_can_t_be_reached_is_named_with_what_stays(upstream, capsys):
    upstream.publish_chart("dcgm-exporter", "4.6.0-1.1.0", chart("{{ .Values.new }}"))
    before = upstream.texts
    (upstream.copies / "NVIDIA+k8s-device-plugin").rename(upstream.copies / "elsewhere")
    upstream.run()

    name = f"charts/tables/{PLUGIN}.json"
    assert upstream.texts[name] == before[name]
    assert upstream.keys("dcgm-exporter") == {"image": {"until": "1.1.0"}, "new": {"since": "1.1.0"}}
    printed = capsys.readouterr().err
    assert f"not read: NVIDIA/k8s-device-plugin: no copy in {upstream.copies}; {PLUGIN} stays as it is\n" in printed
    assert "whether there is a newer images.DEVICE_PLUGIN_IMAGE" in printed


def test_check_writes_nothing_and_fails_where_a_fact_would_change(upstream, capsys):
    upstream.publish_chart(PLUGIN, "v1.1.0", chart("{{ .Values.tag }}{{ .Values.image }}"))
    before = upstream.texts

    assert upstream.run("--check") == 1
    assert upstream.texts == before
    assert f"would change: {PLUGIN}: tag no key -> since 1.1.0" in capsys.readouterr().out
    assert upstream.run() == 0
    assert upstream.run("--check") == 0


def test_a_table_is_of_the_day_of_its_oldest_source_and_never_goes_back(upstream):
    upstream.publish("siderolabs/talos", "v1.14.2", talos_files(), date="2026-03-01")
    upstream.publish("siderolabs/extensions", "v1.14.2", extension_files(), date="2026-02-01")
    path = upstream.tables / "charts" / "tables" / f"{PLUGIN}.json"
    path.write_text(path.read_text().replace("2026-01-01", "2026-05-05"))
    upstream.run()

    dates = {
        name: upstream.facts(name)["read_on"] for name in ("tables/talos_releases", "tables/extension_names", f"charts/tables/{PLUGIN}")
    }
    assert dates == {"tables/talos_releases": "2026-02-01", "tables/extension_names": "2026-02-01", f"charts/tables/{PLUGIN}": "2026-05-05"}


def test_a_later_date_alone_is_no_change_of_a_fact(upstream):
    upstream.publish("siderolabs/extensions", "unrelated", {}, date="2026-06-01")

    assert upstream.run("--check") == 0


def test_a_page_of_release_notes_moves_what_it_lists_and_names_what_stays(upstream, tmp_path, capsys):
    page = tmp_path / "page.txt"
    page.write_text("Talos System Extensions 1.14.3 (2026-12-01)\nComponent Updates\nNVIDIA LTS: 580.3.03\nContributors\n")
    upstream.run("--page", page)
    printed = capsys.readouterr()
    once = upstream.texts
    upstream.run("--page", page)

    row = upstream.facts("tables/talos_releases")["releases"]["1.14"]
    assert (row["newest"], row["drivers"]) == ("1.14.3", {"lts": "580.3.03", "production": "595.1.01"})
    assert row["sources"]["siderolabs/extensions"] == "v1.14.1; release notes of v1.14.3 (2026-12-01)"
    assert "the release notes of v1.14.3 (2026-12-01) list what changed alone; what stays: production, toolkit" in printed.err
    assert upstream.texts == once


def test_the_files_of_a_tag_overrule_its_notes(upstream, tmp_path):
    page = tmp_path / "page.txt"
    page.write_text("Talos 1.14.1 (2026-12-01)\nLinux: 6.18.77\n")
    upstream.run("--page", page)

    assert upstream.facts("tables/talos_releases")["releases"]["1.14"]["kernel"] == "6.18.1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Some page", "no release notes of Talos or of its extensions"),
        ("Talos 1.14.0 (2026-12-01)\nLinux: 6.1.1\n", "nothing was taken from the release notes of v1.14.0 (2026-12-01)"),
        ("Talos 1.99.0 (2026-12-01)\nLinux: 6.1.1\n", "nothing was taken from the release notes of v1.99.0 (2026-12-01)"),
    ],
)
def test_a_page_that_says_nothing_new_is_named(upstream, tmp_path, capsys, text, said):
    page = tmp_path / "page.txt"
    page.write_text(text)
    upstream.run("--page", page)

    assert said in capsys.readouterr().err
    assert upstream.facts("tables/talos_releases")["releases"]["1.14"]["kernel"] == "6.18.1"


def test_a_default_pin_that_is_the_newest_is_not_spoken_of(upstream, capsys):
    upstream.run()

    assert "MIG_PARTED_IMAGE" not in capsys.readouterr().out


def test_a_default_pin_is_proposed_and_never_moved(upstream, capsys):
    files = {path.name: path.read_bytes() for path in (ROOT / "constructs_lib" / "upstream").rglob("*.py")}
    upstream.publish("NVIDIA/mig-parted", "v99.0.0", {"README.md": "new"})
    upstream.publish_chart("gpu-operator", "v99.1.0", chart("{{ .Values.image }}"))
    upstream.run()

    printed = capsys.readouterr().out
    assert (
        f"move by hand: images.MIG_PARTED_IMAGE is {images.MIG_PARTED_IMAGE.rpartition(':v')[2]}, and NVIDIA/mig-parted has 99.0.0"
        in printed
    )
    assert f"move by hand: the default version of gpu-operator is {CHARTS['gpu-operator'].default_version[1:]}, and" in printed
    assert "gpu_operator_chart.LEGACY" not in printed  # a later line is another generation's
    assert {path.name: path.read_bytes() for path in (ROOT / "constructs_lib" / "upstream").rglob("*.py")} == files


def test_what_no_repository_says_is_named_with_the_page_to_look_at(upstream, capsys):
    upstream.run()

    assert (
        "whether there is a newer images.BUSYBOX_IMAGE than 1.37.0 is not known; https://hub.docker.com/_/busybox says"
        in capsys.readouterr().err
    )


def test_over_the_network_the_same_is_read(upstream, capsys):
    for folder in list(upstream.copies.iterdir()):
        owner, name = folder.name.split("+")
        (upstream.copies / owner).mkdir(exist_ok=True)
        folder.rename(upstream.copies / owner / name)
    (upstream.copies / "NVIDIA" / "mig-parted").rename(upstream.copies / "elsewhere")
    plugin = upstream.copies / "NVIDIA" / "k8s-device-plugin"
    (upstream.copies / "NVIDIA+k8s-device-plugin").symlink_to(plugin)
    upstream.publish_chart(PLUGIN, "v1.1.0", chart("{{ .Values.tag }}{{ .Values.image }}"))
    upstream.publish_chart(PLUGIN, "v1.2.0", chart("{{ .Values.tag }}"))

    assert main(["--server", f"file://{upstream.copies}", "--every-tag"], upstream.tables) == 0
    assert upstream.keys(PLUGIN) == {"image": {"until": "1.2.0"}, "tag": {"since": "1.1.0"}}
    printed = capsys.readouterr()
    assert "not read: NVIDIA/mig-parted: " in printed.err
    assert printed.err.count("not read") == len(["mig-parted", "busybox", "nccl", *PROGRAMS])


@pytest.mark.parametrize("path", sorted((ROOT / "constructs_lib" / "upstream").rglob("*.json")), ids=lambda path: path.stem)
def test_a_table_of_the_library_is_written_as_the_tool_writes_it(path):
    assert tables.Table(path).text == path.read_text()


def test_every_table_of_the_library_is_one_that_the_tool_renews():
    names = {path.stem for path in (ROOT / "constructs_lib" / "upstream").rglob("*.json")}

    assert names == {
        "talos_releases",
        "extension_names",
        "kubernetes_fields",
        "models",
        *(source.name for source in CHART_SOURCES),
        *(program.name for program in PROGRAMS),
    }


def test_config_files_renew_the_catalogue_of_models(upstream, tmp_path, capsys):
    place = tmp_path / "configs" / "Qwen" / "Qwen9-8B"
    place.mkdir(parents=True)
    words = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 1000}
    (place / "config.json").write_text(json.dumps({"model_type": "llama", **words}))
    (upstream.tables / "tables" / "models.json").write_text(json.dumps({"source": "here", "read_on": "2026-01-01", "models": {}}))
    upstream.run()
    assert upstream.facts("tables/models")["read_on"] == "2026-01-01"

    upstream.run("--configs", tmp_path / "configs")
    assert list(upstream.facts("tables/models")["models"]) == ["qwen9-8b"]
    assert upstream.facts("tables/models")["read_on"] > "2026-01-01"
    assert "changed: qwen9-8b: a new model, Qwen/Qwen9-8B" in capsys.readouterr().out


def test_the_command_says_what_it_takes():
    done = subprocess.run([sys.executable, "-m", "tools.pins", "--help"], cwd=ROOT, capture_output=True, text=True, check=True)

    assert all(flag in done.stdout for flag in ("--from", "--page", "--check", "--every-tag"))


def test_nothing_read_is_no_success(upstream, capsys):
    shutil.rmtree(upstream.copies)
    before = upstream.texts

    assert upstream.run("--check") == upstream.run() == 2
    assert upstream.texts == before
    printed = capsys.readouterr()
    assert "the tables hold" not in printed.out
    assert "nothing was read: the tables stay as they are" in printed.err


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_page_that_can_not_be_read_is_named(upstream, tmp_path, capsys, content):
    page = tmp_path / "notes"
    if content is not None:
        page.write_bytes(content)
    upstream.run("--page", str(page))

    assert f"not read: {page}: " in capsys.readouterr().err
