"""The ids that cdk8s takes for those of earlier constructs."""

from __future__ import annotations

RESERVED_IDS = frozenset(
    {
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)
"""The attributes of every object of JavaScript. A scope keeps its children in an object, and looks there for the id of
a new child.

Source: aws/constructs src/construct.ts (addChild) (2026-11-22)
"""
