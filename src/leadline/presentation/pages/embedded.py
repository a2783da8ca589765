"""What the page's script draws from: one JSON value, compressed."""

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from leadline.presentation.pages.board import Board, places
from leadline.presentation.pages.contributions import Groups
from leadline.presentation.pages.judged_coverage import Coverage
from leadline.presentation.pages.open_weight import OpenWeight

UNIT = 10**7
"""Shared open weight comes in steps of one over this, rounded down: intervals stay certain."""


def numbers(array: npt.ArrayLike, digits: int = 7) -> Any:
    """Nested lists with None for NaN."""
    # Not -0.0, and an array even where it holds one number.
    values = np.asarray(np.round(np.asarray(array, np.float64), digits) + 0.0)
    gone = np.isnan(values)
    if not gone.any():
        return values.tolist()
    made = values.astype(object)
    made[gone] = None
    return made.tolist()


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
    groups: Groups,
    coverage: Coverage,
    queries: dict[str, str],
) -> dict[str, Any]:
    """All that the script needs."""
    scores = boards[0].scores
    verdicts: dict[str, int] = {}
    trusts: dict[str, int] = {}
    return {
        "runs": list(scores.runs),
        "groups": [groups.names[at] for at in groups.of_run],
        "topics": list(scores.topics),
        "queries": [queries.get(topic, "") for topic in scores.topics],
        "unit": UNIT,
        "measures": [_board(board, groups, verdicts, trusts) for board in boards],
        "coverage": {
            "first": coverage.first.tolist(),
            "last": coverage.last.tolist(),
            "share": numbers(coverage.share, 4),
        },
        "verdicts": list(verdicts),
        "trusts": list(trusts),
    }


def _board(
    board: Board, groups: Groups, verdicts: dict[str, int], trusts: dict[str, int]
) -> dict[str, Any]:
    scores = board.scores
    made: dict[str, Any] = {
        "name": scores.measure,
        "order": board.order.tolist(),
        "mean": numbers(board.mean, 6),
        "lower": numbers(scores.mean_lower(), 6),
        "upper": numbers(scores.mean_upper(), 6),
        "value": numbers(scores.value),
        "left_out": None if board.left_out is None else left_out_rows(board, groups),
    }
    if board.open is not None:
        made |= _open(board.open)
    elif board.has_interval:
        made |= {
            "low": numbers(scores.lower),
            "high": numbers(scores.upper),
            "alike": board.alike.tolist(),
        }
    found = board.pairwise
    if found is not None:
        made["pairs"] = {
            "difference": numbers(found.difference, 6),
            "lower": numbers(found.lower, 6),
            "upper": numbers(found.upper, 6),
            "p": numbers(found.p, 6),
            "corrected": numbers(found.p_corrected, 6),
            "verdict": [verdicts.setdefault(each, len(verdicts)) for each in found.verdict],
            "trust": [trusts.setdefault(each, len(trusts)) for each in found.trust],
        }
        made["tiers"] = {kind: found.tiers(kind).tolist() for kind in ("significance", "certainty")}
    if board.estimates:
        made["orderings"] = [
            {"name": each.name, "value": numbers(each.value, 6), "place": places(each.value)}
            for each in board.estimates
        ]
    return made


def _open(open_: OpenWeight) -> dict[str, Any]:
    own = np.ceil(open_.own * UNIT - 1e-3) / UNIT
    shared = np.floor(open_.shared * UNIT + 1e-3).astype(np.int64)
    rows = [
        row.tolist() if some else None
        for row, some in zip(shared, np.atleast_1d(shared.any(axis=1)), strict=True)
    ]
    return {"own": numbers(own), "shared": rows}


def left_out_rows(board: Board, groups: Groups) -> list[dict[str, Any]]:
    """Each pooled group's best run: score and place with the group in the pool and without."""
    left = board.left_out
    assert left is not None
    mean, place = board.mean, places(board.mean)
    rows = []
    for group, name in enumerate(groups.names):
        mine = np.flatnonzero((groups.of_run == group) & groups.pooled & ~np.isnan(mean))
        if not len(mine):
            continue
        best = int(mine[np.argmax(mean[mine])])
        rows.append(
            {
                "group": name,
                "run": board.scores.runs[best],
                "value": round(float(mean[best]), 6),
                "without": numbers(left.value[group, best], 6),
                "lower": numbers(left.lower[group, best], 6),
                "upper": numbers(left.upper[group, best], 6),
                "place": place[best],
                "place_without": places(left.value[group])[best],
            }
        )
    change = [row["value"] - (row["without"] or 0.0) for row in rows]
    return [rows[at] for at in np.argsort(-np.array(change), kind="stable")]
