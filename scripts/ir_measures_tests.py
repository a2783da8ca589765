"""Run ir_measures' own tests with every provider replaced by Leadline's, and count assertions.

    pip download --no-binary :all: --no-deps ir-measures && tar xf ir_measures-*.tar.gz
    python -m scripts.ir_measures_tests ir_measures-0.4.3/tests

prints how many assertions about scores hold, and each that does not. The sdist leaves out
base.py and the files of two tests: copy them from the repository beside the others.
"""

import importlib
import sys
import unittest
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_measures
from ir_measures import Metric, providers

from leadline.ir_measures import measure
from leadline.ir_measures import provider as ours

MODULES = ("pytrec_eval", "gdeval", "judged", "cwl_eval", "accuracy", "compat", "pyndeval", "ranx")
PACKAGE = "tests_of_ir_measures"
"""Theirs is named `tests`, as Leadline's own is."""

NAMES = ("PytrecEvalProvider", "GdevalProvider", "JudgedProvider", "CwlEvalProvider")


class _Evaluator(providers.Evaluator):
    """Scores of ir_measures' measures as Leadline computes what is named so."""

    def __init__(self, asked: Iterable[Any], qrels: Any) -> None:
        self.by_ours = {measure(each): each for each in asked}
        self.evaluator = ours.evaluator(list(self.by_ours), list(qrels))
        super().__init__(list(asked), self.evaluator.qrel_qids)

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        for metric in self.evaluator.iter_calc(run):
            yield Metric(metric.query_id, self.by_ours[metric.measure], metric.value)


class _Leadline(providers.Provider):
    NAME = "leadline instead"

    def supports(self, measure: Any) -> bool:
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(list(measures), qrels)

    def is_available(self) -> bool:
        return True


class _Counting(unittest.TestResult):
    """What was asserted, whether it held or not: a failed one does not end its test."""

    def __init__(self) -> None:
        super().__init__()
        self.held: Counter[str] = Counter()
        self.differs: list[str] = []


def count(folder: Path) -> _Counting:
    """Return the assertions of all tests of scores."""
    package = ModuleType(PACKAGE)
    package.__path__ = [str(folder)]
    sys.modules[PACKAGE] = package
    shim = _Leadline()
    for name in MODULES:
        setattr(ir_measures, name, shim)
    for name in NAMES:
        setattr(providers, name, _Leadline)
    result = _Counting()
    where = [""]

    def counted(name: str) -> Any:
        original = getattr(unittest.TestCase, name)

        def check(self: unittest.TestCase, *given: Any, **options: Any) -> None:
            try:
                original(self, *given, **options)
            except (AssertionError, TypeError) as error:
                test = self.id().split(".", 1)[1]
                result.differs.append(f"{test}: {str(error).splitlines()[0]}")
            else:
                result.held[where[0]] += 1

        return check

    for name in ("assertEqual", "assertAlmostEqual", "assertNotAlmostEqual", "assertTrue"):
        setattr(unittest.TestCase, name, counted(name))
    for name in MODULES:
        where[0] = name
        module = importlib.import_module(f"{PACKAGE}.test_{name}")
        unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    return result


def main() -> None:
    """Print the counts."""
    result = count(Path(sys.argv[1]).resolve())
    for name, n in result.held.items():
        print(f"{name}: {n} held")
    print(f"{result.held.total()} held, {len(result.differs)} did not")
    for text in result.differs:
        print(f"- {text}")
    for test, text in result.errors:
        print(f"- error in {test.id()}: {text.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
