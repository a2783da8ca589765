"""What goes over the wire about organising many people."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from leadline.web.models import PRINTABLE, AdjudicationIn, Body, Name, PersonName, Which, Words

Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Setting = bool | int | float | Annotated[str, StringConstraints(max_length=500, pattern=PRINTABLE)]


class TopicOut(BaseModel):
    """A topic: whose it is, and how many of its documents are judged of those that runs return."""

    topic: str
    query: str
    people: list[str]
    taken: bool
    judged: int
    pairs: int


class AssignIn(Body):
    """Topics that belong to these people from now on; to nobody if there are none."""

    topics: Annotated[list[Name], Field(min_length=1, max_length=5000)]
    people: Annotated[list[PersonName], Field(max_length=100)]


class GoldIn(AdjudicationIn):
    """A document whose grade is known; `note` says why, and is told to who answered."""

    training: bool = False


class GoldOut(BaseModel):
    """A gold question, how many answered it, and how many of them rightly."""

    topic: str
    doc: str
    grade: int
    why: str
    training: bool
    answered: int
    right: int


class MessageIn(Body):
    """What to tell all."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=PRINTABLE)]


class NumberIn(Body):
    """Which message, or which import."""

    number: Count


class SettingOut(BaseModel):
    """A setting that can be changed while the server runs."""

    name: str
    value: bool | int | float | str
    about: str
    choices: list[str]


class SettingsIn(Body):
    """Settings to change."""

    changes: Annotated[dict[Name, Setting], Field(min_length=1, max_length=50)]


class DisputeOut(BaseModel):
    """A document on which people differ, what each said, and what was decided, if it was."""

    topic: str
    doc: str
    query: str
    votes: list[dict[str, Any]]
    decided: int | None


class DisputesOut(BaseModel):
    """Some of the disputes, and how many there are."""

    total: int
    disputes: list[DisputeOut]


class OwnJudgment(BaseModel):
    """A judgment of the asker that is in force."""

    topic: str
    doc: str
    query: str
    grade: int | None
    note: str
    time: str


class OwnJudgments(BaseModel):
    """Some of them, the latest first, and how many there are."""

    total: int
    judgments: list[OwnJudgment]


class ReviseIn(Which):
    """Another grade for a document that one has judged; without one it is "cannot tell"."""

    grade: Annotated[int, Field(ge=0, le=1000)] | None = None
    note: Words = ""
