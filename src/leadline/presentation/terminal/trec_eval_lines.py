"""Scores as trec_eval prints them: name, topic and value a line, run after run."""

from collections.abc import Sequence

from leadline.tables.scores import Scores

ONLY_OVER_ALL = ("num_q", "gm_map")
"""What trec_eval tells of all topics together, and of none alone."""


def trec_eval_lines(scores: Sequence[Scores], names: Sequence[str], per_topic: bool) -> str:
    """A first line with the name of each run, then its measures, on every topic if asked for.

    `names` has what trec_eval calls each measure; one that it has not keeps our name. What is
    undefined is left out, where trec_eval has 0.
    """
    lines: list[str] = []
    means = [each.mean() for each in scores]
    for run, name in enumerate(scores[0].runs if scores else ()):
        if per_topic:
            for topic, of_topic in enumerate(scores[0].topics):
                for each, called in zip(scores, names, strict=True):
                    if called not in ONLY_OVER_ALL:
                        lines += _line(each, called, of_topic, float(each.value[run, topic]))
        lines.append(f"{'runid':<22}\tall\t{name}")
        for each, called, mean in zip(scores, names, means, strict=True):
            lines += _line(each, called, "all", float(mean[run]))
    return "".join(f"{line}\n" for line in lines)


def _line(scores: Scores, called: str, topic: str, value: float) -> list[str]:
    if value != value:
        return []
    number = f"{value:.0f}" if scores.over_topics == "sum" else f"{value:.4f}"
    return [f"{called:<22}\t{topic}\t{number}"]
