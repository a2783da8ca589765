"""Scores as trec_eval prints them: name, topic and value a line, run after run."""

from collections.abc import Sequence

from leadline.measures.trec_eval_names import spelled
from leadline.tables.scores import Scores

ONLY_OVER_ALL = ("num_q", "gm_map")
"""What trec_eval tells of all topics together, and of none alone."""


def trec_eval_lines(scores: Sequence[Scores], per_topic: bool) -> str:
    """A first line with the name of each run, then its measures, on every topic if asked for.

    A measure that trec_eval has not keeps our name. What is undefined is left out, where trec_eval
    has 0.
    """
    lines: list[str] = []
    means = [each.mean() for each in scores]
    for run, name in enumerate(scores[0].runs if scores else ()):
        if per_topic:
            for topic, of_topic in enumerate(scores[0].topics):
                for each in scores:
                    if spelled(each.measure) not in ONLY_OVER_ALL:
                        lines += _line(each, of_topic, float(each.value[run, topic]))
        lines.append(f"{'runid':<22}\tall\t{name}")
        for each, mean in zip(scores, means, strict=True):
            lines += _line(each, "all", float(mean[run]))
    return "".join(f"{line}\n" for line in lines)


def _line(scores: Scores, topic: str, value: float) -> list[str]:
    if value != value:
        return []
    number = f"{value:.0f}" if scores.over_topics == "sum" else f"{value:.4f}"
    return [f"{spelled(scores.measure):<22}\t{topic}\t{number}"]
