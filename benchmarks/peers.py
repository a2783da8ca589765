"""Each tool's way from files to means, run in a process of its own.

    python -m benchmarks.peers TOOL QRELS RUN ...

Prints {run: {measure: mean}} as JSON. Nothing but the tool itself is imported, and only then, so
that the time of the process is the tool's time. Exit code 3: the tool cannot be imported.
"""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

Means = dict[str, dict[str, float]]

RBP = "RBP(p=0.8)"
MEASURES = ("nDCG@10", "AP", "P@10", "Recall@1000", RBP)
NOT_IMPORTED = 3


def by_leadline(qrels: str, runs: list[str]) -> Means:
    """Strict checks and intervals on, as they are by default; scores as arrays, as they are made.

    The other tools hand out plain numbers too.
    """
    import leadline

    scores = leadline.evaluate(qrels, runs, list(MEASURES)).scores
    return {
        run: {name: float(scores[name].mean()[at]) for name in MEASURES}
        for at, run in enumerate(scores[MEASURES[0]].runs)
    }


def by_leadline_table(qrels: str, runs: list[str]) -> Means:
    """The same as a table, row by row."""
    import leadline

    means: Means = {}
    for row in leadline.evaluate(qrels, runs, list(MEASURES)):
        means.setdefault(row.run, {})[row.measure] = row.value
    return means


def by_leadline_frame(qrels: str, runs: list[str]) -> Means:
    """The same as a polars frame, for which polars has to be loaded."""
    import leadline

    frame = leadline.evaluate(qrels, runs, list(MEASURES)).frame
    means: Means = {}
    for run, measure, value in frame.select("run", "measure", "value").iter_rows():
        means.setdefault(run, {})[measure] = value
    return means


def by_pytrec_eval(qrels: str, runs: list[str]) -> Means:
    """Its own readers; it has no RBP."""
    import pytrec_eval

    names = {"nDCG@10": "ndcg_cut_10", "AP": "map", "P@10": "P_10", "Recall@1000": "recall_1000"}
    with _opened(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(names.values()))
    means: Means = {}
    for run in runs:
        with _opened(run) as file:
            topics = evaluator.evaluate(pytrec_eval.parse_run(file)).values()
        means[Path(run).stem] = {
            ours: pytrec_eval.compute_aggregated_measure(name, [each[name] for each in topics])
            for ours, name in names.items()
        }
    return means


def _opened(path: str) -> IO[str]:
    if path.endswith(".gz"):
        import gzip

        return gzip.open(path, "rt")
    return Path(path).open()


def by_ir_measures(qrels: str, runs: list[str]) -> Means:
    """Its default providers; that of RBP is cwl-eval, which need not be installed."""
    ir: Any = import_module("ir_measures")

    asked = {"nDCG@10": ir.nDCG @ 10, "AP": ir.AP, "P@10": ir.P @ 10, "Recall@1000": ir.R @ 1000}
    # Asking ir_measures itself would load every provider, which evaluating does not.
    if find_spec("cwl") is not None:
        asked[RBP] = ir.RBP(p=0.8, rel=1)
    evaluator = ir.evaluator(list(asked.values()), ir.read_trec_qrels(qrels))
    means: Means = {}
    for run in runs:
        found = evaluator.calc_aggregate(ir.read_trec_run(run))
        means[Path(run).stem] = {ours: found[measure] for ours, measure in asked.items()}
    return means


def by_ranx(qrels: str, runs: list[str]) -> Means:
    """Its own readers."""
    import ranx

    names = {
        "nDCG@10": "ndcg@10",
        "AP": "map",
        "P@10": "precision@10",
        "Recall@1000": "recall@1000",
        RBP: "rbp.80",
    }
    judged = ranx.Qrels.from_file(qrels, kind="trec")
    means: Means = {}
    for run in runs:
        read = ranx.Run.from_file(run, kind="trec")
        found = ranx.evaluate(judged, read, list(names.values()))
        means[Path(run).stem] = {ours: float(found[name]) for ours, name in names.items()}
    return means


def only_parse(qrels: str, runs: list[str]) -> Means:
    """No evaluation: documents and scores by the fastest reader there is, nothing checked."""
    import polars as pl

    fields = ("topic", "iteration", "doc", "rank", "score", "tag")
    schema = {name: pl.Float64 if name == "score" else pl.String for name in fields}
    for run in runs:
        lines = pl.scan_csv(run, has_header=False, separator=" ", quote_char=None, schema=schema)
        lines.select("doc", "score").collect(engine="streaming")
    return {}


def only_read(qrels: str, runs: list[str]) -> Means:
    """No evaluation and no parsing: the bytes of the runs, decompressed where they are packed."""
    for run in runs:
        if run.endswith(".gz"):
            import gzip

            gzip.decompress(Path(run).read_bytes())
        else:
            with Path(run).open("rb") as file:
                while file.read(1 << 20):
                    pass
    return {}


TOOLS: dict[str, Callable[[str, list[str]], Means]] = {
    "leadline": by_leadline,
    "leadline-table": by_leadline_table,
    "leadline-frame": by_leadline_frame,
    "pytrec_eval": by_pytrec_eval,
    "ir_measures": by_ir_measures,
    "ranx": by_ranx,
    "only-parse": only_parse,
    "only-read": only_read,
}


def main() -> None:
    """Run one tool."""
    tool, qrels, *runs = sys.argv[1:]
    try:
        means = TOOLS[tool](qrels, runs)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(NOT_IMPORTED)
    json.dump(means, sys.stdout)


if __name__ == "__main__":
    main()
