"""Wording of alerts, digests and subscriptions."""

from collections.abc import Mapping, Sequence
from datetime import date

from bot.model.subscriptions import Rhythm, Subscription
from bot.wording.names import day, listed, place, quoted, region_name, sentence, source_name
from rag_core.policy_changes import ChangeKind, Direction, RuleChange, RuleChangeKind
from rag_core.questions import Filters

_KINDS = {
    ChangeKind.ADDED: "New policy document",
    ChangeKind.CHANGED: "Policy changed",
    ChangeKind.FORMATTING: "Policy rewritten, no rule changed",
    ChangeKind.REMOVED: "Policy withdrawn",
}
_RULES = {
    RuleChangeKind.ADDED: "Rule added",
    RuleChangeKind.REMOVED: "Rule removed",
    RuleChangeKind.CHANGED: "Rule changed",
    RuleChangeKind.MOVED: "Rule moved",
}
_DIRECTIONS = {Direction.STRICTER: "▲ stricter", Direction.LOOSER: "▽ looser"}

THIS_CHANNEL, THIS_CHAT = "this channel", "this chat"
"""`here`: what people call the place where something is told."""

_RHYTHMS = {
    Rhythm.AT_ONCE: "as they are recorded",
    Rhythm.DAILY: "once a day, in one message",
    Rhythm.WEEKLY: "once a week, in one message",
}


def alert_headline(kind: ChangeKind, title: str) -> str:
    return f"{_KINDS[kind]}: {title}"


def change_place(source: str, regions: Sequence[str], names: Mapping[str, str]) -> str:
    """ "Platform: Google · Place: Germany and France"."""
    where = listed([region_name(each) for each in regions]) if regions else "not said"
    return f"Platform: {source_name(source, names)} · Place: {where}"


def change_since(kind: ChangeKind, on: date, today: date) -> str:
    """From which day it holds, as far as the documents say."""
    if kind is ChangeKind.REMOVED:
        return f"No longer in force since {day(on)}" if on <= today else f"In force until {day(on)}"
    return f"In force since {day(on)}" if on <= today else f"In force from {day(on)} on"


def direction_word(direction: Direction | None) -> str:
    """Never guessed: what the wording does not say is unclear."""
    return _DIRECTIONS[direction] if direction is not None else "◇ stricter or looser: unclear"


def direction_of(rules: Sequence[RuleChange]) -> str:
    """Of all of them together."""
    found = {rule.direction for rule in rules}
    if len(found) == 1:
        return direction_word(found.pop())
    told = [_DIRECTIONS[each] for each in (Direction.STRICTER, Direction.LOOSER) if each in found]
    if None in found:
        return f"◇ partly {' and '.join(told)}, partly unclear"
    return f"◇ partly {' and partly '.join(told)}"


def rule_word(kind: RuleChangeKind) -> str:
    return _RULES[kind]


NO_RULES_TOLD = "The whole document is new here. Open it to read its rules."
"""Of a document that came: which rules are new in it is for its page to say."""

DOCUMENT_GONE = "Its rules do not hold any more. The last version can still be read."
BEFORE_LABEL = "Before (struck out: removed)"
NOW_LABEL = "Now (bold: added)"
ADDED_LABEL = "Added"
REMOVED_LABEL = "Removed"
LEAD_IN_LABEL = "Under"


def moved_from(path: Sequence[str]) -> str:
    return f"Stood before under {quoted(' › '.join(path))}"


MOVED_LABEL = "Same words, now here"


def more_rules(count: int) -> str:
    return (
        "1 more changed rule: open the document." if count == 1 else f"{count} more changed rules: open the document."
    )


def more_changes(count: int) -> str:
    """`count` may be seen by everybody in the channel, like those shown."""
    return "1 more change is not shown here." if count == 1 else f"{count} more changes are not shown here."


OPEN_LINK = "Open the policy"


def digest_headline(rhythm: str, count: int) -> str:
    changes = "1 policy change" if count == 1 else f"{count} policy changes"
    if rhythm == Rhythm.DAILY.value:
        return f"Today's digest: {changes}"
    if rhythm == Rhythm.WEEKLY.value:
        return f"This week's digest: {changes}"
    return f"{changes} came in together"


def why_here(
    subscriptions: Sequence[Subscription], names: Mapping[str, str], command: str, here: str = THIS_CHANNEL
) -> str:
    """Why it is read there, and how to end it."""
    wanted = listed([wanted_words(each.filters, names) for each in subscriptions])
    return f"{sentence(here)} subscribed to {wanted}. End it with the button or with {command} unsubscribe."


STOP_BUTTON = "Stop these alerts"
STOP_QUESTION = (
    "Nobody in this channel will be told of these policy changes any more. You can subscribe again at any time."
)
STOP_YES = "Stop"
STOP_NO = "Keep"


def wanted_words(filters: Filters, names: Mapping[str, str]) -> str:
    """What a subscription is about: "changes of Google and Meta for Germany on gambling"."""
    parts = ["policy changes" if filters.policy_sources else "all policy changes"]
    if filters.policy_sources:
        parts.append("of " + listed([source_name(each, names) for each in filters.policy_sources]))
    if filters.regions:
        parts.append("for " + listed([place(each) for each in filters.regions]))
    if filters.sections:
        parts.append("on " + listed([quoted(each) for each in filters.sections], "or"))
    return " ".join(parts)


def subscribed(
    person: str, filters: Filters, rhythm: Rhythm, hour: int, names: Mapping[str, str], here: str = THIS_CHANNEL
) -> str:
    """`person` is a mention, as the platform writes one. Read by the whole channel."""
    when = f" (at {hour:02d}:00 UTC{', on Mondays' if rhythm is Rhythm.WEEKLY else ''})"
    return (
        f"{person} subscribed {here} to {wanted_words(filters, names)}: {_RHYTHMS[rhythm]}"
        f"{when if rhythm is not Rhythm.AT_ONCE else ''}."
    )


def subscribed_what(command: str, here: str = THIS_CHANNEL) -> str:
    return (
        "From now on each message says what changed, where, since when, and whether it is stricter or looser. Only "
        f"what everybody in {here} may see is told. To end it, type {command} unsubscribe."
    )


def rhythm_changed(
    person: str, filters: Filters, rhythm: Rhythm, names: Mapping[str, str], here: str = THIS_CHANNEL
) -> str:
    return (
        f"{person}: {here} hears of {wanted_words(filters, names)} already. From now on it is told {_RHYTHMS[rhythm]}."
    )


def understood_as(said: str, meant: str) -> str:
    return f"{quoted(said)} was read as {meant}."


def unknown_words(words: Sequence[str], command: str) -> str:
    return (
        f"Nothing was subscribed: {listed([quoted(each) for each in words])} is not known as a place, a platform or a "
        f"topic. Leave it out, or write for example {command} subscribe daily Google Germany gambling."
    )


def nothing_to_follow(command: str) -> str:
    """Of an answer that is about nothing that everybody in the channel may know of."""
    return (
        "Nothing was subscribed: this answer is about nothing that everybody here may see. Write what to follow, for "
        f"example {command} subscribe daily Google Germany gambling."
    )


def too_many_subscriptions(most: int, command: str, here: str = THIS_CHANNEL) -> str:
    return (
        f"Nothing was subscribed: {here} has {most} subscriptions, which is the most. End them with {command} "
        "unsubscribe, or subscribe to more platforms or places in one."
    )


def workspace_is_full(most: int) -> str:
    return (
        f"Nothing was subscribed: the workspace has {most} subscriptions, which is the most. Unsubscribe channels that "
        "do not need them any more."
    )


def invite_first(command: str) -> str:
    return (
        "Nothing was subscribed: I cannot post in this channel yet. Invite me with /invite @adpolicy, then type "
        f"{command} subscribe again."
    )


def subscribing_failed(command: str) -> str:
    return (
        "That could not be written down just now: the store does not answer. Nothing was changed. Please try "
        f"{command} again in a minute."
    )


def unsubscribed(person: str, count: int, here: str = THIS_CHANNEL) -> str:
    what = "the subscription" if count == 1 else f"all {count} subscriptions"
    return f"{person} ended {what} of {here}: it is not told of policy changes any more."


def unsubscribed_one(person: str, left: int, here: str = THIS_CHANNEL) -> str:
    """By the button, which ends those that an alert was sent for."""
    rest = "It has no other subscription." if not left else f"{left} of its other subscriptions go on."
    return f"{person} ended these alerts for {here}. {rest}"


def nothing_subscribed(command: str, here: str = THIS_CHANNEL) -> str:
    return f"{sentence(here)} has no subscription. To hear of policy changes, type {command} subscribe."
