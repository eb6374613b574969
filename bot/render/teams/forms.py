"""What is filled in in dialogs of Teams: a scope, a channel to share to, what was wrong with an answer.

`data` is that of the button that submits, signed (`bot.render.teams.view`). What people wrote before stands in the
fields again when something was wrong with it, and what was wrong above them, in words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot import wording
from bot.render.scope_form import DAY, LONGEST_PLACES, LONGEST_SLUG, MATERIAL, PLACE, PLATFORM
from bot.render.teams.elements import (
    Element,
    card,
    choice_input,
    date_input,
    small,
    submit,
    text_block,
    text_input,
    texts,
)
from bot.render.teams.text import bold, escape, plain, shortened
from bot.wording import answers as said
from bot.wording import answers as scope_said
from bot.wording import teams as told
from bot.wording.names import content_type_name, sentence, source_name
from rag_core.documents import ContentType, PolicySource

ONCE = "once"
"""The field of the data that makes a dialog ask once, however often it is submitted."""

SHARE_TO, REASONS, COMMENT = "share_to", "feedback_reasons", "feedback_comment"
"""Ids of inputs."""

Data = Mapping[str, object]
_QUESTION, _MOST_OPTIONS = 400, 100


@dataclass(frozen=True, slots=True)
class ScopeTyped:
    """What the fields of a scope say: slugs, places as they are typed, kinds of material, an ISO day."""

    platforms: tuple[str, ...] = ()
    places: str = ""
    materials: tuple[str, ...] = ()
    day: str = ""


def note_card(*sentences: str) -> Element:
    """Sentences, where nothing but a card can be shown; names in them are escaped here."""
    return card(texts([escape(each) for each in sentences]), fallback=plain(" ".join(sentences), 1_000))


def scope_card(
    question: str, sources: Sequence[PolicySource], typed: ScopeTyped, data: Data, errors: Sequence[str] = ()
) -> Element:
    """Asks the question again with another scope. `sources`: those that whoever fills it in may see."""
    names = {each.slug: each.display_name for each in sources if len(each.slug) <= LONGEST_SLUG}
    platforms = [(slug, source_name(slug, names)) for slug in list(names)[:_MOST_OPTIONS]]
    materials = [(each.value, sentence(content_type_name(each))) for each in ContentType]
    fields = [
        text_input(
            PLACE,
            scope_said.PLACE_LABEL,
            placeholder=scope_said.PLACE_EXAMPLE,
            maxLength=LONGEST_PLACES,
            **({"value": plain(typed.places, LONGEST_PLACES)} if typed.places else {}),
        ),
        small(scope_said.PLACE_HINT),
        _menu(MATERIAL, scope_said.MATERIAL_LABEL, materials, typed.materials, scope_said.ANY_MATERIAL),
        date_input(DAY, scope_said.DAY_LABEL, typed.day),
        small(scope_said.DAY_HINT),
    ]
    if platforms:
        menu = _menu(PLATFORM, scope_said.PLATFORM_LABEL, platforms, typed.platforms, scope_said.ANY_PLATFORM)
        fields = [menu, *fields]
    return card([*_asked(question), *_wrong(errors), *fields], [submit(said.ASK_AGAIN, data)])


def share_card(
    question: str, places: Sequence[tuple[str, str]], data: Data, errors: Sequence[str] = (), *, is_part: bool = False
) -> Element:
    """`places`: (value, name) of those that can be shared to; with none, how to come to one. `is_part`: there may be
    more, which could not be looked up."""
    body = [*_asked(question), *_wrong(errors)]
    more = [small(told.SOME_PLACES_UNKNOWN)] if is_part else []
    if not places:
        return card([*body, text_block(told.NO_PLACES_TO_SHARE), *more])
    menu = choice_input(SHARE_TO, told.SHARE_TO_LABEL, places, isRequired=True, errorMessage=told.CHOOSE_A_PLACE)
    return card([*body, menu, *more, text_block(said.SHARE_EXPLAINED)], [submit(said.SHARE_SUBMIT, data)])


def feedback_card(reasons: Sequence[tuple[str, str]], longest: int, data: Data, errors: Sequence[str] = ()) -> Element:
    """Why an answer was not useful: `reasons` as value and text, and a comment of at most `longest` characters."""
    body = [
        *_wrong(errors),
        choice_input(REASONS, said.REASONS_LABEL, reasons, several=True),
        text_input(COMMENT, said.COMMENT_LABEL, isMultiline=True, maxLength=longest),
        small(said.COMMENT_HINT),
    ]
    return card(body, [submit(said.SEND, data)])


def _menu(name: str, label: str, choices: Sequence[tuple[str, str]], chosen: Sequence[str], none: str) -> Element:
    return choice_input(name, label, choices, chosen, several=True, placeholder=none)


def _asked(question: str) -> list[Element]:
    return [text_block(f"{bold(wording.QUESTION_LABEL)}: {shortened(question, _QUESTION)}")]


def _wrong(errors: Sequence[str]) -> list[Element]:
    """In words, and with a sign before it: a colour says nothing to some."""
    return [text_block(f"⚠ {shortened(each, _QUESTION)}", weight="Bolder", color="Attention") for each in errors]
