"""The tables and figures of moffat07 as frames, one for each csv file."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from leadline.experiments.moffat07_plan import PS, STOPS
from leadline.experiments.moffat07_readings import METHODS, OTHERS, P
from leadline.experiments.papers import Frames, Setting, typed_frame

Results = dict[str, Any]
FIGURE1 = 5000
NAMES = ("order", "stop", "basis", "table", "column", "judged_with")
COUNTS = ("judgments", "relevant", "handled", "contenders", "common")


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
    return results[f"{reading} judged MethodC" if p == P else f"{reading} judged {p} MethodC"]


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
    """Mean residual; Pooling over all runs, as the paper has it, and over the best."""
    rows: list[tuple[str, float, float]] = []
    for judged_p in PS:
        values = of_p(results, reading, judged_p)["residual"]
        name = f"MethodC(p={judged_p})"
        rows += [(name, p, best) for p, (best, _) in zip(PS, values, strict=True)]
    pooled = list(zip(PS, results[f"{reading} judged Pooling"]["residual"], strict=True))
    rows += [("Pooling", p, every) for p, (_, every) in pooled]
    label = pooling_of_best(results)
    rows += [(label, p, best) for p, (best, _) in pooled]
    return _frame(rows, "judged_with", "evaluation_p", "residual")


def pooling_of_best(results: Results) -> str:
    """How Table 4 names Pooling's row over the runs that all its other rows are over."""
    return f"Pooling (best {results['paper everything']['n_best']})"


def table5(results: Results, reading: str) -> pl.DataFrame:
    """Fraction of pairs that are significant."""
    rows: list[tuple[str, int, str, float]] = []
    basis = ("base", "top", "projected")
    tested = {name: results[f"{reading} judged {name}"]["tested"] for name in METHODS}
    for at in range(len(tested["Pooling"])):
        for name in METHODS:
            cut, *values = tested[name][at]
            rows += [(name, cut, *each) for each in zip(basis, values, strict=True)]
    every = results[f"{reading} everything"]
    whole = zip(basis, every["tested"], strict=True)
    rows += [("RBP", every["judged"], *each) for each in whole]
    rows.append(("MAP", every["judged"], "base", every["tested_map"]))
    return _frame(rows, "order", "judgments", "basis", "fraction")


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
    what = f"MethodC, {cell['size']:,} judgments"
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
    what = f"p={p}, MethodC, {cell['size']:,} judgments"
    some = _bars(results, reading, what, ranges, projected=True)
    what = f"p={p}, all {every['judged']:,} judgments"
    return pl.concat([some, _bars(results, reading, what, every["ranges"][str(p)], projected=True)])


def ties(results: Results) -> pl.DataFrame:
    """Pooling's numbers in the paper's reading, least and most over orders of the runs."""
    repeats = [cell for name, cell in results.items() if name.startswith("paper ties")]
    seen: dict[tuple[str, int, str], list[float]] = {}
    for cell in repeats:
        for cut, relevant, n_handled in cell["found"]:
            seen.setdefault(("table2", cut, "relevant"), []).append(relevant)
            seen.setdefault(("table2", cut, "handled"), []).append(n_handled)
        for p, (_, every) in zip(PS, cell["residual"], strict=True):
            seen.setdefault(("table4", cell["size"], f"p={p}"), []).append(every)
        for cut, *values in cell["tested"]:
            for basis, value in zip(("base", "top", "projected"), values, strict=True):
                if value is not None:
                    seen.setdefault(("table5", cut, basis), []).append(value)
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
