"""Ledgers: whole lines are kept, half a line is dropped, what is no ledger is left alone."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.io.problems import InputError
from leadline.judging.ledger import Entry, FileLedger, read_ledger

NAMES = st.text(min_size=1, max_size=8)
ENTRIES = st.one_of(
    st.builds(Entry, st.just("judge"), NAMES, NAMES, st.integers(0, 9), NAMES, note=NAMES),
    st.builds(Entry, st.just("skip"), NAMES, NAMES, asked=st.integers(0, 99)),
    st.builds(Entry, st.just("undo"), NAMES, NAMES),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


def write(path: Path, *entries: Entry) -> None:
    ledger = FileLedger(path)
    for entry in entries:
        ledger.append(entry)
    ledger.close()


@given(entries=st.lists(ENTRIES, max_size=5), cut=st.integers(0, 10_000))
def test_a_file_cut_anywhere_keeps_its_whole_lines_and_goes_on(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Entry], cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "ledger.jsonl"
    write(path, *entries)
    assert read_ledger(path).entries == entries
    data = path.read_bytes()[:cut]
    path.write_bytes(data)
    whole = entries[: data.count(b"\n")]
    assert read_ledger(path).entries == whole
    assert path.read_bytes() == data, "reading changes nothing"
    more = Entry("judge", "1", "d", 1)
    write(path, more)
    assert read_ledger(path).entries == [*whole, more]


def test_a_line_is_an_object_without_what_is_empty(path: Path) -> None:
    write(path, Entry("judge", "1", "d", 0))
    assert json.loads(path.read_text()) == {"act": "judge", "topic": "1", "doc": "d", "grade": 0}


def test_an_entry_is_on_the_disk_when_append_returns(path: Path) -> None:
    ledger = FileLedger(path)
    for number in range(3):
        ledger.append(Entry("judge", "1", f"d{number}", 1))
        assert len(read_ledger(path).entries) == number + 1
    ledger.close()


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"no newline at all",
            b"1 0 d 1\n",
            b'{"act": "dance"}\n',
            b"[1]\n",
            b"\xff\xfe\n",
            b"\n",
        ),
        *(b"\0\n", b'{"act": ' * 100_000 + b"\n", b'{"act": "skip", "act": "undo"}\n'),
    ],
)
def test_what_is_no_ledger_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is no ledger"):
        FileLedger(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "row",
    [
        {"act": "judge", "topic": "1", "doc": "d"},
        {"act": "judge", "topic": "1", "doc": "d", "grade": -1},
        {"act": "judge", "topic": "1", "doc": "d", "grade": 1.5},
        {"act": "judge", "topic": 1, "doc": "d", "grade": 1},
        {"act": "judge", "topic": "1", "doc": "d", "grade": 1, "colour": "red"},
        {"act": "judge", "topic": "1", "doc": "d", "grade": 10**30},
        {"act": "judge", "topic": "1", "doc": "d", "grade": 32768},
        {"act": "judge", "topic": "1", "doc": "d", "grade": "high"},
        {"act": "judge", "topic": "1", "doc": "d", "grade": True},
        {"act": "judge", "topic": "1", "doc": "d", "grade": float("inf")},
        {"act": "skip", "topic": "1", "doc": "d", "grade": 10**9},
        {"act": "judge", "topic": "1", "doc": None, "grade": 1},
        {"act": "judge", "topic": "", "doc": "d", "grade": 1},
        {"act": ["judge"], "topic": "1", "doc": "d", "grade": 1},
        {"act": "skip", "topic": "1", "doc": "d", "asked": "many"},
        {"act": "skip", "topic": "1", "doc": "d", "asked": -1},
        {"act": "skip", "topic": "1", "doc": "d", "asked": 10**30},
        {"act": "skip", "topic": "1", "doc": "d", "seconds": float("nan")},
        {"act": "skip", "topic": "1", "doc": "d", "seconds": "long"},
        {"act": "skip", "topic": "1", "doc": "d", "who": 5},
        {"act": "skip", "topic": "1", "doc": "\ud800"},
    ],
)
def test_an_entry_that_makes_no_sense_is_named_with_its_line(
    path: Path, row: dict[str, object]
) -> None:
    write(path, Entry("skip", "1", "c"))
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")
    with pytest.raises(ValueError, match=r"ledger\.jsonl:2: is no ledger entry"):
        read_ledger(path)


def test_two_sessions_cannot_hold_one_file(path: Path) -> None:
    first = FileLedger(path)
    with pytest.raises(ValueError, match="in use by another session"):
        FileLedger(path)
    first.close()
    FileLedger(path).close()


def test_a_device_and_a_pipe_are_no_ledger(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for odd in (Path("/dev/zero"), pipe):
        for use in (read_ledger, FileLedger):
            with pytest.raises(InputError, match="is no plain file to keep answers in"):
                use(odd)
