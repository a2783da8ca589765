"""The cells of hui17: everything judged, part of it judged, judged elsewhere."""

from dataclasses import replace
from typing import Any

import numpy as np

from leadline.experiments.hui17_orderings import kendall
from leadline.experiments.hui17_sampling import read_samples, sample
from leadline.experiments.hui17_setup import (
    ESTABLISHED,
    READING,
    SHORT,
    Hui17Setup,
    hui17_setup,
    means,
)
from leadline.experiments.papers import Setting
from leadline.experiments.runner import Cell
from leadline.tables.arrays import Bools
from leadline.tables.lists import Lists

PERCENTS = tuple(range(1, 51))
REPEATS, QUICK_REPEATS = 30, 3
SPLITS, QUICK_SPLITS = 10, 3
PARTS = ("A", "B", "C")
"""All documents, one half, the other half."""

CONDENSED = tuple(replace(each, judged_only=True) for each in ESTABLISHED)  # type: ignore[type-var]
SHOWN = ("ABSrb@20", "DELTArb@20")


def cells(setting: Setting) -> list[Cell]:
    """All work, what takes longest first."""
    folder = setting.folder
    repeats = QUICK_REPEATS if setting.quick else REPEATS
    splits = QUICK_SPLITS if setting.quick else SPLITS
    made = [Cell(f"judged {p}%", partly, (folder, p, repeats)) for p in reversed(PERCENTS)]
    made += [Cell(f"split {number}", split, (folder,)) for number in range(splits)]
    return [*made, Cell("everything", everything, (folder,))]


def names() -> list[str]:
    """The established measures."""
    return [str(each) for each in ESTABLISHED]


def everything(folder: str, random: np.random.Generator) -> Any:
    """Scores with all judgments, and what the collection is."""
    on = hui17_setup(folder)
    scores = dict(zip(names(), means(ESTABLISHED, on.lists).tolist(), strict=True))
    for each in READING:
        scores[str(each)] = each.score(on.lists).mean().tolist()
    return {
        "runs": list(on.lists.runs),
        "n_topics": len(on.grades.topics),
        "n_subtopics": len(on.grades.names),
        "n_judged": len(on.grades.docs),
        "n_relevant": int(on.relevant.sum()),
        "short": str(on.short),
        "scores": scores,
        "notices": list(on.notices),
    }


def partly(folder: str, percent: int, repeats: int, random: np.random.Generator) -> Any:
    """Figure 1: tau with the complete measures, mean over samples, of every way to do with p%."""
    on = hui17_setup(folder)
    complete = means(ESTABLISHED, on.lists)
    kept = sample(on, percent, repeats, random)
    raw, condensed = (np.empty((repeats, len(ESTABLISHED), len(on.lists.runs))) for _ in range(2))
    for number, docs in enumerate(kept):
        lists = on.judged_only(docs)
        raw[number] = means(ESTABLISHED, lists)
        condensed[number] = means(CONDENSED, lists)
    read = read_samples(folder, kept, (*READING, on.short))
    found: dict[str, dict[str, float]] = {}
    for number, name in enumerate(names()):
        ways = {"raw": raw[:, number], "condensed": condensed[:, number]}
        ways |= {each: read[each] for each in SHOWN} | {SHORT: read[str(on.short)]}
        taus = {way: kendall(values, complete[number]) for way, values in ways.items()}
        found[name] = {way: float(each.mean()) for way, each in taus.items()}
    return found


def split(folder: str, random: np.random.Generator) -> Any:
    """Tables 1 and 2: subtopics learned from one part, runs restricted to another."""
    on = hui17_setup(folder)
    parts = _parts(on, random)
    found: dict[str, Any] = {}
    for scored in PARTS:
        lists = _restricted(on, *parts[scored])
        own = _with_judgments(on, lists, parts[scored][1])
        complete = means(ESTABLISHED, own)
        for judged in PARTS:
            seen = _with_judgments(on, lists, parts[judged][1])
            for each in READING:
                values = each.score(seen).mean()
                for number, name in enumerate(names()):
                    tau = kendall(values, complete[number])
                    found[f"{judged} {scored} {name} {each}"] = float(tau)
    return found


def _parts(on: Hui17Setup, random: np.random.Generator) -> dict[str, tuple[Bools, Bools]]:
    """Documents that belong to each part: those of the lists, and those judged."""
    assert on.lists.documents is not None
    n = len(on.lists.documents.names)
    half = np.zeros(n, np.bool_)
    half[random.permutation(n)[: n // 2]] = True
    learned = on.lists.documents.learned
    # Judged documents that suit nothing have no text here; no model is learned from them.
    chosen = np.where(learned >= 0, half[learned], False)
    every = np.ones(len(learned), np.bool_)
    return {"A": (np.ones(n, np.bool_), every), "B": (half, chosen), "C": (~half, ~chosen)}


def _restricted(on: Hui17Setup, docs: Bools, judged: Bools) -> Lists:
    assert on.lists.in_documents is not None
    return on.lists.only(docs[on.lists.in_documents])


def _with_judgments(on: Hui17Setup, lists: Lists, docs: Bools) -> Lists:
    return replace(lists, subtopics=on.grades.only(docs))
