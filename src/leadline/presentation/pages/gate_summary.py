"""What a gate says, for those who review a change: Markdown for a pull request, and JUnit's XML."""

from xml.sax.saxutils import escape, quoteattr

from leadline.comparison.gate_outcome import GateOutcome, GateRow
from leadline.presentation.terminal.gate_table import (
    figures,
    heads,
    in_words,
    needed,
    number,
    on_these_topics,
    sentences,
    span,
)
from leadline.presentation.terminal.paper_tables import markdown_text

SHOWN = 20
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
        for document in result.documents.head(SHOWN).iter_rows(named=True):
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
    name = quoteattr(f"leadline gate: {result.new} against {result.baseline}")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f"<testsuite name={name} {counts}>",
        *(_case(row, result.margin) for row in result.rows),
        f"<system-out>{escape(_plain(chr(10).join(sentences(result))))}</system-out>",
        "</testsuite>",
        "</testsuites>",
        "",
    ]
    return "\n".join(lines)


def _case(row: GateRow, margin: float) -> str:
    of = f"classname={_attribute(row.measure)} name={_attribute(row.slice)}"
    expected = "" if row.expected is None else f" as judged, {number(row.expected)} expected"
    said = (
        f"{in_words(row.verdict)}: difference {number(row.difference)}{expected}, combined "
        f"interval {number(row.combined_lower)} to {number(row.combined_upper)}, margin {margin:g}"
    )
    if row.verdict in ("worse", "different"):
        return f"<testcase {of}><failure message={_attribute(said)}/></testcase>"
    if row.verdict == "undecided":
        return (
            f"<testcase {of}><skipped message={_attribute(f'{said}; {needed(row)}')}/></testcase>"
        )
    return f"<testcase {of}/>"


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))


def _plain(text: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(sign for sign in text if sign >= " " or sign in "\n\t")
