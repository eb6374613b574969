"""`GET /api/v1/answers/{answer_id}` and `POST /api/v1/feedback`: what somebody was answered, and what he says of it."""

from typing import Annotated

from aiohttp import web
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from adapters.web.api.input import or_empty, read_body
from adapters.web.api.library import is_id
from adapters.web.api.operations import Operation, not_both, serves
from adapters.web.api.shapes import ReplyShape
from adapters.web.api.shapes_store import OpinionShape
from adapters.web.callers import caller_of
from adapters.web.parts import PARTS
from adapters.web.problems import RequestRefused
from bot.access.tokens import Permission
from bot.answers.feedback import LONGEST_COMMENT, FeedbackReason, Rating, Said
from bot.ports import Opinion

routes = web.RouteTableDef()

_Reasons = Annotated[
    list[FeedbackReason],
    BeforeValidator(or_empty, json_schema_input_type=list[FeedbackReason] | None),
    Field(max_length=len(FeedbackReason)),
]


class FeedbackBody(BaseModel):
    """Whether an answer was of use. `reasons` say what was wrong, so they are for `not_useful` only."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        json_schema_extra=not_both(
            {"rating": {"const": Rating.USEFUL.value}}, {"reasons": {"type": "array", "minItems": 1}}
        ),
    )

    answer_id: Annotated[str, Field(min_length=1, max_length=300)]
    rating: Rating
    reasons: _Reasons = []
    comment: Annotated[str, Field(max_length=LONGEST_COMMENT)] | None = None

    @model_validator(mode="after")
    def _reasons_of_complaint(self) -> "FeedbackBody":
        if self.reasons and self.rating is Rating.USEFUL:
            raise PydanticCustomError("reasons_without_complaint", "reasons only with not_useful")
        return self

    def said(self) -> Said:
        return Said(self.answer_id, self.rating, self.reasons, self.comment or "")


@routes.get("/api/v1/answers/{answer_id}")
@serves(Operation(Permission.ASK, ReplyShape, missing=("answer_not_found",)))
async def answer(request: web.Request) -> web.Response:
    """The answer again, to the person who asked, as long as everything behind it may be seen."""
    parts, caller = request.app[PARTS], caller_of(request, Permission.ASK)
    answer_id = request.match_info["answer_id"]
    found = await parts.read_answer(answer_id, caller.actor, caller.groups) if is_id(answer_id) else None
    if found is None:
        raise RequestRefused(404, "answer_not_found")
    return web.json_response(found)


@routes.post("/api/v1/feedback")
@serves(Operation(Permission.ASK, OpinionShape, FeedbackBody, missing=("answer_not_found",)))
async def feedback(request: web.Request) -> web.Response:
    """What is kept of it. One for a person and answer: a later one takes the place of the earlier."""
    parts, caller = request.app[PARTS], caller_of(request, Permission.ASK)
    said = (await read_body(request, FeedbackBody)).said()
    kept = await parts.give_feedback(caller.actor, said, "rest") if is_id(said.answer_id) else None
    if kept is None:
        raise RequestRefused(404, "answer_not_found")
    return web.json_response(_opinion_json(kept))


def _opinion_json(opinion: Opinion) -> dict[str, object]:
    return {
        "answer_id": opinion.answer_id,
        "rating": opinion.rating,
        "reasons": list(opinion.reasons),
        "comment": opinion.comment or None,
        "given_at": opinion.given_at.isoformat(),
    }
