"""Which collections the authors of our own methods looked at while they made them."""

DEVELOPED_ON = {
    "Regression": ("robust2004_pooled42", "trec8_adhoc"),
    "Predicted": (
        "robust2004_pooled42",
        "trec8_adhoc",
        "trec_covid_round1",
        "trec_dl21_half",
    ),
    "Designed": ("trec_dl21_half", "robust2004_pooled42", "trec8_adhoc"),
    "Doubt": ("trec8_adhoc", "trec_covid_round1"),
}
"""As docs/methods tells: chosen on them, or changed because of what was seen there. Methods of
others were made elsewhere."""


def developed_on(name: str) -> tuple[str, ...]:
    """Names of collections; `name` may have parameters.

    >>> developed_on("Regression(draws=0)"), developed_on("LB")
    (('robust2004_pooled42', 'trec8_adhoc'), ())
    """
    return DEVELOPED_ON.get(name.partition("(")[0], ())
