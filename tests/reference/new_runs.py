"""How far new runs stray from what was predicted of their docs, and what draws give them.

The specification is ours; no paper has it.
"""

import math
import statistics

Document = tuple[float, float, bool]
SeenRun = tuple[float, list[Document]]
Entry = tuple[int, str, float, list[tuple[float, list[float]]]]


def misfit_probabilities(
    groups: list[list[SeenRun]],
    misfits: list[float],
    levels: list[float],
    degrees: float,
    before: float,
    before_scale: float,
) -> list[float]:
    """The probability of each of ``misfits`` after seeing the groups; they sum to 1.

    A group is a list of runs, a run ``(error, documents)``, a document
    ``(weight, logit, relevant)``. The documents of a run have logits ``logit + v``. At misfit s,
    v is Student's t with ``degrees`` degrees of freedom, centre 0 and scale
    sqrt(s^2 + error^2); it is summed out over the even grid ``levels``. A document counts
    w (sum w) / (sum w^2) times, sums over its run. The log likelihood of a group is the mean of
    those of its runs with documents. Before any group is seen log s is normal around
    log(before) with standard deviation ``before_scale``.
    """

    def log_sum(logs: list[float]) -> float:
        """log of the sum of exp of each."""
        peak = max(logs)
        return peak + math.log(math.fsum(math.exp(x - peak) for x in logs))

    def log_chance(logit: float, relevant: bool) -> float:
        """log P(relevant), or of not relevant: log 1 / (1 + exp(-x)), x the logit or minus it."""
        x = logit if relevant else -logit
        return min(x, 0.0) - math.log1p(math.exp(-abs(x)))

    def of_documents(documents: list[Document], v: float) -> float:
        """F(v), the log likelihood of a run's documents at v."""
        total = math.fsum(w for w, _, _ in documents)
        squares = math.fsum(w * w for w, _, _ in documents)
        return math.fsum(
            w * total / squares * log_chance(logit + v, relevant)
            for w, logit, relevant in documents
        )

    def log_t(v: float, variance: float) -> float:
        """log of the t density at v, but for what depends on neither v nor the variance."""
        tail = -(degrees + 1) / 2 * math.log1p(v * v / (degrees * variance))
        return tail - math.log(variance) / 2

    logs = [-(((math.log(s) - math.log(before)) / before_scale) ** 2) / 2 for s in misfits]
    for group in groups:
        # one list per run that has documents, with its log likelihood at each misfit
        seen: list[list[float]] = []
        for error, documents in group:
            if not documents:
                continue
            fits = [of_documents(documents, v) for v in levels]
            seen.append(
                [
                    log_sum(
                        [
                            fit + log_t(v, s * s + error * error)
                            for v, fit in zip(levels, fits, strict=True)
                        ]
                    )
                    for s in misfits
                ]
            )
        if seen:
            for i in range(len(misfits)):
                logs[i] += statistics.fmean(run[i] for run in seen)
    peak = max(logs)
    parts = [math.exp(x - peak) for x in logs]
    return [part / math.fsum(parts) for part in parts]


def drawn_amounts(
    entries: list[Entry], chances: dict[str, list[float]], n_runs: int
) -> list[list[float]]:
    """The amount added to each run in each draw: rows are draws, columns runs.

    An entry is ``(run, doc, weight, chances_of_grades)``, the last a list of
    ``(rise, probabilities)``, one per grade step in ascending order, with one probability a
    draw. ``chances[doc][k]`` is the doc's uniform number in draw k. The doc reaches a step if
    that number is less than the least probability of the step and those before it; each step
    reached adds weight times rise to the run.
    """
    n_draws = max((len(numbers) for numbers in chances.values()), default=0)
    rows: list[list[float]] = []
    for k in range(n_draws):
        row = [0.0] * n_runs
        for run, doc, weight, steps in entries:
            for last in range(len(steps)):
                least = min(probabilities[k] for _, probabilities in steps[: last + 1])
                if chances[doc][k] < least:
                    row[run] += weight * steps[last][0]
        rows.append(row)
    return rows
