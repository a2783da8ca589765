"""Where the runs stand, for the terminal: a line for each, and a picture of their ranges."""

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from leadline.judging.forecast import SessionForecast
from leadline.judging.standings import Standings
from leadline.views.tables import CERTAINTY_STYLES, WIDTH, interval_bar

FEW = 5
"""So many runs are named; more are counted."""

LIKELY_SHOWN = 3


def standing_line(standing: Standings, forecast: SessionForecast | None = None) -> str:
    """Judged so far, the leader with its interval, and who can still be best.

    With a forecast also what the leader's score is expected to be.
    """
    names, leader = standing.runs.names, standing.leader
    if not standing.base[leader]:
        leading = "no relevant document yet"
    else:
        low, high = standing.base[leader], standing.upper[leader]
        leading = f"leader {names[leader]} {low:.4f} [{low:.4f}, {high:.4f}]"
        if forecast is not None:
            leading += f", expected {forecast.outlook.expected[leader]:.4f}"
    return f"{len(standing.judged):,} judged · {leading} · {chances(standing)}"


def chances(standing: Standings) -> str:
    """How many runs can still be best, by name if they are few."""
    may = standing.may_be_best
    if len(may) == 1:
        return f"{standing.runs.names[may[0]]} is certain to be best"
    listed = f": {', '.join(standing.runs.names[run] for run in may)}" if len(may) <= FEW else ""
    return f"{len(may)} of {len(standing.runs.names)} runs can still be best{listed}"


def outlook_text(standing: Standings, forecast: SessionForecast | None) -> Text | None:
    """Certain, likely or open: who is best, and how many judgments it still takes; None if nobody
    can tell.
    """
    if forecast is None:
        return None
    outlook = forecast.outlook
    sure = Text(outlook.certainty, style=CERTAINTY_STYLES[outlook.certainty])
    if outlook.certainty == "certain":
        return Text.assemble(sure, ": no judgment can change who is best")
    name = standing.runs.names[outlook.leader]
    told = f": {name} leads, {outlook.chance_of_leader}"
    if forecast.held:
        told += f", but do not rely on that: {forecast.held}"
    until = [f"about {outlook.to_certain:,} judgments to go until certain"]
    if outlook.certainty == "open" and not forecast.held:
        until.insert(0, f"about {outlook.to_likely:,} until likely")
    if forecast.left:
        after = forecast.after_budget
        until.append(f"the {forecast.left:,} left of the budget lead to about {after:.2f}")
    return Text.assemble(sure, f"{told}; {', '.join(until)}")


def short_lists(standing: Standings) -> list[str]:
    """What to add when the best is certain: whose lists end too early to tell."""
    if len(standing.may_be_best) > 1:
        return []
    short = standing.short_of_certain
    if not len(short):
        return []
    named = [f"{standing.runs.names[run]} {standing.tail[run]:.4f}" for run in short[:FEW]]
    more = f" and {len(short) - FEW} more" if len(short) > FEW else ""
    return [
        "certain for the documents that are listed; beyond the ends of their lists these runs "
        f"keep more open than they lack: {', '.join(named)}{more}"
    ]


def standing_table(
    standing: Standings, most: int | None = None, forecast: SessionForecast | None = None
) -> RenderableType:
    """One bar per run from base to top, those that can still be best first, then by base.

    The mark is what a model expects, where there is a forecast, else the projected score.
    """
    lower, names = standing.base, standing.runs.names
    may = set(standing.may_be_best.tolist())
    order = sorted(range(len(names)), key=lambda run: (run not in may, -lower[run], names[run]))
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("run", no_wrap=True)
    estimate = "projected" if forecast is None else "expected"
    for name in ("base", estimate, "top"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(f"0{'1':>{WIDTH - 1}}", no_wrap=True)
    upper = standing.upper
    projected = standing.projected if forecast is None else forecast.outlook.expected
    for run in order[:most]:
        base, middle, top = lower[run], projected[run], upper[run]
        table.add_row(
            ("★" if run == standing.leader else "•") if run in may else "",
            Text(names[run]),
            f"{base:.4f}",
            "" if np.isnan(middle) else f"{middle:.4f}",
            f"{top:.4f}",
            interval_bar(base, middle, top, 0.0, 1.0, ends=True),
        )
    hidden = f"... and {len(order[most:])} more runs\n" if most and order[most:] else ""
    legend = f"★ leads, • can still be best. ├ base, ┃ {estimate}, ┤ top"
    return Group(table, Text(f"{hidden}{legend}", style="dim"))


def likely_lines(standing: Standings) -> list[str]:
    """Who is likely to be best by an order's model, and what its audit says; empty without one."""
    state = standing.likely
    if state is None or state.posterior is None:
        return []
    posterior, names = state.posterior, standing.runs.names
    first = np.lexsort((standing.runs.place_by_name, -posterior.mean))[:LIKELY_SHOWN]
    means = (f"{names[run]} {posterior.mean[run]:.3f}" for run in first)
    lines = [
        f"likely best according to the model of {state.n_judged:,} judgments: {', '.join(means)}"
    ]
    scores = state.audit.scores
    if scores is not None:
        lower, upper = scores.interval()
        estimates = []
        for run in first:
            ends = "" if scores.withheld else f" [{lower[run]:.3f}, {upper[run]:.3f}]"
            estimates.append(f"{names[run]} {scores.value[run]:.3f}{ends}")
        lines.append(
            f"unbiased estimates from {state.audit.n_drawn:,} sampled judgments "
            f"({scores.withheld or '95% intervals'}): {', '.join(estimates)}"
        )
    if state.audit.failed:
        lines.append(f"do not rely on the model: {state.audit.failed}")
    return lines
