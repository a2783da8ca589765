"""Hours and counts: breaks left out, what was undone counted as work, names that no sheet runs."""

from leadline.app.gold import GoldAnswer
from leadline.app.quality import days, hours_csv
from leadline.judging.ledger import Entry


def entry(act: str, time: str, who: str = "ann", **more: object) -> Entry:
    grade = 1 if act == "judge" else None
    more = {"asked": 1, "seconds": 20.0, **more}
    return Entry(act, "1", f"d{time}", grade, who, f"2026-03-0{time}+00:00", **more)  # type: ignore[arg-type]


def test_work_is_from_act_to_act_without_breaks() -> None:
    entries = [
        entry("judge", "1T10:00:00"),
        entry("judge", "1T10:01:00"),
        entry("cannot tell", "1T10:03:00"),
        entry("judge", "1T11:00:00"),
        entry("undo", "1T11:00:30", seconds=None),
        entry("skip", "2T09:00:00", seconds=None),
    ]
    first, second = days(entries, [])
    assert (first.judged, first.cannot_tell, first.undone, second.skipped) == (3, 1, 1, 1)
    # 20 for the first, 60 and 120 to the next two, 20 after a break, 30 to the undo.
    assert first.work == 20 + 60 + 120 + 20 + 30
    assert (first.in_view, second.work) == (80, 0)


def test_gold_is_work_and_what_was_imported_is_not() -> None:
    answer = GoldAnswer("1", "g", "ann", 1, 1, False, "2026-03-01T10:01:00+00:00", 30.0)
    found = days([entry("judge", "1T10:00:00"), entry("judge", "1T10:30:00", asked=None)], [answer])
    assert [(day.judged, day.gold, day.work) for day in found] == [(1, 1, 80.0)]


def test_as_csv() -> None:
    made = hours_csv([entry("judge", "1T10:00:00", who="=cmd()")], [])
    assert made.splitlines() == [
        "who,kind,day,judged,cannot_tell,skipped,undone,gold,hours,in_view",
        "'=cmd(),person,2026-03-01,1,0,0,0,0,0.01,0.01",
    ]
