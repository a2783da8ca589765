"""`leadline correlate`."""

from typing import Annotated

from leadline.cli.options import Argument, Option
from leadline.cli.output import ChartOption, FormatOption, OutputOption, draw, emit, say_notices


def correlate(
    scores_a: Annotated[
        str,
        Argument(
            metavar="SCORES_A",
            help="Scores as leadline evaluate or estimate write them; the truth, where one is.",
        ),
    ],
    scores_b: Annotated[str, Argument(metavar="SCORES_B", help="The other scores.")],
    measure: Annotated[
        list[str] | None,
        Option(
            "-m",
            "--measure",
            help="Where tables hold several: once for both, or once for each.",
        ),
    ] = None,
    estimator: Annotated[
        list[str] | None,
        Option("-e", "--estimator", help="The same for estimators."),
    ] = None,
    p: Annotated[float, Option(help="Persistence of rank-biased overlap.")] = 0.9,
    k: Annotated[int, Option(help="How many runs are leaders.")] = 10,
    chart: ChartOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """How far two evaluations order the runs alike: correlations, overlap, drops of leaders."""
    from leadline.api.correlate import correlate as verb

    result = verb(scores_a, scores_b, measures=measure, estimators=estimator, p=p, k=k)
    emit(result, form, output)
    draw(result, chart)
    say_notices(result)
