"""ndeval's qrels: as TREC's, with a subtopic in the second field."""

from dataclasses import dataclass

from leadline.files.source import Source
from leadline.files.white_space import regular
from leadline.formats.format import formats
from leadline.formats.trec_qrels import TrecQrels


@formats.register
@dataclass(frozen=True)
class NdevalQrels(TrecQrels):
    """Judgments per subtopic, as ndeval reads them: some document has two second fields.

    Formula: topic subtopic doc grade
    """

    def looks_like(self, source: Source) -> bool:
        if not super().looks_like(source):
            return False
        lines = [line.split(b" ") for line in regular(source.head).split(b"\n")]
        units = {tuple(fields[:3]) for fields in lines if len(fields) == 4}
        return len({(unit[0], unit[2]) for unit in units}) < len(units)
