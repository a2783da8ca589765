"""Measure steps beyond the five papers, each beside the method that it would replace.

    python -m scripts.paper_trials QUESTION...

writes docs/results/trials-QUESTION.md and .csv. Parameters were chosen on one collection, which the
table names; the others were looked at once.
"""

import argparse
import csv
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from scipy import stats

import leadline
from leadline.completions.self_test import CANDIDATES
from leadline.data.arrays import Floats
from leadline.io.collection import Collection
from leadline.pooling.strategies import Depth

RESULTS = Path(__file__).parents[1] / "docs" / "results"
COLLECTIONS = ("trec8_adhoc", "robust2004_pooled42", "trec_covid_round1", "trec_dl21_half")
PARTS = 5

Row = dict[str, object]


def data_folder() -> Path:
    """Return where the shared collections lie."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("LEADLINE_DATA", beside))


def parts_of(collection: Collection, n: int = PARTS) -> Iterator[Collection]:
    """Yield the collection on n sets of topics that have none in common."""
    topics = np.array(collection.runs.pairs.topics)
    for part in np.array_split(np.random.default_rng(0).permutation(topics), n):
        yield collection.on(part.tolist())


def interval(values: Sequence[float] | Floats) -> tuple[float, float, float]:
    """Return mean and ends of Student's 95% interval."""
    array = np.asarray(values, np.float64)
    array = array[~np.isnan(array)]
    if len(array) < 2:
        nothing = float("nan")
        return (float(array.mean()) if len(array) else nothing), nothing, nothing
    reach = stats.t.ppf(0.975, len(array) - 1) * array.std(ddof=1) / len(array) ** 0.5
    return float(array.mean()), float(array.mean() - reach), float(array.mean() + reach)


def log(text: str) -> None:
    """Say on standard error how far it is."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Trial:
    """A question, what its page says above the table, and what measures it."""

    title: str
    about: str
    measure: Callable[[], list[Row]]

    def write(self, name: str) -> None:
        """Measure, and write csv and page."""
        rows = self.measure()
        columns = list(dict.fromkeys(key for row in rows for key in row))
        with (RESULTS / f"trials-{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows({key: _exact(value) for key, value in row.items()} for row in rows)
        lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
        lines += [f"| {' | '.join(_shown(row.get(key)) for key in columns)} |" for row in rows]
        head = f"# {self.title}\n\nWritten by `python -m scripts.paper_trials {name}`.\n\n"
        page = head + self.about.strip() + "\n\n" + "\n".join(lines) + "\n"
        (RESULTS / f"trials-{name}.md").write_text(page, encoding="utf-8")


def _exact(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value


def _shown(value: object) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 10 else f"{value:.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def projected() -> list[Row]:
    """Compare MoffatC with ProjectedC."""
    from leadline.judging.by_weight import MoffatC, ProjectedC
    from leadline.lab.papers.moffat07_plan import BeforeJudging, PassSetup, Trail, handled
    from leadline.measures.rbp import RBP

    rbp, per_topic = RBP(p=0.8), (20, 40, 100)
    orders = {"MoffatC": MoffatC(p=0.8), "ProjectedC": ProjectedC(p=0.8)}

    def played(collection: Collection) -> dict[str, list[float]]:
        runs = collection.runs
        on = PassSetup(runs, collection.judgments, False, np.arange(len(runs.names)), ())
        truth = rbp.score(on.lists()).mean()
        top = np.argsort(-truth, kind="stable")[:10]
        before, n_topics = BeforeJudging(runs, rbp), len(runs.pairs.topics)
        found = {}
        for name, order in orders.items():
            pairs = handled(order, on, 400 * n_topics, "nonrelevant")
            gain = (on.judgments.grade[pairs] >= 1).astype(np.float64)
            trail = Trail(before, pairs, gain)
            cuts = [min(n * n_topics, len(pairs)) for n in per_topic]
            until = trail.judgments_until(1, True)
            found[name] = [float(trail.residual[cut][top].mean()) for cut in cuts]
            found[name] += [float(gain[:cut].sum()) for cut in cuts]
            found[name].append(float("nan") if until is None else float(until))
        return found

    names = [f"residual of the ten best, {n} judgments a topic" for n in per_topic]
    names += [f"relevant found, {n} judgments a topic" for n in per_topic]
    names.append("judgments until the best run is certain")
    rows: list[Row] = []
    for name in COLLECTIONS:
        log(name)
        collection = leadline.read(data_folder() / name)
        whole = played(collection)
        parts = [played(part) for part in parts_of(collection)]
        for at, what in enumerate(names):
            ratios = [part["ProjectedC"][at] / part["MoffatC"][at] for part in parts]
            mean, low, high = interval(ratios)
            rows.append(
                {
                    "collection": name,
                    "quantity": what,
                    "MoffatC": whole["MoffatC"][at],
                    "ProjectedC": whole["ProjectedC"][at],
                    "ratio on parts": mean,
                    "lower": low,
                    "upper": high,
                }
            )
    return rows


def selftest() -> list[Row]:
    """Compare what the self-test picks with what a deeper pool shows to be best."""
    from leadline.completions.estimator import TrainingData
    from leadline.completions.self_test import self_test
    from leadline.measures.rbp import RBP

    measure = RBP(p=0.95)
    depths = {
        "robust2004_pooled42": (100, (10, 20, 30)),
        "trec_dl21_half": (10, (4, 6)),
    }
    rows: list[Row] = []
    for name, (reference, shallow) in depths.items():
        collection = leadline.read(data_folder() / name)
        runs = collection.runs.only(collection.pooled)
        judgments = collection.judgments.only(runs.best_rank <= reference)
        whole = TrainingData(measure, runs, judgments, Depth(reference).pool(runs))
        for depth in shallow:
            log(f"{name}, depth {depth}")
            mine = judgments.only(runs.best_rank <= depth)
            told = self_test(TrainingData(measure, runs, mine, Depth(depth).pool(runs)))
            picked = told["estimator"][0]
            learnt = told.filter(pl.col("estimator") != "Regression")["estimator"][0]
            fixed = dict.fromkeys((picked, learnt, LU17_THETA))
            free = [each for each in CANDIDATES if each not in fixed]
            truth = self_test(whole, [*fixed, *free], shallow=depth)
            error = dict(truth.select("estimator", "rmse").iter_rows())
            rows.append(
                {
                    "collection": name,
                    "depth": depth,
                    "picked": picked,
                    "error of picked": error[picked],
                    "picked without Regression": learnt,
                    "its error": error[learnt],
                    "LowerBound": error["LowerBound"],
                    LU17_THETA: error[LU17_THETA],
                    "Regression": error["Regression"],
                    "best in hindsight": truth["estimator"][0],
                    "least error": truth["rmse"][0],
                }
            )
    return rows


def newtopics() -> list[Row]:
    """Compare what is expected of another sample of topics with what it gives."""
    from leadline.data.lists import Lists
    from leadline.measures.measure import parse_measure
    from leadline.stats.correlation import distance, kendall_distance, new_topics

    def resampled(scores: Floats, random: np.random.Generator) -> tuple[float, float]:
        n = scores.shape[1]
        one, two = (scores[:, random.integers(n, size=n)] for _ in range(2))
        return kendall_distance(one.mean(axis=1), two.mean(axis=1)), distance(one, two)

    rows: list[Row] = []
    for name in COLLECTIONS:
        log(name)
        collection = leadline.read(data_folder() / name)
        lists = Lists.of(collection.runs, collection.judgments)
        for measure in ("RBP(p=0.95)", "P@10", "AP"):
            scores = np.nan_to_num(parse_measure(measure).score(lists).value)
            random, seen = np.random.default_rng(1), []
            for _ in range(20):
                order = random.permutation(scores.shape[1])
                half = len(order) // 2
                one, two = scores[:, order[:half]], scores[:, order[half : 2 * half]]
                actual = kendall_distance(one.mean(axis=1), two.mean(axis=1)), distance(one, two)
                seen.append([*actual, *new_topics(one), *resampled(one, random)])
            tau, dist, *others = np.mean(seen, axis=0).tolist()
            rows.append(
                {
                    "collection": name,
                    "measure": measure,
                    "tau distance": tau,
                    "expected / actual": others[0] / tau,
                    "bootstrap / actual": others[2] / tau,
                    "dist": dist,
                    "dist: expected / actual": others[1] / dist,
                    "dist: bootstrap / actual": others[3] / dist,
                }
            )
    return rows


def inclusion() -> list[Row]:
    """Compare correctors of lipani16 with inclusion probabilities, alone and with a bias."""
    from leadline.completions.adjuster import UnpooledRuns
    from leadline.completions.pooling_bias import Lipani, WebberLeaveOneOut
    from leadline.data.lists import Lists
    from leadline.measures.precision import P
    from leadline.pooling.strategies import PoolStrategy, Stratified, UniformSample, stratifications
    from leadline.pooling.without import BestRanks, DrawnPool

    references = {
        "trec8_adhoc": (100, 10),
        "robust2004_pooled42": (100, 10),
        "trec_covid_round1": (7, 5),
        "trec_dl21_half": (10, 10),
    }
    ways = ("none", "WebberLeaveOneOut", "Lipani(merge=replace)", "inclusion", "inclusion + bias")
    rows: list[Row] = []
    for name, (reference, cutoff) in references.items():
        collection = leadline.read(data_folder() / name)
        everyone = collection.runs.only(collection.pooled)
        truth = collection.judgments.only(everyone.best_rank <= reference)
        measure = P(k=cutoff)
        first = measure.score(Lists.of(everyone.cut(cutoff), truth)).mean()
        best = np.sort(np.argsort(-first, kind="stable")[: round(0.75 * len(first))])
        runs = everyone.only(np.isin(np.arange(len(first)), best))
        relevant = truth.judged & (truth.grade >= 1)
        n_topics, top = len(runs.pairs.topics), runs.cut(cutoff)
        score = measure.score(Lists.of(top, truth)).mean()
        ranks = BestRanks.of(runs, runs.group_number)
        step = max(1, reference // 10)
        strata = stratifications(reference, step)
        strategies: list[PoolStrategy] = [UniformSample(max(1, reference // 2), 0.5)]
        strategies += [Stratified(strata[at]) for at in (1, len(strata) - 2) if at < len(strata)]
        for strategy in strategies:
            log(f"{name}, {strategy}")
            ends = np.cumsum([size for size, _ in strategy.layers])
            rates = np.array([*(rate for _, rate in strategy.layers), 0.0])
            errors: dict[str, list[Floats]] = {way: [] for way in ways}
            by_draw: dict[str, list[float]] = {way: [] for way in ways}
            for seed in range(3):
                drawn = DrawnPool(strategy, runs, seed)
                mine: dict[str, list[Floats]] = {way: [] for way in ways}
                for group in range(len(runs.groups)):
                    new = runs.group_number == group
                    if new.all() or not new.any():
                        continue
                    own = ranks.without(group)
                    member = drawn.member(own)
                    evidence = UnpooledRuns(
                        measure, runs, truth.only(member), contributing=~new, drawn=drawn
                    )
                    plain = measure.score(evidence.new_lists()).mean() - score[new]
                    chance = rates[np.searchsorted(ends, own)]
                    weight = np.where(relevant & member, 1 / np.where(chance > 0, chance, 1.0), 0.0)
                    sums = np.bincount(top.entries.run, weight[top.pair], len(runs.names))
                    weighted = (sums / cutoff / n_topics)[new] - score[new]
                    # The bias: a pooled run is withdrawn, and weighted by the chances without it.
                    units = BestRanks.of(runs.only(~new), np.arange(int((~new).sum())))
                    pooled = runs.only(~new).cut(cutoff)
                    held = units.holder[pooled.pair] == pooled.entries.run
                    pair = pooled.pair[held]
                    left = rates[np.searchsorted(ends, units.second[pair])]
                    stays = drawn.member(units.second[pair], pair) & relevant[pair]
                    after = np.where(stays, 1 / np.where(left > 0, left, 1.0), 0.0)
                    bias = (weight[pair] - after).sum() / cutoff / n_topics / len(pooled.names)
                    mine["none"].append(plain)
                    for corrector in (WebberLeaveOneOut(), Lipani("replace")):
                        mine[str(corrector)].append(plain + corrector.amounts(evidence))
                    mine["inclusion"].append(weighted)
                    mine["inclusion + bias"].append(weighted + bias)
                for way in ways:
                    errors[way] += mine[way]
                    by_draw[way].append(float(np.abs(np.concatenate(mine[way])).mean()))
            row: Row = {"collection": name, "pool": _pool_name(strategy), "measure": str(measure)}
            row |= {way: float(np.abs(np.concatenate(errors[way])).mean()) for way in ways}
            ratio = np.array(by_draw["inclusion + bias"]) / np.array(
                by_draw["Lipani(merge=replace)"]
            )
            row["last / Lipani"], row["lower"], row["upper"] = interval(ratio)
            rows.append(row)
    return rows


def _pool_name(strategy: object) -> str:
    layers = strategy.layers  # type: ignore[attr-defined]
    return " ".join(f"({size}, {rate:.0%})" for size, rate in layers)


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def commontopics() -> list[Row]:
    """Correct cheap scores by common topics, fully and shrunk."""
    from leadline.completions.estimator import TrainingData
    from leadline.completions.regression import Regression
    from leadline.lab.papers.runner import Setting
    from leadline.lab.papers.webber09_plan import (
        DEPTH,
        MEASURE,
        Draws,
        Webber09Setup,
        forget,
        newcomers,
        sample,
        setup,
    )

    n_draws, n_fitted, n_samples, n_common, n_new, deep = 12, 3, 100, 10, 11, 20

    def fitted(on: Webber09Setup, chosen: np.ndarray, new: np.ndarray) -> Floats:
        """[new, topics, draws]: scores by the model; NaN where the draw pools the run."""
        found = np.full((len(new), len(on.runs.pairs.topics), len(chosen)), np.nan)
        for draw, pooled in enumerate(chosen):
            valid = np.flatnonzero(~pooled[new])
            mask = pooled.copy()
            mask[new[valid]] = True
            runs = on.runs.only(mask, deep)
            teaches = np.isin(runs.names, np.array(on.runs.names)[pooled])
            member = on.evidence(pooled, mask & ~pooled).judgments
            evidence = TrainingData(
                MEASURE, runs, member, Depth(DEPTH).pool(runs.only(teaches)), teaches
            )
            gains = Regression(draws=100, deep=deep).gains(evidence)
            value = gains.scores("Regression").value
            row = [runs.names.index(on.runs.names[new[at]]) for at in valid]
            found[valid, :, draw] = value[row]
        return found

    def one(true: Floats, cheap: Floats, member: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """[runs, samples]: shortfall left by no, full and shrunk correction, and se^2."""
        n, n_topics = int(member[0].sum()), true.shape[1]
        short = true - cheap
        a = short @ member.T / n
        spread = np.maximum(short**2 @ member.T / n - a**2, 0.0) * n / (n - 1)
        square = (n_topics - n) / n_topics * spread / n
        keep = np.maximum(0.0, 1 - np.divide(square, a**2, out=np.ones_like(a), where=a != 0))
        bias = np.broadcast_to(short.mean(axis=1)[:, None], a.shape)
        return bias, bias - a, bias - keep * a, square

    def errors(true: Floats, bases: dict[str, Floats]) -> dict[str, dict[str, Floats]]:
        """Mean absolute error of each draw by base and correction; NaN where all runs are pooled.

        `chosen` shrinks condensed scores where their squared standard error is the smaller one on
        average over the new runs, and corrects raw ones fully elsewhere.
        """
        random, n_topics = np.random.default_rng(1), true.shape[1]
        n = min(n_common, n_topics // 2)
        n_each = {base: cheap.shape[2] for base, cheap in bases.items()}
        found: dict[str, dict[str, Floats]] = {
            base: {way: np.full(size, np.nan) for way in ("base", "corrected", "shrunk")}
            for base, size in (n_each | {"chosen": max(n_each.values())}).items()
        }
        for draw in range(max(n_each.values())):
            order = random.permuted(np.tile(np.arange(n_topics), (n_samples, 1)), axis=1)[:, :n]
            member = np.zeros((n_samples, n_topics))
            np.put_along_axis(member, order, 1.0, axis=1)
            parts = {}
            for base, cheap in bases.items():
                if draw >= n_each[base]:
                    continue
                valid = ~np.isnan(cheap[:, 0, draw])
                if not valid.any():
                    continue
                parts[base] = one(true[valid], cheap[valid, :, draw], member)
                for way, left in zip(("base", "corrected", "shrunk"), parts[base], strict=False):
                    found[base][way][draw] = np.abs(left).mean()
            if parts:
                raw, condensed = parts["irrelevant"], parts["condensed"]
                better = condensed[3].mean(axis=0) < raw[3].mean(axis=0)
                left = np.where(better, condensed[2], raw[1])
                found["chosen"]["shrunk"][draw] = np.abs(left).mean()
        return found

    rows: list[Row] = []
    for name in ("trec8_adhoc", "robust2004_pooled42", "trec_covid_round1"):
        setting = Setting(str(data_folder() / name))
        on = setup(setting.folder, None)
        for group in newcomers(setting):
            most = len(group.pooled) - (group.kind == "automatic")
            for width in (w for w in (2, 10, 40) if w <= most):
                log(f"{name}, {group.kind}, {width}")
                random = np.random.default_rng(width)
                chosen = sample(group.pooled, width, n_draws, len(on.runs.names), random)
                new = np.sort(random.permutation(group.new)[:n_new])
                draws = Draws.of(on, chosen, new)
                true = on.true[new]
                bases = {"irrelevant": draws.irrelevant, "condensed": draws.condensed}
                if name == "robust2004_pooled42" and width < 40:
                    bases["Regression"] = fitted(on, chosen[:n_fitted], new)
                by_base = errors(true, bases)
                today = by_base["irrelevant"]["corrected"]
                for base, found in by_base.items():
                    gain = found["shrunk"] - today[: len(found["shrunk"])]
                    mean, low, high = interval(gain)
                    rows.append(
                        {
                            "collection": name,
                            "new runs": group.kind,
                            "pooled": width,
                            "base": base,
                            "draws": len(gain),
                            "base alone": _mean(found["base"]),
                            "corrected": _mean(found["corrected"]),
                            "shrunk": _mean(found["shrunk"]),
                            "shrunk - today": mean,
                            "lower": low,
                            "upper": high,
                        }
                    )
        forget()
    return rows


def adjusters() -> list[Row]:
    """Leave organisations out of depth pools, and compare every corrector with none."""
    from leadline.completions.adjuster import UnpooledRuns
    from leadline.completions.adjuster import adjusters as known
    from leadline.data.lists import Lists
    from leadline.io.datasets import COLLECTION
    from leadline.measures.precision import P
    from leadline.pooling.without import DrawnPool

    names = ("WebberLeaveOneOut", "WebberSystems", "Lipani(merge=replace)", "Regression")
    cases = (
        ("demo", COLLECTION, 10, (5, 10)),
        ("robust2004_pooled42", data_folder() / "robust2004_pooled42", 10, (5,)),
    )
    rows: list[Row] = []
    for name, folder, cutoff, depths in cases:
        collection = leadline.read(folder)
        runs, measure = collection.runs.only(collection.pooled), P(k=cutoff)
        truth = measure.score(Lists.of(runs, collection.judgments)).mean()
        groups = np.random.default_rng(0).permutation(len(runs.groups))[:6]
        for depth in depths:
            log(f"{name}, depth {depth}")
            errors: dict[str, list[Floats]] = {each: [] for each in ("none", *names)}
            for group in np.sort(groups):
                new = runs.group_number == group
                member = runs.only(~new).best_rank <= depth
                evidence = UnpooledRuns(
                    measure,
                    runs,
                    collection.judgments.only(member),
                    contributing=~new,
                    drawn=DrawnPool(Depth(depth), runs),
                )
                plain = measure.score(evidence.new_lists()).mean() - truth[new]
                errors["none"].append(np.abs(plain))
                for each in names:
                    amount = known.parse(each).amounts(evidence)
                    errors[each].append(np.abs(plain + amount))
            none = np.concatenate(errors["none"])
            row: Row = {"collection": name, "measure": str(measure), "depth": depth}
            row |= {"runs": len(none)}
            row |= {each: float(np.concatenate(errors[each]).mean()) for each in errors}
            by_group = [
                (mine - own).mean()
                for mine, own in zip(errors["Regression"], errors["none"], strict=True)
            ]
            row["Regression - none"], row["lower"], row["upper"] = interval(by_group)
            rows.append(row)
    return rows


def labelstext() -> list[Row]:
    """Labels where documents are judged, calibrated text gain where not, for ERR_IA."""
    from scipy.optimize import minimize
    from scipy.special import expit

    from leadline.io.datasets import COLLECTION
    from leadline.lab.papers.hui17_plan import (
        CONDENSED,
        ESTABLISHED,
        Hui17Setup,
        forget,
        hui17_setup,
        kendall,
        means,
        read_samples,
        sample,
    )
    from leadline.measures.text_diversity import top_documents

    def held_out_mu(on: Hui17Setup) -> float:
        """The mu by which each word of a text is likeliest, given the text's other words."""
        words = on.words
        length = np.add.reduceat(np.append(words.count, 0), words.start[:-1]).astype(np.float64)
        length = np.where(np.diff(words.start) > 0, length, 0.0)
        prior, count = words.background[words.word], words.count.astype(np.float64)
        of = np.repeat(np.arange(len(length)), np.diff(words.start))
        grid = 2.0 ** np.arange(0, 14)

        def likelihood(mu: float) -> float:
            seen = np.maximum(count - 1, 0) + mu * prior
            return float((count * (np.log(seen) - np.log(length[of] - 1 + mu))).sum())

        return float(max(grid, key=likelihood))

    def expected(on: Hui17Setup, kept: np.ndarray, mu: float, depth: int = 20) -> np.ndarray:
        """[runs]: mean ERR_IA with labels where kept, and a calibrated chance elsewhere."""
        grades, words, lists = on.grades, on.words, on.lists
        n_words, background = len(words.words), words.background
        assert lists.in_subtopics is not None
        assert lists.in_documents is not None
        # The text of every judged document that some run returns, relevant or not.
        learned = np.full(len(grades.topic), -1)
        named = lists.in_subtopics >= 0
        learned[lists.in_subtopics[named]] = lists.in_documents[named]
        topics, features, labels = [], [], []

        def model(counts: np.ndarray) -> np.ndarray:
            return (counts + mu * background) / (counts.sum() + mu)

        def row_counts(row: int) -> np.ndarray:
            counts = np.zeros(n_words)
            part = slice(words.start[row], words.start[row + 1])
            counts[words.word[part]] = words.count[part]
            return counts

        def closeness(query: np.ndarray, docs: np.ndarray) -> np.ndarray:
            """1 - KLD(q || d) / KLD(q || D) of rows of smoothed models."""
            some = query > 0
            q, b = query[some], background[some]
            whole = (q * np.log(q / b)).sum()
            return 1 - (q * np.log(q / docs[:, some])).sum(axis=1) / max(whole, 1e-9)

        for topic in range(len(grades.topics)):
            doc, listed = top_documents(lists, topic, depth)
            judged = np.flatnonzero((grades.topic == topic) & kept)
            subtopics = np.arange(grades.first[topic], grades.first[topic + 1])
            if not len(judged) or not len(subtopics):
                continue
            here = grades.topic == topic
            label = np.zeros((len(grades.topic), len(subtopics)), np.bool_)
            inside = here[grades.of_label] & (grades.grade >= 1)
            label[grades.of_label[inside], grades.subtopic[inside] - subtopics[0]] = True
            rows = np.unique(np.concatenate([doc[listed & (doc >= 0)], learned[judged]]))
            rows = rows[rows >= 0]
            table = np.stack([row_counts(int(row)) for row in rows])
            smooth = (table + mu * background) / (table.sum(axis=1, keepdims=True) + mu)
            place = {int(row): at for at, row in enumerate(rows)}
            mine = [j for j in judged if int(learned[j]) in place]
            at = np.array([place[int(learned[j])] for j in mine], np.int64)
            gain = np.full((len(rows), len(subtopics)), np.nan)
            for i in range(len(subtopics)):
                good = at[label[mine, i]] if len(mine) else at
                if not len(good):
                    continue
                counts = table[good].sum(axis=0)
                gain[:, i] = closeness(model(counts), smooth)
                held = gain[at, i].copy()
                for one in good:
                    if len(good) > 1:
                        left = model(counts - table[one])
                        held[at == one] = closeness(left, smooth[[one]])
                    else:
                        held[at == one] = np.nan
                known = ~np.isnan(held)
                features.append(held[known])
                labels.append(label[mine, i][known])
            topics.append((doc, listed, rows, place, mine, label, gain, subtopics))
        x, y = np.concatenate(features), np.concatenate(labels)
        base = float(y.mean()) if len(y) else 0.1
        sign = np.where(y, 1.0, -1.0)

        def loss(b: np.ndarray) -> float:
            """Log loss with a weak normal prior on the slope."""
            return float(np.logaddexp(0, -sign * (b[0] + b[1] * x)).sum() + b[1] ** 2 / 50)

        fit = minimize(loss, np.zeros(2)).x if y.any() and not y.all() else None
        total = np.zeros(len(lists.runs))
        for doc, listed, rows, place, mine, label, gain, subtopics in topics:
            chance = np.full(gain.shape, base)
            some = ~np.isnan(gain)
            if fit is not None:
                chance[some] = expit(fit[0] + fit[1] * gain[some])
            for j in mine:
                chance[place[int(learned[j])]] = label[j]
            padded = np.vstack([chance, np.zeros(len(subtopics))])
            where = np.full(int(doc.max(initial=0)) + 2, len(rows))
            where[rows[rows < len(where)]] = np.flatnonzero(rows < len(where))
            p = padded[np.where(listed & (doc >= 0), where[doc], len(rows))] / 2
            stay = np.cumprod(1 - p, axis=1) / (1 - p)
            err = (p * stay).mean(axis=2) / np.arange(1, depth + 1)
            total += err.sum(axis=1)
        return total / max(1, len(topics))

    rows: list[Row] = []
    for name, folder in (("demo", COLLECTION), ("ambient", data_folder() / "ambient")):
        on = hui17_setup(str(folder))
        mu = held_out_mu(on)
        complete = means(ESTABLISHED, on.lists)[1]
        for percent in (5, 15, 30):
            log(f"{name}, {percent}%, mu {mu:g}")
            kept = sample(on, percent, 5, np.random.default_rng(percent))
            short, _ = read_samples(str(folder), kept, (on.short,))
            taus: dict[str, list[float]] = {
                key: [] for key in ("raw", "condensed", "text", "labels and text")
            }
            for draw, docs in enumerate(kept):
                lists = on.judged_only(docs)
                taus["raw"].append(float(kendall(means(ESTABLISHED, lists)[1], complete)))
                taus["condensed"].append(float(kendall(means(CONDENSED, lists)[1], complete)))
                taus["text"].append(float(kendall(short[str(on.short)][draw], complete)))
                both = expected(on, docs, mu)
                taus["labels and text"].append(float(kendall(both, complete)))
            row: Row = {"collection": name, "percent judged": percent, "mu": mu}
            row |= {key: float(np.mean(each)) for key, each in taus.items()}
            best = np.maximum(taus["condensed"], taus["text"])
            more = np.array(taus["labels and text"]) - best
            row["last - better of two"], row["lower"], row["upper"] = interval(more)
            rows.append(row)
        forget()
    return rows


LU17_THETA = "TwoStage(theta=0.018)"
"""What the paper recommends for every collection."""

TRIALS = {
    "labelstext": Trial(
        "Labels where judged, text where not",
        """
hui17's experiment: p% of the judgments are kept, runs are ordered by ERR_IA@20, and Kendall's tau
with the complete measure is taken; 5 draws. `text`: DELTArb for short texts. `labels and text`: a
judged document has its label, any other a chance of being relevant to each subtopic, by logistic
regression on how close its language model is to that of the subtopic's judged relevant documents
(each judged document held out of its subtopic's model); ERR_IA takes chances for gains. mu is that
by which each word of a text is likeliest given its other words. The last three columns: tau minus
the better of `condensed` and `text` of the same draw, mean and Student's 95% interval. Made on the
demo; ambient is the only other collection with subtopics and text.
""",
        labelstext,
    ),
    "adjusters": Trial(
        "Correctors of runs outside a depth pool",
        """
Organisations (at most six, drawn at random) are left out of a depth pool in turn; mean absolute
error of their runs' P@k by all judgments. The last three columns: error of `Regression` minus that
of no correction, mean and Student's 95% interval over organisations.
""",
        adjusters,
    ),
    "commontopics": Trial(
        "Common topics on top of a better cheap score",
        """
webber09's experiment: runs are drawn as a pool to depth 10, new runs are corrected from 10 common
topics that are judged in full; RBP@10, p = .8, mean absolute error of the mean over all topics, 100
samples of topics in each draw, at most 11 new runs. The cheap score takes unjudged documents for
`irrelevant`, as `WebberTopics` does by default, takes them out (`condensed`), or has their gain
from `Regression` (fewer draws: the model is fitted in each). `corrected` adds a, the mean shortfall
on the common topics; `shrunk` adds a max(0, 1 - se^2 / a^2). The last three columns: error of
`shrunk` minus that of today's `WebberTopics` (irrelevant, corrected), mean and Student's 95%
interval over draws. The form was proposed from trec8_adhoc's manual runs; the others were looked at
once.
`Regression` was tried on robust2004_pooled42 alone. `chosen` takes condensed scores, shrunk, where
they have the smaller squared standard error on the common topics, on average over the new runs, and
today's correction elsewhere.
""",
        commontopics,
    ),
    "inclusion": Trial(
        "Inclusion probabilities in the correctors of pooling bias",
        """
Sampled and stratified pools, each organisation left out in turn, error of P@k by the pool of the
reference depth (lipani16's experiment; mean absolute error over the best three quarters of the
runs, three draws). `inclusion`: judged relevant documents weigh 1 / their inclusion probability.
`inclusion + bias`: the same, with the mean loss of the pooled runs when each is withdrawn, by
weighted scores too. The last three columns: ratio of the error of `inclusion + bias` to that of
`Lipani(merge=replace)`, mean and Student's 95% interval over the draws. No parameter was chosen.
""",
        inclusion,
    ),
    "newtopics": Trial(
        "What another sample of topics gives",
        """
A scale for tau distance and dist. The topics of a collection are cut in two halves at random, 20
times; runs are ordered by all judgments on either half. `actual` is the mean distance between the
two orderings, `expected` what `new_topics` says from the first half alone, `bootstrap` the distance
of two resamples of the first half's topics. The formula has no parameter. Of its variants, one that
shrinks differences towards 0 was nearer on trec8_adhoc (ratios .94 to 1.01) and further off on
robust2004_pooled42 (1.08 to 1.26); the other two collections were looked at once.
""",
        newtopics,
    ),
    "selftest": Trial(
        "Self-test of estimators",
        """
What `estimate --self-test` picks from a pool of some depth, of which it hides the deeper half, and
how far that errs by a deeper pool (100 on robust2004_pooled42, 10 on trec_dl21_half). RBP(p=0.95),
pooled runs, error as in Lu, Moffat and
Culpepper's Table 2. Nothing was chosen on any of them. "Without Regression" is the pick among the
paper's estimators and `Uniform`; "in hindsight" knows the deeper pool, its theta included.
""",
        selftest,
    ),
    "projected": Trial(
        "Method C by projected scores",
        """
`ProjectedC` weighs by the sixth power of the projected score, with a floor for contenders, where
`MoffatC` weighs by the cube of the midpoint. Power, prior and floor were chosen on trec8_adhoc.
RBP(p=0.8), all runs; documents without judgment count as non-relevant. The last three columns: the
ratio of ProjectedC to MoffatC on five sets of topics that have none in common, its mean and
Student's 95% interval. Below 1 is better for residuals and judgments, above 1 for documents. Empty:
not reached within 400 judgments a topic.
""",
        projected,
    ),
}


def main() -> None:
    """Answer the questions that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", nargs="+", choices=sorted(TRIALS))
    for name in parser.parse_args().question:
        TRIALS[name].write(name)


if __name__ == "__main__":
    main()
