"""What `make pins` reads of a chart's values.schema.json."""

import json

from tools.pins.value_schemas import value_facts

KUBERNETES = {
    "io.k8s.api.core.v1.Affinity": {"type": ["object", "null"], "properties": {}},
    "io.k8s.api.core.v1.PodSpec": {
        "properties": {
            "tolerations": {"type": ["array", "null"], "items": {"$ref": "#/$defs/io.k8s.api.core.v1.Toleration"}},
            "nodeSelector": {"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}},
        }
    },
}


def facts(**properties):
    return value_facts(json.dumps({"$defs": KUBERNETES, "properties": properties}))


def test_types_enumerations_and_limits_are_kept_without_null():
    assert facts(
        a={"type": ["integer", "null"], "minimum": 1, "maximum": 2},
        b={"type": "object", "properties": {"c": {"enum": ["x"]}, "d": {"description": "no fact"}}},
        e={"type": ["string", "integer"]},
    ) == {
        "a": {"type": "integer", "minimum": 1, "maximum": 2},
        "b": {"type": "object"},
        "b.c": {"enum": ["x"]},
        "e": {"type": ["string", "integer"]},
    }


def test_what_a_reference_to_kubernetes_says_is_the_kind_of_its_fields():
    pod = "#/$defs/io.k8s.api.core.v1.PodSpec/properties"

    assert facts(
        a={"$ref": "#/$defs/io.k8s.api.core.v1.Affinity"},
        b={"$ref": f"{pod}/tolerations"},
        c={"$ref": f"{pod}/nodeSelector", "type": "object"},
        d={"type": "array", "items": {"type": "string"}},
        e={"type": "array"},
    ) == {
        "a": {"type": "object", "kind": "Affinity"},
        "b": {"type": "array", "kind": "[Toleration]"},
        "c": {"type": "object", "kind": "{string}"},
        "d": {"type": "array", "kind": "[string]"},
        "e": {"type": "array"},
    }


def test_a_mapping_without_further_keys_has_its_keys():
    schema = {"type": "object", "additionalProperties": False, "properties": {"b": {}, "a": {}}}

    assert value_facts(json.dumps(schema)) == {"": {"type": "object", "keys": ["a", "b"]}}
    assert value_facts(json.dumps({**schema, "patternProperties": {"^c": {}}})) == {"": {"type": "object"}}
    assert value_facts("{}") == {}
