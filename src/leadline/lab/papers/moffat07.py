"""Strategic system comparisons via targeted relevance judgments: Tables 2-5, Figures 1-3, and more.

Twice: in the paper's reading (runs as listed, weights refreshed after every 250 pairs) and in ours
(by score, after every judgment). Beyond the paper: how many judgments each order needs until the
best runs are certain.

Moffat, Webber and Zobel, SIGIR 2007.
"""

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from leadline.lab.papers.moffat07_plan import (
    CUTS,
    METHODS,
    OTHERS,
    PS,
    QUICK,
    STOPS,
    VARIANTS,
    P,
    cells,
    forget,
)
from leadline.lab.papers.published import published
from leadline.lab.papers.runner import Frames, PaperComparison, Setting, typed_frame
from leadline.views.charts import falling_lines, range_panels
from leadline.views.page import Figure, Fold, Marked, Part, Section, Table, can_draw, page

Results = dict[str, Any]
FIGURE1 = 5000
NAMES = ("order", "stop", "unjudged_as", "table", "column", "judged_with")
COUNTS = ("judgments", "relevant", "handled", "contenders", "common", "size")


def _frame(rows: Sequence[Sequence[Any]], *columns: str) -> pl.DataFrame:
    return typed_frame(rows, columns, NAMES, COUNTS)


def frames(results: Results, setting: Setting) -> Frames:
    """Every csv file by its name, without the ending; `_ours` where the reading is ours."""
    made: dict[str, pl.DataFrame] = {}
    for reading, suffix in (("paper", ""), ("ours", "_ours")):
        made[f"table2{suffix}"] = table2(results, reading)
        made[f"table3{suffix}"] = table3(results, reading)
        made[f"table4{suffix}"] = table4(results, reading)
        made[f"table5{suffix}"] = table5(results, reading)
        made[f"variants{suffix}"] = variants(results, reading)
        made[f"projected{suffix}"] = projected_both(results, reading)
        for number, figure in enumerate((figure1, figure2, figure3), 1):
            made[f"figure{number}{suffix}"] = figure(results, reading)
    made["ties"] = ties(results)
    made["certainty"] = certainty(results)
    made["contenders"] = contenders(results)
    return made


def table2(results: Results, reading: str) -> pl.DataFrame:
    """Relevant documents found and pairs handled."""
    rows = [(name, *row) for name in METHODS for row in results[f"{reading} found {name}"]]
    return _frame(rows, "order", "judgments", "relevant", "handled")


def of_p(results: Results, reading: str, p: float) -> Any:
    """The cell in which Method C judged with this p."""
    return results[f"{reading} judged MoffatC" if p == P else f"{reading} judged {p} MoffatC"]


def variants(results: Results, reading: str) -> pl.DataFrame:
    """What variants of Method C find; residual is that of the best runs after `size` judgments."""
    rows = []
    for name in VARIANTS:
        cell = results[f"{reading} {name}"]
        residual = dict(zip(PS, cell["residual"], strict=True))[P][0]
        rows += [(name, *row, cell["size"], residual) for row in cell["found"]]
    return _frame(rows, "order", "judgments", "relevant", "handled", "size", "residual")


def projected_both(results: Results, reading: str) -> pl.DataFrame:
    """The two projected scores of every run after each number of judgments by Method C.

    `of_means` projects the mean base and residual, as Figures 2 and 3 do; `mean` is the mean of the
    topics' projected scores, as Table 5's tests have them.
    """
    rows = []
    runs = results[f"{reading} everything"]["runs"]
    for cut, each in of_p(results, reading, P)["ranges"].items():
        columns = (each["base"], each["residual"], each["mean_projected"])
        for place, (run, base, residual, mean) in enumerate(zip(runs, *columns, strict=True), 1):
            of_means = base + residual * base / max(1 - residual, 1e-12)
            rows.append((int(cut), place, run, of_means, mean))
    schema = {"judgments": pl.Int64, "place": pl.Int64, "run": pl.String}
    return pl.DataFrame(
        rows, schema=schema | {"of_means": pl.Float64, "mean": pl.Float64}, orient="row"
    )


def table3(results: Results, reading: str) -> pl.DataFrame:
    """Pairs that Method C chooses with either p."""
    chosen = {p: set(of_p(results, reading, p)["chosen"]) for p in PS}
    rows = [
        (first, second, len(chosen[first] & chosen[second]))
        for at, first in enumerate(PS)
        for second in PS[at + 1 :]
    ]
    return _frame(rows, "p_a", "p_b", "common")


def table4(results: Results, reading: str) -> pl.DataFrame:
    """Mean residual; DepthFirst over all runs, as the paper has it, and over the best."""
    rows: list[tuple[str, float, float]] = []
    for judged_p in PS:
        values = of_p(results, reading, judged_p)["residual"]
        name = f"MoffatC(p={judged_p})"
        rows += [(name, p, best) for p, (best, _) in zip(PS, values, strict=True)]
    pooled = list(zip(PS, results[f"{reading} judged DepthFirst"]["residual"], strict=True))
    rows += [("DepthFirst", p, every) for p, (_, every) in pooled]
    label = pooling_of_best(results)
    rows += [(label, p, best) for p, (best, _) in pooled]
    return _frame(rows, "judged_with", "evaluation_p", "residual")


def pooling_of_best(results: Results) -> str:
    """How Table 4 names DepthFirst's row over the runs that all its other rows are over."""
    return f"DepthFirst (best {results['paper everything']['n_best']})"


def table5(results: Results, reading: str) -> pl.DataFrame:
    """Fraction of pairs that are significant."""
    rows: list[tuple[str, int, str, float]] = []
    unjudged_as = ("lower", "upper", "projected")
    tested = {name: results[f"{reading} judged {name}"]["tested"] for name in METHODS}
    for at in range(len(tested["DepthFirst"])):
        for name in METHODS:
            cut, *values = tested[name][at]
            rows += [(name, cut, *each) for each in zip(unjudged_as, values, strict=True)]
    every = results[f"{reading} everything"]
    whole = zip(unjudged_as, every["tested"], strict=True)
    rows += [("RBP", every["judged"], *each) for each in whole]
    rows.append(("MAP", every["judged"], "lower", every["tested_map"]))
    return _frame(rows, "order", "judgments", "unjudged_as", "fraction")


def _bars(results: Results, reading: str, panel: str, ranges: Any, projected: bool) -> pl.DataFrame:
    runs = results[f"{reading} everything"]["runs"]
    base, residual = pl.Series(ranges["base"]), pl.Series(ranges["residual"])
    rise = residual * base / (1 - residual) if projected else residual
    return pl.DataFrame(
        {
            "panel": [panel] * len(runs),
            "place": range(1, len(runs) + 1),
            "run": runs,
            "lower": base,
            "upper": base + rise,
        }
    )


def figure1(results: Results, reading: str) -> pl.DataFrame:
    """Base to top of every run after 5,000 judgments by each method."""
    parts = []
    for name in METHODS:
        ranges = results[f"{reading} judged {name}"]["ranges"]
        reached = [cut for cut in map(int, ranges) if cut <= FIGURE1]
        cut = max(reached, default=min(map(int, ranges)))
        panel = f"{name}, {cut:,} judgments"
        parts.append(_bars(results, reading, panel, ranges[str(cut)], projected=False))
    return pl.concat(parts)


def figure2(results: Results, reading: str) -> pl.DataFrame:
    """Base to top, and base to projected score, after 10,000 judgments by Method C."""
    cell = of_p(results, reading, P)
    ranges = cell["ranges"][str(cell["size"])]
    what = f"MoffatC, {cell['size']:,} judgments"
    top = _bars(results, reading, f"{what}: base to top", ranges, projected=False)
    return pl.concat(
        [top, _bars(results, reading, f"{what}: base to projected", ranges, projected=True)]
    )


def figure3(results: Results, reading: str) -> pl.DataFrame:
    """Base to projected score for p=.95, by Method C and with all judgments."""
    p = PS[-1]
    cell = of_p(results, reading, p)
    every = results[f"{reading} everything"]
    ranges = cell["ranges"][str(cell["size"])]
    what = f"p={p}, MoffatC, {cell['size']:,} judgments"
    some = _bars(results, reading, what, ranges, projected=True)
    what = f"p={p}, all {every['judged']:,} judgments"
    return pl.concat([some, _bars(results, reading, what, every["ranges"][str(p)], projected=True)])


def ties(results: Results) -> pl.DataFrame:
    """DepthFirst's numbers in the paper's reading, least and most over orders of the runs."""
    repeats = [cell for name, cell in results.items() if name.startswith("paper ties")]
    seen: dict[tuple[str, int, str], list[float]] = {}
    for cell in repeats:
        for cut, relevant, n_handled in cell["found"]:
            seen.setdefault(("table2", cut, "relevant"), []).append(relevant)
            seen.setdefault(("table2", cut, "handled"), []).append(n_handled)
        for p, (_, every) in zip(PS, cell["residual"], strict=True):
            seen.setdefault(("table4", cell["size"], f"p={p}"), []).append(every)
        for cut, *values in cell["tested"]:
            for unjudged_as, value in zip(("lower", "upper", "projected"), values, strict=True):
                if value is not None:
                    seen.setdefault(("table5", cut, unjudged_as), []).append(value)
    rows = [(*key, float(min(values)), float(max(values))) for key, values in seen.items()]
    return _frame(rows, "table", "judgments", "column", "least", "most")


def certain_of(results: Results, name: str) -> Any:
    """What is known of an order's way to certainty."""
    if name in METHODS:
        return results[f"ours judged {name}"]["certain"]
    return results[f"ours certain {name}"]


def certainty(results: Results) -> pl.DataFrame:
    """Judgments until each stop first holds; empty where it does not within the limit."""
    rows = [
        (name, stop, certain_of(results, name)["until"][stop])
        for name in (*METHODS, *OTHERS)
        for stop in STOPS
    ]
    return _frame(rows, "order", "stop", "judgments")


def contenders(results: Results) -> pl.DataFrame:
    """Runs that can still be best, by joint intervals, every hundred judgments."""
    rows = [
        (name, *row)
        for name in (*METHODS, *OTHERS)
        for row in certain_of(results, name)["contenders"]
    ]
    return _frame(rows, "order", "judgments", "contenders")


READINGS = (
    "Rows “its reading” follow the paper: runs as their files list them, weights refreshed after "
    "every 250 pairs. Rows “ours”: runs by score, weights refreshed after every judgment."
)
MARKS = (
    "Green: as printed, to the last digit. Amber: not as printed. Grey: least and most that "
    "DepthFirst gives (in Table 2, relevant documents) when the runs, and so pairs of equal rank, "
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


def show_table2(results: dict[str, Any], frames: Frames) -> PaperComparison:
    """Relevant found : pairs handled."""
    cuts = frames["table2"]["judgments"].unique(maintain_order=True).to_list()
    made = PaperComparison("Relevant documents found : pairs handled", [f"{cut:,}" for cut in cuts])
    values = published("moffat07")["table2"]["relevant_and_handled"]
    for name in METHODS:
        printed = None
        if is_trec8(results):
            known = values[name.replace("Moffat", "Method ")]
            printed = [f"{relevant} : {done}" for relevant, done in known]
        rows = [_found(frames[key].filter(order=name)) for key in ("table2", "table2_ours")]
        spread = None
        if name == "DepthFirst":
            found = frames["ties"].filter(table="table2", column="relevant")
            spread = [f"{low:.0f} to {high:.0f}" for low, high in found["least", "most"].rows()]
        made.add(name, printed, rows[0], rows[1], spread)
    return made


def show_table3(results: dict[str, Any], frames: Frames) -> PaperComparison:
    """Overlap of sets."""
    pairs = frames["table3"].select("p_a", "p_b").rows()
    size = of_p(results, "paper", PS[0])["size"]
    made = PaperComparison(
        f"Pairs in common of {size:,} chosen by MoffatC with two p",
        [f"p={first}, {second}" for first, second in pairs],
    )
    values = published("moffat07")["table3"]["common_of_10000"]
    printed = [str(values[f"{first}-{second}"]) for first, second in pairs]
    both = _both(frames, "table3", "common", "d")
    made.add("common", printed if is_trec8(results) else None, *both)
    return made


def show_table4(results: dict[str, Any], frames: Frames) -> PaperComparison:
    """Mean residuals."""
    n_best = results["paper everything"]["n_best"]
    made = PaperComparison(
        f"Mean residual of the {n_best} runs best by MAP (DepthFirst: of all runs, as in the "
        f"paper), "
        "judged in one way, evaluated with different p",
        [f"p={p}" for p in PS],
    )
    values = published("moffat07")["table4"]["mean_residual"]
    names = {f"MoffatC(p={p})": f"Method C p={p:.2f}" for p in PS} | {"DepthFirst": "DepthFirst"}
    for name in (*names, pooling_of_best(results)):
        printed = None
        if is_trec8(results):
            known = values[names[name]] if name in names else None
            printed = ["", "", ""] if known is None else [f"{value:.4f}" for value in known]
        both = _both(frames, "table4", "residual", ".4f", judged_with=name)
        spread = _spread(frames, "table4", ".4f") if name == "DepthFirst" else None
        made.add(name, printed, both[0], both[1], spread)
    return made


def show_table5(results: dict[str, Any], frames: Frames) -> PaperComparison:
    """Fractions significant."""
    n_best = results["paper everything"]["n_best"]
    made = PaperComparison(
        f"Fraction of the {n_best * (n_best - 1) // 2} pairs of the best {n_best} runs that differ "
        "significantly",
        ["base vs base", "base vs top", "base vs mean projection"],
    )
    values = published("moffat07")["table5"]["fraction_significant"]
    labels = frames["table5"].select("order", "judgments").unique(maintain_order=True).rows()
    for name, judgments in labels:
        printed = None
        if is_trec8(results):
            known = values[f"{judgments} {name.removeprefix('Moffat')}"]
            printed = ["" if value is None else f"{value:.3f}" for value in known]
        both = _both(frames, "table5", "fraction", ".3f", order=name, judgments=judgments)
        spread = _spread(frames, "table5", ".3f", judgments) if name == "DepthFirst" else None
        every = f"all {judgments:,}, {name}"
        label = every if name in ("RBP", "MAP") else f"{judgments:,}, {name}"
        made.add(label, printed, both[0], both[1], spread)
    return made


TABLES: dict[str, Callable[[dict[str, Any], Frames], PaperComparison]] = {
    "Table 2": show_table2,
    "Table 3": show_table3,
    "Table 4": show_table4,
    "Table 5": show_table5,
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
        "The paper says that a run's projected score is never below its base with all judgments; "
        "here by the projection of the means. "
        f"After each number of judgments by MoffatC: {', '.join(lines)}."
    )


def claims(results: dict[str, Any], frames: Frames) -> list[str]:
    """What the paper says in its text of TREC-8, beside what comes out here in its reading."""
    said = []
    found = frames["table2"].filter(judgments=FIGURE1)
    n = dict(found.select("order", "relevant").iter_rows())
    if n.get("DepthFirst"):
        more = n["MoffatC"] / n["DepthFirst"] - 1
        said.append(
            f"Paper: after 5,000 judgments Method C finds over 30% more relevant documents than "
            f"pooling. Here: {more:.0%} more ({n['MoffatC']:,} against {n['DepthFirst']:,})."
        )
    panels = frames["figure1"]
    names = panels["panel"].unique(maintain_order=True).to_list()
    pooled = panels.filter(panel=names[0])
    base, top = pooled["lower"][0], pooled["upper"][0]
    said.append(
        f"Paper: more than a dozen runs could be better than System 1, the best by MAP, after "
        f"pooling. Here ({names[0]}): {int((pooled['upper'] > base).sum()) - 1} runs have an upper "
        f"end above its base, {int((pooled['upper'] > top).sum())} above its upper end."
    )
    by_c = panels.filter(panel=names[-1]).sort("lower", descending=True)
    first = by_c.head(2)
    said.append(
        f"Paper: Runs 1 and 4 have the highest scores after 5,000 judgments by Method C. Here "
        f"({names[-1]}): the two highest bases are those of Runs "
        f"{' and '.join(map(str, sorted(first['place'])))} "
        f"({', '.join(first['run'])}), runs numbered by MAP."
    )
    both = frames["projected"].with_columns(apart=(pl.col("of_means") - pl.col("mean")).abs())
    if len(both):
        worst = both.sort("apart", descending=True).row(0, named=True)
        said.append(
            "Two scores are called projected. The projection of the means (Figures 2 and 3) takes "
            "a run's mean base and residual; the mean projection (Table 5) is the mean of its "
            f"topics' projected scores. They lie up to {worst['apart']:.2f} apart ({worst['run']} "
            f"after {worst['judgments']:,} judgments: {worst['of_means']:.3f} and "
            f"{worst['mean']:.3f})."
        )
    return said


def show_variants(frames: Frames) -> list[Part]:
    """The variants of Method C in both readings."""
    cuts = frames["variants"]["judgments"].unique(maintain_order=True).to_list()
    rows: list[tuple[str | Marked, ...]] = []
    for name in VARIANTS:
        for key, reading in (("variants", "its reading"), ("variants_ours", "ours")):
            frame = frames[key].filter(order=name)
            relevant = dict(frame.select("judgments", "relevant").iter_rows())
            cells = [f"{relevant[cut]:,}" if cut in relevant else "" for cut in cuts]
            rows.append((name, reading, *cells, f"{frame['residual'][0]:.4f}"))
    size = frames["variants"]["size"][0]
    head = ("", "", *(f"{cut:,}" for cut in cuts), f"residual after {size:,}")
    return [
        "Method C weighs by the cube of the midpoint. The paper found the midpoint itself (power "
        "1) a slight improvement on Method B (power 0), and squaring less good than cubing. Topic "
        "by topic: each topic gets an equal share of the judgments and is judged without feedback, "
        "with the bases that the topics before gave.",
        Table("Relevant documents found by variants of Method C", head, rows, 2),
    ]


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
        2: "Figure 2: MoffatC, base to top and base to the projection of the means.",
        3: "Figure 3: base to the projection of the means with p=0.95.",
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
    sections.append(Section("What the text says", claims(results, frames)))
    sections.append(Section("Variants of Method C", show_variants(frames)))
    ours = Fold("The same in our reading", figures(frames, "_ours"))
    order = "official MAP" if every["official"] else "MAP with all judgments"
    bars = f"One bar per run, ordered by {order}. {projected_holds(results)}"
    sections.append(Section("Figures", [bars, *figures(frames, ""), ours]))
    parts: list[Part] = [
        "How many judgments each order needs until no other run can score higher than the "
        "leader, and "
        "until no other run can be among the best five, in our reading. Joint: by the interval of "
        "the difference, in which an unjudged document that both runs return moves both, and tails "
        "beyond the lists' ends are left out. Own: by each run's own interval, tails included.",
        "Documents without judgment count as non-relevant. A dash: not within "
        f"{min(limit, every['n_pairs']):,} judgments. CertainWinner ends when the best run is "
        "certain; MoffatC goes on from there.",
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


__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS: tuple[str, ...] = ()


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What is worth saying: what was noticed in the input, and how much is as printed."""
    said = list(results["ours everything"]["notices"])
    if is_trec8(results):
        for title, make in TABLES.items():
            table = make(results, frames)
            said.append(f"{title}: {table.same} of {table.compared} numbers as printed")
    return said
