"""What people write in a forum, to Markdown: BBCode, mentions of pictures, emoji codes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

_NAMES = (
    "quote|details|spoiler|blur|hide|b|i|u|s|size|color|font|left|right|center|justify|poll|date|url|email|img|"
    "list|ul|ol|li|table|tr|td|th|wrap|grid|sub|sup|highlight|note|chat|policy|event|timezones"
)
_TOKEN = re.compile(
    r"(?P<fence>^(?P<mark>`{3,}|~{3,}).*?(?:^(?P=mark)[`~]*[ \t]*$|\Z))"
    r"|(?P<span>`[^`\n]+`)"
    r"|^(?P<lead>[ \t]*)(?P<url>https?://[^\s<>\[\]]+)[ \t]*$"
    r"|\[code[^\]\n]{0,30}\](?P<code>.{0,10000}?)\[/code\]"
    rf"|\[(?P<close>/?)(?P<name>{_NAMES}|\*)(?P<arg>(?:=|[ \t]+)[^\]\n]{{0,300}})?\](?!\()",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
"""No part of it looks further than a bound, or takes all that it looked at."""
_DEEPEST = 20
"""Tags within tags. What is deeper stands without its own."""
_SHORT = re.compile(r"(?P<image>!?)\[(?P<text>[^\[\]\n]*)\]\(upload://(?P<id>[A-Za-z0-9_.-]+)\)")
_EMOJI = re.compile(r"(?<![\w:/]):(?P<name>[a-z][a-z0-9_+-]*)(?::t[2-6])?:(?![\w:/])")
_SIGNS = {
    "white_check_mark": "✅",
    "heavy_check_mark": "✔",
    "ballot_box_with_check": "☑",
    "check": "✔",
    "x": "❌",
    "negative_squared_cross_mark": "❎",
    "no_entry": "⛔",
    "no_entry_sign": "🚫",
    "prohibited": "🚫",
    "underage": "🔞",
    "warning": "⚠",
    "exclamation": "❗",
    "bangbang": "‼",
    "question": "❓",
    "information_source": "ℹ",
    "+1": "👍",
    "-1": "👎",
    "thumbsup": "👍",
    "thumbsdown": "👎",
    "red_circle": "🔴",
    "green_circle": "🟢",
    "arrow_right": "→",
}
"""Codes that can carry a rule. Other codes stay as they were written."""
_ORNAMENTS = frozenset(
    "smile smiley slight_smile grin grinning blush wink laughing joy heart tada rocket wave pray clap fire star "
    "sparkles sunglasses thinking eyes bulb pencil memo mega loudspeaker point_right point_down books "
    "bookmark link calendar hugs raised_hands relaxed disappointed cry sob sweat_smile".split()
)


@dataclass(slots=True)
class _Open:
    """A tag that is open, and what stands in it so far."""

    name: str
    argument: str
    parts: list[str] = field(default_factory=list)


def markdown_of(raw: str, base_url: str) -> str:
    """`raw` as Discourse stores a post. Code stays as it is. `base_url`: of the forum, without a slash at its end."""
    stack = [_Open("", "")]
    at = 0
    for match in _TOKEN.finditer(raw):
        stack[-1].parts.append(_plain(raw[at : match.start()], base_url))
        at = match.end()
        if match["name"] is None:
            stack[-1].parts.append(_kept(match))
        elif match["name"] == "*":
            stack[-1].parts.append("\n- ")
        else:
            _apply(stack, match)
    stack[-1].parts.append(_plain(raw[at:], base_url))
    while len(stack) > 1:
        _close(stack, is_ended=False)
    return re.sub(r"\n{3,}", "\n\n", "".join(stack[0].parts)).strip()


def _kept(match: re.Match[str]) -> str:
    """Code, and a link alone on its line, which Discourse shows as a preview."""
    if match["url"] is not None:
        return f"{match['lead']}<{match['url']}>"
    return _code(match["code"]) if match["code"] is not None else match[0]


def _apply(stack: list[_Open], match: re.Match[str]) -> None:
    name = match["name"].lower()
    if not match["close"]:
        if len(stack) <= _DEEPEST:
            stack.append(_Open(name, (match["arg"] or "").lstrip("= \t").strip()))
        if name == "date":  # it has no end
            _close(stack)
    elif any(tag.name == name for tag in stack):
        while stack[-1].name != name:
            _close(stack, is_ended=False)
        _close(stack)


def _close(stack: list[_Open], *, is_ended: bool = True) -> None:
    """One that never ended and is a letter was none: "part [i] of the list"."""
    tag = stack.pop()
    text = "".join(tag.parts)
    if not is_ended and len(tag.name) == 1:
        stack[-1].parts.append(f"[{tag.name}]{text}")
        return
    write = _WRITERS.get(tag.name)
    stack[-1].parts.append(write(tag.argument, text) if write else text)


def _quote(argument: str, text: str) -> str:
    """`[quote="user, post:1, topic:2"]`: whose words they are stands above them."""
    who = _unquoted(argument).split(",", 1)[0].strip()
    body = f"{escaped(who)}:\n\n{text.strip()}" if who else text.strip()
    return "\n\n" + "\n".join(f"> {line}".rstrip() for line in body.split("\n")) + "\n\n"


def _details(argument: str, text: str) -> str:
    title = _unquoted(argument)
    heading = f"**{escaped(title)}**\n\n" if title else ""
    return f"\n\n{heading}{text.strip()}\n\n"


def _around(mark: str) -> Callable[[str, str], str]:
    def write(_: str, text: str) -> str:
        bare = text.strip()
        return f"{mark}{bare}{mark}" if bare and "\n" not in bare else text

    return write


def _link(argument: str, text: str) -> str:
    target = _unquoted(argument) or text.strip().strip("<>")
    if not re.fullmatch(r"https?://[^\s<>()]+", target):
        return text
    return f"[{text.strip()}]({target})" if argument else f"<{target}>"


def _picture(_: str, text: str) -> str:
    return f"![]({text.strip()})" if re.fullmatch(r"https?://[^\s<>()]+", text.strip()) else ""


def _code(text: str) -> str:
    return f"\n\n```\n{text.strip()}\n```\n\n" if "\n" in text.strip() else f"`{text.strip()}`"


def _date(argument: str, _: str) -> str:
    """`[date=2026-05-01 time=09:00:00 timezone="Europe/Paris"]`."""
    found = re.fullmatch(r"(\S+)(?:\s+time=([\d:]+))?(.*)", argument)
    zone = re.search(r'timezone="?([\w/+-]+)', argument)
    words = [found[1], found[2] or ""] if found else [argument]
    return " ".join(word for word in (*words, zone[1] if zone else "") if word)


def _block(_: str, text: str) -> str:
    return f"\n\n{text.strip()}\n\n"


_WRITERS: dict[str, Callable[[str, str], str]] = {
    "quote": _quote,
    "details": _details,
    "b": _around("**"),
    "i": _around("*"),
    "s": _around("~~"),
    "url": _link,
    "img": _picture,
    "date": _date,
    "li": lambda _, text: f"\n- {text.strip()}",
    "tr": lambda _, text: f"\n{text.strip()}",
    "td": lambda _, text: f"{text.strip()} ",
    "th": lambda _, text: f"{text.strip()} ",
    **dict.fromkeys(("poll", "list", "ul", "ol", "wrap", "grid", "table", "center", "note", "chat", "policy"), _block),
}


def _plain(text: str, base_url: str) -> str:
    """What stands between tags."""

    def upload(match: re.Match[str]) -> str:
        words = re.sub(r"\|[^|\]]*$", "", re.sub(r"\|\d+x\d+(?:,\s*\d+%)?", "", match["text"]))
        return f"{match['image']}[{words}]({base_url}/uploads/short-url/{match['id']})"

    text = _SHORT.sub(upload, text)
    return _EMOJI.sub(lambda match: _SIGNS.get(match["name"], "" if match["name"] in _ORNAMENTS else match[0]), text)


def _unquoted(argument: str) -> str:
    return argument.strip().strip('"“”').strip()


def escaped(text: str) -> str:
    """`text` with nothing in it that Markdown would read as mark-up."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", text)
