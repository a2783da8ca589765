"""Charts one above the other keep what they show and look alike."""

import altair as alt

from leadline.views.charts import plain, stacked


def chart(name: str) -> alt.Chart:
    values = alt.InlineData(values=[{"x": 1}])
    drawn: alt.Chart = plain(alt.Chart(values, title=name).mark_point().encode(x="x:Q"))
    return drawn


def test_one_chart_stays_as_it_is() -> None:
    alone = chart("a")
    assert stacked([alone]) is alone


def test_several_stand_in_their_order_under_one_look() -> None:
    first, second = chart("a"), chart("b")
    whole = stacked([first, second]).to_dict()
    assert [part["title"] for part in whole["vconcat"]] == ["a", "b"]
    assert all("config" not in part for part in whole["vconcat"])
    assert whole["config"] == first.to_dict()["config"]
