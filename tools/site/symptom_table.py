"""The table of `talos-gpu why` for the search of the site: each symptom with its page, and with the words and weights of its phrases."""

from __future__ import annotations

import json

from constructs_lib.checks.rules import RULES
from constructs_lib.symptoms.link import Symptom
from constructs_lib.symptoms.log_search import LogSearch
from constructs_lib.symptoms.symptom_table import all_symptoms
from constructs_lib.upstream.kubernetes.api import POD_STATUSES


def symptom_table() -> str:
    """The table as JSON. The order of the symptoms breaks ties."""
    symptoms = all_symptoms()
    phrases: dict[str, list[object]] = {each.name: [] for each in symptoms}
    for phrase in LogSearch(symptoms).phrases():
        symptom, strength = phrase.meaning
        phrases[symptom.name].append([strength.value, phrase.weight, phrase.parts])
    rows = [
        {
            "name": each.name,
            "title": each.title,
            "cause": each.cause,
            "remedy": each.remedy,
            "rules": each.rules,
            "general": each.is_general,
            "page": _page(each),
            "phrases": phrases[each.name],
        }
        for each in symptoms
    ]
    states = sorted(each.casefold() for each in POD_STATUSES)
    return json.dumps({"states": states, "symptoms": rows}, separators=(",", ":"), ensure_ascii=False)


def _page(symptom: Symptom) -> str:
    return f"{'rules' if symptom.name in RULES else 'symptoms'}-{symptom.name.lower()}.html"
