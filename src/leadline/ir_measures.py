"""Leadline's measures inside ir_measures and PyTerrier: `import leadline.ir_measures` is enough.

>>> import ir_measures
>>> from leadline.ir_measures import measure
>>> qrels = [ir_measures.Qrel("1", "a", 1)]
>>> run = [ir_measures.ScoredDoc("1", "a", 9.0), ir_measures.ScoredDoc("1", "b", 8.0)]
>>> asked = [measure("RBP(p=0.8)@2"), measure("RBP(p=0.8)@2", "upper")]
>>> found = ir_measures.calc_aggregate(asked, qrels, run)
>>> [f"{each} = {found[each]:.2f}" for each in asked]
['Leadline(RBP(p=0.8)@2) = 0.20', 'Leadline(RBP(p=0.8)@2, upper) = 0.36']
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

import ir_measures
import numpy as np
from ir_measures import providers
from ir_measures.providers import base
from ir_measures.util import Metric, QrelsConverter, RunConverter

from leadline.api.evaluate import evaluate
from leadline.api.scoring import QrelsSource, TextSource, measure_groups
from leadline.data.scores import LEAST_GEOMETRIC, Scores
from leadline.io.formats import Reading
from leadline.io.join import empty_lists
from leadline.measures.measure import measures
from leadline.measures.names import ir_measures_name
from leadline.registry import NamingError

End = Literal["value", "lower", "upper", "judged"]
_TEXTS = TextSource()
ENDS = ("value", "lower", "upper", "judged")


class _DefinedMean(ir_measures.MeanAgg):
    """The mean over topics on which the measure is defined."""

    def add(self, value: float) -> None:
        if not math.isnan(value):
            super().add(value)


class _Geometric(_DefinedMean):
    """The geometric mean over those topics."""

    def add(self, value: float) -> None:
        super().add(math.log(max(value, LEAST_GEOMETRIC)))

    def result(self) -> float:
        return math.exp(super().result())


_AGGREGATORS = {
    "mean": _DefinedMean,
    "sum": ir_measures.SumAgg,
    "geometric mean": _Geometric,
}


class _Leadline(ir_measures.Measure):
    """One column of what `leadline.evaluate` gives for one measure."""

    __name__ = "Leadline"
    NAME = __name__
    PRETTY_NAME = "A measure of Leadline"
    SHORT_DESC = "A score, an end of the interval that is certain to hold it, or the share judged."
    AT_PARAM = "at"
    SUPPORTED_PARAMS = {  # noqa: RUF012 - ir_measures declares it so
        "name": ir_measures.ParamInfo(dtype=str, required=True, desc="name, as Leadline writes it"),
        "end": ir_measures.ParamInfo(dtype=str, choices=ENDS, default="value", desc="the column"),
    }

    def __repr__(self) -> str:
        end = self["end"]
        return f"Leadline({self['name']}{'' if end == 'value' else ', ' + end})"

    def __matmul__(self, depth: object) -> Any:
        return measure(f"{self['name']}@{depth}", self["end"])

    def aggregator(self) -> Any:
        return _AGGREGATORS[measures.parse(self["name"]).over_topics]()


def measure(name: Any, end: End = "value") -> Any:
    """Return a measure for ir_measures: a score by Leadline's name for it, or one of its bounds.

    The name may be a measure of ir_measures too. A depth may follow: measure("nDCG") @ 10.
    """
    if end not in ENDS:
        raise ValueError(f"end must be one of {', '.join(ENDS)}, not {end}")
    name = name if isinstance(name, str) else ir_measures_name(name)
    try:
        known = str(measures.parse(name))
    except NamingError as error:
        # One that needs a depth, as P does, may get it later.
        try:
            measures.parse(f"{name}@1")
        except NamingError:
            raise error from None
        known = name
    return _Leadline(name=known, end=end)


class _Evaluator(providers.Evaluator):
    def __init__(self, asked: Iterable[Any], qrels: Any) -> None:
        self.qrels = list(QrelsConverter(qrels).as_namedtuple_iter())
        super().__init__(asked, {qrel.query_id for qrel in self.qrels})

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        docs = list(RunConverter(run).as_namedtuple_iter())
        asked = list(self.measures)
        names = sorted({each["name"] for each in asked})
        if set(self.qrel_qids).isdisjoint(doc.query_id for doc in docs):
            scores = self._nothing_returned(names)
        else:
            scores = evaluate(self.qrels, docs, names).scores
        for each in asked:
            found = scores[each["name"]]
            for topic, value in zip(found.topics, getattr(found, each["end"])[0], strict=True):
                yield Metric(query_id=topic, measure=each, value=float(value))

    def _nothing_returned(self, names: Iterable[str]) -> dict[str, Scores]:
        """Return the scores of a run that has no judged topic, which `evaluate` refuses."""
        source = QrelsSource(Reading())
        groups = measure_groups(list(map(measures.parse, names)), self.qrels, None, source, _TEXTS)
        scores: dict[str, Scores] = {}
        for group in groups:
            lists = empty_lists(("run",), group.index)
            if group.subtopics is not None:
                lists = replace(
                    lists,
                    subtopics=group.subtopics.grades,
                    in_subtopics=np.zeros(0, np.int64),
                )
            scores |= {str(each): each.score(lists) for each in group.measures}
        return scores


class _Provider(providers.Provider):
    NAME = "leadline"
    SUPPORTED_MEASURES = [_Leadline(name=base.Any(required=True), end=base.Any())]  # noqa: RUF012

    def _evaluator(self, asked: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(asked, qrels)


provider = providers.register(_Provider())
if provider not in ir_measures.DefaultPipeline.providers:
    ir_measures.DefaultPipeline.providers.append(provider)
ir_measures.measures.register(_Leadline(name=""))
