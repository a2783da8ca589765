"""The report of lipani16: the stratifications, errors by pool, and whether the claims hold."""

from collections.abc import Sequence

import polars as pl

from leadline.experiments.lipani16_tables import KEYS, Results
from leadline.experiments.papers import Frames, Setting
from leadline.experiments.published import published
from leadline.presentation.charts.line_charts import lines
from leadline.presentation.pages.html import Figure, Fold, Marked, Part, Section, Table, page

WEBBER, LIPANI, NONE = "WebberRuns", "Lipani(merge=replace)", "None"
CAPTIONS = {
    "figure1": "Figure 1: depth pools",
    "figure2": "Figure 2: sampled pools, by the rate at which a depth pool is sampled",
    "figure3": "Figure 3: stratified pools, by sizes and rates in percent",
}


def report(results: Results, frames: Frames, setting: Setting) -> str:
    """The page as text."""
    lead = (
        f"{setting.name}: {results['sizes']['runs']} pooled runs. Each organisation's runs are "
        "taken out of the pool in turn, scored, put right, and compared with the whole pool. Mean "
        "absolute error over the best three quarters of the runs. Predicted is ours."
    )
    sections = [
        Section("What it shows", claims(frames)),
        Section("Table 1: stratifications", [_table1(frames["table1"])]),
    ]
    for figure, caption in CAPTIONS.items():
        chart = lines(
            frames[figure],
            KEYS[figure],
            "mae",
            "corrector",
            "measure",
            scale="log" if figure == "figure1" else "linear",
            nominal=figure == "figure3",
        )
        sections.append(
            Section(
                caption,
                [
                    Figure(f"Mean absolute error; {caption.lower()}.", chart),
                    Fold("The numbers", [_wide(frames[figure], KEYS[figure])]),
                ],
            )
        )
    notices: Sequence[Part] = results["sizes"]["notices"] or ["Nothing was noticed."]
    sections.append(Section("What was read", notices))
    return page("Bias corrections in the pool", lead, sections)


def _table1(frame: pl.DataFrame) -> Table:
    printed = {
        " ".join(map(str, row["sizes"])): row
        for row in published("lipani16")["table1"]["stratifications"]
    }
    rows: list[list[str | Marked]] = []
    for sizes, percents, judged, p in frame.iter_rows():
        known = printed.get(sizes)
        rates = "" if known is None else " ".join(map(str, known["percent"]))
        theirs = "" if known is None or known["judged_per_run"] is None else known["judged_per_run"]
        same: Marked | str = percents
        if rates:
            same = Marked(percents, "same" if rates == percents else "off")
        mark = "" if p is None else f"{p:.3f}"
        shown = f"{theirs:.2f}" if isinstance(theirs, float) else ""
        rows.append([sizes, rates, same, shown, f"{judged:.2f}", mark])
    head = ("sizes", "rates printed", "ours", "judged per run, 12 collections", "this one", "p")
    return Table(
        "Judged documents per run if (100, 50) gives 50; p: against the row above", head, rows
    )


def _wide(frame: pl.DataFrame, key: str) -> Table:
    correctors = frame["corrector"].unique(maintain_order=True).to_list()
    rows: list[list[str | Marked]] = []
    for (measure, place), part in frame.group_by(["measure", key], maintain_order=True):
        values = part["mae"].to_list()
        best = min(values)
        cells = [Marked(f"{v:.4f}", "best") if v == best else f"{v:.4f}" for v in values]
        rows.append([str(measure), str(place), *cells])
    return Table("Mean absolute error", ("", key, *correctors), rows, 2)


def claims(frames: Frames) -> list[str]:
    """The paper's claims about shape, each a sentence with our numbers."""
    said = []
    depth = frames["figure1"]
    for measure in depth["measure"].unique(maintain_order=True):
        cutoff = int(measure.split("@")[1])
        mae = {
            name: dict(depth.filter(measure=measure, corrector=name).select("depth", "mae").rows())
            for name in (NONE, WEBBER, LIPANI, "Predicted")
        }
        depths = list(mae[NONE])
        ratio = {d: mae[WEBBER][d] / mae[NONE][d] for d in depths if mae[NONE][d] > 0}
        lost = [d for d in ratio if ratio[d] > 1]
        if cutoff in ratio:
            after = [d for d in ratio if d > cutoff]
            said.append(
                f"{measure}: Webber's error is {ratio[cutoff]:.2f} of no correction's at depth "
                f"{cutoff}"
                + (f", {ratio[after[0]]:.2f} at {after[0]}" if after else "")
                + (f" and above 1 from depth {lost[0]}" if lost else " and never above 1")
                + ": its advantage shrinks from d >= n."
            )
            gain = {d: 1 - mae[LIPANI][d] / mae[NONE][d] for d in ratio}
            best = max(gain, key=lambda d: gain[d])
            said.append(
                f"{measure}: Lipani's correction removes {gain[cutoff]:.0%} of the error at depth "
                f"{cutoff}; the most, {gain[best]:.0%}, at depth {best}."
            )
        better = [d for d in ratio if mae["Predicted"][d] < min(mae[WEBBER][d], mae[LIPANI][d])]
        said.append(
            f"{measure}: Predicted has the least error at {len(better)} of {len(ratio)} depths"
            + (f" ({', '.join(map(str, better))})." if better else ".")
        )
    return [*said, *_strategies(frames)]


def _strategies(frames: Frames) -> list[str]:
    """Depth, stratified and sampled pools at the budget of half the reference depth."""
    said = []
    sampled = frames["figure3"].filter(~pl.col("stratification").str.contains(" "))
    layered = frames["figure3"].filter(pl.col("stratification").str.contains(" "))
    depth = frames["figure1"]
    half = depth["depth"].max() // 2  # type: ignore[operator]
    if half not in depth["depth"]:
        return []
    for measure in depth["measure"].unique(maintain_order=True):
        of = {"measure": measure, "corrector": NONE}
        by_depth = depth.filter(**of, depth=half)["mae"][0]
        by_strata = layered.filter(**of)["mae"].to_list()
        by_rate = sampled.filter(**of)["mae"][0]
        holds = by_depth <= sum(by_strata) / len(by_strata) <= by_rate
        said.append(
            f"{measure}: at one budget, without correction, a depth pool errs by {by_depth:.4f}, "
            f"stratified ones by {min(by_strata):.4f} to {max(by_strata):.4f}, a sampled one by "
            f"{by_rate:.4f}: the paper's order Depth, Stratified, Sampled "
            + ("holds." if holds else "does not hold here.")
        )
    return said
