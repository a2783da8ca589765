"""Tables for papers: the best in bold, residuals, letters and daggers, the caption."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.stats.pairwise import Pairwise, compare_pairs
from leadline.views.paper_tables import PaperTable, paper_frame
from tests.collections import Small
from tests.views.terminal.printed import text_of as printed

TOPICS = [str(number) for number in range(30)]
LISTS = {
    "best_of": {key: ["x", "u", "z"] for key in TOPICS},
    "middle": {key: ["u", "x", "z"] for key in TOPICS},
    "worst": {key: ["y", "z", "u"] for key in TOPICS},
}


def compared(measure: str = "RBP(p=0.5)", **how: object) -> Pairwise:
    """The relevant document is first, second, or missing; u is not judged."""
    tables = Small(LISTS, {key: {"x": 1, "y": 0, "z": 0} for key in TOPICS}, 1).tables()
    return compare_pairs(*tables, parse_measure(measure), **how)  # type: ignore[arg-type]


def test_scores_residuals_bold_and_letters() -> None:
    text = PaperTable.of([compared()]).text("latex")
    # The unjudged document weighs 1/4 there, and ranks beyond the third weigh 1/8.
    assert r"a & best\_of & \textbf{0.500}$^{\mathrm{c(b)}}$ +0.375 \\" in text
    assert r"b & middle & 0.250$^{\mathrm{(c)}}$ +0.625 \\" in text
    assert r"c & worst & 0.000 +0.250 \\" in text
    assert text.index(r"\caption") < text.index(r"\toprule") < text.index(r"\bottomrule")


def test_letters_without_brackets_where_nothing_speaks_against_them() -> None:
    row = PaperTable.of([compared("P@1")]).rows[0]
    assert row.cells[0].marks == "c(b)"


def test_daggers_against_a_baseline() -> None:
    table = PaperTable.of([compared("P@1", baseline="middle", correction="bonferroni")])
    markdown = table.text("markdown")
    assert "| best\\_of | **1.000**<sup>(†)</sup> +0.000 |" in markdown
    assert "Bonferroni's correction over 2 pairs of each measure" in markdown
    assert "significantly better than middle, ‡ significantly worse" in markdown
    frame = paper_frame([compared("P@2", baseline="middle")])
    assert frame["P@2 worse than"].to_list() == ["", "", "middle"]
    assert r"^{\mathrm{(\dagger)}}" in table.text("latex")
    assert r"$\ddagger$ significantly worse" in table.text("latex")


def test_the_caption_is_true_of_what_was_done() -> None:
    caption = " ".join(PaperTable.of([compared(test="tukey(n=100)")]).caption)
    assert "3 runs over 30 topics" in caption
    assert "(randomised Tukey HSD, two-sided, which allows for all 3 pairs" in caption
    assert "few topics" not in caption
    one = " ".join(PaperTable.of([compared(correction="none", tails=1, alpha=0.01)]).caption)
    assert "(Student's paired t-test, one-sided, no correction of each measure, p < 0.01)" in one
    upper = " ".join(PaperTable.of([compared(unjudged_as="upper")]).caption)
    assert "the run that is behind counted as upper" in upper


def test_brackets_are_explained_by_the_caveats_of_marked_pairs_alone() -> None:
    pairs = compared("P@1")
    assert pairs.verdict == ("better", "better", "undecided")
    assert "sign could flip" in pairs.caveats[2]
    caption = PaperTable.of([pairs]).caption[-1]
    assert caption == "In brackets: with a caveat (more than a third unjudged)."


def test_residuals_stand_only_where_unjudged_documents_can_add_and_nothing_else() -> None:
    frame = paper_frame([compared("nDCG@2"), compared("P@2")])
    assert "nDCG@2 residual" not in frame.columns
    assert frame["P@2 residual"].to_list() == [0.5, 0.5, 0.0]


def test_of_many_runs_no_pair_is_marked_and_the_caption_says_so() -> None:
    lists = {f"run{number}": LISTS["worst"] for number in range(27)} | {"best": LISTS["best_of"]}
    tables = Small(lists, {key: {"x": 1} for key in TOPICS}, 1).tables()
    table = PaperTable.of([compare_pairs(*tables, parse_measure("P@1"))])
    assert "Not marked, with more than 26 runs" in " ".join(table.caption)
    assert not any(cell.marks for row in table.rows for cell in row.cells)


class Tags(HTMLParser):
    """Collects cells of the body."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("kind", ["tex", "md", "html", "csv"])
def test_every_form_holds_the_same_scores(kind: str, tmp_path: Path) -> None:
    runs = ["eastwick-mmr", "farlight-hand"]
    path = tmp_path / f"t.{kind}"
    made = leadline.compare(COLLECTION, runs, "nDCG@10,RBP(p=0.8)").for_paper()
    made.write(path)
    text = path.read_text()
    found = [f"{float(number):.3f}" for number in re.findall(r"\b0\.\d{3,}", text)]
    assert {"0.746", "0.702", "0.575", "0.590"} <= set(found)
    if kind == "html":
        parser = Tags()
        parser.feed(text)
        assert made.caption in parser.texts
    assert "0.746 " in printed(made.table())
    assert made.caption[:30] in printed(made.table())


def test_a_table_of_scores_keeps_bounds_residual_and_share_judged_best_first() -> None:
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 3.0, "u": 2.0}}
    runs = {"worse": {"1": {"b": 3.0, "u": 2.0}}, "better": run}
    made = leadline.evaluate(qrels, runs, ["P@2", "nDCG@2"])
    rows = made.typeset("markdown").splitlines()
    assert rows[0] == "| measure | run | value | lower | upper | residual | judged |"
    assert rows[2] == "| P@2 | better | 0.5000 | 0.5000 | 1.0000 | 0.5000 | 0.5000 |"
    assert rows[3].startswith("| P@2 | worse | 0.0000 | 0.0000 | 0.5000 | 0.5000")
    assert rows[4].startswith("| nDCG@2 | better | 1.0000 |")
    assert rows[4].endswith("|  | 0.5000 |")
