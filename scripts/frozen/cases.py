"""Command lines whose output must not change unless somebody means it to.

A case is a name, `COLLECTION/VERB/WHAT`, and the words after `leadline`. In the words
{c} is the collection, {s} its shallow twin, {w} the whole of it, {a} what lies aside (inputs.py),
{new} and {base} two of its runs, {o} the folder for what the command writes, and {m} the folder of
what earlier cases wrote: `{m}/pool/depth.csv` is the output of the case `pool/depth`.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch

from scripts.frozen.faulty import FAULTY


@dataclass(frozen=True)
class Case:
    """One command line."""

    name: str
    words: tuple[str, ...]
    slow: bool = False

    @property
    def needs(self) -> frozenset[str]:
        """Names of the cases whose output it reads."""
        return frozenset(re.findall(r"^made/(.*)\.csv$", "\n".join(self.words), re.MULTILINE))

    @property
    def folder(self) -> str:
        """The folder that it may write to."""
        return f"written/{self.name}"

    @property
    def suffix(self) -> str:
        """What its standard output is."""
        form = re.search(r"--format (\w+)", " ".join(self.words))
        if form is None:
            return ".txt" if self.words[0] in ("demo", "reproduce", "report") else ".csv"
        return {"json": ".json", "csv": ".csv"}.get(form[1], ".txt")


@dataclass(frozen=True)
class Names:
    """What a collection's cases call by name."""

    new: str
    baseline: str
    topic: str


NAMES = {
    "demo": Names("corran-lsa100-desc", "anstey-bm25", "4"),
    "trec8_adhoc": Names("Mer8Adtnd3", "ok8amxc", "401"),
    "robust2004_pooled42": Names("col09", "col03", "651"),
    "trec_covid_round1": Names("CSIROmed_RF", "BITEM_df", "1"),
    "ambient": Names("mmr_engine_5", "engine_orig", "1"),
    "trec_dl21_half": Names("p_bm25", "NLE_P_V1andV2", "168329"),
}


def _several(option: str, names: str) -> str:
    return " ".join(f"{option} {shlex.quote(name)}" for name in names.split("; "))


BINARY = _several(
    "-m",
    "AP; AP@20; P@5; P@10; P(rel=2)@10; Recall@10; Recall; Rprec; RR; RR@5; Success@5; SetP; "
    "bpref; Judged@10; Judged; NumRel; NumRet; NumRelRet; NumRelRet@10",
)
GRADED = _several(
    "-m",
    "nDCG; nDCG@10; nDCG(gains=exp2)@10; DCG@10; SDCG@100; ERR@20; ERR; RBP(p=0.8); "
    "RBP(p=0.95)@50; RBP(p=0.8, norm=true)@10; RBP(p=0.8, gains=exp2_scaled)",
)
CONDENSED = _several(
    "-m",
    "AP(judged_only=true); nDCG(judged_only=true)@10; P(judged_only=true)@10; "
    "RBP(p=0.8, judged_only=true)",
)
SAMPLED = _several(
    "-m",
    "infAP; xinfAP; xinfAP@100; infNDCG; infNDCG@10; statAP; HorvitzThompson(of=P@10); "
    "HorvitzThompson(of=NumRel); "
    "HorvitzThompson(of='RBP(p=0.8)')",
)
DIVERSITY = _several(
    "-m",
    "alpha_nDCG@20; alpha_DCG@10; ERR_IA@20; nERR_IA@20; NRBP; nNRBP; AP_IA; P_IA@10; StRec@10",
)
TEXT = _several("-m", "ABSnb@20; ABSrb@20; DELTAnb@20; DELTArb@20")
ESTIMATORS = _several(
    "-e",
    "LowerBound; UpperBound; Midpoint; ListMean; Linear; Zipf; Weibull; Uniform; "
    "TwoStage(fit=scores); TwoStage; TwoStage(group_by=runs)",
)
ADJUSTED = _several(
    "-e", "Linear(theta=0.018); TwoStage(fit=scores, theta=0.018); TwoStage(theta=0.018)"
)
REGRESSIONS = _several("-e", "Regression; Regression(evidence=runs, run_effects=false)")

EVALUATE = {
    "evaluate/binary": f"evaluate {{c}} {BINARY} --per-topic",
    "evaluate/graded": f"evaluate {{c}} {GRADED} --per-topic",
    "evaluate/shallow": f"evaluate {{s}} {BINARY} {GRADED}",
    "evaluate/sampled": f"evaluate {{c}} {SAMPLED} --per-topic --pool {{m}}/pool/sampled.csv",
    "evaluate/strata": f"evaluate {{c}} {SAMPLED} --pool {{m}}/pool/stratified.csv",
}
CHEAP = {
    "pool/depth": "pool {c} --all-runs --strategy 'Depth(d=5)'",
    "pool/sampled": "pool {c} --all-runs --undrawn --strategy 'UniformSample(d=50, rate=0.3)'",
    "pool/stratified": "pool {c} --all-runs --undrawn --seed 7 "
    "--strategy 'Stratified(strata=[(10,1),(40,0.3)])'",
    "next/difference": "next {c} --simulate {q} --budget 200",
    "next/until-certain": "next {c} --simulate {q} --order 'MoffatC(p=0.8, batch=10)' "
    "--stop 'MaxResidual(x=0.3)' --budget 1500",
    "next/plan": "next {s} --use-judgments --order 'MoffatB(p=0.8)' --budget 50 --leaderboard",
    "estimate/all": f"estimate {{c}} -m 'RBP(p=0.8)' -m P@10 {ESTIMATORS} --pool-depth 5",
    "estimate/regression": f"estimate {{s}} -m 'RBP(p=0.95)' -m P@10 {REGRESSIONS} --per-topic",
    "estimate/sampled": "estimate {c} -m 'RBP(p=0.8)' -e InfRBP -e ListMean --per-topic "
    "--pool {m}/pool/sampled.csv",
    "adjust/predicted": "adjust {s} --new {new} -m 'RBP(p=0.8)'",
    "adjust/differences": "adjust {s} --new {new} --new {base} -m P@10 --pool-depth 5 "
    "--differences",
    "adjust/systems": "adjust {s} --new {new} -m 'RBP(p=0.8)' --method WebberSystems "
    "--pool-depth 5",
    "compare/default": "compare {s} -m AP -m 'RBP(p=0.8)'",
    "compare/certain": "compare {c} -m nDCG@10 --test t --unjudged-as upper --tails 1 "
    "--correction bh",
    "correlate/shallow": "correlate {m}/evaluate/graded.csv {m}/evaluate/shallow.csv -m nDCG@10",
    "report/shallow": "report {s} -m 'RBP(p=0.8)' -m AP -o {o}/report.html",
}
EVERYTHING = {
    "evaluate/default": "evaluate {c}",
    "evaluate/pool": f"evaluate {{c}} {GRADED} --per-topic --pool {{m}}/pool/depth.csv",
    "evaluate/condensed": f"evaluate {{s}} {CONDENSED} --per-topic",
    "evaluate/two-strata": f"evaluate {{c}} {SAMPLED} --pool {{m}}/pool/two-strata.csv",
    "evaluate/aliases": "evaluate {c} -m map -m ndcg_cut_10 -m P_10 -m recip_rank -m R@100",
    "evaluate/file-order": "evaluate {c} -m AP -m 'RBP(p=0.8)' --ties file-order",
    "evaluate/float64": "evaluate {c} -m AP -m 'RBP(p=0.8)' --ties float64",
    "evaluate/topics": "evaluate {s} -m AP -m 'RBP(p=0.8)' --topics {a}/topics.txt --per-topic",
    "evaluate/missing-topics": "evaluate {c} -m AP -m P@10 --missing-topics skip",
    "evaluate/unjudged-topics": "evaluate {a}/reference.txt {c}/runs/ -m AP -m P@10 --per-topic "
    "--unjudged-topics include",
    "evaluate/map-grade": "evaluate {c} -m P@10 -m ERR@20 --map-grade 2=0",
    "evaluate/files": "evaluate {q} {c}/runs/{base}.gz {c}/runs/{new}.gz -m AP",
    "evaluate/glob": "evaluate {q} {c}/runs/*-*m*.gz -m AP",
    "evaluate/json": "evaluate {s} -m AP --format json",
    "evaluate/table": "evaluate {s} -m AP -m 'RBP(p=0.8)' --format table",
    "evaluate/diversity": f"evaluate {{c}} {DIVERSITY} --per-topic",
    "evaluate/intents": f"evaluate {{c}} {DIVERSITY} --intents {{a}}/intents.txt",
    "evaluate/text": f"evaluate {{c}} {TEXT} --per-topic",
    "explain/text": "explain {c} --run {new} --topic {topic}",
    "explain/absolute": "explain {c} --run {base} --topic {topic} -m ABSrb@10 --words 3",
    "lint/sound": "lint {c}/qrels.txt.gz {c}/qrels.ndeval.txt.gz {c}/runs/*.gz",
    "list/all": "list",
    "list/measures": "list measures",
    "list/table": "list pools --format table",
    "pool/default": "pool {c} --all-runs",
    "pool/unjudged": "pool none {c}/runs/ --strategy 'Depth(d=10)'",
    "pool/sampled-7": "pool {c} --all-runs --strategy 'UniformSample(d=50, rate=0.3)' --seed 7",
    "pool/fixed": "pool {c} --all-runs "
    "--strategy 'Stratified(strata=[(5,1),(20,0.5)], size=fixed)'",
    "pool/two-strata": "pool {c} --all-runs --undrawn "
    "--strategy 'TwoStrata(d=5, deep=50, rate=0.2)' --seed 1",
    "next/pooling": "next {c} --simulate {q} --order 'DepthFirst(p=0.8)' --budget 100",
    "next/method-a": "next {c} --simulate {q} --order 'MoffatA(p=0.8)' --budget 100",
    "next/method-b": "next {c} --simulate {q} --order 'MoffatB(p=0.8, scope=topic)' --budget 100",
    "next/method-c": "next {c} --simulate {q} --order 'MoffatC(p=0.95)' --budget 100",
    "next/move-to-front": "next {c} --simulate {q} --order MoveToFront --budget 100",
    "next/max-mean": "next {c} --simulate {q} --order 'MaxMean(rate=1)' --budget 100",
    "next/random": "next {c} --simulate {q} --order 'Random(seed=3)' --budget 100",
    "next/best-certain": "next {c} --simulate {q}",
    "next/best-apart": "next {c} --simulate {q} --stop 'WinnerCertain(joint=false)'",
    "next/top-certain": "next {c} --simulate {q} --stop 'TopKCertain(k=3)' --budget 1000",
    "next/significant": "next {c} --simulate {q} --stop 'LeaderSignificant(alpha=0.05)'",
    "next/judged": "next {s} --use-judgments --simulate {q} --stop 'Budget(n=40)'",
    "next/bypass": "next {c} --simulate {a}/reference.txt --unanswered bypass --budget 60 "
    "--qrels-out {o}/qrels.txt",
    "next/sampled-batches": "next {c} --simulate {q} "
    "--order \"SampledBatches(aim='{new},{base}')\" --stop NonInferior "
    "--certificate {o}/certificate.json",
    "next/unjudged": "next none {c}/runs/ --budget 30",
    "estimate/default": "estimate {s}",
    "estimate/deep": f"estimate {{c}} -m 'RBP(p=0.95)' -m SDCG@100 {ESTIMATORS} --pool-depth 10",
    "estimate/theta": f"estimate {{c}} -m 'RBP(p=0.95)' {ADJUSTED} --pool-depth 5 --per-topic",
    "estimate/text": "estimate {s} -m P@10 -e 'Regression(text=true)'",
    "estimate/explain": "estimate {s} -m P@10 -e Regression --explain {topic}",
    "estimate/coverage": "estimate {s} -m 'RBP(p=0.95)' --coverage 0.018",
    "adjust/webber": "adjust {s} --new {new} --new {base} -m P@10 --method WebberLeaveOneOut "
    "--pool-depth 5",
    "adjust/replace": "adjust {s} --new {new} -m P@10 --method 'Lipani(merge=replace)' "
    "--pool-depth 5",
    "adjust/average": "adjust {s} --new {new} -m P@10 --method 'Lipani(merge=average)' "
    "--pool-depth 5",
    "adjust/reference": "adjust {s} --reference {q} --common {a}/common.txt -m P@10",
    "adjust/common": "adjust {s} --new {new} --common {a}/common.txt -m nDCG@10 --method "
    "WebberTopics",
    "compare/t": "compare {s} -m P@10 --test t --unjudged-as projected --details",
    "compare/both": "compare {s} -m 'RBP(p=0.8)' --test t --unjudged-as both-projected",
    "compare/sign": "compare {c} -m 'RBP(p=0.8)' --test sign --correction none --tails 1",
    "compare/randomisation": "compare {c} -m AP --test 'randomisation(n=2000)' --seed 3",
    "compare/bootstrap": "compare {c} -m AP --test 'bootstrap(n=2000)' --baseline {base}",
    "compare/tukey": "compare {c} -m P@10 --test 'tukey(n=2000)' --correction none",
    "compare/decimals": "compare {c} -m P@10 --test 'wilcoxon(decimals=none)'",
    "compare/pool": "compare {c} -m 'RBP(p=0.8)' --pool {m}/pool/depth.csv --topics {a}/topics.txt",
    "compare/tiers": "compare {c} -m P@10 --tiers",
    "compare/latex": "compare {c} -m P@10 -m AP --baseline {base} --format latex",
    "compare/markdown": "compare {c} -m P@10 -m AP --format markdown",
    "correlate/estimates": "correlate {m}/estimate/all.csv {m}/estimate/all.csv "
    "-m 'RBP(p=0.8)' -e LowerBound -e TwoStage --p 0.8 --k 5",
    "correlate/measures": "correlate {m}/evaluate/binary.csv {m}/evaluate/graded.csv "
    "-m AP -m nDCG@10",
    "report/default": "report {c} -o {o}/report.html",
    "report/pool": "report {c} -m P@10 -m nDCG@10 --pool {m}/pool/depth.csv --test t "
    "--correction bh "
    "--title Shallow -o {o}/report.html",
    "report/estimates": "report {c} -m 'RBP(p=0.8)' --estimates {m}/estimate/all.csv "
    "--topics {a}/topics.txt -o {o}/report.html",
    "demo/all": "demo -o {o}",
}
REPRODUCE = {
    f"reproduce/{paper}": f"reproduce {paper} {{c}} -o {{o}} --quick"
    for paper in ("moffat07", "webber09", "lipani16", "lu17", "hui17")
}
"""Half a minute each, or less."""

BY_COLLECTION: dict[str, dict[str, str]] = {
    "demo": EVALUATE | CHEAP | EVERYTHING | FAULTY | REPRODUCE,
    "trec8_adhoc": EVALUATE
    | CHEAP
    | {
        "evaluate/whole": f"evaluate {{w}} {BINARY} {GRADED}",
        "pool/whole": "pool {w} --all-runs --strategy 'Depth(d=100)'",
        "compare/whole": "compare {w} -m 'RBP(p=0.8)' --baseline {base}",
        "estimate/whole": "estimate {w} -m 'RBP(p=0.95)' -e LowerBound -e ListMean -e Zipf "
        "--pool-depth 20",
        "adjust/unpooled": "adjust {c} --new {new} -m P@10 --method Regression",
        "reproduce/webber09": REPRODUCE["reproduce/webber09"],
    },
    "robust2004_pooled42": EVALUATE
    | CHEAP
    | {
        "evaluate/whole": f"evaluate {{w}} {GRADED}",
        "reproduce/lipani16": REPRODUCE["reproduce/lipani16"],
        "reproduce/lu17": REPRODUCE["reproduce/lu17"],
    },
    "trec_covid_round1": EVALUATE
    | CHEAP
    | {
        "evaluate/whole": f"evaluate {{w}} {GRADED} --per-topic",
        "evaluate/condensed": EVERYTHING["evaluate/condensed"],
        "adjust/unpooled": "adjust {c} --new {new} -m P@10",
        "adjust/replace": EVERYTHING["adjust/replace"],
        "report/whole": "report {w} -m P@5 -m nDCG@10 -o {o}/report.html",
    },
    "ambient": {
        "evaluate/diversity": f"evaluate {{w}} {DIVERSITY} --per-topic",
        "evaluate/intents": EVERYTHING["evaluate/intents"],
        "evaluate/text": f"evaluate {{c}} {TEXT}",
        "explain/text": EVERYTHING["explain/text"],
        "compare/diversity": "compare {c} -m alpha_nDCG@20 -m ERR_IA@20",
        "report/ndeval": "report {c} -m AP -m P@10 -o {o}/report.html",
        "reproduce/hui17": REPRODUCE["reproduce/hui17"],
    },
    "trec_dl21_half": EVALUATE
    | CHEAP
    | {
        "estimate/text": EVERYTHING["estimate/text"],
        "adjust/cheap": "adjust {c}/judges/umbrela-gpt4.qrels.gz {c}/runs/ --reference {q} "
        "--common {a}/common.txt -m nDCG@10",
        "reproduce/moffat07": REPRODUCE["reproduce/moffat07"],
        "evaluate/cheap": "evaluate {c}/judges/binary-llama3.2.qrels.gz {c}/runs/ -m AP -m P@10",
    },
}
SLOW = ("reproduce/*", "demo/*", "estimate/all", "estimate/deep", "*/estimates")
"""Not in the short form of the test; nor what reads their output."""


def cases(collections: list[str], only: str = "*") -> Iterator[Case]:
    """All cases of these collections whose name fits, and before each those that it needs."""
    everything = {case.name: case for name in collections for case in _cases(name)}
    wanted: dict[str, None] = {}
    for case in everything.values():
        if fnmatch(case.name, only):
            wanted |= dict.fromkeys(_with_needs(case, everything))
    return (everything[name] for name in wanted)


def _with_needs(case: Case, everything: dict[str, Case]) -> Iterator[str]:
    for need in sorted(case.needs):
        yield from _with_needs(everything[need], everything)
    yield case.name


def _cases(collection: str) -> Iterator[Case]:
    names = NAMES[collection]
    qrels = "qrels.ndeval.txt" if collection == "ambient" else "qrels.txt.gz"
    for what, line in BY_COLLECTION[collection].items():
        name = f"{collection}/{what}"
        places = {
            "{c}": collection,
            "{s}": f"shallow/{collection}",
            "{w}": f"whole/{collection}",
            "{a}": f"aside/{collection}",
            "{q}": f"{collection}/{qrels}",
            "{o}": f"written/{name}",
            "{m}": f"made/{collection}",
            "{new}": names.new,
            "{base}": names.baseline,
            "{topic}": names.topic,
        }
        for mark, text in places.items():
            line = line.replace(mark, text)
        slow = any(fnmatch(what, pattern) for pattern in SLOW)
        yield Case(name, tuple(shlex.split(line)), slow)
