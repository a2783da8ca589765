"""The experiments of hui17 do what the paper says, on the demo collection."""

import numpy as np

from leadline.io.datasets import COLLECTION
from leadline.lab.papers import hui17
from leadline.lab.papers.hui17 import cells, forget
from leadline.lab.papers.hui17_plan import partly
from leadline.lab.papers.runner import Setting, files_of
from leadline.simulate import run_cells

FOLDER = str(COLLECTION)
COLUMNS = {
    "figure1": "established,method,percent,tau,sd,zero",
    "table1": "judged_on,scored_on,established,measure,tau,sd",
    "table2": "judged_on,scored_on,established,measure,tau,sd",
    "table3": "a,b,tau",
    "table4": "established,measure,tau",
    "figure2": "measure,run,rank_established,rank_measure",
}


def test_files_have_the_promised_columns() -> None:
    setting = Setting(FOLDER, quick=True)
    some = [cell for cell in cells(setting) if cell.name in ("split 0", "everything")]
    results = run_cells(some)
    one = partly(FOLDER, 10, 1, 20, 0.8, 2500.0, np.random.default_rng(0))
    results |= {f"judged {percent}%": one for percent in range(1, 51)}
    texts = files_of(hui17, results, hui17.frames(results, setting), setting)
    assert {name.removesuffix(".csv") for name in texts} == {*COLUMNS, "report.html"}
    for name, columns in COLUMNS.items():
        assert texts[f"{name}.csv"].splitlines()[0] == columns
    assert len(texts["figure1.csv"].splitlines()) == 1 + 3 * 7 * 50
    assert "<svg" in texts["report.html"]
    forget()


def test_what_was_noticed_is_said() -> None:
    from tests.lab.test_hui17_tables import results

    made = results()
    made["everything"]["notices"] = ["look"]
    told = hui17.lines(made, hui17.frames(made, Setting("sea")))
    assert told[0] == "look"
    assert "ABSnb@20" in told[1]
    assert hui17.OPTIONS == ("k", "theta", "mu", "p")
