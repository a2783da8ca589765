"""The league's board: methods in tiers by task and measure, with intervals, filtered without a
script.
"""

import math
from collections.abc import Sequence
from html import escape

import polars as pl

from leadline.views.page import STYLE

WIDTH, MOST_TIMES = 150, 8.0
"""Pixels of a bar; an error so many times that of the best is at its end."""

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
td.bar{padding:0 .6rem}td.bar svg{display:block}tbody tr.ours th{font-weight:700}
tr.tier>*{border-top:2px solid var(--line)}.dot{fill:var(--link)}
@media(max-width:600px){tbody th{white-space:normal;min-width:7rem}td.bar{padding:0}}
.whisker{stroke:var(--link);stroke-width:2}.one{stroke:var(--soft);stroke-dasharray:2 3}
"""


def league_page(
    tiers: pl.DataFrame,
    cells: pl.DataFrame,
    titles: dict[str, str],
    facts: Sequence[str],
    history: pl.DataFrame | None = None,
) -> str:
    """The page; `titles` are those of the tasks, `facts` tell what was played."""
    tasks = list(dict.fromkeys(tiers["task"]))
    measures = sorted(tiers["measure"].unique())
    sections = "".join(
        _section(str(task), str(measure), titles[str(task)], part, cells, history)
        for (task, measure), part in tiers.group_by(["task", "measure"], maintain_order=True)
    )
    told = "".join(f"<p class=note>{escape(fact)}</p>" for fact in facts)
    lead = (
        "Every method answers the same questions; what is told is how far off it is. Methods of a "
        "tier cannot be told apart; a cut between tiers is no difference either, only a place "
        "where one begins. A dot with its interval is compared with the best, the dotted line; "
        "that of the best itself with the next. Methods of ours that are defaults stand in bold."
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><title>The league</title>'
        f"<style>{STYLE}{BOARD_STYLE}{_hiding('task', tasks)}{_hiding('measure', measures)}"
        f"</style></head><body><main><h1>The league</h1><p class=lead>{lead}</p>{told}"
        f"{_choices('task', tasks)}{_choices('measure', measures)}{sections}</main></body></html>\n"
    )


def _choices(kind: str, names: Sequence[str]) -> str:
    """One button for each name, and one for all."""
    buttons = [
        f'<label><input type=radio name={kind} id="{kind}-{at}"{" checked" if at == 0 else ""}> '
        f"{escape(name)}</label>"
        for at, name in enumerate(["all", *names])
    ]
    return f"<fieldset><legend>{kind}</legend>{''.join(buttons)}</fieldset>"


def _hiding(kind: str, names: Sequence[str]) -> str:
    """Styles that hide the sections of other names when a button is pressed."""
    return "".join(
        f"body:has(#{kind}-{at}:checked) "
        f'section:not([data-{kind}="{escape(name)}"]){{display:none}}'
        for at, name in enumerate(names, 1)
    )


def _section(
    task: str,
    measure: str,
    title: str,
    part: pl.DataFrame,
    cells: pl.DataFrame,
    history: pl.DataFrame | None,
) -> str:
    own = cells.filter(task=task, measure=measure)
    # Where nothing was seen in development both scopes are the same.
    scopes = ("all", "unseen") if own["seen"].any() else ("all",)
    body = "".join(
        _tiers(scope, part.filter(scope=scope)) for scope in scopes if len(part.filter(scope=scope))
    )
    budgets = sorted(own["budget"].unique())
    head = "".join(f"<th>{budget}</th>" for budget in budgets)
    labels = "<th class=label>collection</th><th class=label>method</th>"
    rows = []
    keys = ["collection", "method"]
    for (collection, method), some in own.group_by(keys, maintain_order=True):
        loss = dict(some.select("budget", part["loss"][0]).iter_rows())
        seen = ", seen in development" if some["seen"][0] else ""
        figures = "".join(f"<td>{_number(loss.get(budget))}</td>" for budget in budgets)
        rows.append(
            f"<tr><th>{escape(str(collection))}{seen}</th><th>{escape(str(method))}</th>{figures}</tr>"
        )
    return (
        f'<section data-task="{escape(task)}" data-measure="{escape(measure)}">'
        f"<h2>{escape(title[:1].upper() + title[1:])}: {escape(measure)}</h2>{body}"
        f"{_fold(LOSSES[part['loss'][0]] + ' by collection and budget', labels + head, rows)}"
        f"{_figures(part, own)}{_versions(task, measure, part, history)}</section>"
    )


def _figures(part: pl.DataFrame, own: pl.DataFrame) -> str:
    """Every figure of every method, mean over what it answered."""
    shown = [name for name in FIGURES if name in own.columns and own[name].is_not_null().any()]
    means = own.group_by("method").agg(pl.col(name).mean() for name in shown)
    by_method = {row["method"]: row for row in means.iter_rows(named=True)}
    rows = []
    for method in part.filter(scope="all")["method"]:
        figures = "".join(
            f"<td>{_share(by_method[method][name])}</td>"
            if name in SHARES
            else f"<td>{_number(by_method[method][name])}</td>"
            for name in shown
        )
        rows.append(f"<tr><th>{escape(method)}</th>{figures}</tr>")
    head = "".join(f"<th>{FIGURES[name]}</th>" for name in shown)
    return _fold(
        "all figures, means over collections and budgets",
        f"<th class=label>method</th>{head}",
        rows,
    )


def _versions(task: str, measure: str, part: pl.DataFrame, history: pl.DataFrame | None) -> str:
    """What each method came to in earlier versions, where the same was played by them."""
    if history is None or not len(history):
        return ""
    own = history.filter(task=task, measure=measure, played=history["played"][-1])
    programs = own.select("leadline", "program").unique(maintain_order=True).rows()
    programs = programs[-MOST_VERSIONS:]
    if len(programs) < 2:
        return ""
    values = {
        (program, method): value
        for program, method, value in own.select("program", "method", "value").iter_rows()
    }
    rows = []
    for method in part.filter(scope="all")["method"]:
        cells = "".join(
            f"<td>{_number(values.get((program, method)))}</td>" for _, program in programs
        )
        rows.append(f"<tr><th>{escape(method)}</th>{cells}</tr>")
    head = "".join(
        f"<th>{escape(f'{version} {program[:6]}')}</th>" for version, program in programs
    )
    return _fold(
        f"mean {LOSSES[part['loss'][0]]} by version", f"<th class=label>method</th>{head}", rows
    )


def _fold(title: str, head: str, rows: Sequence[str]) -> str:
    return (
        f'<details><summary>{escape(title)}</summary><div class="wide"><table><thead><tr>{head}'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _tiers(scope: str, part: pl.DataFrame) -> str:
    ratio = part["loss"][0] == "rmse"
    what = {"rmse": "times the best", "tau": "less than the best"}.get(
        part["loss"][0], "more than the best"
    )
    caption = {
        "all": "All collections",
        "unseen": "Only collections that a method's authors did not look at",
    }[scope]
    rows, before = [], 0
    largest = max((abs(each) for each in part["upper"].drop_nulls()), default=1.0)
    for row in part.iter_rows(named=True):
        classes = ["tier"] if row["tier"] != before else []
        classes += ["ours"] if row["default"] else []
        before = row["tier"]
        form = ".2f" if ratio else "+.4f"
        middle = "" if row["to_best"] is None else f"{row['to_best']:{form}}"
        spread = "" if row["lower"] is None else f"{row['lower']:{form}} to {row['upper']:{form}}"
        rows.append(
            f'<tr class="{" ".join(classes)}"><th>{escape(row["method"])}</th>'
            f"<td>{row['tier']}</td><td class=bar>{_bar(row, ratio, largest)}</td>"
            f"<td>{middle}</td><td>{spread}</td><td>{_number(row['value'])}</td>"
            f"<td>{row['answered']:.0%}</td></tr>"
        )
    head = (
        f"<th class=label>method</th><th>tier</th><th></th><th>{what}</th><th>95%</th>"
        f"<th>mean {LOSSES[part['loss'][0]]}</th><th>answered</th>"
    )
    return (
        f'<p class="caption">{caption}</p><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _bar(row: dict[str, float | None], ratio: bool, largest: float) -> str:
    """A dot with its interval; the dashed line is the best (the next, for the best itself)."""
    middle, low, high = row["to_best"], row["lower"], row["upper"]
    if middle is None or low is None or high is None:
        return ""

    def place(value: float) -> float:
        if ratio:
            # From an eighth to eight times, in equal steps of ratio.
            share = 0.5 + math.log(max(value, 1e-9)) / (2 * math.log(MOST_TIMES))
        else:
            share = 0.5 + value / (2 * max(largest, 1e-9))
        return 4 + (WIDTH - 8) * min(max(share, 0.0), 1.0)

    one = place(1.0 if ratio else 0.0)
    return (
        f'<svg width="{WIDTH}" height="18" viewBox="0 0 {WIDTH} 18">'
        f'<line class=one x1="{one:.1f}" x2="{one:.1f}" y1="0" y2="18"/>'
        f'<line class=whisker x1="{place(low):.1f}" x2="{place(high):.1f}" y1="9" y2="9"/>'
        f'<circle class=dot cx="{place(middle):.1f}" cy="9" r="4"/></svg>'
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if abs(value) >= 1 else f"{value:.4f}"
