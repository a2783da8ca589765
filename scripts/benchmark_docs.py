"""The tables of docs/results/benchmark.md from the folder that `leadline benchmark` wrote.

    python -m scripts.benchmark_docs FOLDER [--shown 8] > docs/results/benchmark.md

For each task and measure the best methods and our defaults, in bold, with their intervals; then for
each default whether it leads, with the interval of its difference to the best other.
"""

import argparse
from pathlib import Path
from typing import Any

import polars as pl

WORDS = {
    "rmse": ("mean rmse", "times the best"),
    "regret": ("mean regret", "more than the best"),
    "regret_five": ("mean regret", "more than the best"),
    "tau": ("mean tau", "less than the best"),
}


def table(part: pl.DataFrame, task: str, measure: str, shown: int) -> str:
    """A task by a measure: all collections, and beside it those that nobody looked at."""
    every, unseen = (part.filter(scope=scope) for scope in ("all", "unseen"))
    other = {row["method"]: row for row in unseen.iter_rows(named=True)}
    apart = any(_cells(row) != _cells(other.get(row["method"])) for row in every.rows(named=True))
    value, gap = WORDS[every["loss"][0]]
    head = [f"{task}, {measure}", "tier", value, gap, "95%"]
    head += ["unseen: tier", gap, "95%"] if apart else []
    lines = [head]
    for at, row in enumerate(every.iter_rows(named=True)):
        if at < shown or row["default"]:
            name = f"**{row['method']}**" if row["default"] else row["method"]
            if row["answered"] < 0.995:
                name += f" ({row['answered']:.0%} answered)"
            cells = [name, *_cells(row)]
            lines.append(cells + (_without_value(other.get(row["method"])) if apart else []))
    return _markdown(lines)


def defaults(tiers: pl.DataFrame) -> str:
    """For each task and measure where our default stands, on all collections and on unseen ones."""
    head = ["task, measure", "default", "leads?", "to the best other", "95%"]
    head += ["unseen: leads?", "to the best other", "95%"]
    lines = [head]
    for (task, measure), part in tiers.group_by(["task", "measure"], maintain_order=True):
        ours = part.filter("default")
        if not len(ours):
            continue
        line = [f"{task}, {measure}", ours["method"][0]]
        for scope in ("all", "unseen"):
            mine = ours.filter(scope=scope)
            if not len(mine):
                line += ["", "", ""]
                continue
            row = mine.row(0, named=True)
            first = part.filter(scope=scope)["method"][0] == row["method"]
            line += [_standing(row, first), *_cells(row)[2:]]
        lines.append(line)
    return _markdown(lines)


def _markdown(lines: list[list[str]]) -> str:
    rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([rows[0], "|" + "---|" * len(lines[0]), *rows[1:]])


def _standing(row: dict[str, Any], first: bool) -> str:
    even = 1.0 if row["loss"] == "rmse" else 0.0
    if first:
        return "yes" if row["upper"] is not None and row["upper"] < even else "first, not surely"
    return "no, tier 1" if row["tier"] == 1 else f"no, tier {row['tier']}"


def _cells(row: dict[str, Any] | None) -> list[str]:
    if row is None:
        return ["", "", "", ""]
    form = ".2f" if row["loss"] == "rmse" else "+.3f"
    gap = "" if row["to_best"] is None else f"{row['to_best']:{form}}"
    ends = "" if row["lower"] is None else f"{row['lower']:{form}} to {row['upper']:{form}}"
    return [str(row["tier"]), f"{row['value']:.4f}", gap, ends]


def _without_value(row: dict[str, Any] | None) -> list[str]:
    tier, _, gap, ends = _cells(row)
    return [tier, gap, ends]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shown", type=int, default=8, help="methods of a table")
    asked = parser.parse_args()
    tiers = pl.read_csv(asked.folder / "tiers.csv")
    command = f"python -m scripts.benchmark_docs FOLDER --shown {asked.shown}"
    print("# Tables of the benchmark", end="\n\n")
    print(f"Written by `{command} > docs/results/benchmark.md`.", end=" ")
    print("FOLDER is what `leadline benchmark` wrote.", end="\n\n")
    for (task,), of_task in tiers.group_by(["task"], maintain_order=True):
        print(f"## {task}", end="\n\n")
        for (measure,), part in of_task.group_by(["measure"], maintain_order=True):
            print(table(part, str(task), str(measure), asked.shown), end="\n\n")
    print("## Defaults", end="\n\n")
    print(defaults(tiers))


if __name__ == "__main__":
    main()
