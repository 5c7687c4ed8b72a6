"""The composer: the charts of a cluster, from its description, with the checks that the constructs of an app make."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ..arguments.errors import NOTHING, Refusal, TalosGpuWarning, wrong, wrong_kind
from ..arguments.keywords import check_keywords, check_required
from ..arguments.names import dns_label, namespace_name
from ..arguments.plain_values import flag, mapping, text
from ..arguments.spelling import did_you_mean
from ..manifests.charts.delivery import HelmTemplate, Unrendered
from ..manifests.charts.settings import ChartSettings
from ..manifests.foreign.gpu_requests import GpuRequest, with_gpus
from ..manifests.objects import MAIN, Manifest, manifest
from ..manifests.workload.settings import WorkloadSettings
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.nodes_file import nodes_in
from ..upstream.programs.delivery_tools import RESERVED_IDS
from .app_registry import DRA_DRIVER, FEATURES, Maker, Registry, name_taken
from .argument_types import arguments_of
from .description import Description
from .file_chart import REQUEST_GPUS, FileChart, container_requests, kubernetes_object, request_fields, settings_in
from .file_values import EVERY, FileError, Path, arguments_in, check_keys, placed, with_nodes
from .part import announce, checked_objects
from .part_table import BESIDE_A_WORKLOAD, PART_NAMES, part_of, passed_on

OBJECT = "Object"
"""The word for a plain object of Kubernetes."""

CHART_KEYS = ("namespace", "create_namespace", "objects")
"""The keys of a chart."""


class Composer:
    """A cluster that is composed from its description: its classes of nodes, its charts, and what was found wrong."""

    def __init__(self, description: Mapping[str, Any], aliases: Mapping[str, str | None] | None = None, *, runs_helm: bool = True) -> None:
        self._registry = Registry()
        self._description = description
        self._runs_helm = runs_helm
        own = description.aliases if isinstance(description, Description) else {}
        self.aliases: Mapping[str, str | None] = own if aliases is None else aliases
        """The names of the classes, by the names that the file gives their nodes."""
        self.errors: list[FileError] = []
        self.warnings: list[FileError] = []
        self.charts: dict[str, FileChart] = {}
        self.classes: dict[str | None, GpuNodes] = {}
        # The workloads by `chart/id`, None for one that was refused.
        self._workloads: dict[str, tuple[FileChart, WorkloadSettings] | None] = {}
        self._at_synth: list[tuple[Path, Callable[[], list[str]]]] = []
        self._here: FileChart | None = None

    def compose(self) -> None:
        """Make the classes of nodes and the charts. Errors and warnings are collected, each with its place."""
        if isinstance(self._description, Description) and self._description.errors:
            self.errors += self._description.errors
            return
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TalosGpuWarning)
            if not self._collect(("nodes",), caught, self._read_nodes):
                return
            charts = self._description.get("charts")
            if self._collect(("charts",), caught, lambda: placed(("charts",), mapping, "charts", {} if charts is None else charts)):
                for id, chart in (charts or {}).items():  # noqa: A001
                    self._chart(id, chart, caught)
            for path, errors in self._at_synth:
                self.errors.extend(FileError(path, ValueError(error)) for error in errors())

    @property
    def advertised(self) -> list[GpuNodes]:
        """The classes of nodes whose GPUs a part of the cluster advertises."""
        return next(iter(self.charts.values())).advertised_classes() if self.charts else []

    @property
    def used(self) -> list[GpuNodes]:
        """The classes of nodes of every part."""
        return next(iter(self.charts.values())).classes_of_nodes() if self.charts else []

    @property
    def workloads(self) -> list[WorkloadSettings]:
        """The settings of every workload."""
        return [found[1] for found in self._workloads.values() if found is not None]

    @property
    def with_operator(self) -> list[GpuNodes]:
        """The classes of nodes on which a GPU operator runs."""
        operators = next(iter(self.charts.values())).neighbours("NvidiaGpuOperator") if self.charts else ()
        return [nodes for operator in operators for nodes in operator.nodes]

    @property
    def with_features(self) -> list[Any]:
        """The parts that need features of Kubernetes which are off by default: their `feature_gates` and `runtime_config`."""
        return list(next(iter(self.charts.values())).neighbours(FEATURES)) if self.charts else []

    @property
    def dra_drivers(self) -> list[Any]:
        """The settings of every DRA driver."""
        return list(next(iter(self.charts.values())).neighbours(DRA_DRIVER)) if self.charts else []

    def nodes(self, argument: str, name: str) -> GpuNodes:
        """The class of nodes of this name."""
        if name == EVERY and len(self.classes) == 1:
            return self.every()[0]
        own = self.class_name(name)
        if own not in self.classes:
            names = list(self.aliases) or [each for each in self.classes if each is not None]
            rule = f"one of the classes in 'nodes', {', '.join(map(repr, names))}" if names else "left out: the only class has no name"
            raise wrong(argument, rule, name, did_you_mean(name, names))
        return self.classes[own]

    def class_name(self, name: str) -> str | None:
        """The name of the class of a node of the file; a name that no node has stays."""
        return self.aliases.get(name, name)

    def every(self) -> list[GpuNodes]:
        """Every class of nodes."""
        return list(self.classes.values())

    def workload(self, argument: str, name: str) -> WorkloadSettings:
        """The workload of this id in the same chart, or of `chart/id`, which is made before."""
        here = f"{self._here.id}/" if self._here else ""
        key = name if isinstance(name, str) and "/" in name else f"{here}{name}"
        if key not in self._workloads:
            known = [each.removeprefix(here) for each in self._workloads]
            hint = did_you_mean(str(name), known) or "an object is made after the objects above it"
            raise wrong(argument, "the id of a workload above, or 'chart/id'", name, hint)
        found = self._workloads[key]
        if found is None:
            raise _RefusedError
        return found[1]

    def value(self, kind: Any, /, *given: Any, **arguments: Any) -> Any:
        """The value of a class."""
        return kind(*given, **arguments)

    def _collect(self, path: Path, caught: list[warnings.WarningMessage], make: Callable[[], object]) -> bool:
        """Whether something could be made. Its error and its warnings get their place."""
        before = len(caught)
        try:
            make()
        except FileError as error:
            if not isinstance(error.error, _RefusedError):
                self.errors.append(error)
            return False
        except _RefusedError:
            return False
        except (TypeError, ValueError) as error:
            self.errors.append(FileError(path, error))
            return False
        finally:
            self.warnings += [FileError(path, ValueError(str(each.message))) for each in caught[before:]]
        return True

    def _read_nodes(self) -> None:
        given = self._description.get("nodes")
        if given is None:
            raise wrong_kind("nodes", "given", NOTHING, "the classes of GPU nodes")
        classes = given if isinstance(given, list) else [given]
        for number, arguments in enumerate(classes):
            place: Path = ("nodes", number) if len(classes) > 1 else ("nodes",)
            try:
                (each,) = nodes_in([arguments])
            except Refusal as error:
                raise FileError((*place, error.argument.partition("[")[0]), error) from None
            if each.name in self.classes:
                raise wrong("nodes", "classes with a 'name' each", given, "by its name a part says on which nodes it runs")
            self.classes[each.name] = each

    def _chart(self, id: str, given: object, caught: list[warnings.WarningMessage]) -> None:  # noqa: A002
        path: Path = ("charts", id)
        if not self._collect(path, caught, lambda: self._start_chart(id, given, path)):
            return
        chart = self._here = self.charts[id]
        for name, part in given["objects"].items():  # type: ignore[index]  # `_start_chart` has checked it
            place = (*path, "objects", name)
            if not self._collect(place, caught, functools.partial(self._object, chart, name, part, place)):
                self._workloads[f"{id}/{name}"] = None

    def _start_chart(self, id: str, given: object, path: Path) -> None:  # noqa: A002
        _check_reserved(dns_label("id", id))
        fields = mapping("chart", given)
        check_keys("a chart", fields, CHART_KEYS, path)
        namespace = fields.get("namespace")
        if namespace is not None:
            placed((*path, "namespace"), namespace_name, "namespace", namespace)
        if "objects" not in fields:
            raise wrong_kind("objects", "given", NOTHING, "the objects of the chart, by their ids")
        placed((*path, "objects"), mapping, "objects", fields["objects"])
        chart = self.charts[id] = FileChart(self._registry, id, namespace)
        if placed((*path, "create_namespace"), flag, "create_namespace", fields.get("create_namespace", False)):
            if namespace is None:
                raise FileError((*path, "create_namespace"), wrong("create_namespace", "given with 'namespace'", True))
            self._plain(chart, "namespace", manifest("v1", "Namespace", namespace))

    def _object(self, chart: FileChart, id: str, given: object, path: Path) -> None:  # noqa: A002
        if "/" in text("id", id):
            raise wrong("id", "a string without '/'", id, "a reference to another chart is 'chart/id'")
        _check_reserved(id)
        rule = "one construct with its arguments, such as {NvidiaRuntimeClass: {}}"
        fields = mapping(id, given, rule)
        if len(fields) != 1:
            raise wrong(id, rule, fields)
        ((name, arguments),) = fields.items()
        own = (*path, name)
        if name == OBJECT:
            placed(own, self._plain, chart, id, placed(own, kubernetes_object, OBJECT, arguments))
        elif name == REQUEST_GPUS:
            placed(own, self._request_gpus, chart, id, arguments, own)
        elif name in PART_NAMES:
            arguments = placed(own, mapping, name, {} if arguments is None else arguments, "a mapping of its arguments")
            settings = placed(own, self._part, chart, name, id, arguments, own)
            if isinstance(settings, WorkloadSettings):
                self._workloads[f"{chart.id}/{id}"] = chart, settings
        else:
            known = (*PART_NAMES, OBJECT, REQUEST_GPUS)
            raise wrong(id, "a construct of this library, or Object", name, did_you_mean(name, known))

    def _part(self, chart: FileChart, name: str, id: str, given: Mapping[str, Any], path: Path) -> Any:  # noqa: A002
        """Make a part: its settings, its objects, and what it tells its neighbours."""
        part = part_of(name)
        known = arguments_of(part.settings)
        check_keywords(name, list(known), given, functools.partial(passed_on, part))
        arguments = arguments_in(part.settings, given, path, self)
        for argument, default in part.defaults.items():
            if arguments.get(argument) is None:
                arguments[argument] = default(chart, id.rpartition("/")[2])
        arguments = with_nodes(part.settings, arguments, self)
        is_rendered = _is_chart(part.settings) and isinstance(arguments.get("delivery"), HelmTemplate | None)
        if is_rendered and not self._runs_helm:
            arguments["delivery"] = Unrendered()
        check_required(name, [each for each in known if known[each].is_required], arguments, part.needs)
        settings = settings_in(part, arguments, chart)
        if name in BESIDE_A_WORKLOAD:
            self._check_same_chart(chart, settings.workload, path)
        maker = Maker(name, chart, id)
        objects = checked_objects(chart, part, settings, maker)
        chart.add(id, objects)
        announce(chart, part, settings, maker, objects)
        if part.at_synth is not None and (errors := part.at_synth(settings)) is not None:
            self._at_synth.append((path, functools.partial(errors, chart)))
        if part.contents is not None:
            part.contents(settings, lambda inner, place, /, **more: self._part(chart, inner, f"{id}/{place}", more, path))
        return settings

    def _check_same_chart(self, chart: FileChart, workload: WorkloadSettings, path: Path) -> None:
        for key, found in self._workloads.items():
            if found is not None and found[1] is workload and found[0] is not chart:
                error = wrong(
                    "workload", "a workload of the same chart", key, "Services, routes and policies are made beside their workload"
                )
                raise FileError((*path, "workload"), error)

    def _plain(self, chart: FileChart, id: str, given: Manifest) -> None:  # noqa: A002
        """Add an object that no part of this library makes."""
        if same := chart.same_object({MAIN: given}):
            raise name_taken(*same)
        chart.announce_objects({MAIN: given}, OBJECT)
        chart.add(id, {MAIN: given})

    def _request_gpus(self, chart: FileChart, id: str, given: object, path: Path) -> None:  # noqa: A002
        fields, workload = request_fields(given, path)
        if "nodes" in fields:
            nodes = placed((*path, "nodes"), self.nodes, "nodes", fields["nodes"])
        elif len(self.classes) == 1:
            nodes = next(iter(self.classes.values()))
        else:
            raise wrong_kind("nodes", "given to request_gpus", NOTHING, "a GPU workload runs on a class of GPU nodes")
        made = with_gpus(workload, tuple(GpuRequest(nodes, **each) for each in container_requests(fields, path)))
        chart.announce_nodes(nodes, Maker(REQUEST_GPUS, chart, id))
        self._plain(chart, id, made)


def _is_chart(settings: object) -> bool:
    return isinstance(settings, type) and issubclass(settings, ChartSettings)


def _check_reserved(id: str) -> None:  # noqa: A002
    if id in RESERVED_IDS:
        raise wrong("id", "another word", id, "every scope of cdk8s has this id already")


class _RefusedError(ValueError):
    """A reference to a workload that was refused: its own error is the only one that helps."""
