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

    explain: show the unjudged documents of this topic that matter most, instead of scores.
    coverage: show gamma of every topic and whether THETA adjusts it, instead of scores.
    differences: show differences between runs with standard errors, instead of scores. Regression
        and ModelAssisted give 95% prediction intervals too.
    self_test: show the error of each estimator if the deeper half of the pool is hidden, the
        smallest first, each with the best theta for this collection, instead of scores.
    """
    if (explain is not None) + (coverage is not None) + differences + self_test > 1:
        raise ValueError("--explain, --coverage, --differences and --self-test exclude each other")
    if coverage is not None and not 0 <= coverage < float("inf"):
        raise ValueError(f"--coverage must be a theta of at least 0, not {coverage}")
    result = call("estimating scores")
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
