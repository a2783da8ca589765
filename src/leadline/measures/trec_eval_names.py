"""trec_eval's names: those that stand for several measures, and its spelling of ours."""

import re

from leadline.measures.aliases import CUTS, WORDS

_DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_LEVELS = tuple(f"{level / 10:.2f}" for level in range(11))
_USUAL: dict[str, tuple[object, ...]] = {
    "iprec_at_recall": _LEVELS,
    "ndcg_cut": _DEPTHS,
    "map_cut": _DEPTHS,
    "unj": (5, 10, 20),
}
"""Names that need a depth or a level and mean no other measure of ours without one."""

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

_SEVERAL = re.compile(r"([A-Za-z_]+?)([._@])([0-9.]+(?:,[0-9.]+)+)")
_ONE_CUT = re.compile(r"([A-Za-z]+)@([0-9]+)")
_LEVEL = re.compile(r"IPrec\(recall=([0-9.e-]+)\)")
_PLAIN = {ours: theirs for theirs, ours in reversed(WORDS.items())}
_CUT = {ours: theirs for theirs, ours in reversed(CUTS.items())}


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


def spelled(name: str) -> str:
    """trec_eval's spelling of one of our names; ours where it has none.

    >>> [spelled(name) for name in ("AP", "nDCG@10", "IPrec(recall=0.1)", "RBP(p=0.8)")]
    ['map', 'ndcg_cut_10', 'iprec_at_recall_0.10', 'RBP(p=0.8)']
    """
    if name in _PLAIN:
        return _PLAIN[name]
    if (cut := _ONE_CUT.fullmatch(name)) and cut[1] in _CUT:
        return f"{_CUT[cut[1]]}_{cut[2]}"
    if level := _LEVEL.fullmatch(name):
        return f"iprec_at_recall_{float(level[1]):.2f}"
    return name
