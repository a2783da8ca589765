"""The page of several collections: scores of each, and tiers and tests over all of them."""

from collections.abc import Mapping, Sequence

import polars as pl

from leadline.stats.certainty import CERTAINTY
from leadline.stats.pairwise import CUT, Pairwise
from leadline.views.critical_difference import critical_difference
from leadline.views.page import Figure, Part, Section, Table, can_draw, page
from leadline.views.pair_tables import led_by, probability, settled

BLOCKS = (
    "Every collection counts alike. Topics are paired within their collection, so the tests hold "
    "for topics like these of these collections, and not for other collections."
)


def across_page(
    title: str,
    compared: Mapping[str, Pairwise],
    n_topics: Mapping[str, int],
    notices: Sequence[str],
    command: str,
) -> str:
    """Return the page; `n_topics` are the topics of each collection."""
    first = next(iter(compared.values()))
    sections = [Section("In short", tuple(_short(pairs) for pairs in compared.values()))]
    for measure, pairs in compared.items():
        drawn: tuple[Part, ...] = ()
        if can_draw():
            words = "mean over collections; a bar joins runs that the test cannot tell apart"
            drawn = (Figure(words, critical_difference(pairs)),)
        sections += [
            Section(f"Leaderboard: {measure}", (_leaderboard(pairs), f"Tiers: {CUT}.")),
            Section(f"Tiers: {measure}", drawn),
            Section(
                f"The best run against the others: {measure}", (_with_best(pairs), _how(pairs))
            ),
        ]
    if notices:
        sections.append(Section("Notices", tuple(notices)))
    sections.append(Section("Reproduce", (command,)))
    of_each = ", ".join(f"{name} ({n:,} topics)" for name, n in n_topics.items())
    lead = f"{len(first.scores.runs):,} runs on {len(n_topics)} collections: {of_each}. {BLOCKS}"
    return page(title, lead, [each for each in sections if each.parts])


def _short(pairs: Pairwise) -> str:
    """Who is best, whether that is significant, and how settled it is."""
    names, best = pairs.scores.runs, int(pairs.order[0])
    mine = (pairs.first == best) | (pairs.second == best)
    beaten, others = int(pairs.significant[mine].sum()), int(mine.sum())
    words = [word for word, own in zip(pairs.certainty, mine.tolist(), strict=True) if own]
    signs = ", ".join(f"{words.count(word):,} {word}" for word in CERTAINTY)
    return (
        f"{pairs.scores.measure}: {names[best]} has the highest mean, "
        f"{pairs.scores.mean()[best]:.4f}. It is significantly better than {beaten:,} of the "
        f"{others:,} runs that it was compared with. Signs of these differences once all is "
        f"judged: {signs}."
    )


def _leaderboard(pairs: Pairwise) -> Table:
    frame = pairs.tier_frame()
    head = ["run", "mean", "lower", "upper", "tier by certainty"]
    tested = pairs.tiers("significance") is not None
    head += ["tier by significance"] if tested else []
    by_place = pairs.scores.value[pairs.order]
    rows = [
        [
            row["run"],
            *(_number(row[name]) for name in ("value", "lower", "upper")),
            str(row["tier_certainty"]),
            *([str(row["tier_significance"])] if tested else []),
            *map(_number, own),
        ]
        for row, own in zip(frame.iter_rows(named=True), by_place.tolist(), strict=True)
    ]
    return Table("", [*head, *pairs.scores.topics], rows)


def _with_best(pairs: Pairwise) -> Table:
    frame: pl.DataFrame = pairs.frame()
    best = pairs.scores.runs[int(pairs.order[0])]
    rows = led_by(frame, best) if pairs.all_tested else frame
    names = ("run_b",) if pairs.all_tested else ("run_a", "run_b")
    head = [f"{best} against"] if pairs.all_tested else ["run", "baseline"]
    head += ["difference", "lower", "upper", "p corrected", "in general", "on these topics"]
    return Table(
        "",
        [*head, "caveats"],
        [
            [
                *(row[name] for name in names),
                *(_number(row[name], "+") for name in ("difference", "lower", "upper")),
                probability(row["p_corrected"]),
                row["verdict"],
                settled(row),
                row["caveats"],
            ]
            for row in rows.iter_rows(named=True)
        ],
    )


def _how(pairs: Pairwise) -> str:
    return (
        f"Test: {pairs.test}, {pairs.tails}-tailed, correction: {pairs.correction}, alpha "
        f"{pairs.alpha:g}. The bounds hold the difference for every completion of the judgments of "
        "all collections."
    )


def _number(value: float | None, sign: str = "") -> str:
    return "" if value is None or value != value else f"{value:{sign}.4f}"
