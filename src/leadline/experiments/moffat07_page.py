"""The report of moffat07: every table with the paper's numbers beside ours, figures, certainty."""

from collections.abc import Callable
from typing import Any

import polars as pl

from leadline.experiments.moffat07_plan import CUTS, PS, QUICK, STOPS
from leadline.experiments.moffat07_readings import METHODS, OTHERS
from leadline.experiments.moffat07_tables import of_p, pooling_of_best
from leadline.experiments.paper_comparison import PaperComparison
from leadline.experiments.papers import Frames, Setting
from leadline.experiments.published import published
from leadline.presentation.charts.range_charts import falling_lines, range_panels
from leadline.presentation.pages.html import (
    Figure,
    Fold,
    Marked,
    Part,
    Section,
    Table,
    can_draw,
    page,
)

READINGS = (
    "Rows “its reading” follow the paper: runs as their files list them, weights refreshed after "
    "every 250 pairs. Rows “ours”: runs by score, weights refreshed after every judgment."
)
MARKS = (
    "Green: as printed, to the last digit. Amber: not as printed. Grey: least and most that "
    "Pooling gives (in Table 2, relevant documents) when the runs, and so pairs of equal rank, "
    "come in an order drawn at random."
)


def is_trec8(results: dict[str, Any]) -> bool:
    """Whether this is the paper's own collection, so that its numbers can be compared."""
    every = results["paper everything"]
    return (len(every["runs"]), every["n_topics"], every["judged"]) == (129, 50, 86830)


def _texts(frame: pl.DataFrame, column: str, form: str) -> list[str]:
    return ["" if value is None else format(value, form) for value in frame[column]]


def _both(frames: Frames, table: str, column: str, form: str, **of: object) -> list[list[str]]:
    """A row of a table in the paper's reading and in ours."""
    return [_texts(frames[key].filter(**of), column, form) for key in (table, f"{table}_ours")]


def _found(frame: pl.DataFrame) -> list[str]:
    return [f"{relevant} : {done}" for relevant, done in frame.select("relevant", "handled").rows()]


def _spread(frames: Frames, table: str, form: str, judgments: int | None = None) -> list[str]:
    rows = frames["ties"].filter(table=table)
    if judgments is not None:
        rows = rows.filter(judgments=judgments)
    pairs = rows.select("least", "most").rows()
    return [f"{low:{form}} to {high:{form}}" for low, high in pairs]


def table2(results: dict[str, Any], frames: Frames) -> PaperComparison:
    """Relevant found : pairs handled."""
    cuts = frames["table2"]["judgments"].unique(maintain_order=True).to_list()
    made = PaperComparison("Relevant documents found : pairs handled", [f"{cut:,}" for cut in cuts])
    values = published("moffat07")["table2"]["relevant_and_handled"]
    for name in METHODS:
        printed = None
        if is_trec8(results):
            known = values[name.replace("Method", "Method ")]
            printed = [f"{relevant} : {done}" for relevant, done in known]
        rows = [_found(frames[key].filter(order=name)) for key in ("table2", "table2_ours")]
        spread = None
        if name == "Pooling":
            found = frames["ties"].filter(table="table2", column="relevant")
            spread = [f"{low:.0f} to {high:.0f}" for low, high in found["least", "most"].rows()]
        made.add(name, printed, rows[0], rows[1], spread)
    return made


def table3(results: dict[str, Any], frames: Frames) -> PaperComparison:
    """Overlap of sets."""
    pairs = frames["table3"].select("p_a", "p_b").rows()
    size = of_p(results, "paper", PS[0])["size"]
    made = PaperComparison(
        f"Pairs in common of {size:,} chosen by MethodC with two p",
        [f"p={first}, {second}" for first, second in pairs],
    )
    values = published("moffat07")["table3"]["common_of_10000"]
    printed = [str(values[f"{first}-{second}"]) for first, second in pairs]
    both = _both(frames, "table3", "common", "d")
    made.add("common", printed if is_trec8(results) else None, *both)
    return made


def table4(results: dict[str, Any], frames: Frames) -> PaperComparison:
    """Mean residuals."""
    n_best = results["paper everything"]["n_best"]
    made = PaperComparison(
        f"Mean residual of the {n_best} runs best by MAP (Pooling: of all runs, as in the paper), "
        "judged in one way, evaluated with different p",
        [f"p={p}" for p in PS],
    )
    values = published("moffat07")["table4"]["mean_residual"]
    names = {f"MethodC(p={p})": f"Method C p={p:.2f}" for p in PS} | {"Pooling": "Pooling"}
    for name in (*names, pooling_of_best(results)):
        printed = None
        if is_trec8(results):
            known = values[names[name]] if name in names else None
            printed = ["", "", ""] if known is None else [f"{value:.4f}" for value in known]
        both = _both(frames, "table4", "residual", ".4f", judged_with=name)
        spread = _spread(frames, "table4", ".4f") if name == "Pooling" else None
        made.add(name, printed, both[0], both[1], spread)
    return made


def table5(results: dict[str, Any], frames: Frames) -> PaperComparison:
    """Fractions significant."""
    n_best = results["paper everything"]["n_best"]
    made = PaperComparison(
        f"Fraction of the {n_best * (n_best - 1) // 2} pairs of the best {n_best} runs that differ "
        "significantly",
        ["base vs base", "base vs top", "base vs projected"],
    )
    values = published("moffat07")["table5"]["fraction_significant"]
    labels = frames["table5"].select("order", "judgments").unique(maintain_order=True).rows()
    for name, judgments in labels:
        printed = None
        if is_trec8(results):
            known = values[f"{judgments} {name.removeprefix('Method')}"]
            printed = ["" if value is None else f"{value:.3f}" for value in known]
        both = _both(frames, "table5", "fraction", ".3f", order=name, judgments=judgments)
        spread = _spread(frames, "table5", ".3f", judgments) if name == "Pooling" else None
        every = f"all {judgments:,}, {name}"
        label = every if name in ("RBP", "MAP") else f"{judgments:,}, {name}"
        made.add(label, printed, both[0], both[1], spread)
    return made


TABLES: dict[str, Callable[[dict[str, Any], Frames], PaperComparison]] = {
    "Table 2": table2,
    "Table 3": table3,
    "Table 4": table4,
    "Table 5": table5,
}


def projected_holds(results: dict[str, Any]) -> str:
    """The paper's claim that the projected score is never below the final base."""
    lines = []
    for reading, what in (("paper", "in its reading"), ("ours", "in ours")):
        final = results[f"{reading} everything"]["ranges"]["0.8"]["base"]
        below = 0
        ranges = of_p(results, reading, 0.8)["ranges"]
        for each in ranges.values():
            for base, residual, truth in zip(each["base"], each["residual"], final, strict=True):
                below += base + residual * base / max(1 - residual, 1e-12) < truth - 1e-12
        n = len(ranges) * len(final)
        lines.append(f"{what} {below} of {n:,} projected scores are below it")
    return (
        "The paper says that a run's projected score is never below its base with all judgments. "
        f"After each number of judgments by MethodC: {', '.join(lines)}."
    )


def certainty_table(frames: Frames) -> Table:
    """Judgments until each stop, the fewest marked."""
    least = {stop: frames["certainty"].filter(stop=stop)["judgments"].min() for stop in STOPS}
    rows: list[tuple[str | Marked, ...]] = []
    for name in (*METHODS, *OTHERS):
        cells: list[str | Marked] = [name]
        for stop in STOPS:
            found = frames["certainty"].filter(order=name, stop=stop)["judgments"].item()
            text = "-" if found is None else f"{found:,}"
            best = found is not None and found == least[stop]
            cells.append(Marked(text, "best") if best else text)
        rows.append(tuple(cells))
    head = ("", "best, joint", "best, own", "best 5, joint", "best 5, own")
    return Table("Judgments until certain", head, rows)


def figures(frames: Frames, suffix: str) -> list[Part]:
    """Figures 1-3."""
    if not can_draw():
        return ["The figures are not drawn here: that needs leadline[charts]."]
    measures = {1: "RBP(p=0.8)", 2: "RBP(p=0.8)", 3: "RBP(p=0.95)"}
    captions = {
        1: "Figure 1: base to top after judgments chosen by each method.",
        2: "Figure 2: MethodC, base to top and base to projected score.",
        3: "Figure 3: base to projected score with p=0.95.",
    }
    x = "runs, best MAP first"
    return [
        Figure(captions[number], range_panels(frames[f"figure{number}{suffix}"], measure, x))
        for number, measure in measures.items()
    ]


def report(results: dict[str, Any], frames: Frames, setting: Setting) -> str:
    """The page."""
    limit = QUICK if setting.quick else max(CUTS)
    every = results["paper everything"]
    compared = is_trec8(results)
    sections = []
    for title, make in TABLES.items():
        note = [MARKS] if compared and title == "Table 2" else []
        sections.append(Section(title, [*note, *make(results, frames).parts()]))
    ours = Fold("The same in our reading", figures(frames, "_ours"))
    order = "official MAP" if every["official"] else "MAP with all judgments"
    bars = f"One bar per run, ordered by {order}. {projected_holds(results)}"
    sections.append(Section("Figures", [bars, *figures(frames, ""), ours]))
    parts: list[Part] = [
        "How many judgments each order needs until no other run can be better than the leader, and "
        "until no other run can be among the best five, in our reading. Joint: by the interval of "
        "the difference, in which an unjudged document that both runs return moves both, and tails "
        "beyond the lists' ends are left out. Own: by each run's own interval, tails included.",
        "Documents without judgment count as non-relevant. A dash: not within "
        f"{min(limit, every['n_pairs']):,} judgments. Difference ends when the best run is "
        "certain; MethodC goes on from there.",
        certainty_table(frames),
    ]
    if can_draw():
        lines = falling_lines(frames["contenders"], "judgments", "contenders", "order")
        caption = "Runs that can still turn out better than the leader, by joint intervals."
        parts.append(Figure(caption, lines))
    sections.append(Section("Certainty", parts))
    lead = (
        f"Moffat, Webber and Zobel, SIGIR 2007, on {setting.name}: {len(every['runs'])} runs, "
        f"{every['n_topics']} topics, {every['judged']:,} judgments, {every['n_pairs']:,} pairs of "
        f"topic and document that runs return. {READINGS}"
    )
    return page("Strategic system comparisons via targeted relevance judgments", lead, sections)
