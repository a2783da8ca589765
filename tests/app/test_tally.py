"""An assessor's counts, and a pace without breaks."""

from leadline.app.quality import LONGEST_PAUSE, RECENT, Tally
from leadline.judging.ledger import Act, Entry


def act(what: Act, minute: float, seconds: float | None = None) -> Entry:
    time = (
        f"2030-01-01T{int(minute // 60):02}:{int(minute % 60):02}:{int(minute * 60 % 60):02}+00:00"
    )
    return Entry(what, "1", "a", 1 if what == "judge" else None, "ann", time, seconds=seconds)


def test_acts_are_counted_by_kind_and_taken_back() -> None:
    tally = Tally("ann")
    acts = [act("judge", 0, 10.0), act("cannot tell", 1, 20.0), act("skip", 2, 99.0)]
    for each in acts:
        tally.add(each)
    assert (tally.judged, tally.cannot_tell, tally.skipped, tally.undone) == (1, 1, 1, 0)
    # Time spent on what was put off is no time of a judgment.
    assert tally.mean_seconds == 15.0
    for each in acts:
        tally.take_back(each)
    assert (tally.judged, tally.cannot_tell, tally.skipped, tally.undone) == (0, 0, 0, 3)
    assert tally.mean_seconds is None


def test_the_pace_leaves_breaks_out() -> None:
    tally = Tally("ann")
    tally.add(act("judge", 0))
    assert tally.per_hour is None
    for minute in (1, 2, 60, 61):
        tally.add(act("judge", minute))
    # Three pauses of a minute count, the long one does not.
    assert LONGEST_PAUSE < 58 * 60
    assert tally.per_hour == 60.0


def test_only_late_judgments_make_the_pace() -> None:
    tally = Tally("ann")
    for minute in range(10):
        tally.add(act("judge", 5 * minute))
    for number in range(RECENT):
        tally.add(act("judge", 100 + number / 2))
    assert tally.per_hour == 120.0


def test_a_time_that_cannot_be_read_stops_nothing() -> None:
    tally = Tally("ann")
    for _ in range(2):
        tally.add(Entry("judge", "1", "a", 1, "ann", "yesterday"))
    assert tally.per_hour is None
