"""The doctor's report for programs: a JSON object, as docs/doctor-schema.json describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...arguments.printable import json_parts
from ...checks.rule import Finding
from ...checks.secret_values import without_secrets
from ...observed.model.evidence import Evidence
from ..cause import Cause
from ..chain import Chain
from ..chain_shapes import marks
from ..doctor_report import DoctorReport
from ..fault import Healthy

_VERSION = 1
_Shown = Callable[[str], str]


def doctor_json(report: DoctorReport) -> Iterator[str]:
    """The report as a JSON object, in parts. No list is cut."""
    dump, diagnosis, inputs = report.dump, report.diagnosis, report.rules.inputs

    def shown(text: str) -> str:
        return without_secrets(text, inputs)

    head = {
        "version": _VERSION,
        "outcome": str(report.outcome),
        "summary": report.summary,
        "counts": {
            "nodes": len(diagnosis.cluster.nodes),
            "pods": len(diagnosis.cluster.pods),
            "healthy": diagnosis.healthy,
            "unknown": sum(len(each.subjects) for each in diagnosis.unseen),
            "followers": len({each for cause in diagnosis.causes for each in cause.followers}),
        },
        "causes": [_cause(report, each, shown) for each in diagnosis.causes],
        "findings": [_finding(each) for each in report.unattached],
        "log_symptoms": [
            {
                "symptom": match.symptom.name,
                "title": match.symptom.title,
                "evidence": _evidence(log.evidence(match), shown),
                "lines": match.lines,
                "remedy": match.symptom.remedy,
            }
            for log, match in report.symptoms
        ],
        "unexplained": [{**_evidence(each, shown), "said_by": report.origins.get(each.text, "")} for each in report.unexplained],
        "versions": report.versions,
        "pod": report.pod_lines,
        "cards": report.card_lines,
        "differences": [
            {"place": shown(each.place), "described": shown(each.described), "observed": shown(each.observed)}
            for each in report.comparison.found
        ],
        "unknown": [
            {
                "link": str(each.link),
                "command": report.printed(each.command, each.subjects).text,
                "subjects": each.subjects,
            }
            for each in diagnosis.unseen
        ],
        "read": {
            "objects": report.objects_read,
            "machines": [sorted(each.names) for each in dump.machines],
            "logs": len(dump.logs),
        },
        "unread": [{"source": each.source, "reason": shown(each.reason)} for each in report.unread],
    }
    return json_parts({**head, "chains": []}, (_chain(each, shown) for each in diagnosis.chains))


def _cause(report: DoctorReport, cause: Cause, shown: _Shown) -> Mapping[str, Any]:
    fault = cause.fault
    return {
        "link": cause.link and str(cause.link),
        "name": fault.name,
        "cause": shown(fault.cause),
        "subjects": cause.subjects,
        "followers": cause.followers,
        "is_hardware": fault.is_hardware,
        "is_sure": fault.is_sure,
        "evidence": [_evidence(each, shown) for each in fault.evidence],
        "consequence": shown(fault.consequence),
        "fix": report.printed(fault.fix, cause.subjects, cause.about).text,
        "verify": report.printed(fault.verify, cause.subjects, cause.about).text,
        "source": fault.source,
        "rules": list(fault.rules),
        "findings": [_finding(each) for each in report.findings[fault.name]],
    }


def _evidence(evidence: Evidence, shown: _Shown) -> Mapping[str, str]:
    return {"text": shown(evidence.text), "source": evidence.source}


def _finding(finding: Finding) -> Mapping[str, str]:
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "object": finding.object,
        "message": finding.message,
        "fix": finding.fix,
    }


def _chain(chain: Chain, shown: _Shown) -> Mapping[str, Any]:
    states = dict(chain.states)
    links = []
    for link, mark in marks(chain):
        state = states.get(link)
        evidence = {"evidence": _evidence(state.evidence, shown)} if isinstance(state, Healthy) else {}
        links.append({"link": str(link), "state": str(mark), **evidence})
    return {"subject": chain.subject, "kind": "pod" if chain.is_of_pod else "node", "node": chain.node, "links": links}
