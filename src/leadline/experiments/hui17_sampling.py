"""Judgments taken away at random, and what the measures that read make of the rest.

Samples share the results and differ in the subtopics' documents only. So the results of a topic
are modelled once, and the subtopics of all samples are columns of one sparse product.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from leadline.diversity.divergence import Divergence, top_documents
from leadline.diversity.language_model import SAME, ResultModels
from leadline.experiments.hui17_setup import DEPTH, READING, Hui17Setup, hui17_setup
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.subtopic_grades import SubtopicGrades


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
def results_of(folder: str, mu: float) -> list[tuple[ResultModels, Any, Bools]]:
    """Per topic: what the readers of each list have seen, as a sparse matrix too, and which ranks
    there are."""
    from scipy.sparse import csr_array

    on = hui17_setup(folder)
    made = []
    for topic in range(len(on.grades.topics)):
        doc, listed = top_documents(on.lists, topic, DEPTH)
        seen = ResultModels.of(doc, on.words, mu)
        shape = (doc.size, len(seen.words))
        matrix = csr_array((seen.rise, (seen.cell, seen.word)), shape=shape)
        made.append((seen, matrix, listed))
    return made


def read_samples(
    folder: str, kept: Bools, measures: tuple[Divergence, ...] = READING
) -> dict[str, Floats]:
    """[repeats, runs] by measure: means over topics, subtopics learned from what is kept."""
    found: dict[str, Floats] = {}
    for mu, clip in dict.fromkeys((each.mu, each.clip) for each in measures):
        alike = [each for each in measures if (each.mu, each.clip) == (mu, clip)]
        found |= _read(folder, kept, mu, clip, alike)
    return found


def _read(
    folder: str, kept: Bools, mu: float, clip: bool, measures: list[Divergence]
) -> dict[str, Floats]:
    """The same for measures that see the same gains."""
    if not clip and not all(each.rises for each in measures):
        raise ValueError("gains below 0 are only worked out for measures of rises")
    on = hui17_setup(folder)
    n_runs = len(on.lists.runs)
    total = {str(each): np.zeros((len(kept), n_runs)) for each in measures}
    defined = np.zeros(len(kept))
    for topic, (seen, matrix, listed) in enumerate(results_of(folder, mu)):
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
            total[str(each)] += np.einsum("rjs,j->sr", chosen, each.weights(DEPTH))
        defined += known
    return {name: sums / defined[:, None] for name, sums in total.items()}


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
