"""What a gate says: for a terminal, for a pull request, as JUnit's XML, as a chart."""

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from leadline.stats.gate import CLASSIC, GateOutcome, GateRow
from leadline.views.charts import GREY, MARK, WARM, interval_marks, numbers, plain, title
from leadline.views.pair_tables import markdown_text
from leadline.views.tables import CERTAINTY_STYLES, titled_table

if TYPE_CHECKING:
    import altair as alt


SHOWN = 10
STYLES = {"worse": "red", "different": "red", "undecided": "yellow"}


def gate_table(result: GateOutcome) -> RenderableType:
    """The rows, the verdict in words, and the documents whose judgment says most."""
    how = f", {CLASSIC}" if result.unjudged_as else ""
    table = titled_table(f"{result.new} against {result.baseline}, margin {result.margin:g}{how}")
    for name in ("measure", "slice"):
        table.add_column(name, overflow="fold", min_width=7)
    for name in (*heads(result), "verdict"):
        table.add_column(name, justify="left" if name == "verdict" else "right", no_wrap=True)
    for row in result.rows:
        verdict = Text(in_words(row.verdict), style=STYLES.get(row.verdict, "green"))
        table.add_row(row.measure, row.slice, *figures(result, row), verdict)
    parts_table = titled_table("topics and unjudged documents apart")
    for name in ("measure", "slice", "confidence interval", "bounds", "on these topics"):
        wide = name in ("confidence interval", "bounds")
        parts_table.add_column(
            name, overflow="fold", justify="right" if wide else "left", no_wrap=wide
        )
    for row in result.rows:
        ends = span(row.ci_lower, row.ci_upper), span(row.lower, row.upper)
        here = Text(on_these_topics(row), style=CERTAINTY_STYLES[row.certainty])
        parts_table.add_row(row.measure, row.slice, *ends, here)
    words = map(Text, sentences(result))
    parts: list[RenderableType] = [table, Text(), parts_table, Text(), *words]
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
    """The names of the figures. The ends lie about what is expected, not about what was judged."""
    expected = ("expected",) if result.estimator else ()
    likely = ("P(worse)",) if result.estimator else ()
    return ("difference", *expected, "combined lower", "upper", *likely)


def figures(result: GateOutcome, row: GateRow) -> tuple[str, ...]:
    """The figures of a row under these heads."""
    expected = (row.expected,) if result.estimator else ()
    shown = map(number, (row.difference, *expected, row.combined_lower, row.combined_upper))
    likely = "-" if row.likely_worse is None else f"{row.likely_worse:.1%}"
    return (*shown, *([likely] if result.estimator else []))


def number(value: float | None) -> str:
    """A signed number, or a dash."""
    return "-" if value is None else f"{value:+.4f}"


def span(lower: float | None, upper: float | None) -> str:
    """An interval, or a dash."""
    return "-" if lower is None or upper is None else f"[{lower:+.3f}, {upper:+.3f}]"


def sentences(result: GateOutcome) -> list[str]:
    """The verdict, on what it rests, the worst slices, and what would decide."""
    unjudged = (
        f"unjudged documents as {result.estimator} predicts them"
        if result.estimator
        else "any grades of unjudged documents"
    )
    allowed = f"topic sampling and {unjudged}"
    if result.unjudged_as:
        allowed = f"topic sampling only; {CLASSIC}"
    lines = [
        f"{in_words(result.verdict)}: {claim(result)} ({result.confidence:.0%} confidence, "
        f"allowing for {allowed})"
    ]
    whole = [row for row in result.rows if row.slice == "all"]
    lines += [f"{row.measure}: {settled_here(result, row)}" for row in whole]
    open_ = [row for row in whole if row.verdict == "undecided"]
    lines += [f"{row.measure}: {needed(row, bool(result.unjudged_as))}" for row in open_]
    lines += [f"{name}: worst on the slice {worst}" for name, worst in result.worst_slices.items()]
    lines += [f"{row.measure}: caveats: {row.caveats}" for row in whole if row.caveats]
    return lines


def claim(result: GateOutcome) -> str:
    """What the verdict claims of the two runs, and by which measures."""
    new, baseline, margin = result.new, result.baseline, f"{result.margin:g}"
    by = [
        row.measure if row.slice == "all" else f"{row.measure} on {row.slice}"
        for row in result.rows
        if row.verdict == result.verdict and (row.slice == "all" or result.strict_slices)
    ]
    worse = f"worse than {baseline} by more than {margin}"
    apart = f"differ by more than {margin}"
    claims = {
        "not_worse": f"{new} is not {worse}",
        "worse": f"{new} is {worse}",
        "equivalent": f"{new} and {baseline} differ by at most {margin}",
        "different": f"{new} and {baseline} {apart}",
        "undecided": f"it is open whether {new} is {worse}"
        if result.asked == "not_worse"
        else f"it is open whether {new} and {baseline} {apart}",
    }
    return f"by {', '.join(by)}, {claims[result.verdict]}"


def on_these_topics(row: GateRow) -> str:
    """What is settled on these topics alone, in a few words."""
    words = in_words(row.on_these_topics)
    return words if row.certainty == "open" else f"{words}, {row.certainty}"


def settled_here(result: GateOutcome, row: GateRow) -> str:
    """What holds on these topics once all is judged, with the figures that say so."""
    bounds = f"bounds {span(row.lower, row.upper)}"
    centre = f"difference {number(row.centre)}"
    if result.estimator and row.expected is not None:
        centre = f"expected {centre}"
    return f"on these topics {on_these_topics(row)} ({centre}, {bounds})"


def needed(row: GateRow, classic: bool = False) -> str:
    """Return what would decide; of judgments with what their number assumes of the documents.

    In a `classic` gate judgments may move the difference either way, so no number is given.
    """
    if not row.topics:
        return "no topic has a score by these judgments, so it is not known how many would decide"
    judged = "more judgments alone would not decide"
    if row.judgments_needed is not None:
        judged = f"about {row.judgments_needed:,} judgments would decide"
    if row.lower != row.upper:
        assumed = "no unjudged document is relevant"
        if row.expected is not None:
            assumed = "unjudged documents are as expected"
        judged += f" if {assumed}"
    if classic and row.lower != row.upper:
        judged = "judgments of unjudged documents may move the difference either way"
    more = "more topics alone would not decide"
    if row.topics < 2:
        more = "at least two topics are needed"
    if row.topics_needed is not None and row.topics_needed > row.topics:
        more = f"about {row.topics_needed:,} topics like these instead of {row.topics:,}"
    elif row.topics_needed is not None:
        more = "a new sample of as many topics would often decide"
    return f"{judged}; {more}"


SUMMARY_SHOWN = 20
SIGNS = {"not_worse": "✅", "equivalent": "✅", "worse": "❌", "different": "❌", "undecided": "❔"}


def gate_markdown(result: GateOutcome) -> str:
    """A heading with the verdict, the rows, and what to judge first, folded."""
    new, baseline = markdown_text(result.new), markdown_text(result.baseline)
    names = heads(result)
    lines = [
        f"### {SIGNS[result.verdict]} {new} against {baseline}: {in_words(result.verdict)}",
        "",
        f"| measure | slice | {' | '.join(names)} | confidence interval | bounds "
        "| verdict | on these topics | caveats |",
        f"|---|---|{'---:|' * len(names)}---:|---:|---|---|---|",
    ]
    for row in result.rows:
        cells = (
            markdown_text(row.measure),
            markdown_text(row.slice),
            *figures(result, row),
            span(row.ci_lower, row.ci_upper),
            span(row.lower, row.upper),
            f"{SIGNS[row.verdict]} {in_words(row.verdict)}",
            on_these_topics(row),
            markdown_text(row.caveats),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- {markdown_text(each)}" for each in sentences(result))]
    if len(result.documents):
        lines += ["", "<details><summary>Judge these first</summary>", ""]
        lines += ["| topic | doc | rank in baseline | rank in new |", "|---|---|---:|---:|"]
        for document in result.documents.head(SUMMARY_SHOWN).iter_rows(named=True):
            fields = [markdown_text(str(document[name])) for name in ("topic", "doc")]
            ranks = (document["rank_baseline"], document["rank_new"])
            fields += ["-" if rank is None else str(rank) for rank in ranks]
            lines.append(f"| {' | '.join(fields)} |")
        lines += ["", "</details>"]
    return "\n".join([*lines, ""])


def gate_junit(result: GateOutcome) -> str:
    """One suite, a case for every row: failed if worse, skipped if undecided."""
    said = [row.verdict for row in result.rows]
    failed = sum(verdict in ("worse", "different") for verdict in said)
    skipped = said.count("undecided")
    counts = f'tests="{len(said)}" failures="{failed}" errors="0" skipped="{skipped}"'
    how = f", {CLASSIC}" if result.unjudged_as else ""
    name = quoteattr(f"leadline gate: {result.new} against {result.baseline}{how}")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f"<testsuite name={name} {counts}>",
        *(_case(row, result) for row in result.rows),
        f"<system-out>{escape(_plain(chr(10).join(sentences(result))))}</system-out>",
        "</testsuite>",
        "</testsuites>",
        "",
    ]
    return "\n".join(lines)


def row_sentence(row: GateRow, result: GateOutcome) -> str:
    """Return the verdict of a row with its figures, in one line."""
    expected = "" if row.expected is None else f" as judged, {number(row.expected)} expected"
    return (
        f"{in_words(row.verdict)}: difference {number(row.difference)}{expected}, combined "
        f"interval {number(row.combined_lower)} to {number(row.combined_upper)}, "
        f"margin {result.margin:g}{f', {CLASSIC}' if result.unjudged_as else ''}"
    )


def _case(row: GateRow, result: GateOutcome) -> str:
    of = f"classname={_attribute(row.measure)} name={_attribute(row.slice)}"
    said = row_sentence(row, result)
    if row.verdict in ("worse", "different"):
        return f"<testcase {of}><failure message={_attribute(said)}/></testcase>"
    if row.verdict == "undecided":
        more = f"{said}; {needed(row, bool(result.unjudged_as))}"
        return f"<testcase {of}><skipped message={_attribute(more)}/></testcase>"
    return f"<testcase {of}/>"


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))


def _plain(text: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(sign for sign in text if sign >= " " or sign in "\n\t")


BELOW = (
    "mark: the difference as judged; bar: bounds over every completion of the judgments;",
    "line: combined interval for topics and unjudged documents; dashed: minus the margin",
)
BELOW_CLASSIC = (
    BELOW[0],
    f"line: interval for topics only, {CLASSIC}; dashed: minus the margin",
)


def gate_chart(frame: pl.DataFrame, margin: float, classic: bool = False) -> "alt.TopLevelMixin":
    """A bar for the bounds and a line for the combined interval, a row each slice.

    `frame` is what `gate` gives.
    """
    import altair as alt

    rows = frame.with_columns(of=pl.concat_str("measure", "slice", separator=", "))
    values = alt.InlineData(values=rows.to_dicts())
    order = rows["of"].to_list()
    y = alt.Y("of:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    names = ("difference", "expected", "combined_lower", "combined_upper", "lower", "upper")
    tips = [alt.Tooltip("of:N"), alt.Tooltip("verdict:N"), *numbers(*names)]
    base = alt.Chart(values)
    ends = ("lower", "difference", "upper")
    certain, mark = interval_marks(
        base, y, ends, title="new run minus baseline", tips=tips, height=12
    )
    both = base.mark_bar(height=3, color=MARK).encode(
        y=y,
        x="combined_lower:Q",
        x2="combined_upper:Q",
        tooltip=tips,
    )
    bound = alt.Chart(alt.InlineData(values=[{"margin": -margin}]))
    line = bound.mark_rule(color=WARM, strokeDash=[4, 3]).encode(x="margin:Q")
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=GREY).encode(x="zero:Q")
    chart = alt.layer(certain, both, mark, zero, line).properties(
        width=520,
        height=alt.Step(26),
        title=title("Is the new run worse?", list(BELOW_CLASSIC if classic else BELOW)),
    )
    drawn: alt.TopLevelMixin = plain(chart)
    return drawn
