"""Every sentence of report, compare and gate against brute force, on random small collections.

Each completion of the judgments is tried: every grade for every unjudged listed document. What a
page says of scores, certainty, significance and judging must hold for all of them, or for some,
as it says.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

import leadline
from leadline.api.compare import Comparison
from leadline.api.gate import GateResult
from leadline.io.problems import InputError
from leadline.stats.gate import GateRow
from leadline.views.gate import needed, sentences
from tests.reference.measures import ap, ndcg, precision, rbp

NOISE = 1e-9
SHOWN = 6e-5
"""Numbers on a page have four digits."""

MEASURES = {
    "P@2": lambda ranking, grades: precision(ranking, grades, 2),
    "P@3": lambda ranking, grades: precision(ranking, grades, 3),
    "RBP(p=0.6)": lambda ranking, grades: rbp(ranking, grades, 0.6),
    "nDCG@2": lambda ranking, grades: ndcg(ranking, grades, 2),
    "AP": ap,
    "RBP(p=0.8)": lambda ranking, grades: rbp(ranking, grades, 0.8),
}
WEIGHTED = ("P@2", "P@3", "RBP(p=0.6)")

DEPTHS = {"P@2": 2, "P@3": 3, "nDCG@2": 2}


@dataclass(frozen=True)
class Case:
    """A small collection; lists of documents by run and topic, binary grades by topic."""

    runs: dict[str, dict[str, list[str]]]
    qrels: dict[str, dict[str, int]]
    measures: list[str]

    @classmethod
    def of(cls, seed: int) -> "Case":
        random = np.random.default_rng(seed)
        topics = [f"t{number}" for number in range(random.integers(1, 5))]
        docs = [f"d{number}" for number in range(5)]
        share = random.choice([0.0, 0.4, 0.7, 0.9, 1.0])
        runs = {
            name: {
                topic: list(random.permutation(docs)[: random.integers(1, 4)]) for topic in topics
            }
            for name in ("a", "b", "c", "e", "f")[: random.integers(2, 6)]
        }
        if random.random() < 0.2:
            runs["b"] = runs["a"]
        qrels = {
            # A topic without any judgment is none: one document that no run returns is judged.
            topic: {"outside": int(random.random() < 0.3)}
            | {doc: int(random.random() < 0.5) for doc in docs if random.random() < share}
            for topic in topics
        }
        names = list(random.permutation(list(MEASURES)[:-1])[: random.integers(1, 4)])
        return cls(runs, qrels, [str(name) for name in names])

    @cached_property
    def read(self) -> leadline.io.collection.Collection:
        scored = {
            name: {
                topic: {d: float(-at) for at, d in enumerate(ranking)}
                for topic, ranking in lists.items()
            }
            for name, lists in self.runs.items()
        }
        return leadline.read(self.qrels, scored)

    @property
    def names(self) -> list[str]:
        return list(self.runs)

    @property
    def topics(self) -> list[str]:
        return list(self.qrels)

    @cached_property
    def unjudged(self) -> dict[str, list[str]]:
        """By topic, documents that some run returns and nobody judged."""
        return {
            topic: sorted(
                {d for lists in self.runs.values() for d in lists[topic]} - self.qrels[topic].keys()
            )
            for topic in self.topics
        }

    def completed(self, measure: str) -> list[np.ndarray]:
        """By topic scores [completions of the topic, runs]; the first row is as judged."""
        score = MEASURES[measure]
        tables = []
        for topic in self.topics:
            open_ = self.unjudged[topic]
            rows = [[score(self.runs[name][topic], self.qrels[topic]) for name in self.names]]
            for grades in product((0, 1), repeat=len(open_)):
                known = self.qrels[topic] | dict(zip(open_, grades, strict=True))
                rows.append([score(self.runs[name][topic], known) for name in self.names])
            tables.append(np.array(rows))
        return tables

    def as_judged(self, measure: str) -> np.ndarray:
        """Mean of each run, unjudged documents non-relevant, over topics that have a score."""
        table = np.array([topic[0] for topic in self.completed(measure)])
        defined = ~np.isnan(table)
        n = defined.sum(axis=0)
        return np.where(n > 0, np.where(defined, table, 0).sum(axis=0) / np.maximum(n, 1), np.nan)

    def means(self, measure: str) -> np.ndarray | None:
        """Means [completions of all topics, runs]; None where they are too many to list."""
        tables = [topic[1:] for topic in self.completed(measure)]
        if np.prod([len(table) for table in tables]) > 20_000:
            return None
        sums = np.zeros((1, len(self.names)))
        counts = np.zeros((1, len(self.names)))
        for table in tables:
            defined = ~np.isnan(table)
            sums = (sums[:, None] + np.where(defined, table, 0.0)).reshape(-1, len(self.names))
            counts = (counts[:, None] + defined).reshape(-1, len(self.names))
        with np.errstate(invalid="ignore"):
            means: np.ndarray = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return means

    def p_corrected(
        self, measure: str, pairs: list[tuple[str, str]]
    ) -> dict[tuple[str, str], float]:
        """t-test of each pair, Holm's correction, as scipy has it."""
        table = np.array([topic[0] for topic in self.completed(measure)])
        ps = {}
        for one, other in pairs:
            x, y = table[:, self.names.index(one)], table[:, self.names.index(other)]
            both = ~np.isnan(x) & ~np.isnan(y)
            d = (x - y)[both]
            if len(d) < 2 or np.abs(d).max(initial=0.0) < NOISE:
                ps[one, other] = np.nan
            elif d.std() < NOISE:
                ps[one, other] = 0.0
            else:
                ps[one, other] = float(ttest_rel(x[both], y[both]).pvalue)
        known = sorted((p, pair) for pair, p in ps.items() if not np.isnan(p))
        raised, least = dict(ps), 0.0
        for at, (p, pair) in enumerate(known):
            least = max(least, min(1.0, p * (len(known) - at)))
            raised[pair] = least
        return raised


def answers(page: str) -> dict[int, dict[str, tuple[str, str]]]:
    """The first screen, by number of the measure (-1: all): question -> (answer, sentences)."""
    first = page[page.index('<div class="summary">') : page.index('<section id="leaderboard"')]
    found: dict[int, dict[str, tuple[str, str]]] = {}
    at = -1
    pattern = (
        r'data-measure="(\d+)"|<p class="question">(.*?)</p>'
        r'<p class="told[^"]*">(.*?)</p><p>(.*?)</p>'
        r"|(</div></div></div>)"
    )
    for match in re.finditer(pattern, first):
        if match[1] is not None:
            at = int(match[1])
        elif match[5] is not None:
            at = -1
        else:
            answer = unescape(re.sub(r"<.*?>", "", match[3]))
            where = -1 if "judge next" in match[2] else at
            found.setdefault(where, {})[unescape(match[2])] = (answer, unescape(match[4]))
    return found


def check_report(case: Case) -> None:
    report = leadline.report(case.read, measures=case.measures)
    said = answers(report.page)
    for at, measure in enumerate(case.measures):
        check_first_screen(case, measure, said[at])
    check_next(case, *said[-1]["What to judge next?"])
    check_significance(case, report.page)


def check_first_screen(case: Case, measure: str, said: dict[str, tuple[str, str]]) -> None:
    base = case.as_judged(measure)
    best, score = said["Who is best?"]
    if np.isnan(base).all():
        assert best == "not known"
        return
    equal = [
        name for name, mean in zip(case.names, base, strict=True) if mean >= np.nanmax(base) - NOISE
    ]
    leader = min(equal)
    assert best == (
        leader
        if len(equal) == 1
        else f"{leader} and {len(equal) - 1} equal" + "s" * (len(equal) > 2)
    )
    assert f"It has the highest {measure}, {np.nanmax(base):.4f}" in score
    means, place = case.means(measure), case.names.index(leader)
    if means is None:
        return
    own = means[:, place]
    if "no unjudged document can change that" in score:
        assert np.ptp(own[~np.isnan(own)]) < NOISE
    elif "between" in score:
        low, high = map(float, re.findall(r"between ([\d.]+) and ([\d.]+)\.", score)[0])
        assert low - SHOWN <= np.nanmin(own)
        assert np.nanmax(own) <= high + SHOWN
        if measure in ("P@2", "P@3"):
            assert (np.nanmin(own), np.nanmax(own)) == pytest.approx((low, high), abs=SHOWN)
    above = {
        name
        for other, name in enumerate(case.names)
        if np.nanmax(means[:, other] - own, initial=0.0) > NOISE
    }
    if "How certain is that?" in said:
        sure, why = said["How certain is that?"]
        if sure == "certain":
            assert not above, (measure, why)
        named = re.search(r"(?:put|puts) (.*?) above it", why) if sure != "certain" else None
        if named and measure in WEIGHTED:
            assert "Judging could still put" in why
            check_names(named[1], above, len(case.names) - 1)
        assert bool(named) == (sure != "certain")
        assert ("Every listed document was judged" in why) <= (not any(case.unjudged.values()))
    if "Statistically significant?" in said:
        pairs = [(a, b) for at, a in enumerate(case.names) for b in case.names[at + 1 :]]
        p = case.p_corrected(measure, pairs)
        against = {
            (b if a == leader else a): value for (a, b), value in p.items() if leader in (a, b)
        }
        level = {name for name, value in against.items() if not value < 0.05}
        word, why = said["Statistically significant?"]
        if all(np.isnan(value) for value in p.values()):
            assert word == "not known"
        elif not level:
            assert word == "yes"
        else:
            n = len(case.names) - 1
            assert word == ("no" if len(level) == n else f"not against {len(level)} of {n}")
            named = re.search(r"significantly better than (.*?) \(", why)
            assert named
            check_names(named[1], level, n)


def check_names(text: str, expected: set[str], n_others: int) -> None:
    counted = re.fullmatch(r"(\d+) of the (\d+) other runs", text)
    if counted:
        assert (int(counted[1]), int(counted[2])) == (len(expected), n_others)
    else:
        assert set(re.split(r", | or ", text)) == expected


def check_next(case: Case, answer: str, why: str) -> None:
    left = sum(map(len, case.unjudged.values()))
    if answer == "nothing":
        if "Every document that a run returns was judged" in why:
            assert left == 0
        else:
            assert f"{left} returned document" in why
        return
    topic = re.match(r"For topic (\S+?)[: ]", why)
    assert topic
    assert answer in case.unjudged[topic[1]]
    measure = re.search(r"(?:best by|bounds of) ((?:RBP|P|nDCG)\S*)", why)
    assert measure
    name = measure[1].rstrip(".;")
    means = case.means(name)
    if means is None or name.startswith("nDCG"):
        return
    base = case.as_judged(name)
    leader = min(range(len(base)), key=lambda run: (-round(base[run], 9), case.names[run]))
    changes = (means - means[:, [leader]]).max() > NOISE
    assert changes == ("tells most about which run is best" in why), (name, why)


def check_significance(case: Case, page: str) -> None:
    text = unescape(re.sub(r"<.*?>", " ", page[page.index('<section id="significance"') :]))
    shares = re.findall(r"(\d+)% of (\d+) pairs? differ significantly", text)
    signs = re.findall(r"on these topics: (\d+) certain, (\d+) likely, (\d+) open", text)
    n = len(case.names) * (len(case.names) - 1) // 2
    for measure, (share, of), counts in zip(case.measures, shares, signs, strict=True):
        assert int(of) == n
        pairs = [(a, b) for at, a in enumerate(case.names) for b in case.names[at + 1 :]]
        significant = sum(p < 0.05 for p in case.p_corrected(measure, pairs).values())
        assert abs(int(share) - 100 * significant / n) <= 0.5 + NOISE
        assert sum(map(int, counts)) == n
        means = case.means(measure)
        if means is not None and measure in WEIGHTED:
            settled = [constant_sign(means, case, a, b) is not None for a, b in pairs]
            assert int(counts[0]) == sum(settled)


def constant_sign(means: np.ndarray, case: Case, a: str, b: str) -> int | None:
    """The sign of a's mean minus b's, if it is the same in every completion."""
    difference = means[:, case.names.index(a)] - means[:, case.names.index(b)]
    difference = difference[~np.isnan(difference)]
    signs = {int(np.sign(np.where(np.abs(d) < NOISE, 0, d))) for d in difference}
    return signs.pop() if len(signs) == 1 else None


WORDS = {1: "better", -1: "worse", 0: "equal"}


def check_compare(case: Case, baseline: str | None) -> None:
    result: Comparison = leadline.compare(case.read, measures=case.measures, baseline=baseline)
    for row in result.frame.iter_rows(named=True):
        check_compared(case, row)
    for measure in case.measures:
        rows = result.frame.filter(measure=measure)
        pairs = list(rows.select("run_a", "run_b").iter_rows())
        p = case.p_corrected(measure, pairs)
        for row in rows.iter_rows(named=True):
            own = p[row["run_a"], row["run_b"]]
            assert (row["p_corrected"] is None) == bool(np.isnan(own))
            if row["p_corrected"] is not None:
                assert row["p_corrected"] == pytest.approx(own, abs=1e-6)
            assert (row["verdict"] in ("better", "worse")) == bool(own < 0.05)
        check_tiers(case, result, measure, p)


def check_compared(case: Case, row: dict[str, Any]) -> None:
    means = case.means(row["measure"])
    certainty, here, caveats = row["certainty"], row["on_these_topics"], row["caveats"]
    assert (certainty == "open") == (here == "undecided")
    assert ("sign could flip" in caveats) <= (certainty != "certain")
    assert ("few topics" in caveats) == (len(case.topics) < 25)
    if row["measure"] in DEPTHS:
        shares = [unjudged_share(case, row["measure"], row[run]) for run in ("run_a", "run_b")]
        third = max(shares) > 1 / 3 + NOISE
        assert ("more than a third unjudged" in caveats) == third, (row, shares)
    if row["verdict"] == "equal":
        assert here == "equal"
    if means is None:
        return
    difference = means[:, case.names.index(row["run_a"])] - means[:, case.names.index(row["run_b"])]
    difference = difference[~np.isnan(difference)]
    if row["lower"] is not None and len(difference):
        assert row["lower"] <= difference.min() + NOISE
        assert difference.max() <= row["upper"] + NOISE
        if row["measure"] in WEIGHTED:
            ends = (difference.min(), difference.max())
            assert (row["lower"], row["upper"]) == pytest.approx(ends, abs=1e-9)
    sign = constant_sign(means, case, row["run_a"], row["run_b"])
    if certainty == "certain" and len(difference):
        assert sign is not None
        assert here == WORDS[sign]
    if row["measure"] in WEIGHTED:
        assert (certainty == "certain") == (sign is not None)


def unjudged_share(case: Case, measure: str, run: str) -> float:
    """The share of the listed documents down to a measure's depth that is not judged."""
    depth = DEPTHS[measure]
    lists = {topic: ranking[:depth] for topic, ranking in case.runs[run].items()}
    known = sum(doc in case.qrels[topic] for topic, docs in lists.items() for doc in docs)
    return 1 - known / sum(map(len, lists.values()))


def check_tiers(
    case: Case, result: Comparison, measure: str, p: dict[tuple[str, str], float]
) -> None:
    """Runs of a tier by significance were all tested, and none differs significantly."""
    tiers = result.tiers.frame.filter(measure=measure)
    of = dict(tiers.select("run", "tier_significance").iter_rows())
    n = len(case.names)
    if len(p) < n * (n - 1) // 2:
        assert set(of.values()) == {None}
        return
    for (a, b), value in p.items():
        assert not (of[a] == of[b] and value < 0.05)


def unknown(case: Case, run: str) -> bool:
    """Whether no document of a run is judged, or returned by another one."""
    others = [lists for name, lists in case.runs.items() if name != run]
    return not any(
        doc in case.qrels[topic] or any(doc in lists[topic] for lists in others)
        for topic, ranking in case.runs[run].items()
        for doc in ranking
    )


def check_gate(case: Case, random: np.random.Generator) -> None:
    baseline, new = map(str, random.choice(case.names, 2))
    margin = float(random.choice([0.0, 0.01, 0.2]))
    asked = bool(random.random() < 0.3)
    how: dict[str, Any] = {"baseline": baseline, "new": new, "margin": margin, "equivalence": asked}
    if any(unknown(case, name) for name in (baseline, new)):
        with pytest.raises(InputError, match="none of its"):
            leadline.gate(case.read, measures=case.measures, **how)
        return
    result: GateResult = leadline.gate(case.read, measures=case.measures, **how)
    said = sentences(result.outcome)
    assert said[0].startswith(result.verdict.replace("_", " "))
    claims = {
        "not_worse": f"{new} is not worse than {baseline} by more than {margin:g}",
        "worse": f"{new} is worse than {baseline} by more than {margin:g}",
        "equivalent": f"{new} and {baseline} differ by at most {margin:g}",
        "different": f"{new} and {baseline} differ by more than {margin:g}",
        "undecided": "it is open whether",
    }
    assert claims[result.verdict] in said[0]
    for row, line in zip(result.rows, said[1:], strict=False):
        assert line.startswith(f"{row.measure}: on these topics ")
        same = case.runs[baseline] == case.runs[new]
        if same:
            assert row.verdict == ("equivalent" if asked else "not_worse")
        decided = row.verdict != "undecided"
        if row.combined_lower is not None and len(case.measures) == 1 and not same:
            low, high = row.combined_lower, row.combined_upper
            assert high is not None
            above, below = low > -margin, high < margin
            held = (
                (above and below) or high < -margin or low > margin
                if asked
                else above or high < -margin
            )
            assert decided == held
        if row.verdict == "undecided":
            assert row.judgments_needed != 0
            check_needed(case, result, row, how)
        assert (row.certainty == "open") == (row.on_these_topics == "undecided")
        means = case.means(row.measure)
        if means is None or row.lower is None or row.upper is None:
            continue
        d = means[:, case.names.index(new)] - means[:, case.names.index(baseline)]
        d = d[~np.isnan(d)]
        if not len(d):
            continue
        assert row.lower <= d.min() + NOISE
        assert d.max() <= row.upper + NOISE
        if row.certainty == "certain":
            low, high = d.min(), d.max()
            truth = {
                "not_worse": low >= -margin - NOISE,
                "worse": high < -margin + NOISE,
                "equivalent": low >= -margin - NOISE and high <= margin + NOISE,
                "different": high < -margin + NOISE or low > margin - NOISE,
            }
            assert truth[row.on_these_topics], (row, low, high)
        assert ("few topics" in row.caveats) == (row.topics < 25)


def check_needed(case: Case, result: GateResult, row: GateRow, how: dict[str, Any]) -> None:
    """Judge what is not judged as the sentence assumes, and see whether that decides."""
    said = needed(row)
    if not row.topics:
        assert said.startswith("no topic has a score")
        assert np.isnan(case.as_judged(row.measure)).all()
        return
    open_ = row.lower != row.upper
    assert ("if no unjudged document is relevant" in said) == (open_ and row.expected is None)
    assert ("if unjudged documents are as expected" in said) == (open_ and row.expected is not None)
    if row.expected is not None or len(case.measures) > 1 or row.lower is None:
        return
    grades = {
        topic: dict.fromkeys(case.unjudged[topic], 0) | case.qrels[topic] for topic in case.topics
    }
    judged = Case(case.runs, grades, case.measures).read
    after = leadline.gate(judged, measures=case.measures, estimator="none", **how)
    decides = "judgments would decide" in said
    assert decides or "more judgments alone would not decide" in said
    assert decides == (after.verdict != "undecided"), (said, after.rows)


def check_all(seed: int) -> None:
    case = Case.of(seed)
    random = np.random.default_rng([seed, 1])
    check_report(case)
    check_compare(case, None)
    check_compare(case, str(random.choice(case.names)))
    check_gate(case, random)


@pytest.mark.parametrize("seed", range(12))
def test_no_sentence_contradicts_brute_force(seed: int) -> None:
    check_all(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 340))
def test_no_sentence_contradicts_brute_force_on_many_more(seed: int) -> None:
    check_all(seed)
