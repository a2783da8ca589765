"""Write docs/results/papers.md: the tables of the five reproductions that pages quote.

    python -m scripts.paper_results FOLDER

FOLDER keeps what `leadline reproduce` writes, in PAPER_COLLECTION; what is there is taken as it is.
Otherwise all of it takes about half an hour.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from leadline.lab.papers.published import published
from leadline.lab.reproduce import reproduce
from scripts.paper_trials import data_folder

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "papers.md"
RUNS = {
    "lu17": ("robust2004_pooled42", "trec8_adhoc"),
    "webber09": ("trec8_adhoc", "robust2004_pooled42"),
    "lipani16": ("trec8_adhoc",),
    "moffat07": ("trec8_adhoc",),
    "hui17": ("ambient",),
}
HEAD = """# The five papers

Written by `python -m scripts.paper_results FOLDER`.

What `leadline reproduce` gives on the shared collections. Pages quote these tables.
"""

MODELS = ("Linear", "Zipf", "Weibull")
Cells = Sequence[object]


def table(head: Cells, rows: Sequence[Cells]) -> str:
    """Return a table as Markdown."""
    lines = [f"| {' | '.join(map(str, head))} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]) + "\n"


def lu17(tables: dict[str, pl.DataFrame], name: str) -> Iterator[tuple[str, str]]:
    """Table 2 with and without theta, and what varies over two-strata pools."""
    two = tables["table2"]
    depths = two["depth"].unique(maintain_order=True).to_list()
    rows = []
    for (estimator, theta), part in two.group_by("estimator", "theta", maintain_order=True):
        cells = [f"{rmse:.4f} ({acc:.0f})" for rmse, acc in part.select("rmse", "acc").iter_rows()]
        rows.append((f"`{estimator}`", "" if theta is None else f"{theta:g}", *cells))
    head = ("estimator", "theta", *(f"depth {depth}" for depth in depths))
    yield f"lu17 on {name}: RMSE (Acc%) of RBP(p=0.95)", table(head, rows)
    weights = tables["model_weights"].group_by("depth", "estimator", maintain_order=True).mean()
    rows = [
        (f"`{row['estimator']}`", row["depth"], *(f"{row[model]:.2f}" for model in MODELS))
        for row in weights.iter_rows(named=True)
    ]
    head = ("estimator", "depth", *MODELS)
    yield f"lu17 on {name}: weights of the rank models (w2), mean over topics", table(head, rows)
    six = tables["figure6"].group_by("estimator", maintain_order=True)
    drawn = six.agg(
        pl.col("tau_distance").mean(),
        pl.col("dist").mean(),
        tau_sd=pl.col("tau_distance").std(),
        dist_sd=pl.col("dist").std(),
    )
    rows = [
        (f"`{e}`", f"{tau:.3f}", f"{tau_sd:.4f}", f"{dist:.1f}", f"{dist_sd:.2f}")
        for e, tau, dist, tau_sd, dist_sd in drawn.iter_rows()
    ]
    head = ("estimator", "tau distance", "sd", "dist", "sd")
    yield f"lu17 on {name}: two-strata pools, mean and sd over draws", table(head, rows)


def webber09(tables: dict[str, pl.DataFrame], name: str) -> Iterator[tuple[str, str]]:
    """Table 1, and the errors from common topics."""
    known = published("webber09")["table1"]
    rows: list[Cells] = []
    for kind, part in tables["table1"].group_by("newcomers", maintain_order=True):
        half = "manual" if kind[0] == "manual" else "robust"
        where = "TREC-8" if half == "manual" else "Robust04, 110 runs"
        for what in ("raw", "adjusted"):
            printed = [f"{value:.3f}" for value in known[f"{half}_{what}"]]
            rows.append((f"printed ({where}), beside {name}", what, *printed))
            rows.append((kind[0], what, *(f"{value:.3f}" for value in part[what])))
    widths = tables["table1"]["width"].unique(maintain_order=True).to_list()
    yield f"webber09 on {name}: Table 1, adjusting from runs", table(("", "", *widths), rows)
    rows = []
    parts = [tables[key] for key in ("table2", "table3", "table4") if len(tables[key])]
    for row in pl.concat(parts, how="vertical_relaxed").filter(common=10).iter_rows(named=True):
        columns = ("unadjusted", "mixed", "plain", "adjusted", "unadjusted_rest", "adjusted_rest")
        keys = (row["newcomers"], row["treatment"], row["width"])
        rows.append((*keys, *(f"{row[column]:.3f}" for column in columns)))
    head = ("new runs", "unjudged", "width", "unadjusted", "mixed", "plain mean", "adjusted")
    head += ("unadjusted, other topics", "adjusted, other topics")
    yield f"webber09 on {name}: 10 common topics", table(head, rows)


def lipani16(tables: dict[str, pl.DataFrame], name: str) -> Iterator[tuple[str, str]]:
    """Errors by pool and corrector."""
    for figure, key in (("figure1", "depth"), ("figure2", "rate"), ("figure3", "stratification")):
        frame = tables[figure]
        correctors = frame["corrector"].unique(maintain_order=True).to_list()
        rows = [
            (*group, *(f"{mae:.4f} ± {sd:.4f}" for mae, sd in part.select("mae", "sd").iter_rows()))
            for group, part in frame.group_by("measure", key, maintain_order=True)
        ]
        yield f"lipani16 on {name}: {figure}", table(("measure", key, *correctors), rows)
    rows = [
        (row["measure"], row["runs"], f"{row['cases']:,}", f"{row['fails'] / row['cases']:.2%}")
        for row in tables["eq1"].iter_rows(named=True)
    ]
    yield f"lipani16 on {name}: Eq. 1", table(("measure", "withdrawn", "cases", "fails"), rows)


def moffat07(tables: dict[str, pl.DataFrame], name: str) -> Iterator[tuple[str, str]]:
    """The variants of Method C in the paper's reading."""
    frame = tables["variants"]
    cuts = frame["judgments"].unique(maintain_order=True).to_list()
    rows = [
        (order[0], *(f"{n:,}" for n in part["relevant"]), f"{part['residual'][0]:.4f}")
        for order, part in frame.group_by("order", maintain_order=True)
    ]
    head = ("", *(f"{cut:,}" for cut in cuts), "residual")
    yield f"moffat07 on {name}: relevant documents by variants of Method C", table(head, rows)


def hui17(tables: dict[str, pl.DataFrame], name: str) -> Iterator[tuple[str, str]]:
    """Figure 1 in numbers."""
    frame, percents = tables["figure1"], (1, 5, 10, 15, 30, 50)
    rows = []
    for group, part in frame.group_by("established", "method", maintain_order=True):
        some = part.filter(pl.col("percent").is_in(percents)).select("tau", "sd")
        rows.append((*group, *(f"{tau:.2f} ± {sd:.2f}" for tau, sd in some.iter_rows())))
    head = ("established", "method", *(f"{percent}%" for percent in percents))
    yield f"hui17 on {name}: tau with the complete measure, ± sd over draws", table(head, rows)


WRITERS = {
    "lu17": lu17,
    "webber09": webber09,
    "lipani16": lipani16,
    "moffat07": moffat07,
    "hui17": hui17,
}


def main() -> None:
    """Reproduce what is not there, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    parts = [HEAD]
    for paper, collections in RUNS.items():
        for name in collections:
            print(paper, name, file=sys.stderr, flush=True)
            here = folder / f"{paper}_{name}"
            if not (here / "report.html").is_file():
                reproduce(paper, data_folder() / name, here)
            tables = {file.stem: pl.read_csv(file) for file in here.glob("*.csv")}
            for title, text in WRITERS[paper](tables, name):
                parts.append(f"## {title}\n\n{text}")
    RESULTS.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
