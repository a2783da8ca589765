"""Files with something wrong in them, and the command lines that meet them."""

from pathlib import Path

RUN = "1 Q0 a 1 3.5 r\n1 Q0 b 2 2.5 r\n1 Q0 c 3 1.5 r\n2 Q0 a 1 9 r\n2 Q0 d 2 8 r\n"
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n2 0 d 1\n"
FILES = {
    "sound.run": RUN,
    "sound.qrels": QRELS,
    "tabs.run": RUN.replace(" ", "\t"),
    "carriage-returns.run": RUN.replace("\n", "\r\n"),
    "no-last-newline.run": RUN.rstrip("\n"),
    "ties.run": RUN.replace("2.5", "3.5").replace("1.5", "3.5"),
    "float32-ties.run": RUN.replace("2.5", "3.50000001"),
    "unsorted.run": "".join(reversed(RUN.splitlines(keepends=True))),
    "few-fields.run": RUN + "2 Q0 e 3 7\n",
    "score.run": RUN + "2 Q0 e 3 high r\n",
    "nan.run": RUN + "2 Q0 e 3 nan r\n",
    "twice.run": RUN + "2 Q0 a 3 1 r\n",
    "empty.run": "",
    "other-topics.run": RUN.replace("1 Q0", "7 Q0"),
    "grade.qrels": QRELS + "2 0 e good\n",
    "few-fields.qrels": QRELS + "2 0 e\n",
    "conflict.qrels": QRELS + "2 0 a 1\n",
    "repeated.qrels": QRELS + "2 0 a 0\n",
    "negative.qrels": QRELS + "2 0 e -1\n",
    "empty.qrels": "",
}
FAULTY = {
    f"faulty/{name.replace('.', '-')}": (
        f"evaluate faulty/sound.qrels faulty/{name} -m AP -m P@2 --per-topic"
        if name.endswith("run")
        else f"evaluate faulty/{name} faulty/sound.run -m AP -m P@2 --per-topic"
    )
    for name in FILES
}
FAULTY |= {
    "faulty/skip_bad_lines": "evaluate faulty/sound.qrels faulty/few-fields.run faulty/score.run "
    "-m AP "
    "--skip-bad-lines",
    "faulty/skip-bad-lines-qrels": "evaluate faulty/grade.qrels faulty/sound.run -m AP "
    "--skip-bad-lines",
    "faulty/compare": "compare faulty/sound.qrels faulty/sound.run faulty/few-fields.run -m AP",
    "faulty/pool": "pool none faulty/sound.run faulty/twice.run",
    "faulty/order": "order faulty/grade.qrels faulty/sound.run",
    "faulty/estimate": "estimate faulty/conflict.qrels faulty/sound.run",
    "faulty/lint": "lint " + " ".join(f"faulty/{name}" for name in FILES),
    "faulty/no-file": "evaluate faulty/sound.qrels faulty/absent.run -m AP",
    "faulty/no-measure": "evaluate faulty/sound.qrels faulty/sound.run -m Foo@10",
    "faulty/no-parameter": "evaluate faulty/sound.qrels faulty/sound.run -m RBP",
    "faulty/no-estimator": "estimate faulty/sound.qrels faulty/sound.run -e Foo",
    "faulty/no-option": "evaluate faulty/sound.qrels faulty/sound.run --foo",
    "faulty/no-verb": "foo",
    "faulty/no-kind": "list foos",
    "faulty/no-topic": "estimate {s} -m P@10 -e Regression --explain 999",
    "faulty/no-interval": "compare {s} -m 'AP(judged_only=true)' --unjudged-as upper",
    "faulty/not-weighted": "estimate {s} -m AP -e Linear",
    "faulty/no-adjuster": "adjust {s} --new {new} -m AP --method 'Lipani(merge=replace)'",
}


def write_faulty(into: Path) -> None:
    """Write them to the folder `into`/faulty."""
    folder = into / "faulty"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_bytes(text.encode())
