"""`leadline compare`."""

from typing import TYPE_CHECKING, Annotated, Literal

from leadline.cli.options import (
    CheapOption,
    HowToRead,
    InputArgument,
    MeasureOption,
    Option,
    PoolOption,
    split_input,
)
from leadline.cli.output import (
    ChartOption,
    FormatOption,
    OutputOption,
    draw,
    emit,
    progress,
    say,
    say_notices,
)
from leadline.cli.workers import SchedulerOption, WorkersOption, workforce

if TYPE_CHECKING:
    from leadline.api.compare import Comparison


Basis = Literal["base", "top", "projected", "both-projected", "assisted"]
Correct = Literal["holm", "bh", "none"]


def compare(
    inputs: InputArgument,
    measure: MeasureOption = None,
    test: Annotated[
        str,
        Option(help="t, randomisation, bootstrap or tukey test means; wilcoxon and sign do not."),
    ] = "t",
    basis: Annotated[
        Basis | None,
        Option(
            metavar="BASIS",
            help="What the run that is behind is given: base, top or projected; both-projected; "
            "or assisted, what is estimated of both from judgments drawn by chance.",
            show_default="base, with --cheap assisted",
        ),
    ] = None,
    tails: Annotated[
        int, Option(help="2: differ; 1: is the one ahead better (errs twice as often).")
    ] = 2,
    correct: Annotated[Correct, Option(help="Allow for the number of pairs.")] = "holm",
    level: Annotated[float, Option(help="Corrected p below this is significant.")] = 0.05,
    baseline: Annotated[
        str | None, Option(help="Compare every other run with this one only.")
    ] = None,
    confidence: Annotated[
        float, Option(help="The probability from which the sign of a difference is likely.")
    ] = 0.95,
    details: Annotated[
        bool,
        Option("--details", help="Effect sizes, intervals over topics, what would be needed."),
    ] = False,
    tiers: Annotated[
        bool, Option("--tiers", help="Runs with their tiers instead of pairs.")
    ] = False,
    chart: ChartOption = None,
    seed: Annotated[int, Option(help="Where chance plays a part: the draw.")] = 0,
    *,
    how: HowToRead,
    pool: PoolOption = None,
    cheap: CheapOption = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Compare runs: significance tests, bounds on differences, caveats."""
    from leadline.api.compare import compare as verb

    qrels, runs = split_input(inputs)
    with workforce(workers, scheduler) as force, progress("reading, then comparing") as advance:
        result = verb(
            qrels,
            runs,
            measure,
            test=test,
            basis=basis,
            tails=tails,  # type: ignore[arg-type] # the verb refuses others by name
            correct=correct,
            level=level,
            baseline=baseline,
            confidence=confidence,
            details=details,
            seed=seed,
            pool=pool,
            cheap=cheap,
            scheduler=force,
            progress=advance,
            **how,
        )
    draw(result, chart)
    emit(result.tiers if tiers else result, form, output)
    say(summary(result))
    say_notices(result)


def summary(result: "Comparison") -> list[str]:
    """How many of the pairs are told apart, by the test and by the judgments."""
    from leadline.stats.sureness import SURENESS

    lines = []
    for name, pairs in result.pairs.items():
        n = len(pairs.first)
        what = "pair" if n == 1 else "pairs"
        told = ", ".join(f"{pairs.certainty.count(word):,} {word}" for word in SURENESS)
        lines.append(
            f"{name}: {int(pairs.significant.sum()):,} of {n:,} {what} differ significantly "
            f"({pairs.test}, {pairs.tails}-tailed, {pairs.correct}, level {pairs.level:g}); "
            f"signs on these topics: {told}; "
            f"{sum(map(bool, pairs.caveats)):,} with caveats"
        )
    return lines
