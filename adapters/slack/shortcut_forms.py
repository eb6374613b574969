"""What the shortcuts send: the copy of a message, and a filled-in question."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from adapters.slack.addresses import SlackAddress
from adapters.slack.audience import said_outside
from adapters.slack.payloads import installed_in, user_of
from adapters.slack.scope_forms import read_scope
from adapters.slack.typed import plain_text
from bot.commands.grammar import Ask
from bot.model.visible import shorten
from bot.render.slack.question_modal import CHANNEL, QUESTION
from bot.wording.commands import ad_copy_asked
from bot.wording.problems import problem
from rag_core.errors import Rejected
from rag_core.understanding.cleaning import clean_question

_MOST_COPY = 1_500
_DIRECT = re.compile(r"[DU][A-Z0-9]{1,30}|W[A-Z0-9]{1,30}")


@dataclass(frozen=True, slots=True)
class Sender:
    """Who used a shortcut or sent a form. `claim_key`: the same for every delivery. `outside`: as in `SlackAddress`."""

    team: str
    user: str
    enterprise: str
    trigger_id: str
    outside: str = ""

    @property
    def claim_key(self) -> str:
        return f"slack:{self.team}:{self.trigger_id}"

    def address(self, channel: str) -> SlackAddress:
        return SlackAddress(self.team, channel, self.user, self.enterprise, outside=self.outside)


def sender(body: Mapping[str, object]) -> Sender:
    """Raises Rejected when something is missing that Slack always sends."""
    team, enterprise, _ = installed_in(body)
    found = Sender(team, user_of(body), enterprise, _text(body.get("trigger_id")), said_outside(body, team))
    for name in ("team", "user", "trigger_id"):
        if not getattr(found, name):
            raise Rejected("slack_field_missing", field=name)
    return found


def copy_to_check(body: Mapping[str, object]) -> Ask | None:
    """Which rules touch the text of the message; None for one without words. Read by today's rules, whatever day the
    copy names."""
    pieces = list(_texts(_mapping(body.get("message"))))
    copy = shorten(" ".join(" ".join(plain_text(each) for each in pieces).split()), _MOST_COPY)
    return Ask(ad_copy_asked(copy), private=True) if any(each.isalnum() for each in copy) else None


def check_address(body: Mapping[str, object], by: Sender) -> SlackAddress:
    """Where the message is, for the eyes of whoever wants it checked. Raises Rejected."""
    channel = _text(_mapping(body.get("channel")).get("id"))
    if not channel:
        raise Rejected("slack_field_missing", field="channel")
    url = _text(body.get("response_url"))
    return replace(by.address(channel), response_url=url, to_asker=True)


@dataclass(frozen=True, slots=True)
class QuestionFilled:
    """`errors`: block_id -> what stands beside the field; with any of them nothing else counts."""

    ask: Ask
    channel: str = ""
    response_url: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)


def read_question(body: Mapping[str, object]) -> QuestionFilled:
    """A submitted question with its scope, and the channel chosen for the answer ("" for none)."""
    view = _mapping(body.get("view"))
    values = _mapping(_mapping(view.get("state")).get("values"))
    scope, errors = read_scope(values), {}
    text = _text(_state(values, QUESTION).get("value"))
    try:
        clean_question(text)
    except Rejected as exc:
        errors[QUESTION] = problem(exc.code, exc.details).detail
    channel = _text(_state(values, CHANNEL).get("selected_conversation"))
    ask = Ask(text, scope.as_of, filters=scope.filters)
    return QuestionFilled(ask, channel, _response_url(body, channel), {**errors, **scope.errors})


def direct_of(body: Mapping[str, object], by: Sender) -> str:
    """The conversation with the bot as it was found when the form was opened; else Slack finds it by the person."""
    noted = _text(_mapping(body.get("view")).get("private_metadata"))
    return noted if _DIRECT.fullmatch(noted) else by.user


def _response_url(body: Mapping[str, object], channel: str) -> str:
    listed = body.get("response_urls")
    for each in listed if isinstance(listed, list) else []:
        if channel and _mapping(each).get("channel_id") == channel:
            return _text(_mapping(each).get("response_url"))
    return ""


def _texts(message: Mapping[str, object]) -> Iterator[str]:
    """What is written in it: of apps, that may be in attachments alone."""
    if text := _text(message.get("text")):
        yield text
        return
    listed = message.get("attachments")
    for each in listed if isinstance(listed, list) else []:
        found = _mapping(each)
        yield from (_text(found.get(name)) for name in ("pretext", "title", "text") if found.get(name))
        if not found.get("text"):
            yield _text(found.get("fallback"))


def _state(values: Mapping[str, object], name: str) -> Mapping[str, object]:
    return _mapping(_mapping(values.get(name)).get(name))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
