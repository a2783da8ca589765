"""Rankings and judged gains of a topic as plain lists and dicts, as the twins want them."""

import numpy as np

from leadline.completions.estimator import TrainingData


def rankings(evidence: TrainingData, topic: int) -> list[list[str]]:
    """The documents of each run on this topic, best first."""
    runs = evidence.runs
    return [
        [
            runs.pairs.name(int(at))[1]
            for at in runs.pair[runs.start[run, topic] : runs.stop[run, topic]]
        ]
        for run in range(len(runs.names))
    ]


def gains_by_topic(evidence: TrainingData) -> list[dict[str, float]]:
    """For each topic, the gain of its judged documents."""
    pairs = evidence.runs.pairs
    gains: list[dict[str, float]] = [{} for _ in pairs.topics]
    for pair in np.flatnonzero(evidence.judgments.judged):
        gains[pairs.topic[pair]][pairs.name(int(pair))[1]] = float(evidence.known_gain[pair])
    return gains
