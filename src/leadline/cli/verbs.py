"""The verbs: the question that each answers, two ways to call it, and where its functions are."""

from typing import NamedTuple


class Verb(NamedTuple):
    """A verb on the command line.

    question: heads its group in --help.
    examples: two ways to call it.
    package: where its function in Python is; None if it has none.
    module: the module there and in `leadline.cli`, and the function in both; the verb unless given.
    """

    question: str
    examples: tuple[str, str]
    package: str | None = "leadline.api"
    module: str = ""


BEST = "Who is best?"
WORSE = "Is the new one worse?"
NEXT = "What should I judge next?"
CHEAP = "Is this judge any good, a language model for instance?"
DEEP = "What would scores be, were all judged?"
FILES = "Files, names and papers"

VERBS = {
    "evaluate": Verb(
        BEST, ("evaluate qrels.txt bm25.run dense.run -m nDCG@10", "evaluate FOLDER --wide --top 5")
    ),
    "compare": Verb(
        BEST, ("compare FOLDER -m nDCG@10", "compare FOLDER -m AP --baseline bm25 --correction bh")
    ),
    "report": Verb(
        BEST, ("report FOLDER -o report.html", "report FOLDER -m nDCG@10 -m AP -o report.html")
    ),
    "gate": Verb(
        WORSE,
        (
            "gate FOLDER --baseline bm25 --new dense -m nDCG@10",
            "gate FOLDER --baseline bm25 --new dense -m nDCG@10 --margin 0.02",
        ),
    ),
    "adjust": Verb(
        WORSE,
        (
            "adjust FOLDER --new dense -m P@10 --method Regression",
            "adjust FOLDER --new dense -m P@10 --method WebberSystems",
        ),
    ),
    "plan": Verb(
        NEXT,
        ("plan FOLDER --budget 500 --question best", "plan FOLDER --budget 500 --question scores"),
    ),
    "next": Verb(
        NEXT,
        ("next FOLDER --budget 50", "next FOLDER --interactive --stop 'WinnerLikely'"),
        module="next_judgments",
    ),
    "pool": Verb(
        NEXT,
        (
            "pool FOLDER -s 'Depth(d=10)' --unjudged",
            "pool none runs/*.run -s 'UniformSample(d=50, rate=0.3)'",
        ),
    ),
    "judge": Verb(NEXT, ("judge --demo", "judge --init FOLDER"), package=None),
    "audit": Verb(
        CHEAP,
        ("audit labels.csv --reference qrels.txt", "audit labels.csv --reference qrels.txt FOLDER"),
    ),
    "label": Verb(
        CHEAP,
        (
            "label FOLDER --model NAME --pool pool.csv -o labels.csv --dry-run",
            "label FOLDER --model NAME --pool pool.csv -o labels.csv",
        ),
    ),
    "correlate": Verb(
        CHEAP, ("correlate human.csv machine.csv", "correlate human.csv machine.csv --format json")
    ),
    "estimate": Verb(
        DEEP,
        (
            "estimate FOLDER -m 'RBP(p=0.8)' -e Regression",
            "estimate FOLDER -m P@10 -e Regression -e LowerBound --pool-depth 10",
        ),
    ),
    "lint": Verb(FILES, ("lint qrels.txt runs/*.run", "lint FOLDER/corpus.jsonl")),
    "list": Verb(FILES, ("list", "list measures"), package="leadline", module="listing"),
    "explain": Verb(
        FILES,
        (
            "explain FOLDER --run dense --topic 1 -m ABSnb@10",
            "explain FOLDER --run dense --topic 1 -m DELTAnb@10",
        ),
    ),
    "reproduce": Verb(
        FILES,
        ("reproduce lu17 FOLDER -o out --quick", "reproduce moffat07 FOLDER -o out --workers 2"),
        package="leadline.lab",
    ),
    "benchmark": Verb(
        FILES,
        (
            "benchmark FOLDER simulated/mixed -o out",
            "benchmark FOLDER --task best --entrant mine.py",
        ),
        package="leadline.lab.benchmark",
    ),
    "verify-certificate": Verb(
        FILES,
        ("verify-certificate certificate.json", "verify-certificate certificate.json --quiet"),
        module="verify_certificate",
    ),
    "demo": Verb(FILES, ("demo", "demo --copy sea")),
}
"""In the order of --help."""
