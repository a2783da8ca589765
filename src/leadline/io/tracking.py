"""Results in experiment tracking: MLflow, Weights & Biases, or a file of JSON lines."""

import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

KEYS = ("run", "run_a", "run_b", "measure", "slice", "estimator", "group")
"""Columns that say what a row is about."""

SERVICES = ("mlflow", "wandb")
FOLDER = "leadline"
_ODD = re.compile(r"[^\w\-. :/]+")


class Tracked(NamedTuple):
    """What is logged of a result: numbers by name, texts, and the whole table as csv.

    kind: what the result is, such as evaluation.
    """

    kind: str
    metrics: Mapping[str, float]
    texts: Mapping[str, Any]
    table: pl.DataFrame


def metrics_of(frame: pl.DataFrame) -> dict[str, float]:
    """Return the numbers of a table by names such as bm25/nDCG@10/value.

    Rows of single topics are left out, and cells without a number.

    >>> metrics_of(pl.DataFrame({"run": ["a"], "measure": ["P@1"], "value": [0.5]}))
    {'a/P@1/value': 0.5}
    """
    if "topic" in frame.columns:
        frame = frame.filter(pl.col("topic") == "all")
    keys = [name for name in KEYS if name in frame.columns]
    numbers = [name for name in frame.columns if frame[name].dtype.is_numeric()]
    return {
        "/".join([*(row[key] for key in keys if row[key] is not None), name]): float(row[name])
        for row in frame.iter_rows(named=True)
        for name in numbers
        if row[name] is not None
    }


def log_to(target: str | os.PathLike[str], tracked: Tracked) -> None:
    """Log a result to mlflow, wandb, or a file of JSON lines, which is added to."""
    if target == "mlflow":
        _log_to_mlflow(tracked)
    elif target == "wandb":
        _log_to_wandb(tracked)
    elif isinstance(target, str) and not Path(target).suffix:
        raise ValueError(
            f"log to {', '.join(SERVICES)}, or a file such as results.jsonl, not {target!r}"
        )
    else:
        _log_to_file(Path(target), tracked)


def _log_to_file(path: Path, tracked: Tracked) -> None:
    line = {
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "kind": tracked.kind,
        **tracked.texts,
        "metrics": dict(tracked.metrics),
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(line, ensure_ascii=False, default=str)}\n")


def tracking_name(name: str) -> str:
    """Return a name with only the letters that MLflow takes.

    >>> tracking_name("bm25/RBP(p=0.8)@10/value")
    'bm25/RBP_p_0.8_at_10/value'
    """
    return _ODD.sub("_", name.replace(")@", "_at_").replace("@", "_at_").replace(")", ""))


def _log_to_mlflow(tracked: Tracked) -> None:
    mlflow = _imported("mlflow")
    own = mlflow.active_run() is None
    try:
        # Without an active run the first call begins one.
        mlflow.log_metrics({tracking_name(name): x for name, x in tracked.metrics.items()})
        mlflow.set_tags({f"leadline.{name}": str(text) for name, text in tracked.texts.items()})
        mlflow.log_text(tracked.table.write_csv(), f"{FOLDER}/{tracked.kind}.csv")
    finally:
        if own:
            mlflow.end_run()


def _log_to_wandb(tracked: Tracked) -> None:
    wandb = _imported("wandb")
    own = wandb.run is None
    run = wandb.init(project=FOLDER) if own else wandb.run
    try:
        run.summary.update(dict(tracked.metrics))
        run.config.update({FOLDER: dict(tracked.texts)}, allow_val_change=True)
        table = wandb.Table(
            columns=tracked.table.columns, data=[list(r) for r in tracked.table.rows()]
        )
        run.log({f"{FOLDER}/{tracked.kind}": table})
    finally:
        if own:
            run.finish()


def _imported(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise ValueError(f"{name} is not installed: pip install {name}") from None
