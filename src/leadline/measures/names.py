"""How trec_eval, ndeval and ir_measures spell our measures."""

import re
from typing import Any

WORDS = {
    "map": "AP",
    "gm_map": "GMAP",
    "11pt_avg": "InterpolatedAP",
    "set_F": "SetF",
    "set_map": "SetAP",
    "num_q": "NumQ",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "utility": "Utility",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "infAP": "infAP",
    "ndcg": "nDCG",
    "recip_rank": "RR",
    "MRR": "RR",
    "mrr": "RR",
    "Bpref": "bpref",
    "InfAP": "infAP",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "set_P": "SetP",
    "set_recall": "Recall",
    "RPrec": "Rprec",
    "MAP": "AP",
    "NDCG": "nDCG",
}
"""Other tools' names and ours; trec_eval's come first where there are several."""

CUTS = {
    "P": "P",
    "recall": "Recall",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "success": "Success",
    "unj": "Unjudged",
}
"""Names that trec_eval writes with a depth."""

SYNONYMS = {
    "hit": "Success",
    "hits": "Success",
    "hitrate": "Success",
    "accuracy": "Success",
    "averageprecision": "AP",
    "meanaverageprecision": "AP",
    "reciprocalrank": "RR",
    "meanreciprocalrank": "RR",
    "hole": "Unjudged",
    "holes": "Unjudged",
    "f": "SetF",
    "f1": "SetF",
    "fscore": "SetF",
    "fmeasure": "SetF",
    "gain": "DCG",
    "cg": "DCG",
    "coverage": "Judged",
    "q": "AP",
    "subtopicrecall": "StRec",
}
"""What others call something like one of ours, but not always the same: to be asked, not taken."""

ABSENT = {
    "gmbpref": "bpref (the geometric mean is there for AP only: GMAP)",
    "rprecmult": "Rprec, or P@k at the depths that you want",
    "bing": "nDCG(gains=binary)",
    "g": "nDCG",
    "ndcgrel": "nDCG",
    "rndcg": "nDCG@k",
    "relativep": "P@k, or Recall@k",
    "setrelativep": "SetP, or Recall",
    "relstring": "--per-topic for scores of topics",
    "runid": "--format trec_eval, which writes it",
    "yaap": "AP",
    "rbpresid": "RBP(p=0.8), whose interval is the residual",
    "qrelsjg": "nDCG@10 of the qrels",
    "prefssimp": "bpref",
    "prefspair": "bpref",
    "prefsavgjg": "bpref",
    "prefsavgjgret": "bpref",
    "prefssimpret": "bpref",
    "prefspairret": "bpref",
    "prefssimpimp": "bpref",
    "prefspairimp": "bpref",
    "prefsavgjgimp": "bpref",
    "prefsnumprefsposs": "NumRel for counts of what is judged",
    "prefsnumprefsful": "NumRelRet for counts of what is found",
    "prefsnumprefsfulret": "NumRelRet for counts of what is found",
}
"""What trec_eval has and we do not, in small letters and digits, and what to take instead."""

_CUT = re.compile(rf"({'|'.join(CUTS)})[_.]([0-9]+)")
_AT = re.compile(r"(ndcg|map|recall|precision|mrr)_at_([0-9]+)")
_LEVEL = re.compile(r"(?:iprec_at_recall[_.]|IPrec@)([0-9]*\.?[0-9]+)")
_RELEVANT_RETURNED = re.compile(r"NumRet(\(.*\brel\s*=.*)")
_LEVEL_WITH = re.compile(r"IPrec\((.+)\)@([0-9]*\.?[0-9]+)")
_UTILITY = re.compile(r"utility[_.](-?[0-9.]+),(-?[0-9.]+),(-?[0-9.]+),(-?[0-9.]+)")
_ALPHA = "\u03b1"
_HEAD = re.compile(rf"\s*([A-Za-z{_ALPHA}_]+(?:-[A-Za-z]+)*)(.*)", re.DOTALL)
_HEADS = {
    "R": "Recall",
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "SetR": "Recall",
    "Bpref": "bpref",
}
_HEADS |= {"ndcg": "nDCG", "map": "AP", "p": "P", "precision": "P", "recall": "Recall", "mrr": "RR"}
_HEADS |= {"rbp": "RBP", "err": "ERR", "dcg": "DCG", "success": "Success", "rr": "RR", "ap": "AP"}
_HEADS |= {
    "strec": "StRec",
    "StRecall": "StRec",
    "MAP_IA": "AP_IA",
    "map_ia": "AP_IA",
    "nrbp": "NRBP",
}
_PARTS = (
    (re.compile(r"dcg\s*=\s*['\"]?exp-log2['\"]?"), "gains=exp2"),
    (re.compile(r"dcg\s*=\s*['\"]?log2['\"]?\s*,\s*"), ""),
    (re.compile(r",?\s*dcg\s*=\s*['\"]?log2['\"]?"), ""),
    (re.compile(r"cutoff\s*="), "k="),
    (re.compile(r"min_rel\s*=\s*0\s*,\s*|,?\s*min_rel\s*=\s*0(?![0-9])"), ""),
    (re.compile(r"max_rel\s*="), "gains=linear, max_grade="),
    (re.compile(r"\bT\s*="), "t="),
    (re.compile(r"\bnormalize\s*=\s*True"), "norm=true"),
    (re.compile(r"\bnormalize\s*=\s*False"), "norm=false"),
    (re.compile(r"\(\s*\)"), ""),
)


def canonical(text: str) -> str:
    """Our spelling of a name; text that is no alias comes back as it is.

    >>> [canonical(name) for name in ("map", "ndcg_cut_10", "P.5", "R@100", "RBP(p=0.8)")]
    ['AP', 'nDCG@10', 'P@5', 'Recall@100', 'RBP(p=0.8)']
    >>> canonical("nDCG(dcg='exp-log2')@10")
    'nDCG(gains=exp2)@10'
    >>> [canonical(name) for name in ("alpha-nDCG@20", "ERR-IA@5", "strec@10", "MAP-IA")]
    ['alpha_nDCG@20', 'ERR_IA@5', 'StRec@10', 'AP_IA']
    """
    name = text.strip()
    if name in WORDS:
        return WORDS[name]
    if cut := _CUT.fullmatch(name):
        return f"{CUTS[cut[1]]}@{int(cut[2])}"
    if cut := _AT.fullmatch(name):
        return f"{_HEADS[cut[1]]}@{int(cut[2])}"
    if level := _LEVEL.fullmatch(name):
        return f"IPrec(recall={level[1]})"
    if counted := _RELEVANT_RETURNED.fullmatch(name):
        return f"NumRelRet{counted[1]}"
    if level := _LEVEL_WITH.fullmatch(name):
        return f"IPrec(recall={level[2]}, {level[1]})"
    if worth := _UTILITY.fullmatch(name):
        weights = (
            f"{name}={float(weight):g}" for name, weight in zip("abcd", worth.groups(), strict=True)
        )
        return f"Utility({', '.join(weights)})"
    head = _HEAD.fullmatch(text)
    if head is None:
        return text
    rest = head[2]
    for pattern, ours in _PARTS:
        rest = pattern.sub(ours, rest)
    # ndeval's names have hyphens, ir_measures' may have the Greek letter.
    ours = head[1].replace("-", "_").replace(_ALPHA, "alpha")
    return _HEADS.get(ours, ours) + rest


_WITH_DEFAULT = ("T", "p")
"""Parameters that have a default in ir_measures and none here."""


def ir_measures_name(measure: Any) -> str:
    """Return the name of a measure of ir_measures, with the defaults that we do not have."""
    if measure.NAME == "Leadline":
        return str(measure)
    given = {name: value for name, value in measure.params.items() if name != measure.AT_PARAM}
    for name in _WITH_DEFAULT:
        if name in measure.SUPPORTED_PARAMS:
            given.setdefault(name, measure.SUPPORTED_PARAMS[name].default)
    inside = ", ".join(f"{name}={value!r}" for name, value in given.items())
    at = measure.params.get(measure.AT_PARAM)
    brackets = f"({inside})" if inside else ""
    return f"{measure.NAME}{brackets}" + ("" if at is None else f"@{at}")


_DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_LEVELS = tuple(f"{level / 10:.2f}" for level in range(11))
_USUAL: dict[str, tuple[object, ...]] = {
    "iprec_at_recall": _LEVELS,
    "ndcg_cut": _DEPTHS,
    "map_cut": _DEPTHS,
    "unj": (5, 10, 20),
    "P": _DEPTHS,
    "recall": _DEPTHS,
    "success": (1, 5, 10),
}
"""Names of trec_eval with its depths or levels where none is given."""

_OFFICIAL = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", f"P.{','.join(map(str, _DEPTHS))}"),
)
_SET = ("set_P", "set_recall", "set_map", "set_F")
_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
SETS: dict[str, tuple[str, ...]] = {
    "official": _OFFICIAL,
    "set": (*_COUNTS, "utility", *_SET),
    "all_trec": (
        *_OFFICIAL,
        *(f"recall.{','.join(map(str, _DEPTHS))}", "infAP", "utility", "11pt_avg", "ndcg"),
        *("ndcg_cut", "map_cut", "success.1,5,10", *_SET, "num_nonrel_judged_ret", "unj"),
    ),
}
"""trec_eval's nicknames, with what there is of them: see docs/how-to/evaluate.md."""

_SET_WITH = re.compile(rf"({'|'.join(SETS)})\((.*)\)")


def set_parameters(text: str) -> tuple[str, dict[str, object]] | None:
    """Return the nickname of a set with the parameters of its members; None of any other name.

    >>> set_parameters("official(rel=2, rounding=nearest)")
    ('official', {'rel': 2, 'rounding': 'nearest'})
    """
    match = _SET_WITH.fullmatch(text.strip())
    if match is None:
        return None
    parameters: dict[str, object] = {}
    for part in match[2].split(","):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals and value):
            raise ValueError(f"{text}: expected NAME=VALUE between the brackets, not {part!r}")
        words = {"true": True, "false": False}
        parameters[name] = int(value) if value.isdecimal() else words.get(value, value)
    return match[1], parameters


_SEVERAL = re.compile(r"([A-Za-z_]+?)([._@])([0-9.]+(?:,[0-9.]+)+)")
_ONE_CUT = re.compile(r"([A-Za-z]+)@([0-9]+)")
_UTILITY_NAME = re.compile(r"Utility\((.*)\)")
_LEVEL_NAME = re.compile(r"IPrec\(recall=([0-9.e-]+)\)")
_PLAIN = {ours: theirs for theirs, ours in reversed(WORDS.items())}
_CUT_NAMES = {ours: theirs for theirs, ours in reversed(CUTS.items())}


def expanded(text: str) -> list[str]:
    """The names that a name stands for: that of a set, or one with several depths.

    >>> expanded("P.5,10"), expanded("nDCG@5,10"), len(expanded("official")), expanded("map")
    (['P.5', 'P.10'], ['nDCG@5', 'nDCG@10'], 29, ['map'])
    """
    name = text.strip()
    if name in SETS:
        return [each for member in SETS[name] for each in expanded(member)]
    if name in _USUAL:
        return [f"{name}_{each}" for each in _USUAL[name]]
    several = _SEVERAL.fullmatch(name)
    if several is None:
        return [text]
    return [f"{several[1]}{several[2]}{each}" for each in several[3].split(",")]


_NUMBER = re.compile(r"\s*-?[0-9.]+\s*")


def separated(text: str) -> list[str]:
    """The names in a text, with commas between them; numbers belong to the name before them.

    >>> separated("nDCG@10,AP"), separated("P.5,10, RBP(p=0.8, rel=2)")
    (['nDCG@10', 'AP'], ['P.5,10', 'RBP(p=0.8, rel=2)'])
    """
    parts: list[str] = []
    depth = begin = 0
    for at, sign in enumerate([*text, ","]):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and (depth <= 0 or at == len(text)):
            parts.append(text[begin:at])
            begin = at + 1
    names = parts[:1]
    for part in parts[1:]:
        if _NUMBER.fullmatch(part):
            names[-1] += f",{part}"
        else:
            names.append(part.strip())
    return names


def spelled(name: str) -> str:
    """trec_eval's spelling of one of our names; ours where it has none.

    >>> [spelled(name) for name in ("AP", "nDCG@10", "IPrec(recall=0.1)", "RBP(p=0.8)")]
    ['map', 'ndcg_cut_10', 'iprec_at_recall_0.10', 'RBP(p=0.8)']
    """
    if name in _PLAIN:
        return _PLAIN[name]
    if (cut := _ONE_CUT.fullmatch(name)) and cut[1] in _CUT_NAMES:
        return f"{_CUT_NAMES[cut[1]]}_{cut[2]}"
    if level := _LEVEL_NAME.fullmatch(name):
        return f"iprec_at_recall_{float(level[1]):.2f}"
    if utility := _UTILITY_NAME.fullmatch(name):
        given = dict(part.strip().split("=") for part in utility[1].split(","))
        usual = {"a": 1.0, "b": -1.0, "c": 0.0, "d": 0.0}
        if given.keys() <= usual.keys():
            weights = (float(given.get(each, value)) for each, value in usual.items())
            return f"utility_{','.join(f'{weight:g}' for weight in weights)}"
    return name


def is_spelled(name: str) -> bool:
    """Return whether trec_eval has a name for one of our measures, its own or the same."""
    return name in _PLAIN or spelled(name) != name
