"""A click on a reply, as Slack signed it: who clicked, and where the reply stands."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from adapters.slack.access import said_outside
from adapters.slack.payloads import installed_in
from bot.model.messages import Actor, Conversation
from rag_core.errors import Rejected

_LONGEST = 500
_FLAG = "yes"


@dataclass(frozen=True, slots=True)
class Click:
    """`user_team`: where the person is at home. `message`: the reply's ts. `thread`: the thread that the reply stands
    in, "" for none. `ephemeral`: "yes" where only the asker sees it. `value`: of what was clicked. Who and
    where is signed by Slack; the value is what the bot once wrote, and proves nothing. `outside`: as in
    `SlackAddress`."""

    team: str
    user: str
    channel: str
    user_team: str = ""
    enterprise: str = ""
    message: str = ""
    thread: str = ""
    ephemeral: str = ""
    response_url: str = ""
    trigger_id: str = ""
    value: str = ""
    outside: str = ""

    @property
    def actor(self) -> Actor:
        """Of another company: somebody of theirs, who was shown nothing of ours."""
        is_ours = self.user_team in ("", self.team) or bool(self.enterprise)
        return Actor("slack", self.team if is_ours else self.user_team, self.user)

    @property
    def seen_in(self) -> Conversation:
        return Conversation("slack", self.team, self.channel, self.answer_thread)

    @property
    def answer_thread(self) -> str:
        """Where what is asked next is answered: in the reply's thread, or in one that begins with the reply."""
        return self.thread or ("" if self.is_ephemeral else self.message)

    @property
    def is_ephemeral(self) -> bool:
        return self.ephemeral == _FLAG

    def as_metadata(self, answer_id: str) -> str:
        """For a modal that is opened by it. Slack: 3,000 characters, of which each field here has at most 500."""
        kept = replace(self, trigger_id="", value=answer_id)
        return json.dumps({name: value for name, value in asdict(kept).items() if value})


def click_of(body: Mapping[str, Any]) -> Click:
    """The click in the body of a `block_actions` on a message. Raises Rejected("slack_field_missing")."""
    container, action = _object(body, "container"), _first(body.get("actions"))
    chosen = _object(action, "selected_option")
    return Click(
        **_who(body),
        channel=_required(_text(container, "channel_id") or _text(_object(body, "channel"), "id"), "channel"),
        message=_text(container, "message_ts"),
        thread=_text(container, "thread_ts") or _text(_object(body, "message"), "thread_ts"),
        ephemeral=_FLAG if container.get("is_ephemeral") is True else "",
        response_url=_text(body, "response_url"),
        trigger_id=_text(body, "trigger_id"),
        value=_text(action, "value") or _text(chosen, "value"),
    )


def click_behind(body: Mapping[str, Any]) -> Click:
    """The click that opened the modal which is submitted, by who submits it. Raises Rejected("slack_field_missing")."""
    view = _object(body, "view")
    try:
        kept = json.loads(str(view.get("private_metadata")))
    except ValueError as exc:
        raise Rejected("slack_field_missing", field="private_metadata") from exc
    said = kept if isinstance(kept, dict) else {}
    known = {each.name for each in fields(Click)}
    values = {name: value for name, value in said.items() if name in known and isinstance(value, str)}
    return Click(**{**values, **_who(body), "channel": _required(values.get("channel", ""), "channel")})


def view_id(body: Mapping[str, Any]) -> str:
    """Of the modal that is submitted."""
    return _required(_text(_object(body, "view"), "id"), "view")


def view_values(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """`state.values` of the modal that is submitted."""
    return _object(_object(_object(body, "view"), "state"), "values")


def _who(body: Mapping[str, Any]) -> dict[str, str]:
    team, enterprise, _ = installed_in(body)
    user = _object(body, "user")
    return {
        "team": _required(team, "team"),
        "user": _required(_text(user, "id"), "user"),
        "user_team": _text(user, "team_id"),
        "enterprise": enterprise,
        "outside": said_outside(body, team),
    }


def _object(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = body.get(name)
    return found if isinstance(found, Mapping) else {}


def _first(found: Any) -> Mapping[str, Any]:
    return found[0] if isinstance(found, list) and found and isinstance(found[0], Mapping) else {}


def _text(body: Mapping[str, Any], name: str) -> str:
    found = body.get(name)
    return found if isinstance(found, str) and len(found) <= _LONGEST else ""


def _required(found: str, name: str) -> str:
    if not found:
        raise Rejected("slack_field_missing", field=name)
    return found
