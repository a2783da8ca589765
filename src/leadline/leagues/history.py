"""How methods stood in earlier versions, so that a change that makes one worse is seen."""

from pathlib import Path
from typing import Any

import polars as pl

from leadline.experiments.cache import digest
from leadline.files.problems import InputError
from leadline.files.whole_file import write_whole

NAME = "history.csv"
WORSE = 1.02
"""An error that grows by less is not told."""

SCHEMA = {
    "leadline": pl.String,
    "program": pl.String,
    "played": pl.String,
    "task": pl.String,
    "measure": pl.String,
    "method": pl.String,
    "version": pl.String,
    "loss": pl.String,
    "value": pl.Float64,
    "tier": pl.Int64,
}
KEYS = ["program", "played", "task", "measure", "method", "version"]


def with_history(
    folder: Path, tiers: pl.DataFrame, what: dict[str, Any]
) -> tuple[pl.DataFrame, list[str]]:
    """The history with what was played now, written, and what to say of methods that got worse.

    Compared is what was played on the same collections in the same way: `what` is the manifest.
    """
    alike = (
        "seed",
        "draws",
        "share_of_topics",
        "most_runs",
        "most_topics",
        "budgets",
        "collections",
    )
    played = digest([repr([what[name] for name in alike]).encode()])[:12]
    versions = {name: each["version"] for name, each in what["entrants"].items()}
    now = tiers.filter(scope="all").select(
        pl.lit(what["leadline"]).alias("leadline"),
        pl.lit(what["program"][:12]).alias("program"),
        pl.lit(played).alias("played"),
        "task",
        "measure",
        "method",
        pl.col("method")
        .replace_strict(versions, default="", return_dtype=pl.String)
        .alias("version"),
        "loss",
        "value",
        "tier",
    )
    before = earlier(folder)
    same = before.join(now.select(KEYS), on=KEYS, how="anti")
    whole = pl.concat([same, now])
    write_whole(folder / NAME, whole.write_csv())
    return whole, worse(same, now)


def earlier(folder: Path) -> pl.DataFrame:
    """What the folder's history has; nothing if there is none."""
    file = folder / NAME
    if not file.is_file():
        return pl.DataFrame(schema=SCHEMA)
    # Not every version of polars looks at the names of columns where it is given a schema.
    with file.open("rb") as content:
        named = content.readline().strip() == ",".join(SCHEMA).encode()
    reason = "its first line does not name the columns"
    try:
        if named:
            return pl.read_csv(file, schema=SCHEMA)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
    message = f"is no history of a league, put it aside to begin a new one: {reason}"
    raise InputError.of(str(file), "history", message)


def worse(before: pl.DataFrame, now: pl.DataFrame) -> list[str]:
    """A line for every method whose loss is larger than when it was last played so."""
    keys = ["played", "task", "measure", "method"]
    last = before.group_by(keys, maintain_order=True).last()
    met = now.join(last, on=keys, suffix="_before")
    now_, then = pl.col("value"), pl.col("value_before")
    # Of a correlation more is better, and 1 is all there is.
    turned = pl.col("loss") == "tau"
    grown = met.filter(
        pl.when(turned)
        .then(1 - now_ > WORSE * (1 - then) + 1e-6)
        .otherwise(now_ > WORSE * then + 1e-6)
    )
    return [
        f"{row['method']} is worse than before in {row['task']} by {row['measure']}: {row['loss']} "
        f"{row['value_before']:.4f} (version {row['version_before']}, program "
        f"{row['program_before']}), now {row['value']:.4f}"
        for row in grown.iter_rows(named=True)
    ]
