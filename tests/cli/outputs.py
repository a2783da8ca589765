"""Every way in which a verb writes files, and what is found there afterwards."""

import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from leadline.app.database import Database, sqlite_url
from leadline.app.opening import DATABASE
from leadline.io.datasets import COLLECTION
from leadline.io.problems import Notices
from leadline.judging.project import Project, write_project
from leadline.labels.asking import AnswerCache, digest_of
from leadline.labels.client import Answer
from leadline.labels.prompt import DocumentReader, pair_texts
from tests.cli.program import verb_commands
from tests.labels.chat_server import collection as texts

QUICK = ("-m", "P@5")
RETRIEVER = ("--retriever", "{in}/search.py:search")
READ_ONLY = {
    *("simulate", "labels", "common", "docs", "entrant", "estimates", "files", "groups", "intents"),
    *("only", "pool", "previous", "prompt", "restore", "slices", "subtopic_docs", "topics"),
    "reference",
}
"""Parameters that take the path of what is read: every other path is written to."""

APPENDED = {("next", "ledger"), ("label", "cache")}
"""Kept line by line, with tests of their own: test_interactive.py and test_label.py kill them."""


@dataclass(frozen=True)
class Output:
    """A verb's arguments, with {out} for the folder that it writes to, and the files it writes.

    `renewed`: the files take the place of older ones; else there must be none. `option` is the
    parameter that names them, `code` what it ends with when all went well. `needs`: another file
    that it cannot do without, and may name instead where no file can grow. `timed` matches what
    tells how long something took, which is another thing every time.
    """

    name: str
    arguments: tuple[str, ...]
    files: tuple[str, ...]
    renewed: bool = True
    option: str = "output"
    code: int = 0
    needs: str = ""
    timed: bytes = b""

    @property
    def before(self) -> bytes | None:
        """What each of its files holds before."""
        return OLD.encode() if self.renewed else None


def _table(verb: str, *arguments: str, suffix: str = ".csv") -> Output:
    file = f"table{suffix}"
    return Output(f"{verb}{suffix}", (verb, *arguments, "-o", f"{{out}}/{file}"), (file,))


def _statistics(verb: str, *arguments: str) -> Output:
    words = (verb, "{sea}", *arguments, "--statistics", "{out}/w.parquet")
    name = f"{verb} --statistics"
    return Output(name, words, ("w.parquet",), renewed=False, option="statistics")


def _chart(*words: str) -> Output:
    every = (*words, "--chart", "{out}/chart.svg")
    return Output(f"{words[0]} --chart", every, ("chart.svg",), option="chart")


ASKED = ("--model", "m", "--pool", "{in}/asked/pool.csv", "--cache", "{in}/asked/answers.jsonl")
LABELLED = ("label", "{in}/asked", *ASKED)
"""All of it was answered before, so that nobody is asked."""

GATED = ("gate", "{in}", *QUICK, "--baseline", "a", "--new", "b", "--margin", "1")
AUDITED = ("audit", "{in}/qrels.txt", "{in}", "--reference", "{in}/qrels.txt", *QUICK)
EXPLAINED = ("--run", "anstey-bm25", "--topic", "1")
OUTPUTS = [
    _table("evaluate", "{in}", *QUICK),
    _table("evaluate", "{in}", *QUICK, suffix=".parquet"),
    _table("evaluate", "{in}", *QUICK, suffix=".md"),
    _table("explain", "{sea}", *EXPLAINED, suffix=".json"),
    _table("lint", "{in}/qrels.txt", suffix=".tsv"),
    _table("list", suffix=".tex"),
    _table(*LABELLED),
    Output(
        "label --qrels-out",
        (*LABELLED, "--qrels-out", "{out}/q.txt"),
        ("q.txt",),
        option="qrels_out",
    ),
    _table(*AUDITED),
    _table(*AUDITED, suffix=".html"),
    _table("plan", "{in}", "--budget", "6", *QUICK),
    _table("pool", "{in}"),
    _table("next", "{in}", "--budget", "5"),
    _table("estimate", "{in}", *QUICK, "-e", "LowerBound"),
    _table("adjust", "{in}", "--new", "c", *QUICK, "--pool-depth", "3"),
    _table("compare", "{in}", *QUICK),
    _table(*GATED),
    _table(*GATED, suffix=".xml"),
    Output("gate --junit", (*GATED, "--junit", "{out}/j.xml"), ("j.xml",), option="junit"),
    Output("gate --markdown", (*GATED, "--markdown", "{out}/m.md"), ("m.md",), option="markdown"),
    Output(
        "gate --judge-next",
        (*GATED, "--judge-next", "{out}/t.csv"),
        ("t.csv",),
        option="judge_next",
    ),
    _table("correlate", "{in}/a.csv", "{in}/b.csv"),
    Output(
        "run",
        ("run", "{sea}/topics.tsv", *RETRIEVER, "-o", "{out}/table.run"),
        ("table.run",),
    ),
    Output(
        "run --chart",
        ("run", "{sea}/topics.tsv", *RETRIEVER, "--chart", "{out}/chart.svg"),
        ("chart.svg",),
        option="chart",
    ),
    _table("merge", "{in}/qrels.txt", "{sea}/qrels.txt.gz"),
    _table("report", "{in}", *QUICK, suffix=".html"),
    Output(
        "order --qrels-out",
        ("next", "{in}", "--simulate", "{in}/qrels.txt", "--qrels-out", "{out}/q.txt"),
        ("q.txt",),
        option="qrels_out",
    ),
    Output(
        "order --certificate",
        (
            *("next", "{in}", "--order", "SampledBatches(aim='a,b')", "--budget", "5"),
            *("--simulate", "{in}/qrels.txt", "--certificate", "{out}/c.json"),
        ),
        ("c.json",),
        option="certificate",
    ),
    Output(
        "plan --page",
        ("plan", "{in}", "--budget", "6", *QUICK, "--page", "{out}/page.html"),
        ("page.html",),
        option="page",
    ),
    _chart("evaluate", "{in}", *QUICK),
    _chart("explain", "{sea}", *EXPLAINED),
    _chart("plan", "{in}", "--budget", "6", *QUICK),
    _chart("pool", "{in}"),
    _chart(*AUDITED),
    _chart("next", "{in}", "--simulate", "{in}/qrels.txt"),
    _chart("estimate", "{in}", *QUICK, "-e", "LowerBound"),
    _chart("adjust", "{in}", "--new", "c", *QUICK, "--pool-depth", "3"),
    _chart("compare", "{in}", *QUICK),
    _chart(*GATED),
    _chart("correlate", "{in}/a.csv", "{in}/b.csv"),
    _chart("merge", "{in}/qrels.txt", "{sea}/qrels.txt.gz"),
    _statistics("evaluate", "-m", "DELTArb@5"),
    _statistics("explain", *EXPLAINED),
    _statistics("estimate", *QUICK, "-e", "Regression(text=true)"),
    Output(
        "reproduce",
        ("reproduce", "moffat07", "{in}", "--quick", "-o", "{out}"),
        ("table2.csv", "certainty.csv", "report.html"),
        option="folder",
    ),
    Output(
        "benchmark",
        (
            "benchmark",
            "{in}",
            "--task",
            "best",
            *QUICK,
            "--budget",
            "3",
            "--draws",
            "1",
            "-o",
            "{out}",
        ),
        ("draws.csv", "tiers.csv", "benchmark.html"),
        option="folder",
        timed=rb"(?<=<td>)[0-9.]+(?=</td></tr>)",
    ),
    Output(
        "demo",
        ("demo", "-o", "{out}"),
        ("pool.csv", "scores.csv", "labels.csv", "audit.html", "report.html"),
        option="folder",
    ),
    Output("demo --copy", ("demo", "--copy", "{out}/sea"), ("sea",), False, option="copy"),
    Output(
        "judge --init",
        ("judge", "{out}", "--init", "--title", "x", "--runs", "{in}/runs"),
        ("judge.toml",),
        renewed=False,
        option="folder",
    ),
    Output(
        "judge --links",
        ("judge", "{in}/project", "--invite", "ann", "--links", "{out}/links.csv"),
        ("links.csv",),
        option="links",
        needs="judgments.sqlite",
        timed=rb"/invitation/.*",
    ),
    Output(
        "pool --per-run",
        ("pool", "{in}", "--per-run", "{out}/runs.csv"),
        ("runs.csv",),
        option="per_run",
    ),
    Output(
        "lint --per-group",
        ("lint", "{sea}", "--per-group", "{out}"),
        ("Anstey.txt",),
        option="per_group",
    ),
    Output(
        "judge --backup",
        ("judge", "{in}/project", "--backup", "{out}/b.gz"),
        ("b.gz",),
        option="backup",
        needs="judgments.sqlite",
    ),
    # An address that is none ends it where it would begin to serve.
    Output(
        "judge --demo",
        ("judge", "{out}/sea", "--demo", "--address", "none"),
        ("sea",),
        renewed=False,
        option="folder",
        code=2,
    ),
]


def options_that_write() -> set[tuple[str, str]]:
    """Verbs and the parameters by which they are told where to write."""
    found = set()
    for verb, command in verb_commands().items():
        for each in command.declared:
            path = each.kind is Path or each.option.metavar in ("FILE", "PATH", "FOLDER")
            if (path or each.option.output) and each.name not in READ_ONLY:
                found.add((verb, each.name))
    return found - APPENDED


OLD = "old\n"


def collection(folder: Path) -> Path:
    """A small collection with two tables of scores, for verbs to read."""
    (folder / "runs").mkdir(parents=True)
    search = "def search(query, k=10):\n    return [f'd{at}' for at in range(k)]\n"
    (folder / "search.py").write_text(search)
    grades = {(topic, doc): (topic * doc) % 3 % 2 for topic in range(1, 6) for doc in range(12)}
    qrels = [f"{topic} 0 d{doc} {grade}\n" for (topic, doc), grade in grades.items() if doc % 4]
    (folder / "qrels.txt").write_text("".join(qrels))
    for at, run in enumerate("abc"):
        lines = [
            f"{topic} Q0 d{doc} 1 {(doc * (at + 3) * topic) % 13} {run}\n" for topic, doc in grades
        ]
        (folder / "runs" / run).write_text("".join(lines))
    for name, first in (("a.csv", 0.1), ("b.csv", 0.3)):
        rows = [f"{run},all,P@5,{first + at / 10}\n" for at, run in enumerate("abc")]
        (folder / name).write_text("run,topic,measure,value\n" + "".join(rows))
    _answer_all(folder / "asked")
    write_project(folder / "project", Project(runs="../runs"))
    Database(sqlite_url(folder / "project" / DATABASE)).close()
    return folder


def _answer_all(folder: Path) -> None:
    """Texts, a pool and the answers of a model to all that label asks."""
    _, pairs = texts(folder, 1, 3)
    room = DocumentReader.of(folder, {doc for _, doc in pairs})
    frame = pl.DataFrame(pairs, schema=["topic", "doc"], orient="row")
    with AnswerCache(folder / "answers.jsonl") as cache:
        for pair in pair_texts(frame, room, room.prompt(None, None), 8000, Notices()):
            asked = [{"role": "user", "content": pair.ask}]
            cache.add(digest_of("m", asked, 0.0, 0), Answer("grade: 1", date="2026-01-01"))


def arguments(output: Output, given: Path, out: Path) -> list[str]:
    """The words of its command."""
    words = {"{in}": str(given), "{out}": str(out), "{sea}": str(COLLECTION)}
    found = []
    for word in output.arguments:
        for mark, path in words.items():
            word = word.replace(mark, path)
        found.append(word)
    return found


def prepare(output: Output, out: Path) -> None:
    """An older file wherever one is to be renewed."""
    out.mkdir(parents=True, exist_ok=True)
    for name in output.files if output.renewed else ():
        (out / name).write_text(OLD)


def content(output: Output, out: Path) -> dict[str, bytes | None]:
    """What is in each of its files, folders as the names and bytes inside; None where none is."""
    found: dict[str, bytes | None] = {}
    for name in output.files:
        path = out / name
        if path.is_dir():
            inside = sorted(path.rglob("*"))
            parts = [
                os.fsencode(each.relative_to(path)) + each.read_bytes()
                for each in inside
                if each.is_file()
            ]
            found[name] = b"".join(parts)
        else:
            found[name] = path.read_bytes() if path.exists() else None
    if output.timed:
        return {n: f and re.sub(output.timed, b"so many seconds", f) for n, f in found.items()}
    return found


def found_there(
    output: Output, out: Path, made: dict[str, bytes | None], first: Path
) -> Counter[str]:
    """How many of its files are old, new, or neither, which is half.

    `made` is what it wrote in the folder `first`, whose name pages tell.
    """
    verdicts: Counter[str] = Counter()
    for name, now in content(output, out).items():
        new = made[name]
        if new is not None and name.endswith(".html"):
            new = new.replace(os.fsencode(first), os.fsencode(out))
        verdicts["old" if now == output.before else "new" if now == new else "half"] += 1
    return verdicts
