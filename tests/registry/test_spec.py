"""The grammar Name(key=value, ...)@depth: what it takes, what it refuses, and back to text."""

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from leadline.registry import LARGEST, NamingError, Spec, parse_spec

steady = settings(derandomize=True, deadline=None)

# Valid


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AP", Spec("AP")),
        ("AP()", Spec("AP")),
        ("P@10", Spec("P", {}, 10)),
        ("RBP(p=0.8)", Spec("RBP", {"p": 0.8})),
        ("RBP(p=0.8, norm=true)@10", Spec("RBP", {"p": 0.8, "norm": True}, 10)),
        (
            "nDCG(gains=exp2, judged_only=true)@10",
            Spec("nDCG", {"gains": "exp2", "judged_only": True}, 10),
        ),
        ("P(rel=2)@10", Spec("P", {"rel": 2}, 10)),
        ("Depth(d=10)", Spec("Depth", {"d": 10})),
        (
            "Stratified(strata=[(10,1),(90,0.44)])",
            Spec("Stratified", {"strata": ((10, 1), (90, 0.44))}),
        ),
        (
            "MoffatB(p=0.8, scope=mean, batch=1)",
            Spec("MoffatB", {"p": 0.8, "scope": "mean", "batch": 1}),
        ),
        ("WinnerCertain(joint=true)", Spec("WinnerCertain", {"joint": True})),
        ("alpha_nDCG@20", Spec("alpha_nDCG", {}, 20)),
    ],
)
def test_the_names_of_the_interface_are_read(text: str, expected: Spec) -> None:
    assert repr(parse_spec(text)) == repr(expected)


@pytest.mark.parametrize(
    "text",
    [
        " RBP(p=0.8,norm=true)@10",
        "RBP( p = 0.8 , norm = true ) @ 10 ",
        "RBP(p=.8, norm=True)@10",
        "RBP(p=8e-1, norm=TRUE)@10",
        "RBP(p=+0.80,\tnorm=true)@010",
    ],
)
def test_blanks_and_other_spellings_of_a_value_change_nothing(text: str) -> None:
    assert repr(parse_spec(text)) == repr(Spec("RBP", {"p": 0.8, "norm": True}, 10))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-1", -1),
        ("1.0", 1.0),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("true", True),
        ("False", False),
        ("exp2", "exp2"),
        ("'exp-log2'", "exp-log2"),
        ('"two words"', "two words"),
        ("'true'", "true"),
        ("'1'", "1"),
        ("''", ""),
        ("(1, 2)", (1, 2)),
        ("[1, 2]", (1, 2)),
        ("(1)", (1,)),
        ("[]", ()),
        ("[(1, a), (2, 'b c')]", ((1, "a"), (2, "b c"))),
    ],
)
def test_a_value_has_the_type_that_it_looks_like(text: str, value: object) -> None:
    assert repr(parse_spec(f"A(x={text})").parameters["x"]) == repr(value)


def test_the_text_of_a_spec_is_the_name_that_people_write() -> None:
    assert str(Spec("RBP", {"p": 0.8, "norm": True}, 10)) == "RBP(p=0.8, norm=true)@10"
    assert str(Spec("AP")) == "AP"
    assert str(Spec("P", {}, 10)) == "P@10"
    assert str(parse_spec("Stratified(strata=[(10,1),(90,.44)])")) == (
        "Stratified(strata=[(10, 1), (90, 0.44)])"
    )


# Back to text

words = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,11}", fullmatch=True)
scalars = st.one_of(
    st.booleans(),
    st.integers(-LARGEST, LARGEST),
    st.floats(allow_nan=False, allow_infinity=False),
    words,
    # The grammar has no escapes, so a text with both quotation marks cannot be written.
    st.text(max_size=12).filter(lambda value: not ("'" in value and '"' in value)),
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)
specs = st.builds(
    Spec,
    words,
    st.dictionaries(words, values, max_size=3),
    st.none() | st.integers(0, 10**9),
)


@steady
@given(specs)
@example(Spec("A", {"x": "true", "y": "False", "z": ""}))
@example(Spec("A", {"x": "1", "y": "1e5", "z": "-"}))
@example(Spec("A", {"x": (), "y": ((),), "z": (1,)}))
@example(Spec("A", {"x": "P@10", "y": "f(x=1, y='b c')@3", "z": "P@ 10"}))
@example(Spec("A", {"x": -0.0, "y": 1e300, "z": 5e-324}))
@example(Spec("A", {"x": "a'b", "y": 'a"b', "z": "a)b@c"}))
def test_a_spec_comes_back_from_its_text(spec: Spec) -> None:
    text = str(spec)
    assume(len(text) <= 200)
    # By repr, because 1 == 1.0 == True would hide a change of type.
    assert repr(parse_spec(text)) == repr(spec)
    assert parse_spec(text) == spec


PIECES = [
    *("A", "p", "rel", "true", "false", "none", "nan", "inf"),
    *("0", "1", "-2", "0.5", "1e999", "1e-999", "-1e999", "'x y'", '"q"', "''"),
    *("(", ")", "[", "]", ",", "=", "@", "@10", "(p=", "A(", " "),
]
grammar = st.lists(
    st.sampled_from(PIECES),
    max_size=14,
).map("".join)


@steady
@given(grammar)
@example("A(x=1e999)")
@example("A(x=-1e999, y=[1e400])")
@example("A(x=1e-999)")
def test_what_is_read_once_is_read_again_from_its_text(text: str) -> None:
    try:
        spec = parse_spec(text)
    except NamingError:
        return
    assert repr(parse_spec(str(spec))) == repr(spec)


# Wrong


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "@10",
        "(p=1)",
        "5",
        "'AP'",
        "P@",
        "P@@10",
        "P@10@10",
        "P@-1",
        "P@+1",
        "P@1.5",
        "P@1e3",
        "P@1_0",
        "P@ten",
        "P@\u0661",
        "P@10x",
        "P 10",
        "P(10)",
        "P(rel)",
        "P(rel=)",
        "P(=1)",
        "P(rel=1",
        "P(rel=1,)x",
        "P rel=1)",
        "P(rel=1))",
        "P(rel=1 norm=2)",
        "P(rel=1)(rel=1)",
        "P(rel=1, rel=2)",
        "P(rel=1, rel=1)",
        "P(rel=1_0)",
        "P(rel=0x10)",
        "P(rel=1.2.3)",
        "P(rel=\u0661)",
        "P(rel=(1, 2)",
        "P(rel=[1, 2))",
        "P(rel=[1 2])",
        "P(rel='open)",
        "P(rel=P@)",
        "P(rel=P@10@10)",
        "P(rel=f(x=1)",
        "P(rel=f(x))",
        "P;Q",
        "P\x00",
        "\u03b1_nDCG@10",
    ],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(NamingError):
        parse_spec(text)


def test_an_error_shows_the_name_and_where_it_stops_making_sense() -> None:
    with pytest.raises(NamingError, match=r"\$5.*RBP\(p=\$5\)"):
        parse_spec("RBP(p=$5)")
    with pytest.raises(NamingError, match=r"rel is given twice"):
        parse_spec("P(rel=1, rel=2)")
    with pytest.raises(NamingError, match=r"whole number"):
        parse_spec("P@ten")


def test_a_naming_error_is_a_value_error() -> None:
    assert issubclass(NamingError, ValueError)


def test_text_of_200_characters_is_read_and_longer_text_is_refused() -> None:
    assert parse_spec("A" * 200).name == "A" * 200
    assert parse_spec("A" + " " * 199).name == "A"
    for text in ("A" * 201, "A" + " " * 200, "(" * 100_000, "A@" + "9" * 10_000):
        with pytest.raises(NamingError, match=r"200") as caught:
            parse_spec(text)
        # Whoever sends a megabyte does not get it back.
        assert len(str(caught.value)) < 300


@steady
@given(st.text(max_size=250))
def test_any_text_is_read_or_refused_with_a_naming_error(text: str) -> None:
    try:
        spec = parse_spec(text)
    except NamingError:
        return
    assert isinstance(spec, Spec)


@steady
@given(st.text(alphabet="AaPp_.-+'\"()[],=@0159eE \t\n\u00a0\u0661", max_size=30))
def test_almost_names_are_read_or_refused_with_a_naming_error(text: str) -> None:
    try:
        spec = parse_spec(text)
    except NamingError:
        return
    assert isinstance(spec, Spec)


@pytest.mark.parametrize("opening", ["A(x=" + "(" * 190, "A(x=" + "[" * 190, "A(x=" + "([" * 95])
def test_deep_nesting_is_refused_like_any_other_nonsense(opening: str) -> None:
    with pytest.raises(NamingError):
        parse_spec(opening)


@pytest.mark.parametrize(
    "text", ["P@{}", "Depth(d={})", "Stratified(strata=[({}, 1)])", "A(x=-{})"]
)
def test_whole_numbers_are_bounded(text: str) -> None:
    parse_spec(text.format(LARGEST))
    with pytest.raises(NamingError, match=f"{LARGEST + 1} is too large"):
        parse_spec(text.format(LARGEST + 1))
