"""From names to objects and back, for everything that is registered."""

import dataclasses
import itertools
import types
import typing
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from leadline.measures.measure import measures
from leadline.pooling.strategies import pools
from leadline.registry import NamingError, Registry
from tests.contracts.examples import example_of

steady = settings(derandomize=True, deadline=None)


REGISTERED = [
    pytest.param(registry, cls, id=name)
    for registry in (measures, pools)
    for name, cls in registry.classes().items()
]


every_class = pytest.mark.parametrize(("registry", "cls"), REGISTERED)


def values_of(hint: Any, name: str) -> st.SearchStrategy[Any]:
    """Values that a field of this type may hold, most of them sensible ones."""
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return st.one_of(*(values_of(each, name) for each in arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if hint is str and name == "of":
        return st.sampled_from(["P@10", "RBP(p=0.8)", "NumRel", "P_5", "AP", "SDCG(rel=2)@100"])
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values_of(arguments[0], name), max_size=3).map(sorted).map(tuple)
    if origin is tuple:
        return st.tuples(*(values_of(each, name) for each in arguments))
    known: dict[Any, st.SearchStrategy[Any]] = {
        type(None): st.none(),
        bool: st.booleans(),
        int: st.integers(1, 5) | st.integers(1, 10**6),
        float: st.floats(0, 1, exclude_min=True, exclude_max=True) | st.floats(0, 100),
        str: st.text(max_size=5),
    }
    return known[hint]


def objects_of(cls: type[Any]) -> st.SearchStrategy[Any]:
    """Random objects of a registered class; combinations that make no sense are left out."""
    hints = typing.get_type_hints(cls)
    fields = dataclasses.fields(cls)
    strategies = {}
    for item in fields:
        anything = values_of(hints[item.name], item.name)
        if item.default is not dataclasses.MISSING:
            anything = st.just(item.default) | anything
        strategies[item.name] = anything

    def make(values: dict[str, Any]) -> Any:
        try:
            return cls(**values)
        except ValueError:
            return None

    return st.fixed_dictionaries(strategies).map(make).filter(lambda made: made is not None)


@every_class
@settings(
    steady,
    max_examples=30,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(data=st.data())
def test_every_object_comes_back_from_its_text(
    registry: Registry[Any], cls: type[Any], data: st.DataObject
) -> None:
    made = data.draw(objects_of(cls))
    text = str(made)
    assume(len(text) <= 200)
    again = registry.parse(text)
    assert again == made
    assert type(again) is cls
    assert str(again) == text
    # What differs in a value must differ in the name, or two columns would bear one title.
    plain = data.draw(objects_of(cls))
    assert (str(plain) == text) == (plain == made)


@every_class
def test_everything_registered_is_frozen_and_described(
    registry: Registry[Any], cls: type[Any]
) -> None:
    assert dataclasses.is_dataclass(cls)
    assert cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert cls.description().endswith((".", ")"))
    assert cls.formula() or registry is not measures


def test_the_promised_measures_of_this_stage_are_registered() -> None:
    promised = "P Recall Rprec RR Success AP nDCG DCG SDCG RBP ERR bpref infAP Judged NumRet NumRel"
    assert {*promised.split(), "NumRelRet"} <= set(measures.classes())


@pytest.mark.parametrize(
    "text",
    [
        "RBP(p=0.8)",
        "RBP(p=0.8, norm=true)@10",
        "P@10",
        "P(rel=2)@10",
        "nDCG@10",
        "nDCG(gains=exp2, judged_only=true)@10",
        "nDCG",
        "AP",
        "AP@100",
        "ERR@20",
        "SDCG@100",
        "infAP",
        "bpref",
        "Judged@10",
        "Recall@1000",
        "Success@5",
    ],
)
def test_the_names_of_the_interface_are_their_own_text(text: str) -> None:
    assert str(measures.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("P(rel=1)@10", "P@10"),
        ("P(k=10)", "P@10"),
        ("nDCG(judged_only=false, gains=grade)@10", "nDCG@10"),
        ("RBP(norm=false, p=.80)", "RBP(p=0.8)"),
        ("ERR(rel=1)@20", "ERR@20"),
    ],
)
def test_defaults_are_left_out(text: str, short: str) -> None:
    assert str(measures.parse(text)) == short
    assert measures.parse(text) == measures.parse(short)


def test_rbp_has_no_default_for_p_so_it_always_prints() -> None:
    for text in ("RBP", "RBP@10", "RBP(rel=2)"):
        with pytest.raises(NamingError, match="p"):
            measures.parse(text)
    assert "p=0.8" in str(measures.parse("RBP(p=0.8)"))


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("ndgc@10", "nDCG"),
        ("NDGC", "nDCG"),
        ("A_P", "AP"),
        ("rpb(p=0.8)", "RBP"),
        ("Recal@5", "Recall"),
        ("Sucess@1", "Success"),
        ("RPREC", "Rprec"),
        ("bperf", "bpref"),
        ("inf_AP", "infAP"),
        ("Jugded@10", "Judged"),
    ],
)
def test_an_unknown_measure_is_answered_with_the_nearest(text: str, near: str) -> None:
    with pytest.raises(NamingError, match=rf"did you mean {near}\b"):
        measures.parse(text)


def test_an_unknown_measure_is_answered_with_where_to_look() -> None:
    with pytest.raises(NamingError, match="leadline list measures"):
        measures.parse("xyzzy")


@pytest.mark.parametrize(
    "text",
    [
        "P@0",
        "P(rel=0)@10",
        "RBP(p=0)",
        "RBP(p=1)",
        "RBP(p=-0.1)",
        "RBP(p=1e999)",
        "RBP(p=0.8, norm=true)",
        "nDCG(gains=[])@10",
        "nDCG(gains=[(1, 2), (2, 1)])@10",
        "nDCG(gains=[(1, 1), (1, 2)])@10",
        "nDCG(gains=[(1, -1)])@10",
        "nDCG(gains=[(1, 1e999)])@10",
        "nDCG(gains=5)@10",
        "nDCG(gains=[1, 2])@10",
        "AP@0",
        "Rprec@10",
        "P(rel=1.5)@10",
        "P(rel=true)@10",
        "P(judged_only=1)@10",
    ],
)
def test_parameters_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(NamingError):
        measures.parse(text)


def needed_by(cls: type[Any], but: str = "") -> str:
    """What has to be written of a measure beside its depth, without one parameter."""
    example = example_of(cls)
    fields = [field for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING]
    names = [field.name for field in fields if field.name not in (cls.at, but)]
    return ", ".join(f"{name}={getattr(example, name)!r}" for name in names)


def test_parameters_that_list_prints_can_be_written() -> None:
    # The column `parameters` shows defaults as one writes them, so one may write them.
    for name, cls in measures.classes().items():
        parts = [part.strip() for part in cls.signature().split(",") if "=" in part]
        needed = needed_by(cls)
        for part in parts:
            text = f"{name}({', '.join(filter(None, [needed, part]))})@10"
            if cls.at is None:
                text = text.removesuffix("@10")
            assert str(measures.parse(text)) == str(measures.parse(text.replace(part, "")))


def read_or_refused(registry: Registry[Any], text: str) -> None:
    try:
        made = registry.parse(text)
    except NamingError:
        return
    # Whatever was read can be read again.
    assert registry.parse(str(made)) == made


@steady
@given(st.text(max_size=220))
def test_any_text_is_a_measure_or_a_naming_error(text: str) -> None:
    read_or_refused(measures, text)
    read_or_refused(pools, text)


PIECES = [
    *measures.classes(),
    *("map", "ndcg_cut_", "P_", "R", "MAP", "MRR", "recall_", "SetR"),
    *("p", "rel", "gains", "max_grade", "judged_only", "norm", "k", "d", "dcg", "cutoff"),
    *("(", ")", "[", "]", ",", "=", "@", "'", '"', " ", "_", ".", "-"),
    *("true", "none", "exp2", "'exp-log2'", "log2", "0", "1", "10", "0.8", "1e999", "9" * 30),
]


@settings(steady, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_pieces_of_names_are_a_measure_or_a_naming_error(text: str) -> None:
    read_or_refused(measures, text)


VALUES = ["0", "1", "-1", "0.8", "1e999", "-1e999", "true", "x", "''", "()", "[(1, 2)]", "[(1, x)]"]
VALUES += ["((1,), 2)", "[(9999999999999999999999, 1)]", "9" * 40, "none", "[[[]]]", "1e-400"]


@every_class
def test_every_parameter_takes_a_value_or_refuses_it(
    registry: Registry[Any], cls: type[Any]
) -> None:
    names = [item.name for item in dataclasses.fields(cls)]
    for name, value, depth in itertools.product(names, VALUES, ("", "@10")):
        written = ", ".join(filter(None, [needed_by(cls, but=name), f"{name}={value}"]))
        read_or_refused(registry, f"{cls.__name__}({written}){depth}")
