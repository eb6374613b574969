"""What a person can read of the same reply in Slack and in Teams, brought to one form, so that it can be compared."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bot import wording
from bot.model.links import Links
from bot.render.slack.message import slack_message
from bot.render.teams.message import teams_message
from bot.wording import teams as teams_said
from rag_core.answers import Answer, Clarification, Refusal, Reply
from tests.fakes import adaptive_cards, slack_limits

_ALIKE = str.maketrans(dict(zip("∗∼ˋˍ［］（）¦", "*~`_[]()|", strict=True)) | {"\u2060": "", "\u00ad": ""})
_MARKS = re.compile(r"(?:\s*\[\d+\])+")
_TEAMS_ALONE = (
    teams_said.SHOW_QUOTE,
    teams_said.HIDE_QUOTE,
    wording.SOURCES_HEADING,
    wording.CONDITIONS_HEADING,
    *wording.comparison_columns(),
    *wording.changes_columns(),
    *wording.documents_columns(),
    wording.DOCUMENTS_HEADING,
    *(
        wording.listed((wording.comparison_columns()[at], wording.comparison_columns()[at + 1].lower()))
        for at in (0, 2)  # two columns of Slack in one of Teams
    ),
)


def only_in_one(question: str, reply: Reply, links: Links) -> list[str]:
    """Lines of either platform whose words are not in the other. What was cut for length ends with an ellipsis, and is
    compared as far as it goes."""
    slack = _slack_lines(slack_message(question, "answer", reply, links))
    teams = _teams_lines(teams_message(question, "answer", reply, links))
    asked = _plain(f"{wording.QUESTION_LABEL}: {question}")
    missing = [f"Slack alone: {each}" for each in slack if not _is_in(each, teams) and each != asked]
    extra = [each for each in teams if not _is_in(each, slack) and each not in map(_plain, _TEAMS_ALONE)]
    return [*missing, *(f"Teams alone: {each}" for each in extra)]


def must_be_read(reply: Reply, links: Links) -> list[str]:
    """What has to be readable on both, said by the shared wording."""
    names = links.source_names
    scope = [wording.scope_line(reply.scope, names), wording.scope_hint(reply.scope)]
    if isinstance(reply, Refusal):
        words = wording.refusal(reply, names)
        near = [wording.section_title(each.title, each.section_path) for each in reply.nearest]
        return [*scope, words.headline, words.body, words.next_step, *near]
    if isinstance(reply, Clarification):
        words = wording.clarification(reply)
        return [*scope, words.headline, words.body, words.next_step]
    return [*scope, *_of_answer(reply, names)]


def _of_answer(answer: Answer, names: Mapping[str, str]) -> Iterable[str]:
    yield from (wording.headline(answer), wording.not_stated(answer), wording.approved(answer))
    for each in answer.loose_statements:
        yield from each.text.splitlines()
    for verdict in answer.verdicts if not answer.comparison else ():
        yield from (each.text for each in verdict.conditions)
    for source in answer.citations:
        yield from (wording.section_title(source.title, source.section_path), wording.source_facts(source, names))


def missing_words(question: str, reply: Reply, links: Links) -> list[str]:
    """Of `must_be_read`, what one of the platforms does not say."""
    said = {
        "Slack": _slack_lines(slack_message(question, "answer", reply, links)),
        "Teams": _teams_lines(teams_message(question, "answer", reply, links)),
    }
    wanted = [_plain(part) for each in must_be_read(reply, links) for part in each.split(" · ") if part.strip()]
    return [f"{where}: {each}" for where, lines in said.items() for each in wanted if not _is_in(each, lines)]


def addresses(question: str, reply: Reply, links: Links) -> tuple[set[str], set[str]]:
    """Every address that is linked on either."""
    slack = {_unquoted(each) for each, _ in slack_limits.links(slack_message(question, "answer", reply, links))}
    card = adaptive_cards.card_of(teams_message(question, "answer", reply, links))
    return slack, {_unquoted(each) for each, _ in adaptive_cards.links(card)}


def _slack_lines(message: Mapping[str, Any]) -> list[str]:
    heads = [block["text"]["text"] for block in message["blocks"] if block["type"] == "header"]
    clicked = [each for block in message["blocks"] if block["type"] == "actions" for each in block["elements"]]
    options = [one for each in clicked for one in each.get("options", [])]
    labels = [each["text"]["text"] for each in (*clicked, *options) if "text" in each]
    texts = [re.sub(r"<[^<>|]*\|([^<>]*)>", r"\1", each) for each in slack_limits.mrkdwn_texts(message)]
    shown = [each.replace("*", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") for each in texts]
    return _lines([*heads, *shown, *labels])


def _teams_lines(activity: Mapping[str, Any]) -> list[str]:
    card = adaptive_cards.card_of(activity)
    labels = [each["title"] for each in adaptive_cards.actions(card) if each["type"] != "Action.ToggleVisibility"]
    return _lines([adaptive_cards.shown(card), *(each for each in labels if each != teams_said.SUBSCRIBE)])


def _lines(texts: Iterable[str]) -> list[str]:
    """What is a line on one platform may be cells on the other."""
    found = [_plain(part) for text in texts for line in text.split("\n") for part in line.split(" · ")]
    return [each for each in found if each]


def _plain(text: str) -> str:
    shown = _MARKS.sub(" ", text.translate(_ALIKE)).removeprefix("> ").removeprefix("• ")
    return " ".join(shown.split()).removesuffix("…").strip()


def _is_in(line: str, lines: Iterable[str]) -> bool:
    return line in "\n".join(lines) or any(each and line.startswith(each) and len(each) > 60 for each in lines)


def _unquoted(address: str) -> str:
    return re.sub(r"%(?:28|29|2A|5F|26|5B|5D|7C)", lambda each: chr(int(each[0][1:], 16)), address)
