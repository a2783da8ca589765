"""What a judgment from elsewhere must be like besides: nothing odd, nothing endless."""

from datetime import datetime

from leadline.judging.ledger import Entry

LONGEST_NAME = 500
LONGEST_PERSON = 200
LONGEST_TIME = 40
LONGEST_WORDS = 100_000
MOST_SECONDS = 10_000_000
"""More would be no time that somebody looked at a document, and sums of it no numbers."""


def fault(entry: Entry, now: str) -> str | None:
    """What is wrong with an entry, None if nothing is; `now` is the time where none was given.

    >>> fault(Entry("judge", "1", "d", 1, "ann", "soon"), "now")
    "has a time that is none, such as 2030-01-31T12:00: 'soon'"
    """
    if any(not each.isprintable() for each in (entry.who, entry.topic, entry.doc)):
        return "has a name with odd characters"
    if max(len(entry.topic), len(entry.doc)) > LONGEST_NAME or len(entry.who) > LONGEST_PERSON:
        return f"has a name of more than {LONGEST_NAME} characters, or {LONGEST_PERSON} of a person"
    if max(len(entry.note), len(entry.model), len(entry.prompt)) > LONGEST_WORDS:
        return f"has a note of more than {LONGEST_WORDS:,} characters"
    if any("\0" in each for each in (entry.note, entry.model, entry.prompt)):
        return "has a NUL in its words, which no database takes"
    if (entry.seconds or 0) > MOST_SECONDS:
        return f"took {entry.seconds:.3g} seconds; {MOST_SECONDS:,} are believed"
    if entry.time != now and not is_time(entry.time):
        return f"has a time that is none, such as 2030-01-31T12:00: {entry.time!r:.60}"
    return None


def is_time(text: str) -> bool:
    """Whether a text is a date and time, or a date.

    >>> is_time("2030-01-31T12:00:00.123+00:00"), is_time("2030-01-31T12:00Z"), is_time("")
    (True, True, False)
    """
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return len(text) <= LONGEST_TIME
