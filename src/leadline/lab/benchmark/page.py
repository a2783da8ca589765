"""The benchmark's board: methods in tiers by task and measure, with intervals, filtered without a
script.
"""

import math
from collections.abc import Sequence

import polars as pl

from leadline.views.page import Fold, Marked, Part, Section, Table, interval_svg, page

MOST_TIMES = 8.0
"""An error so many times that of the best is at the end of a bar."""

FIGURES = {
    "rmse": "rmse",
    "bias": "bias",
    "gap_rmse": "rmse of differences",
    "list_rmse": "rmse of lists",
    "tau": "tau",
    "tau_ap": "tau AP",
    "coverage": "means held",
    "gap_coverage": "differences held",
    "width": "width",
    "regret": "regret",
    "regret_five": "regret of five",
    "significance_kept": "significance kept",
    "judgments": "judgments",
    "seconds": "seconds",
}
LOSSES = {name: FIGURES[name] for name in ("rmse", "regret", "regret_five", "tau")}
SHARES = ("coverage", "gap_coverage", "significance_kept")
MOST_VERSIONS = 6
"""Of the history so many are shown, the last ones."""

BOARD_STYLE = """
fieldset{border:0;padding:0;margin:.4rem 0;display:flex;flex-wrap:wrap;gap:.2rem .9rem}
legend{float:left;margin-right:.8rem;color:var(--soft)}label{cursor:pointer;white-space:nowrap}
svg.cell{display:block;width:9.5rem;height:1rem}
@media(max-width:600px){tbody th{white-space:normal;min-width:7rem}}
.iv{fill:var(--link);opacity:.45}.mk{fill:var(--link)}.one{stroke:var(--soft);stroke-dasharray:2 3}
"""


def benchmark_page(
    tiers: pl.DataFrame,
    cells: pl.DataFrame,
    titles: dict[str, str],
    facts: Sequence[str],
    history: pl.DataFrame | None = None,
) -> str:
    """The page; `titles` are those of the tasks, `facts` tell what was played."""
    choices = {
        "task": list(dict.fromkeys(tiers["task"])),
        "measure": sorted(tiers["measure"].unique()),
    }
    sections = [
        _section(str(task), str(measure), titles[str(task)], part, cells, history)
        for (task, measure), part in tiers.group_by(["task", "measure"], maintain_order=True)
    ]
    lead = (
        "Every method answers the same questions, and its error is reported. Methods of a "
        "tier cannot be told apart; a cut between tiers is no difference either, only a place "
        "where one begins. A mark with its interval is compared with the best, the dotted line; "
        "that of the best itself with the next. Methods of ours that are defaults stand in bold."
    )
    style = BOARD_STYLE + "".join(_hiding(kind, names) for kind, names in choices.items())
    return page(
        "The benchmark", lead, sections, "benchmark.html", style, choices=choices, facts=facts
    )


def _hiding(kind: str, names: Sequence[str]) -> str:
    """Styles that hide the sections of other names when a button is pressed."""
    return "".join(
        f'body:has(#{kind}-{at}:checked) section:not([data-{kind}="{name}"]){{display:none}}'
        for at, name in enumerate(names, 1)
    )


def _section(
    task: str,
    measure: str,
    title: str,
    part: pl.DataFrame,
    cells: pl.DataFrame,
    history: pl.DataFrame | None,
) -> Section:
    own = cells.filter(task=task, measure=measure)
    # Where nothing was seen in development both scopes are the same.
    scopes = ("all", "unseen") if own["seen"].any() else ("all",)
    parts: list[Part] = [
        _tiers(scope, part.filter(scope=scope)) for scope in scopes if len(part.filter(scope=scope))
    ]
    loss = part["loss"][0]
    budgets = sorted(own["budget"].unique())
    rows = []
    for (collection, method), some in own.group_by(["collection", "method"], maintain_order=True):
        by_budget = dict(some.select("budget", loss).iter_rows())
        seen = ", seen in development" if some["seen"][0] else ""
        figures = (_number(by_budget.get(budget)) for budget in budgets)
        rows.append([f"{collection}{seen}", str(method), *figures])
    head = ["collection", "method", *map(str, budgets)]
    parts.append(_fold(f"{LOSSES[loss]} by collection and budget", head, rows, 2))
    parts.append(_figures(part, own))
    parts += _versions(task, measure, part, history)
    name = f"{title[:1].upper() + title[1:]}: {measure}"
    return Section(name, parts, {"task": task, "measure": measure})


def _fold(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], n_labels: int = 1
) -> Fold:
    return Fold(title, [Table("", head, rows, n_labels)])


def _figures(part: pl.DataFrame, own: pl.DataFrame) -> Fold:
    """Every figure of every method, mean over what it answered."""
    shown = [name for name in FIGURES if name in own.columns and own[name].is_not_null().any()]
    means = own.group_by("method").agg(pl.col(name).mean() for name in shown)
    by_method = {row["method"]: row for row in means.iter_rows(named=True)}
    rows = [
        [
            method,
            *((_share if name in SHARES else _number)(by_method[method][name]) for name in shown),
        ]
        for method in part.filter(scope="all")["method"]
    ]
    head = ["method", *(FIGURES[name] for name in shown)]
    return _fold("all figures, means over collections and budgets", head, rows)


def _versions(
    task: str, measure: str, part: pl.DataFrame, history: pl.DataFrame | None
) -> list[Fold]:
    """What each method came to in earlier versions, where the same was played by them."""
    if history is None or not len(history):
        return []
    own = history.filter(task=task, measure=measure, played=history["played"][-1])
    programs = own.select("leadline", "program").unique(maintain_order=True).rows()
    programs = programs[-MOST_VERSIONS:]
    if len(programs) < 2:
        return []
    values = {
        (program, method): value
        for program, method, value in own.select("program", "method", "value").iter_rows()
    }
    rows = [
        [method, *(_number(values.get((program, method))) for _, program in programs)]
        for method in part.filter(scope="all")["method"]
    ]
    head = ["method", *(f"{version} {program[:6]}" for version, program in programs)]
    return [_fold(f"mean {LOSSES[part['loss'][0]]} by version", head, rows)]


def _tiers(scope: str, part: pl.DataFrame) -> Table:
    loss = part["loss"][0]
    ratio = loss == "rmse"
    what = {"rmse": "times the best", "tau": "less than the best"}.get(loss, "more than the best")
    caption = {
        "all": "All collections",
        "unseen": "Only collections that a method's authors did not look at",
    }[scope]
    largest = max((abs(each) for each in part["upper"].drop_nulls()), default=1.0)
    form = ".2f" if ratio else "+.4f"
    rows: list[list[str | Marked]] = []
    for row in part.iter_rows(named=True):
        spread = "" if row["lower"] is None else f"{row['lower']:{form}} to {row['upper']:{form}}"
        rows.append(
            [
                Marked(row["method"], "ours") if row["default"] else row["method"],
                str(row["tier"]),
                _bar(row, ratio, largest),
                "" if row["to_best"] is None else f"{row['to_best']:{form}}",
                spread,
                _number(row["value"]),
                f"{row['answered']:.0%}",
            ]
        )
    tiers = part["tier"].to_list()
    first = frozenset(at for at, tier in enumerate(tiers) if at == 0 or tier != tiers[at - 1])
    head = ["method", "tier", "", what, "95%", f"mean {LOSSES[loss]}", "answered"]
    return Table(caption, head, rows, 1, first)


def _bar(row: dict[str, float | None], ratio: bool, largest: float) -> str:
    """The interval of a method; the dashed line is the best (the next, for the best itself)."""
    middle, low, high = row["to_best"], row["lower"], row["upper"]
    if middle is None or low is None or high is None:
        return ""

    def place(value: float) -> float:
        if not ratio:
            return value
        # From an eighth to eight times, in equal steps of ratio.
        return min(max(math.log(max(value, 1e-9)), -math.log(MOST_TIMES)), math.log(MOST_TIMES))

    end = math.log(MOST_TIMES) if ratio else max(largest, 1e-9)
    return interval_svg(place(low), place(middle), place(high), (-end, end), 0.0)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if abs(value) >= 1 else f"{value:.4f}"
