"""How to read: what to do with faults, and where to say what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from leadline.files.problems import Notices

MissingDocs = Literal["skip", "stop"]
"""What happens to a document without text: it counts as empty, or everything stops."""


@dataclass(frozen=True)
class Reading:
    """Strictly or not, which grades to map, where notices go.

    With `subtopics` the second field of qrels must be a subtopic, and is taken for one.
    """

    lenient: bool = False
    map_grades: Mapping[int, int] | None = None
    notices: Notices = field(default_factory=Notices)
    subtopics: bool = False
