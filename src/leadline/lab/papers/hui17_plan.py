"""The cells of hui17: everything judged, part of it judged, judged elsewhere.

Samples share the results and differ in the subtopics' documents only. So the results of a topic
are modelled once, and the subtopics of all samples are columns of one sparse product.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.documents import WordCounts
from leadline.data.lists import Lists
from leadline.data.subtopics import SubtopicGrades
from leadline.io.collection import Collection
from leadline.io.documents import documents_in
from leadline.io.problems import InputError
from leadline.io.read import read
from leadline.lab.papers.runner import Setting
from leadline.measures.diversity import ERR_IA, NRBP, IntentAware, alpha_nDCG
from leadline.measures.text_diversity import (
    SAME,
    ABSnb,
    ABSrb,
    DELTAnb,
    DELTArb,
    Divergence,
    ResultModels,
    top_documents,
)
from leadline.measures.texts import Reader
from leadline.simulate import Cell

DEPTH = 20
PERCENTS = tuple(range(1, 51))


@dataclass(frozen=True)
class Hui17Parameters:
    """The parameters of the measures, the paper's unless chosen, and the percentages judged."""

    k: int = DEPTH
    theta: float = 0.8
    mu: float = 2500.0
    percents: tuple[int, ...] = PERCENTS

    @classmethod
    def of(cls, setting: Setting) -> "Hui17Parameters":
        """Return what a setting asks for; a ValueError names what cannot be."""
        given = {name: getattr(setting, name) for name in ("k", "theta", "mu")}
        chosen = {name: value for name, value in given.items() if value is not None}
        if setting.p is not None:
            chosen["percents"] = percents_of(setting.p)
        choice = cls(**chosen)
        choice.reading  # noqa: B018 - wrong parameters are refused here, not in a worker
        return choice

    @property
    def established(self) -> tuple[IntentAware, ...]:
        """The established measures."""
        return (alpha_nDCG(self.k), ERR_IA(self.k), NRBP())

    @property
    def reading(self) -> tuple[Divergence, ...]:
        """The paper's four measures, which read the documents."""
        k, theta, mu = self.k, self.theta, self.mu
        return (
            ABSnb(k, mu),
            ABSrb(k, theta, mu),
            DELTAnb(k, mu),
            DELTArb(k, theta, mu),
        )


def percents_of(text: str) -> tuple[int, ...]:
    """Return percentages from 1 to 100, written with commas between them.

    >>> percents_of("5, 1")
    (1, 5)
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() and 1 <= int(part) <= 100 for part in parts):
        raise ValueError(f"`p` must be percentages from 1 to 100, for instance 1,5,10, not {text}")
    return tuple(sorted({int(part) for part in parts}))


ESTABLISHED = Hui17Parameters().established
READING = Hui17Parameters().reading
SHORT = "DELTArb for short texts"
"""Smoothing in proportion to the texts, gains that may fall below 0, and a more patient reader."""


@dataclass(frozen=True, eq=False)
class Hui17Setup:
    """Lists with subtopics and documents; `relevant` marks judged documents that suit some one."""

    lists: Lists
    grades: SubtopicGrades
    relevant: Bools
    notices: tuple[str, ...]

    @property
    def words(self) -> WordCounts:
        """The words of all documents."""
        assert self.lists.documents is not None
        return self.lists.documents.words(READING[0].how)

    @property
    def short(self) -> Divergence:
        """The measure for short texts, with the paper's cut-off."""
        return self.short_to(DEPTH)

    def short_to(self, k: int) -> Divergence:
        """2500 words are some three times the length of a web page: three times that of these.

        theta was chosen on the bundled collection.
        """
        assert self.lists.documents is not None
        words = self.words
        length = words.count.sum() / max(1, len(words.start) - 1)
        return DELTArb(k, theta=0.9, mu=float(max(1, round(3 * length))), clip=False)

    def judged_only(self, docs: Bools) -> Lists:
        """The lists as those see them who have only the judgments of these documents."""
        assert self.lists.in_subtopics is not None
        number = self.lists.in_subtopics
        known = np.zeros(len(number), np.bool_)
        known[number >= 0] = docs[number[number >= 0]]
        return replace(self.lists, judged=known, subtopics=self.grades.only(docs))


def means(measures: Sequence[IntentAware], lists: Lists) -> Floats:
    """[measures, runs]: the mean over topics on which a measure is defined."""
    return np.stack([each.score(lists, interval=False).mean() for each in measures])


@lru_cache(maxsize=1)
def hui17_setup(folder: str) -> Hui17Setup:
    """Read a collection folder."""
    return setup_of(read(folder, subtopics=True), folder)


def setup_of(found: Collection, folder: str) -> Hui17Setup:
    """The lists of a collection that was read, with subtopics, and texts from its folder."""
    docs = documents_in(Path(folder))
    if docs is None:
        message = "has no documents: expected docs.jsonl (.gz, .zst), or a folder named docs"
        raise InputError.of(folder, "no-docs", message)
    if found.subtopics is None:
        raise InputError.of(folder, "no-subtopics", "has no judgments per subtopic")
    pairs, notices = found.runs.pairs, found.notices
    grades = SubtopicGrades.of(found.subtopics, pairs.topics, max_grade=found.judgments.max_grade)
    number = grades.find(pairs.topic.astype(np.int64), pairs.doc_name.series)
    lists = replace(
        Lists.of(found.runs, found.judgments),
        subtopics=grades,
        in_subtopics=number[found.runs.pair],
    )
    names = pairs.docs_of(found.runs.pair).series
    lists = Reader(docs).read(lists, names, notices)
    return Hui17Setup(lists, grades, np.diff(grades.start) > 0, tuple(notices.lines()))


def forget() -> None:
    """Let go of what was read."""

    hui17_setup.cache_clear()
    results_of.cache_clear()


def signs(scores: Floats) -> Floats:
    """[..., pairs]: 1 where the first run of a pair scores more, -1 where it scores less."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    found: Floats = np.sign(scores[..., first] - scores[..., second])
    return found


def kendall(first: Floats, second: Floats) -> Floats:
    """Kendall's tau over the last axis: (concordant - discordant) / all pairs, as the paper has it.

    >>> float(kendall(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).round(4))
    0.3333
    """
    tau: Floats = (signs(first) * signs(second)).mean(axis=-1)
    return tau


def places(scores: Floats) -> list[int]:
    """The place of each run, 1 for the best; equal scores in the order of the runs."""
    order = np.argsort(-scores, kind="stable")
    found = np.empty(len(order), np.int64)
    found[order] = np.arange(1, len(order) + 1)
    return [int(place) for place in found]


def sample(on: Hui17Setup, percent: int, repeats: int, random: np.random.Generator) -> Bools:
    """[repeats, judged documents]: those kept.

    Of every topic's relevant documents max(1, ceil(p%)), of its others p%, rounded.
    """
    topic, relevant = on.grades.topic, on.relevant
    stratum = topic.astype(np.int64) * 2 + relevant
    n = np.bincount(stratum, minlength=2 * len(on.grades.topics))
    quota = (n * percent + 50) // 100
    quota[1::2] = np.maximum(1, -(-n[1::2] * percent // 100))
    order = np.argsort(stratum, kind="stable")
    first = np.cumsum(n) - n
    kept = np.zeros((repeats, len(topic)), np.bool_)
    for row in kept:
        drawn = np.lexsort((random.random(len(topic)), stratum))
        place = np.arange(len(topic)) - first[stratum[order]]
        row[drawn] = place < quota[stratum[order]]
    return kept


@lru_cache(maxsize=2)
def results_of(folder: str, mu: float, k: int) -> list[tuple[ResultModels, Any, Bools]]:
    """Per topic: what the readers of each list have seen, as a sparse matrix too, and which ranks
    there are."""
    from scipy.sparse import csr_array

    on = hui17_setup(folder)
    made = []
    for topic in range(len(on.grades.topics)):
        doc, listed = top_documents(on.lists, topic, k)
        seen = ResultModels.of(doc, on.words, mu)
        shape = (doc.size, len(seen.words))
        matrix = csr_array((seen.rise, (seen.cell, seen.word)), shape=shape)
        made.append((seen, matrix, listed))
    return made


def read_samples(
    folder: str, kept: Bools, measures: tuple[Divergence, ...] = READING
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return [repeats, runs] by measure, means over topics, and [repeats]: the share of zeros.

    Subtopics are learned from what is kept. A list scores 0 where no rank comes closer to a
    subtopic than the whole collection is.
    """
    scores: dict[str, Floats] = {}
    zeros: dict[str, Floats] = {}
    for mu, clip in dict.fromkeys((each.mu, each.clip) for each in measures):
        alike = [each for each in measures if (each.mu, each.clip) == (mu, clip)]
        some = _read(folder, kept, mu, clip, alike)
        scores |= some[0]
        zeros |= some[1]
    return scores, zeros


def _read(
    folder: str, kept: Bools, mu: float, clip: bool, measures: list[Divergence]
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The same for measures that see the same gains."""
    if not clip and not all(each.rises for each in measures):
        raise ValueError("gains below 0 are only worked out for measures of rises")
    on = hui17_setup(folder)
    n_runs = len(on.lists.runs)
    total = {str(each): np.zeros((len(kept), n_runs)) for each in measures}
    zero = {str(each): np.zeros(len(kept)) for each in measures}
    defined = np.zeros(len(kept))
    k = measures[0].k
    for topic, (seen, matrix, listed) in enumerate(results_of(folder, mu, k)):
        gains = _gains(on, topic, kept, seen, matrix, mu)
        if gains is None:
            continue
        known, gain = gains
        gain = np.where(listed[:, :, None, None], np.maximum(0.0, gain) if clip else gain, 0.0)
        before = np.concatenate([np.zeros_like(gain[:, :1]), gain[:, :-1]], axis=1)
        rise = np.where(listed[:, :, None], np.maximum(0.0, (gain - before).max(axis=3)), 0.0)
        best = gain.max(axis=3)
        for each in measures:
            chosen = rise if each.rises else best
            score = np.einsum("rjs,j->sr", chosen, each.weights(k))
            total[str(each)] += score
            zero[str(each)] += (score == 0).mean(axis=1) * known
        defined += known
    scores = {name: sums / defined[:, None] for name, sums in total.items()}
    return scores, {name: sums / np.maximum(1, defined) for name, sums in zero.items()}


def _gains(
    on: Hui17Setup, topic: int, kept: Bools, seen: ResultModels, matrix: Any, mu: float
) -> tuple[Bools, Floats] | None:
    """Which samples have a model on the topic, and [runs, ranks, samples, subtopics]: the gains."""
    counts, n_docs, subtopics = _counts(on, topic, kept)
    if counts is None:
        return None
    n_samples, m = len(kept), len(subtopics)
    length = np.asarray(counts.sum(axis=1)).ravel()
    coo = counts.tocoo()
    prior = mu * on.words.background[coo.col]
    rises = (coo.data + prior) * np.log1p(coo.data / prior)
    risen = np.bincount(coo.row, weights=rises, minlength=n_samples * m)
    divergence = risen / (length + mu) - np.log1p(length / mu)
    known = (length > 0) & (divergence > SAME)
    here = counts[:, seen.words].T.toarray()
    found = (matrix @ here + seen.flat[:, None]) / (length + mu)
    found = np.cumsum(found.reshape(*seen.shape, -1), axis=1) - seen.dilution[:, :, None]
    # A subtopic without a model gains nothing, so that no maximum is its.
    gains = found / np.where(known, divergence, np.inf)
    some: Bools = np.asarray((n_docs > 0).reshape(n_samples, m).any(axis=1))
    return some, gains.reshape(*seen.shape, n_samples, m)


def _counts(on: Hui17Setup, topic: int, kept: Bools) -> tuple[Any, Floats, Int64s]:
    """[samples times subtopics, words]: how often the kept relevant documents have each word.

    And how many documents those are, and the numbers of the subtopics.
    """
    from scipy.sparse import csr_array

    grades: SubtopicGrades = on.grades
    assert on.lists.documents is not None
    subtopics = np.arange(grades.first[topic], grades.first[topic + 1])
    if not len(subtopics):
        return None, np.zeros(0), subtopics
    m, words = len(subtopics), on.words
    inside = (grades.subtopic >= subtopics[0]) & (grades.subtopic <= subtopics[-1])
    doc, subtopic = grades.of_label[inside], grades.subtopic[inside] - subtopics[0]
    row = on.lists.documents.learned[doc]
    doc, subtopic, row = doc[row >= 0], subtopic[row >= 0], row[row >= 0]
    of_sample, label = np.nonzero(kept[:, doc])
    n_docs = len(words.start) - 1
    chosen = csr_array(
        (np.ones(len(label)), (of_sample * m + subtopic[label], row[label])),
        shape=(len(kept) * m, n_docs),
    )
    shape = (n_docs, len(words.words))
    table = csr_array((words.count.astype(np.float64), words.word, words.start), shape=shape)
    return chosen @ table, np.asarray(chosen.sum(axis=1)).ravel(), subtopics


REPEATS, QUICK_REPEATS = 30, 3
SPLITS, QUICK_SPLITS = 10, 3
PARTS = ("A", "B", "C")
"""All documents, one half, the other half."""


def condensed(measures: Sequence[IntentAware]) -> tuple[IntentAware, ...]:
    """Return the same measures on condensed lists."""
    return tuple(replace(each, judged_only=True) for each in measures)  # type: ignore[type-var]


CONDENSED = condensed(ESTABLISHED)


def cells(setting: Setting) -> list[Cell]:
    """All work, what takes longest first."""
    folder, choice = setting.folder, Hui17Parameters.of(setting)
    what = (choice.k, choice.theta, choice.mu)
    repeats = QUICK_REPEATS if setting.quick else REPEATS
    splits = QUICK_SPLITS if setting.quick else SPLITS
    percents = reversed(choice.percents)
    made = [Cell(f"judged {p}%", partly, (folder, p, repeats, *what)) for p in percents]
    made += [Cell(f"split {number}", split, (folder, *what)) for number in range(splits)]
    return [*made, Cell("everything", everything, (folder, *what, choice.percents))]


def names() -> list[str]:
    """The established measures."""
    return [str(each) for each in ESTABLISHED]


def everything(
    folder: str,
    k: int,
    theta: float,
    mu: float,
    percents: tuple[int, ...],
    random: np.random.Generator,
) -> Any:
    """Scores with all judgments, and what the collection is."""
    on, choice = hui17_setup(folder), Hui17Parameters(k, theta, mu)
    established = [str(each) for each in choice.established]
    scores = dict(zip(established, means(choice.established, on.lists).tolist(), strict=True))
    notices = list(on.notices)
    for each in choice.reading:
        scores[str(each)] = each.score(on.lists).mean().tolist()
        zeros = each.why_zero(on.lists)
        notices += [] if zeros is None else [f"{each}: {zeros}"]
    return {
        "runs": list(on.lists.runs),
        "n_topics": len(on.grades.topics),
        "n_subtopics": len(on.grades.names),
        "n_judged": len(on.grades.docs),
        "n_relevant": int(on.relevant.sum()),
        "short": str(on.short_to(k)),
        "established": established,
        "reading": [str(each) for each in choice.reading],
        "percents": list(percents),
        "scores": scores,
        "notices": notices,
    }


def partly(
    folder: str,
    percent: int,
    repeats: int,
    k: int,
    theta: float,
    mu: float,
    random: np.random.Generator,
) -> Any:
    """Figure 1: tau with the complete measures of every way to do with p%.

    By established measure and way: mean and standard deviation over the samples, and the share of
    lists that score 0, None for established measures.
    """
    on, choice = hui17_setup(folder), Hui17Parameters(k, theta, mu)
    measures = choice.established
    complete = means(measures, on.lists)
    kept = sample(on, percent, repeats, random)
    raw, short = (np.empty((repeats, len(measures), len(on.lists.runs))) for _ in range(2))
    for number, docs in enumerate(kept):
        lists = on.judged_only(docs)
        raw[number] = means(measures, lists)
        short[number] = means(condensed(measures), lists)
    patient = on.short_to(k)
    read, zeros = read_samples(folder, kept, (*choice.reading, patient))
    reading = {str(each): str(each) for each in choice.reading} | {SHORT: str(patient)}
    found: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(map(str, measures)):
        ways = {"raw": raw[:, number], "condensed": short[:, number]}
        ways |= {way: read[each] for way, each in reading.items()}
        taus = {way: kendall(values, complete[number]) for way, values in ways.items()}
        share = {way: float(zeros[each].mean()) for way, each in reading.items()}
        found[name] = {
            way: [float(tau.mean()), spread(tau), share.get(way)] for way, tau in taus.items()
        }
    return found


def spread(values: Floats) -> float:
    """Return the standard deviation of a sample, 0 of a single value."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def split(folder: str, k: int, theta: float, mu: float, random: np.random.Generator) -> Any:
    """Tables 1 and 2: subtopics learned from one part, runs restricted to another."""
    on, choice = hui17_setup(folder), Hui17Parameters(k, theta, mu)
    parts = _parts(on, random)
    found: dict[str, Any] = {}
    for scored in PARTS:
        lists = _restricted(on, *parts[scored])
        own = _with_judgments(on, lists, parts[scored][1])
        complete = means(choice.established, own)
        for judged in PARTS:
            seen = _with_judgments(on, lists, parts[judged][1])
            for each in choice.reading:
                values = each.score(seen).mean()
                for number, name in enumerate(map(str, choice.established)):
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
