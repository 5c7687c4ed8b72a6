"""The failed pods that their controller has replaced: a later pod of the same controller, of the same Deployment or of
a later run of the same CronJob."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..observed.model.live_object import LiveObject
from .live_pods import LivePod

_LIVING = ("Pending", "Running", "Succeeded")
_RUN = re.compile(r"-\d+$")
"""The end of the name of a Job that a CronJob makes: the minute of the run."""

_Key = tuple[str, str, str]


class Replacements:
    """The pods that have not failed, by what made them."""

    def __init__(self, pods: Iterable[LivePod], jobs: Iterable[LiveObject]) -> None:
        self._jobs = {(each.namespace, each.name): each for each in jobs}
        self._newest: dict[_Key, str] = {}
        for each in pods:
            if each.phase in _LIVING and not each.is_being_deleted:
                for key in filter(None, (_maker(each), self._series(each))):
                    self._newest[key] = max(self._newest.get(key, ""), _created(each))

    def replace(self, pod: LivePod) -> bool:
        """Whether a pod has failed, and another one stands in its place. A Job of a CronJob is in the place of the
        older ones only."""
        maker, series = _maker(pod), self._series(pod)
        is_overtaken = series is not None and self._newest.get(series, "") > _created(pod)
        return pod.phase == "Failed" and (maker in self._newest or is_overtaken)

    def _series(self, pod: LivePod) -> _Key | None:
        """The CronJob whose Job made the pod: by the Job's owner, or by its name where the Job was not read."""
        kind, name = pod.maker
        if kind != "Job":
            return None
        job = self._jobs.get((pod.about.namespace, name))
        if job is None:
            return (pod.about.namespace, "CronJob", _RUN.sub("", name)) if _RUN.search(name) else None
        owners: list[Mapping[str, object]] = [each for each in job.mappings("metadata", "ownerReferences") if each.get("kind") == "CronJob"]
        return (pod.about.namespace, "CronJob", str(owners[0].get("name", ""))) if owners else None


def _maker(pod: LivePod) -> _Key | None:
    kind, name = ("Deployment", pod.deployment) if pod.deployment else pod.maker
    return (pod.about.namespace, kind, name) if name else None


def _created(pod: LivePod) -> str:
    return str(pod.about.at("metadata", "creationTimestamp") or "")
