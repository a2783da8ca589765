"""One grade from several people's judgments, in a room and in what is made of its ledger."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.app.database import Database
from leadline.app.exchange import export
from leadline.app.room import Assessor
from leadline.judging.ledger import Entry
from leadline.judging.merge import Merging, Votes, by_machine, merged
from leadline.judging.project import Rules
from tests.app.rooms import Clock, room_over, some_runs
from tests.tries import tries

LEDGER = [
    Entry("judge", "1", "a", 2, "ann", "2030-01-01", "good", 1, 3.5),
    Entry("judge", "1", "a", 0, "bob", "2030-01-02"),
    Entry("judge", "1", "a", 0, "cid", "2030-01-03"),
    Entry("judge", "1", "a", 3, "llm", "2030-01-04", kind="machine"),
    Entry("judge", "1", "b", 1, "ann", "2030-01-05"),
    Entry("undo", "1", "b", None, "ann", "2030-01-06"),
    Entry("judge", "1", "c", 1, "bob", "2030-01-07"),
    Entry("judge", "1", "c", 3, "ann", "2030-01-08"),
    Entry("cannot tell", "2", "d", None, "ann", "2030-01-09", "torn"),
    Entry("skip", "2", "e", None, "ann", "2030-01-09"),
]


def grades(rule: str, *more: Entry, **rules: object) -> dict[str, int]:
    merging = Merging(rule, **rules)  # type: ignore[arg-type]
    return {doc: grade for (_, doc), grade in merged([*LEDGER, *more], merging).items()}


def test_every_rule_says_what_it_says() -> None:
    assert grades("majority") == {"a": 0, "c": 1}
    assert grades("latest") == {"a": 0, "c": 3}
    assert grades("adjudicated") == {}
    decided = Entry("adjudicate", "1", "a", 2, "boss")
    assert grades("adjudicated", decided) == {"a": 2}
    assert grades("majority", decided)["a"] == 2
    assert grades("majority", decided, Entry("undo", "1", "a", None, "boss"))["a"] == 0
    with pytest.raises(ValueError, match="merge must be one of"):
        Merging("loudest")  # type: ignore[arg-type]


def test_machines_are_evidence_each_for_itself_and_never_merged() -> None:
    said = [
        Entry("judge", "1", "z", 2, "llm", "t", kind="machine"),
        Entry("judge", "1", "y", 1, "other", "t", kind="machine"),
        Entry("undo", "1", "y", None, "other", "t", kind="machine"),
        Entry("cannot tell", "1", "x", None, "llm", "t", kind="machine"),
    ]
    assert by_machine([*LEDGER, *said]) == {"llm": {"1": {"a": 3, "z": 2}}}
    assert grades("latest", *said) == grades("latest")


def test_a_pair_waits_for_as_many_as_the_rules_ask_for() -> None:
    assert grades("majority", per_pair=2) == {"a": 0, "c": 1}
    assert grades("majority", per_pair=3) == {"a": 0}
    # One who cannot tell has judged too.
    unsure = Entry("cannot tell", "1", "c", None, "cid", "2030-01-09")
    assert grades("majority", unsure, per_pair=3) == {"a": 0, "c": 1}


ACTS = st.one_of(st.integers(0, 2), st.sampled_from(["cannot tell", "undo", "decide"]))
WHO = [Assessor("ann"), Assessor("bob"), Assessor("cid"), Assessor("llm", "machine")]


@tries(20)
@given(
    per_pair=st.integers(1, 3),
    merge=st.sampled_from(["majority", "latest", "adjudicated"]),
    acts=st.lists(st.tuples(st.sampled_from(WHO), ACTS), max_size=25),
)
def test_an_export_holds_exactly_what_the_room_counts_as_judged(
    per_pair: int, merge: str, acts: list[tuple[Assessor, int | str]]
) -> None:
    rules = Rules(merge, per_pair, (0, 1, 2))  # type: ignore[arg-type]
    clock = Clock()
    room = room_over(Database("sqlite://"), some_runs(4), rules, "MoffatC(p=0.8)", clock=clock)
    for who, act in acts:
        clock.now += 1
        pair = room.next(who)
        if act == "undo":
            room.undo(who)
        elif pair is None:
            continue
        elif act == "decide":
            room.adjudicate(who, pair, 2)
        else:
            room.judge(who, pair, None if act == "cannot tell" else int(act))
    told = room.state.session.grades
    lines = [(*room.state.name(pair), grade) for pair, grade in told.items()]
    expected = "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in sorted(lines))
    assert export(room.ledger.entries, "qrels", rules) == expected


def test_disputes_are_kept_as_votes_come_and_go() -> None:
    votes: Votes[str] = Votes(Merging(per_pair=2))
    ann, ben = Entry("judge", "1", "d", 1, "ann"), Entry("judge", "1", "d", 0, "ben")
    votes.add("p", ann)
    assert votes.disputed() == []
    votes.add("p", ben)
    kept = votes.copy()
    assert votes.disputed() == ["p"]
    decided = Entry("adjudicate", "1", "d", 1, "boss")
    votes.add("p", decided)
    assert votes.disputed() == []
    votes.remove("p", decided)
    assert votes.disputed() == ["p"]
    votes.remove("p", ann)
    assert votes.disputed() == []
    assert kept.disputed() == ["p"]
    assert len(kept.of("p")) == 2
