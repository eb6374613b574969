"""The shapes of the OpenAPI document are those that the renderers write: nothing more, nothing less."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import TypeAdapter, ValidationError

from adapters.web.api.library import document_json, passage_json, version_json
from adapters.web.api.shapes import ReplyShape
from adapters.web.api.shapes_store import ChunkShape, DocumentShape, PolicyChangeShape
from bot.model.links import Links
from bot.render.json import reply_json
from rag_core.answers import Notice, QuoteType, Reply, WarningCode
from rag_core.changes import change_json
from rag_core.documents import ContentType
from rag_core.policy_changes import (
    ChangeKind,
    Direction,
    Edit,
    PolicyChange,
    RuleChange,
    RuleChangeKind,
    SectionChange,
)
from rag_core.questions import NoteKind, ScopeNote
from tests.fakes import hostile, replies
from tests.fakes.documents import make_version, make_write, passages_of

REPLY = TypeAdapter(ReplyShape)
LINKS = Links("https://bot.example", {"sample": "Sample Ads"})
TODAY = date(2026, 6, 1)


def checked(shape: TypeAdapter[Any], value: object) -> Any:
    """Strictly: as JSON, and no field too many or too few."""
    return shape.validate_json(json.dumps(value), strict=True)


def reply_shape(reply: Reply) -> dict[str, object]:
    return reply_json("answer-1", reply, LINKS, {"total": 3.25})


FULL = replies.answer(
    not_stated=("podcasts",),
    rewritten_question="alcohol in podcasts",
    choices=(replies.choice(),),
    degraded=("vector",),
    warnings=tuple(Notice(code) for code in WarningCode if code is not WarningCode.FUTURE_DAY),
    scope=replies.scope(
        content_types=(ContentType.IMAGE, ContentType.VIDEO),
        since=TODAY,
        labels={"stage": ("live",)},
        notes=(ScopeNote(NoteKind.CITY, "Munich", ("de",)), ScopeNote(NoteKind.CARRIED, "", ("regions",))),
    ),
    citations=(
        replies.citation(author="Ada", posted_at=replies.CHECKED, post_number=3, quote_type=QuoteType.INFERENCE),
    ),
)


@pytest.mark.parametrize(
    "reply",
    [
        FULL,
        replies.answer(),
        replies.WIDER,
        replies.refusal(nearest=(replies.nearest(),)),
        replies.clarification(),
        *replies.TABLES.values(),
    ],
)
def test_every_kind_of_reply_has_its_shape(reply: Reply) -> None:
    checked(REPLY, reply_shape(reply))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(hostile.any_reply)
def test_so_has_a_reply_with_any_text(reply: Reply) -> None:
    checked(REPLY, reply_shape(reply))


@pytest.mark.parametrize("name", sorted(reply_shape(FULL)))
def test_a_field_more_or_less_is_noticed(name: str) -> None:
    shape = reply_shape(FULL)
    with pytest.raises(ValidationError):
        checked(REPLY, shape | {f"{name}_too": 1})
    if name in ReplyShape.__required_keys__:
        del shape[name]
    else:
        shape[name] = None
    with pytest.raises(ValidationError):
        checked(REPLY, shape)


def test_passages_versions_and_documents_have_their_shapes() -> None:
    write = make_write(make_version(effective_to=date(2026, 12, 1)))
    for passage in passages_of(write):
        version = version_json(passage.version, TODAY)
        checked(TypeAdapter(ChunkShape), passage_json(passage, LINKS) | {"version": version})
    for today in (TODAY, date(1990, 1, 1)):
        checked(TypeAdapter(DocumentShape), document_json([write.version], today))


def test_changes_have_their_shape() -> None:
    rule = RuleChange(
        RuleChangeKind.CHANGED, "before", "after", (Edit(0, 1, 0, 2),), "lead", ("A",), Direction.LOOSER, ("B",)
    )
    section = SectionChange(("Alcohol", "UK"), (rule, replace(rule, direction=None)), 2, "shorter")
    change = PolicyChange(ChangeKind.CHANGED, "acme_a", "acme", "acme_a_2", "acme_a_1", TODAY, (section,), "Alcohol", 7)
    for each in (change, replace(change, previous_doc_id=None, kind=ChangeKind.ADDED, sections=())):
        checked(TypeAdapter(PolicyChangeShape), change_json(each))
