"""Former names stay away: from verbs, options, methods, columns, identifiers, help and docs."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from leadline.cli.command import Command
from leadline.cli.verbs import VERBS
from leadline.listing import KINDS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "leadline"

VERBS_BEFORE = {"order": "next", "league": "benchmark"}
OPTIONS_BEFORE = {
    "--cheap": "--labels",
    "--cheap-max": "--labels-max",
    "--trusted": "--reference",
    "--by": "--method",
    "--correct": "--correction",
    "--ranks": "--ties",
    "--lenient": "--skip-bad-lines",
    "--answers": "--simulate",
    "--missing": "--unanswered",
    "--judged": "--use-judgments",
    "--ignore-judged": "--no-use-judgments",
    "--standing": "--leaderboard",
    "--basis": "--unjudged-as",
    "--level": "--alpha",
    "--scheduler": "--dask",
    "--room": "--app",
    "--to-judge": "--judge-next",
}
OF_ONE_VERB = {"judge --new": "judge --init", "compare --confidence": "compare --likely"}
METHODS_BEFORE = {
    "estimators": "LB UB RM La Lb Assisted JudgeAlone Bootstrapped LARALabels",
    "adjusters": "Systems Topics WebberRuns Predicted",
    "pools": "Designed ByGroup Sampled",
    "orders": "Difference Doubt MethodA MethodB MethodC Pooling WholeTopics",
    "stops": "BestCertain BestLikely TopCertain TopLikely ResidualBelow",
    "measures": "HT",
}
ALIASES = {
    "estimators": {"LB": "LowerBound", "UB": "UpperBound", "RM": "ListMean"},
    "orders": {
        "MethodA": "MoffatA",
        "MethodB": "MoffatB",
        "MethodC": "MoffatC",
        "Pooling": "DepthFirst",
    },
}
"""Names that papers gave: they are read, and never written."""
COLUMNS_BEFORE = "sure trust doubt at_least at_most to_judge certain_lower certain_upper basis"
ONLY_METHODS = "JudgeAlone|Bootstrapped|LARALabels|WebberRuns|ByGroup|WholeTopics|ResidualBelow"
"""Former names that are no words and no paper's."""

PROSE = (
    r"\bleadline (?:order|league)\b(?! of\b)",
    r"\bleadline\.(?:order|league)\b",
    rf"\b(?:{ONLY_METHODS}|(?:Best|Top)(?:Certain|Likely))\b",
    *(rf"(?<![\w-]){option}(?![\w-])" for option in OPTIONS_BEFORE if option != "--judged"),
    # Phrases for which the field has a word.
    r"(?i)\bunless (?:you say|given|told otherwise|it is said)\b",
    r"(?i)\bput right\b",
    r"(?i)\bmade anew\b",
    r"(?i)\bnot to be had\b",
    r"(?i)\bgive or take\b",
    r"(?i)\bheed(?:s|ed)?\b",
    r"(?i)\bcheap judges?\b",
    r"(?i)\bchance over topics\b",
    r"(?i)\bwhere chance plays a part\b",
    r"(?i)\bwho does the work\b",
    r"(?i)\bwhat is told\b",
)
"""What may stand nowhere in docs, templates and the source; phrases can be added."""
NOT_THERE = {
    # The fuzzer's own options are not the program's.
    ("docs/fuzzing.md", "--by"),
}

IDENTIFIERS = {
    # Metaphors.
    "house",
    "desk",
    "teacher",
    "teachers",
    "voice",
    "voices",
    "deed",
    "deeds",
    "doorkeeper",
    "door",
    "doorway",
    "heed",
    "heeds",
    # Former words.
    "cheap",
    "league",
    "lenient",
    "sureness",
    "contributors",
}
"""Parts of names of modules, classes, functions, parameters and fields."""


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_or_option_has_a_former_name(verb: str) -> None:
    assert verb not in VERBS_BEFORE
    names = {
        part
        for parameter in Command(verb).declared
        for name in parameter.names
        for part in name.split("/")
    }
    assert not names & set(OPTIONS_BEFORE)
    assert not {f"{verb} {name}" for name in names} & set(OF_ONE_VERB)


@pytest.mark.parametrize("kind", METHODS_BEFORE)
def test_no_method_has_a_former_name(kind: str) -> None:
    assert not set(KINDS[kind].classes()) & set(METHODS_BEFORE[kind].split())


@pytest.mark.parametrize("kind", ALIASES)
def test_names_of_papers_are_read(kind: str) -> None:
    for alias, name in ALIASES[kind].items():
        parameters = "(p=0.8)" if name.startswith(("Moffat", "Depth")) else ""
        assert str(KINDS[kind].parse(alias + parameters)) == name + parameters


def test_no_column_has_a_former_name() -> None:
    frozen = json.loads((ROOT / "tests" / "frozen.json").read_text(encoding="utf-8"))
    columns = {column for each in frozen.values() for column in each["columns"].split(",")}
    assert "certainty" in columns
    assert not columns & set(COLUMNS_BEFORE.split())


def pages() -> Iterator[tuple[str, str]]:
    """Yield what people read, by path: docs, templates, the action, help and docstrings."""
    files = [ROOT / "README.md", ROOT / "action.yml", ROOT / "CONTRIBUTING.md"]
    files += [*(ROOT / "docs").rglob("*.md"), *(ROOT / "templates").glob("*")]
    files += [*(ROOT / "man").glob("*")]
    files += [path for form in ("*.py", "*.html", "*.js") for path in SOURCE.rglob(form)]
    for path in files:
        text = path.read_text(encoding="utf-8")
        yield str(path.relative_to(ROOT)), text.replace("\\-", "-")


def faults(name: str, text: str) -> list[str]:
    """Return the banned phrases that a page has."""
    found = (match[0] for rule in PROSE for match in re.finditer(rule, text))
    return sorted({phrase for phrase in found if (name, phrase) not in NOT_THERE})


def test_nothing_that_people_read_has_a_former_name() -> None:
    wrong = {name: seen for name, text in pages() if (seen := faults(name, text))}
    assert not wrong


def test_a_former_name_would_be_seen() -> None:
    assert faults("a", "Call `leadline order --lenient`.") == ["--lenient", "leadline order"]
    assert faults("a", "k is 3 Unless you say.") == ["Unless you say"]
    assert not faults("a", "leadline next --skip-bad-lines --use-judgments")
    assert banned("class DoorKeeper: ...\ndef f(cheap_max): ...") == {"DoorKeeper", "cheap_max"}


@cache
def parts(name: str) -> frozenset[str]:
    """Return the words of a name.

    >>> sorted(parts("_RunPair_of2"))
    ['of2', 'pair', 'run']
    """
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
    return frozenset(word.lower() for word in words)


def banned(text: str) -> set[str]:
    """Return the names that are defined in a module and have a banned part."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if parts(name) & IDENTIFIERS}


def test_no_name_in_code_is_banned() -> None:
    wrong = {
        str(path.relative_to(SOURCE)): names
        for path in SOURCE.rglob("*.py")
        if (names := banned(path.read_text(encoding="utf-8")) | ({path.stem} & IDENTIFIERS))
    }
    assert not wrong
