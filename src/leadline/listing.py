"""list: what is registered, with parameters, description and formula."""

from typing import TYPE_CHECKING, Annotated, Any

import polars as pl

from leadline.api.result import PlainResult
from leadline.completions.adjuster import adjusters
from leadline.completions.estimator import estimators
from leadline.io.formats import formats
from leadline.judging.order import orders
from leadline.judging.stops import stops
from leadline.lab.papers.runner import load, papers
from leadline.measures.measure import measures
from leadline.options import Argument
from leadline.pooling.strategies import pools
from leadline.registry import NamingError, Registry
from leadline.stats.significance import tests

if TYPE_CHECKING:
    from rich.console import RenderableType


KINDS: dict[str, Registry[Any]] = {
    "measures": measures,
    "pools": pools,
    "orders": orders,
    "stops": stops,
    "adjusters": adjusters,
    "estimators": estimators,
    "tests": tests,
    "formats": formats,
}


class Registered(PlainResult):
    """Names with their parameters and what they mean."""

    def table(self) -> "RenderableType":
        """Names with their parameters, and the first line of their description."""
        from leadline.views.tables import plain_table

        name = pl.when(pl.col("parameters") == "").then(pl.col("name"))
        shown = name.otherwise(pl.format("{}({})", "name", "parameters"))
        return plain_table(self.frame.select(name=shown, meaning="description"))


def listing(kind: Annotated[str | None, Argument()] = None) -> Registered:
    """Columns kind, name, parameters, description, formula of what is registered.

    kind: measures, pools, orders, stops, estimators, adjusters, tests, experiments; all without it.
    """
    kinds = [*KINDS, "experiments"]
    if kind is not None and kind not in kinds:
        raise NamingError(f"there is no kind named {kind}: choose one of {', '.join(kinds)}")
    rows = [
        (name, each, cls.signature(), cls.description(), cls.formula())
        for name, registry in KINDS.items()
        if kind in (None, name)
        for each, cls in registry.classes().items()
    ]
    if kind in (None, "experiments"):
        for name in papers():
            paper = load(name)
            rows.append(
                ("experiments", name, ", ".join(paper.OPTIONS), paper.__doc__.splitlines()[0], "")
            )
    columns = ["kind", "name", "parameters", "description", "formula"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    return Registered(frame)
