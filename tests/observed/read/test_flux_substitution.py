"""Literal variables of a Flux Kustomization are known values in what it deploys, and in nothing else."""

import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read
from unknowns import plain

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  a: A\n"


def kustomization(name, post_build, path="./app"):
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: {name}, namespace: flux-system}}\nspec:\n  path: {path}\n  postBuild: {post_build}\n"
    )


def repository(folder, *kustomizations, **files):
    """What is read of a folder with these Kustomizations, and with these files below `app/`."""
    (folder / "app").mkdir()
    (folder / "flux.yaml").write_text("---\n".join(kustomizations))
    for name, text in files.items():
        (folder / "app" / f"{name}.yaml").write_text(text)
    return read([folder])


def value_of(folder, written, post_build, text=CONFIG_MAP):
    """The value of `a` in the only ConfigMap."""
    found = repository(folder, kustomization("app", post_build), settings=text.replace("a: A", f"a: {written}"))
    (config_map,) = found.of_kind("ConfigMap")
    return config_map.at("data", "a")


ONE = "{substitute: {VAR: one, EMPTY: '', N: '7', B: 'true'}}"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${VAR}", "one"),
        ("a-${VAR}-b", "a-one-b"),
        ("${VAR}-${VAR}", "one-one"),
        ("${VAR:=default}", "one"),
        ("${EMPTY}", None),
        ("${EMPTY:=default}", "default"),
        ("${EMPTY:-default}", "default"),
        ("${EMPTY=default}", "default"),
        ("${NONE:=default}", "default"),
        ("${NONE:-default}", "default"),
        ("${NONE=default}", "default"),
        ("${NONE:=${VAR}}", "one"),
        ("${NONE:=}", None),
        ("$$VAR ${VAR}", "$VAR one"),
    ],
)
def test_a_literal_variable_is_substituted_as_flux_does(tmp_path, written, value):
    assert value_of(tmp_path, written, ONE) == value


@pytest.mark.parametrize(
    "written", ["${NONE}", "${VAR}-${NONE}", "${VAR^^}", "${VAR/o/u}", "${VAR:1:2}", "${#VAR}", "${NONE:?}", "$${VAR}", "{{ .x }}-${VAR}"]
)
def test_anything_else_stays_unknown(tmp_path, written):
    assert isinstance(value_of(tmp_path, f"'{written}'", ONE), Unknown)


def test_the_known_variables_of_an_unknown_text_are_substituted(tmp_path):
    assert plain(value_of(tmp_path, "${VAR}-${NONE}", ONE)) == "one-${NONE}"


@pytest.mark.parametrize(
    ("written", "value"), [("${N}", 7), ('"${N}"', 7), ("${B}", True), ('"v: ${N}"', "v: 7"), ("v${N}", "v7"), ("${NONE:='7'}", "7")]
)
def test_yaml_reads_what_was_substituted_again_and_the_quotes_are_gone(tmp_path, written, value):
    assert value_of(tmp_path, written, ONE) == value


def test_a_key_is_substituted(tmp_path):
    found = repository(tmp_path, kustomization("app", ONE), settings=CONFIG_MAP.replace("a: A", "${VAR}: A"))
    assert found.of_kind("ConfigMap")[0].at("data", "one") == "A"


def test_a_line_break_of_a_variable_is_gone(tmp_path):
    assert value_of(tmp_path, "${VAR}", '{substitute: {VAR: "one\\ntwo\\n"}}') == "onetwo"


def test_a_value_may_be_a_whole_mapping(tmp_path):
    assert value_of(tmp_path, "${MAP}", "{substitute: {MAP: '{b: 1}'}}") == {"b": 1}


@pytest.mark.parametrize("written", ["${NONE:=default}", "${NONE}"])
@pytest.mark.parametrize(
    "build",
    [
        "{substitute: {VAR: one}, substituteFrom: [{kind: ConfigMap, name: other}]}",
        "{substitute: {VAR: one, NONE: '${OTHER}'}}",
        "{substitute: {VAR: one, '${KEY}': two}}",
        "{substituteFrom: [{kind: ConfigMap, name: other}]}",
        "{substitute: '${OTHER}'}",
    ],
)
def test_a_variable_that_may_come_from_elsewhere_stays_unknown(tmp_path, written, build):
    assert isinstance(value_of(tmp_path, written, build), Unknown)


def test_a_literal_variable_wins_over_substitute_from(tmp_path):
    assert value_of(tmp_path, "${VAR}", "{substitute: {VAR: one}, substituteFrom: [{kind: ConfigMap, name: other}]}") == "one"


def test_without_variables_nothing_is_substituted_but_by_the_strategy_always(tmp_path):
    assert isinstance(value_of(tmp_path, "${NONE:=default}", "{substitute: {}}"), Unknown)


def test_the_strategy_always_takes_defaults_without_variables(tmp_path):
    assert value_of(tmp_path, "${NONE:=default}", "{substituteStrategy: Always}") == "default"


@pytest.mark.parametrize("key", ["labels", "annotations"])
def test_an_object_may_be_excluded(tmp_path, key):
    excluded = CONFIG_MAP.replace("{name: settings}", f"{{name: settings, {key}: {{kustomize.toolkit.fluxcd.io/substitute: disabled}}}}")
    assert isinstance(value_of(tmp_path, "${VAR}", ONE, excluded), Unknown)


def test_a_variable_reaches_only_what_its_kustomization_deploys(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "settings.yaml").write_text(CONFIG_MAP.replace("a: A", "a: ${VAR}").replace("name: settings", "name: other"))
    found = repository(
        tmp_path,
        kustomization("app", ONE),
        kustomization("other", "{substitute: {ELSE: two}}", path="./other"),
        settings=CONFIG_MAP.replace("a: A", "a: ${VAR}"),
    )
    assert {each.name: plain(each.at("data", "a")) for each in found.of_kind("ConfigMap")} == {"settings": "one", "other": "${VAR}"}


def test_a_variable_of_a_parent_fills_the_variables_of_its_child(tmp_path):
    (tmp_path / "child").mkdir()
    (tmp_path / "child" / "settings.yaml").write_text(CONFIG_MAP.replace("a: A", "a: ${INNER}"))
    child = kustomization("child", "{substitute: {INNER: '${VAR}-inner'}}", path="./child")
    found = repository(tmp_path, kustomization("app", ONE), child=child)
    assert [each.at("data", "a") for each in found.of_kind("ConfigMap")] == ["one-inner"]


def test_two_kustomizations_that_give_different_values_leave_them_unknown(tmp_path):
    found = repository(
        tmp_path,
        kustomization("one", "{substitute: {VAR: one, SAME: same}}"),
        kustomization("two", "{substitute: {VAR: two, SAME: same}}"),
        settings=CONFIG_MAP.replace("a: A", "a: ${VAR}\n  b: ${SAME}\n  list: ['${VAR}', '${SAME}']"),
    )
    (config_map,) = found.of_kind("ConfigMap")
    assert isinstance(config_map.at("data", "a"), Unknown)
    assert config_map.at("data", "b") == "same"
    assert plain(config_map.at("data", "list")) == ["${VAR}", "same"]


def test_two_kustomizations_that_give_different_names_make_two_objects(tmp_path):
    found = repository(
        tmp_path,
        kustomization("one", "{substitute: {VAR: one}}"),
        kustomization("two", "{substitute: {VAR: two}}"),
        settings=CONFIG_MAP.replace("name: settings", "name: '${VAR}'"),
    )
    assert sorted(each.name for each in found.of_kind("ConfigMap")) == ["one", "two"]


def test_a_substituted_value_stays_on_its_line(tmp_path):
    found = repository(tmp_path, kustomization("app", ONE), settings=CONFIG_MAP.replace("a: A", "a: ${VAR}"))
    assert found.of_kind("ConfigMap")[0].line_of(("data", "a")) == 5


def test_the_chart_of_a_release_is_known_by_a_literal_variable(tmp_path):
    release = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: plugin, namespace: gpu}\nspec:\n"
        "  chart: {spec: {chart: nvidia-device-plugin, version: '${VERSION}'}}\n  values: {runtimeClassName: '${CLASS:=nvidia}'}\n"
    )
    (found,) = repository(tmp_path, kustomization("app", "{substitute: {VERSION: 0.20.0}}"), release=release).releases
    assert (found.version, found.value("runtimeClassName")) == ("0.20.0", "nvidia")
