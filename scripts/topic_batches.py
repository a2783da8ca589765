"""What one topic at a time costs: judgments until the best run is certain, by the batch size."""

import argparse

import leadline
from leadline.app.database import Database
from leadline.app.places import TopicChoice, TopicHolders
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.judging.ledger import Entry
from leadline.judging.order import orders
from leadline.judging.session import Session
from leadline.judging.stops import stops

BATCHES = (1, 5, 10, 20, 50, 0)


def judgments_until_certain(collection: Collection, batch: int, p: float) -> tuple[int, int, bool]:
    """Judgments of one assessor, how often another topic came, and whether it got certain."""
    order, stop = orders.parse(f"CertainWinner(p={p})"), stops.parse("WinnerCertain(joint=true)")
    session = Session(collection.runs, order, stop)
    database = Database("sqlite://")
    choice = TopicChoice(session, batch, TopicHolders(database, 1))
    judged = collection.judgments
    acts: list[Entry] = []
    changes = 0
    while chosen := choice.ask("", 1, choice.now(acts), set()):
        pair = chosen[0]
        topic, doc = collection.runs.pairs.name(pair)
        changes += not acts or acts[-1].topic != topic
        acts.append(Entry("judge", topic, doc, 0))
        session.count(pair, max(0, int(judged.grade[pair])) if judged.judged[pair] else 0)
    database.close()
    return len(acts), changes, session.reason() is not None


def main() -> None:
    """One line a batch size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="*", default=[str(COLLECTION)])
    parser.add_argument("--p", type=float, default=0.8)
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    asked = parser.parse_args()
    for folder in asked.folder:
        collection = leadline.read(folder)
        for batch in asked.batches:
            n, changes, certain = judgments_until_certain(collection, batch, asked.p)
            told = "certain" if certain else "not certain"
            said = f"{n:,} judgments, {changes:,} topics begun, {told}"
            print(f"{folder}, batch {batch}: {said}", flush=True)


if __name__ == "__main__":
    main()
