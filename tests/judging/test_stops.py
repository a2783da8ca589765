"""Stopping rules: true exactly when every completion of the judgments says so."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.runs import Runs
from leadline.judging import likely_winner
from leadline.judging.likely_winner import LikelyWinner
from leadline.judging.order import orders
from leadline.judging.session import Session
from leadline.judging.standings import Standings
from leadline.judging.stops import (
    Budget,
    FirstOf,
    LeaderSignificant,
    MaxResidual,
    TopKCertain,
    TopKLikely,
    WinnerCertain,
    WinnerLikely,
    stops,
)
from leadline.measures.precision import P
from leadline.measures.rbp import RBP
from tests.collections import Small, small_collections
from tests.reference.bounds import difference_bounds, rbp_bounds
from tests.reference.measures import rbp
from tests.tries import tries

TINY = small_collections(n_docs=4, n_topics=2, n_runs=4, judged=0)
EQUAL = 1e-12
GRADES = st.lists(st.integers(0, 1), min_size=8, max_size=8)
PERSISTENCE = st.sampled_from([0.5, 0.8])


class Truth:
    """The same questions answered by trying every completion."""

    def __init__(self, small: Small, p: float, told: dict[str, dict[str, int]]) -> None:
        self.runs, self.p, self.told = list(small.runs.values()), p, told

    def exceeds(self, s: int, b: int) -> bool:
        """Whether some completion of the listed documents puts run s above run b."""
        upper = [
            difference_bounds(
                lambda docs, grades: rbp(docs, grades, self.p, None, False, "binary", 1, 1),
                self.runs[s][topic],
                self.runs[b][topic],
                self.told[topic],
                1,
            )[1]
            for topic in self.told
        ]
        return float(np.mean(upper)) > EQUAL

    def own(self, s: int) -> tuple[float, float]:
        ends = [rbp_bounds(self.runs[s][t], self.told[t], 1, self.p) for t in self.told]
        low, high = np.mean(ends, axis=0)
        return float(low), float(high)

    def certain(self, k: int, joint: bool) -> bool:
        """Whether some k runs are such that no other can pass one of them."""
        n = len(self.runs)
        own = [self.own(s) for s in range(n)]
        passes = [
            [self.exceeds(s, b) if joint else own[s][1] > own[b][0] + EQUAL for b in range(n)]
            for s in range(n)
        ]
        # Whoever is among the best is out of reach of all but k - 1 others.
        safe = [b for b in range(n) if sum(passes[s][b] for s in range(n) if s != b) < k]
        if k >= n:
            return True
        return any(
            not any(passes[s][b] for b in best for s in range(n) if s not in best)
            for best in combinations(safe, k)
        )


def told_after(small: Small, runs: Runs, standing: Standings) -> dict[str, dict[str, int]]:
    told: dict[str, dict[str, int]] = {topic: {} for topic in small.grades}
    for pair, grade in standing.judged.grade.items():
        topic, doc = runs.pairs.name(pair)
        told[topic][doc] = grade
    return told


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("joint", [True, False])
@tries(20)
@given(small=TINY, grades=GRADES, p=PERSISTENCE, seed=st.integers(0, 99))
def test_certain_means_that_no_completion_says_otherwise(
    k: int, joint: bool, small: Small, grades: list[int], p: float, seed: int
) -> None:
    runs, _ = small.tables()
    session = Session(runs, orders.parse(f"Random(seed={seed})"), measure=RBP(p=p))
    rule = WinnerCertain(joint) if k == 1 else TopKCertain(k, joint)
    for grade in [None, *grades]:
        if grade is not None:
            for choice in session.ask():
                session.tell(choice.pair, grade)
        truth = Truth(small, p, told_after(small, runs, session.standing))
        assert (rule.reason(session.standing) is not None) == truth.certain(k, joint)


@given(
    small=small_collections(n_docs=7, n_runs=5, judged=0),
    grades=st.lists(st.integers(0, 1), min_size=21, max_size=21),
    k=st.integers(1, 4),
    order=st.sampled_from(["CertainWinner(p=0.8)", "MoffatC(p=0.8)", "Random", "MoveToFront"]),
)
def test_certain_once_is_certain_ever_after_and_joint_is_never_later_than_own(
    small: Small, grades: list[int], k: int, order: str
) -> None:
    runs, _ = small.tables()
    session = Session(runs, orders.parse(order))
    rules = [WinnerCertain(True), WinnerCertain(False), TopKCertain(k, True), TopKCertain(k, False)]
    before = [False] * len(rules)
    for grade in grades:
        for choice in session.ask():
            session.tell(choice.pair, grade)
        now = [rule.reason(session.standing) is not None for rule in rules]
        assert all(new or not old for old, new in zip(before, now, strict=True))
        assert now[0] or not now[1]
        assert now[2] or not now[3]
        before = now
    if order != "CertainWinner(p=0.8)":
        return
    if not session.ask():
        assert before[0], "CertainWinner has nothing more to ask only when the best is certain"


def test_of_equals_the_one_with_more_to_come_is_certain() -> None:
    # b found y first and led; a has caught up by x, and z can only help a.
    small = Small({"a": {"1": ["x", "z"]}, "b": {"1": ["y"]}}, {"1": {}}, 1)
    runs, _ = small.tables()
    session = Session(runs, orders.parse("Random"), measure=RBP(p=0.5))
    pair = {runs.pairs.name(at)[1]: at for at in range(len(runs.pairs))}
    session.tell(pair["y"], 1)
    assert session.standing.leader == 1
    session.tell(pair["x"], 1)
    assert WinnerCertain().reason(session.standing) == "no other run can score higher than a"


def test_residual_below_leaves_out_the_tail() -> None:
    small = Small({"a": {"1": ["x", "y"]}}, {"1": {}}, 1)
    runs, _ = small.tables()
    standing = Standings(runs, RBP(p=0.5))
    rule = MaxResidual(0.26)
    assert rule.reason(standing) is None
    standing.tell(0, 0)
    assert rule.reason(standing) == "every run's residual is below 0.26"
    assert standing.residual.tolist() == [0.5]
    assert standing.projected.tolist() == [0.0]


def significant(n_topics: int) -> str | None:
    names = [str(number) for number in range(n_topics)]
    lists = {name: [f"x{name}", *(f"f{i}" for i in range(40))] for name in names}
    other = {name: [f"f{i}" for i in range(40)] for name in names}
    small = Small({"a": lists, "b": other}, {name: {} for name in names}, 1)
    runs, _ = small.tables()
    standing = Standings(runs, RBP(p=0.5))
    for pair in range(len(runs.pairs)):
        standing.tell(pair, int(runs.pairs.name(pair)[1].startswith("x")))
    return LeaderSignificant().reason(standing)


def test_the_leader_is_significant_only_on_enough_topics() -> None:
    assert significant(3) is None
    assert significant(10) == "a is significantly better than every other run"


def false_stop(random: np.random.Generator, n_topics: int = 15, depth: int = 4) -> bool:
    """Whether two runs of which chance says which is which are told apart, looking all the time."""
    measure = P(k=depth)
    lists: dict[str, dict[str, list[str]]] = {"a": {}, "b": {}}
    relevant = {}
    for number in range(n_topics):
        topic = str(number)
        good, bad = ([f"{kind}{at}" for at in range(depth)] for kind in "gb")
        for run, docs in zip("ab", random.permutation([0, 1]), strict=True):
            lists[run][topic] = (good, bad)[docs]
        share = {"g": random.uniform(0.3, 0.9), "b": random.uniform(0.1, 0.4)}
        for doc in (*good, *bad):
            relevant[topic, doc] = int(random.random() < share[doc[0]])
    runs, _ = Small(lists, {topic: {} for topic in lists["a"]}, 1).tables()
    standing, rule = Standings(runs, measure), LeaderSignificant()
    for pair in random.permutation(len(runs.pairs)):
        standing.tell(int(pair), relevant[runs.pairs.name(pair)])
        if rule.reason(standing) is not None:
            return True
    return False


def test_looking_all_the_time_finds_no_more_than_the_level_says() -> None:
    """At most 5%: of 60 courses 8 or more would come about once in a hundred times."""
    random = np.random.default_rng(7)
    assert sum(false_stop(random) for _ in range(60)) <= 7


def test_one_run_is_best_and_significant_at_once() -> None:
    runs, _ = Small({"a": {"1": ["x"]}}, {"1": {}}, 1).tables()
    standing = Standings(runs, RBP(p=0.5))
    assert LeaderSignificant().reason(standing) == "there is only one run"
    assert WinnerCertain(False).reason(standing) == "no other run can score higher than a"


def test_the_first_of_several_rules_ends_it() -> None:
    runs, _ = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {}}, 1).tables()
    standing = Standings(runs, RBP(p=0.5))
    both = FirstOf((WinnerCertain(), Budget(2)))
    assert both.reason(standing) is None
    assert both.left(standing) == 2
    assert FirstOf((WinnerCertain(),)).left(standing) is None
    standing.tell(0, 0)
    standing.tell(1, 1)
    assert both.reason(standing) == "no other run can score higher than b"


@pytest.mark.parametrize(
    "text",
    ["Budget(n=0)", "TopKCertain(k=0)", "MaxResidual(x=0)", "LeaderSignificant(alpha=1)", "Best"],
)
def test_rules_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must|no stop"):
        stops.parse(text)


def likely_session(stop: str, seed: int = 0) -> Session:
    """Judged until the rule says so, or to the end."""
    from tests.judging.test_weighted_sample import collection

    runs, judgments = collection()
    order = LikelyWinner(measure="P@5", pilot=20, batch=20, k=3, seed=seed)
    session = Session(runs, order, stops.parse(stop))
    while choices := session.ask():
        session.tell(choices[0].pair, int(judgments.grade[choices[0].pair]))
    return session


@pytest.fixture
def low_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rules by the model stop in small collections too."""
    monkeypatch.setattr(likely_winner, "FEWEST_JUDGED", 40)


def test_no_likely_winner_is_named_before_enough_judgments() -> None:
    assert likely_session("WinnerLikely(level=0.5)").reason() is None


@pytest.mark.usefixtures("low_floor")
def test_no_likely_winner_is_named_before_four_batches_agree() -> None:
    session = likely_session("WinnerLikely(level=0.5)")
    state = session.standing.likely
    assert state is not None
    assert session.reason() is not None
    last = state.recent
    state.recent = last[1:]
    assert session.reason() is None
    unsure = replace(last[0], covariance=last[0].covariance + 100 * np.eye(len(last[0].mean)))
    state.recent = [*last[:1], unsure, *last[2:]]
    assert session.reason() is None


@pytest.mark.parametrize("stop", ["WinnerLikely(level=0.8)", "TopKLikely(k=3)"])
@pytest.mark.usefixtures("low_floor")
def test_the_likely_best_are_named_before_all_is_judged_and_rightly(stop: str) -> None:
    session = likely_session(stop)
    assert session.stop is not None
    reason = session.reason()
    assert reason is not None
    assert ": probability " in reason
    state = session.standing.likely
    assert state is not None
    assert state.posterior is not None
    # The better a run of this collection the higher its number.
    named = [name for name in session.runs.names if name in reason]
    assert all(int(name[3:]) >= 4 for name in named)
    assert session.stop.distance(session.standing) == 0


@pytest.mark.usefixtures("low_floor")
def test_a_stricter_level_never_stops_earlier() -> None:
    at = [len(likely_session(f"WinnerLikely(level={level})").grades) for level in (0.5, 0.8, 0.99)]
    assert at == sorted(at)


def test_only_an_order_with_a_model_can_tell_what_is_likely() -> None:
    runs, _ = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1}}, 1).tables()
    for rule in (WinnerLikely(), FirstOf((Budget(5), TopKLikely(k=1)))):
        with pytest.raises(ValueError, match="needs an order with a model"):
            Session(runs, orders.parse("CertainWinner(p=0.8)"), rule)


@pytest.mark.usefixtures("low_floor")
def test_the_rule_holds_back_and_says_why_when_the_audit_speaks_against_the_model() -> None:
    session = likely_session("WinnerLikely(level=0.5)")
    assert session.reason() is not None
    state = session.standing.likely
    assert state is not None
    state.audit._surprise = [(0.9, 0.09)] * 40
    assert session.reason() is None
    assert session.stop is not None
    told = session.stop.held_back(session.standing)
    assert told is not None
    assert "of the last 40 documents sampled at random more were relevant" in told
    assert session.held_back().startswith("; held back: run")


@pytest.mark.parametrize(
    "stop",
    ["TopKLikely(k=0)", "TopKLikely(level=1)", "WinnerLikely(level=0)", "WinnerLikely(within=-1)"],
)
def test_likely_rules_that_make_no_sense_are_refused(stop: str) -> None:
    with pytest.raises(ValueError, match="must"):
        stops.parse(stop)
