"""How trec_eval and ir_measures spell our measures, where that is unambiguous."""

import re

_WORDS = {
    "map": "AP",
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
_CUTS = {
    "P": "P",
    "recall": "Recall",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "success": "Success",
}
_CUT = re.compile(rf"({'|'.join(_CUTS)})[_.]([0-9]+)")
_HEAD = re.compile(r"\s*([A-Za-z_]+)(.*)", re.DOTALL)
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
_PARTS = (
    (re.compile(r"dcg\s*=\s*['\"]?exp-log2['\"]?"), "gains=exp2"),
    (re.compile(r"dcg\s*=\s*['\"]?log2['\"]?\s*,\s*"), ""),
    (re.compile(r",?\s*dcg\s*=\s*['\"]?log2['\"]?"), ""),
    (re.compile(r"cutoff\s*="), "k="),
    (re.compile(r"\(\s*\)"), ""),
)


def canonical(text: str) -> str:
    """Our spelling of a name; text that is no alias comes back as it is.

    >>> [canonical(name) for name in ("map", "ndcg_cut_10", "P.5", "R@100", "RBP(p=0.8)")]
    ['AP', 'nDCG@10', 'P@5', 'Recall@100', 'RBP(p=0.8)']
    >>> canonical("nDCG(dcg='exp-log2')@10")
    'nDCG(gains=exp2)@10'
    """
    name = text.strip()
    if name in _WORDS:
        return _WORDS[name]
    if cut := _CUT.fullmatch(name):
        return f"{_CUTS[cut[1]]}@{int(cut[2])}"
    head = _HEAD.fullmatch(text)
    if head is None:
        return text
    rest = head[2]
    for pattern, ours in _PARTS:
        rest = pattern.sub(ours, rest)
    return _HEADS.get(head[1], head[1]) + rest
