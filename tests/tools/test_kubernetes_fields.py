"""The table of Kubernetes' fields: made from the schemas by its tool, and read by the check of `pod_spec`."""

import itertools

from constructs_lib._arguments.pod_fields import _SCALARS
from constructs_lib._arguments.spelling import is_near
from constructs_lib.upstream.kubernetes_fields import field_table
from tools.pins import kubernetes_fields as tool

MINORS = {minor: tool.fields(definitions) for minor, definitions in tool.minors().items()}


def test_the_table_is_the_one_that_the_tool_writes():
    assert tool.TABLE.read_text(encoding="utf-8") == tool.renewed(field_table().read_on).text


def test_each_kind_of_the_table_is_one_that_the_check_knows():
    types = field_table().types
    kinds = {kind.strip("[]{}") for fields in types.values() for kind in fields.values()}

    assert kinds <= {*_SCALARS, *types}
    assert types.keys() >= {"PodSpec", "Container", "SecurityContext", "PodSecurityContext", "Probe", "ObjectMeta"}


def test_a_field_of_any_version_is_in_the_table_with_its_newest_kind():
    types = field_table().types

    assert f"1.{max(MINORS)}" == field_table().newest
    for minor, fields in MINORS.items():
        for name, kinds in fields.items():
            assert kinds.keys() <= types[name].keys(), (minor, name)
    newest = MINORS[max(MINORS)]
    assert {name: {key: types[name][key] for key in kinds} for name, kinds in newest.items()} == newest


def test_no_key_that_kubernetes_added_would_have_been_refused_by_the_table_before():
    added = [
        (minor, name, key, sorted(MINORS[before][name]))
        for before, minor in itertools.pairwise(MINORS)
        for name, kinds in MINORS[minor].items()
        for key in kinds
        if name in MINORS[before] and key not in MINORS[before][name]
    ]

    assert len(added) >= 45
    assert [each for *each, known in added if any(is_near(each[-1], other) for other in known)] == []
    assert [key for _, _, key, _ in added if "_" in key or "-" in key] == []
