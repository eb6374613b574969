"""What each block and field looks like as HTML."""

from typing import Any

import pytest

from ops.sandbox.slack.page.drawing import Drawing
from ops.sandbox.slack.page.fields import Surroundings

AROUND = Surroundings("m:C1:1.2", "here", {"U1": "@one", "C1": "#ads"}, {"U1": "One"}, {"C1": "#ads"})
SECTION = "rich_text_section"


def drawn(block: dict[str, Any]) -> str:
    return str(Drawing(AROUND, {}).block(block))


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def rich(*parts: dict[str, Any], kind: str = SECTION, **more: object) -> dict[str, Any]:
    return {"type": "rich_text", "elements": [{"type": kind, "elements": list(parts), **more}]}


def field(kind: str, **more: object) -> dict[str, Any]:
    return {"type": "input", "block_id": "b", "label": plain("L"), "element": {"type": kind, "action_id": "a", **more}}


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (rich({"type": "text", "text": "x", "style": {"bold": True, "code": True}}), "<code><strong>x</strong></code>"),
        (rich({"type": "text", "text": "x", "style": {"bold": False}}), "<div>x</div>"),
        (rich({"type": "link", "url": "https://e.example", "text": "x"}), '<a href="https://e.example"'),
        (rich({"type": "user", "user_id": "U1"}), '<span class="mention">@one</span>'),
        (rich({"type": "channel", "channel_id": "C1"}), '<span class="mention">#ads</span>'),
        (rich({"type": "emoji", "name": "warning"}), "⚠️"),
        (rich({"type": "text", "text": "x"}, kind="rich_text_quote"), "<blockquote>x</blockquote>"),
        (rich({"type": "text", "text": "x"}, kind="rich_text_preformatted"), "<pre>x</pre>"),
        (rich({"type": SECTION, "elements": []}, kind="rich_text_list", style="ordered"), "<ol><li>"),
        (rich({"type": SECTION, "elements": []}, kind="rich_text_list", style="bullet"), "<ul><li>"),
        ({"type": "section", "text": plain("*x*")}, "<div>*x*</div>"),
        ({"type": "section", "text": {"type": "mrkdwn", "text": "*x*"}}, "<strong>x</strong>"),
        (
            {"type": "section", "text": plain("x"), "accessory": {"type": "image", "alt_text": "A cat"}},
            'aria-label="A cat"',
        ),
        ({"type": "image", "alt_text": "A cat", "image_url": "https://e.example"}, 'aria-label="A cat"'),
        ({"type": "context", "elements": [{"type": "image", "alt_text": "A cat"}]}, 'aria-label="A cat"'),
        ({"type": "table", "rows": [[{"text": "h"}], [{"text": "c"}]]}, "<tr><th>h</th></tr><tr><td>c</td></tr>"),
        ({"type": "actions", "elements": ["odd"]}, "<pre>&#34;odd&#34;</pre>"),
        (field("plain_text_input"), '<input type="text" name="f:b/a" form="modal-form" id="f:b/a"'),
        (field("plain_text_input", multiline=True), '<textarea name="f:b/a"'),
        (field("datepicker"), '<input type="date"'),
        (field("users_select"), '<option value="U1">One</option>'),
        (field("conversations_select"), '<option value="C1">#ads</option>'),
        (field("multi_channels_select"), ' multiple><option value="C1">#ads</option>'),
        (field("external_select"), 'data-suggest="a"'),
        (field("radio_buttons", options=[{"text": plain("x"), "value": "v"}]), '<input type="radio"'),
        ({"type": "unheard-of"}, "<pre>{"),
    ],
)
def test_what_a_block_looks_like(block: dict[str, Any], shown: str) -> None:
    assert shown in drawn(block)


def test_a_date_in_a_message_is_a_form_of_its_own() -> None:
    picker = {"type": "datepicker", "action_id": "day"}
    html = drawn({"type": "actions", "block_id": "a", "elements": [picker]})
    assert '<form class="pick"' in html
    assert '<input type="date" name="value" aria-label="day"' in html
