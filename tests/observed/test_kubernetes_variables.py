"""`$(NAME)` in a container, as the kubelet fills it in."""

import pytest

from constructs_lib.observed.agents.plugin_options import expanded
from constructs_lib.observed.model import is_unknown

CONTAINER = {"env": [{"name": "A", "value": "old"}, {"name": "A", "value": "envvar"}, {"name": "NODE", "valueFrom": {"fieldRef": {}}}]}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("--strategy=$(A)", "--strategy=envvar"),
        ("$(A),$(A)", "envvar,envvar"),
        ("$$(A)", "$(A)"),
        ("$(OTHER)", "$(OTHER)"),
        ("$A ${A}", "$A ${A}"),
        (7, 7),
    ],
)
def test_the_last_variable_of_a_name_is_filled_in(written, value):
    assert expanded(written, CONTAINER) == value


@pytest.mark.parametrize(
    "container", [CONTAINER, {"env": [{"name": "NODE", "value": "$(A)"}]}, {"envFrom": [{"configMapRef": {"name": "a"}}]}]
)
def test_a_value_from_elsewhere_is_unknown(container):
    assert is_unknown(expanded("--node=$(NODE)", container))
