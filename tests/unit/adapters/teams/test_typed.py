"""What people type in Teams: the bot's mention goes and nothing else, and what they did not write is not theirs."""

from typing import Any

import pytest

from adapters.teams.messages import files_in, said_to
from bot.questions.addressing import Said, mention_asks
from tests.fakes.teams import BOT, CHANNEL, activity
from tests.fakes.teams_ways import mention, person_mention

QUOTED = (
    '<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1">'
    '<strong itemprop="mri">Person 2</strong>'
    '<span itemprop="time"></span><p itemprop="preview">beer &amp; wine in France?</p></blockquote><p>and cider?</p>'
)


def said(text: str, *entities: dict[str, object], **more: Any) -> Said:
    return said_to(activity(text, where=CHANNEL, entities=list(entities), **more))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<at>AdPolicy</at> what does AdPolicy say on beer?", "what does AdPolicy say on beer?"),
        ("<at>AdPolicy</at>: beer?", "beer?"),
        ("is beer allowed <at>AdPolicy</at>?", "is beer allowed?"),
        ("hey <at>AdPolicy</at> is AdPolicy sure <at>AdPolicy</at> of beer?", "hey is AdPolicy sure of beer?"),
        ("<at>AdPolicy</at>&nbsp;beer&nbsp;ads", "beer ads"),
        ("<at>AdPolicy</at> 5 &lt; 6 &amp;amp; &quot;7&quot;", '5 < 6 &amp; "7"'),
        ("<at>AdPolicy</at> &lt;at&gt;AdPolicy&lt;/at&gt; beer", "<at>AdPolicy</at> beer"),
        ('<at id="0">AdPolicy</at> beer?', "beer?"),
        ("\u200f<at>AdPolicy</at>\u200f \u05d1\u05d9\u05e8\u05d4 \u2066UK\u2069?", "\u05d1\u05d9\u05e8\u05d4 UK?"),
        ("<at>AdPolicy</at>\r\nfirst\r\n\r\nsecond", "first\n\nsecond"),
        (
            "<at>AdPolicy</at> **stars** and <b>tags</b> stay in plain text",
            "**stars** and <b>tags</b> stay in plain text",
        ),
        ("<at>AdPolicy</at> gr\u00f6\u00dfer als 5 \u20ac?", "gr\u00f6\u00dfer als 5 \u20ac?"),
        ("<at>AdPolicy</at>", ""),
    ],
)
def test_only_the_span_of_the_bots_own_mention_goes(text: str, left: str) -> None:
    found = said(text, mention(), mention() if text.count("<at>AdPolicy") > 1 else {"type": "clientInfo"})
    assert found.text == left
    assert found.mentions_bot


@pytest.mark.parametrize(
    ("text", "left"),
    [("&#xe000;5&#xe001; beer?", "beer?"), ("&#xe000;0&#xe001; beer &#xe002;?", "beer?"), ("&#xe000;" * 3, "")],
)
def test_characters_that_stand_for_pieces_may_be_typed_as_entities(text: str, left: str) -> None:
    assert said(text).text == left


def test_other_peoples_mentions_are_their_names() -> None:
    found = said("<at>Person 2</at>, what of beer <at>AdPolicy</at>?", person_mention(2), mention())
    assert found == Said("@Person 2, what of beer?", "@Person 2, what of beer", calls_others=True, others_first=True)
    behind = said("<at>AdPolicy</at> what does <at>Person 2</at> need?", mention(), person_mention(2))
    assert (behind.text, behind.calls_others, behind.others_first) == ("what does @Person 2 need?", True, False)


def test_somebody_with_the_bots_name_is_not_the_bot() -> None:
    namesake = mention("29:somebody", "AdPolicy")
    found = said("<at>AdPolicy</at> ask <at>AdPolicy</at>", namesake, mention())
    assert (found.text, found.others_first) == ("@AdPolicy ask", True)
    alone = said("<at>AdPolicy</at> beer?", namesake)
    assert (alone.text, alone.mentions_bot) == ("@AdPolicy beer?", False)


def test_a_span_that_no_entity_explains_is_a_name() -> None:
    assert said("<at>AdPolicy</at> beer?") == Said("@AdPolicy beer?", None, calls_others=True, others_first=True)


def test_a_mention_that_stands_nowhere_counts() -> None:
    found = said("beer?", mention())
    assert (found.text, found.before_bot) == ("beer?", "")


@pytest.mark.parametrize("id_", [BOT.upper(), BOT])
def test_ids_are_compared_however_they_are_written(id_: str) -> None:
    assert said("<at>AdPolicy</at> beer?", mention(id_)).mentions_bot


@pytest.mark.parametrize(
    "odd", [{"type": "mention"}, {"type": "mention", "mentioned": "28:x"}, {"mentioned": {"id": BOT}}]
)
def test_odd_entities_mention_nobody(odd: dict[str, object]) -> None:
    assert not said("beer?", odd).mentions_bot


@pytest.mark.parametrize(
    ("format_", "text", "left"),
    [
        ("markdown", "<at>AdPolicy</at> is **it** _ok_ in `France`, [see](https://e.org)?", "is it ok in France, see?"),
        ("markdown", "is <at>AdPolicy</at> 2 * 3 * 4 fine?", "is 2 * 3 * 4 fine?"),
        ("xml", "<at>AdPolicy</at> <p>is <b>beer</b> ok</p><p>in France?</p>", "is beer ok\nin France?"),
        ("plain", "<at>AdPolicy</at> **beer**", "**beer**"),
    ],
)  # fmt: skip
def test_formatting_goes_where_the_text_is_formatted(format_: str, text: str, left: str) -> None:
    assert said(text, mention(), textFormat=format_).text == left


def test_what_is_quoted_was_said_by_somebody_else() -> None:
    attachments = [{"contentType": "text/html", "content": QUOTED}]
    text = "Person 2\r\nbeer &amp; wine in France?\r\n\r\n<at>AdPolicy</at> and cider?"
    found = said(text, mention(), attachments=attachments)
    assert found == Said("and cider?", "", quotes=True)
    unquoted = said("<at>AdPolicy</at> and cider?", mention(), attachments=attachments)
    assert (unquoted.text, unquoted.quotes) == ("and cider?", True)


def test_so_is_what_a_reference_shows_of_another_message() -> None:
    shown = '{"messageId": "1", "messagePreview": "beer in France?"}'
    attachments: list[dict[str, object]] = [{"contentType": "messageReference", "content": shown}]
    assert said("beer in France? and cider?", attachments=attachments) == Said("and cider?", quotes=True)
    attachments = [{"contentType": "messageReference", "content": "{"}]
    assert said("beer?", attachments=attachments).text == "beer?"


def test_quoted_lines_are_marked_and_read() -> None:
    assert said("> beer in France?\nsure?", textFormat="markdown") == Said("beer in France?\nsure?", quotes=True)


def test_a_message_with_formatting_has_no_files() -> None:
    found = activity("x", attachments=[{"contentType": "text/html", "content": "<div>x</div>"}])
    assert files_in(found) == ()


def test_files_pictures_and_cards_are_named() -> None:
    file = {"contentType": "application/vnd.microsoft.teams.file.download.info", "name": "brief.pdf"}
    card = {"contentType": "application/vnd.microsoft.card.adaptive", "content": {}}
    found = activity(
        "x", attachments=[file, {"contentType": "image/*", "contentUrl": "https://x"}, card, {"name": "odd"}]
    )
    assert files_in(found) == ("brief.pdf", "", "")


def test_a_long_message_of_signs_is_read_at_once() -> None:
    text = "<at>" * 3_000 + "<" * 20_000 + "&" * 5_000
    assert said(text, mention()).mentions_bot


@pytest.mark.parametrize(
    "text",
    [
        "a client wants beer\r\n<at>AdPolicy</at> can I advertise it?",
        "a client wants beer\n\n\u200e<at>AdPolicy</at> can I advertise it?",
        "can I advertise <at>AdPolicy</at> beer in the UK?",
    ],
)
def test_a_mention_may_begin_a_line_or_stand_in_the_middle_of_the_question(text: str) -> None:
    assert mention_asks(said(text, mention()))


def test_so_it_may_in_what_is_marked_up() -> None:
    text = "<p>a client wants beer</p><p><at>AdPolicy</at>&nbsp;can I advertise it?</p>"
    assert mention_asks(said(text, mention(), textFormat="xml"))
    assert not mention_asks(said(text.replace("</p><p>", " "), mention(), textFormat="xml"))
