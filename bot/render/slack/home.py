"""The home tab: at most 100 blocks, whatever there is to show."""

from collections.abc import Mapping, Sequence

from bot.commands.home import Home, RecentQuestion, SourceStatus
from bot.commands.settings import subscription_line
from bot.model.subscriptions import Subscription
from bot.model.visible import one_line, shorten
from bot.render.blocks import Block, context, divider, header, sections
from bot.render.mrkdwn import escape, shortened
from bot.render.slack.modal_parts import plain
from bot.render.slack.view import SlackAction
from bot.wording import home as words

HOME_BLOCKS = 100
_MOST_SOURCES, _MOST_SUBSCRIPTIONS = 20, 10
_LONGEST_VALUE, _LINE = 2_000, 400


def home_view(home: Home, names: Mapping[str, str]) -> Block:
    blocks = [
        header(words.HEADLINE),
        *sections([escape(words.INTRO)]),
        header(words.STARTERS),
        *_starters(home.starters),
        divider(),
        header(words.RECENT),
        *_recent(home.recent),
        divider(),
        header(words.SUBSCRIPTIONS),
        *_subscriptions(home.subscriptions, names),
        divider(),
        header(words.SOURCES),
        *_sources(home.sources),
        divider(),
        *_settings(),
    ]
    return {"type": "home", "blocks": blocks[:HOME_BLOCKS]}


def closed_home(sentence: str) -> Block:
    """For who is not answered here."""
    return {"type": "home", "blocks": [header(words.HEADLINE), *sections([escape(sentence)])]}


def _starters(starters: Sequence[str] | None) -> list[Block]:
    if starters is None:
        return [context(escape(words.NOT_READ))]
    shown = [block for number, each in enumerate(starters) for block in _asking(each, words.ASK, f"starter{number}")]
    return shown or [context(escape(words.NO_STARTERS))]


def _recent(recent: Sequence[RecentQuestion] | None) -> list[Block]:
    if recent is None:
        return [context(escape(words.NOT_READ))]
    shown: list[Block] = []
    for number, each in enumerate(recent):
        shown += _asking(each.text, words.ASK_AGAIN, f"recent{number}", words.asked_on(each.at))
    return shown or [context(escape(words.NOTHING_ASKED))]


def _asking(question: str, label: str, block_id: str, note: str = "") -> list[Block]:
    """A question with the button that asks it; without where it is too long for one."""
    text = shortened(question, _LINE) + (f"\n{escape(note)}" if note else "")
    [block] = sections([text]) or [context(escape(words.NOT_READ))]
    if not 0 < len(question) <= _LONGEST_VALUE:
        return [block]
    button = {
        "type": "button",
        "action_id": SlackAction.ASK_STARTER,
        "text": plain(label, 75),
        "value": question,
        "accessibility_label": shorten(one_line(f"{label}: {question}"), 75),
    }
    return [{**block, "block_id": block_id, "accessory": button}]


def _subscriptions(found: Sequence[Subscription] | None, names: Mapping[str, str]) -> list[Block]:
    if found is None:
        return [context(escape(words.NOT_READ))]
    lines = [
        f"<#{each.channel}>: {shortened(subscription_line(each, names), _LINE)}" for each in found[:_MOST_SUBSCRIPTIONS]
    ]
    if len(found) > _MOST_SUBSCRIPTIONS:
        lines.append(escape(words.more_subscriptions(len(found) - _MOST_SUBSCRIPTIONS)))
    return sections(lines) or [context(escape(words.NO_SUBSCRIPTIONS))]


def _sources(sources: Sequence[SourceStatus] | None) -> list[Block]:
    if sources is None:
        return [context(escape(words.NOT_READ))]
    lines = [words.source_line(each.name, each.read_at, failing=each.failing) for each in sources[:_MOST_SOURCES]]
    return sections([shortened(each, _LINE) for each in lines]) or [context(escape(words.NO_SOURCES))]


def _settings() -> list[Block]:
    [block] = sections([f"*{escape(words.SETTINGS)}*\n{escape(words.SETTINGS_HINT)}"])
    menu = {
        "type": "conversations_select",
        "action_id": SlackAction.OPEN_SETTINGS,
        "placeholder": plain(words.CHOOSE_CHANNEL, 150),
        "filter": {"include": ["public", "private"], "exclude_external_shared_channels": True},
    }
    return [{**block, "block_id": "settings", "accessory": menu}]
