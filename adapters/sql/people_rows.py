"""Tables with a row for what one person did: found, kept for a while and forgotten alike.

Another such table joins by a line in `PEOPLE_ROWS` (and in `ops.privacy.register`, or a test fails).
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Table

from adapters.sql.channel_tables import posted_messages
from adapters.sql.people_tables import escalation_acts, escalations, feedback
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
    # before escalations, with which they go
    PeopleRows("persons_answers", escalation_acts, escalation_acts.c.person, escalation_acts.c.at),
    PeopleRows("escalations", escalations, escalations.c.person, escalations.c.asked_at, escalations.c.answer_id),
    PeopleRows("posted", posted_messages, posted_messages.c.person, posted_messages.c.posted_at),
    PeopleRows("answers", answers, answers.c.person, answers.c.answered_at, answers.c.answer_id),
)
