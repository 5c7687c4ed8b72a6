"""Files of Terraform that are not HCL: what they install is not known, and the report's head says so."""

import pytest

from constructs_lib.checks.report_words import head

GOOD = 'resource "helm_release" "plugin" {\n  name  = "plugin"\n  chart = "nvidia-device-plugin"\n}\n'


@pytest.mark.parametrize("broken", ['resource "helm_release" "x" {\n  name = \n', 'resource "helm_release" "x" {\n  name = = 1\n}\n'])
def test_the_head_names_a_broken_file_that_speaks_of_what_is_read(terraform, broken):
    inputs = terraform(GOOD, files={"bad.tf": broken})

    assert [each.name for each in inputs.releases] == ["plugin"]
    (sentence,) = [each for each in head(inputs, 0) if each.startswith("not HCL: ")]
    assert sentence.startswith("not HCL: bad.tf:")
    assert sentence.endswith("; they may have the parts that a finding calls missing")


def test_the_head_is_silent_on_a_broken_file_of_other_resources(terraform):
    inputs = terraform(GOOD, files={"bad.tf": 'resource "aws_vpc" "x" {\n  name = \n'})

    assert not [each for each in head(inputs, 0) if "not HCL" in each]
