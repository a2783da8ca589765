"""Which scores of two runs a test sets against each other."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.comparison.hypothesis_test import Tails, Test
from leadline.comparison.significance import moments
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.scores import SCORE_NOISE, Scores
from leadline.workers.workforce import current_workforce

TOGETHER = 1000
"""Pairs of runs that one worker tests at a time, by one set of draws."""

Basis = Literal["base", "top", "projected", "both-projected", "assisted"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """Per pair: mean(first) - mean(second), what was tested, p, and whether it speaks for the lead.

    `rows` holds the differences that were tested, one column a topic, positive where they speak for
    the run that is ahead.
    """

    difference: Floats
    rows: Floats
    p: Floats
    supports: Bools


def set_against(
    scores: Scores,
    first: Int64s,
    second: Int64s,
    test: Test,
    basis: Basis,
    tails: Tails,
    random: np.random.Generator,
    estimated: Floats | None = None,
) -> Outcome:
    """p for pairs of runs: the score of the one that is ahead against what the other is given.

    - base: its score, in which unjudged documents are worthless
    - top: the upper end of its interval, as if all its unjudged documents were perfect
    - projected: its projected score, as if they were as good as its judged ones
    - both-projected: the projected scores of both are compared
    - assisted: what is `estimated` of both [runs, topics] from judgments drawn by chance

    Who is ahead is told by the means over the topics on which both have a score, and of equals by
    name. With one tail the alternative is that the run that is ahead is better.
    """
    mine, theirs = _tables(scores, basis) if estimated is None else (estimated, estimated)
    difference = row_means(mine[first] - mine[second])
    names = np.array(scores.runs)
    equal = ~(np.abs(difference) > SCORE_NOISE)
    ahead = np.where(equal, names[first] < names[second], difference > 0)
    better, other = np.where(ahead, first, second), np.where(ahead, second, first)
    rows = mine[better] - theirs[other]
    if test.row_by_row:
        p = p_of_rows(test, rows, tails, random)
    else:
        p = test.between(mine, theirs, better, other, tails, random)
    supports = row_means(rows) > 0
    if tails == 2 and not test.by_mean:
        # The mean may point one way and the ranks another: then nothing is shown.
        supports &= test.p(rows, 1, random) < 0.5
    return Outcome(difference, rows, p, supports)


def p_of_rows(test: Test, rows: Floats, tails: Tails, random: np.random.Generator) -> Floats:
    """p of each row of differences, by as many workers as there are.

    Each block of rows is tested with the same draws, which the state of `random` tells.
    """
    blocks = [rows[at : at + TOGETHER] for at in range(0, len(rows), TOGETHER)]
    if len(blocks) < 2:
        return test.p(rows, tails, random)
    parts = current_workforce().in_order(_p_of_block, (test, tails, random), blocks)
    return np.concatenate(list(parts))


def _p_of_block(shared: tuple[Test, Tails, np.random.Generator], rows: Floats) -> Floats:
    test, tails, random = shared
    return test.p(rows, tails, deepcopy(random))


def _tables(scores: Scores, basis: Basis) -> tuple[Floats, Floats]:
    """The scores of the run that is ahead, and those of the other."""
    if basis == "base":
        return scores.value, scores.value
    if np.isnan(scores.upper).all():
        raise ValueError(
            f"{scores.measure} has no interval here, so there is no {basis} score: "
            "use the basis base"
        )
    if basis == "top":
        return scores.value, scores.upper
    with np.errstate(invalid="ignore"):
        moved = np.abs(scores.lower - scores.value) > SCORE_NOISE
        if moved.any() or (scores.upper > 1 + SCORE_NOISE).any():
            raise ValueError(
                f"{scores.measure} has no projected score, which is for measures from 0 to 1 whose "
                "lower end is the score itself (P, RBP, SDCG, ERR, ...): use the basis base or top"
            )
    projected = scores.projected()
    return (projected, projected) if basis == "both-projected" else (scores.value, projected)


def row_means(rows: Floats) -> Floats:
    """Mean of each row's cells that are not NaN; NaN where there is none."""
    return moments(rows)[1]
