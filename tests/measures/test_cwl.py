"""Readers whose patience depends on what they found, and two measures of ir_measures."""

from collections.abc import Callable
from functools import partial

import ir_measures
import numpy as np
import pytest

from leadline.contracts import check_measure
from leadline.measures.measure import measures, parse_measure
from leadline.registry import NamingError
from tests.measures.agreement import TwinFor, check_scores
from tests.reference import measures as plain

Continues = Callable[[int, float, float], float]

AT_A_DEPTH: dict[str, tuple[Continues, int]] = {
    "BPM(t=2)@6": (lambda rank, gain, so_far: float(so_far < 2 and rank < 6), 6),
    "BPM(t=0.5)@3": (lambda rank, gain, so_far: float(so_far < 0.5 and rank < 3), 3),
    "NERR8@4": (lambda rank, gain, so_far: (1 - gain) * (rank < 4), 4),
    "NERR9@5": (lambda rank, gain, so_far: (1 - gain) * rank / (rank + 1) * (rank < 5), 5),
    "NERR10(p=0.5)": (lambda rank, gain, so_far: 0.5 * (1 - gain), 200),
}
ENDLESS: dict[str, Continues] = {
    "INST(t=1)": lambda rank, gain, so_far: ((rank + 1 - so_far) / (rank + 2 - so_far)) ** 2,
    "INST(t=2)": lambda rank, gain, so_far: ((rank + 3 - so_far) / (rank + 4 - so_far)) ** 2,
    "NERR11(t=2)": lambda rank, gain, so_far: (1 - gain) * ((rank + 3) / (rank + 4)) ** 2,
}
EVERY = [*AT_A_DEPTH, *ENDLESS, "Accuracy", "Accuracy@3", "Compat(p=0.8)", "Compat(norm=false)"]


@pytest.mark.parametrize("name", EVERY)
def test_it_keeps_the_contract(name: str) -> None:
    check_measure(name, n=10)


def twin_for(name: str) -> TwinFor:
    continues, last = AT_A_DEPTH[name]
    return lambda top: partial(plain.adaptive, continues=continues, last=last, max_grade=top)


@pytest.mark.parametrize("name", AT_A_DEPTH)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, twin_for(name), condensed=True)


@pytest.mark.parametrize("name", ENDLESS)
def test_the_sum_without_end_is_that_of_very_many_ranks(name: str) -> None:
    grades = {"a": 1, "b": 0, "c": 2, "d": 1}
    for ranking in (["a", "b", "c"], ["x", "c"], ["b"], ["c", "a", "d", "x"]):
        text = " ".join("?" if doc not in grades else str(grades[doc]) for doc in ranking)
        rest = " ".join(str(grade) for doc, grade in grades.items() if doc not in ranking)
        ours = float(parse_measure(name).sketch(text, elsewhere=rest))
        loop = plain.adaptive(ranking, grades, ENDLESS[name], 200_000, 2)
        # What ranks beyond the last add to the denominator falls as one over the rank.
        assert ours == pytest.approx(loop, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BPM(T=1.0, max_rel=1)@20", (1.0, 0.1667)),
        ("BPM(T=2.0, max_rel=1)@10", (0.6667, 0.2857)),
        ("INST(T=1.0, max_rel=1)", (0.7934, 0.0888)),
        ("NERR9(max_rel=1)@10", (1.0, 0.0680)),
        ("NERR10(p=0.8, max_rel=1)", (1.0, 0.0888)),
        ("NERR11(T=2.0, max_rel=1)", (1.0, 0.0691)),
    ],
)
def test_values_of_cwl_eval(name: str, expected: tuple[float, float]) -> None:
    lists = "1 0 1 1 ? ? 1 0 1 0", "? ? ? 0 0 1 1 1 0 1"
    for text, value in zip(lists, expected, strict=True):
        assert float(parse_measure(name).sketch(text)) == pytest.approx(value, abs=1.1e-4)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("Compat", ir_measures.Compat),
        ("Compat(p=0.8)", ir_measures.Compat(p=0.8)),
        ("Compat(p=0.8, norm=false)", ir_measures.Compat(p=0.8, normalize=False)),
        ("Accuracy", ir_measures.Accuracy),
        ("Accuracy(rel=2)@5", ir_measures.Accuracy(rel=2) @ 5),
    ],
)
def test_values_of_ir_measures_on_random_lists(name: str, theirs: object) -> None:
    random = np.random.default_rng(1)
    provider = ir_measures.compat if "Compat" in name else ir_measures.accuracy
    for _ in range(50):
        docs = [f"d{number}" for number in range(12)]
        grades = dict(zip(docs, random.choice([-1, 0, 1, 2, 3], 12).tolist(), strict=True))
        judged = {doc: grade for doc, grade in grades.items() if grade >= 0} | {"else": 2}
        ranking = random.permutation(docs)[: random.integers(1, 12)].tolist()
        qrels = [ir_measures.Qrel("1", doc, grade) for doc, grade in judged.items()]
        run = [ir_measures.ScoredDoc("1", doc, 99.0 - at) for at, doc in enumerate(ranking)]
        text = " ".join(str(judged.get(doc, "?")) for doc in ranking)
        rest = " ".join(str(grade) for doc, grade in judged.items() if doc not in ranking)
        ours = parse_measure(name).sketch(text, elsewhere=rest)
        try:
            value = [metric.value for metric in provider.iter_calc([theirs], qrels, run)]
        except ZeroDivisionError:
            value = []
        if value:
            assert float(ours) == pytest.approx(value[0], abs=1e-4)
        else:
            assert ours in ("undefined", "nan"), "no pair of a relevant and another document"


@pytest.mark.parametrize(
    "name", ["INST", "INST(t=0.4)", "BPM(t=0)@5", "BPM(t=1)", "NERR8", "NERR10(p=1)", "Compat(p=0)"]
)
def test_parameters_that_make_no_sense_are_refused(name: str) -> None:
    with pytest.raises((NamingError, ValueError)):
        measures.parse(name)
