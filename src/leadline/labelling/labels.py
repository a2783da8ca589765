"""Labels from the samples of each pair: the grade most of them gave, and how sure that is."""

from collections import Counter
from collections.abc import Sequence

import polars as pl

from leadline.files.problems import Notices
from leadline.labelling.answers import Answer, State, Verdict
from leadline.labelling.asking import MOST_ASKS, Asking, Sample
from leadline.labelling.pair_texts import PairText

SCHEMA = {
    "topic": pl.String,
    "doc": pl.String,
    "grade": pl.Int16,
    "confidence": pl.Float64,
    "judge": pl.String,
    "prompt": pl.String,
    "date": pl.String,
    "samples": pl.Int16,
    "cut": pl.Boolean,
    "state": pl.String,
}
SHOWN = 60
"""Letters of an answer that go into a notice."""


def samples_of(pairs: Sequence[PairText], n_samples: int) -> list[Sample]:
    """What is to be asked: pairs of the same words are asked about once."""
    asks = dict.fromkeys(pair.ask for pair in pairs if pair.ask)
    return [Sample(ask, number) for ask in asks for number in range(n_samples)]


def label_table(
    pairs: Sequence[PairText], n_samples: int, asking: Asking, notices: Notices
) -> pl.DataFrame:
    """A row for each pair; what has no grade is also listed in the notices."""
    judge, version = asking.settings.model, asking.prompt.version
    rows = []
    for pair in pairs:
        state, grade, confidence, n, date, reason = _label(pair, n_samples, asking)
        rows.append(
            (pair.topic, pair.doc, grade, confidence, judge, version, date, n, pair.cut, state)
        )
        if state not in ("labelled", "unasked"):
            message = f"topic {pair.topic}, doc {pair.doc}: {state}, {reason}"
            notices.add("", "warning", state, message)
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _label(
    pair: PairText, n_samples: int, asking: Asking
) -> tuple[State, int | None, float | None, int, str | None, str]:
    """State, grade, confidence, how many samples gave a grade, the date and why there is none."""
    if not pair.ask:
        return "failed", None, None, 0, None, "it has no text"
    verdicts: list[tuple[Verdict, Answer]] = []
    reason = ""
    for number in range(n_samples):
        sample = Sample(pair.ask, number)
        exchange = asking.exchange(sample)
        if exchange.verdict is not None:
            verdicts.append((exchange.verdict, exchange.answers[-1]))
        else:
            reason = asking.failed.get(sample, reason)
    grades = [verdict.grade for verdict, _ in verdicts if verdict.grade is not None]
    if not grades:
        return _without_grade(verdicts, reason)
    grade, confidence = _agreed(grades, n_samples)
    dates = [answer.date for verdict, answer in verdicts if verdict.grade == grade]
    if n_samples == 1:
        confidence = verdicts[0][1].probability
    return "labelled", grade, confidence, len(grades), max(dates), ""


def _agreed(grades: list[int], n_samples: int) -> tuple[int, float | None]:
    """The most frequent grade, of several the lowest, and its share of all that gave one."""
    counts = Counter(grades)
    grade = min(counts, key=lambda each: (-counts[each], each))
    return grade, counts[grade] / len(grades) if n_samples > 1 else None


def _without_grade(
    verdicts: list[tuple[Verdict, Answer]], reason: str
) -> tuple[State, None, None, int, str | None, str]:
    refused = next((answer for verdict, answer in verdicts if verdict.state == "refused"), None)
    if refused is not None:
        return "refused", None, None, 0, refused.date, "the model would not tell"
    if not verdicts:
        return ("failed" if reason else "unasked"), None, None, 0, None, reason
    answer = verdicts[0][1]
    said = " ".join(answer.text.split())[:SHOWN]
    why = f"no grade of the scale in {MOST_ASKS} answers, the last: {said!r}"
    if answer.cut_at is not None:
        why += f", cut off at {answer.cut_at:,} tokens (`max_tokens`)"
    return "malformed", None, None, 0, answer.date, why
