"""What of a recorded answer may be shown to who opens it now."""

from bot.render.json_reading import answer_from
from bot.seen_answers import SeenAnswer
from rag_core.answers import Answer
from rag_core.questions import Scope


def readable_answer(seen: SeenAnswer) -> Answer:
    """All of it, or the statements and sources alone that may be seen: a verdict, a table, a warning, and what the
    scope says beside place and day (labels, platforms), may come from the others.

    Raises Rejected("answer_unreadable").
    """
    answer = answer_from(seen.record.reply, seen.record.trace)
    if seen.is_whole:
        return answer
    citations = tuple(each for each in answer.citations if each.chunk_id in seen.passages)
    numbers = {each.number for each in citations}
    statements = tuple(each for each in answer.statements if each.citations and numbers.issuperset(each.citations))
    asked = answer.scope
    scope = Scope(asked.as_of, regions=asked.regions, inferred=asked.inferred, assumed=asked.assumed, since=asked.since)
    return Answer(scope, statements, citations, approved=answer.approved)
