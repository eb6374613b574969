"""The fields in which a scope is chosen: platform, place, material, day. The same in every modal that has them; the
names are `block_id` and `action_id` of each."""

from collections.abc import Sequence

from bot.model.visible import one_line, shorten
from bot.render.blocks import Block
from bot.render.scope_form import (
    DAY,
    LONGEST_PLACES,
    LONGEST_SLUG,
    MATERIAL,
    NOTHING_CHOSEN,
    PLACE,
    PLATFORM,
    ScopeChosen,
)
from bot.wording import answers as wording
from bot.wording.names import content_type_name, sentence, source_name
from rag_core.documents import ContentType, PolicySource

_MOST_OPTIONS, _OPTION_TEXT = 100, 75


def scope_inputs(sources: Sequence[PolicySource], chosen: ScopeChosen = NOTHING_CHOSEN) -> list[Block]:
    """Input blocks, none of which has to be filled in. `sources`: those that whoever fills them in may see."""
    return [*_platform(sources, chosen), _place(chosen), _material(chosen), _day(chosen)]


def _platform(sources: Sequence[PolicySource], chosen: ScopeChosen) -> list[Block]:
    names = {each.slug: each.display_name for each in sources}
    offered = [slug for slug in names if len(slug) <= LONGEST_SLUG][:_MOST_OPTIONS]
    if not offered:  # Slack takes no menu without options
        return []
    options = [_option(source_name(slug, names), slug) for slug in offered]
    menu = _menu(PLATFORM, wording.ANY_PLATFORM, options, chosen.policy_sources)
    return [_input(PLATFORM, wording.PLATFORM_LABEL, menu)]


def _place(chosen: ScopeChosen) -> Block:
    field: Block = {
        "type": "plain_text_input",
        "action_id": PLACE,
        "max_length": LONGEST_PLACES,
        "placeholder": _plain(wording.PLACE_EXAMPLE),
    }
    if chosen.typed_places:
        field["initial_value"] = chosen.typed_places
    return _input(PLACE, wording.PLACE_LABEL, field, wording.PLACE_HINT)


def _material(chosen: ScopeChosen) -> Block:
    options = [_option(sentence(content_type_name(each)), each.value) for each in ContentType]
    menu = _menu(MATERIAL, wording.ANY_MATERIAL, options, chosen.content_types)
    return _input(MATERIAL, wording.MATERIAL_LABEL, menu)


def _day(chosen: ScopeChosen) -> Block:
    field: Block = {"type": "datepicker", "action_id": DAY, "placeholder": _plain(wording.TODAY)}
    if chosen.as_of is not None:
        field["initial_date"] = chosen.as_of.isoformat()
    return _input(DAY, wording.DAY_LABEL, field, wording.DAY_HINT)


def _menu(action_id: str, placeholder: str, options: list[Block], chosen: Sequence[str]) -> Block:
    menu: Block = {
        "type": "multi_static_select",
        "action_id": action_id,
        "placeholder": _plain(placeholder),
        "options": options,
    }
    first = [each for each in options if each["value"] in chosen]
    return {**menu, "initial_options": first} if first else menu


def _input(block_id: str, label: str, element: Block, hint: str = "") -> Block:
    block: Block = {"type": "input", "block_id": block_id, "optional": True, "label": _plain(label), "element": element}
    return {**block, "hint": _plain(hint)} if hint else block


def _option(text: str, value: str) -> Block:
    return {"text": _plain(shorten(one_line(text), _OPTION_TEXT) or value), "value": value}


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}
