"""Modules that call themselves, or call each other without end."""

from constructs_lib.observed.read import limits

RELEASE = 'resource "helm_release" "%s" {\n  name  = "%s"\n  chart = "gpu-operator"\n}\n'
CALL = 'module "%s" {\n  source   = "%s"\n  for_each = toset(["a", "b", "c"])\n}\n'


def releases(inputs):
    return [each.name for each in inputs.releases]


def test_a_module_that_calls_itself_is_read_once(terraform):
    assert releases(terraform(RELEASE % ("x", "x") + CALL % ("self", "./"))) == ["x"]


def test_a_circle_below_a_root_ends_where_it_closes(terraform):
    inner = {"a/main.tf": RELEASE % ("a", "a") + CALL % ("b", "../b"), "b/main.tf": RELEASE % ("b", "b") + CALL % ("a", "../a")}

    assert releases(terraform('module "a" { source = "./a" }\n', files=inner)) == ["a", "b"]


def test_modules_that_all_call_each_other_are_named_with_the_reason(terraform):
    inputs = terraform(RELEASE % ("x", "nvidia") + CALL % ("s", "./sub"), files={"sub/main.tf": RELEASE % ("y", "y") + CALL % ("d", "../")})

    assert releases(inputs) == []
    assert {each.file: each.reason.split(",")[0] for each in inputs.skipped} == {
        "main.tf": "its modules call each other in a circle",
        "sub/main.tf": "its modules call each other in a circle",
    }


def test_hcl_that_was_searched_is_not_said_to_need_python_hcl2(terraform):
    (skipped,) = terraform('resource "aws_instance" "gpu" {\n  tags = { gpu = "nvidia" }\n}\n').skipped

    assert skipped.reason.startswith("HCL without a resource that is read")


def test_modules_within_modules_end_where_the_reading_may_spend_no_more(terraform, monkeypatch):
    monkeypatch.setattr(limits, "MOST", 20 * limits.MODULE)
    inner = {f"{name}/main.tf": CALL % ("next", f"../{after}") for name, after in zip("abcde", "bcdef", strict=True)}

    inputs = terraform(CALL % ("a", "./a"), files={**inner, "f/main.tf": RELEASE % ("f", "f")})

    assert any("is more than one check reads" in each.reason for each in inputs.skipped)
