"""Which command answers which question, and two examples of each, for the pages of --help."""

from typing import NamedTuple


class HelpPage(NamedTuple):
    """The question that a command answers, which heads its group, and two ways to call it."""

    question: str
    examples: tuple[str, str]


BEST = "Who is best?"
WORSE = "Is the new one worse?"
NEXT = "What should I judge next?"
CHEAP = "Is this judge any good, a language model for instance?"
DEEP = "What would scores be, were all judged?"
FILES = "Files, names and papers"

HELP_PAGES = {
    "evaluate": HelpPage(
        BEST, ("evaluate qrels.txt bm25.run dense.run -m nDCG@10", "evaluate FOLDER --wide --top 5")
    ),
    "compare": HelpPage(
        BEST, ("compare FOLDER -m nDCG@10", "compare FOLDER -m AP --baseline bm25 --correct bh")
    ),
    "report": HelpPage(
        BEST, ("report FOLDER -o report.html", "report FOLDER -m nDCG@10 -m AP -o report.html")
    ),
    "gate": HelpPage(
        WORSE,
        (
            "gate FOLDER --baseline bm25 --new dense -m nDCG@10",
            "gate FOLDER --baseline bm25 --new dense -m nDCG@10 --margin 0.02",
        ),
    ),
    "adjust": HelpPage(
        WORSE,
        (
            "adjust FOLDER --new dense -m P@10 --by Predicted",
            "adjust FOLDER --new dense -m P@10 --by Systems",
        ),
    ),
    "plan": HelpPage(
        NEXT,
        ("plan FOLDER --budget 500 --question best", "plan FOLDER --budget 500 --question scores"),
    ),
    "order": HelpPage(
        NEXT, ("order FOLDER --budget 50", "order FOLDER --interactive --stop 'BestLikely'")
    ),
    "pool": HelpPage(
        NEXT,
        (
            "pool FOLDER -s 'Depth(d=10)' --unjudged",
            "pool none runs/*.run -s 'Sampled(d=50, rate=0.3)'",
        ),
    ),
    "judge": HelpPage(NEXT, ("judge --demo", "judge --new FOLDER")),
    "audit": HelpPage(
        CHEAP,
        ("audit labels.csv --trusted qrels.txt", "audit labels.csv --trusted qrels.txt FOLDER"),
    ),
    "label": HelpPage(
        CHEAP,
        (
            "label FOLDER --model NAME --pool pool.csv -o labels.csv --dry-run",
            "label FOLDER --model NAME --pool pool.csv -o labels.csv",
        ),
    ),
    "correlate": HelpPage(
        CHEAP, ("correlate human.csv machine.csv", "correlate human.csv machine.csv --format json")
    ),
    "estimate": HelpPage(
        DEEP,
        (
            "estimate FOLDER -m 'RBP(p=0.8)' -e Regression",
            "estimate FOLDER -m P@10 -e Regression -e LB --pool-depth 10",
        ),
    ),
    "lint": HelpPage(FILES, ("lint qrels.txt runs/*.run", "lint FOLDER/corpus.jsonl")),
    "list": HelpPage(FILES, ("list", "list measures")),
    "explain": HelpPage(
        FILES,
        (
            "explain FOLDER --run dense --topic 1 -m ABSnb@10",
            "explain FOLDER --run dense --topic 1 -m DELTAnb@10",
        ),
    ),
    "reproduce": HelpPage(
        FILES,
        ("reproduce lu17 FOLDER -o out --quick", "reproduce moffat07 FOLDER -o out --workers 2"),
    ),
    "league": HelpPage(
        FILES,
        ("league FOLDER simulated/mixed -o out", "league FOLDER --task best --entrant mine.py"),
    ),
    "demo": HelpPage(FILES, ("demo", "demo --copy sea")),
}


def help_page(verb: str) -> HelpPage:
    """The page of a command; one that has none yet stands with the last."""
    return HELP_PAGES.get(verb, HelpPage(FILES, (verb, f"{verb} --help")))


def place(verb: str) -> int:
    """Where a command stands in the list of all."""
    known = list(HELP_PAGES)
    return known.index(verb) if verb in known else len(known)


def epilog(verb: str) -> str:
    """The examples of a command, and where its page is."""
    lines = ["For example:", *(f"  leadline {example}" for example in help_page(verb).examples)]
    # The formatter takes what stands between blank lines for one line.
    return "\n\n".join([*lines, f"More: docs/how-to/{verb}.md"])
