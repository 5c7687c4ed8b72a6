"""The modules: each is a folder of files, with the arguments of the module that calls it. Nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....yaml.located import Map, Place, Seq
from ....yaml.unknown import Unknown, source_of
from .. import limits
from ..files import MODULES, UNKNOWN_PART, Files, absolute, is_file, is_folder, normal
from .computed import computed
from .expressions import Scope, Step
from .instances import Instance, Tree
from .syntax import LARGEST, SPOKEN, Block, Body, Expression, HclError, attributes, blocks
from .values import MOST, Encoded, NoValueError, unknown
from .variable_types import with_defaults

_VALUES = ("terraform.tfvars", ".auto.tfvars")
_WITHIN = 20
"""The most modules inside each other."""


class Module:
    """One module with its arguments. Each name is evaluated once, when it is asked for."""

    def __init__(self, tree: Tree, folder: Path, caller: Instance | None = None) -> None:
        self.tree, self.folder, self.caller = tree, folder, caller
        self.address = f"{caller.address}." if caller else ""
        self.depth: int = caller.module.depth + 1 if caller else 0
        self.scope = Scope(self)
        self.blocks: list[Block] = []
        self._named: dict[tuple[str, ...], Block] = {}
        self._locals: dict[str, Expression] = {}
        self._values: dict[tuple[str, str], Any] = {}
        self._pending: set[tuple[str, str]] = set()
        self._instances: dict[int, list[Instance]] = {}
        self._modules: dict[str, Module | None] = {}
        for path in module_files(folder, tree.files):
            self._read(path)
        self._given = {} if caller else self._values_of_files()

    def _read(self, path: Path) -> None:
        files = self.tree.files
        shown, text = files.shown(path), files.text(path)
        self.tree.read[path] = None
        if len(text) > LARGEST:
            files.skip(path, f"larger than {LARGEST // 1_000_000} MB")
            return
        files.learn_comments(text, shown)
        try:
            for each in blocks(text, shown):
                self.blocks.append(each)
                self._named[(each.kind, *each.labels)] = each
                if each.kind == "locals" and (body := self.body(each)):
                    self._locals.update(body.attributes)
        except HclError as error:
            files.skip(shown, f"{error}{_lost(text)}", error.line)

    def body(self, block: Block) -> Body | None:
        """The body of a block. None for one that is not HCL, which is skipped."""
        try:
            return block.body()
        except HclError as error:
            words = f"{error}: the block {' '.join((block.kind, *block.labels))} is left out{_lost(block.source.text)}"
            self.tree.files.skip(block.source.file, words, error.line)
        return None

    def _values_of_files(self) -> dict[str, Expression]:
        """The values that Terraform reads of files by itself. A variable that any other file sets is unknown."""
        files, given = self.tree.files, dict[str, Expression]()
        others: set[str] = set()
        names = sorted(path.name for path in self.folder.iterdir() if path.name.endswith(".tfvars"))
        for name in sorted(names, key=lambda name: (name.endswith(_VALUES[1]), name)):
            path = self.folder / name
            try:
                written = {} if files.excludes(path) else attributes(files.text(path), files.shown(path))
            except HclError as error:
                files.skip(path, str(error), error.line)
                continue
            self.tree.read[path] = None
            if name.endswith(_VALUES):
                given.update(written)
            else:
                others.update(written)
        return {name: each for name, each in given.items() if name not in others} | dict.fromkeys(others, _UNKNOWN)

    # Names

    def reference(self, root: str, steps: list[Step], scope: Scope) -> tuple[Any, list[Step]]:
        """The value of a name, with the steps that lead further."""
        if root in scope.names:
            return scope.names[root], steps
        keys = [key for kind, key in steps if kind == "at"]
        if root in {"var", "local"} and steps:
            return self._of(root, str(keys[0])), steps[1:]
        if root == "path" and steps:
            return str(self.folder if keys[0] == "module" else self.tree.root), steps[1:]
        if root == "module" and steps:
            return self._output(str(keys[0]), steps[1:])
        kind, *names = (root, *keys) if root in _MODES else ("resource", root, *keys)
        if len(names) > 1 and isinstance(names[0], str) and isinstance(names[1], str):
            return self._of_block((kind, names[0], names[1]), steps[2 if root in _MODES else 1 :])
        return unknown(root), steps

    def _of(self, kind: str, name: str) -> Any:
        key = (kind, name)
        if key not in self._values:
            if key in self._pending:
                return unknown(f"{kind}.{name}")
            self._pending.add(key)
            self._values[key] = self._local(name) if kind == "local" else self._variable(name)
            self._pending.discard(key)
        return self._values[key]

    def _local(self, name: str) -> Any:
        return self.tree.evaluator.value(self._locals[name], self.scope) if name in self._locals else unknown(f"local.{name}")

    def _variable(self, name: str) -> Any:
        block = self._named.get(("variable", name))
        body = self.body(block) if block else None
        default = body.attributes.get("default") if body else None
        evaluator, value = self.tree.evaluator, unknown(f"var.{name}")
        if self.caller and name in self.caller.body.attributes:
            value = evaluator.value(self.caller.body.attributes[name], self.caller.scope)
        elif name in self._given:
            given = self._given[name]
            value = value if given is _UNKNOWN else evaluator.value(given, self.scope)
        elif default is not None:
            value = evaluator.value(default, self.scope)
        kind = body.attributes.get("type") if body else None
        if kind is None:
            return value
        return with_defaults(value, kind.tree, lambda default: evaluator.value(Expression(default, kind.source), self.scope))

    def _output(self, name: str, steps: list[Step]) -> tuple[Any, list[Step]]:
        block = self._named.get(("module", name))
        instances = self.instances(block) if block else []
        if instances and instances[0].key is not None and steps and steps[0][0] == "at":
            wanted, steps = steps[0][1], steps[1:]
            instances = [each for each in instances if not isinstance(each.key, Unknown) and each.key == wanted]
        module = self.child(instances[0]) if len(instances) == 1 else None
        if module is None or not steps or steps[0][0] != "at":
            return unknown(f"module.{name}"), steps
        output = module._named.get(("output", str(steps[0][1])))  # noqa: SLF001  # of the same class
        body = module.body(output) if output else None
        if body is None or "value" not in body.attributes:
            return unknown(f"module.{name}"), steps
        return self.tree.evaluator.value(body.attributes["value"], module.scope), steps[1:]

    def _of_block(self, path: tuple[str, str, str], steps: list[Step]) -> tuple[Any, list[Step]]:
        """The value of an attribute of a resource. The address of one that only the provider knows names its instance."""
        block = self._named.get(path)
        name = ".".join(path[1:] if path[0] == "resource" else path)
        if block is None:
            return unknown(self.address + name), steps
        instances = self.instances(block)
        if instances and instances[0].key is not None and steps and steps[0][0] == "at":
            wanted, steps = steps[0][1], steps[1:]
            same = [each for each in instances if isinstance(wanted, Unknown) or isinstance(each.key, Unknown) or each.key == wanted]
            instances = same if len(same) == 1 else []
        if len(instances) != 1 or not steps or steps[0][0] != "at":
            return unknown(self.address + name), steps
        instance, wanted = instances[0], str(steps[0][1])
        if wanted in instance.body.attributes:
            return self.tree.evaluator.value(instance.body.attributes[wanted], instance.scope), steps[1:]
        if inner := [*instance.body.inner(wanted)]:
            return Seq([self.value(each, instance.scope) for each in inner], [each.place for each in inner]), steps[1:]
        self.tree.instances[instance.address] = instance
        known = computed(instance, wanted)
        return (Unknown(f"${{{instance.address}.{wanted}}}"), []) if known is None else (known, steps[1:])

    def value(self, body: Body, scope: Scope) -> Map:
        """The attributes and blocks of a block as a map. Blocks of one kind are a list."""
        result = Map({}, dict(body.lines))
        for name, each in body.attributes.items():
            result[name] = self.tree.evaluator.value(each, scope)
        for name, _, inner in body.blocks:
            result.places.setdefault(name, inner.place)
            listed = result.setdefault(name, Seq())
            if isinstance(listed, Seq):
                listed.places.append(inner.place)
                listed.append(self.value(inner, scope))
        return result

    # Instances

    def instances(self, block: Block) -> list[Instance]:
        """The instances of a resource, a data source or a module."""
        if id(block) not in self._instances:
            self._instances[id(block)] = []  # for a block that names itself
            self._instances[id(block)] = [*self._instances_of(block)]
        return self._instances[id(block)]

    def _instances_of(self, block: Block) -> Iterator[Instance]:
        body = self.body(block)
        if body is None:
            return
        address = self.address + ".".join(block.labels if block.kind == "resource" else (block.kind, *block.labels))
        evaluator = self.tree.evaluator
        if "for_each" in body.attributes:
            keys = _keys(evaluator.value(body.attributes["for_each"], self.scope))
            unsure: Mapping[str, Any] = {"each": Map({"key": Unknown("${each.key}"), "value": Unknown("${each.value}")})}
            named = None if keys is None else [(key, {"each": Map({"key": key, "value": value})}) for key, value in keys]
        elif "count" in body.attributes:
            count = evaluator.value(body.attributes["count"], self.scope)
            unsure = {"count": Map({"index": Unknown("${count.index}")})}
            known = isinstance(count, int) and count <= MOST
            named = [(index, {"count": Map({"index": index})}) for index in range(count)] if known else None
        else:
            yield Instance(block, body, self.scope, address)
            return
        if named is None:
            yield Instance(block, body, Scope(self, unsure), f"{address}[*]", Unknown("${each.key}"), is_one=False)
        for key, names in named or ():
            written = f'"{key}"' if isinstance(key, str) else key
            yield Instance(block, body, Scope(self, names), f"{address}[{written}]", key)

    def child(self, instance: Instance) -> Module | None:
        """The module that a block calls. None for one that is not in the repository."""
        if instance.address not in self._modules:
            folder = local_source(instance, self.tree)
            self._modules[instance.address] = Module(self.tree, folder, instance) if folder and self._may_call(folder, instance) else None
        return self._modules[instance.address]

    def _may_call(self, folder: Path, instance: Instance) -> bool:
        """Whether a module is read for an instance: Terraform refuses one inside itself, and each instance is work."""
        around: Any = self
        while around is not None:
            if around.folder == folder:
                return False
            around = around.caller.module if around.caller else None
        return self.depth < _WITHIN and self.tree.files.may_spend(limits.MODULE, instance.block.place)

    # Files

    def file(self, name: str, arguments: list[Any], scope: Scope, place: Place) -> Any:
        """The value of a function that reads a file, or parses a text."""
        if not arguments:
            raise NoValueError
        first = arguments[0]
        if name in {"yamldecode", "jsondecode"}:
            return first.value if isinstance(first, Encoded) else self._decoded(first, place)
        path = normal(self.tree.root / first) if isinstance(first, str) and "\0" not in first else None
        if name == "fileexists":
            return is_file(path) if path else Unknown()
        files = self.tree.files
        if path is None or not is_file(path) or files.excludes(path, str(first), place):
            raise NoValueError
        text = files.text(path)
        files.of_terraform.add(path)
        if not files.may_spend(limits.READ_AGAIN * len(text), place):
            return Unknown()
        if name == "templatefile":
            names = arguments[1] if len(arguments) > 1 else Map()
            if not isinstance(names, Map):
                raise NoValueError
            self.tree.read[path] = None
            known = {key: value for key, value in names.items() if isinstance(key, str)}
            filled = self.tree.evaluator.template(text, Scope(Template(), known), (files.shown(path), 1))
            return self._note(filled, path)
        return self._note(text, path)

    def _note(self, value: Any, path: Path) -> Any:
        if (text := source_of(value)) is not None:
            self.tree.origins[text] = self.tree.files.shown(path), 1
        return value

    def _decoded(self, value: Any, place: Place) -> Any:
        text = source_of(value)
        if text is None:
            raise NoValueError
        documents = self.tree.files.embedded(
            text, self.tree.origins.get(text, (place[0], place[1] + ("\n" in text))), template="{{" in text
        )
        if not documents:
            raise NoValueError
        return documents[0].value


class Template:
    """The names in a template: only its own variables."""

    def reference(self, root: str, steps: list[Step], scope: Scope) -> tuple[Any, list[Step]]:
        """The value of a variable of the template."""
        return (scope.names[root], steps) if root in scope.names else (unknown(root), [])

    def file(self, name: str, arguments: list[Any], scope: Scope, place: Place) -> Any:
        """No file: a template names none here."""
        raise NoValueError


_UNKNOWN: Any = object()
_MODES = ("data", "ephemeral", "resource")


def module_files(folder: Path, files: Files) -> list[Path]:
    """The files of the module in a folder, those that override others at the end."""
    try:
        names = sorted(path.name for path in folder.iterdir() if path.name.endswith(MODULES) and not path.name.startswith("."))
    except OSError:
        return []
    overriding = [name for name in names if re.fullmatch(r"(.*_)?override\.(tf|tofu)", name)]
    paths = [folder / name for name in (*(name for name in names if name not in overriding), *overriding)]
    return [path for path in paths if is_file(path) and not files.excludes(path)]


def _lost(text: str) -> str:
    """The words for a broken text that speaks of resources that are read."""
    return UNKNOWN_PART if SPOKEN.search(text) else ""


def local_source(instance: Instance, tree: Tree) -> Path | None:
    """The folder of a module with a local source."""
    expression = instance.body.attributes.get("source")
    written = tree.evaluator.value(expression, instance.scope) if expression else None
    if not isinstance(written, str) or not written.startswith((".", "/")):
        return None
    folder = normal(absolute(instance.module.folder / written))
    return folder if is_folder(folder) and not tree.files.excludes(folder, written, instance.block.place) else None


def _keys(value: Any) -> list[tuple[Any, Any]] | None:
    """The keys and values of a `for_each`."""
    if isinstance(value, Map) and len(value) <= MOST and all(isinstance(key, str) for key in value):
        return [(key, value[key]) for key in sorted(value)]
    if isinstance(value, Seq) and len(value) <= MOST and all(isinstance(each, str) for each in value):
        return [(each, each) for each in value]
    return None
