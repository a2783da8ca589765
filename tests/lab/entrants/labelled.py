"""A question with the labels by a noisy judge, who is right about most pairs."""

from dataclasses import replace

import numpy as np

from leadline.data.judgments import Judgments
from leadline.data.labels import NoisyLabels
from leadline.data.runs import Runs
from leadline.lab.benchmark.question import Question
from leadline.measures.measure import parse_measure
from tests.lab.asked import part


def labelled(budget: int, right: float = 0.9, measure: str = "SDCG(gains=linear)@10") -> Question:
    on = part()
    random = np.random.default_rng(1)
    grade = on.answers.grade
    guess = random.integers(0, on.answers.max_grade + 1, len(grade))
    label = np.where(random.random(len(grade)) < right, grade, guess).astype(np.int16)
    pairs = replace(on.runs.pairs, labels=NoisyLabels(("judge",), label[None]))
    runs = Runs.trusted(pairs, on.runs.names, on.runs.pair, on.runs.length, on.runs.group)
    answers = Judgments(pairs, on.answers.judged, grade, max_grade=on.answers.max_grade)
    return Question(parse_measure(measure), runs, answers, budget, on.seed)
