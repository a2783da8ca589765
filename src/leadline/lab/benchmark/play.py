"""The cells: one entrant, one task, one measure, one draw of a collection."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from leadline.lab.benchmark.question import (
    FIGURES,
    CollectionPart,
    DrawSize,
    Entrant,
    Question,
    Reply,
    Task,
    Truth,
    entrants,
    entrants_of,
    figures,
    forget,
    load_entrants,
    part_of,
)
from leadline.lab.benchmark.simulated import SIMULATED
from leadline.lab.benchmark.tasks import (
    BestFive,
    BestRuns,
    DiversityScores,
    FromJudgments,
    LeftOutGroup,
    Shallow,
    WithLabels,
    forget_pools,
)
from leadline.measures.measure import parse_measure
from leadline.simulate import SKINS, Cell, digest, input_parts, program_parts

TASKS: tuple[Task, ...] = (
    Shallow(),
    LeftOutGroup(),
    FromJudgments(),
    BestRuns(),
    BestFive(),
    WithLabels(),
    DiversityScores(),
)

NOT_PLAYED_WITH = (*SKINS, "views", "labels", "contracts", "demo")
"""Packages whose changes leave every answer as it is."""


@dataclass(frozen=True)
class BenchmarkSetting:
    """What is played: collections by folder or name, tasks, measures, budgets, and how often."""

    sources: tuple[str, ...]
    tasks: tuple[str, ...]
    measures: tuple[str, ...] = ()
    budgets: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    draws: int = 5
    seed: int = 0
    how: DrawSize = field(default_factory=DrawSize)


@dataclass(frozen=True)
class BenchmarkCell:
    """What is played in one cell, and the key under which it is kept."""

    task: str
    source: str
    judge: str | None
    measure: str
    entrant: Entrant
    draw: int
    key: str

    @property
    def collection(self) -> str:
        """The name that the tables have: the folder's, and the judge's where there is one."""
        name = self.source if self.source in SIMULATED else Path(self.source).resolve().name
        return (
            name if self.judge is None else f"{name} + {Path(self.judge).name.split('.qrels')[0]}"
        )

    @property
    def seen(self) -> bool:
        """Whether the entrant's authors looked at this collection."""
        return Path(self.source).name in self.entrant.developed_on


def task_of(name: str) -> Task:
    """The task of that name."""
    return next(task for task in TASKS if task.name == name)


def tasks_of(asked: str) -> list[Task]:
    """The task of that name, or those of that letter."""
    found = [task for task in TASKS if asked in (task.name, task.letter)]
    if not found:
        known = ", ".join(f"{task.letter} or {task.name}" for task in TASKS)
        raise ValueError(f"there is no task named {asked}: choose {known}")
    return found


def benchmark_cells(setting: BenchmarkSetting) -> list[BenchmarkCell]:
    """Everything that is to be played, draw after draw of one collection after the other."""
    program = digest(program_parts(NOT_PLAYED_WITH))
    files = {name: digest([Path(name).read_bytes()]) for name in setting.files}
    cells = []
    for source in setting.sources:
        content = source if source in SIMULATED else digest(input_parts(Path(source)))
        for draw in range(setting.draws):
            for name in setting.tasks:
                task = task_of(name)
                if not task.plays_on(source):
                    continue
                for judge, measure, entrant in _played(task, source, setting):
                    labels = b"" if judge is None else Path(judge).read_bytes()
                    own = files.get(_file_of(entrant, setting), "")
                    told = f"{setting.seed} {setting.how} {setting.budgets} {entrant.version}"
                    parts = [
                        task.asks_as or task.name,
                        measure,
                        str(entrant),
                        str(draw),
                        told,
                        own,
                        content,
                    ]
                    key = digest([program.encode(), labels, *(part.encode() for part in parts)])
                    cells.append(
                        BenchmarkCell(task.name, source, judge, measure, entrant, draw, key)
                    )
    return cells


def _played(
    task: Task, source: str, setting: BenchmarkSetting
) -> Iterator[tuple[str | None, str, Entrant]]:
    known = [str(parse_measure(name)) for name in task.measures]
    chosen = [str(parse_measure(name)) for name in setting.measures] or known
    for judge in task.judges(source):
        for measure in chosen:
            for entrant in entrants_of(task.name, setting.files):
                if not setting.only or entrant.title in setting.only:
                    yield judge, measure, entrant


def _file_of(entrant: Entrant, setting: BenchmarkSetting) -> str:
    """The file that an entrant was loaded from; empty for one that is registered."""
    for file in setting.files:
        if type(entrant) in load_entrants(file):
            return file
    return ""


def cells_to_run(cells: list[BenchmarkCell], setting: BenchmarkSetting) -> list[Cell]:
    """The same for the runner, by names and not by objects; what two tasks ask alike, once."""
    return [
        Cell(
            cell.key,
            play,
            (
                cell.task,
                cell.source,
                cell.judge,
                cell.measure,
                str(cell.entrant),
                cell.draw,
                setting,
            ),
        )
        for cell in {cell.key: cell for cell in cells}.values()
    ]


def play(
    task_name: str,
    source: str,
    judge: str | None,
    measure: str,
    entrant_name: str,
    draw: int,
    setting: BenchmarkSetting,
    random: np.random.Generator,
) -> list[dict[str, Any]]:
    """A row of figures for each budget; `why` tells where the entrant could not answer."""
    for file in setting.files:
        load_entrants(file)
    task, entrant = task_of(task_name), entrants.parse(entrant_name)
    part = part_of(source, draw, setting.seed, setting.how, judge, task.subtopics)
    budgets = sorted(setting.budgets or task.budgets)
    asked = {
        budget: [question.afresh() for question in questions_of(part, task_name, measure, budget)]
        for budget in budgets
    }
    asked = {budget: some for budget, some in asked.items() if some}
    if entrant.on_and_on:
        return _on_and_on(entrant, asked)
    return [{"budget": budget, **_answered(entrant, some)} for budget, some in asked.items()]


@lru_cache(maxsize=16)
def questions_of(
    part: CollectionPart, task: str, measure: str, budget: int
) -> tuple[Question, ...]:
    """What is asked of every entrant alike."""
    return tuple(task_of(task).questions(part, parse_measure(measure), budget))


def forget_all() -> None:
    """Let go of all that was read and shared."""
    questions_of.cache_clear()
    forget_pools()
    forget()


def _answered(entrant: Entrant, asked: list[Question]) -> dict[str, Any]:
    """The figures of all questions of a draw together, as one answer about all their runs."""
    before = time.process_time()
    try:
        answers = [entrant.answer(question) for question in asked]
    except ValueError as error:
        return {"why": str(error)}
    return _figures(answers, asked, time.process_time() - before)


def _on_and_on(entrant: Entrant, asked: dict[int, list[Question]]) -> list[dict[str, Any]]:
    """The figures at each budget of an entrant that answers one on its way to the next."""
    questions = [question for some in asked.values() for question in some]
    coming, seconds, rows = entrant.in_turn(questions), 0.0, list[dict[str, Any]]()
    for question in questions:
        before = time.process_time()
        try:
            answer = next(coming)
        except ValueError as error:
            rest = questions[len(rows) :]
            return [*rows, *({"budget": each.budget, "why": str(error)} for each in rest)]
        seconds += time.process_time() - before
        rows.append({"budget": question.budget, **_figures([answer], [question], seconds)})
    return rows


def _figures(answers: list[Reply], asked: list[Question], seconds: float) -> dict[str, Any]:
    truths = [question.truth for question in asked]
    told = answers[0] if len(answers) == 1 else joined(answers)
    true = truths[0]
    if len(truths) > 1:
        value, by_topic = ([getattr(t, name) for t in truths] for name in ("value", "by_topic"))
        true = Truth(np.concatenate(value), np.concatenate(by_topic))
    judgments = sum(question.judgments for question in asked) / len(asked)
    found = figures(told, true)
    if len(asked) > 1:
        # Runs asked about apart are in no contest.
        found = {name: found[name] if name in _APART else None for name in FIGURES}
    return {**found, "judgments": judgments, "seconds": round(seconds, 4)}


_APART = ("rmse", "bias", "coverage", "width", "list_rmse", "list_bias")


def joined(answers: list[Reply]) -> Reply:
    """Answers about different runs as one, without differences between them."""

    def together(name: str) -> Any:
        parts = [getattr(answer, name) for answer in answers]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    names = ("value", "lower", "upper", "by_topic")
    value, lower, upper, by_topic = (together(name) for name in names)
    return Reply(value, lower, upper, None, by_topic)


WHOLE = ("budget", "draw")
"""Figures that are whole numbers."""


def is_rows(value: Any) -> bool:
    """Whether it is rows of numbers, or of reasons, as cells give."""
    return isinstance(value, list) and all(
        isinstance(row, dict) and all(_fits(name, each) for name, each in row.items())
        for row in value
    )


def _fits(name: str, each: Any) -> bool:
    if name == "why":
        return _is_text(each)
    if type(each) is int:
        return abs(each) < 2**53
    return name not in WHOLE and (each is None or (type(each) is float and isfinite(each)))


def _is_text(each: Any) -> bool:
    halves = isinstance(each, str) and any("\ud800" <= letter <= "\udfff" for letter in each)
    return isinstance(each, str) and each.strip() != "" and not halves


DEVELOPED_ON = {
    "Regression": (
        "robust2004_pooled42",
        "trec8_adhoc",
        "trec_covid_round1",
        "trec_dl21_half",
    ),
    "WeightedSample": ("trec_dl21_half", "robust2004_pooled42", "trec8_adhoc"),
    "LikelyWinner": ("trec8_adhoc", "trec_covid_round1"),
}
"""As docs/methods tells: chosen on them, or changed because of what was seen there. Methods of
others were made elsewhere."""


def developed_on(name: str) -> tuple[str, ...]:
    """Names of collections; `name` may have parameters.

    >>> developed_on("LikelyWinner(batch=40)"), developed_on("LowerBound")
    (('trec8_adhoc', 'trec_covid_round1'), ())
    """
    return DEVELOPED_ON.get(name.partition("(")[0], ())
