"""`leadline demo`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from leadline.cli.command import Call
from leadline.cli.output import put
from leadline.options import Option

if TYPE_CHECKING:
    from leadline.api.demo import Demo


def demo(
    call: Call["Demo"],
    copy: Annotated[Path | None, Option(metavar="FOLDER", path="folder")] = None,
) -> None:
    """Run the whole workflow on the bundled collection.

    copy: only copy the bundled collection to this folder.
    """
    if copy is not None:
        from leadline.api.demo import copy_collection

        folder = copy_collection(copy)
        put(f"Wrote {folder}, a collection folder. Try next: leadline evaluate {folder}\n")
        return
    _show(call())


def _show(result: "Demo") -> None:
    import polars as pl
    from rich.console import Console

    from leadline.api.demo import POOL
    from leadline.measures.measure import DEFAULT_MEASURES

    console = Console(highlight=False, width=None if Console().is_terminal else 100)
    with console.capture() as text:
        console.print(
            f"24 runs, 20 topics about the sea. Judged: the pool {POOL} of all runs, "
            f"{len(result.pooled.pool):,} of {len(result.pooled.runs.pairs):,} topic-document "
            "pairs.\n┃ is the score if no unjudged document is relevant; the line ends at the "
            "score if all are.\nThe demo has complete judgments, so it checks below how many "
            "bounds hold.\n"
        )
        console.print(result.table())
        console.print(f"\n{_few(result)}")
        console.print(f"\n{_audited(result)}")
        inside = pl.col("truth").is_between(pl.col("lower"), pl.col("upper") + 1e-12)
        console.print(
            "\nScore with complete judgments inside its interval: "
            f"{len(result.frame.filter(inside))} of {len(result.frame)} "
            f"({', '.join(DEFAULT_MEASURES)})."
        )
        console.print("Wrote " + ", ".join(str(file) for file in result.files))
        console.print(f"Open {result.files[-1]} in a browser: the report on all runs.")
        console.print("Try next: leadline evaluate QRELS RUN... -m 'RBP(p=0.8)' -m nDCG@10")
    put(text.get())


def _few(result: "Demo") -> str:
    """Describe what a few hundred judgments show for three of the runs."""
    import polars as pl

    from leadline.api.demo import BUDGET, THREE

    measure = str(result.few.session.weigher)
    truth = result.truth.frame.filter(pl.col("measure") == measure, pl.col("run").is_in(THREE))
    scores = ", ".join(f"{run} {score:.3f}" for run, score in truth.select("run", "value").rows())
    return (
        f"With three of the runs, --order LikelyWinner --stop WinnerLikely and at most {BUDGET} "
        f"judgments:\nstopped after {len(result.few.steps)}, {result.few.reason}.\n"
        f"Scores by all judgments: {scores}."
    )


def _audited(result: "Demo") -> str:
    """Summarise the audit of labels by BM25 scores."""
    from leadline.api.demo import JUDGE

    audited = result.audited
    rows = {(row.section, row.item): row for row in audited.rows}
    same, kappa = (rows["agreement", item] for item in ("same grade", "kappa"))
    tau = rows["order", "tau"].value
    drop = rows["order", "drop in rank of the labels' top run"].value
    false = rows["verdicts", "all pairs: false alarms"]
    opposite = rows["verdicts", "all pairs: opposite"]
    text = (
        f"Labels by BM25 scores (leadline label --model {JUDGE}), audited against all judgments\n"
        f"(leadline audit, {audited.measure}): same grade {same.value:.0%}, kappa "
        f"{kappa.value:.2f}; Kendall's tau of the two rankings of the runs {tau:.2f}; the labels' "
        f"top run is {drop:.0f} ranks lower by the judgments. Of {false.n} pairs of runs, a test "
        f"on the labels finds {false.value:.0f} significant that a test on the judgments does not, "
        f"and {opposite.value:.0f} in the opposite direction."
    )
    return "\n".join([text, *audited.findings])
