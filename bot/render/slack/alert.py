"""Policy changes as Block Kit: alerts and digests, within Slack's limits, each with a text that says it all alone."""

from collections.abc import Mapping, Sequence
from datetime import date

from bot.alerts.changes import Told, ToldChange
from bot.model.links import Links
from bot.render.alert_text import facts, is_single, rules_of, said_alone
from bot.render.blocks import MESSAGE_CHARACTERS, Block, Room, context, divider, header, sections
from bot.render.marked import marked_pieces
from bot.render.mrkdwn import bold, escape, escape_unlinked, link, shortened
from bot.render.slack.view import SlackAction
from bot.wording import alerts as wording
from bot.wording.names import source_name
from rag_core.changes.summary import headline
from rag_core.policy_changes import ChangeKind, RuleChange, RuleChangeKind, SectionChange

_FALLBACK_CHARACTERS = 1_500
_MOST_BLOCKS = 44
"""Slack takes 50: room for the last ones."""
_LAST_CHARACTERS = 1_500
_MOST_RULES, _MOST_LISTED = 12, 25
_RULE, _LINE, _LEAD = 900, 400, 200


def slack_alert(told: Told, links: Links, today: date, command: str) -> dict[str, object]:
    """An alert of one change, or a list of several under the names of their sources. `command`: the slash command."""
    names = links.source_names
    room = Room(MESSAGE_CHARACTERS - _FALLBACK_CHARACTERS - _LAST_CHARACTERS, _MOST_BLOCKS)
    blocks = _alert(room, told.changes[0], names, today) if is_single(told) else _digest(room, told, names, today)
    ends = [context(shortened(wording.why_here(told.subscriptions, names, command), _LINE)), _stop(told)]
    return {
        "text": shortened(said_alone(told, names, today), _FALLBACK_CHARACTERS, escape_unlinked),
        "blocks": [*blocks, *ends],
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _alert(room: Room, told: ToldChange, names: Mapping[str, str], today: date) -> list[Block]:
    change = told.change
    blocks = room.first([header(wording.alert_headline(change.kind, change.title))])
    rules = rules_of(told)
    lines = [shortened(each, _LINE) for each in facts(told, names, today)]
    lines += [link(told.link, wording.OPEN_LINK)] if told.link else []
    blocks += room.first(sections(lines))
    if not rules:
        gone = change.kind is ChangeKind.REMOVED
        return [*blocks, *room.first(sections([wording.DOCUMENT_GONE if gone else wording.NO_RULES_TOLD]))]
    return [*blocks, *_sections(room, told, len(rules))]


def _sections(room: Room, told: ToldChange, total: int) -> list[Block]:
    blocks: list[Block] = []
    shown = 0
    for section, address in zip(told.change.sections, told.links, strict=True):
        begun = False
        for rule in section.rules:
            parts = [] if begun else [divider(), *sections([_path(section, address)])]
            parts += sections(_rule(rule))
            if shown < _MOST_RULES and room.take(parts):
                blocks, shown, begun = [*blocks, *parts], shown + 1, True
    left = total - shown
    return [*blocks, *sections([wording.more_rules(left)])] if left else blocks


def _path(section: SectionChange, address: str) -> str:
    label = " › ".join(section.path) or wording.OPEN_LINK
    return f"*{link(address, label)}*" if address else bold(shortened(label, _LINE))


def _rule(rule: RuleChange) -> list[str]:
    """Words and signs, struck out and bold: nothing is told by one of them alone."""
    lines = [f"{bold(wording.rule_word(rule.kind))} · {escape(wording.direction_word(rule.direction))}"]
    if rule.lead_in:
        lines.append(f"{wording.LEAD_IN_LABEL}: {shortened(rule.lead_in, _LEAD)}")
    match rule.kind:
        case RuleChangeKind.ADDED:
            lines.append(f"{wording.ADDED_LABEL}: {_marked_whole(rule.after, '*')}")
        case RuleChangeKind.REMOVED:
            lines.append(f"{wording.REMOVED_LABEL}: {_marked_whole(rule.before, '~')}")
        case RuleChangeKind.MOVED:
            lines.append(f"{wording.MOVED_LABEL}: {shortened(rule.after, _RULE)}")
            lines.append(shortened(wording.moved_from(rule.moved_from), _LINE))
        case RuleChangeKind.CHANGED:
            removed = [(each.before_start, each.before_end) for each in rule.edits]
            added = [(each.after_start, each.after_end) for each in rule.edits]
            lines.append(f"{wording.BEFORE_LABEL}: {_marked(rule.before, removed, '~')}")
            lines.append(f"{wording.NOW_LABEL}: {_marked(rule.after, added, '*')}")
    return lines


def _marked_whole(text: str, sign: str) -> str:
    return f"{sign}{shortened(text, _RULE).strip()}{sign}"


def _marked(text: str, spans: Sequence[tuple[int, int]], sign: str) -> str:
    """The text with these spans between signs; what is far from them is left out, marked by dots."""
    pieces = marked_pieces(text, spans)
    shown = " ".join(f"{sign}{escape(said)}{sign}" if is_marked else escape(said) for said, is_marked in pieces)
    return shown if len(shown) <= _RULE else shortened(text, _RULE)


def _digest(room: Room, told: Told, names: Mapping[str, str], today: date) -> list[Block]:
    total = len(told.changes) + told.left_out
    blocks = room.first([header(wording.digest_headline(told.rhythm, total))])
    shown = 0
    for slug in sorted({each.change.policy_source for each in told.changes}):
        begun = False
        for each in (each for each in told.changes if each.change.policy_source == slug):
            parts = [] if begun else [divider(), *sections([bold(source_name(slug, names))])]
            parts += sections([_listed(each, names, today)])
            if shown < _MOST_LISTED and room.take(parts):
                blocks, shown, begun = [*blocks, *parts], shown + 1, True
    left = total - shown
    return [*blocks, *sections([wording.more_changes(left)])] if left else blocks


def _listed(told: ToldChange, names: Mapping[str, str], today: date) -> str:
    change = told.change
    title = wording.alert_headline(change.kind, change.title)
    lines = [f"• {link(told.link, title) if told.link else shortened(title, _LINE)}"]
    lines += [shortened(each, _LINE) for each in facts(told, names, today)]
    if rules_of(told):
        lines.append(f"> {shortened(headline(change.sections), _LINE)}")
    return "\n".join(lines)


def _stop(told: Told) -> Block:
    """Ends the subscriptions that this was told for: their ids, joined by commas."""

    def plain(text: str) -> Block:
        return {"type": "plain_text", "text": text, "emoji": False}

    button = {
        "type": "button",
        "action_id": SlackAction.UNSUBSCRIBE.value,
        "text": plain(wording.STOP_BUTTON),
        "value": ",".join(each.subscription_id for each in told.subscriptions),
        "confirm": {
            "title": plain(wording.STOP_BUTTON),
            "text": plain(wording.STOP_QUESTION),
            "confirm": plain(wording.STOP_YES),
            "deny": plain(wording.STOP_NO),
        },
    }
    return {"type": "actions", "elements": [button]}
