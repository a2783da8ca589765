"""`leadline estimate`."""

from typing import TYPE_CHECKING, Annotated, Unpack

from leadline.cli.command import Call
from leadline.cli.output import ChartOutput, print_notices, say, show
from leadline.options import Option

if TYPE_CHECKING:
    from leadline.api.estimate import Estimation
    from leadline.api.result import Result


def estimate(
    call: Call["Estimation"],
    explain: Annotated[str | None, Option(metavar="TOPIC")] = None,
    coverage: Annotated[float | None, Option(metavar="THETA")] = None,
    differences: bool = False,
    self_test: bool = False,
    **out: Unpack[ChartOutput],
) -> None:
    """Estimate scores, allowing for unjudged documents, beside their bounds.

    explain: instead of scores, the unjudged documents of a topic that matter most.
    coverage: instead of scores, gamma of every topic and whether THETA would adjust it.
    differences: instead of scores, their differences with standard errors. Regression and
    ModelAssisted
        offer 95% prediction intervals of them.
    self_test: instead of scores, how far each estimator errs where the deeper half of the pool is
        hidden, best first, each with the theta that suits this collection.
    """
    if (explain is not None) + (coverage is not None) + differences + self_test > 1:
        raise ValueError("ask for one of --explain, --coverage, --differences and --self-test")
    if coverage is not None and not 0 <= coverage < float("inf"):
        raise ValueError(f"--coverage wants a theta of 0 or more, not {coverage}")
    result = call("reading, then estimating")
    table: Result | None = None
    if explain is not None:
        table = result.explain(explain)
    elif coverage is not None:
        table = result.coverage(coverage)
    elif differences:
        table = result.differences()
    elif self_test:
        table = result.self_test()
        first = table.frame.row(0, named=True)
        say(
            [
                f"ranks {first['shallow'] + 1} to {first['depth']} of the pool were hidden; the "
                f"least error there has -e '{first['estimator']}'"
            ]
        )
    show(result, table, **out)
    print_notices(result)
