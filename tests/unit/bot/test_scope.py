"""What a question was read as: shown beside each part of the scope, in every rendering, with how to change it."""

from datetime import date
from typing import Any, cast

import pytest

from bot import wording
from bot.model.links import Links
from bot.render.json import reply_json
from bot.render.markdown import body_markdown
from bot.render.slack.message import slack_message
from bot.render.text import reply_text
from rag_core.answers import Reply
from rag_core.documents import ContentType
from rag_core.questions import NoteKind, Scope, ScopeNote
from tests.fakes import replies

NAMES = {"acme": "Acme Ads", "sample": "Sample Ads"}
LINKS = Links("https://bot.example", NAMES)
CITY = ScopeNote(NoteKind.CITY, "Munich", ("de",))
OTHER = ScopeNote(NoteKind.OTHER_NAME, "AcmeBook", ("acme",))


def line(*notes: ScopeNote, **changes: Any) -> str:
    return wording.scope_line(replies.scope(notes=notes, **changes), NAMES)


@pytest.mark.parametrize(
    ("notes", "changes", "shown"),
    [
        ([CITY], {"regions": ("de",)}, "Place: Germany (from “Munich”)"),
        (
            [CITY],
            {"regions": ("de", "fr")},
            "Places: Germany and France (“Munich” read as Germany)",
        ),
        (
            [ScopeNote(NoteKind.PLACE_GROUP, "the Baltics", ("ee", "lv", "lt"))],
            {"regions": ("ee", "lv", "lt")},
            "Places: Estonia, Latvia and Lithuania (from “the Baltics”)",
        ),
        ([ScopeNote(NoteKind.MISSPELT_PLACE, "Germny", ("de",))], {"regions": ("de",)}, "Germany (from “Germny”)"),
        ([OTHER], {"policy_sources": ("acme",)}, "Platform: Acme Ads (from “AcmeBook”)"),
        (
            [ScopeNote(NoteKind.MISSPELT_PLATFORM, "Acmee", ("acme",))],
            {"policy_sources": ("acme", "sample")},
            "Platforms: Acme Ads and Sample Ads (“Acmee” read as Acme Ads)",
        ),
        (
            [ScopeNote(NoteKind.UNCLEAR_PLACE, "Austrla", ("at", "au"))],
            {"regions": ()},
            "Place: none named · Not taken: “Austrla” (Austria or Australia?)",
        ),
        (
            [ScopeNote(NoteKind.PLACES_LEFT_OUT, "", ("it", "es"))],
            {"regions": ("de",)},
            "Left out: Italy and Spain (ask about them separately)",
        ),
        (
            [ScopeNote(NoteKind.LABEL_WORD, "inside", ("variant=indoor",))],
            {"labels": {"variant": ("indoor",), "stage": ("live",)}, "inferred": ("labels",)},
            "variant: indoor (from “inside”) · stage: live ·",
        ),
        (
            [ScopeNote(NoteKind.LABEL_DEFAULT, "", ("variant=outdoor",))],
            {"labels": {"variant": ("outdoor",)}},
            "variant: outdoor (assumed)",
        ),
    ],
)
def test_a_part_says_from_which_words_it_was_read(notes: list[ScopeNote], changes: dict[str, Any], shown: str) -> None:
    assert shown in line(*notes, **changes)


def test_what_earlier_messages_said_is_marked_part_by_part() -> None:
    shown = line(
        ScopeNote(NoteKind.CARRIED, "", ("policy_sources", "content_types", "labels", "since", "as_of")),
        ScopeNote(NoteKind.LABEL_WORD, "inside", ("variant=indoor",)),
        policy_sources=("acme",),
        content_types=(ContentType.VIDEO,),
        labels={"variant": ("indoor",)},
        since=date(2026, 1, 1),
        inferred=("regions", "policy_sources", "content_types", "labels", "as_of"),
        assumed=(),
    )
    assert shown == (
        "Place: United Kingdom (from the question) · Platform: Acme Ads (from earlier messages) · "
        "Material: videos (from earlier messages) · variant: indoor (from earlier messages, from “inside”) · "
        "Days: 1 January 2026 to 22 November 2026 (from earlier messages)"
    )


def test_one_day_of_changes_is_a_day() -> None:
    assert line(since=date(2026, 5, 4), as_of=date(2026, 5, 4), assumed=()).endswith(" · Day: 4 May 2026")


def test_a_filter_that_was_set_is_not_explained_by_words_it_overrules() -> None:
    assert "AcmeBook" not in line(OTHER, policy_sources=("sample",))


@pytest.mark.parametrize(
    ("scope", "hint"),
    [
        (replies.scope(), ""),
        (replies.scope(notes=(OTHER, ScopeNote(NoteKind.LABEL_WORD, "inside", ("variant=indoor",)))), ""),
        (replies.scope(notes=(CITY, CITY)), "Not what you meant? Name the place and ask again."),
        (
            replies.scope(notes=(ScopeNote(NoteKind.LABEL_DEFAULT, "", ("variant=outdoor",)),)),
            "Not what you meant? Name the variant and ask again.",
        ),
        (
            replies.scope(
                labels={"variant": ("indoor",)},
                notes=(ScopeNote(NoteKind.CARRIED, "", ("policy_sources", "labels", "as_of")),),
            ),
            "Not what you meant? Name the platform, the variant and the day and ask again.",
        ),
    ],
)
def test_how_to_change_what_nobody_said_in_so_many_words(scope: Scope, hint: str) -> None:
    assert wording.scope_hint(scope) == hint


NOTED = replies.scope(
    regions=("de",),
    policy_sources=("acme",),
    notes=(
        CITY,
        OTHER,
        ScopeNote(NoteKind.UNCLEAR_PLACE, "Austrla", ("at", "au")),
        ScopeNote(NoteKind.PLACES_LEFT_OUT, "", ("it",)),
        ScopeNote(NoteKind.LABEL_DEFAULT, "", ("variant=outdoor",)),
        ScopeNote(NoteKind.CARRIED, "", ("content_types", "as_of")),
    ),
)
REPLIES: list[Reply] = [replies.answer(scope=NOTED), replies.refusal(scope=NOTED), replies.clarification(scope=NOTED)]


@pytest.mark.parametrize("reply", REPLIES)
def test_every_rendering_shows_it(reply: Reply) -> None:
    slack = cast(dict[str, Any], slack_message("x", "answer-1", reply, LINKS))
    blocks = " ".join(str(each) for each in slack["blocks"])
    flat = " ".join(reply_text("x", reply, LINKS, width=80).split())
    for shown in (flat, body_markdown(reply, LINKS), blocks):
        assert "Germany (from “Munich”)" in shown
        assert "Acme Ads (from “AcmeBook”)" in shown
        assert "Not what you meant? Name the place" in shown


def test_the_rest_shape_names_what_was_said_and_what_it_was_read_as() -> None:
    found = cast(dict[str, Any], reply_json("answer-1", REPLIES[0], LINKS, {}))
    assert found["scope"]["notes"] == [
        {"kind": "city", "said": "Munich", "meant": ["de"], "text": "“Munich” was read as Germany."},
        {"kind": "other_name", "said": "AcmeBook", "meant": ["acme"], "text": "“AcmeBook” was read as Acme Ads."},
        {
            "kind": "unclear_place",
            "said": "Austrla",
            "meant": ["at", "au"],
            "text": "“Austrla” was not taken as a place: it may mean Austria or Australia.",
        },
        {
            "kind": "places_left_out",
            "said": "",
            "meant": ["it"],
            "text": "Left out: Italy. Ask about them separately.",
        },
        {
            "kind": "label_default",
            "said": "",
            "meant": ["variant=outdoor"],
            "text": "variant outdoor was assumed.",
        },
        {
            "kind": "carried",
            "said": "",
            "meant": ["content_type", "as_of"],
            "text": "From earlier messages: the material and the day.",
        },
    ]
    assert "notes" not in cast(dict[str, Any], reply_json("a", replies.answer(), LINKS, {})["scope"])
