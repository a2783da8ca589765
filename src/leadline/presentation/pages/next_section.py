"""The section on what to judge next."""

from leadline.judging.reading_texts import Texts
from leadline.orders.worth_judging import WorthJudging
from leadline.presentation.pages.live_table import Cell, Column, live_table
from leadline.presentation.pages.parts import paragraph, section
from leadline.presentation.pages.summary import nothing_to_judge


def next_section(worth: WorthJudging, texts: Texts) -> str:
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
        live_table("next-table", "Unjudged documents worth judging", columns, rows),
    )
