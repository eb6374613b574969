"""What `python -m ops subscriptions` says."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from adapters.sql.chat.notices import WaitingNotice
from bot.model.subscriptions import Subscription
from bot.wording.alerts import wanted_words


def help_texts() -> Mapping[str, str]:
    return {
        "subscriptions": "list the channels that hear of policy changes, and the messages that wait to be sent",
        "format": "for people or for programs",
    }


def subscriptions(found: Sequence[Subscription]) -> list[str]:
    if not found:
        return ["No channel has subscribed to policy changes."]
    return [f"Subscriptions: {len(found)}", *(_line(each) for each in found)]


def notices(waiting: Sequence[WaitingNotice], count: int, failing: int, oldest: datetime | None) -> list[str]:
    if not count or oldest is None:
        return ["No message waits to be sent."]
    since = oldest.strftime("%Y-%m-%d %H:%M UTC")
    lines = [f"Messages that wait: {count}, the oldest since {since}; {failing} of them were tried before."]
    return [*lines, *(_waiting(each) for each in waiting)]


def _line(each: Subscription) -> str:
    since = each.since.strftime("%Y-%m-%d")
    place = f"{each.platform}:{each.workspace}/{each.channel}"
    return f"  {place}  {wanted_words(each.filters, {})}, {each.rhythm.value.replace('_', ' ')}, since {since}"


def _waiting(each: WaitingNotice) -> str:
    notice = each.notice
    place = f"{notice.platform}:{notice.workspace}/{notice.channel}"
    state = "being sent" if each.is_held else "waits"
    if each.not_before is not None and not each.is_held:
        state = f"waits until {each.not_before.strftime('%H:%M:%S UTC')}"
    return f"  {place}  {notice.kind.value}, {state}, tries: {each.attempts}"
