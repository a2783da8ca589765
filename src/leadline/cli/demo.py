"""`leadline demo`."""

from pathlib import Path
from typing import Annotated

import typer


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("demo")(demo)


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The folder to write to.", file_okay=False)
    ] = Path("leadline-demo"),
) -> None:
    """The whole flow on the bundled collection; ends with what it wrote."""
    import polars as pl
    from rich.console import Console

    from leadline.presentation.terminal.tables import scores_table
    from leadline.verbs.demo import MEASURES, POOL
    from leadline.verbs.demo import demo as run_demo

    result = run_demo(output)
    first = result.scores.filter(pl.col("measure") == MEASURES[0])
    console = Console(highlight=False, width=None if Console().is_terminal else 100)
    console.print(
        f"24 runs about the sea, 20 topics. Judged: the pool {POOL} of all runs, "
        f"{result.n_judged:,} of {result.n_pairs:,} pairs of topic and document.\n"
        "┃ is the score if every unjudged document is worthless; the line runs to the score if\n"
        "every one is perfect. The truth lies between, and the demo knows it: its judgments are\n"
        "complete.\n"
    )
    console.print(scores_table(first))
    truth = result.truth.select("run", "measure", truth="value")
    both = result.scores.join(truth, on=["run", "measure"])
    inside = both.filter(pl.col("truth").is_between(pl.col("lower"), pl.col("upper") + 1e-12))
    console.print(
        f"\nScore with complete judgments inside its interval: {len(inside)} of {len(both)} "
        f"({', '.join(MEASURES)})."
    )
    console.print("Wrote " + ", ".join(str(file) for file in result.files))
    console.print(f"Open {result.files[-1]} in a browser: who is better, and how sure that is.")
    console.print("Try next: leadline evaluate QRELS RUN... -m 'RBP(p=0.8)' -m nDCG@10")
