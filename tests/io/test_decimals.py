"""Numbers read all at once are Python's, to the last bit; what is no number is refused."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leadline.data.arrays import Int64s
from leadline.data.names import PADDING, Bytes
from leadline.io.numbers import decimals, wholes

digits = st.text("0123456789", min_size=1, max_size=18)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1000, 1000).map(lambda x: f"{x:.4f}"),
    st.integers(-(10**20), 10**20).map(str),
    st.tuples(st.sampled_from(["", "-"]), digits, digits).map(lambda x: f"{x[0]}{x[1]}.{x[2]}"),
    st.tuples(digits, st.integers(-30, 30)).map(lambda x: f"{x[0]}e{x[1]}"),
    st.tuples(st.floats(-1e6, 1e6).map(repr), st.integers(0, 50)).map(lambda x: x[0] + "0" * x[1]),
    st.tuples(st.integers(-(10**18), 10**18), st.integers(0, 50)).map(
        lambda x: f"{x[0]}{'0' * x[1]}"
    ),
    st.sampled_from(["0", "-0", "0.0", ".5", "5.", "-.5", "9007199254740993", "00012.50"]),
)
odd = st.one_of(
    numbers,
    st.text("0123456789.-+eE_/x", min_size=1, max_size=20),
    st.sampled_from(
        [
            "nan",
            "inf",
            "-inf",
            "1_0",
            "٣",
            "1,5",
            "0x1",
            "1.2.3",
            "-",
            ".",
            "1e999",
            "427779141029668e319",
            "Infinity",
            "+INF",
            "in",
            "infinit",
        ]
    ),
)


def places(texts: list[str]) -> tuple[Bytes, Int64s, Int64s]:
    """The texts with a blank after each, padded, and where each begins and ends."""
    parts = [text.encode() for text in texts]
    stop = len(PADDING) + np.cumsum([len(part) + 1 for part in parts]) - 1
    whole = PADDING + b"".join(part + b" " for part in parts) + PADDING
    return np.frombuffer(whole, np.uint8), stop - [len(part) for part in parts], stop


def plain_number(text: str) -> float | None:
    """The number that a text is, if it is written in ASCII digits or is infinity."""
    infinite = text.lower().lstrip("+-") in ("inf", "infinity")
    if not infinite and not set(text) <= set("0123456789.-+eE"):
        return None
    try:
        return float(text)
    except ValueError:
        return None


@given(st.lists(numbers, min_size=1, max_size=30))
def test_numbers_are_to_the_last_bit_what_python_makes_of_them(texts: list[str]) -> None:
    found = decimals(*places(texts))
    assert found is not None
    assert found.tobytes() == np.array([float(text) for text in texts]).tobytes()


def test_zeros_at_the_end_are_read_without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["1.0203721250066107000000000000000000", "-0.5242573276780230200000000000000000"]
    texts += ["0.00000000000000000000000000000", "-7.00000000000000000000000000000000"]
    monkeypatch.setattr("leadline.io.numbers._by_python", lambda *_: pytest.fail("asked"))
    found = decimals(*places(texts))
    assert found is not None
    assert found.tobytes() == np.array([float(text) for text in texts]).tobytes()


@given(st.lists(odd, min_size=1, max_size=5))
def test_what_is_no_number_is_refused(texts: list[str]) -> None:
    wanted = [plain_number(text) for text in texts]
    found = decimals(*places(texts))
    if None in wanted:
        assert found is None
    else:
        assert found is not None
        assert found.tolist() == wanted


@given(st.lists(st.text("0123456789-+. ", min_size=1, max_size=20), min_size=1, max_size=5))
@example(["+1", "-007", "000000000012", "99999999"])
@example(["999999999"])
@example(["1", "-"])
def test_whole_numbers_are_digits_with_perhaps_a_sign(texts: list[str]) -> None:
    found = wholes(*places(texts))
    if all(re.fullmatch(r"[+-]?0*[0-9]{1,8}", text) for text in texts):
        assert found is not None
        assert found.tolist() == [int(text) for text in texts]
    else:
        assert found is None
