"""demo: the whole flow on the bundled collection."""

import shlex
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import polars as pl

from leadline.api.audit import JudgeAudit, audit
from leadline.api.evaluate import Evaluation, evaluate
from leadline.api.label import Labelled, label
from leadline.api.next_judgments import Ordering, next_judgments
from leadline.api.pool import Pooled, pool
from leadline.api.report import report
from leadline.api.result import Result
from leadline.api.shared_options import OUTPUT_FOLDER
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.io.problems import Notices
from leadline.io.read import read
from leadline.io.write import copy_files, whole_file, whole_folder, write_whole
from leadline.measures.measure import DEFAULT_MEASURES
from leadline.views.page import can_draw

if TYPE_CHECKING:
    from rich.console import RenderableType


POOL = "Depth(d=5)"
THREE = ("anstey-bm25", "corran-lsa60", "greyness-fusion")
BUDGET = 400
"""The story of a few hundred judgments: which of three retrievers is best?"""

JUDGE = "bm25"
AUDITED = "SDCG(gains=linear)@5"
"""The pool goes to rank 5, and so do the labels: the audit looks no deeper."""

TITLE = "Leadline's demo: 24 runs about the sea"


@dataclass(frozen=True, eq=False, repr=False)
class Demo(Result):
    """What the demo computed and the files that it wrote.

    `truth` holds the same scores from the complete judgments that the demo has; `few` is how three
    of the runs were judged until the best was likely, with 400 judgments at most; `audited` is what
    the complete judgments say of a judge that only counts words.
    """

    scores: Evaluation
    truth: Evaluation
    pooled: Pooled
    few: Ordering
    audited: JudgeAudit
    files: list[Path]
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The scores from the shallow pool, and in the column truth those from all judgments."""
        truth = self.truth.frame.select("run", "measure", truth="value")
        return self.scores.frame.join(truth, on=["run", "measure"], maintain_order="left")

    def table(self) -> "RenderableType":
        """The leaderboard of the first measure."""
        from leadline.views.tables import scores_table

        return scores_table(self.scores.frame.filter(pl.col("measure") == DEFAULT_MEASURES[0]))


def demo(
    folder: Annotated[str | Path, replace(OUTPUT_FOLDER, path="folder")] = "leadline-demo",
) -> Demo:
    """Evaluate the demo's runs from a shallow pool, as if no more had been judged.

    folder: the folder to write to. It gets the pool, the scores, labels by a noisy judge, a
        picture, the page of its audit and a report.
    """
    collection = read(COLLECTION)
    pooled = pool(collection, strategy=POOL, all_runs=True)
    scores = evaluate(collection, pool=pooled)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    labels, audited = noisy_judge(collection, pooled)
    files = [out / "pool.csv", out / "scores.csv", out / "labels.csv"]
    for made, path in zip((pooled, scores, labels), files, strict=True):
        made.write(path)
    if can_draw():
        files.append(out / "ranges.html")
        with whole_file(files[-1]) as path:
            scores.chart().save(str(path), format="html", inline=True)
    files.append(out / "audit.html")
    write_whole(files[-1], audited.page)
    files.append(_page(out, files[0]))
    return Demo(scores, evaluate(collection), pooled, few_judgments(), audited, files)


def few_judgments() -> Ordering:
    """Three of the runs, judged in the order LikelyWinner until the best one is likely."""
    runs = [COLLECTION / "runs" / f"{name}.gz" for name in THREE]
    answers = COLLECTION / "qrels.txt.gz"
    return next_judgments(
        None, runs, "LikelyWinner", stop="WinnerLikely", budget=BUDGET, simulate=answers
    )


def noisy_judge(collection: Collection, pooled: Pooled) -> tuple[Labelled, JudgeAudit]:
    """Labels of the pool by BM25, and how they hold against the complete judgments."""
    labels = label(collection, pooled, model=JUDGE, cache=None)
    answers = COLLECTION / "qrels.txt.gz"
    audited = audit({JUDGE: labels.frame}, collection, reference=answers, measure=AUDITED)
    return labels, audited


def copy_collection(folder: str | Path) -> Path:
    """The bundled collection copied to a folder that is not there yet, or empty."""
    target = Path(folder)
    with whole_folder(target) as part:
        copy_files(COLLECTION, part)
    return target


def _page(out: Path, pool: Path) -> Path:
    """The report, and in it the command that makes it again."""
    path = out / "report.html"
    named = [word for name in DEFAULT_MEASURES for word in ("-m", name)]
    words = ["report", str(COLLECTION), *named, "--pool", str(pool), "--title", TITLE]
    command = shlex.join(["leadline", *words, "-o", str(path)])
    report(COLLECTION, pool=pool, title=TITLE, command=command).write(path)
    return path
