"""The reference orders against published and hand-worked values."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from . import orders as o
from . import orders_by_run as by_run
from .pools import u
from .small_runs import collections, published

# Table 1 of Moffat, Webber and Zobel (2007): four runs of eight documents, p = 0.8.
TABLE_1: o.Runs = [
    {"1": ["18", "22", "15", "13", "11", "25", "10", "84"]},
    {"1": ["22", "10", "11", "19", "38", "18", "33", "17"]},
    {"1": ["21", "35", "16", "11", "38", "33", "18", "17"]},
    {"1": ["10", "18", "11", "22", "87", "13", "17", "20"]},
]


NOTHING: dict[o.Pair, int] = {}


def docs_of(log: list[tuple[o.Pair, float | None, bool]]) -> list[str]:
    return [doc for (_, doc), _, _ in log]


def weights_of(log: list[tuple[o.Pair, float | None, bool]]) -> list[float]:
    return [weight for _, weight, _ in log if weight is not None]


persistences = st.sampled_from([0.5, 0.8, 0.95])
scopes = st.sampled_from(["mean", "topic"])


# ---- the tables as they are published


def test_tables_are_those_published() -> None:
    table = published("moffat07")
    assert [[int(doc) for doc in run["1"]] for run in TABLE_1] == table["runs"]


# ---- topics and pairs


def test_topics_and_pairs_are_numbered() -> None:
    runs: o.Runs = [
        {"x": ["b", "a"], "10": ["é", "z", "Z"]},
        {"9": ["c"], "1a": [], "x": ["c"]},
    ]
    assert o.topics_of(runs) == ["9", "10", "1a", "x"]
    assert o.pairs_of(runs) == [
        ("9", "c"),
        ("10", "Z"),
        ("10", "z"),
        ("10", "é"),
        ("x", "a"),
        ("x", "b"),
        ("x", "c"),
    ]


# ---- Moffat, Webber and Zobel


def test_base_and_residual_of_a_partly_judged_run() -> None:
    # Grades 0,1,1,0,0,1,?,0,0,1, then nothing judged.
    docs = [f"d{rank}" for rank in range(1, 11)]
    order = o.MoffatC([{"1": docs}], 0.8)
    for doc, grade in zip(docs, [0, 1, 1, 0, 0, 1, None, 0, 0, 1], strict=True):
        if grade is not None:
            order.chosen["1", doc] = None
            order.tell(("1", doc), grade == 1)
    assert round(order.bases(0)["1"], 3) == 0.380
    assert round(order.residuals(0)["1"], 3) == 0.160


def test_pooling_of_table_1() -> None:
    log = o.simulate(o.DepthFirst(TABLE_1, 0.8), NOTHING)
    assert docs_of(log)[:9] == ["18", "22", "21", "10", "35", "15", "11", "16", "13"]
    by_rank = [0.2 * 0.8 ** (rank - 1) for rank in [1, 1, 1, 1, 2, 3, 3, 3, 4]]
    assert weights_of(log)[:9] == pytest.approx(by_rank)
    # Rank 4 of run 2, rank 5 of runs 2 and 4, rank 6 of runs 1 and 3, rank 7, rank 8.
    assert docs_of(log)[9:] == ["19", "38", "87", "25", "33", "17", "84", "20"]


def test_pooling_takes_the_run_before_the_topic() -> None:
    runs: o.Runs = [{"2": ["a"]}, {"1": ["b"], "2": ["c"]}]
    log = o.simulate(o.DepthFirst(runs, 0.5), NOTHING)
    assert [pair for pair, _, _ in log] == [("2", "a"), ("1", "b"), ("2", "c")]


def test_method_a_of_table_1() -> None:
    order = o.MoffatA(TABLE_1, 0.8)
    log = o.simulate(order, NOTHING, 6)
    assert docs_of(log) == ["18", "22", "11", "10", "21", "13"]
    weights = [f"{weight:.3f}" for weight in weights_of(log)]
    assert weights == ["0.478", "0.462", "0.440", "0.412", "0.200", "0.168"]
    residuals = [order.residuals(s)["1"] for s in range(4)]
    assert [f"{r:.3f}" for r in residuals] == ["0.403", "0.446", "0.645", "0.344"]
    assert f"{sum(residuals) / 4:.2f}" == "0.46"


@pytest.mark.parametrize("scope", ["mean", "topic"])
def test_method_b_of_table_1(scope: o.Scope) -> None:
    log = o.simulate(o.MoffatB(TABLE_1, 0.8, scope, 1), NOTHING, 8)
    assert docs_of(log) == ["18", "22", "11", "10", "21", "35", "13", "38"]
    # 18 has ranks 1, 6, 7, 2; choosing it leaves the residuals 1 - c, and 22 has ranks 1, 0, 2, 4.
    left = [1 - 0.2 * 0.8**rank for rank in [0, 5, 6, 1]]
    second = 0.2 * (0.8 * left[0] + left[1] + 0.8**3 * left[3])
    assert weights_of(log)[:2] == pytest.approx([0.478, second], abs=5e-4)
    assert weights_of(log)[1] == pytest.approx(second, abs=1e-15)


def test_batches_keep_the_weights_of_their_start() -> None:
    # At the start r = 1, so a first batch goes by the weights of Method A.
    log_a = o.simulate(o.MoffatA(TABLE_1, 0.8), NOTHING)
    log_b = o.simulate(o.MoffatB(TABLE_1, 0.8, "mean", 100), NOTHING)
    assert log_b == log_a
    # Method A takes 13 sixth, Method B with fresh weights 35.
    assert docs_of(o.simulate(o.MoffatB(TABLE_1, 0.8, "mean", 6), NOTHING, 6))[-1] == "13"
    assert docs_of(o.simulate(o.MoffatB(TABLE_1, 0.8, "mean", 5), NOTHING, 6))[-1] == "35"

    # Batches of 3: 18, 22 and 11 by the first weights, the next three by the residuals that those
    # leave. They hold the places 1, 2, 5 of run 1; 1, 3, 6; 4, 7; 2, 3, 4.
    c = [0.2 * 0.8**i for i in range(8)]
    r = [
        1 - c[0] - c[1] - c[4],
        1 - c[0] - c[2] - c[5],
        1 - c[3] - c[6],
        1 - c[1] - c[2] - c[3],
    ]
    log = o.simulate(o.MoffatB(TABLE_1, 0.8, "mean", 3), NOTHING, 6)
    assert docs_of(log) == ["18", "22", "11", "10", "21", "35"]
    expected = [c[6] * r[0] + c[1] * r[1] + c[0] * r[3], c[0] * r[2], c[1] * r[2]]
    assert weights_of(log)[3:] == pytest.approx(expected, abs=1e-15)


def test_method_c_follows_the_answers() -> None:
    # p = 1/2: a weighs 1/2, b 1/4 + 1/4, c 1/2, each times 1 * (0 + 1/2)^3.
    runs: o.Runs = [{"1": ["a", "b"]}, {"1": ["c", "b"]}]
    order = o.MoffatC(runs, 0.5, "mean", 1)
    assert order.next() == (("1", "a"), 0.0625)
    # Run 1 then has base 1/2, r 1/2: its factor is 1/2 (3/4)^3 = 27/128; run 2 keeps 1/8.
    order.tell(("1", "a"), True)
    assert order.next() == (("1", "b"), 27 / 512 + 1 / 32)
    order = o.MoffatC(runs, 0.5, "mean", 1)
    order.next()
    # Run 1 then has base 0, r 1/2: its factor is 1/2 (1/4)^3 = 1/128; b weighs 1/512 + 1/32.
    order.tell(("1", "a"), False)
    assert order.next() == (("1", "c"), 0.0625)
    order.tell(("1", "c"), False)
    assert order.next() == (("1", "b"), 1 / 256)
    order.tell(("1", "b"), False)
    assert order.next() is None


def test_mean_and_topic_scope_differ() -> None:
    # p = 1/2. All residuals are 1 at first; (1, a) weighs 1/2 + 1/2.
    runs: o.Runs = [{"1": ["a", "b"], "2": ["d", "e"]}, {"1": ["a", "c"]}]
    by_mean = o.MoffatB(runs, 0.5, "mean", 1)
    by_topic = o.MoffatB(runs, 0.5, "topic", 1)
    assert by_mean.next() == by_topic.next() == (("1", "a"), 1.0)
    # Then r is 1/2 for both runs in topic 1, and still 1 in topic 2, also for run 2, which does
    # not return it: a mean of 3/4 for both.
    assert by_mean.next() == (("2", "d"), 0.5 * 0.75)
    assert by_topic.next() == (("2", "d"), 0.5)
    # Then run 1 has 1/2 and 1/2, mean 1/2; run 2 keeps 1/2 and 1, mean 3/4.
    assert by_mean.next() == (("1", "c"), 0.25 * 0.75)
    assert by_topic.next() == (("1", "b"), 0.25 * 0.5)


def test_near_equal_weights_go_by_number() -> None:
    order = o.MoffatA(TABLE_1, 0.8)
    assert order.heaviest({("1", "22"): 1.0, ("1", "18"): 1 - 5e-11}) == ("1", "18")
    assert order.heaviest({("1", "22"): 1.0, ("1", "18"): 1 - 5e-10}) == ("1", "22")
    assert order.heaviest({("1", "22"): 0.0, ("1", "18"): 0.0}) == ("1", "18")
    # All four weigh 0.2 + 0.16.
    runs: o.Runs = [{"1": ["c", "b"]}, {"1": ["b", "c"]}, {"1": ["d", "a"]}, {"1": ["a", "d"]}]
    log = o.simulate(o.MoffatA(runs, 0.8), NOTHING)
    assert docs_of(log) == ["a", "b", "c", "d"]


@given(collections(), persistences, scopes, st.integers(1, 4), st.data())
def test_every_order_takes_every_pair_once(
    runs: o.Runs, p: float, scope: o.Scope, batch: int, data: st.DataObject
) -> None:
    pairs = o.pairs_of(runs)
    grades = {pair: data.draw(st.integers(0, 2)) for pair in pairs[::2]}
    complete = [
        o.DepthFirst(runs, p),
        o.MoffatA(runs, p),
        o.MoffatB(runs, p, scope, batch),
        o.MoffatC(runs, p, scope, batch),
        by_run.MoveToFront(runs),
        by_run.MaxMean(runs, 1),
        by_run.MaxMean(runs, 0),
        by_run.Thompson(runs, 5),
        o.RandomOrder(runs, 3),
    ]
    for order in complete:
        log = o.simulate(order, grades)
        assert sorted(pair for pair, _, _ in log) == sorted(pairs)
        assert all(relevant == (grades.get(pair, 0) >= 1) for pair, _, relevant in log)
        assert order.next() is None


@given(collections(), persistences, scopes)
def test_weights_fall_in_pooling_a_and_b(runs: o.Runs, p: float, scope: o.Scope) -> None:
    for order in [o.DepthFirst(runs, p), o.MoffatA(runs, p), o.MoffatB(runs, p, scope, 1)]:
        weights = weights_of(o.simulate(order, NOTHING))
        for before, after in itertools.pairwise(weights):
            assert after <= before * (1 + 1e-11)


# ---- joint intervals and CertainWinner


def differences_of_completions(
    runs: o.Runs, p: float, judged: dict[o.Pair, bool], a: int, b: int
) -> list[float]:
    """score_a - score_b for every way to answer the listed unjudged pairs."""
    topics = o.topics_of(runs)
    unjudged = [pair for pair in o.pairs_of(runs) if pair not in judged]
    values = []
    for answers in itertools.product([False, True], repeat=len(unjudged)):
        relevant = judged | dict(zip(unjudged, answers, strict=True))
        scores = []
        for s in (a, b):
            score = 0.0
            for topic in topics:
                for i, doc in enumerate(runs[s].get(topic, [])):
                    if relevant[topic, doc]:
                        score += (1 - p) * p**i
            scores.append(score / len(topics))
        values.append(scores[0] - scores[1])
    return values


@given(collections(), persistences, st.data())
def test_joint_ends_equal_the_extreme_completions(
    runs: o.Runs, p: float, data: st.DataObject
) -> None:
    pairs = o.pairs_of(runs)
    judged = {pair: data.draw(st.booleans()) for pair in pairs[7:]}
    judged |= {pair: data.draw(st.booleans()) for pair in pairs[:7] if data.draw(st.booleans())}
    values = differences_of_completions(runs, p, judged, 0, 1)
    assert o.joint_upper(runs, p, judged, 0, 1) == pytest.approx(max(values), abs=1e-12)
    assert o.joint_lower(runs, p, judged, 0, 1) == pytest.approx(min(values), abs=1e-12)


def test_joint_ends_by_hand() -> None:
    # X: a 1/2, b 1/4. Y: b 1/2, c 1/4.
    runs: o.Runs = [{"1": ["a", "b"]}, {"1": ["b", "c"]}]
    assert o.joint_upper(runs, 0.5, {}, 0, 1) == 0.5
    assert o.joint_lower(runs, 0.5, {}, 0, 1) == -0.5
    assert o.joint_upper(runs, 0.5, {("1", "b"): True}, 0, 1) == 0.25
    assert o.joint_lower(runs, 0.5, {("1", "b"): True}, 0, 1) == -0.5
    assert o.joint_upper(runs, 0.5, {("1", "b"): False}, 0, 1) == 0.5
    assert o.joint_lower(runs, 0.5, {("1", "b"): False}, 0, 1) == -0.25


def test_difference_of_two_runs_by_hand() -> None:
    # X: a 1/2, b 1/4. Y: b 1/2, c 1/4. X leads as the first; upper(Y) = 1/4 + 1/4.
    # Weights: a 1/4 * 1/2, b 1/4 * 1/4, c 1/4 * 1/4.
    runs: o.Runs = [{"1": ["a", "b"]}, {"1": ["b", "c"]}]
    order = o.CertainWinner(runs, 0.5)
    assert order.next() == (("1", "a"), 1 / 8)
    # Base of X 1/2, upper(Y) = -1/2 + 1/2: Y can reach X but not pass it.
    order.tell(("1", "a"), True)
    assert order.next() is None

    order = o.CertainWinner(runs, 0.5)
    order.next()
    # upper(Y) is 1/2 as before; b and c tie.
    order.tell(("1", "a"), False)
    assert order.next() == (("1", "b"), 1 / 16)
    # Bases 1/4 and 1/2: Y leads, upper(X) = -1/4 + 0.
    order.tell(("1", "b"), True)
    assert order.next() is None

    order = o.CertainWinner(runs, 0.5)
    order.next()
    order.tell(("1", "a"), False)
    order.next()
    # Bases 0 and 0: X leads, upper(Y) = 1/4; c weighs 1/16 * 1/4.
    order.tell(("1", "b"), False)
    assert order.next() == (("1", "c"), 1 / 64)
    order.tell(("1", "c"), False)
    assert order.next() is None


def test_difference_of_three_runs_by_hand() -> None:
    # Two topics. X: (1,a) 1/2, (1,b) 1/4, (2,a) 1/2. Y: (1,b) 1/2, (1,a) 1/4. Z is X again.
    # X leads. upper(Y) = 1/2 * 1/4 = 1/8; upper(Z) = 0: Z is no contender.
    x = {"1": ["a", "b"], "2": ["a"]}
    runs: o.Runs = [x, {"1": ["b", "a"]}, x]
    order = o.CertainWinner(runs, 0.5)
    assert order.next() == (("2", "a"), 1 / 64 * 1 / 2)
    # (1,a) and (1,b) tie at 1/64 * 1/4.
    order.tell(("2", "a"), False)
    assert order.next() == (("1", "a"), 1 / 256)
    order.tell(("1", "a"), False)
    assert order.next() == (("1", "b"), 1 / 256)
    # Bases 1/8, 1/4, 1/8: Y leads for certain.
    order.tell(("1", "b"), True)
    assert order.next() is None


def test_difference_of_a_changing_leader() -> None:
    # X: a 1/2, b 1/4. Y: c 1/2, a 1/4. Z: d 1/2, c 1/4. X leads.
    # upper(Y) = 1/2 (c), upper(Z) = 3/4 (d, c); squares 1/4, 9/16.
    # a: 1/4 * 1/4 + 9/16 * 1/2 = 22/64    b: 1/4 * 1/4 + 9/16 * 1/4 = 13/64
    # c: 1/4 * 1/2 + 9/16 * 1/4 = 17/64    d: 9/16 * 1/2 = 18/64
    runs: o.Runs = [{"1": ["a", "b"]}, {"1": ["c", "a"]}, {"1": ["d", "c"]}]
    order = o.CertainWinner(runs, 0.5)
    assert order.next() == (("1", "a"), 22 / 64)
    order.tell(("1", "a"), False)
    # The same uppers: c and d as before.
    assert order.next() == (("1", "d"), 18 / 64)
    # Z leads with 1/2. upper(X) = -1/2 + 1/4 (b), upper(Y) = -1/2 + 1/4 (c: 1/2 - 1/4).
    order.tell(("1", "d"), True)
    assert order.leader() == 2
    assert order.next() is None


@given(collections(), persistences, st.data())
def test_difference_stops_when_none_can_pass_the_leader(
    runs: o.Runs, p: float, data: st.DataObject
) -> None:
    grades = {pair: data.draw(st.integers(0, 1)) for pair in o.pairs_of(runs)}
    order = o.CertainWinner(runs, p)
    log = o.simulate(order, grades)
    assert all(weight > 0 for weight in weights_of(log))
    leader = order.leader()
    for s in range(len(runs)):
        if s != leader:
            assert o.joint_upper(runs, p, order.told, s, leader) <= 1e-12


# ---- orders that find relevant documents


def test_random_order_goes_by_u() -> None:
    log = o.simulate(o.RandomOrder(TABLE_1, 5), NOTHING)
    values = [u(5, *pair) for pair, _, _ in log]
    assert values == sorted(values)
    assert len(values) == 17
