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

    copy: only copy the bundled collection there, to try other verbs on.
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
            f"24 runs about the sea, 20 topics. Judged: the pool {POOL} of all runs, "
            f"{len(result.pooled.pool):,} of {len(result.pooled.runs.pairs):,} pairs of topic and "
            "document.\n┃ is the score if every unjudged document is worthless; the line runs to "
            "the score if\nevery one is perfect. The truth lies between, and the demo knows it: "
            "its judgments are\ncomplete.\n"
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
        console.print(f"Open {result.files[-1]} in a browser: who is better, and how sure that is.")
        console.print("Try next: leadline evaluate QRELS RUN... -m 'RBP(p=0.8)' -m nDCG@10")
    put(text.get())


def _few(result: "Demo") -> str:
    """What a few hundred judgments say of three of the runs."""
    import polars as pl

    from leadline.api.demo import BUDGET, THREE

    measure = str(result.few.session.weigher)
    truth = result.truth.frame.filter(pl.col("measure") == measure, pl.col("run").is_in(THREE))
    scores = ", ".join(f"{run} {score:.3f}" for run, score in truth.select("run", "value").rows())
    return (
        f"Three of the runs, {BUDGET} judgments at most (--order LikelyWinner --stop "
        f"WinnerLikely): after "
        f"{len(result.few.steps)} of them, {result.few.reason}. By all judgments: {scores}."
    )


def _audited(result: "Demo") -> str:
    """What the audit of a judge that only counts words tells, in a few lines."""
    from leadline.api.demo import JUDGE

    made = result.audited
    told = {(row.section, row.item): row for row in made.rows}
    same, kappa = (told["agreement", item] for item in ("same grade", "kappa"))
    tau = told["order", "tau"].value
    falls = told["order", "ranks that the judge's best run falls"].value
    false = told["verdicts", "all pairs: false alarms"]
    opposite = told["verdicts", "all pairs: opposite"]
    words = (
        f"A cheap judge labelled the same pairs (leadline label --model {JUDGE}: it only counts "
        f"words) and was audited by all judgments (leadline audit, {made.measure}): same grade "
        f"{same.value:.0%}, kappa {kappa.value:.2f}. Its order of the runs has tau {tau:.2f} with "
        f"the people's, its best run falls {falls:.0f} ranks. Of {false.n} pairs of runs, a test "
        f"on its labels finds {false.value:.0f} different that people do not, and "
        f"{opposite.value:.0f} the wrong way round."
    )
    return "\n".join([words, *made.findings])
