"""Cascade measures equal their plain twins on random small collections."""

from hypothesis import given
from hypothesis import strategies as st

from tests.measures.one_topic import OneTopic, one_topic, same
from tests.reference import diversity as twin
from tests.tries import tries


@tries(20)
@given(
    case=one_topic(),
    k=st.integers(1, 6),
    alpha=st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]),
    beta=st.sampled_from([0.2, 0.5, 0.8]),
    judged_only=st.booleans(),
)
def test_cascade_measures_equal_their_twins(
    case: OneTopic, k: int, alpha: float, beta: float, judged_only: bool
) -> None:
    ranking = twin.condensed(case.ranking, case.judged) if judged_only else case.ranking
    more = f"judged_only={str(judged_only).lower()}"
    judged, intents = case.judged, case.intents
    given = (ranking, judged, k, alpha, 1, intents)
    expected = {
        f"alpha_DCG(alpha={alpha}, {more})@{k}": twin.alpha_dcg(*given),
        f"alpha_nDCG(alpha={alpha}, {more})@{k}": twin.alpha_ndcg(*given),
        f"ERR_IA(alpha={alpha}, {more})@{k}": twin.err_ia(*given),
        f"nERR_IA(alpha={alpha}, {more})@{k}": twin.nerr_ia(*given),
        f"NRBP(alpha={alpha}, beta={beta}, {more})": twin.nrbp(
            ranking, judged, alpha, beta, 1, intents
        ),
        f"nNRBP(alpha={alpha}, beta={beta}, {more})": twin.nnrbp(
            ranking, judged, alpha, beta, 1, intents
        ),
        f"P_IA({more})@{k}": twin.p_ia(ranking, judged, k, 1, intents),
        f"AP_IA({more})": twin.ap_ia(ranking, judged, 1, intents),
        f"ERR_IA(gains=exp2_scaled, max_grade=2, norm=false, {more})@{k}": twin.err_ia_as_printed(
            ranking, judged, k, 2, 1, intents
        ),
    }
    if intents is None:
        expected[f"StRec({more})@{k}"] = twin.strec(ranking, judged, k)
    found = list(case.scores(list(expected)).values())
    for (name, value), ours in zip(expected.items(), found, strict=True):
        assert same(ours, value), (name, ours, value)
