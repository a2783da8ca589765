"""Bad and odd inputs, each with what a reader would mean by it."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 0\n"
RUN = "1 Q0 a 1 9 t\n1 Q0 b 2 8 t\n2 Q0 d 1 7 t\n2 Q0 c 2 6 t\n"
PATTERN = {"1": "10", "2": "01"}
MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Case:
    """Qrels and a run; by topic the relevance of the list that is meant, None if none is.

    `n_relevant` is how many relevant documents a topic has, if not all of them are listed.
    """

    what: str
    qrels: bytes
    run: bytes
    meant: dict[str, str] | None = field(default_factory=lambda: PATTERN)
    n_relevant: dict[str, int] = field(default_factory=dict)
    suffix: str = ""

    def average_precision(self) -> float:
        """Mean AP of the lists that are meant."""
        assert self.meant is not None
        return sum(map(self._ap, self.meant)) / len(self.meant)

    def _ap(self, topic: str) -> float:
        assert self.meant is not None
        ranks = [rank for rank, mark in enumerate(self.meant[topic], 1) if mark == "1"]
        n = self.n_relevant.get(topic, len(ranks))
        return sum(number / rank for number, rank in enumerate(ranks, 1)) / n

    def rank_biased_precision(self) -> float:
        """Mean RBP(p=0.5) of the lists that are meant."""
        assert self.meant is not None
        lists = self.meant.values()
        sums = [sum(0.5**rank for rank, m in enumerate(each, 1) if m == "1") for each in lists]
        return sum(sums) / len(sums)


def _case(what: str, qrels: str | bytes = QRELS, run: str | bytes = RUN, **more: object) -> Case:
    as_bytes = [each.encode() if isinstance(each, str) else each for each in (qrels, run)]
    return Case(what, *as_bytes, **more)  # type: ignore[arg-type]


def _score(what: str, first: str, second: str = "8", meant: object = PATTERN) -> Case:
    """The two lists of the plain run with other scores in the first."""
    run = f"1 Q0 a 1 {first} t\n1 Q0 b 2 {second} t\n2 Q0 d 1 7 t\n2 Q0 c 2 6 t\n"
    return _case(what, run=run, meant=meant)


def _grade(what: str, grade: str, meant: object = None) -> Case:
    return _case(what, QRELS.replace("1 0 a 1", f"1 0 a {grade}"), meant=meant)


def _doc(what: str, name: str, meant: object = PATTERN) -> Case:
    """The first document by another name in both files."""
    qrels, run = QRELS.replace(" a ", f" {name} "), RUN.replace(" a ", f" {name} ")
    return _case(what, qrels, run, meant=meant)


CASES = [
    _case("plain files"),
    _case("byte order mark before the run", run=MARK + RUN.encode()),
    _case("byte order mark before the qrels", MARK + QRELS.encode()),
    _case("two byte order marks", MARK * 2 + QRELS.encode(), MARK * 2 + RUN.encode()),
    _case("lines that end in CR LF", QRELS.replace("\n", "\r\n"), RUN.replace("\n", "\r\n")),
    _case("lines that end in CR alone", QRELS.replace("\n", "\r"), RUN.replace("\n", "\r")),
    _case("a carriage return before the run", run="\r" + RUN),
    _case("tabs between fields", QRELS.replace(" ", "\t"), RUN.replace(" ", "\t")),
    _case("a form feed and a vertical tab between fields", run=RUN.replace(" Q0 ", "\fQ0\v")),
    _case(
        "several blanks between fields and around", run=RUN.replace(" ", "   ").replace("\n", " \n")
    ),
    _case("blank lines", QRELS.replace("\n", "\n\n"), "\n" + RUN),
    _case("a comment of six words in the run", run="# this run was made today\n" + RUN),
    _case("a comment of four words in the qrels", "# by two people\n" + QRELS),
    _case("no line feed at the end", QRELS.rstrip(), RUN.rstrip()),
    _case(
        "lines of a topic that do not stand together",
        run="\n".join(RUN.split("\n")[i] for i in (2, 0, 3, 1)) + "\n",
    ),
    _case(
        "ranks that contradict the scores",
        run=RUN.replace(" 1 9 ", " 2 9 ").replace(" 2 8 ", " 1 8 "),
    ),
    _case(
        "equal scores (docno from Z to A)",
        run=RUN.replace(" 8 ", " 9 "),
        meant={"1": "01", "2": "01"},
    ),
    _case("gzip, named .gz", run=gzip.compress(RUN.encode(), mtime=0), suffix=".gz"),
    _case("gzip, not named so", run=gzip.compress(RUN.encode(), mtime=0)),
    _case(
        "gzip, cut off",
        run=gzip.compress(RUN.encode() * 1, mtime=0)[:-12],
        suffix=".gz",
        meant=None,
    ),
    _case("an empty run", run="", meant=None),
    _case("empty qrels", "", meant=None),
    _case("a NUL byte inside a docno of the run", run=RUN.replace(" a ", " a\0x "), meant=None),
    _case("UTF-16", QRELS.encode("utf-16"), RUN.encode("utf-16"), meant=None),
    _case("run and qrels swapped", RUN, QRELS, meant=None),
    _case(
        "topics 001 in the qrels, 1 in the run",
        QRELS.replace("1 0", "001 0").replace("2 0", "002 0"),
        meant=None,
    ),
    _case(
        "a judged topic that the run lacks (counts 0)",
        run=RUN[: RUN.index("2 Q0")],
        meant={"1": "10", "2": ""},
        n_relevant={"2": 1},
    ),
    _case("a relevant document that is not returned", QRELS + "1 0 e 1\n", n_relevant={"1": 2}),
    _case("a document twice in one list", run=RUN + "2 Q0 c 3 5 t\n", meant=None),
    _case("two judgments that contradict each other", QRELS + "1 0 a 0\n", meant=None),
    _case("a judgment given twice, the same", QRELS + "1 0 a 1\n"),
    _case(
        "a line of the run with five fields",
        run=RUN.replace("1 Q0 a 1 9 t", "1 Q0 a 1 9"),
        meant=None,
    ),
    _case("a blank in a tag", run=RUN.replace(" t\n", " my run\n"), meant=PATTERN),
    _case("a blank in a docno of the run", run=RUN.replace(" a ", " a x "), meant=None),
    _case("a line of the qrels with three fields", QRELS.replace("1 0 a 1", "1 a 1"), meant=None),
    _score("score nan", "nan", meant=None),
    _score("score inf", "inf"),
    _score("score 1e999", "1e999"),
    _score("score of 60 digits", "9" * 60),
    _score("score +.9e1", "+.9e1"),
    _score("score high", "high", meant=None),
    _score("score 9,5", "9,5", meant=None),
    _score("score 1_0", "1_0", meant=None),
    _score("score 9x", "9x", meant=None),
    _score("score in Arabic digits", "\u0669"),
    _grade("grade 1.5", "1.5"),
    _grade("grade yes", "yes"),
    _grade("grade 1_0", "1_0"),
    _grade("grade of 30 digits", "9" * 30, PATTERN),
    _grade("grade 4294967296", "4294967296", PATTERN),
    _grade("grade in Arabic digits", "\u0661", PATTERN),
    _case("grade -1", QRELS.replace("1 0 b 0", "1 0 b -1")),
    _case("grade -2", QRELS.replace("1 0 b 0", "1 0 b -2")),
    _doc("docnos B and b", "B"),
    _doc("docno nan", "nan"),
    _case(
        "docnos 7 and 007",
        QRELS.replace(" a ", " 007 ").replace(" b ", " 7 "),
        RUN.replace(" a ", " 007 ").replace(" b ", " 7 "),
    ),
    _doc("docno with an open quotation mark", '"a'),
    _doc("docno with a no-break space", "a\u00a0x"),
    _doc("docno with U+2028", "a\u2028x"),
    _doc("docno with U+0085", "a\u0085x"),
    _doc("docno that begins with #", "#a"),
    _doc("docno of a megabyte", "x" * 1_000_000),
    _case(
        "docno in Latin-1",
        QRELS.replace(" a ", " \u00e9 ").encode("latin-1"),
        RUN.replace(" a ", " \u00e9 ").encode("latin-1"),
    ),
    _case("csv with a header", run="qid,docno,score\n1,a,9\n1,b,8\n2,d,7\n2,c,6\n"),
    _case(
        "JSON as ranx writes it",
        run='{"1": {"a": 9, "b": 8}, "2": {"d": 7, "c": 6}}',
        suffix=".json",
    ),
]
