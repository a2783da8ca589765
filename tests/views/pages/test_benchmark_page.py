"""The board: tiers with intervals, filters without a script."""

import polars as pl

from leadline.lab.benchmark.page import benchmark_page

ROW = {"measure": "P@10", "scope": "all", "default": False, "loss": "rmse", "answered": 0.5}
TIERS = pl.DataFrame(
    [
        {**ROW, "task": "shallow", "method": "a<b", "tier": 1, "value": 0.01, "to_best": 0.5}
        | {"lower": 0.4, "upper": 0.6},
        {**ROW, "task": "shallow", "method": "ours", "tier": 2, "value": 0.02, "to_best": 2.0}
        | {"lower": 1.7, "upper": 2.5, "default": True},
        {**ROW, "task": "best", "method": "alone", "tier": 1, "value": 0.0, "to_best": None}
        | {"lower": None, "upper": None, "loss": "regret"},
    ]
)
CELLS = pl.DataFrame(
    [
        {"task": task, "measure": "P@10", "collection": "sea", "method": method, "seen": seen}
        | {"budget": 5, "rmse": 0.0123, "regret": 0.0}
        for task, method, seen in (
            ("shallow", "a<b", False),
            ("shallow", "ours", True),
            ("best", "alone", False),
        )
    ]
)
TITLES = {"shallow": "deep scores", "best": "the best run"}


def test_every_method_is_there_and_nothing_runs() -> None:
    page = benchmark_page(TIERS, CELLS, TITLES, ["Played on sea."])
    assert "a&lt;b" in page
    assert "a<b" not in page
    assert "<script" not in page
    assert "http" not in page
    assert '<tr class=group><th class="ours">ours</th>' in page
    assert "1.70 to 2.50" in page
    assert "sea, seen in development" in page


def test_a_button_for_each_task_and_measure_hides_the_others() -> None:
    page = benchmark_page(TIERS, CELLS, TITLES, [])
    for rule in (
        'body:has(#task-1:checked) section:not([data-task="shallow"]){display:none}',
        'body:has(#task-2:checked) section:not([data-task="best"]){display:none}',
        'body:has(#measure-1:checked) section:not([data-measure="P@10"]){display:none}',
    ):
        assert rule in page
    assert page.count("<section ") == 2


def test_all_figures_are_told_where_there_are_any() -> None:
    more = CELLS.with_columns(tau=pl.Series([0.5, None, 0.25]), coverage=pl.lit(0.9))
    page = benchmark_page(TIERS, more, TITLES, [])
    assert page.count("all figures, means over collections and budgets") == 2
    assert "<th>means held</th>" in page
    assert "<td>90%</td>" in page
    assert "<td>0.5000</td>" in page
    assert "judgments" not in page.split("all figures")[1]


def test_earlier_versions_stand_beside_this_one() -> None:
    row = {"leadline": "1.0", "played": "x", "task": "shallow", "measure": "P@10"}
    told = [("before", "ours", 0.0345), ("after", "ours", 0.02), ("after", "a<b", 0.01)]
    history = pl.DataFrame(
        [
            {**row, "program": program, "method": name, "value": value}
            for program, name, value in told
        ]
    )
    page = benchmark_page(TIERS, CELLS, TITLES, [], history)
    assert page.count("mean rmse by version") == 1
    assert "<th>1.0 before</th><th>1.0 after</th>" in page
    assert "<td>0.0345</td><td>0.0200</td>" in page
    alone = benchmark_page(TIERS, CELLS, TITLES, [], history.tail(2))
    assert "by version" not in alone


def test_dots_lie_where_their_ratios_are() -> None:
    page = benchmark_page(TIERS, CELLS, TITLES, [])
    # Twice the error: a third of the way from one to eight times, from the middle of 100.
    assert '<rect class="mk" x="66.07"' in page
    assert '<rect class="mk" x="32.73"' in page
    assert page.count('<line class="one" x1="50.00"') >= 2


def test_what_was_seen_is_told_apart_only_where_something_was() -> None:
    both = pl.concat([TIERS, TIERS.with_columns(scope=pl.lit("unseen"))])
    apart = "Only collections that a method&#39;s authors did not look at"
    assert benchmark_page(both, CELLS, TITLES, []).count(apart) == 1
    fresh = CELLS.with_columns(seen=pl.lit(False))
    assert apart not in benchmark_page(both, fresh, TITLES, [])
