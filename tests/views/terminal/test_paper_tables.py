"""Tables for papers: letters, doubts, awkward names, many runs."""

import pytest

from leadline.measures.measure import parse_measure
from leadline.stats.pairwise import Pairwise, compare_pairs
from leadline.views.pair_tables import latex, legend, markdown
from tests.collections import Small

TOPICS = [str(number) for number in range(30)]


def pairs(names: list[str], judged: bool = True, baseline: str | None = None) -> Pairwise:
    """The first run finds the relevant document, the others do not."""
    runs = {
        name: {topic: ["x" if at == 0 else "y", "z"] for topic in TOPICS}
        for at, name in enumerate(names)
    }
    known = {"x": 1, "y": 0, "z": 0} if judged else {"x": 1}
    made = Small(runs, dict.fromkeys(TOPICS, known), 1).tables()
    return compare_pairs(*made, parse_measure("P@2"), baseline=baseline)


def test_letters_name_the_runs_that_are_worse() -> None:
    text = latex([pairs(["best", "one", "two"])])
    assert r"a & best & 0.5000$^{\mathrm{bc}}$ & [0.500, 0.500] & 1 / 1 \\" in text
    assert r"b & one & 0.0000 & [0.000, 0.000] & 2 / 2 \\" in text


def test_doubted_letters_stand_in_brackets() -> None:
    text = markdown([pairs(["best", "one"], judged=False)])
    assert "0.5000<sup>(b)</sup>" in text


def test_awkward_names_are_made_harmless() -> None:
    names = ["50%_of|it", "a&b", r"c\d^e"]
    tex = latex([pairs(names)])
    assert r"50\%\_of|it" in tex
    assert r"a\&b" in tex
    assert r"c\textbackslash{}d\textasciicircum{}e" in tex
    rows = [line for line in markdown([pairs(names)]).splitlines() if line.startswith("| ")]
    assert r"50%\_of\|it" in rows[1]


@pytest.mark.parametrize("make", [latex, markdown])
def test_many_runs_have_tiers_instead_of_letters(make: object) -> None:
    made = pairs([f"run{number}" for number in range(27)])
    text = make([made])  # type: ignore[operator]
    assert "mathrm" not in text
    assert "<sup>" not in text
    assert "1 / 1" in text
    assert "2 / 2" in text
    assert legend([made])[0].startswith("Tiers by significance")


def test_several_measures_stand_side_by_side() -> None:
    made = pairs(["best", "one"])
    rows = [line for line in latex([made, made]).splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in rows} == {7}


def test_with_a_baseline_a_table_has_tiers_by_certainty_alone() -> None:
    made = pairs(["best", "one_1", "two"], baseline="one_1")
    tex = latex([made])
    assert r"a & best & 0.5000$^{\mathrm{b}}$ & [0.500, 0.500] & 1 \\" in tex
    assert r"c & two & 0.0000 & [0.000, 0.000] & 2 \\" in tex
    assert "% Only pairs with one_1 were tested: no tiers by significance." in tex
    assert "by the test" not in tex.replace("better by the test, with a caveat", "")
    assert "Only pairs with one_1 were tested: no tiers by significance." in legend([made])
