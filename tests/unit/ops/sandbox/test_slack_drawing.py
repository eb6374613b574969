"""What each block and field looks like as HTML."""

from typing import Any

import pytest

from ops.sandbox.slack.page import Drawing

DRAWING = Drawing("m:C1:1.2", "here", {"U1": "@one", "C1": "#ads"}, {"U1": "One"}, {"C1": "#ads"})


def drawn(block: dict[str, Any]) -> str:
    return str(DRAWING.blocks([block]))


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def field(kind: str, **more: object) -> dict[str, Any]:
    return {"type": "input", "block_id": "b", "label": plain("L"), "element": {"type": kind, "action_id": "a", **more}}


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ({"type": "section", "text": plain("*x*")}, "<div>*x*</div>"),
        ({"type": "section", "text": {"type": "mrkdwn", "text": "*x*"}}, "<strong>x</strong>"),
        (
            {"type": "section", "text": plain("x"), "accessory": {"type": "image", "alt_text": "A cat"}},
            'aria-label="A cat"',
        ),
        ({"type": "image", "alt_text": "A cat", "image_url": "https://e.example"}, 'aria-label="A cat"'),
        ({"type": "context", "elements": [{"type": "image", "alt_text": "A cat"}]}, 'aria-label="A cat"'),
        ({"type": "table", "rows": [[{"text": "h"}], [{"text": "c"}]]}, "<tr><th>h</th></tr><tr><td>c</td></tr>"),
        (field("plain_text_input"), '<input type="text" name="f:b/a" form="modal-form" id="f:b/a"'),
        (field("plain_text_input", multiline=True), '<textarea name="f:b/a"'),
        (field("datepicker"), '<input type="date"'),
        (field("users_select"), '<option value="U1">One</option>'),
        (field("conversations_select"), '<option value="C1">#ads</option>'),
        (field("multi_channels_select"), ' multiple><option value="C1">#ads</option>'),
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
