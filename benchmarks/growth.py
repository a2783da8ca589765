"""How time and memory of evaluate grow with topics, depth, runs and judgments.

    python -m benchmarks.growth FILE.csv [--most LINES] [--only NAME ...]
    python -m benchmarks.growth FILE.csv --draw PICTURE.svg
    python -m benchmarks.growth docs/results/growth.csv --tables > docs/results/growth.md

Text files are written, evaluated in a fresh process and removed. One row a measurement is added to
the csv file; the picture is drawn from it, with the slope of each line between its last points,
for time of what is above that of the smallest input.
"""

import argparse
import csv
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.process import measure

MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)")
FITTED = 3
"""Points at the end of a line that its slope is fitted to."""

COLUMNS = ("series", "lines", "judgments", "seconds", "cpu", "peak_mb")
EVALUATE = (
    "import sys, leadline; "
    f"leadline.evaluate(sys.argv[1], sys.argv[2:], {list(MEASURES)}).encoded('csv')"
)


@dataclass(frozen=True)
class Shape:
    """Runs by topics by depth, so many judged for each topic; half of these are in the runs."""

    runs: int
    topics: int
    depth: int
    judged: int

    @property
    def lines(self) -> int:
        """Of all runs together."""
        return self.runs * self.topics * self.depth

    def of(self, lines: int) -> bool:
        """Whether it has no more lines, nor judgments, than that."""
        return max(self.lines, self.topics * self.judged) <= lines


SERIES: dict[str, list[Shape]] = {
    "topics": [Shape(1, 10**n, 1000, 10) for n in range(1, 6)],
    "depth": [Shape(1, 100, 10**n, 10) for n in range(2, 6)],
    "runs": [Shape(n, 50, 1000, 100) for n in (1, 3, 10, 30, 100, 300)],
    "judgments": [Shape(1, 1000, 1000, 10**n) for n in range(5)],
}
"""What grows, by name; all else stays as it is."""


def write(folder: Path, shape: Shape) -> list[str]:
    """Qrels and runs; every topic has the same names, in the order of each run."""
    rng = np.random.default_rng(1)
    docs = rng.permutation(10 * shape.depth)[: shape.depth] + 10**6
    listed = docs[: shape.judged // 2].tolist()
    judged = [*listed, *range(shape.judged - len(listed))]
    block = "".join(f"@ 0 {doc} {at % 3}\n" for at, doc in enumerate(judged))
    paths = [folder / "qrels", *(folder / f"{n}.run" for n in range(shape.runs))]
    _repeated(paths[0], block, shape.topics)
    for path in paths[1:]:
        score = -np.sort(-rng.gamma(3, 2.5, shape.depth))
        rows = enumerate(zip(rng.permutation(docs).tolist(), score.tolist(), strict=True), 1)
        block = "".join(f"@ Q0 {doc} {rank} {value:.4f} x\n" for rank, (doc, value) in rows)
        _repeated(path, block, shape.topics)
    return [str(path) for path in paths]


def _repeated(path: Path, block: str, topics: int) -> None:
    with path.open("w") as file:
        for topic in range(topics):
            file.write(block.replace("@ ", f"{topic + 1000} "))


def add(path: Path, names: list[str], most: int) -> None:
    """Measure the series of these names up to so many lines, and add them to the file."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        for name in names:
            for shape in SERIES[name]:
                if not shape.of(most):
                    continue
                with TemporaryDirectory() as folder:
                    inputs = write(Path(folder), shape)
                    found = measure([sys.executable, "-c", EVALUATE, *inputs])
                row = (name, shape.lines, shape.topics * shape.judged)
                figures = (f"{found.seconds:.3f}", f"{found.cpu:.3f}", f"{found.peak_mb:.0f}")
                writer.writerow((*row, *figures))
                file.flush()
                print(*row, *figures, flush=True)


def slope(x: list[float], y: list[float], start: float) -> float:
    """Of the straight line through the last points above `start`, on scales of logarithms."""
    last = [(a, b - start) for a, b in zip(x, y, strict=True) if b > start][-FITTED:]
    logs = [[math.log(value) for value in each] for each in zip(*last, strict=True)]
    return float(np.polyfit(logs[0], logs[1], 1)[0])


def points(path: Path, column: str) -> dict[str, tuple[list[float], list[float]]]:
    """What grows and the figures of a column, by series, each point the median of its rows."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    found = {}
    for name in SERIES:
        grows = "judgments" if name == "judgments" else "lines"
        mine = [(int(row[grows]), float(row[column])) for row in rows if row["series"] == name]
        if mine:
            x = sorted({at for at, _ in mine})
            y = [median(value for there, value in mine if there == at) for at in x]
            found[name] = ([float(at) for at in x], y)
    return found


def tables(path: Path) -> str:
    """The figures as tables of the documentation."""
    cpu, peak = points(path, "cpu"), points(path, "peak_mb")
    slopes = {name: f"{slope(x, y, y[0]):.2f}" for name, (x, y) in cpu.items()}
    seconds = {name: [f"{value:.2f}" for value in y] for name, (_, y) in cpu.items()}
    peaks = {name: [f"{value:.0f}" for value in y] for name, (_, y) in peak.items()}
    sizes = {name: [f"10^{math.log10(at):.0f}" for at in x] for name, (x, _) in cpu.items()}
    growing = [["what grows", f"{sizes['topics'][0]} lines", *sizes["topics"][1:]]]
    growing[0] += ["slope", "peak MB"]
    for name, title in (
        ("topics", "topics, 1,000 documents each"),
        ("depth", "depth of 100 topics"),
    ):
        growing.append([title, *seconds[name], slopes[name], ", ".join(peaks[name])])
    runs = [
        ["runs of 50 topics x 1,000", *(f"{at / 50_000:.0f}" for at in cpu["runs"][0]), "slope"],
        ["processor seconds", *seconds["runs"], slopes["runs"]],
        ["peak MB", *peaks["runs"], ""],
    ]
    judgments = [
        ["judgments for 10^6 lines", *sizes["judgments"]],
        ["processor seconds", *seconds["judgments"]],
        ["peak MB", *peaks["judgments"]],
    ]
    return "\n\n".join(_markdown(rows) for rows in (growing, runs, judgments))


def _markdown(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def draw(path: Path, picture: Path) -> None:
    """Both figures against what grows, and the slopes as a table."""
    import altair as alt

    panels = []
    for column, title in (("cpu", "processor seconds"), ("peak_mb", "peak MB")):
        rows = []
        for name, (x, y) in points(path, column).items():
            # The smallest input takes the start of Python, whatever its size.
            fitted, first = slope(x, y, y[0] if column == "cpu" else 0.0), x[-FITTED:][0]
            print(f"{column:>8} {name:>10}: slope {fitted:.2f} from {first:.0e} to {x[-1]:.0e}")
            label = f"{name} (slope {fitted:.2f})"
            rows += [{"x": a, "y": b, "grows": label} for a, b in zip(x, y, strict=True)]
        scale = alt.Scale(type="log")
        panels.append(
            alt.Chart(alt.InlineData(values=rows), width=330, height=260, title=title)
            .mark_line(point=True)
            .encode(
                x=alt.X("x:Q", scale=scale, title="lines; for judgments: judgments"),
                y=alt.Y("y:Q", scale=scale, title=None),
                color=alt.Color("grows:N", title=None, legend=alt.Legend(orient="bottom")),
            )
        )
    both = alt.hconcat(*panels).resolve_scale(color="independent")
    both.save(str(picture))


def main() -> None:
    """Measure, or draw what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="the csv file")
    parser.add_argument("--most", type=float, default=1e8, help="lines, or judgments")
    parser.add_argument("--only", nargs="+", choices=SERIES, default=list(SERIES), metavar="NAME")
    parser.add_argument("--draw", type=Path, metavar="PICTURE")
    parser.add_argument("--tables", action="store_true", help="print the figures as tables")
    given = parser.parse_args()
    if given.draw:
        draw(given.file, given.draw)
    elif given.tables:
        print("# Growth of time and memory", end="\n\n")
        print("Written by `python -m benchmarks.growth docs/results/growth.csv --tables`", end=" ")
        print("from what `python -m benchmarks.growth docs/results/growth.csv` measured.")
        print(f"\n{tables(given.file)}")
    else:
        add(given.file, given.only, int(given.most))


if __name__ == "__main__":
    main()
