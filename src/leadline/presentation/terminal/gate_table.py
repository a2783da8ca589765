"""What a gate says, for a terminal: a row for each measure and slice, and what to judge first."""

from rich.console import Group, RenderableType
from rich.text import Text

from leadline.comparison.gate_outcome import GateOutcome, GateRow
from leadline.comparison.sureness import MEANING
from leadline.presentation.sureness_look import SURENESS_STYLES
from leadline.presentation.terminal.tables import titled_table

SHOWN = 10
STYLES = {"worse": "red", "different": "red", "undecided": "yellow"}


def gate_table(result: GateOutcome) -> RenderableType:
    """The rows, the verdict in words, and the documents whose judgment says most."""
    table = titled_table(f"{result.new} against {result.baseline}, margin {result.margin:g}")
    for name in ("measure", "slice"):
        table.add_column(name, overflow="fold", min_width=7)
    for name in (*heads(result), "verdict"):
        table.add_column(name, justify="left" if name == "verdict" else "right", no_wrap=True)
    for row in result.rows:
        verdict = Text(in_words(row.verdict), style=STYLES.get(row.verdict, "green"))
        table.add_row(row.measure, row.slice, *figures(result, row), verdict)
    doubts = titled_table("the doubts one by one")
    for name in ("measure", "slice", "over topics", "certain", "likely worse", "sure"):
        wide = name in ("over topics", "certain", "likely worse")
        doubts.add_column(name, overflow="fold", justify="right" if wide else "left", no_wrap=wide)
    for row in result.rows:
        likely = "-" if row.likely_worse is None else f"{row.likely_worse:.1%}"
        chance, certain = span(row.lower, row.upper), span(row.certain_lower, row.certain_upper)
        sure = Text(row.sure, style=SURENESS_STYLES[row.sure])
        doubts.add_row(row.measure, row.slice, chance, certain, likely, sure)
    words = map(Text, sentences(result))
    parts: list[RenderableType] = [table, Text(), doubts, Text(), *words]
    if len(result.documents):
        documents = titled_table("judge these first")
        for name in ("topic", "doc", "rank in baseline", "rank in new"):
            documents.add_column(name, overflow="fold")
        for document in result.documents.head(SHOWN).iter_rows(named=True):
            ranks = (document["rank_baseline"], document["rank_new"])
            cells = ("-" if rank is None else str(rank) for rank in ranks)
            documents.add_row(document["topic"], document["doc"], *cells)
        parts += [Text(), documents]
    return Group(*parts)


def in_words(verdict: str) -> str:
    """A verdict as people write it."""
    return verdict.replace("_", " ")


def heads(result: GateOutcome) -> tuple[str, ...]:
    """What the figures are. The ends lie about what is expected, not about what was judged."""
    expected = ("expected",) if result.estimator else ()
    return ("difference", *expected, "at least", "at most")


def figures(result: GateOutcome, row: GateRow) -> tuple[str, ...]:
    """The figures of a row under these heads."""
    expected = (row.expected,) if result.estimator else ()
    return tuple(map(number, (row.difference, *expected, row.at_least, row.at_most)))


def number(value: float | None) -> str:
    """A signed number, or a dash."""
    return "-" if value is None else f"{value:+.4f}"


def span(lower: float | None, upper: float | None) -> str:
    """An interval, or a dash."""
    return "-" if lower is None or upper is None else f"[{lower:+.3f}, {upper:+.3f}]"


def sentences(result: GateOutcome) -> list[str]:
    """The verdict, on what it rests, the worst slices, and what would decide."""
    by = (
        f"unjudged documents as {result.estimator} expects them"
        if result.estimator
        else "unjudged documents at their worst"
    )
    lines = [
        f"{in_words(result.verdict)}, with {result.confidence:.0%} confidence for both doubts "
        f"together: chance over topics, and {by}"
    ]
    whole = [row for row in result.rows if row.slice == "all"]
    lines += [f"{row.measure}: {on_these_topics(row)}" for row in whole]
    lines += [f"{row.measure}: {needed(row)}" for row in whole if row.verdict == "undecided"]
    lines += [f"{name}: worst on the slice {worst}" for name, worst in result.worst_slices.items()]
    return lines


def on_these_topics(row: GateRow) -> str:
    """How sure the difference is without the doubt of other topics."""
    centre = row.centre
    known = "-" if centre is None else f"{centre:+.4f}"
    return (
        f"on these topics {known}, and on which side of the margin is {row.sure}: "
        + (MEANING[row.sure])
    )


def needed(row: GateRow) -> str:
    """What would decide."""
    judged = "judgments alone would not decide"
    if row.judgments_needed is not None:
        judged = f"about {row.judgments_needed:,} judgments would decide"
    more = "how many topics is not known"
    if row.topics_needed is not None and row.topics_needed > row.topics:
        more = f"about {row.topics_needed:,} topics like these instead of {row.topics:,}"
    elif row.topics_needed is not None:
        more = "a new sample of as many topics would often decide"
    return f"{judged}; {more}"
