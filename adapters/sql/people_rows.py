"""Tables with a row for what one person did: found, kept for a while and forgotten alike.

Another such table joins by a line in `PEOPLE_ROWS` (and in `ops.privacy.register`, or a test fails).
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Table

from adapters.sql.feedback_tables import feedback
from adapters.sql.posted_tables import posted_messages
from adapters.sql.tables import answers


@dataclass(frozen=True, slots=True)
class PeopleRows:
    """`person`: holds a pseudonym; `at`: since when it is kept; `answer`: the id of an answer to this same person,
    where it holds one."""

    kind: str
    table: Table
    person: Column[Any]
    at: Column[Any]
    answer: Column[Any] | None = None

    @property
    def key(self) -> tuple[Column[Any], ...]:
        return tuple(self.table.primary_key.columns)


PEOPLE_ROWS: tuple[PeopleRows, ...] = (
    # before answers, with which it goes: so it is counted
    PeopleRows("feedback", feedback, feedback.c.person, feedback.c.given_at),
    PeopleRows("posted", posted_messages, posted_messages.c.person, posted_messages.c.posted_at),
    PeopleRows("answers", answers, answers.c.person, answers.c.answered_at, answers.c.answer_id),
)
