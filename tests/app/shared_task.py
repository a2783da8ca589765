"""A shared task as its organiser runs it, and the figures of the organiser's page from the ledger.

The runs are those of a collection, the assessors judge by its qrels, now and then wrongly.
"""

import csv
import gzip
import json
import random
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import krippendorff
import numpy as np
import polars as pl

import leadline
from leadline.app.site import HEADER
from leadline.io.datasets import COLLECTION
from tests.cli.program import call
from tests.shared_data.where import collection

Pair = tuple[str, str]


@dataclass
class Task:
    """The folder of a task, what is right of each pair, and the grades of its scale."""

    folder: Path
    truth: dict[Pair, int]
    scale: str
    grades: tuple[int, ...]
    topics: str
    pool: list[Pair] = field(default_factory=list)

    def read_pool(self) -> None:
        """Take the pool that was drawn."""
        with (self.folder / "pool.csv").open(encoding="utf-8") as file:
            self.pool = [(row["topic"], row["doc"]) for row in csv.DictReader(file)]

    def grade(self, pair: Pair, who: str) -> int:
        """What somebody says of a pair: what is right, but for one in ten."""
        luck = random.Random("\0".join([who, *pair]))
        right = min(self.truth.get(pair, 0), self.grades[-1])
        return right if luck.random() > 0.1 else luck.choice(self.grades)


def _truth(qrels: Path) -> dict[Pair, int]:
    with gzip.open(qrels, "rt", encoding="utf-8") as file:
        rows = [line.split() for line in file]
    return {(topic, doc): max(0, int(grade)) for topic, _, doc, grade in rows}


def demo_task(folder: Path) -> Task:
    """The bundled collection, of which nothing is judged yet."""
    shutil.copytree(COLLECTION / "runs", folder / "runs")
    for name in ("groups.tsv", "topics.tsv", "docs.jsonl.gz"):
        shutil.copyfile(COLLECTION / name, folder / name)
    truth = _truth(COLLECTION / "qrels.txt.gz")
    return Task(folder, truth, "graded", (0, 1, 2, 3), "topics.tsv")


def trec8_task(folder: Path) -> Task:
    """The 129 runs of TREC-8, of which nothing is judged yet. Their texts are not here."""
    data = collection("trec8_adhoc")
    shutil.copytree(data / "runs", folder / "runs")
    shutil.copyfile(data / "groups.tsv", folder / "groups.tsv")
    shutil.copyfile(data / "topics.adhoc.401-450.txt", folder / "topics.txt")
    return Task(folder, _truth(data / "qrels.txt.gz"), "binary", (0, 1), "topics.txt")


WORDS = ("report", "minister", "harbour", "trade", "council", "river", "border", "price")


def make_up_texts(task: Task) -> None:
    """Write a text for each pooled document: words in a random order, the same in every run."""
    with gzip.open(task.folder / "docs.jsonl.gz", "wt", encoding="utf-8") as out:
        for doc in sorted({doc for _, doc in task.pool}):
            luck = random.Random(doc)
            text = ". ".join(
                " ".join(luck.choices(WORDS, k=luck.randint(6, 14))).capitalize()
                for _ in range(luck.randint(4, 30))
            )
            title = " ".join(luck.choices(WORDS, k=4)).capitalize()
            out.write(json.dumps({"id": doc, "title": title, "text": f"{text}."}) + "\n")


def program(*words: object) -> str:
    """What a command says on standard error; it must succeed."""
    done = call(*map(str, words))
    assert done.code == 0, done.err
    return done.err


class Worker(httpx.Client):
    """An assessor whose browser stands still, while keys are pressed for them by a program."""

    def __init__(self, page: Any, address: str) -> None:
        cookies = {each["name"]: each["value"] for each in page.context.cookies()}
        csrf = page.locator("body").get_attribute("data-csrf")
        super().__init__(base_url=address, cookies=cookies, headers={HEADER: csrf}, timeout=60)

    def judge(self, task: Task, who: str, most: int) -> int:
        """Judge so many documents, as long as there are some; how many it were."""
        turn = self.post("/api/next").json()
        for done in range(most):
            document = turn["assignment"]
            if document is None:
                return done
            pair = document["topic"], document["doc"]
            grade: int | None = task.grade(pair, who)
            if random.Random(f"{who}{pair}").random() < 0.01:
                grade = None
            body = {"topic": pair[0], "doc": pair[1], "grade": grade, "seconds": 3.0}
            answer = self.post("/api/judgments", json=body)
            assert answer.status_code == 200, answer.text
            turn = answer.json()
        return most


# The same figures from the ledger alone.


def ledger_of(boss: httpx.Client) -> list[dict[str, Any]]:
    """All that ever happened, as it is exported."""
    lines = boss.get("/api/export", params={"format": "ledger"}).text.splitlines()
    return [json.loads(line) for line in lines]


def standing_acts(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was not undone."""
    kept: list[dict[str, Any]] = []
    for entry in entries:
        if entry["act"] != "undo":
            kept.append(entry)
            continue
        key = entry["topic"], entry["doc"], entry["who"]
        last = max(at for at, e in enumerate(kept) if (e["topic"], e["doc"], e["who"]) == key)
        del kept[last]
    return kept


@dataclass
class Figures:
    """What the organiser's page must show, computed from the ledger, the pool and the runs."""

    task: Task
    entries: list[dict[str, Any]]
    per_pair: int

    def __post_init__(self) -> None:
        acts = standing_acts(self.entries)
        self.votes: dict[Pair, dict[str, int | None]] = {}
        self.decided: dict[Pair, int] = {}
        for act in acts:
            pair = act["topic"], act["doc"]
            if act["act"] == "adjudicate":
                self.decided[pair] = act["grade"]
            elif act["act"] in ("judge", "cannot tell"):
                said = self.votes.setdefault(pair, {})
                said.pop(act["who"], None)
                said[act["who"]] = act["grade"]
        self.acts = acts

    def outcome(self, pair: Pair) -> int | str | None:
        """The grade of a pair by the rule `adjudicated`; "spent" if nobody could tell."""
        if pair in self.decided:
            return self.decided[pair]
        said = list(self.votes.get(pair, {}).values())
        if len(said) < self.per_pair:
            return None
        grades = {grade for grade in said if grade is not None}
        if not grades:
            return "spent"
        return grades.pop() if len(grades) == 1 else None

    @property
    def qrels(self) -> dict[Pair, int]:
        """The final grades."""
        found = {pair: self.outcome(pair) for pair in {*self.votes, *self.decided}}
        return {pair: grade for pair, grade in found.items() if isinstance(grade, int)}

    @property
    def judged(self) -> int:
        """How many pairs of the pool have a grade."""
        return sum(isinstance(self.outcome(pair), int) for pair in self.task.pool)

    @property
    def to_judge(self) -> int:
        """Judgments to go until the pool is judged; what assessors differ on needs none."""
        left = [pair for pair in self.task.pool if self.outcome(pair) is None]
        return sum(max(0, self.per_pair - len(self.votes.get(pair, {}))) for pair in left)

    @property
    def per_hour(self) -> int:
        """The pace over the last half hour of work."""
        times = sorted(
            datetime.fromisoformat(act["time"]).timestamp()
            for act in self.acts
            if act["act"] in ("judge", "cannot tell")
        )
        recent = [time for time in times if time > times[-1] - 1800]
        pauses = [b - a for a, b in pairwise(recent) if b - a <= 300]
        return round(3600 * len(pauses) / sum(pauses))

    @property
    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """By assessor: judged, cannot tell, skipped, undone."""
        kinds = Counter((act["who"], act["act"]) for act in self.acts)
        undone = Counter(entry["who"] for entry in self.entries if entry["act"] == "undo")
        people = {act["who"] for act in self.acts if act["who"]}
        return {
            who: (
                *(kinds[who, kind] for kind in ("judge", "cannot tell", "skip")),
                undone[who],
            )
            for who in people
        }

    @property
    def disputed(self) -> int:
        """Pairs on which the assessors differ, undecided."""
        return sum(
            len(set(said.values())) > 1 and pair not in self.decided
            for pair, said in self.votes.items()
        )

    @property
    def alpha(self) -> float:
        """Krippendorff's alpha by another program."""
        people = sorted({who for said in self.votes.values() for who in said})
        several = [
            {who: grade for who, grade in said.items() if grade is not None}
            for said in self.votes.values()
        ]
        table = [[said.get(who, np.nan) for said in several if len(said) > 1] for who in people]
        return float(
            krippendorff.alpha(
                np.array(table, float),
                level_of_measurement="ordinal",
                value_domain=self.task.grades,
            )
        )

    def bounds(self, measure: str) -> dict[str, tuple[float, float]]:
        """Lower and upper bound of each run, as `leadline evaluate` has them."""
        qrels: dict[str, dict[str, int]] = {}
        for (topic, doc), grade in self.qrels.items():
            qrels.setdefault(topic, {})[doc] = grade
        runs = {path.name.removesuffix(".gz"): str(path) for path in self.runs}
        every = leadline.read(None, runs).runs.pairs.topics
        for topic in every:
            # A topic counts also while nothing of it is judged.
            qrels.setdefault(topic, {"not returned by any run": 0})
        found = leadline.evaluate(qrels, runs, [measure])
        return {row["run"]: (row["lower"], row["upper"]) for row in found.iter_rows(named=True)}

    @property
    def runs(self) -> list[Path]:
        """The files of the runs."""
        return sorted((self.task.folder / "runs").iterdir())

    @property
    def gold(self) -> dict[str, tuple[int, int]]:
        """By assessor: gold questions right, and answered, without those for training."""
        with sqlite3.connect(self.task.folder / "judgments.sqlite") as raw:
            rows = raw.execute(
                "SELECT who, topic, doc, said, grade, training, act FROM gold_answer ORDER BY id"
            ).fetchall()
        raw.close()
        last = {(who, topic, doc): rest for who, topic, doc, *rest in rows}
        found: dict[str, tuple[int, int]] = {}
        for (who, *_), (said, grade, training, act) in last.items():
            if act in ("judge", "cannot tell") and said is not None and not training:
                right, n = found.get(who, (0, 0))
                found[who] = right + (said == grade), n + 1
        return found


def cells(page: Any, table: str) -> list[list[str]]:
    """The text of a table's rows."""
    found: list[list[str]] = page.evaluate(
        "(id) => [...document.querySelectorAll(`#${id} tbody tr`)]"
        ".map((row) => [...row.children].map((cell) => cell.textContent))",
        table,
    )
    return found


def shown_bounds(page: Any) -> dict[str, tuple[float, float]]:
    """The ends of each bar of the organiser's chart."""
    titles = page.evaluate(
        "() => [...document.querySelectorAll('#intervals g.run title')].map((t) => t.textContent)"
    )
    found = {}
    for title in titles:
        match = re.match(r"(.*): bounds \[([\d.]+), ([\d.]+)\]", title)
        assert match is not None, title
        found[match[1]] = float(match[2]), float(match[3])
    return found


def number(text: str) -> int:
    """A count as pages write it."""
    return int(text.replace(",", ""))


def groups_of(task: Task) -> pl.DataFrame:
    """Columns run, group, pooled."""
    return pl.read_csv(task.folder / "groups.tsv", separator="\t", infer_schema=False)
