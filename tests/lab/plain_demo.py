"""The demo collection as plain dicts, for twins."""

import numpy as np

import leadline
from leadline.io.datasets import COLLECTION
from tests.reference import adjusters as plain_adjusters


def dicts() -> tuple[dict[str, plain_adjusters.Run], plain_adjusters.Qrels, dict[str, str]]:
    """The demo collection as plain dicts."""
    read = leadline.read(COLLECTION)
    pairs = read.runs.pairs
    runs: dict[str, plain_adjusters.Run] = {}
    for run, name in enumerate(read.runs.names):
        runs[name] = {
            topic: [
                pairs.name(pair)[1]
                for pair in read.runs.pair[read.runs.start[run, t] : read.runs.stop[run, t]]
            ]
            for t, topic in enumerate(pairs.topics)
        }
    qrels: plain_adjusters.Qrels = {topic: {} for topic in pairs.topics}
    for pair in np.flatnonzero(read.judgments.judged):
        topic, doc = pairs.name(int(pair))
        qrels[topic][doc] = int(read.judgments.grade[pair])
    return runs, qrels, dict(zip(read.runs.names, read.runs.group, strict=True))
