"""How often the range of judgments to go holds the truth: collections judged to the end, ten looks.

python scripts/to_go_trials.py demo ../shared/data/trec_covid_round1 ...
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np

import leadline
from leadline.completions.winner import WinnerModel
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.judging.forecast import Rest, ToGo, to_go
from leadline.judging.order import orders
from leadline.judging.session import Session
from leadline.judging.stops import stops

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def looks(
    collection: Collection, order: str, stop: str, shares: tuple[float, ...] = SHARES
) -> Iterator[tuple[int, int, ToGo]]:
    """Judgments so far, those that were to go in truth, and the range, at these shares of all.

    A document that nobody judged counts as not relevant.
    """
    runs, truth = collection.runs, collection.judgments
    grade = np.where(truth.judged, np.maximum(truth.grade, 0), 0)
    made, rule = orders.parse(order), stops.parse(stop)
    session = Session(runs, made, rule)
    while session.reason() is None and (asked := session.ask(1)):
        session.count(asked[0].pair, int(grade[asked[0].pair]))
    course = list(session.grades.items())
    model = WinnerModel(runs, made.weighted)
    for share in shares:
        n = int(share * len(course))
        known = dict(course[:n])
        rest = Rest(runs, made, rule, made.weighted, known)
        yield n, len(course) - n, to_go(rest, model)


def main() -> None:
    """Print every look, and how many held the truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("--order", default="CertainWinner(p=0.8)")
    parser.add_argument("--stop", default="WinnerCertain(joint=true)")
    asked = parser.parse_args()
    for name in asked.collections:
        collection = leadline.read(COLLECTION if name == "demo" else name)
        held = 0
        begun = time.process_time()
        for n, left, found in looks(collection, asked.order, asked.stop):
            inside = found.least <= left <= found.most
            held += inside
            took, begun = time.process_time() - begun, time.process_time()
            told = f"{n:6} judged {left:6} to go, said {found.least} to {found.most}"
            print(f"{told}{'' if inside else ' (missed)'}, {took:.1f} s", flush=True)
        print(f"{name}: {held} of {len(SHARES)}", flush=True)


if __name__ == "__main__":
    main()
