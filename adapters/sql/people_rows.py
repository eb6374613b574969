"""Tables with a row for what one person did: found, kept for a while and forgotten alike.

Another such table joins by a line in `PEOPLE_ROWS` (and in `ops.privacy.register`, or a test fails).
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Table

from adapters.sql.tables import answers


@dataclass(frozen=True, slots=True)
class PeopleRows:
    """`key`: of a row; `person`: holds a pseudonym; `at`: since when it is kept; `answer`: whose answer's id it holds,
    if any."""

    kind: str
    table: Table
    key: Column[Any]
    person: Column[Any]
    at: Column[Any]
    answer: Column[Any] | None = None


PEOPLE_ROWS: tuple[PeopleRows, ...] = (
    PeopleRows("answers", answers, answers.c.answer_id, answers.c.person, answers.c.answered_at, answers.c.answer_id),
)
