"""A question that can be meant in two ways is asked back, before anything is looked for."""

import re

from rag_core.answering.notices import MOST_CHOICES
from rag_core.answers import Choice, Clarification
from rag_core.questions import Filters, NoteKind, Question
from rag_core.regions import spoken_name
from rag_core.understanding.orders import as_asked


def which_place(question: Question) -> Clarification | None:
    """The places that a misspelt name may be, as next questions; None where every place is known."""
    unclear = next((note for note in question.scope.notes if note.kind is NoteKind.UNCLEAR_PLACE), None)
    if unclear is None:
        return None
    said = re.compile(rf"(?:\bthe\s+)?{re.escape(unclear.said)}", re.IGNORECASE)
    text = as_asked(question.search_text)
    choices = tuple(
        Choice(
            "place", code, said.sub(spoken_name(code), text, count=1), Filters(question.scope.policy_sources, (code,))
        )
        for code in unclear.meant[:MOST_CHOICES]
    )
    return Clarification(question.scope, choices, rewritten_question=question.rewritten)
