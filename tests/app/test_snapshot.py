"""What the organiser sees is made once for each change, and says what the room knows."""

import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from leadline.app import snapshot
from leadline.app.room import Assessor
from leadline.app.site import Site
from leadline.app.snapshot import Said, Snapshots

ANN, BOB = Assessor("ann"), Assessor("bob")
MACHINE = Assessor("llm", "machine")


def judge(site: Site, who: Assessor, grade: int | None, note: str = "") -> int:
    room = site.judging.room
    pair = room.next(who)
    assert pair is not None
    room.judge(who, pair, grade, note)
    return pair


def test_it_is_made_once_however_many_look(site: Site) -> None:
    snapshots = Snapshots(site.judging)
    first = snapshots.now()
    assert snapshots.now() is first
    judge(site, ANN, 1)
    after = snapshots.now()
    assert after["version"] > first["version"]
    assert (first["judged"], after["judged"]) == (0, 1)
    assert json.loads(json.dumps(after, allow_nan=False)) == after


def test_runs_stand_as_the_room_has_them(site: Site) -> None:
    judge(site, ANN, 1)
    standing = site.judging.room.state.session.standing
    made = Snapshots(site.judging).now()
    rows = {row["run"]: row for row in made["runs"]}
    assert set(rows) == {"a", "b"}
    for at, name in enumerate(standing.runs.names):
        assert rows[name]["lower"] == pytest.approx(standing.base[at], abs=1e-6)
        assert rows[name]["upper"] == pytest.approx(standing.upper[at], abs=1e-6)
    leader = standing.runs.names[standing.leader]
    assert [name for name, row in rows.items() if row["leads"]] == [leader]
    assert rows[leader]["ahead"] is None
    assert made["runs"][0]["may"]
    assert made["falling"][-1][0] == 1


def test_assessors_are_counted_most_judgments_first(site: Site) -> None:
    judge(site, BOB, None)
    judge(site, ANN, 1)
    made = Snapshots(site.judging).now()["assessors"]
    assert [(row["who"], row["judged"], row["cannot_tell"]) for row in made] == [
        ("ann", 1, 0),
        ("bob", 0, 1),
    ]


def test_machines_and_people_are_never_mixed(site: Site) -> None:
    judge(site, ANN, 1)
    judge(site, MACHINE, 0)
    made = Snapshots(site.judging).now()
    assert made["machine_judgments"] == 1
    (pair,) = made["agreement"]["pairs"]
    assert (pair["machine"], pair["n"], pair["same"]) == (True, 1, 0.0)
    # One person alone agrees with nobody.
    assert made["agreement"]["alpha_pairs"] == 0
    assert made["agreement"]["alpha"] is None


def test_disputes_show_who_said_what(site: Site) -> None:
    room = site.judging.room
    room.rules = replace(room.rules, per_pair=2)
    room._rebuild()
    pair = judge(site, ANN, 1, "sure")
    assert judge(site, BOB, 0) == pair
    made = Snapshots(site.judging).now()
    assert made["disputed"] == 1
    (dispute,) = made["disputes"]
    assert (dispute["topic"], dispute["doc"]) == room.state.name(pair)
    assert [(v["who"], v["grade"], v["note"]) for v in dispute["votes"]] == [
        ("ann", 1, "sure"),
        ("bob", 0, ""),
    ]


@pytest.mark.parametrize(("stale", "n"), [(1e9, 0), (-1.0, 1)])
def test_agreement_is_not_computed_at_every_judgment(
    site: Site, monkeypatch: pytest.MonkeyPatch, stale: float, n: int
) -> None:
    monkeypatch.setattr(snapshot, "STALE", stale)
    snapshots = Snapshots(site.judging)
    judge(site, ANN, 1)
    snapshots.now()
    judge(site, MACHINE, 0)
    assert len(snapshots.now()["agreement"]["pairs"]) == n


def test_agreement_is_news_once_it_is_old_though_nobody_judges_on(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "STALE", 1e9)
    snapshots = Snapshots(site.judging)
    judge(site, ANN, 1)
    snapshots.now()
    judge(site, MACHINE, 0)
    old = snapshots.now()
    assert (old["agreement"]["pairs"], snapshots.version) == ([], old["version"])
    monkeypatch.setattr(snapshot, "STALE", -1.0)
    assert snapshots.version > old["version"]
    new = snapshots.now()
    assert len(new["agreement"]["pairs"]) == 1
    assert snapshots.version == new["version"], "what was told is no news"
    assert snapshots.now() is new


def test_how_sure_it_is_who_is_best_is_made_meanwhile_and_then_something_new(site: Site) -> None:
    snapshots = Snapshots(site.judging)
    assert snapshots.now()["outlook"] is None
    judge(site, ANN, 1)
    before = snapshots.now()
    assert before["outlook"] is None
    assert snapshots._worker is not None
    snapshots._worker.join(30)
    assert snapshots.version > before["version"]
    told = snapshots.now()["outlook"]
    assert told["certainty"] in ("certain", "likely", "open")
    assert told["leader"] in site.judging.room.state.session.runs.names
    assert told["to_certain"] >= told["to_likely"] >= 0


def test_nobody_waits_while_agreement_is_counted(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshots, judged = Snapshots(site.judging), []
    judge(site, ANN, 1)
    agreement = Said.agreement

    def meanwhile(said: Said) -> dict[str, Any]:
        other = threading.Thread(target=lambda: judged.append(judge(site, BOB, 1)))
        other.start()
        other.join(10)
        return agreement(said)

    monkeypatch.setattr(Said, "agreement", meanwhile)
    assert snapshots.now()["judged"] == 1
    assert len(judged) == 1
