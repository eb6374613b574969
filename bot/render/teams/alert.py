"""Policy changes as Adaptive Cards: alerts and digests, within Teams' limits, with the same words as in Slack."""

from collections.abc import Mapping, Sequence
from datetime import date

from bot.alerts.changes import Told, ToldChange
from bot.model.links import Links
from bot.model.visible import one_line, shorten
from bot.render.alert_text import facts, is_single, rules_of, said_alone
from bot.render.blocks import Room
from bot.render.marked import marked_pieces
from bot.render.teams.elements import Element, execute, heading, small, text_block, texts
from bot.render.teams.people import data, here, message, room
from bot.render.teams.text import bold, held_apart, link, shortened
from bot.render.teams.view import TeamsVerb
from bot.wording import alerts as wording
from bot.wording import teams as own
from bot.wording.names import source_name
from rag_core.changes.summary import headline
from rag_core.policy_changes import ChangeKind, RuleChange, RuleChangeKind, SectionChange

_MOST_RULES, _MOST_LISTED = 12, 25
_RULE, _LINE, _LEAD, _FALLBACK = 900, 400, 200, 900
_ADDED: Element = {"weight": "Bolder"}
_REMOVED: Element = {"strikethrough": True}


def teams_alert(told: Told, links: Links, today: date) -> dict[str, object]:
    """An alert of one change, or a list of several under the names of their sources."""
    names = links.source_names
    left = room()
    body = _alert(left, told.changes[0], names, today) if is_single(told) else _digest(left, told, names, today)
    where = next((here(each.channel) for each in told.subscriptions), wording.THIS_CHANNEL)
    why = wording.why_here(told.subscriptions, names, own.COMMAND, where)
    return message(
        [*body, small(shortened(why, _LINE))],
        shorten(one_line(said_alone(told, names, today)), _FALLBACK),
        [_stop(told)],
    )


def _alert(left: Room, told: ToldChange, names: Mapping[str, str], today: date) -> list[Element]:
    change, rules = told.change, rules_of(told)
    lines = [shortened(each, _LINE) for each in facts(told, names, today)]
    lines += [link(told.link, wording.OPEN_LINK)] if told.link else []
    title = shortened(wording.alert_headline(change.kind, change.title), _LINE)
    body = left.first([heading(title), *texts(lines)])
    if not rules:
        gone = change.kind is ChangeKind.REMOVED
        return [*body, *left.first([text_block(wording.DOCUMENT_GONE if gone else wording.NO_RULES_TOLD)])]
    return [*body, *_sections(left, told, len(rules))]


def _sections(left: Room, told: ToldChange, total: int) -> list[Element]:
    body: list[Element] = []
    shown = 0
    for section, address in zip(told.change.sections, told.links, strict=True):
        begun = False
        for rule in section.rules:
            parts = [] if begun else [text_block(_path(section, address), separator=True, weight="Bolder")]
            parts += _rule(rule)
            if shown < _MOST_RULES and left.take(parts):
                body, shown, begun = [*body, *parts], shown + 1, True
    more = total - shown
    return [*body, text_block(wording.more_rules(more))] if more else body


def _path(section: SectionChange, address: str) -> str:
    label = " › ".join(section.path) or wording.OPEN_LINK
    return link(address, label) if address else shortened(label, _LINE)


def _rule(rule: RuleChange) -> list[Element]:
    """Words, struck out and bold: nothing is told by one of them alone."""
    said = f"{bold(wording.rule_word(rule.kind))} · {shortened(wording.direction_word(rule.direction), _LINE)}"
    found = [text_block(said, spacing="Medium")]
    if rule.lead_in:
        found.append(text_block(f"{wording.LEAD_IN_LABEL}: {shortened(rule.lead_in, _LEAD)}"))
    match rule.kind:
        case RuleChangeKind.ADDED:
            found.append(_whole(wording.ADDED_LABEL, rule.after, _ADDED))
        case RuleChangeKind.REMOVED:
            found.append(_whole(wording.REMOVED_LABEL, rule.before, _REMOVED))
        case RuleChangeKind.MOVED:
            found.append(text_block(f"{wording.MOVED_LABEL}: {shortened(rule.after, _RULE)}"))
            found.append(text_block(shortened(wording.moved_from(rule.moved_from), _LINE)))
        case RuleChangeKind.CHANGED:
            removed = [(each.before_start, each.before_end) for each in rule.edits]
            added = [(each.after_start, each.after_end) for each in rule.edits]
            found.append(_marked(wording.BEFORE_LABEL, rule.before, removed, _REMOVED))
            found.append(_marked(wording.NOW_LABEL, rule.after, added, _ADDED))
    return found


def _whole(label: str, text: str, looks: Element) -> Element:
    return _runs(label, [(shorten(one_line(text), _RULE), True)], looks)


def _marked(label: str, text: str, spans: Sequence[tuple[int, int]], looks: Element) -> Element:
    pieces = marked_pieces(text, spans)
    if sum(len(said) + 1 for said, _ in pieces) > _RULE:
        pieces = [(shorten(one_line(text), _RULE), False)]
    return _runs(label, pieces, looks)


def _runs(label: str, pieces: Sequence[tuple[str, bool]], looks: Element) -> Element:
    """A line whose pieces look apart. Its text is no Markdown."""
    runs: list[Element] = [{"type": "TextRun", "text": f"{label}: "}]
    for at, (said, is_marked) in enumerate(pieces):
        space = " " if at else ""
        text = held_apart(one_line(said))
        if space:
            runs.append({"type": "TextRun", "text": space})
        runs.append({"type": "TextRun", "text": text, **(looks if is_marked else {})})
    return {"type": "RichTextBlock", "inlines": runs}


def _digest(left: Room, told: Told, names: Mapping[str, str], today: date) -> list[Element]:
    total = len(told.changes) + told.left_out
    body = left.first([heading(shortened(wording.digest_headline(told.rhythm, total), _LINE))])
    shown = 0
    for slug in sorted({each.change.policy_source for each in told.changes}):
        begun = False
        for each in (each for each in told.changes if each.change.policy_source == slug):
            parts = [] if begun else [text_block(bold(source_name(slug, names)), separator=True)]
            parts += _listed(each, names, today)
            if shown < _MOST_LISTED and left.take(parts):
                body, shown, begun = [*body, *parts], shown + 1, True
    more = total - shown
    return [*body, text_block(wording.more_changes(more))] if more else body


def _listed(told: ToldChange, names: Mapping[str, str], today: date) -> list[Element]:
    change = told.change
    title = wording.alert_headline(change.kind, change.title)
    first = f"• {link(told.link, title) if told.link else shortened(title, _LINE)}"
    lines = [shortened(each, _LINE) for each in facts(told, names, today)]
    what = [small(shortened(headline(change.sections), _LINE))] if rules_of(told) else []
    return [text_block(first, spacing="Medium"), *texts(lines, spacing="Small"), *what]


def _stop(told: Told) -> Element:
    """Ends the subscriptions that this was told for: their ids, joined by commas. It asks nobody back: who ended them
    is said, and subscribing again is as easy."""
    ids = ",".join(each.subscription_id for each in told.subscriptions)
    verb = TeamsVerb.UNSUBSCRIBE
    return execute(wording.STOP_BUTTON, verb, data(verb, subscription=ids), own.STOP_HINT)
