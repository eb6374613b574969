"""Messages that are made to keep a server busy: read in no time, whatever stands in them.

What a person may paste is as long as Teams lets it be, and all other people wait while it is read. Without its guard
each of these takes longer than is allowed here, some of them for ever.
"""

import time
from typing import Any

import pytest

from adapters.teams.messages import said_to
from tests.fakes.teams import CHANNEL, activity
from tests.fakes.teams_ways import mention, person_mention

SECONDS = 3
"""Of the processor, so that a busy machine does not count."""

MANY = 20_000


def quoting(quoted: str) -> dict[str, Any]:
    content = f"<blockquote>{quoted}</blockquote><p>and cider?</p>"
    return {"attachments": [{"contentType": "text/html", "content": content}]}


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("&gt; " * 30 + "beer?", quoting("&gt; " * 22 + "wine?")),
        (">" * 60 + "beer?", quoting("> " * 25 + "wine?")),
        ("&nbsp;" * 30 + "beer?", quoting("&amp;nbsp; " * 22 + "wine?")),
        ("beer?", {"attachments": [{"contentType": "text/html", "content": "<blockquote>" * MANY}]}),
        ("a" + " " * MANY + "beer?", {}),
        ("```" + " " * MANY + "beer?", {"textFormat": "markdown"}),
        ("<at>Person 9</at>" * 3_000, {"entities": [person_mention(2), mention()] * 250}),
    ],
    ids=["quoted marks", "bare marks", "quoted spaces", "open quotations", "spaces", "open code", "mentions"],
)
def test_no_text_keeps_the_server_busy(text: str, more: dict[str, Any]) -> None:
    message = activity(text, where=CHANNEL, **more)
    began = time.process_time()
    said_to(message)
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    ("quoted", "text", "left"),
    [
        ("&gt; beer?", "&gt; beer? and cider?", "and cider?"),
        ("a&gt;b &amp; c", "a&gt;b &amp; c and cider?", "and cider?"),
        ("a &amp; c", "a & c and cider?", "and cider?"),
        ("&gt; &gt;", "&gt; and cider?", "and cider?"),
        ("beer and wine", "beer or wine and cider?", "beer or wine and cider?"),
    ],
)
def test_quotations_are_still_told_from_what_was_typed(quoted: str, text: str, left: str) -> None:
    assert said_to(activity(text, where=CHANNEL, **quoting(quoted))).text == left


def test_of_two_quotations_the_one_that_it_begins_with_is_left_out() -> None:
    quoted = "beer?</blockquote><p>x</p><blockquote>wine?"
    assert said_to(activity("wine? and cider?", where=CHANNEL, **quoting(quoted))).text == "and cider?"
