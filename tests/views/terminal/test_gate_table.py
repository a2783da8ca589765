"""What a gate says in a terminal: names whole and numbers there at 80 columns."""

from pathlib import Path

import pytest

from leadline.api.gate import gate
from leadline.io.datasets import COLLECTION
from leadline.stats.gate import GateOutcome
from leadline.views.gate import gate_table, in_words, number, sentences, span
from tests.views.terminal.printed import text_of


@pytest.fixture(scope="module")
def undecided(tmp_path_factory: pytest.TempPathFactory) -> GateOutcome:
    path: Path = tmp_path_factory.mktemp("slices") / "topics.tsv"
    lines = [f"{topic}\t{'a few' if topic < 6 else 'others'}" for topic in range(1, 21)]
    path.write_text("\n".join(["topic\tslice", *lines, ""]))
    return gate(COLLECTION, baseline="corran-lsa60", new="greyness-fusion", slices=path).outcome


def test_all_of_it_is_there_at_80_columns(undecided: GateOutcome) -> None:
    text = text_of(gate_table(undecided), 80)
    assert max(map(len, text.splitlines())) <= 80
    for word in ("nDCG@10", "a few", "others", "undecided", "combined lower", "bounds", "P(worse)"):
        assert word in text
    row = undecided.rows[0]
    for cell in (number(row.difference), number(row.combined_lower), span(row.lower, row.upper)):
        assert cell in text


def test_sentences_say_what_would_decide_and_which_slice_is_worst(undecided: GateOutcome) -> None:
    said = "\n".join(sentences(undecided))
    assert said.startswith(
        "undecided: by nDCG@10, it is open whether greyness-fusion is worse than"
    )
    assert "topics like these instead of 20" in said
    assert f"worst on the slice {undecided.worst_slices['nDCG@10']}" in said


def test_documents_come_with_their_ranks(undecided: GateOutcome) -> None:
    text = text_of(gate_table(undecided), 80)
    assert ("judge these first" in text) == (len(undecided.documents) > 0)


def test_dashes_where_nothing_is_known() -> None:
    assert (number(None), span(None, 1.0), in_words("not_worse")) == ("-", "-", "not worse")
