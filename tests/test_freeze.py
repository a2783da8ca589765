"""What verbs answer is what tests/frozen.json says they answer, to six digits.

After a change that is meant: `python -m scripts.freeze keep DIR --digests`, and in changelog.d why.
"""

import base64
import gzip
from collections.abc import Iterable
from pathlib import Path

import pytest

from scripts.freeze import Answer, Digest, answer, case_of, read_digests, workplace
from scripts.frozen.cases import Case, cases
from scripts.frozen.difference import differ
from scripts.frozen.inputs import SOURCES, place, present
from scripts.frozen.tables import Table, read
from tests.cli.program import call


def in_this_process(words: tuple[str, ...]) -> Answer:
    done = call(*words)
    return Answer(done.code, done.out, done.err)


def changes(selected: Iterable[Case]) -> list[str]:
    """What of these is not as the digests have it; new outputs and columns may be there."""
    held, told = read_digests(), []
    for case in selected:
        code, tables = answer(case, in_this_process)
        frozen = {name: digest for name, digest in held.items() if case_of(name) == case.name}
        assert frozen, f"{case.name} has no digest"
        for name, digest in frozen.items():
            if name not in tables:
                told.append(f"{name} is missing, exit {code}")
            elif digest != Digest.of(code, tables[name], digest.columns):
                told.append(f"{name} has changed, exit {code}")
    return told


@pytest.fixture(autouse=True)
def one_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def test_on_the_demo_verbs_answer_as_before(tmp_path: Path) -> None:
    quick = [case for case in cases(["demo"]) if not case.slow]
    assert {case.words[0] for case in quick} >= {"evaluate", "pool", "next", "compare", "adjust"}
    with workplace(["demo"], tmp_path):
        assert changes(quick) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_verbs_answer_as_before(name: str, tmp_path: Path) -> None:
    if not present(name):
        pytest.skip(f"{place(name)} is not there")
    with workplace([name], tmp_path):
        assert changes(cases([name])) == []


OLD = Table(("run", "topic", "value"), (("a", "1", "0.5"), ("b", "1", "0.25"), ("c", "1", "x")))


def test_a_new_column_is_told_and_no_difference() -> None:
    new = Table(
        ("run", "judged", "topic", "value"),
        tuple((run, "1", topic, value) for run, topic, value in OLD.rows),
    )
    found = differ(OLD, new)
    assert found.equal
    assert found.words() == "equal; new columns judged"
    assert new.digest(OLD.columns) == OLD.digest(OLD.columns)


def test_cells_rows_and_columns_that_differ_are_counted() -> None:
    new = Table(OLD.columns, (("b", "1", "0.5"), ("c", "1", "y"), ("d", "1", "1")))
    words = differ(OLD, new).words()
    assert "1 of 3 rows missing, first ('a', '1', 'no. 1')" in words
    assert "1 new rows, first ('d', '1', 'no. 1')" in words
    assert "2 of 6 cells differ: value 2" in words
    assert "missing columns value" in differ(OLD, Table(("run", "topic"), ())).words()
    assert new.digest(OLD.columns) != OLD.digest(OLD.columns)
    assert "another order" in differ(OLD, Table(OLD.columns, OLD.rows[::-1])).words()


def test_the_last_digits_are_rounding_and_leave_the_digest() -> None:
    new = Table(OLD.columns, (("a", "1", "0.5000000000000001"), *OLD.rows[1:]))
    found = differ(OLD, new)
    assert found.rounding
    assert not found.equal
    assert found.largest == {"value": pytest.approx(1.1e-16, rel=0.01)}
    assert new.digest(OLD.columns) == OLD.digest(OLD.columns)


def test_a_page_is_its_tables_its_text_and_its_data() -> None:
    data = base64.b64encode(gzip.compress(b'{"mean": [0.5, null]}')).decode()
    page = (
        "<html><head><style>p{}</style></head><body><h1>Report</h1><table><caption>Runs</caption>"
        '<tr><th>run<th>score<th>p<tr><th>a</th><td data-csv="0.123">0.1</td><td>1'
        f"</table><script>let a = 1;</script><script>{data}</script>"
    )
    assert read(".html", page).rows == (
        ("table: Runs", "a | score", "0.123"),
        ("table: Runs", "a | p", "1"),
        ("text", "Report", ""),
        ("data", ".mean[0]", "0.5"),
    )


def test_where_the_demo_lies_and_what_version_it_is_do_not_matter() -> None:
    here, there = (f"a {path}/leadline/demo/collection b, numpy 2.{n}.1\n" for path, n in PLACES)
    assert read(".txt", here) == read(".txt", there)


PLACES = (("/usr/lib", 1), ("/home/me/src", 2))
