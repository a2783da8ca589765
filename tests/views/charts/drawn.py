"""Charts as they are drawn, and the rows that they are drawn from."""

import io
from typing import Any


def svg(chart: Any) -> str:
    out = io.StringIO()
    chart.save(out, format="svg")
    assert "NaN" not in out.getvalue()
    return out.getvalue()


def rows_of(chart: Any, layer: int | None = None) -> list[dict[str, Any]]:
    whole = chart.to_dict()
    part = whole if layer is None else whole["layer"][layer]
    where = part.get("data", whole.get("data"))
    return list(where["values"] if "values" in where else whole["datasets"][where["name"]])
