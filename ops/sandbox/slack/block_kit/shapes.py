"""Rules for JSON values, put together from small ones, and Slack's way to complain about what breaks them."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

Found = Iterator[str]
"""Complaints, as Slack words them: `must be ... [json-pointer:/blocks/0/text]`."""
Rule = Callable[[object, str], Found]
"""(value, JSON pointer of its place) -> what is wrong with it."""


def complaint(what: str, where: str) -> str:
    return f"{what} [json-pointer:{where}]"


def string(longest: int, shortest: int = 1) -> Rule:
    def check(value: object, where: str) -> Found:
        if not isinstance(value, str):
            yield complaint("must be a string", where)
        elif len(value) < shortest:
            yield complaint(f"must be more than {shortest - 1} characters", where)
        elif len(value) > longest:
            yield complaint(f"must be less than {longest + 1} characters", where)

    return check


def pattern(expression: str, called: str) -> Rule:
    def check(value: object, where: str) -> Found:
        if not isinstance(value, str) or not re.fullmatch(expression, value):
            yield complaint(f"must be {called}", where)

    return check


def number(least: int, most: int) -> Rule:
    def check(value: object, where: str) -> Found:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            yield complaint(f"must be a number from {least} to {most}", where)

    return check


def boolean(value: object, where: str) -> Found:
    if not isinstance(value, bool):
        yield complaint("must be a boolean", where)


def one_of(*allowed: str) -> Rule:
    def check(value: object, where: str) -> Found:
        if value not in allowed:
            yield complaint(f"must be one of {', '.join(allowed)}", where)

    return check


def items(each: Rule, most: int, least: int = 1) -> Rule:
    """A list of `least` to `most` values, each by its rule."""

    def check(value: object, where: str) -> Found:
        if not isinstance(value, list):
            yield complaint("must be a list", where)
        elif len(value) < least:
            yield complaint(f"no less than {least} items allowed", where)
        elif len(value) > most:
            yield complaint(f"no more than {most} items allowed", where)
        else:
            for place, item in enumerate(value):
                yield from each(item, f"{where}/{place}")

    return check


def fields(required: Mapping[str, Rule], optional: Mapping[str, Rule], *further: Rule) -> Rule:
    """An object with these properties and no other but `type`; `further` rules look at the whole of it."""
    known = {**required, **optional}

    def check(value: object, where: str) -> Found:
        if not isinstance(value, dict):
            yield complaint("must be an object", where)
            return
        for name in sorted(str(each) for each in value.keys() - known.keys() - {"type"}):
            yield complaint(f"invalid additional property: {name}", where)
        for name, rule in known.items():
            if name in value:
                yield from rule(value[name], f"{where}/{name}")
            elif name in required:
                yield complaint(f"missing required field: {name}", where)
        for rule in further:
            yield from rule(value, where)

    return check


def typed(known: Mapping[str, Rule]) -> Rule:
    """An object whose `type` picks its rule."""

    def check(value: object, where: str) -> Found:
        kind = value.get("type") if isinstance(value, dict) else None
        rule = known.get(kind) if isinstance(kind, str) else None
        if rule is None:
            yield complaint(f"unsupported type: {kind}", where)
        else:
            yield from rule(value, where)

    return check


def unique(name: str, within: str) -> Rule:
    """Of the objects in the list `within`, no two have the same `name`."""

    def check(value: object, where: str) -> Found:
        listed = value.get(within) if isinstance(value, dict) else None
        yield from repeated(listed if isinstance(listed, list) else (), name, where)

    return check


def repeated(listed: Sequence[object], name: str, where: str) -> Found:
    """A complaint for each `name` that several of the objects have."""
    seen: dict[object, int] = {}
    for each in listed:
        found = each.get(name) if isinstance(each, dict) else None
        if isinstance(found, str):
            seen[found] = seen.get(found, 0) + 1
    for found, times in seen.items():
        if times > 1:
            yield complaint(f"{name} {found!r} is used {times} times", where)


def exactly_one(*names: str) -> Rule:
    def check(value: object, where: str) -> Found:
        if isinstance(value, dict) and sum(name in value for name in names) != 1:
            yield complaint(f"must define exactly one of {', '.join(names)}", where)

    return check


def at_least_one(*names: str) -> Rule:
    def check(value: object, where: str) -> Found:
        if isinstance(value, dict) and not value.keys() & set(names):
            yield complaint(f"must define either {' or '.join(names)}", where)

    return check


def anything(_value: object, _where: str) -> Found:
    yield from ()


def text(longest: int, kinds: Collection[str] = ("mrkdwn", "plain_text")) -> Rule:
    """A text object."""
    rules = {
        "mrkdwn": fields({"text": string(longest)}, {"verbatim": boolean}),
        "plain_text": fields({"text": string(longest)}, {"emoji": boolean}),
    }

    def check(value: object, where: str) -> Found:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in kinds:
            yield complaint(f"must be a text object of type {' or '.join(kinds)}", where)
        else:
            yield from rules[kind](value, where)

    return check


def plain(longest: int) -> Rule:
    return text(longest, ("plain_text",))
