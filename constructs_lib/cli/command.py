"""`talos-gpu`: the checks, and the OS layer of a class of GPU nodes, from a shell, for people without an app. It never starts Node."""

from __future__ import annotations

import argparse
import io
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from .._arguments.refusals import TalosGpuWarning, did_you_mean, wrong
from . import check_command, talos_commands
from .nodes_flags import reason

_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all went well, 1 when a check found an error, 2 for what was wrong with its arguments."""
    given, unknown = _parser().parse_known_args(arguments)
    if unknown:
        sys.stderr.write(f"talos-gpu {given.command}: {_no_flag(unknown, given)}\n")
        return _USAGE
    run: Callable[[argparse.Namespace], str] = given.run
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            answer = run(given)
            if given.output:
                _write(given.output, answer)
        except (TypeError, ValueError) as error:
            sys.stderr.write(f"talos-gpu {given.command}: {_in_flags(str(error), given)}\n")
            return _USAGE
        finally:
            for warning in dict.fromkeys(str(each.message) for each in caught):
                sys.stderr.write(f"talos-gpu {given.command}: warning: {warning}\n")
    if not given.output:
        _print(answer)
    status: int = given.status
    return status


def _write(path: str, answer: str) -> None:
    try:
        Path(path).write_text(answer, encoding="utf-8", newline="")
    except OSError as error:
        raise wrong("output", "a file that can be written", path, reason(error)) from None


def _print(answer: str) -> None:
    """As UTF-8, whatever the console: what is printed goes into files."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(answer)


# The flags that `given` has by another name, as their own is a word of Python's or of argparse's.
_GIVEN_AS = {"class": "chosen", "for": "tool", "print": "printed"}


def _no_flag(unknown: list[str], given: argparse.Namespace) -> str:
    """What to say of words that the command does not know."""
    named = {held: flag for flag, held in _GIVEN_AS.items()}
    known = [_flag(named.get(held, held)) for held in vars(given) if held not in {"command", "run"}]
    known += ["--talos"] if "--talos-version" in known else []
    longer = [flag for flag in known if flag.startswith(unknown[0])]
    then = f"did you mean '{longer[0]}'?" if longer else did_you_mean(unknown[0], known)
    rule = f"a flag of talos-gpu {given.command}"
    return f"{unknown[0]} must be {rule} (got {' '.join(unknown)!r}); {then or f'talos-gpu {given.command} --help lists them'}"


# Where the argument has another name than the flag that gives it.
_FLAGS = {
    "labels": "label",
    "taints": "taint",
    "extensions": "extension",
    "extra_kernel_args": "kernel_arg",
    "hostnames": "hostname",
    "kubernetes_version": "kubernetes",
}
# `'argument[…]' must … (got …); …`, as _validate.py writes it.
_REFUSAL = re.compile(r"'([a-z_]+)(?:\[[^]]*\])?' must (.*?) \(got (.*?)\)(; .*)?", re.DOTALL)


def _in_flags(message: str, given: argparse.Namespace) -> str:
    """What is refused in the words of the command line; what a file says is left in the file's words."""
    found = _REFUSAL.fullmatch(message)
    if not found:
        return message
    argument, rule, got, then = found.groups(default="")
    name = _FLAGS.get(argument, argument)
    if name in ("replicas", "sharing"):
        name = "time_slicing" if given.mps is None else "mps"
    elif name == "nodes" and given.nodes is None:
        name = "taint" if "taint" in rule else "talos_version"
    elif name == "mig_devices":
        return f"'{name}' must {_words(rule, given)} (got nothing){then}; a file for --nodes can say it"
    if re.match(r"(None|True|False)$|\[|[A-Z]\w*\(", got):
        got = _typed(name, given)
    return f"{_flag(name)} must {_words(rule, given)} (got {got}){_words(then, given)}"


def _flag(name: str) -> str:
    return f"--{_FLAGS.get(name, name).replace('_', '-')}"


def _typed(name: str, given: argparse.Namespace) -> str:
    """What stood on the command line, in place of what Python made of it."""
    value = getattr(given, _GIVEN_AS.get(name, name), None)
    if value is True:
        return _flag(name)
    return ", ".join(map(repr, value if isinstance(value, list) else [value])) if value else "nothing"


def _words(said: str, given: argparse.Namespace) -> str:
    """Arguments as flags, and without the names of classes."""
    known = {*vars(given), *_FLAGS}
    said = re.sub(r"\b([a-z_]+)=(?=')", lambda found: f"{_flag(found[1])} " if found[1] in known else found[0], said)
    said = re.sub(r"did you mean \[(.*)\]\?", r"did you mean \1?", said)
    for word, plain in (
        (" to GpuNodes", ""), ("be False", "be left out"), ("a TimeSlicing", "--time-slicing"), ("TimeSlicing", "--time-slicing"),
        ("'sharing'", "sharing"), ("'machine'", "--machine"),
        ("'cluster'", "--cluster"), ("'cluster_machine'", "--cluster-machine"),
    ):  # fmt: skip
        said = said.replace(word, plain)
    return said


class _Version(argparse.Action):
    """`--version`: the version of this library and the date of its tables, which are looked up when somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print both, and end."""
        from importlib.metadata import PackageNotFoundError, version

        from ..upstream.talos_releases import READ_ON

        try:
            number = version("cdk8s-nvidia-talos")
        except PackageNotFoundError:  # a source tree, which nobody installed
            import tomllib

            number = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
        _print(f"talos-gpu {number} (tables of {READ_ON})\n")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="talos-gpu",
        description="Checks of manifests for NVIDIA GPUs on Talos; Talos images, machine configuration and upgrades of such nodes.",
        epilog="talos-gpu COMMAND --help shows an example of each.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version of this library, and the date of its tables")
    parser.set_defaults(status=0)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    check_command.add_check(commands)
    talos_commands.add_commands(commands)
    return parser
