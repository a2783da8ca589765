"""The report of a collection, section by section."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from markupsafe import Markup

import leadline
from leadline.completions.bounds import OpenWeight
from leadline.completions.contributions import GroupContribution, Groups
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.io.problems import Problem
from leadline.io.topics import Texts
from leadline.io.validate_runs import JudgedByRank
from leadline.judging.certain_winner import WorthJudging
from leadline.stats.board import Board
from leadline.stats.certainty import CERTAINTY
from leadline.stats.pairwise import CUT, Pairwise
from leadline.stats.power import COLUMNS as CONFIDENCE_COLUMNS
from leadline.views.page import (
    Cell,
    Column,
    Drawn,
    Origin,
    again_section,
    amount,
    by_measure,
    figure,
    interval_svg,
    live_table,
    packed,
    page_data,
    paragraph,
    part_of_page,
    read_section,
    rendered,
    section,
)
from leadline.views.summary import nothing_to_judge, summary
from leadline.views.tables import certainty_css

SCRIPTS = (
    "data",
    "state",
    "table",
    "svg",
    "interval",
    "ranges",
    "heat",
    "left_out",
    "topics",
    "matrix",
    "orderings",
    "main",
)


def static(name: str) -> str:
    """The text of a file of the page's own."""
    return (files("leadline.views") / "static" / name).read_text(encoding="utf-8")


def live_page(
    title: str,
    lead: str,
    summary: Markup,
    measures: Sequence[str],
    sections: Sequence[tuple[str, str, Markup]],
    data: Any,
) -> str:
    """The page as text; `sections` are (id, words of its link, HTML), empty ones left out."""
    style = static("style.css") + certainty_css()
    script = '"use strict";\n(() => {\n' + "\n".join(static(f"{n}.js") for n in SCRIPTS) + "})();"
    return rendered(
        "report.html",
        policy=Markup(_policy(style, script)),
        version=leadline.__version__,
        title=title,
        lead=lead,
        summary=summary,
        measures=measures,
        sections=[each for each in sections if each[2]],
        style=Markup(style),
        script=Markup(script),
        data=packed(data),
    )


def _policy(style: str, script: str) -> str:
    """What the browser may do: run this script, apply this style, show pictures made here."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{digest(script)}'; "
        f"style-src 'sha256-{digest(style)}'; img-src data: blob:; base-uri 'none'; "
        "form-action 'none'"
    )


# Run and score first: a phone shows no more at once.
COLUMNS = (
    Column("run", "text"),
    Column("score", title="unjudged documents counted as non-relevant, unless it is estimated"),
    Column("with labels", title="labels counted as judgments of documents that nobody judged"),
    Column("group", "text", "who made the run"),
    Column("pooled", "text", "whether the run's documents were judged because it was pooled"),
    Column("adjusted", title="score of an unpooled run, adjusted for its unjudged documents"),
    Column("adjusted: lower", title="95% prediction interval of the adjusted score"),
    Column("adjusted: upper", title="95% prediction interval of the adjusted score"),
    Column("place", "count", "1 is the best; equal scores share a place"),
    Column("lower", title="the least that the score can become"),
    Column("upper", title="the most that the score can become"),
    Column("interval", "drawn", "from lower to upper, the score marked"),
    Column("tier by test", "count", "runs of one tier do not differ significantly"),
    Column("tier for certain", "count", "runs of one tier may change places by judging"),
    Column("judged", "share", "share of the ranks that the measure looks at"),
)
UNPOOLED = "unpooled"
ADJUSTED = ("adjusted", "adjusted: lower", "adjusted: upper")
OVER_TOPICS = (
    Column("topics, t: lower", title="confidence interval over topics, by Student's t"),
    Column("topics, t: upper", title="confidence interval over topics, by Student's t"),
    Column("topics, bootstrap: lower", title="confidence interval over topics, by the bootstrap"),
    Column("topics, bootstrap: upper", title="confidence interval over topics, by the bootstrap"),
)
"""About other topics; lower and upper are about unjudged documents."""


def leaderboard(boards: list[Board], groups: Groups) -> Markup:
    """The section."""
    estimated = [board.scores.measure for board in boards if board.estimated]
    caption = (
        "Mark: the score, unjudged documents counted as non-relevant. Bar: bounds of the score "
        "over every completion of the judgments. Right: tiers; runs in one tier cannot be told "
        f"apart, by the test and for certain; {CUT}."
    )
    if estimated:
        caption += f" The mark of {', '.join(estimated)} is an estimate from the sample."
    if any(board.confidence is not None for board in boards):
        caption += (
            " Columns that begin with topics hold confidence intervals: they allow for the sample "
            "of topics, and bounds do not."
        )
    n_unpooled = int((~groups.pooled).sum())
    if n_unpooled:
        caption += (
            f" \u25cb: {amount(n_unpooled, 'unpooled run')}. Relevant "
            "documents that only such runs return are unjudged, and count as non-relevant."
        )
    if any(board.adjusted for board in boards):
        caption += (
            " Diamond: the adjusted score of an unpooled run, which allows for that; line: its 95% "
            "prediction interval, by a model of the judgments."
        )
    tables = by_measure(
        (board.scores.measure, _table(at, board, groups)) for at, board in enumerate(boards)
    )
    return section("leaderboard", "Leaderboard", figure("leaderboard-chart", caption), tables)


def _table(at: int, board: Board, groups: Groups) -> Markup:
    scores = board.scores
    lower, upper, mean = board.lower, board.upper, board.mean
    numbers = np.concatenate([mean, lower, upper])
    numbers = numbers[~np.isnan(numbers)]
    ends = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    tiers = [] if board.tiers is None else [board.tiers["significance"], board.tiers["certainty"]]
    sure = board.confidence
    over = [] if sure is None else [getattr(sure, name) for name in CONFIDENCE_COLUMNS]
    # Beside the interval that is certain, so that nobody overlooks that there are two doubts.
    after = 1 + [column.name for column in COLUMNS].index("interval")
    columns = [*COLUMNS[:after], *OVER_TOPICS[: len(over)], *COLUMNS[after:]]
    marked, adjusted = not groups.pooled.all(), board.adjusted is not None
    beside = next((each for each in board.estimates if each.name == "with labels"), None)
    hidden = {"group": groups.told, "pooled": marked, **dict.fromkeys(ADJUSTED, adjusted)}
    hidden["with labels"] = beside is not None
    columns = [column for column in columns if hidden.get(column.name, True)]
    rows: list[list[Cell]] = []
    for run in board.order.tolist():
        bar: Cell = None
        if not np.isnan(upper[run]) and not np.isnan(mean[run]):
            svg = interval_svg(lower[run], mean[run], upper[run], ends)
            bar = Drawn(svg, float(upper[run] - lower[run]))
        rows.append(
            [
                scores.runs[run],
                float(mean[run]),
                *([] if beside is None else [float(beside.value[run])]),
                *([groups.names[groups.of_run[run]]] if groups.told else []),
                *([UNPOOLED if not groups.pooled[run] else ""] if marked else []),
                *(adjusted_cells(board, run) if adjusted else ()),
                board.places[run],
                float(lower[run]),
                float(upper[run]),
                bar,
                *(float(ends[run]) for ends in over),
                *(int(tier[run]) for tier in tiers),
                *(() if tiers else (None, None)),
                float(board.judged[run]),
            ]
        )
    return live_table(f"leaderboard-{at}", f"Leaderboard by {scores.measure}", columns, rows)


def adjusted_cells(board: Board, run: int) -> tuple[Cell, Cell, Cell]:
    """Return the adjusted score of a run and the ends of its interval; None for pooled runs."""
    at = board.adjusted_place.get(run)
    if board.adjusted is None or at is None:
        return None, None, None
    made = board.adjusted
    ends = (made.adjusted[at], made.pred_lower[at], made.pred_upper[at])
    score, lower, upper = (None if np.isnan(each) else float(each) for each in ends)
    return score, lower, upper


def groups_section(
    boards: list[Board],
    groups: Groups,
    contribution: GroupContribution,
    pool_depth: int | None,
    given: bool,
) -> Markup:
    """Who found what nobody else found, and what leaving a group out would do to it.

    Empty where every run is a group of its own.
    """
    if not groups.told:
        return Markup()
    columns = [
        Column("group", "text"),
        Column("runs", "count"),
        Column("pooled runs", "count", "runs that count for the pool"),
        Column("relevant found", "count", "relevant documents that some run of it returns"),
        Column("found alone", "count", "relevant documents that no other group returns at all"),
        Column("pooled alone", "count", "judged documents in the pool because of it alone"),
        Column("relevant of these", "count", "relevant ones among them"),
    ]
    counts = (
        groups.n_runs,
        groups.n_pooled,
        contribution.found,
        contribution.alone,
        contribution.pooled_alone,
        contribution.pooled_alone_relevant,
    )
    order = np.lexsort(
        (
            np.array(groups.names, np.str_),
            -contribution.found,
            -contribution.alone,
            -contribution.pooled_alone_relevant,
        )
    )
    rows: list[list[Cell]] = [
        [groups.names[at], *(int(count[at]) for count in counts)] for at in order.tolist()
    ]
    if pool_depth is None:
        columns, rows = columns[:-2], [row[:-2] for row in rows]
    table = live_table("groups-table", "Relevant documents by group", columns, rows)
    if pool_depth is None:
        words = (
            "What would happen to a group that had not been pooled cannot be told: the judgments "
            "are no pool of these runs, since even first ranks are unjudged. If you know the depth "
            "to which they were pooled, give it with --pool-depth."
        )
        return section("groups", "Groups", paragraph(words, "note"), table)
    how = "given" if given else "by what was judged"
    words = (
        f"The judgments are a pool of depth {pool_depth} ({how}). Had a group not been pooled, "
        "what it alone brought to the pool would be unjudged: its scores would fall, and their "
        "intervals would still hold what they are now."
    )
    caption = (
        "Each pooled group's best run: full mark with its group in the pool, empty mark without. "
        "Largest fall first."
    )
    return section(
        "groups",
        "Groups",
        paragraph(words),
        table,
        figure("groups-chart", caption),
        by_measure(
            (board.scores.measure, _left_out_table(at, board)) for at, board in enumerate(boards)
        ),
    )


def _left_out_table(at: int, board: Board) -> Markup:
    columns = [
        Column("group", "text"),
        Column("best run", "text"),
        Column("score"),
        Column("if not pooled"),
        Column("lower"),
        Column("upper"),
        Column("change"),
        Column("place", "count"),
        Column("place if not pooled", "count"),
    ]
    rows: list[list[Cell]] = [
        [
            row.group,
            row.run,
            row.value,
            row.without,
            row.lower,
            row.upper,
            row.without - row.value + 0.0,
            row.place,
            row.place_without,
        ]
        for row in board.left_out or ()
    ]
    return live_table(
        f"left-out-{at}", f"Groups left out of the pool, {board.scores.measure}", columns, rows
    )


def judged_section(judged: JudgedByRank, judgments: Judgments, board: Board) -> Markup:
    """Share judged by run and rank; the runs as they stand on the board."""
    columns = [Column("run", "text")] + [
        Column(str(first) if first == last else f"{first}\u2013{last}", "share", "ranks")
        for first, last in zip(judged.first.tolist(), judged.last.tolist(), strict=True)
    ]
    rows: list[list[Cell]] = [
        [board.scores.runs[run], *judged.share[run].tolist()] for run in board.order.tolist()
    ]
    n, of = int(judgments.judged.sum()), len(judgments.pairs)
    return section(
        "judged",
        "What was judged",
        paragraph(
            f"{n:,} of {of:,} pairs of topic and document that a run or the judgments mention were "
            "judged. A run whose first ranks are pale has a score that rests on little."
        ),
        figure(
            "judged-chart",
            "Rows: runs, best first by the measure chosen. Columns: ranks. The fuller the colour, "
            "the larger the share judged; nothing where no list goes that far.",
            [("heat", "judged"), ("none", "not judged")],
        ),
        live_table("judged-table", "Share judged by rank", columns, rows),
    )


def next_section(worth: WorthJudging, texts: Texts) -> Markup:
    """The unjudged documents whose judgment would tell most."""
    if not worth.pairs:
        return section("next", "What to judge next", paragraph(nothing_to_judge(worth)))
    if worth.decides:
        words = (
            f"The judgments of these documents would tell most about which run is best by "
            f"{worth.measure}, the most telling first (order {worth.order})."
        )
    else:
        given = " while ideals stay as they are" if worth.by_ideals else ""
        words = (
            f"Which run is best by {worth.measure} is certain for the documents that are listed"
            f"{given}: no judgment of them can change it. These would narrow its bounds most "
            f"(order {worth.order})."
        )
    columns = [
        Column("document", "text"),
        Column("step", "count"),
        Column("topic", "text"),
        *([Column("title", "long")] if texts.documents else []),
        Column("weight", digits=6),
        Column("runs", "count", "runs that return it"),
        Column("best rank", "count"),
        Column("by", "text"),
    ]
    rows: list[list[Cell]] = []
    for step, each in enumerate(worth.pairs, 1):
        document = texts.documents.get(each.doc)
        title = "" if document is None else document.title or document.text[:80]
        words_of = [title] if texts.documents else []
        query = texts.topics.get(each.topic, ("", ""))[0]
        topic = f"{each.topic}: {query}" if query else each.topic
        cells = (each.weight, each.n_runs, each.best_rank, each.best_run)
        rows.append([each.doc, step, topic, *words_of, *cells])
    return section(
        "next",
        "What to judge next",
        paragraph(words),
        live_table("next-table", "Unjudged documents to judge next", columns, rows),
    )


AGREEMENT = {
    "kendall_tau_b": "Kendall's tau",
    "tau_ap": "tau AP",
    "spearman": "Spearman",
    "rbo": "RBO",
    "leader_drop": "leader falls by",
    "largest_drop": "largest fall",
    "swaps": "pairs swapped",
}
"""Statistics of `leadline correlate` that are shown, and what they are called."""


def orderings_section(boards: list[Board]) -> Markup:
    """How estimators order the runs, where any are given."""
    if not any(board.estimates for board in boards):
        return Markup()
    caption = (
        "Place of each run under each estimator, the best on top; the six best runs by the score "
        "are coloured."
    )
    tables = by_measure(
        (board.scores.measure, _agreement_table(at, board)) for at, board in enumerate(boards)
    )
    return section(
        "orderings", "Orderings by estimator", figure("orderings-chart", caption), tables
    )


def _agreement_table(at: int, board: Board) -> Markup:
    if not board.estimates:
        return paragraph(f"No estimates of {board.scores.measure} were given.", "note")
    columns = [Column("estimators", "text")]
    columns += [Column(words, title=name) for name, words in AGREEMENT.items()]
    rows: list[list[Cell]] = [
        [names, *(statistics.get(name) for name in AGREEMENT)]
        for names, statistics in board.agreements
    ]
    caption = f"How far estimators order the runs alike, {board.scores.measure}"
    return live_table(f"orderings-{at}", caption, columns, rows)


def anytime_section(boards: list[Board]) -> Markup:
    """The anytime-valid intervals, where judgments were sampled in batches."""
    if not any(board.anytime for board in boards):
        return Markup()
    words = (
        "Each interval contains the score on these topics with probability 95% at all looks "
        "together, so it may be read after every batch. Runs are ordered by the middle of "
        "their interval."
    )
    tables = by_measure(
        (board.scores.measure, _anytime_table(at, board)) for at, board in enumerate(boards)
    )
    return section("anytime", "Anytime-valid intervals", paragraph(words), tables)


def _anytime_table(at: int, board: Board) -> Markup:
    if board.anytime is None:
        return paragraph(f"{board.scores.measure} is no sum over documents: no interval.", "note")
    ends = board.anytime
    drawn = Column("interval", "drawn", "from lower to upper; sorts by width")
    columns = [Column("run", "text"), Column("lower"), Column("upper"), drawn]
    whole = float(ends.lower.min()), float(ends.upper.max())
    rows: list[list[Cell]] = []
    for run in np.argsort(-(ends.lower + ends.upper), kind="stable").tolist():
        lower, upper = float(ends.lower[run]), float(ends.upper[run])
        bar = Drawn(interval_svg(lower, None, upper, whole), upper - lower)
        rows.append([board.scores.runs[run], lower, upper, bar])
    n = amount(ends.n_judged, "sampled judgment")
    caption = f"Anytime-valid 95% intervals of {board.scores.measure} from {n}"
    return live_table(f"anytime-{at}", caption, columns, rows)


def significance_section(boards: list[Board]) -> Markup:
    """All pairs by the test."""
    pairs = boards[0].pairwise
    if pairs is None:
        words = "There is one run, so there is nothing to compare."
        return section("significance", "Significance", paragraph(words, "note"))
    columns = [
        Column("other run", "text"),
        Column("difference"),
        Column("lower", title="bounds of the difference over every completion"),
        Column("upper", title="bounds of the difference over every completion"),
        Column("p"),
        Column("p corrected"),
        Column("in general", "text", "by the test, for topics like these"),
        Column("on these topics", "text", "once all listed documents are judged"),
        Column("caveats", "long"),
    ]
    shares = by_measure(
        (
            board.scores.measure,
            paragraph(
                f"{board.pairwise.discriminated:.0%} of "
                f"{amount(len(board.pairwise.first), 'pair')} differ significantly. Signs of the "
                f"differences on these topics: {_signs(board.pairwise)}."
            ),
        )
        for board in boards
        if board.pairwise is not None
    )
    tails = "two-tailed" if pairs.tails == 2 else "one-tailed"
    tested = f"It tests that {pairs.null}. " if pairs.null else ""
    words = (
        f"Test: {pairs.test}, {tails}, unjudged as {pairs.unjudged_as}, alpha {pairs.alpha:g}, "
        f"correction: {pairs.correction}. {tested}"
        "The bounds (lower, upper) hold the difference on these topics for every completion of the "
        "judgments; ranks beyond the ends of the lists, which no judgment can close, are left out."
    )
    caption = (
        "Row against column. A dot: certain, whatever the unjudged documents are. Pale: "
        "significant, but with a caveat. Choose a cell to see its two runs "
        "topic by topic."
    )
    legend = [
        ("up", "row is better"),
        ("down", "row is worse"),
        ("none", "no significant difference"),
    ]
    return section(
        "significance",
        "Significance",
        paragraph(words),
        shares,
        figure("significance-chart", caption, legend),
        Markup('<p id="pairs-words" role="status"></p>'),
        live_table("pairs-table", "Run A against every other run", columns, []),
    )


def _signs(pairs: Pairwise) -> str:
    """How many are certain, likely and open."""
    return ", ".join(f"{pairs.certainty.count(word):,} {word}" for word in CERTAINTY)


def topics_section(boards: list[Board], has_queries: bool) -> Markup:
    """Two runs, topic by topic."""
    scores = boards[0].scores
    if len(scores.runs) < 2:
        return Markup()
    names = [(run, scores.runs[run]) for run in boards[0].order.tolist()]
    columns = [
        Column("topic", "text"),
        *([Column("query", "long")] if has_queries else []),
        Column("run A"),
        Column("run B"),
        Column("difference"),
        Column("lower", title="the least that the difference can become"),
        Column("upper", title="the most that the difference can become"),
        Column("sign", "text"),
    ]
    caption = (
        "Bars: score of run A minus score of run B, largest first. Lines: how far the difference "
        "can still go when all listed documents are judged; a document that both return moves "
        "both. A question mark stands beside topics whose sign could flip."
    )
    legend = [("up", "A is better"), ("down", "B is better"), ("open", "the sign could flip (?)")]
    return section(
        "topics",
        "Two runs, topic by topic",
        part_of_page("choose_two", names),
        figure("topics-chart", caption, legend),
        live_table("topics-table", "Differences by topic", columns, []),
    )


@dataclass(frozen=True, eq=False)
class ReportFacts:
    """All that a report shows: one board a measure, and what does not depend on the measure.

    `open_weights` are None for measures that have no weights of ranks.
    `pool_depth` is None where the judgments are no pool of the runs; `depth_given` says that it
    was told, not found. `texts` are the words of topics and of the documents worth judging.
    """

    title: str
    boards: Sequence[Board]
    open_weights: Sequence[OpenWeight | None]
    runs: Runs
    judgments: Judgments
    groups: Groups
    contribution: GroupContribution
    pool_depth: int | None
    depth_given: bool
    judged: JudgedByRank
    worth: WorthJudging
    texts: Texts
    notices: Sequence[Problem]
    origin: Origin
    command: str
    seed: int


def collection_report(facts: ReportFacts) -> str:
    """The page as text."""
    boards, groups, runs = list(facts.boards), facts.groups, facts.runs
    queries = {topic: words[0] for topic, words in facts.texts.topics.items()}
    pool = "not a pool of these runs" if facts.pool_depth is None else f"depth {facts.pool_depth}"
    pool += f", {amount(int(groups.pooled.sum()), 'run')} of {len(runs.names)} count as pooled"
    sections = [
        ("leaderboard", "Leaderboard", leaderboard(boards, groups)),
        ("judged", "Judged", judged_section(facts.judged, facts.judgments, boards[0])),
        (
            "groups",
            "Groups",
            groups_section(boards, groups, facts.contribution, facts.pool_depth, facts.depth_given),
        ),
        ("topics", "Topics", topics_section(boards, bool(queries))),
        ("significance", "Significance", significance_section(boards)),
        ("anytime", "Anytime-valid intervals", anytime_section(boards)),
        ("orderings", "Orderings", orderings_section(boards)),
        ("next", "What to judge next", next_section(facts.worth, facts.texts)),
        (
            "read",
            "What was read",
            read_section(runs, facts.judgments, facts.origin, facts.notices, pool),
        ),
        ("again", "Reproduce", again_section(facts.command, facts.seed, facts.origin)),
    ]
    data = page_data(boards, facts.open_weights, groups, facts.judged, queries)
    names = [board.scores.measure for board in boards]
    first = summary(boards, facts.worth, facts.texts)
    return live_page(facts.title, _lead(facts), first, names, sections, data)


def _lead(facts: ReportFacts) -> str:
    runs, groups = facts.runs, facts.groups
    of = f" of {amount(len(groups.names), 'group')}" if groups.told else ""
    return (
        f"{amount(len(runs.names), 'run')}{of} on "
        f"{amount(len(runs.pairs.topics), 'topic')}, {int(facts.judgments.judged.sum()):,} pairs "
        f"of topic and document judged."
    )
