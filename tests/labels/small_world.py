"""Runs of some groups, judgments of people, and labels of a judge, small and made by chance."""

from dataclasses import replace

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s
from leadline.data.judgments import Judgments
from leadline.data.labels import NO_LABEL, NoisyLabels
from leadline.data.pairs import Pairs
from leadline.data.runs import Runs
from leadline.labels.audited_pairs import AuditedPairs, Choice
from leadline.labels.run_bias import AuditedScores
from leadline.measures.measure import parse_numerator

MEASURE = "SDCG(gains=linear)@10"


def small_runs(
    n_groups: int = 4, n_topics: int = 5, n_docs: int = 60, seed: int = 0
) -> tuple[Runs, Judgments]:
    """Two runs a group; all pairs are judged, with grades 0 to 3."""
    random = np.random.default_rng(seed)
    topics = [str(topic + 1) for topic in range(n_topics)]
    docs = [f"d{doc:02}" for doc in range(n_docs)]
    pairs = Pairs.of(np.repeat(topics, n_docs).tolist(), docs * n_topics)
    grade = random.choice(4, (n_topics, n_docs), p=[0.5, 0.25, 0.15, 0.1])
    names = tuple(f"{group}{at}" for group in "abcdefgh"[:n_groups] for at in "12")
    entry = []
    for name in names:
        # A group looks at documents of its own besides those that all look at.
        taste = random.random(n_docs) * (np.arange(n_docs) % n_groups == "abcdefgh".index(name[0]))
        for at, topic in enumerate(topics):
            score = grade[at] / 3 + 1.5 * taste + random.random(n_docs)
            found = np.argsort(-score)[:12]
            entry.append(pairs.find([topic] * 12, [docs[doc] for doc in found]))
    length = np.full((len(names), n_topics), 12, np.int64)
    group = tuple(name[0] for name in names)
    runs = Runs.trusted(pairs, names, np.concatenate(entry), length, group)
    flat = np.zeros(len(pairs), np.int16)
    flat[pairs.find(np.repeat(topics, n_docs).tolist(), docs * n_topics)] = grade.ravel()
    return runs, Judgments(pairs, np.ones(len(pairs), np.bool_), flat, max_grade=3)


def noisy(judgments: Judgments, seed: int = 1, missing: float = 0.0) -> Int16s:
    """Labels a grade up or down now and then, whoever returns the document."""
    random = np.random.default_rng(seed)
    move = random.choice([-1, 0, 1], len(judgments.grade), p=[0.15, 0.6, 0.25])
    label = np.clip(judgments.grade + move, 0, 3)
    return np.where(random.random(len(label)) < missing, NO_LABEL, label).astype(np.int16)


def audited(
    judgments: Judgments,
    label: Int16s,
    choice: Choice = "complete",
    kept: Bools | None = None,
    inclusion: Floats | None = None,
) -> AuditedPairs:
    """What people say of some pairs, drawn with these chances if there are any."""
    human = judgments
    if kept is not None:
        grade = np.where(kept, judgments.grade, 0).astype(np.int16)
        human = Judgments(judgments.pairs, kept, grade, inclusion=inclusion, max_grade=3)
    return AuditedPairs(human, label, 3, choice)


def drawn_evenly(judgments: Judgments, label: Int16s, chance: float, seed: int) -> AuditedPairs:
    """People judge each pair with the same chance."""
    kept = np.random.default_rng([seed, 7]).random(len(label)) < chance
    return audited(judgments, label, "drawn", kept, np.full(len(label), chance))


def with_labels(runs: Runs, label: Int16s) -> Runs:
    """The runs, with the labels as evidence."""
    pairs = replace(runs.pairs, labels=NoisyLabels(("judge",), label[None]))
    return Runs.trusted(pairs, runs.names, runs.pair, runs.length, runs.group)


def scores_of(runs: Runs, audited: AuditedPairs) -> AuditedScores:
    """Scores by people and by the judge."""
    return AuditedScores(audited, runs, parse_numerator(MEASURE))
