"""demo: the whole flow on the bundled collection."""

import shlex
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from leadline.collection.read import read
from leadline.demo import COLLECTION
from leadline.measures.measure import measures
from leadline.pools.strategy import pools
from leadline.tables.lists import Lists
from leadline.tables.scores import Scores
from leadline.verbs.report import report

POOL = "Depth(d=5)"
MEASURES = ("RBP(p=0.8)", "nDCG@10", "P@10")


@dataclass(frozen=True)
class Demo:
    """What the demo computed and the files that it wrote."""

    scores: pl.DataFrame
    truth: pl.DataFrame
    n_judged: int
    n_pairs: int
    files: list[Path]


def demo(folder: str | Path = "leadline-demo") -> Demo:
    """Evaluate the demo's runs from a shallow pool, as if no more had been judged.

    `truth` holds the same scores from the complete judgments that the demo has.
    """
    collection = read(COLLECTION)
    pool = pools.parse(POOL).pool(collection.runs)
    shallow = pool.restrict(collection.judgments)
    lists = Lists.of(collection.runs, shallow)
    complete = Lists.of(collection.runs, collection.judgments)
    wanted = [measures.parse(name) for name in MEASURES]
    scores = _frame([measure.score(lists) for measure in wanted])
    truth = _frame([measure.score(complete) for measure in wanted])
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    members = collection.runs.pairs.frame().filter(pl.Series(pool.member)).drop("pair")
    members = members.with_columns(stratum=pl.lit(0), inclusion=pl.lit(1.0))
    files = [out / "pool.csv", out / "scores.csv"]
    members.write_csv(files[0])
    scores.write_csv(files[1])
    chart = _chart(scores, out)
    n_judged = int(shallow.judged.sum())
    page = _page(out, files[0])
    return Demo(scores, truth, n_judged, len(collection.runs.pairs), [*files, *chart, page])


def _page(out: Path, pool: Path) -> Path:
    """The report, and in it the command that makes it again."""
    path, title = out / "report.html", "Leadline's demo: 24 runs about the sea"
    named = [word for name in MEASURES for word in ("-m", name)]
    words = ["report", str(COLLECTION), *named, "--pool", str(pool), "--title", title]
    command = shlex.join(["leadline", *words, "-o", str(path)])
    page = report(COLLECTION, None, MEASURES, pool=pool, title=title, command=command)
    path.write_text(page, encoding="utf-8")
    return path


def _frame(scores: list[Scores]) -> pl.DataFrame:
    return pl.concat([each.frame(per_topic=False) for each in scores])


def _chart(scores: pl.DataFrame, out: Path) -> list[Path]:
    """The picture of ranges, where altair is there to draw it."""
    if find_spec("altair") is None or find_spec("vl_convert") is None:
        return []
    from leadline.presentation.charts.range_charts import ranges

    path = out / "ranges.html"
    ranges(scores, MEASURES[0]).save(str(path), inline=True)
    return [path]
