"""`leadline list`: every kind, every name."""

import re

from leadline.measures.measure import measures
from tests.cli.program import call, good

LIST = "kind,name,parameters,description,formula"


def test_list_writes_the_promised_columns() -> None:
    result = good(call("list"))
    assert result.out.splitlines()[0] == LIST
    assert {row["kind"] for row in result.rows()} >= {"measures", "pools"}
    assert all(row["description"] for row in result.rows())


def test_list_shows_every_measure_and_only_the_kind_asked_for() -> None:
    rows = good(call("list", "measures")).rows()
    assert {row["kind"] for row in rows} == {"measures"}
    assert {row["name"] for row in rows} == set(measures.classes())
    promised = {"P", "Recall", "Rprec", "RR", "Success", "AP", "nDCG", "DCG", "SDCG", "RBP", "ERR"}
    promised |= {"bpref", "infAP", "Judged", "NumRet", "NumRel", "NumRelRet"}
    assert promised <= {row["name"] for row in rows}
    rbp = next(row for row in rows if row["name"] == "RBP")
    assert {"p", "norm"} <= set(re.findall(r"\w+", rbp["parameters"]))


def test_a_kind_that_is_none_is_refused_with_those_that_are() -> None:
    result = call("list", "meusures")
    assert (result.code, result.out) == (2, "")
    assert "meusures" in result.err
    assert "measures" in result.err
