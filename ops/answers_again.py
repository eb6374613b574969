"""Answers that were given, read again and spoken of by who got them; people are known there by pseudonyms."""

from adapters.sql.answer_records import SqlGivenAnswers
from adapters.sql.feedback import SqlFeedback
from bot.answers.feedback import GivingFeedback
from bot.answers.recorded import OwnAnswers
from bot.answers.seen import AnswerPorts, SeenAnswers
from ops.parts import Answering, new_id, utc_now


def own_answers(answering: Answering) -> OwnAnswers:
    return OwnAnswers(SqlGivenAnswers(answering.engine), answering.store, answering.pseudonyms.of)


def giving_feedback(answering: Answering) -> GivingFeedback:
    given, kept = SqlGivenAnswers(answering.engine), SqlFeedback(answering.engine)
    return GivingFeedback(given, kept, now=utc_now, new_id=new_id, known_as=answering.pseudonyms.of)


def answer_ports(answering: Answering) -> AnswerPorts:
    """What clicks on answers need, on any chat platform."""
    seen = SeenAnswers(SqlGivenAnswers(answering.engine), answering.store, answering.pseudonyms.of)
    return AnswerPorts(seen, answering.access, giving_feedback(answering), answering.store, answering.links)
