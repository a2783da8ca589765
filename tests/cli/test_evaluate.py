"""`leadline evaluate`: its columns and rows."""

import json
from pathlib import Path

import jsonschema
import pytest

import leadline
from tests.cli.program import call, good, start
from tests.io.bad_files import Folder, check_refused

EVALUATE = "run,topic,measure,value,lower,upper,judged"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.write("qrels.txt", b"1 0 d1 1\n1 0 d2 0\n")
    made.write("good.run", b"1 Q0 d1 1 3.0 tag\n1 Q0 d2 2 2.0 tag\n")
    return made


def test_evaluate_writes_the_promised_columns(files: tuple[Path, ...]) -> None:
    result = good(call("evaluate", *files, "-m", "P@2", "-m", "AP"))
    assert result.out.splitlines()[0] == EVALUATE
    assert [(row["run"], row["topic"], row["measure"]) for row in result.rows()] == [
        ("a-weak", "all", "P@2"),
        ("b-strong", "all", "P@2"),
        ("a-weak", "all", "AP"),
        ("b-strong", "all", "AP"),
    ]


def test_numbers_are_written_with_all_their_digits(files: tuple[Path, ...]) -> None:
    (row,) = good(call("evaluate", *files[:2], "-m", "P@3")).rows()
    frame = leadline.evaluate(*files[:2], "P@3")
    assert float(row["upper"]) == frame["upper"][0] == (1 / 3) / 2


def test_the_mean_is_the_row_all_with_and_without_per_topic(files: tuple[Path, ...]) -> None:
    means = good(call("evaluate", *files, "-m", "P@2", "-m", "AP")).rows()
    assert {row["topic"] for row in means} == {"all"}
    whole = good(call("evaluate", *files, "-m", "P@2", "-m", "AP", "--per-topic")).rows()
    assert [row for row in whole if row["topic"] == "all"] == means
    keys = [(row["run"], row["topic"], row["measure"]) for row in whole]
    assert sorted(keys) == sorted(
        (run, topic, measure)
        for run in ("a-weak", "b-strong")
        for topic in ("1", "2", "all")
        for measure in ("P@2", "AP")
    )
    for mean in means:
        ours = [
            row
            for row in whole
            if (row["run"], row["measure"]) == (mean["run"], mean["measure"])
            and row["topic"] != "all"
        ]
        for key in ("value", "lower", "upper"):
            assert float(mean[key]) == pytest.approx(sum(float(row[key]) for row in ours) / 2)


def test_topics_come_in_the_order_people_count(tmp_path: Path) -> None:
    topics = ["2", "10", "1", "b", "a"]
    (tmp_path / "q").write_text("".join(f"{topic} 0 d 1\n" for topic in topics))
    (tmp_path / "r").write_text("".join(f"{topic} Q0 d 1 1 t\n" for topic in topics))
    rows = good(call("evaluate", tmp_path / "q", tmp_path / "r", "-m", "P@1", "--per-topic")).rows()
    assert [row["topic"] for row in rows][:3] == ["1", "2", "10"]


def test_a_measure_asked_for_twice_is_answered_once(files: tuple[Path, ...]) -> None:
    # map is AP, so this would be the same row again, and whoever adds rows up counts it double.
    result = good(call("evaluate", *files, "-m", "AP", "-m", "map", "-m", "P@2", "-m", "P_2"))
    keys = [(row["run"], row["topic"], row["measure"]) for row in result.rows()]
    assert len(keys) == len(set(keys)) == 4


def test_fields_that_do_not_apply_are_empty(files: tuple[Path, ...]) -> None:
    # Condensed lists have no interval, and neither has the number of relevant documents.
    asked = ("-m", "P(judged_only=true)@2", "-m", "NumRel")
    for row in good(call("evaluate", *files, *asked, "--per-topic")).rows():
        assert row["value"] != ""
        assert (row["lower"], row["upper"]) == ("", "")


def test_an_undefined_score_is_empty_and_in_no_mean_and_said(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    # Of a topic that returns nothing no share can be judged.
    arguments = ("evaluate", tmp_path / "q", tmp_path / "r", "-m", "Judged", "--per-topic")
    got = good(call(*arguments)).table()
    row = got["r", "2", "Judged"]
    assert [row[key] for key in ("value", "lower", "upper", "judged")] == ["", "", "", ""]
    assert float(got["r", "all", "Judged"]["value"]) == 1
    record = next(
        each for each in call(*arguments, "--format", "json").json() if each["topic"] == "2"
    )
    assert record["value"] is None


def test_judged_is_the_share_of_the_depth_or_of_the_list(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 9 t\n1 Q0 x 2 8 t\n1 Q0 b 3 7 t\n1 Q0 y 4 6 t\n")
    arguments = ("-m", "P@1", "-m", "P@3", "-m", "AP")
    rows = good(call("evaluate", tmp_path / "q", tmp_path / "r", *arguments)).rows()
    assert [float(row["judged"]) for row in rows] == pytest.approx([1, 2 / 3, 2 / 4])


def test_judged_is_the_share_of_the_depth_also_where_the_list_is_shorter(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 9 t\n1 Q0 b 2 8 t\n")
    (row,) = good(call("evaluate", tmp_path / "q", tmp_path / "r", "-m", "P@10")).rows()
    assert float(row["judged"]) == pytest.approx(2 / 10)


def test_the_help_of_evaluate_names_its_options() -> None:
    out = call("evaluate", "--help-all").out
    for option in (
        "--per-topic",
        "--pool",
        "--topics",
        "--ties",
        "--skip-bad-lines",
        "--format",
        "-o",
    ):
        assert option in out


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        ("ndgc@10", ("ndgc", "did you mean nDCG@10?")),
        ("Sucess@5", ("Sucess", "did you mean Success@5?")),
        ("brpef", ("brpef", "did you mean bpref?")),
        ("P(rell=2)@10", ("rell", "did you mean rel?")),
        ("RBP", ("RBP", "needs p")),
        ("RBP(p=1.5)", ("p", "1.5", "between 0 and 1")),
        ("RBP(p=high)", ("p", "number", "high")),
        ("P@0", ("depth", "0")),
        ("P@", ("whole number", "@")),
        ("P@ten", ("whole number", "ten")),
        ("P@1_0", ("P@1_0",)),
        ("P@\u0661\u0660", ("P@\u0661\u0660",)),
        ("P@10)", ("nothing was expected", ")")),
        ("", ("-m is empty",)),
        ("nDCG(gains=cubic)@10", ("gains", "cubic")),
        ("AP" + "x" * 199, ("200", "201")),
        ("P@" + "0" * 300 + "5", ("200", "303")),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_a_measure_that_is_none_is_refused(
    folder: Folder, measure: str, says: tuple[str, ...]
) -> None:
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    check_refused(folder.evaluate(*inputs, measure=measure), *says)


@pytest.mark.parametrize("measure", ["ndgc@10", "AP" + "x" * 500])
def test_the_installed_program_refuses_a_measure(folder: Folder, measure: str) -> None:
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    check_refused(folder.evaluate(*inputs, measure=measure, program=start), "leadline")


# Between a million and these a reader could ask for more memory than a test should take.
@pytest.mark.parametrize("depth", [10**6, 10**13, 10**18, 10**30])
@pytest.mark.parametrize("name", ["P", "nDCG", "AP", "SDCG", "ERR", "Recall"])
def test_a_depth_beyond_reason_ends_in_a_score_or_a_message(
    folder: Folder, name: str, depth: int
) -> None:
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    result = folder.evaluate(*inputs, measure=f"{name}@{depth}")
    assert "Traceback" not in result.err
    assert result.code in (0, 2)


def test_the_best_runs_as_a_row_for_each_and_a_column_for_each_measure(
    files: tuple[Path, ...],
) -> None:
    found = good(call("evaluate", *files, "--wide", "--top", "1", "-m", "num_q", "-m", "AP"))
    # All have the same number of topics: the best is told by AP.
    assert found.out.splitlines()[0] == "run,NumQ,AP"
    assert [row["run"] for row in found.rows()] == ["b-strong"]
    assert call("evaluate", *files, "--top", "0").code == 2
    refused = call("evaluate", *files, "--wide", "--format", "trec_eval")
    assert refused.code == 2
    assert "--wide and --format trec_eval exclude each other" in refused.err


def test_scores_are_printed_as_trec_eval_prints_them(files: tuple[Path, ...]) -> None:
    found = good(call("evaluate", *files[:2], "-m", "num_q", "-m", "map", "--format", "trec_eval"))
    assert found.out.splitlines()[0] == "runid                 \tall\tt"
    assert [line.split("\t")[0].strip() for line in found.out.splitlines()[1:]] == ["num_q", "map"]
    refused = call("compare", *files, "--format", "trec_eval")
    assert refused.code == 2


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_no_terminal_is_too_narrow_for_names_and_scores(
    verb: str, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "a-name-of-a-run-that-somebody-made-far-too-long-for-its-own-good"
    folder.write(f"{long}.run", b"1 Q0 d1 1 3.0 tag\n1 Q0 d2 2 2.0 tag\n")
    monkeypatch.setenv("COLUMNS", "40")
    paths = [folder.path / name for name in ("qrels.txt", "good.run", f"{long}.run")]
    found = good(call(verb, *paths, "-m", "P@2", "--format", "table"))
    line = next(line for line in found.out.splitlines() if long in line)
    assert ("0.5000" if verb == "evaluate" else "+0.0000") in line
    assert "\u2026" not in found.out


SCHEMA = json.loads(Path("docs/schemas/evaluate.schema.json").read_text())


@pytest.mark.parametrize("more", [(), ("--per-topic", "--confidence", "0.9")])
def test_json_is_as_its_schema_says(files: tuple[Path, ...], more: tuple[str, ...]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    measures = ("-m", "P@2", "-m", "bpref", "-m", "NumRel")
    rows = good(call("evaluate", *files, *measures, *more, "--format", "json")).json()
    jsonschema.validate(rows, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert len(rows) >= 6
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([{**rows[0], "score": 1}], SCHEMA)


WIDE_SCHEMA = json.loads(Path("docs/schemas/evaluate-wide.schema.json").read_text())


def test_wide_json_is_as_its_schema_says(files: tuple[Path, ...]) -> None:
    jsonschema.Draft202012Validator.check_schema(WIDE_SCHEMA)
    measures = ("-m", "P@2", "-m", "bpref", "-m", "NumRel")
    rows = good(call("evaluate", *files, *measures, "--wide", "--format", "json")).json()
    jsonschema.validate(rows, WIDE_SCHEMA, cls=jsonschema.Draft202012Validator)
    assert set(rows[0]) == {"run", "P@2", "bpref", "NumRel"}
    for wrong in ({**rows[0], "P@2": "high"}, {"P@2": 1.0}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate([wrong], WIDE_SCHEMA)


def test_where_only_0_is_certain_the_hint_names_a_measure_with_a_lower_bound(
    files: tuple[Path, ...],
) -> None:
    asked = ("evaluate", *files, "-m", "AP")
    told = "AP: 0 is the only guaranteed lower bound, since relevant documents may be unseen; "
    hint = good(call(*asked, "--format", "table")).err
    assert told + "for one above 0 add -m 'RBP(p=0.8)'" in hint
    rows = good(call(*asked, "-m", "RBP(p=0.8)", "--format", "csv")).rows()
    named = [float(row["lower"]) for row in rows if row["measure"] == "RBP(p=0.8)"]
    assert max(named) > 0, "what the hint promises"
    both = good(call(*asked, "-m", "P@2", "--format", "table")).err
    assert told + "P@2 has one above 0" in both
    for other in (("--format", "csv"), ("--format", "table", "--wide")):
        assert told not in good(call(*asked, *other)).err
    # P has a lower end of its own, and bpref has none.
    others = ("-m", "P@2", "-m", "bpref", "-m", "GMAP", "--format", "table")
    assert "guaranteed lower bound" not in good(call("evaluate", *files, *others)).err


def test_no_hint_leads_to_what_is_not_to_be_relied_on(files: tuple[Path, ...]) -> None:
    hint = good(call("evaluate", *files, "-m", "AP", "--format", "table")).err
    estimated = call("estimate", *files, "-m", "AP", "-e", "Regression")
    assert "do not rely on this" in estimated.err, "else the hint could lead there again"
    assert "leadline estimate" not in hint


def test_wide_refuses_intervals_instead_of_leaving_them_out(files: tuple[Path, ...]) -> None:
    done = call("evaluate", *files, "-m", "P@2", "--wide", "--confidence", "0.95")
    assert done.code == 2
    assert "--wide shows scores without intervals: omit --wide or --confidence" in done.err
