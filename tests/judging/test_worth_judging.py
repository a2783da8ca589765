"""What is worth judging next."""

import leadline
from leadline.judging.by_weight import MoffatC
from leadline.judging.certain_winner import CertainWinner, worth_judging
from leadline.measures.measure import measures
from tests.views.small import shallow


def test_the_ten_documents_are_those_of_the_order() -> None:
    read = shallow()
    found = worth_judging(read.runs, read.judgments, [measures.parse("RBP(p=0.8)")])
    assert found.decides
    chosen = CertainWinner(p=0.8).start(read.runs, read.judgments).next(10)
    names = [read.runs.pairs.name(each.pair) for each in chosen]
    assert [(each.topic, each.doc) for each in found.pairs] == names
    assert all(not read.judgments.judged[each.pair] for each in chosen)


def test_where_the_best_is_certain_other_documents_narrow_intervals() -> None:
    runs = {
        "good": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}},
        "bad": {"1": {"c": 3.0, "d": 2.0, "x": 1.0}},
    }
    read = leadline.read({"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, runs)
    found = worth_judging(read.runs, read.judgments, [measures.parse("RBP(p=0.8)")])
    assert not found.decides
    assert isinstance(found.order, MoffatC)
    assert [(each.doc, each.n_runs, each.best_rank) for each in found.pairs] == [("x", 2, 3)]


def test_the_first_measure_that_weighs_ranks_decides_the_order() -> None:
    read = shallow()
    wanted = [measures.parse(name) for name in ("AP", "nDCG@10", "RBP(p=0.8)")]
    found = worth_judging(read.runs, read.judgments, wanted)
    assert found.order == CertainWinner(measure="nDCG@10")
    assert found.by_ideals
    chosen = found.order.start(read.runs, read.judgments).next(10)
    names = [read.runs.pairs.name(each.pair) for each in chosen]
    assert [(each.topic, each.doc) for each in found.pairs] == names
    assert worth_judging(read.runs, read.judgments, wanted[:1]).order == CertainWinner(p=0.8)
