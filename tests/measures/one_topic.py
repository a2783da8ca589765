"""Random judgments, rankings and texts of one topic, for Hypothesis."""

import math
from dataclasses import dataclass

import polars as pl
from hypothesis import strategies as st

from leadline.api.evaluate import evaluate
from tests.reference import diversity as twin

WORDS = ("tide", "fog", "rope", "sail", "Été", "mast_1", "reef")


@dataclass(frozen=True)
class OneTopic:
    """Rankings, judgments by doc and subtopic, texts, and probabilities of one topic."""

    ranking: list[str]
    judged: twin.Judged
    texts: dict[str, str]
    intents: dict[str, float] | None

    def qrels(self) -> pl.DataFrame:
        rows = [("1", s, d, g) for d, grades in self.judged.items() for s, g in grades.items()]
        schema = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16}
        # A second topic, so that there are always two subtopics in the file.
        more = [("2", "x", "d0", 1), ("2", "y", "d0", 0)]
        return pl.DataFrame(rows + more, schema=schema, orient="row")

    def run(self) -> dict[str, dict[str, float]]:
        return {"1": {doc: -float(rank) for rank, doc in enumerate(self.ranking)}, "2": {"d0": 1.0}}

    def scores(self, names: list[str], **more: object) -> dict[str, float]:
        given = None
        if self.intents is not None:
            given = {"1": self.intents, "2": {"x": 1}}
        found = evaluate(self.qrels(), self.run(), names, intents=given, **more).scores
        return {name: float(each.over(("1", "2")).value[0, 0]) for name, each in found.items()}


@st.composite
def one_topic(draw: st.DrawFn, weighed: bool = True) -> OneTopic:
    docs = [f"d{number}" for number in range(6)]
    judged: twin.Judged = {}
    for doc in docs:
        chosen = draw(st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), max_size=3))
        if chosen:
            judged[doc] = chosen
    if not judged:
        judged["d1"] = {"a": 1}
    ranking = draw(st.permutations(docs))[: draw(st.integers(1, 6))]
    texts = {doc: " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=6))) for doc in docs}
    texts["d0"] += " tide fog"
    intents = None
    if weighed and draw(st.booleans()):
        shares = {name: draw(st.integers(1, 4)) for name in "abc"}
        counted = twin.subtopics_of(judged)
        total = sum(shares[name] for name in counted) or 1
        # The twin takes them as they are, so that those that count must add up to 1.
        intents = {name: shares[name] / total for name in "abc"}
    return OneTopic(ranking, judged, texts, intents)


def same(value: float, expected: float) -> bool:
    return (math.isnan(value) and math.isnan(expected)) or abs(value - expected) <= 1e-9
