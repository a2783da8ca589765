"""What the page's script draws from: one JSON value, compressed."""

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from leadline.collection.judged_by_rank import JudgedByRank
from leadline.comparison.board import Board, GroupLeftOut
from leadline.intervals.joint import OpenWeight
from leadline.pools.contributions import Groups

WORDS = ("verdict", "on_these_topics", "certainty", "caveats")
"""Columns of pairs that hold words: numbers stand for them."""

UNIT = 10**7
"""Shared open weight comes in steps of one over this, rounded down: intervals stay certain."""


def numbers(array: npt.ArrayLike, digits: int = 7) -> Any:
    """Nested lists with None for NaN."""
    # Not -0.0, and an array even where it holds one number.
    values = np.asarray(np.round(np.asarray(array, np.float64), digits) + 0.0)
    gone = np.isnan(values)
    if not gone.any():
        return values.tolist()
    with_none = values.astype(object)
    with_none[gone] = None
    return with_none.tolist()


def packed(value: Any) -> str:
    """The value as JSON, compressed, in letters that may stand in a page.

    >>> packed([1]) == packed([1])
    True
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    # Without the time of day, so that the same input gives the same page.
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def page_data(
    boards: Sequence[Board],
    open_weights: Sequence[OpenWeight | None],
    groups: Groups,
    judged: JudgedByRank,
    queries: dict[str, str],
) -> dict[str, Any]:
    """All that the script needs."""
    scores = boards[0].scores
    words = {column: _Words() for column in WORDS}
    return {
        "runs": list(scores.runs),
        "groups": [groups.names[at] for at in groups.of_run],
        "topics": list(scores.topics),
        "queries": [queries.get(topic, "") for topic in scores.topics],
        "unit": UNIT,
        "measures": [
            _board(board, open_, words) for board, open_ in zip(boards, open_weights, strict=True)
        ],
        "judged": {
            "first": judged.first.tolist(),
            "last": judged.last.tolist(),
            "share": numbers(judged.share, 4),
        },
        "words": {column: list(numbered) for column, numbered in words.items()},
    }


class _Words(dict[str, int]):
    """A number for every text, in the order in which they come."""

    def __missing__(self, text: str) -> int:
        return self.setdefault(text, len(self))


def _board(board: Board, open_: OpenWeight | None, words: dict[str, _Words]) -> dict[str, Any]:
    scores = board.scores
    data: dict[str, Any] = {
        "name": scores.measure,
        "order": board.order.tolist(),
        "mean": numbers(board.mean, 6),
        "lower": numbers(board.lower, 6),
        "upper": numbers(board.upper, 6),
        "value": numbers(scores.value),
        "left_out": None if board.left_out is None else [_left_out(row) for row in board.left_out],
    }
    if open_ is not None:
        data |= _open(open_)
    if open_ is not None and board.ideals is not None:
        least, most = board.ideals
        data["ideal"] = {"least": numbers(least, 12), "most": most}
    if board.has_interval and (open_ is None or board.ideals is not None):
        data |= {
            "low": numbers(scores.lower),
            "high": numbers(scores.upper),
            "alike": board.alike.tolist(),
        }
    pairs = board.pairwise
    if pairs is not None and board.tiers is not None:
        data["pairs"] = {
            "difference": numbers(pairs.difference, 6),
            "lower": numbers(pairs.lower, 6),
            "upper": numbers(pairs.upper, 6),
            "p": numbers(pairs.p, 6),
            "corrected": numbers(pairs.p_corrected, 6),
            **{
                column: [numbered[text] for text in getattr(pairs, column)]
                for column, numbered in words.items()
            },
        }
        data["tiers"] = {by: tier.tolist() for by, tier in board.tiers.items()}
    if board.estimates:
        data["orderings"] = [
            {"name": each.name, "value": numbers(each.value, 6), "place": each.places}
            for each in board.estimates
        ]
    return data


def _left_out(row: GroupLeftOut) -> dict[str, Any]:
    """The row with its numbers as a page has them."""
    fields = asdict(row)
    return {
        name: numbers(value, 6) if isinstance(value, float) else value
        for name, value in fields.items()
    }


def _open(open_: OpenWeight) -> dict[str, Any]:
    own = np.ceil(open_.own * UNIT - 1e-3) / UNIT
    shared = np.floor(open_.shared * UNIT + 1e-3).astype(np.int64)
    rows = [
        row.tolist() if some else None
        for row, some in zip(shared, np.atleast_1d(shared.any(axis=1)), strict=True)
    ]
    return {"own": numbers(own), "shared": rows}
