"""Boards over small collections, and what stands in a page's tables."""

import html
import re

import numpy as np

from leadline.completions.contributions import Groups
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.measures.measure import parse_measure
from leadline.stats.board import Board
from leadline.stats.pairwise import compare_pairs
from tests.collections import Small

RANKINGS = {"good": ["a", "b"], "bad": ["c", "x"], "new": ["x", "a"]}
GRADES = {"a": 1, "b": 1, "c": 0}


def tables(
    rankings: dict[str, list[str]] | None = None,
    grades: dict[str, int] | None = None,
    n_topics: int = 3,
) -> tuple[Runs, Judgments]:
    """The same lists and grades on every topic."""
    topics = [str(topic) for topic in range(1, n_topics + 1)]
    chosen = RANKINGS if rankings is None else rankings
    runs = {run: dict.fromkeys(topics, docs) for run, docs in chosen.items()}
    known = GRADES if grades is None else grades
    return Small(runs, dict.fromkeys(topics, known), 1).tables()


def board_of(runs: Runs, judgments: Judgments, name: str = "P@2") -> Board:
    measure = parse_measure(name)
    several = len(runs.names) > 1
    pairs = compare_pairs(runs, judgments, measure) if several else None
    scores = measure.score(Lists.of(runs, judgments))
    return Board(measure, scores, pairs, np.arange(len(runs.names)))


def board(name: str = "P@2", rankings: dict[str, list[str]] | None = None) -> Board:
    return board_of(*tables(rankings), name)


def groups(of_run: list[str], pooled: list[bool] | None = None) -> Groups:
    names = list(dict.fromkeys(of_run))
    of = np.array([names.index(name) for name in of_run])
    return Groups(tuple(names), of, np.array(pooled or [True] * len(of_run)))


def rows_of(page: str, table: str) -> list[list[str]]:
    """The text of the cells of a table's body."""
    body = page.split(f'id="{table}"')[1].split("<tbody>")[1].split("</tbody>")[0]
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("<tr>")[1:]]
    return [[html.unescape(re.sub(r"<.*>", "", cell)) for cell in row] for row in found]


def head_of(page: str, table: str) -> list[str]:
    head = page.split(f'id="{table}"')[1].split("<thead>")[1].split("</thead>")[0]
    return re.findall(r"<th[^>]*>(.*?)</th>", head)
