"""The contract of formats holds for ours, and sees what breaks it."""

import io
import json
from dataclasses import dataclass
from typing import ClassVar

import polars as pl
import pytest

from leadline.contracts import Violation, check_format
from leadline.contracts.formats import OTHERS, QRELS, RUN
from leadline.io.formats import FileFormat, Reading, formats
from leadline.io.rows import Rows
from leadline.io.source import Source
from leadline.io.trec import TrecRun
from tests.contracts.examples import known


def lines(says: dict[str, dict[str, float]], text: str) -> bytes:
    """One line a document; text names topic, doc and number."""
    return "".join(
        text.format(topic=topic, doc=doc, number=number) + "\n"
        for topic, docs in says.items()
        for doc, number in docs.items()
    ).encode()


def parquet(says: dict[str, dict[str, float]], column: str) -> bytes:
    rows = [(topic, doc, number) for topic, docs in says.items() for doc, number in docs.items()]
    held = io.BytesIO()
    pl.DataFrame(rows, schema=["qid", "docno", column], orient="row").write_parquet(held)
    return held.getvalue()


def json_line(key: str) -> str:
    return f'{{{{"query_id": "{{topic}}", "doc_id": "{{doc}}", "{key}": {{number}}}}}}'


def predictions(says: dict[str, dict[str, float]]) -> bytes:
    return json.dumps({"mteb_model_meta": {}, "default": {"test": says}}).encode()


CELLS = "{topic},{doc},{number}"
FILES: dict[str, dict[str, bytes]] = {
    "TrecRun": {"run": OTHERS["TrecRun"][1]},
    "TrecQrels": {"qrels": OTHERS["TrecQrels"][1]},
    "Csv": {
        "run": b"qid,docno,score\n" + lines(RUN, CELLS),
        "qrels": b"qid,docno,label\n" + lines(QRELS, CELLS),
    },
    "Tsv": {
        "run": b"qid\tdocno\tscore\n" + lines(RUN, CELLS.replace(",", "\t")),
        "qrels": b"qid\tdocno\tlabel\n" + lines(QRELS, CELLS.replace(",", "\t")),
    },
    "JsonLines": {"run": lines(RUN, json_line("score")), "qrels": lines(QRELS, json_line("label"))},
    "RanxJson": {"run": json.dumps(RUN).encode(), "qrels": json.dumps(QRELS).encode()},
    "HeadlessTable": {"run": lines(RUN, CELLS), "qrels": lines(QRELS, CELLS)},
    "MtebPredictions": {"run": predictions(RUN), "qrels": predictions(QRELS)},
    "Parquet": {"run": parquet(RUN, "score"), "qrels": parquet(QRELS, "label")},
}


@pytest.mark.parametrize("name", FILES)
def test_our_own_formats_keep_their_promises(name: str) -> None:
    check_format(name, **FILES[name])  # type: ignore[arg-type]


@dataclass(frozen=True)
class Toy(FileFormat):
    """A run behind a first line of its own, with a fault that a test chooses.

    Formula: %toy, then topic doc score
    """

    fault: ClassVar[str] = ""

    def looks_like(self, source: Source) -> bool:
        if self.fault == "greedy":
            return bool(source.head)
        return source.head.startswith(b"%toy") or self.fault == "everything"

    def read_run(self, source: Source, reading: Reading) -> Rows:
        rows = [line.split() for line in source.data.decode().splitlines()[1:]]
        score = [float(row[2]) + (self.fault == "wrong") for row in rows]
        columns = {"topic": [row[0] for row in rows], "doc": [row[1] for row in rows]}
        return Rows.of_frame(pl.DataFrame({**columns, "run_score": score}))


SAYS = {
    "": "by an InputError, not raise",
    "wrong": "instead of",
    "greedy": "claims a file of|does not know its own|claims the file",
    "everything": "claims a file of|claims the file",
}


@pytest.mark.parametrize("fault", SAYS)
def test_a_faulty_format_is_seen(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    run = b"%toy\n" + lines(RUN, "{topic} {doc} {number}")
    # Of a registered format an object without parameters is made.
    monkeypatch.setattr(Toy, "fault", fault)
    toy = known(monkeypatch, formats, Toy())
    with pytest.raises(Violation, match=SAYS[fault]):
        check_format(toy, run=run)


def test_a_file_must_be_given_for_what_it_holds() -> None:
    with pytest.raises(Violation, match="give a file"):
        check_format("Csv")
    with pytest.raises(Violation, match="give qrels"):
        check_format(TrecRun(), **FILES["TrecRun"], qrels=b"1 0 a 1\n")
