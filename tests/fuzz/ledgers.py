"""Targets for ledgers and imports: checked line by line before anything is used."""

import json

from leadline.app.exchange import export, read_judgments
from leadline.io.problems import InputError
from leadline.judging.ledger import FileLedger, read_ledger
from leadline.judging.order import orders
from leadline.judging.project import Grade
from leadline.judging.session import Session
from tests.fuzz.names import JUDGMENTS, RUNS
from tests.fuzz.target import may_refuse, scratch, target
from tests.reference.formats import field_lines, parse_qrels

SCALE = tuple(Grade(number, f"grade {number}") for number in range(4))


@target("ledger", share=90)
def ledger(data: bytes) -> None:
    """Entries that make sense and can be gone on from, or a refusal that leaves the file alone."""
    path = scratch(data, "ledger.jsonl")
    entries = None
    with may_refuse(path):
        entries = read_ledger(path).entries
    assert path.read_bytes() == data, "reading changes nothing"
    if entries is None:
        with may_refuse(path):
            FileLedger(path).close()
            raise AssertionError("taken to be written to, but not to be read")
        assert path.read_bytes() == data, "a refusal changes nothing"
        return
    for entry in entries:
        assert entry.grade is None or 0 <= entry.grade <= 32767
        assert json.loads(json.dumps(entry.topic)) == entry.topic
    session = Session(RUNS, ORDER, judgments=JUDGMENTS, ledger=read_ledger(path))
    assert len(session.ask(3)) <= 3
    with may_refuse():
        lines = field_lines(export(entries, "qrels").encode())
        assert lines == "empty" or all(len(fields) == 4 for _, fields in lines)


ORDER = orders.parse("CertainWinner(p=0.8)")


@target("import", "ledger", "qrels", share=30)
def imports(data: bytes) -> None:
    """Judgments to add: of the scale and with names, or a refusal with the line."""
    text = data.decode("utf-8", "replace")
    for form in ("qrels", "csv", "labelstudio"):
        with may_refuse():
            for entry in read_judgments(text, form, "me", "now", SCALE):
                assert entry.topic
                assert entry.doc
                assert entry.grade is None or entry.grade in range(4)
                assert entry.seconds is None or 0 <= entry.seconds < float("inf")
    parsed = parse_qrels(text.encode())
    try:
        read_judgments(text, "qrels", "me", "now", ())
    except InputError:
        return
    assert not parsed.faults, f"import takes what no reader takes: {parsed.faults}"
