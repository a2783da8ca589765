"""`leadline evaluate`."""

from typing import TYPE_CHECKING, Annotated, Unpack

from leadline.cli.command import Call
from leadline.cli.output import (
    FORMAT,
    ChartOutput,
    ScoresForm,
    draw,
    emit,
    print_notices,
    say,
    written_as,
)
from leadline.options import Option

if TYPE_CHECKING:
    import polars as pl

    from leadline.api.evaluate import Evaluation


class ScoresOutput(ChartOutput, total=False):
    """Options for the output of scores and their chart."""

    form: Annotated[ScoresForm | None, FORMAT]  # type: ignore[misc]


def evaluate(
    call: Call["Evaluation"],
    top: Annotated[int | None, Option(least=1)] = None,
    wide: bool = False,
    **out: Unpack[ScoresOutput],
) -> None:
    """Score runs, with guaranteed bounds and the share of judged documents.

    top: show only the best runs by the first measure.
    wide: one row for each run, one column for each measure.
    form: output format: table, csv, json, markdown, latex or trec_eval. By default a table on a
        terminal, csv otherwise.
    """
    from leadline.api.evaluate import WideScores

    form, output = out.get("form"), out.get("output")
    if wide and form == "trec_eval":
        raise ValueError(
            "--wide and --format trec_eval exclude each other: trec_eval prints a line for "
            "each score"
        )
    if wide and "confidence" in call.given:
        raise ValueError("--wide shows scores without intervals: omit --wide or --confidence")
    result = call("reading and scoring runs")
    if top is not None:
        result = result.top(top)
    emit(WideScores(result.wide()) if wide else result, form, output)
    draw(result, out.get("chart"))
    print_notices(result)
    if written_as(form, output) == "table" and not wide:
        say(_unseen(result.frame))


def _unseen(scores: "pl.DataFrame") -> list[str]:
    """Name a measure with a lower bound above 0, where unseen documents could make others 0.

    Not `estimate`: of such measures it knows no error, and says not to rely on what it gives.
    """
    found, bounded = [], []
    for (name,), of in scores.group_by("measure", maintain_order=True):
        means = of.filter(of["topic"] == "all")
        above = (means["lower"].fill_nan(None) > 0).any()
        if means["lower"].max() == 0 and (means["value"] > 0).any() and _has_bounds(str(name)):
            found.append(str(name))
        elif above:
            bounded.append(str(name))
    if not found:
        return []
    # Whatever has a relevant document in its lists has a lower bound above 0 by RBP.
    other = f"{bounded[0]} has one above 0" if bounded else "for one above 0 add -m 'RBP(p=0.8)'"
    return [
        f"{', '.join(found)}: 0 is the only guaranteed lower bound, since relevant documents may "
        f"be unseen; {other}"
    ]


def _has_bounds(name: str) -> bool:
    from leadline.completions.drawn_scores import drawable
    from leadline.measures.measure import parse_measure

    return drawable(parse_measure(name))
