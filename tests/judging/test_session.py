"""Sessions: nothing is asked twice, undo undoes, and an interruption changes nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.ledger import Entry, Ledger
from leadline.judging.order import Choice, orders
from leadline.judging.session import Session
from leadline.judging.stops import Budget
from leadline.measures.rbp import RBP
from tests.collections import Small, small_collections
from tests.tries import tries

ORDERS = [
    "DepthFirst(p=0.8)",
    "MoffatA(p=0.8)",
    "MoffatB(p=0.8)",
    "MoffatB(p=0.8, batch=3)",
    "MoffatC(p=0.8)",
    "MoffatC(p=0.8, scope=topic)",
    "MoffatC(p=0.8, batch=4)",
    "CertainWinner(p=0.8)",
    "MoveToFront",
    "MaxMean",
    "MaxMean(rate=1.0)",
    "Random(seed=3)",
]
EVERY_ORDER = pytest.mark.parametrize("name", ORDERS)
ACTS = st.one_of(st.integers(0, 2), st.sampled_from(["skip", "undo", "give back"]))


def start(runs: Runs, name: str, entries: list[Entry] | None = None) -> Session:
    return Session(runs, orders.parse(name), ledger=Ledger(list(entries or [])), clock=lambda: "")


def resumed(life: Session) -> Session:
    return Session(
        life.runs, life.order, life.stop, life.judgments, ledger=Ledger([*life.ledger.entries])
    )


def act(session: Session, pair: int, what: int | str) -> None:
    if isinstance(what, int):
        session.tell(pair, what)
    elif what == "skip":
        session.skip(pair)
    elif what == "give back" or session.undo() is None:
        session.give_back(pair)


def same(first: list[Choice], second: list[Choice]) -> bool:
    return [choice.pair for choice in first] == [choice.pair for choice in second] and np.allclose(
        [choice.weight or 0 for choice in first], [choice.weight or 0 for choice in second]
    )


@EVERY_ORDER
@tries(15)
@given(small=small_collections(n_docs=6), acts=st.lists(ACTS, max_size=25))
def test_a_session_interrupted_anywhere_goes_on_as_if_it_had_not_been(
    name: str, small: Small, acts: list[int | str]
) -> None:
    runs, _ = small.tables()
    life = start(runs, name)
    for what in acts:
        again = resumed(life)
        chosen = life.ask()
        assert same(again.ask(), chosen)
        assert again.grades == life.grades
        assert again.judged.spent == life.judged.spent
        if not chosen:
            break
        act(life, chosen[0].pair, what)


@EVERY_ORDER
@tries(8)
@given(small=small_collections(n_docs=6), grades=st.lists(st.integers(0, 2), max_size=18))
def test_so_does_one_that_asks_for_several_at_a_time(
    name: str, small: Small, grades: list[int]
) -> None:
    runs, _ = small.tables()
    life = start(runs, name)
    while grades:
        again = resumed(life)
        chosen = life.ask(3)
        assert same(again.ask(3), chosen)
        if not chosen:
            break
        for choice in chosen:
            life.tell(choice.pair, grades.pop() if grades else 0)


@EVERY_ORDER
@tries(8)
@given(small=small_collections(n_docs=6, judged=0.3), data=st.data())
def test_nothing_is_out_twice_and_what_is_judged_or_skipped_is_not_asked_for(
    name: str, small: Small, data: st.DataObject
) -> None:
    runs, known = small.tables()
    session = Session(runs, orders.parse(name), judgments=known)
    for _ in range(data.draw(st.integers(0, 20))):
        who = data.draw(st.sampled_from(["x", "y"]))
        out, handled = set(session.out), set(session.grades) | session.judged.spent
        chosen = {choice.pair for choice in session.ask(data.draw(st.integers(1, 3)), who)}
        assert not chosen & (out | handled | set(known.judged.nonzero()[0].tolist()))
        mine = [pair for pair, name in session.out.items() if name == who]
        what = data.draw(ACTS)
        if what == "undo":
            if session.undo(who) is not None:
                assert who not in session.out.values()
        elif mine:
            pair = data.draw(st.sampled_from(mine))
            if isinstance(what, int):
                session.tell(pair, what, who)
            elif what == "skip":
                session.skip(pair, who)
            else:
                session.give_back(pair)


@EVERY_ORDER
@tries(8)
@given(small=small_collections(n_docs=6), grade=st.integers(0, 1), n=st.integers(0, 6))
def test_a_pair_undone_is_the_next_to_be_asked_for(
    name: str, small: Small, grade: int, n: int
) -> None:
    runs, _ = small.tables()
    session = start(runs, name)
    for _ in range(n):
        for choice in session.ask():
            session.tell(choice.pair, grade)
    before = session.ask()
    if not before:
        return
    session.tell(before[0].pair, 1)
    session.ask()
    assert session.undo() == before[0].pair
    assert before[0].pair not in session.grades
    assert not session.out
    assert same(session.ask(), before)


@EVERY_ORDER
@tries(8)
@given(first=st.sampled_from(ORDERS), small=small_collections(n_docs=6), n=st.integers(0, 9))
def test_another_order_can_take_up_the_ledger(name: str, first: str, small: Small, n: int) -> None:
    runs, _ = small.tables()
    life = start(runs, first)
    for _ in range(n):
        for choice in life.ask():
            life.tell(choice.pair, choice.pair % 2)
    other = start(runs, name, life.ledger.entries)
    assert other.grades == life.grades
    assert not {choice.pair for choice in other.ask(100)} & set(life.grades)


def two_runs() -> tuple[Runs, Judgments]:
    small = Small({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}}, {"1": {"x": 1}}, 1)
    return small.tables()


def test_what_was_given_and_is_in_the_ledger_too_counts_once() -> None:
    runs, known = two_runs()
    ledger = Ledger([Entry("judge", "1", "x", 1), Entry("judge", "1", "x", 1, "other")])
    for judgments in (known, None):
        session = Session(runs, orders.parse("MoffatC(p=0.5)"), None, judgments, ledger=ledger)
        assert session.stepper.scores.mean_base.tolist() == [0.5, 0.0]  # type: ignore[attr-defined]
        assert session.standing.base.tolist() == [0.5, 0.0]


def test_a_budget_counts_neither_what_was_given_nor_more_than_it_has() -> None:
    runs, known = two_runs()
    session = Session(runs, orders.parse("MoffatA(p=0.5)"), Budget(1), known)
    assert len(session.ask(5, "x")) == 1
    assert session.ask(1, "y") == []
    assert session.reason() is None
    session.tell(next(iter(session.out)), 0, "x")
    assert session.reason() == "budget reached"


def test_a_pair_is_judged_once_and_only_with_a_grade() -> None:
    runs, known = two_runs()
    session = Session(runs, orders.parse("MoffatA(p=0.5)"), judgments=known)
    (choice,) = session.ask()
    with pytest.raises(ValueError, match="grade must be"):
        session.tell(choice.pair, -1)
    assert choice.pair in session.out
    assert not session.ledger.entries
    session.tell(choice.pair, np.int64(1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="judged already; undo that first"):
        session.tell(choice.pair, 0)
    given = int(known.judged.nonzero()[0][0])
    with pytest.raises(ValueError, match=r"judged already$"):
        session.tell(given, 0)
    with pytest.raises(ValueError, match="there is no pair 99"):
        session.tell(99, 0)


def test_judgments_of_documents_that_no_run_returns_are_kept_apart() -> None:
    runs, _ = two_runs()
    ledger = Ledger([Entry("judge", "1", "far", 1), Entry("judge", "1", "y", 1)])
    session = Session(runs, orders.parse("MoffatA(p=0.5)"), ledger=ledger)
    assert [entry.doc for entry in session.elsewhere] == ["far"]
    assert list(session.grades.values()) == [1]
    assert session.undo() is not None
    assert session.undo() is None


def test_gains_above_one_are_refused() -> None:
    runs, _ = two_runs()
    order = orders.parse("MoffatA(p=0.5)")
    with pytest.raises(ValueError, match="gains of at most 1"):
        Session(runs, order, measure=RBP(p=0.5, gains="grade"))
    session = Session(runs, order, measure=RBP(p=0.5, gains="linear", max_grade=4))
    session.tell(0, 2)
    assert session.standing.base.max() == 0.25


def test_a_ledger_of_several_people_is_merged_as_a_room_merges_it() -> None:
    docs = ["a", "b", "c", "d"]
    runs, _ = Small({"x": {"1": docs}, "y": {"1": docs[::-1]}}, {"1": {}}, 1).tables()
    entries = [
        Entry("judge", "1", "a", 0, "ann"),
        Entry("cannot tell", "1", "b", None, "ann"),
        Entry("judge", "1", "a", 1, "bob"),
        Entry("judge", "1", "a", 1, "cid"),
        Entry("judge", "1", "c", 1, "llm", kind="machine"),
        Entry("judge", "1", "d", 0, "ann"),
        Entry("adjudicate", "1", "d", 1, "boss"),
        Entry("end", "", "", who="boss"),
    ]
    session = start(runs, "MoffatA(p=0.8)", entries)
    name = {runs.pairs.name(pair)[1]: pair for pair in range(len(runs.pairs))}
    assert session.grades == {name["a"]: 1, name["d"]: 1}
    assert session.judged.spent == {name["b"]}
    assert session.elsewhere == []
    assert [choice.pair for choice in session.ask(4)] == [name["c"]]
