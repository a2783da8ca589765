"""The verbs: their panel in --help, two ways to call each, and where its functions are."""

from typing import NamedTuple


class Verb(NamedTuple):
    """A verb on the command line.

    panel: heads its group in --help.
    examples: two ways to call it.
    package: where its function in Python is; None if it has none.
    module: the module there and in `leadline.cli`, and the function in both; the verb by default.
    """

    panel: str
    examples: tuple[str, str]
    package: str | None = "leadline.api"
    module: str = ""


MAIN = "Commands"
MORE = "More commands"

VERBS = {
    "evaluate": Verb(
        MAIN, ("evaluate qrels.txt bm25.run dense.run -m nDCG@10", "evaluate FOLDER --wide --top 5")
    ),
    "compare": Verb(
        MAIN, ("compare FOLDER -m nDCG@10", "compare FOLDER -m AP --baseline bm25 --correction bh")
    ),
    "report": Verb(
        MAIN, ("report FOLDER -o report.html", "report FOLDER -m nDCG@10 -m AP -o report.html")
    ),
    "run": Verb(
        MAIN,
        (
            "run FOLDER --retriever search:bm25 -o FOLDER/runs/bm25.run",
            "run topics.tsv --retriever search.py:dense --depth 100 -o dense.run",
        ),
    ),
    "gate": Verb(
        MAIN,
        (
            "gate FOLDER --baseline bm25 --new dense -m nDCG@10",
            "gate FOLDER --baseline bm25 --new dense -m nDCG@10 --margin 0.02",
        ),
    ),
    "next": Verb(
        MAIN,
        ("next FOLDER --budget 50", "next FOLDER --interactive --stop 'WinnerLikely'"),
        module="next_judgments",
    ),
    "judge": Verb(MAIN, ("judge --demo", "judge --init FOLDER"), package=None),
    "label": Verb(
        MAIN,
        (
            "label FOLDER --model NAME -o labels.csv --dry-run",
            "label FOLDER --model NAME --pool pool.csv -o labels.csv",
        ),
    ),
    "plan": Verb(
        MAIN,
        ("plan FOLDER --budget 500 --question best", "plan FOLDER --budget 500 --question scores"),
    ),
    "estimate": Verb(
        MORE,
        (
            "estimate FOLDER -m 'RBP(p=0.8)' -e Regression",
            "estimate FOLDER -m P@10 -e Regression -e LowerBound --pool-depth 10",
        ),
    ),
    "adjust": Verb(
        MORE,
        (
            "adjust FOLDER --new dense -m P@10 --method Regression",
            "adjust FOLDER --new dense -m P@10 --method WebberSystems",
        ),
    ),
    "pool": Verb(
        MORE,
        (
            "pool FOLDER -s 'Depth(d=10)' --unjudged",
            "pool none runs/*.run -s 'UniformSample(d=50, rate=0.3)'",
        ),
    ),
    "audit": Verb(
        MORE,
        ("audit labels.csv --reference qrels.txt", "audit labels.csv --reference qrels.txt FOLDER"),
    ),
    "lint": Verb(MORE, ("lint qrels.txt runs/*.run", "lint FOLDER/corpus.jsonl")),
    "merge": Verb(
        MORE,
        (
            "merge qrels.txt new.txt -o merged.txt",
            "merge qrels.txt new.csv --conflicts last -o merged.txt",
        ),
    ),
    "list": Verb(MORE, ("list", "list measures"), package="leadline", module="listing"),
    "explain": Verb(
        MORE,
        (
            "explain FOLDER --run dense --topic 1 -m ABSnb@10",
            "explain FOLDER --run dense --topic 1 -m DELTAnb@10",
        ),
    ),
    "correlate": Verb(
        MORE, ("correlate human.csv machine.csv", "correlate human.csv machine.csv --format json")
    ),
    "reproduce": Verb(
        MORE,
        ("reproduce lu17 FOLDER -o out --quick", "reproduce moffat07 FOLDER -o out --workers 2"),
        package="leadline.lab",
    ),
    "benchmark": Verb(
        MORE,
        (
            "benchmark FOLDER simulated/mixed -o out",
            "benchmark FOLDER --task best --entrant mine.py",
        ),
        package="leadline.lab.benchmark",
    ),
    "verify-certificate": Verb(
        MORE,
        ("verify-certificate certificate.json", "verify-certificate certificate.json --quiet"),
        module="verify_certificate",
    ),
    "demo": Verb(MORE, ("demo", "demo --copy sea")),
}
"""In the order of --help."""
