"""The pieces that blocks are made of: text objects, lists, strings, and Slack's way to complain about them."""

from collections.abc import Collection, Iterator

Found = Iterator[str]
"""Complaints, as Slack words them: `must be ... [json-pointer:/blocks/0/text]`."""


def complaint(what: str, where: str) -> str:
    return f"{what} [json-pointer:{where}]"


def only(item: dict[str, object], allowed: Collection[str], where: str) -> Found:
    """Slack refuses properties that it does not know."""
    for name in sorted(item.keys() - set(allowed) - {"type"}):
        yield complaint(f"invalid additional property: {name}", where)


def string(value: object, where: str, longest: int, shortest: int = 1) -> Found:
    if not isinstance(value, str):
        yield complaint("must be a string", where)
    elif len(value) < shortest:
        yield complaint(f"must be more than {shortest - 1} characters", where)
    elif len(value) > longest:
        yield complaint(f"must be less than {longest + 1} characters", where)


def optional(item: dict[str, object], name: str, where: str, longest: int) -> Found:
    """A string that may be left out."""
    if name in item:
        yield from string(item[name], f"{where}/{name}", longest)


def text_object(value: object, where: str, longest: int, kinds: Collection[str] = ("mrkdwn", "plain_text")) -> Found:
    if not isinstance(value, dict) or value.get("type") not in kinds:
        yield complaint(f"must be a text object of type {' or '.join(kinds)}", where)
        return
    extra = "verbatim" if value["type"] == "mrkdwn" else "emoji"
    yield from only(value, ("text", extra), where)
    yield from string(value.get("text"), f"{where}/text", longest)
    if extra in value and not isinstance(value[extra], bool):
        yield complaint("must be a boolean", f"{where}/{extra}")


def plain(value: object, where: str, longest: int) -> Found:
    yield from text_object(value, where, longest, ("plain_text",))


def items(value: object, where: str, most: int) -> list[tuple[str, dict[str, object]]] | str:
    """The objects of a list with their places, or the complaint about the list."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return complaint("must be a list of objects", where)
    if not value:
        return complaint("no less than 1 items allowed", where)
    if len(value) > most:
        return complaint(f"no more than {most} items allowed", where)
    return [(f"{where}/{place}", each) for place, each in enumerate(value)]
