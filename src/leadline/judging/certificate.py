"""Certificates: all that a third party needs to recompute anytime-valid intervals."""

import json
import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from leadline import __version__
from leadline.completions.anytime import (
    AnytimeScores,
    IntervalBets,
    MarginBets,
    WealthProcess,
    record_batches,
)
from leadline.data.arrays import Floats
from leadline.data.draw import draw_bytes, name_bytes
from leadline.data.pairs import Pairs
from leadline.data.pool import SamplingRecord
from leadline.io.problems import InputError
from leadline.judging.ledger import Entry, Ledger
from leadline.judging.two_runs import TwoRunSample

FORMAT = "leadline/certificate/1"
SAME = 1e-9
"""Ends that differ by no more are equal: programs add up in different orders."""


def commitment(seed: int) -> str:
    """Return the digest that commits to a seed before the first batch is drawn.

    >>> commitment(0)[:16]
    '01edeba84a709043'
    """
    return blake2b(f"leadline seed {seed}".encode(), digest_size=32).hexdigest()


def commit_seed(ledger: Ledger, sample: TwoRunSample | None, time: str) -> None:
    """Write the commitment to an empty ledger, if the order samples."""
    if sample is not None and not ledger.entries:
        ledger.append(Entry("commit", "", "", time=time, note=commitment(sample.seed)))


def committed_seed(entries: list[Entry]) -> str:
    """Return the digest in a ledger's first entry; empty if judging began without one."""
    return entries[0].note if entries and entries[0].act == "commit" else ""


def _chained(before: str, *parts: object) -> str:
    text = json.dumps([before, *parts], ensure_ascii=False)
    return blake2b(text.encode(), digest_size=32).hexdigest()


@dataclass(frozen=True)
class Contrast:
    """A name, the weights of pairs in it, and what lies below and above it beyond these pairs."""

    name: str
    weight: Floats
    below: float
    above: float


def two_run_certificate(
    sample: TwoRunSample,
    pairs: Pairs,
    grades: dict[int, int],
    entries: list[Entry],
    margin: float = 0.01,
    alpha: float = 0.05,
) -> dict[str, Any]:
    """Return the certificate of the difference of two runs; `entries` are the ledger's."""
    commit = committed_seed(entries)
    low, high = sample.centre - sample.beyond[1], sample.centre + sample.beyond[0]
    contrast = Contrast(" minus ".join(sample.names), sample.weight, float(low), float(high))
    table = sample.measure.gain(sample.measure.max_grade or 1)
    record = sample.record
    made = _certificate(
        [contrast], record, pairs, grades, table, sample.seed, str(sample.measure), alpha, commit
    )
    made["margin"] = margin
    made["decision"] = sample.decision(margin, alpha)
    return made


def score_certificate(
    scores: AnytimeScores,
    names: tuple[str, ...],
    pairs: Pairs,
    grades: dict[int, int],
    table: Floats,
    seed: int,
    measure: str,
) -> dict[str, Any]:
    """Return the certificate of the mean scores of all runs from a sampled pool."""
    matrix, below, above = scores.contrasts(np.arange(len(names)))
    rows = matrix.toarray()
    contrasts = [
        Contrast(name, rows[at], float(below[at]), float(above[at]))
        for at, name in enumerate(names)
    ]
    return _certificate(
        contrasts, scores.record, pairs, grades, table, seed, measure, scores.alpha, ""
    )


def _certificate(
    contrasts: list[Contrast],
    record: SamplingRecord,
    pairs: Pairs,
    grades: dict[int, int],
    table: Floats,
    seed: int,
    measure: str,
    alpha: float,
    commit: str,
) -> dict[str, Any]:
    topic, doc = pairs.names(record.pair)
    topics, docs = list(topic), list(doc)
    digest, judgments = _chained(commit, seed), []
    sampled = np.flatnonzero(record.batch)
    for at in sampled[np.argsort(record.batch[sampled], kind="stable")].tolist():
        grade, batch = grades.get(int(record.pair[at])), int(record.batch[at])
        digest = _chained(digest, batch, topics[at], docs[at], grade)
        row = {"batch": batch, "topic": topics[at], "doc": docs[at], "grade": grade}
        judgments.append({**row, "digest": digest})
    made: dict[str, Any] = {
        "format": FORMAT,
        "leadline": __version__,
        "measure": measure,
        "alpha": alpha,
        "planned": record.planned,
        "seed": seed,
        "seed_commitment": commit,
        "gains": table.tolist(),
        "topic": topics,
        "doc": docs,
        "contrasts": [
            {
                "name": each.name,
                "pair": np.flatnonzero(each.weight).tolist(),
                "weight": each.weight[each.weight != 0].tolist(),
                "below": each.below,
                "above": each.above,
            }
            for each in contrasts
        ],
        "batches": [
            {"probability": pi.tolist(), "prediction": f.tolist()}
            for pi, f in zip(record.probability, record.prediction, strict=True)
        ],
        "judgments": judgments,
        "ledger_digest": digest,
    }
    made["intervals"] = _Recomputed(made).intervals()
    return made


class _Recomputed:
    """The record of a certificate, read anew."""

    def __init__(self, made: dict[str, Any]) -> None:
        self.made = made
        n, n_batches = len(made["topic"]), len(made["batches"])
        shape = n_batches, n
        probability, prediction = (
            np.array([each[what] for each in made["batches"]], np.float64).reshape(shape)
            for what in ("probability", "prediction")
        )
        table = np.array(made["gains"], np.float64)
        self.place = {
            name: at for at, name in enumerate(zip(made["topic"], made["doc"], strict=True))
        }
        batch, self.low, self.high = np.zeros(n, np.int64), np.zeros(n), np.ones(n)
        for row in made["judgments"]:
            at = self.place[row["topic"], row["doc"]]
            batch[at] = row["batch"]
            if row["grade"] is not None:
                gain = table[min(row["grade"], len(table) - 1)] - table.min()
                self.low[at] = self.high[at] = gain / (np.ptp(table) or 1.0)
        self.record = SamplingRecord(np.arange(n), batch, probability, prediction, made["planned"])

    def _wealth(self, bets: IntervalBets | MarginBets) -> WealthProcess:
        from scipy.sparse import csr_array

        made = self.made
        matrix = np.zeros((len(made["contrasts"]), len(made["topic"])))
        for row, each in zip(matrix, made["contrasts"], strict=True):
            row[each["pair"]] = each["weight"]
        reached = np.ones(len(made["topic"]), np.bool_)
        if self.record.n_batches:
            reached = np.asarray((self.record.probability > 0).any(axis=0))
        return WealthProcess(csr_array(matrix), bets, made["planned"], reached)

    def intervals(self) -> list[list[list[float]]]:
        """Return [batches, contrasts, 2]: both ends after every batch."""
        wealth = self._wealth(IntervalBets(self.made["alpha"]))
        below, above = (
            np.array([each[what] for each in self.made["contrasts"]]) for what in ("below", "above")
        )
        ends = []
        for batch in record_batches(self.record, self.low, self.high):
            wealth.add(batch)
            lower, upper = wealth.interval()
            ends.append(np.column_stack([lower + below, upper + above]).tolist())
        return ends

    def decision(self) -> str | None:
        """Return which of two runs is not worse by more than the margin."""
        margin, (contrast,) = self.made["margin"], self.made["contrasts"]
        wealth = self._wealth(MarginBets(margin))
        for batch in record_batches(self.record, self.low, self.high):
            wealth.add(batch)
        ends = np.array([[-margin - contrast["below"]], [margin - contrast["above"]]])
        least, most = wealth.bounds()
        threshold = -np.log(self.made["alpha"])
        shown = (
            bool(wealth.log_wealth_at(0, ends[0])[0] >= threshold or least[0] >= ends[0, 0]),
            bool(wealth.log_wealth_at(1, ends[1])[0] >= threshold or most[0] <= ends[1, 0]),
        )
        return "both" if all(shown) else "a" if shown[0] else "b" if shown[1] else None


@dataclass(frozen=True)
class Verification:
    """What is wrong with a certificate, and what it shows if nothing is."""

    problems: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Return whether everything was recomputed as stated."""
        return not self.problems


def read_certificate(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return a certificate; an InputError if the file is none."""
    try:
        made = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError.of(str(path), "certificate", f"cannot be read: {error}") from None
    if not isinstance(made, dict) or made.get("format") != FORMAT:
        message = f"is no certificate: expected the format {FORMAT}"
        raise InputError.of(str(path), "certificate", message)
    return made


def verify(made: dict[str, Any]) -> Verification:
    """Check digests and draws of a certificate and recompute every interval."""
    problems = [*_altered(made)]
    recomputed = None
    try:
        recomputed = _Recomputed(made)
        problems += _drawn_otherwise(made, recomputed)
        problems += _computed_otherwise(made, recomputed)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        problems.append(f"the certificate is incomplete: {error}")
    if problems or recomputed is None:
        return Verification(tuple(problems), ())
    n = len(made["judgments"])
    lines = [
        f"{n:,} judgments in {len(made['batches']):,} batches: digests, draws and intervals agree",
        _seed_line(made),
    ]
    if made["intervals"]:
        level = 1 - made["alpha"]
        for each, (lower, upper) in zip(made["contrasts"], made["intervals"][-1], strict=True):
            lines.append(
                f"{each['name']}: anytime-valid {level:.0%} interval {lower:.4f} to {upper:.4f}"
            )
    if "margin" in made:
        lines.append(f"decision at margin {made['margin']:g}: {made['decision'] or 'none'}")
    return Verification((), tuple(lines))


def _seed_line(made: dict[str, Any]) -> str:
    if made["seed_commitment"]:
        return "the ledger committed to the seed before the first batch"
    return "no commitment to the seed: that the seed was chosen for its draws is not excluded"


def _altered(made: dict[str, Any]) -> list[str]:
    """Return the first judgment whose digest does not follow from those before it."""
    commit, seed = made.get("seed_commitment", ""), made.get("seed")
    if commit and commit != commitment(seed or 0):
        return [f"seed {seed}: it is not the seed that the ledger committed to"]
    digest = _chained(commit, seed)
    for row in made.get("judgments", ()):
        parts = row.get("batch"), row.get("topic"), row.get("doc"), row.get("grade")
        digest = _chained(digest, *parts)
        if digest != row.get("digest"):
            return [
                f"judgment of {parts[2]} of topic {parts[1]} (batch {parts[0]}, grade {parts[3]}) "
                "was altered: its digest does not match"
            ]
    if digest != made.get("ledger_digest"):
        return ["judgments are missing or were added: the ledger's digest does not match"]
    return []


def _drawn_otherwise(made: dict[str, Any], recomputed: _Recomputed) -> list[str]:
    """Return the first pair that the seed draws and the certificate does not, or the reverse."""
    names = list(zip(made["topic"], made["doc"], strict=True))
    as_bytes = name_bytes(names)
    record = recomputed.record
    for number in range(1, record.n_batches + 1):
        open_ = (record.batch == 0) | (record.batch >= number)
        hit = draw_bytes(made["seed"], as_bytes, number) < record.probability[number - 1]
        wrong = np.flatnonzero(open_ & (hit != (record.batch == number)))
        if len(wrong):
            topic, doc = names[int(wrong[0])]
            what = "was drawn but is not" if hit[wrong[0]] else "was not drawn but is"
            return [f"{doc} of topic {topic} {what} in batch {number}, by seed and probability"]
    return []


def _computed_otherwise(made: dict[str, Any], recomputed: _Recomputed) -> list[str]:
    """Return the first interval, or the decision, that is not as stated."""
    stated, found = made["intervals"], recomputed.intervals()
    if np.shape(stated) != np.shape(found):
        return ["the certificate does not state an interval for every batch"]
    if len(found):
        apart = np.abs(np.array(stated) - np.array(found)).max(axis=2) > SAME
        if apart.any():
            batch, at = (int(each) for each in np.argwhere(apart)[0])
            name, (lower, upper) = made["contrasts"][at]["name"], found[batch][at]
            return [
                f"the interval of {name} after batch {batch + 1} is {lower:.6f} to {upper:.6f}, "
                f"not {stated[batch][at][0]:.6f} to {stated[batch][at][1]:.6f}"
            ]
    if "margin" in made and recomputed.decision() != made["decision"]:
        return [f"the decision is {recomputed.decision()}, not {made['decision']}"]
    return []
