"""All lines of an audit: which sections there are, by what is known."""

import numpy as np

from leadline.labels.audit import AuditInput, PairFacts, audit_lines, sample_rows
from leadline.measures.measure import parse_numerator
from tests.labels.small_world import MEASURE, audited, drawn_evenly, noisy, small_runs

MEASURE_ = parse_numerator(MEASURE)


def test_without_runs_there_is_agreement_and_calibration() -> None:
    _, judgments = small_runs()
    rows = audit_lines(AuditInput(audited(judgments, noisy(judgments)), MEASURE_))
    found = list(dict.fromkeys(row.section for row in rows))
    assert found == ["sample", "agreement", "confusion", "calibration"]


def test_with_all_facts_there_are_all_sections() -> None:
    runs, judgments = small_runs()
    random = np.random.default_rng(0)
    n = len(judgments.grade)
    facts = PairFacts(random.integers(1, 99, n) * 1.0, random.random(n), random.random(n))
    family = ("m",) * 4 + ("n",) * 4
    whole = audited(judgments, noisy(judgments))
    rows = audit_lines(AuditInput(whole, MEASURE_, 1, runs, family, facts))
    assert {row.section for row in rows} - {"favoured", "marked down"} == {
        *("sample", "agreement", "confusion", "calibration", "order", "verdicts", "more"),
        *("bias by run", "bias by group", "bias by family", "score by people", "score by judge"),
        *("favour by run", "favour by group", "favour by family"),
        *("bias by rank", "bias by length", "bias by query terms", "drift"),
    }
    assert len({(row.section, row.item) for row in rows}) == len(rows), "no item stands twice"


def test_the_sample_is_told() -> None:
    _, judgments = small_runs()
    sample = drawn_evenly(judgments, noisy(judgments, missing=0.5), 0.5, 1)
    rows = {row.item: row.value for row in sample_rows(sample)}
    assert rows["pairs judged by both"] == len(sample.both)
    assert rows["sampled at random"] == 1
    # With chances all alike nothing is lost.
    assert rows["pairs drawn evenly that would tell as much"] == len(sample.both)
