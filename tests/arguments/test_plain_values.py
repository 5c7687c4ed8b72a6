import inspect
from datetime import date
from types import MappingProxyType

import pytest

from conftest import message
from constructs_lib import GpuNodes, Mps, Taint, TimeSlicing, read_nodes
from constructs_lib.arguments.names import dns_label, dns_subdomain, env_name
from constructs_lib.arguments.plain_values import flag, mapping, plain_mapping, texts, whole_number
from constructs_lib.arguments.quantities import amount_of, byte_quantity, cpu_quantity, duration, quantity
from constructs_lib.talos import (
    ExistingSchematic,
    check_machine_files,
    merge_into_talconfig,
    omni_config_patch,
    omni_extensions,
    omni_template,
    talhelper_node,
    terraform_json,
)
from public_face import every_public

QUANTITY = "'memory' must be a Kubernetes quantity above zero such as '16Gi'"
CPU = "'cpu' must be a Kubernetes quantity above zero such as '500m'"
DNS_LABEL = "'name' must be a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters)"
DNS_NAME = "'secret' must be a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)"
ENV_NAME = "'env' must be the name of an environment variable (letters, digits, '_', '-' and '.')"
NODES = (
    "'talos_version', 'kernel_modules', 'driver_track', 'labels', 'extra_labels', 'taints', 'product', 'gpus_per_node', 'memory_per_gpu', 'count', "
    "'sharing', 'mig_strategy', 'mig_devices', 'dra', 'passthrough', 'name'"
)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            lambda: GpuNodes(talos_version="1.12", taint=[]),
            "'taint' must be an argument of GpuNodes (got taint=[]); did you mean 'taints'?",
        ),
        (
            lambda: GpuNodes(talos="1.12"),
            f"'talos' must be an argument of GpuNodes (got talos='1.12'); the arguments of GpuNodes are {NODES}",
        ),
        (lambda: TimeSlicing(replica=5), "'replica' must be an argument of TimeSlicing (got replica=5); did you mean 'replicas'?"),
        (
            lambda: Mps(replicas=5, memory="4Gi"),
            "'memory' must be an argument of Mps (got memory='4Gi'); the arguments of Mps are 'replicas', 'rename_by_default', 'fail_requests_greater_than_one'",
        ),
        (lambda: Taint("a", efect="NoExecute"), "'efect' must be an argument of Taint (got efect='NoExecute'); did you mean 'effect'?"),
    ],
)
def test_an_unknown_keyword_is_answered_with_the_right_one(call, expected):
    assert message(call, TypeError) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            GpuNodes,
            "'talos_version' must be given to GpuNodes (got nothing); every generation of Talos needs other manifests, so no default is right for all nodes",
        ),
        (TimeSlicing, "'replicas' must be given to TimeSlicing (got nothing); set the number of pods that share one GPU"),
        (lambda: Mps(rename_by_default=True), "'replicas' must be given to Mps (got nothing); set the number of pods that share one GPU"),
        (Taint, "'key' must be given to Taint (got nothing)"),
    ],
)
def test_what_has_no_default_is_asked_for_with_the_reason(call, expected):
    assert message(call, TypeError) == expected


NODES_NEED = "the nodes need its extensions"
FUNCTIONS = [
    (check_machine_files, "files", "the list of machine.files is needed"),
    (ExistingSchematic, "id", "the factory returned the ID of the schematic"),
    (merge_into_talconfig, "talconfig", "the text of the file is needed"),
    (omni_config_patch, "patch", "a ConfigPatch contains the patch"),
    (omni_extensions, "schematic", "Omni installs the extensions of the schematic"),
    (omni_template, "schematic", NODES_NEED),
    (read_nodes, "text", "the text of the file is needed"),
    (talhelper_node, "schematic", NODES_NEED),
    (terraform_json, "schematic", NODES_NEED),
]


@pytest.mark.parametrize(("function", "first", "why"), FUNCTIONS)
def test_a_function_asks_for_its_arguments_as_a_class_does(function, first, why):
    name = function.__name__

    assert message(function, TypeError) == f"'{first}' must be given to {name} (got nothing); {why}"
    assert message(lambda: function(hostname="a"), TypeError).startswith(f"'hostname' must be an argument of {name} (got hostname='a'); ")


def test_every_public_function_answers_so():
    functions = [made for made in every_public().values() if inspect.isfunction(made)]

    for function in functions:
        assert message(lambda made=function: made(xyzzy=1), TypeError).startswith(f"'xyzzy' must be an argument of {function.__name__} ")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: GpuNodes("1.12"), "'talos_version' must be given by its name (got '1.12'); such as GpuNodes(…, talos_version=…)"),
        (lambda: TimeSlicing(5), "'replicas' must be given by its name (got 5); such as TimeSlicing(…, replicas=…)"),
        (lambda: Mps(5), "'replicas' must be given by its name (got 5); such as Mps(…, replicas=…)"),
    ],
)
def test_an_argument_without_its_name_is_asked_for_its_name(call, expected):
    assert message(call, TypeError) == expected


def test_a_misspelt_keyword_is_answered_before_a_missing_one():
    assert message(lambda: TimeSlicing(replica=5), TypeError).startswith("'replica' ")


@pytest.mark.parametrize("value", [2, 48])
def test_a_whole_number_may_be_either_end_of_its_range(value):
    assert whole_number("replicas", value, 2, 48) == value


@pytest.mark.parametrize(
    ("value", "error"),
    [(0, ValueError), (-1, ValueError), (1.0, ValueError), (0.5, ValueError), (True, TypeError), ("1", TypeError), (None, TypeError)],
)
def test_a_number_is_never_rounded_nor_read_from_anything_else(value, error):
    then = "; did you mean 1?" if repr(value) in ("1.0", "'1'") else ""
    assert message(lambda: whole_number("count", value), error) == f"'count' must be a whole number of at least 1 (got {value!r}){then}"


@pytest.mark.parametrize("value", ["false", "", 0, 1, None])
def test_a_flag_is_no_string_and_no_number(value):
    then = "; did you mean False?" if value == "false" else ""
    assert message(lambda: flag("rbac", value), TypeError) == f"'rbac' must be True or False (got {value!r}){then}"


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        ("1", 1),
        ("16Gi", 16 * 1024**3),
        ("1.5G", 1_500_000_000),
        (".5k", 500),
        ("2e3", 2000),
        ("1E", 10**18),
        ("1Ei", 1024**6),
        ("1E2", 100),
    ],
)
def test_a_quantity_is_kept_as_written_and_known_by_its_amount(value, amount):
    assert quantity("memory", value) == value
    assert amount_of(value) == amount


def test_quantities_of_different_units_compare():
    assert amount_of("1Gi") > amount_of("1G") > amount_of("999M") > amount_of("999m")
    assert amount_of("1024Mi") == amount_of("1Gi")


@pytest.mark.parametrize(
    ("value", "then"),
    [
        ("16GB", "did you mean '16Gi'?"),
        ("16 GiB", "did you mean '16Gi'?"),
        ("16 Gi", "did you mean '16Gi'?"),
        (" 16Gi\n", "did you mean '16Gi'?"),
        ("500Mb", "did you mean '500Mi'?"),
        ("16K", "did you mean '16Ki'?"),
        ("16ki", "did you mean '16Ki'?"),
        ("1e", ""),
        ("1.2.3", ""),
        ("1_000", ""),
        ("lots", ""),
        ("", ""),
        ("0", ""),
        ("0.0Gi", ""),
        ("-1Gi", ""),
        ("\u0661Gi", ""),
    ],
)
def test_what_kubernetes_cannot_read_or_nobody_can_use_is_refused(value, then):
    assert message(lambda: quantity("memory", value)) == f"{QUANTITY} (got {value!r})" + (f"; {then}" if then else "")


@pytest.mark.parametrize(
    ("value", "then"),
    [
        (16, "; did you mean '16Gi'?"),
        (0, ""),
        (-16, ""),
        (-1.5, ""),
        (float("nan"), ""),
        (float("inf"), ""),
        (1.5, "; did you mean '1.5Gi'?"),
        (["16Gi"], "; did you mean '16Gi'?"),
        (True, "; True is a switch, and no amount: write the amount, such as '16Gi'"),
        (None, ""),
        (b"16Gi", ""),
    ],
)
def test_a_quantity_is_a_string(value, then):
    assert message(lambda: quantity("memory", value), TypeError) == f"{QUANTITY} (got {value!r}){then}"


def test_a_number_of_thousands_of_digits_is_no_quantity():
    assert message(lambda: quantity("memory", 10**5000), TypeError) == f"{QUANTITY} (got a number of thousands of digits)"


@pytest.mark.parametrize("value", ["1e99999999999999999999", "1e400", "9Ei"])
def test_a_quantity_that_kubernetes_cannot_hold_is_refused(value):
    assert message(lambda: quantity("memory", value)) == f"{QUANTITY} (got {value!r})"


@pytest.mark.parametrize("value", ["1Mi", "17179869184", "100Gi", "2e9"])
def test_bytes_are_kept_as_written(value):
    assert byte_quantity("memory", value) == value


@pytest.mark.parametrize(
    ("value", "then"),
    [
        ("512m", "did you mean '512Mi'?"),
        ("16", "did you mean '16Gi'?"),
        ("1k", "memory and storage are counted in bytes"),
        ("0.5", "memory and storage are counted in bytes"),
    ],
)
def test_bytes_whose_unit_was_forgotten_are_refused(value, then):
    assert message(lambda: byte_quantity("memory", value)) == f"'memory' must be at least 1Mi, such as '16Gi' (got {value!r}); {then}"


@pytest.mark.parametrize(("value", "written"), [("500m", "500m"), ("2", "2"), (2, "2"), (1.5, "1.5"), (0.25, "0.25"), (64, "64")])
def test_cpus_may_be_numbers(value, written):
    assert cpu_quantity("cpu", value) == written


@pytest.mark.parametrize("value", [0.1234567, 1234567])
def test_cpus_are_never_rounded(value):
    assert float(amount_of(cpu_quantity("cpu", value))) == value


@pytest.mark.parametrize(
    ("value", "error", "got"),
    [
        (0, ValueError, "0"),
        (-1, ValueError, "-1"),
        (float("inf"), ValueError, "inf"),
        ("two", ValueError, "'two'"),
        (None, TypeError, "None"),
    ],
)
def test_cpus_that_nobody_can_use_are_refused(value, error, got):
    assert message(lambda: cpu_quantity("cpu", value), error) == f"{CPU} (got {got})"


def test_a_switch_is_no_number_of_cpus():
    said = message(lambda: cpu_quantity("cpu", True), TypeError)

    assert said == f"{CPU} (got True); True is a switch, and no amount: write the amount, such as '500m'"


@pytest.mark.parametrize("value", ["1Gi", "4k", "2M"])
def test_cpus_are_not_bytes(value):
    assert message(lambda: cpu_quantity("cpu", value)) == (
        f"'cpu' must be a number of CPUs such as '2' or '500m' (got '{value}'); CPUs are not counted in bytes"
    )


@pytest.mark.parametrize("value", ["30s", "1h", "1h30m", "1.5h", "500ms"])
def test_a_duration_is_kept_as_go_writes_it(value):
    assert duration("interval", value) == value


@pytest.mark.parametrize(
    ("value", "error"), [("1 hour", ValueError), ("30", ValueError), ("1d", ValueError), ("", ValueError), (30, TypeError)]
)
def test_a_duration_that_go_cannot_read_is_refused(value, error):
    assert message(lambda: duration("interval", value), error) == f"'interval' must be a duration such as '1h' or '30s' (got {value!r})"


@pytest.mark.parametrize("value", ["PATH", "_x", "a.b-c", "OLLAMA_HOST1"])
def test_a_variables_name_is_any_that_kubernetes_accepts(value):
    assert env_name("env", value) == value


@pytest.mark.parametrize("value", ["1A", "A=B", "A B", "Ä"])
def test_a_variables_name_that_kubernetes_refuses_is_refused(value):
    assert message(lambda: env_name("env", value)) == f"{ENV_NAME} (got {value!r})"


@pytest.mark.parametrize("value", ["a", "rtx-4090", "a" * 63])
def test_a_dns_label_is_right_for_pods_and_services(value):
    assert dns_label("name", value) == value


@pytest.mark.parametrize(
    ("value", "then"),
    [("My App!", "did you mean 'my-app'?"), ("a-", "did you mean 'a'?"), ("1", ""), ("a" * 64, f"did you mean '{'a' * 63}'?"), ("", "")],
)
def test_a_dns_label_that_a_service_cannot_have_is_refused(value, then):
    assert message(lambda: dns_label("name", value)) == f"{DNS_LABEL} (got {value!r})" + (f"; {then}" if then else "")


@pytest.mark.parametrize("value", ["1a", "registry.example.com", ".".join(["a" * 50] * 4)])
def test_a_dns_name_may_have_dots_and_begin_with_a_digit(value):
    assert dns_subdomain("secret", value) == value


@pytest.mark.parametrize("value", ["Secret", "a..b", ".a", "a_b", ".".join(["a" * 50] * 5)])
def test_a_dns_name_that_kubernetes_refuses_is_refused(value):
    assert message(lambda: dns_subdomain("secret", value)) == f"{DNS_NAME} (got {value!r})"


@pytest.mark.parametrize("value", [["sleep", "1"], ("sleep", "1")])
def test_a_command_is_a_list_of_its_own(value):
    assert texts("command", value) == ["sleep", "1"]
    assert texts("command", value) is not value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sleep 1", "(got 'sleep 1'); did you mean ['sleep', '1']?"),
        (["sleep", 1], "(got ['sleep', 1]); item 1 is not a string"),
        (5, "(got 5)"),
        (None, "(got None)"),
    ],
)
def test_a_command_is_no_string_and_has_no_numbers(value, expected):
    assert message(lambda: texts("command", value), TypeError) == f"'command' must be a list of strings {expected}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [([("a", "b")], "(got [('a', 'b')])"), ("a", "(got 'a')"), ({1: "a"}, "(got {1: 'a'}); the key 1 is not a string")],
)
def test_a_mapping_has_strings_for_keys(value, expected):
    assert message(lambda: mapping("values", value), TypeError) == f"'values' must be a mapping {expected}"


PLAIN = "a string, a number, True, False, None, a list or a mapping"


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        ({"a": {1}}, TypeError, f"'values[a]' must be {PLAIN} (got {{1}})"),
        ({"a": [{"b": b"x"}]}, TypeError, f"'values[a.0.b]' must be {PLAIN} (got b'x')"),
        ({"a": date(2026, 1, 2)}, TypeError, f"'values[a]' must be {PLAIN} (got datetime.date(2026, 1, 2)); did you mean '2026-01-02'?"),
        ({"a": float("nan")}, ValueError, "'values[a]' must be a number that JSON can hold (got nan)"),
        ({"a": (1, float("-inf"))}, ValueError, "'values[a.1]' must be a number that JSON can hold (got -inf)"),
        ({"a": {"b": {True: "x"}}}, TypeError, "'values[a.b]' must be a mapping (got {True: 'x'}); the key True is not a string"),
        ({1: "a"}, TypeError, "'values' must be a mapping (got {1: 'a'}); the key 1 is not a string"),
    ],
)
def test_plain_data_is_what_json_has_however_deep(value, error, expected):
    assert message(lambda: plain_mapping("values", value), error) == expected


def test_plain_data_is_kept():
    given = {"a": ["b", 1, 1.5, True, None, {"c": ()}], "d": MappingProxyType({"e": "f"})}
    assert plain_mapping("values", given) == given


def test_a_mapping_is_copied():
    given = {"a": "b"}

    assert mapping("values", given) == given
    assert mapping("values", given) is not given


def test_an_item_that_may_be_a_credential_is_not_repeated_behind_the_hidden_list():
    with pytest.raises(TypeError) as caught:
        texts("args", ["--model", {"--api-key": "hunter2"}])

    assert "hunter2" not in str(caught.value)
    assert str(caught.value).endswith("item 1 is not a string")
