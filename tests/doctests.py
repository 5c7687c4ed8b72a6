"""Run the example of every public docstring, and say how many there were. Not a test by itself: test_face.py runs it."""

import doctest
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import cdk8s

import constructs_lib.testing
from public_face import PUBLIC, every_public

WITHOUT_EXAMPLE = ("Enum", "Delivery", "TalosGpuWarning", "TalosVersion")


def main() -> None:
    """Fail on the first example that does not do what it says, and on a public name that has none."""
    given = every_public()
    given |= {name: getattr(constructs_lib.testing, name) for name in constructs_lib.testing.__all__}
    given |= {name: getattr(cdk8s, name) for name in ("App", "Chart", "ApiObject")}
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    bare = []
    for name in (*PUBLIC, *constructs_lib.testing.__all__):
        public = given[name]
        examples = [test for test in finder.find(public, name, globs=dict(given)) if test.examples]
        if not examples and name not in WITHOUT_EXAMPLE and not hasattr(public, "__members__"):
            bare.append(name)
        for test in examples:
            runner.run(test)
    if bare:
        print("no example:", ", ".join(bare))
    print(f"{runner.tries - runner.failures} examples passed, {runner.failures} failed")
    sys.exit(1 if bare or runner.failures else 0)


if __name__ == "__main__":
    main()
