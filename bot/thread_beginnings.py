"""What a thread begins with: an answer that was given outside of any thread, to a command say."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.memory import LONGEST_TEXT, CitedChunk, RememberedTurn
from bot.messages import Conversation
from bot.own_answers import answered_for
from bot.ports import GivenAnswers, RecordedAnswer
from bot.posted import PostedMessages, Subject
from rag_core.errors import Unavailable


class ThreadBeginnings:
    """The first turn of a thread that nobody remembers, from the answers on record: nothing has to be written down when
    a command is answered, so nothing is lost when a process dies there."""

    def __init__(self, posted: PostedMessages, answers: GivenAnswers) -> None:
        self._posted = posted
        self._answers = answers

    async def first_turn(self, conversation: Conversation) -> RememberedTurn | None:
        """None: the thread does not begin with an answer of ours, it is not on record any more, or the store is down.
        The turn is for nobody who is not in all groups that the answer was given for."""
        place = (conversation.platform, conversation.workspace, conversation.channel, conversation.thread)
        if not conversation.thread:
            return None
        try:
            posted = await self._posted.in_thread(*place)
            first = next((each for each in posted if each.place.message == conversation.thread), None)
            if first is None or first.subject is not Subject.ANSWER:
                return None
            record = await self._answers.answer(first.subject_id)
        except Unavailable:
            return None
        return None if record is None else turn_of(record)


def turn_of(record: RecordedAnswer) -> RememberedTurn | None:
    """The turn that the answer would have been remembered as; None for one that does not say enough."""
    try:
        return _turn(record, (record.trace or {})["question"])
    except (AttributeError, KeyError, TypeError, ValueError):  # of a version that recorded something else
        return None


def _turn(record: RecordedAnswer, question: Any) -> RememberedTurn:
    scope: Any = record.reply["scope"]
    types = scope["content_type"] or ()  # null, a value or a list
    cited: Any = record.reply.get("citations") or []
    assumed = question["scope"].get("assumed", ())  # what nobody has named, nobody asks on from
    datetime.fromisoformat(scope["as_of"])  # ValueError for what is no day
    return RememberedTurn(
        answer_id=record.answer_id,
        person=record.person,
        asked=record.question_text[:LONGEST_TEXT],
        understood=(question.get("rewritten") or question["text"])[:LONGEST_TEXT],
        kind=str(record.reply["kind"]),
        at=record.answered_at,
        as_of=scope["as_of"],
        regions=() if "regions" in assumed else _texts(scope["regions"]),
        policy_sources=() if "policy_sources" in assumed else _texts(scope["policy_sources"]),
        content_types=(types,) if isinstance(types, str) else _texts(types),
        topics=_texts([each["text"] for each in question["terms"]]),
        citations=tuple(map(_cited, cited)) if record.reply["kind"] == "answer" else (),
        needed=tuple(sorted(answered_for(record))),
    )


def _cited(citation: Mapping[str, Any]) -> CitedChunk:
    return CitedChunk(
        chunk_id=str(citation["chunk_id"]),
        doc_id=str(citation["doc_id"]),
        document_id=str(citation["document_id"]),
        policy_source=str(citation["policy_source"]),
        section_path=str(citation.get("section_path") or ""),
    )


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in values)
