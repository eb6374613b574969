"""Policy documents made up for measuring: half HTML, half Markdown, of varied length and structure, no two the same.

They have what real ones have: headings of three levels, prose, nested lists, tables, headings of countries, and in
HTML a page's furniture around it. The words are this project's own; a number in most sentences keeps texts apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from random import Random

MEAN_BYTES = 13_000
"""The mean size of the documents as files; single ones have between a fifth and three times as much."""

_GOODS = (
    "alcohol, gambling, lotteries, dietary supplements, cosmetics, loans, insurance, crypto assets, dating services, "
    "political messages, weight loss, medicines, knives, fireworks, tobacco, e-cigarettes, used cars, tickets, "
    "subscriptions, mobile games, toys, contact lenses, travel, housing, jobs, courses, event sponsoring, pet food"
).split(", ")
_PLACES = (
    "Germany, France, the United Kingdom, Spain, Italy, Poland, the United States, Canada, Mexico, Brazil, India, "
    "Japan, Australia, Turkey, Norway, Sweden, Belgium, the Netherlands, Austria, Ireland"
).split(", ")
_WHO = ("Advertisers", "Agencies", "Resellers", "Publishers", "Account holders", "Sellers", "Brands", "Partners")
_MUST = (
    "must hold a licence that was issued by authority",
    "may show these ads only to people older than",
    "must not promise results within fewer days than",
    "have to state the full price, with all fees above",
    "need our written approval, which takes business days:",
    "must repeat the notice on the landing page in point size",
    "may not use pictures of people who seem younger than",
    "should keep the records of every claim for months:",
)
_WHY = (
    "This holds for text, images and videos alike.",
    "The landing page counts as part of the ad.",
    "We remove ads that break this rule and may suspend the account.",
    "See the section above for how to ask for a review.",
    "What the law of a place forbids stays forbidden there.",
    "Exceptions are listed in the table below.",
)
_TOPICS = ("What is allowed", "What is not allowed", "Conditions", "Age limits", "Claims", "Landing pages", "Examples",
           "Exceptions", "Reviews and appeals", "Targeting", "Notices", "Definitions")  # fmt: skip
_LONGEST_PART = 14


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with what follows it. `items`: (level from 0, text). `rows`: the first one is the header."""

    level: int
    heading: str
    prose: tuple[str, ...]
    items: tuple[tuple[int, str], ...]
    rows: tuple[tuple[str, ...], ...]


def write_corpus(folder: Path, documents: int, seed: int = 5) -> None:
    """The made documents as files in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(documents):
        path = folder / f"policy_{number:05}.{'md' if number % 2 else 'html'}"
        path.write_text(made_document(number, seed), encoding="utf-8")


def write_long_document(path: Path, sections: int, changed: frozenset[int] = frozenset()) -> None:
    """A Markdown document of which every section is one chunk; those in `changed` say something else."""
    parts = ["# A made handbook\n"]
    for at in range(sections):
        days = 90 if at in changed else 30
        parts.append(f"## Goods of kind {at}\n\nAds for goods of kind {at} need a review every {days} days.\n")
    path.write_text("\n".join(parts), encoding="utf-8")


def files_below(folder: Path) -> list[Path]:
    """All files in a folder and the folders below it."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def made_document(number: int, seed: int = 5) -> str:
    """The document of this number: HTML if it is even, else Markdown."""
    random = Random(f"{seed}:{number}")  # noqa: S311 - no secret
    size = MEAN_BYTES * random.triangular(0.2, 2.2, 0.6) / _OVERHEAD[number % 2]
    title = f"{random.choice(_GOODS).capitalize()} and {random.choice(_GOODS)}: policy {number}"
    parts: list[Part] = []
    while sum(map(_length, parts)) < size:
        parts.append(_part(random, number, len(parts)))
    return as_markdown(title, parts) if number % 2 else as_html(title, parts)


_OVERHEAD = (1.43, 1.14)
"""Bytes of the file for each character of text asked for, in HTML and in Markdown: mark-up, and the last part."""


def _length(part: Part) -> int:
    return sum(map(len, part.prose)) + sum(len(item) for _, item in part.items) + sum(map(len, map(str, part.rows)))


def _part(random: Random, number: int, at: int) -> Part:
    kind = random.random()
    if kind < 0.2:  # a place's own rules
        level, heading = 3, random.choice(_PLACES).removeprefix("the ")
    else:
        level = 2 if not at or kind < 0.55 else 3
        heading = f"{random.choice(_TOPICS)} for {random.choice(_GOODS)}"
    prose = [" ".join(_sentences(random, number, random.randint(1, 6))) for _ in range(random.randint(1, 3))]
    items: list[tuple[int, str]] = []
    if random.random() < 0.55:
        prose.append("The following is not allowed:" if random.random() < 0.5 else "Ads must meet all of these:")
        items = [
            (at and random.randint(0, 1), _sentence(random, number)) for at in range(random.randint(3, _LONGEST_PART))
        ]
    rows: list[tuple[str, ...]] = []
    if random.random() < 0.15:
        rows = [("Country", "Allowed?", "Condition")]
        chosen = random.sample(_PLACES, random.randint(3, 12))
        rows += [(place, random.choice(("Yes", "No", "With approval")), _sentence(random, number)) for place in chosen]
    return Part(level, heading, tuple(prose), tuple(items), tuple(rows))


def _sentences(random: Random, number: int, count: int) -> list[str]:
    return [random.choice(_WHY) if random.random() < 0.15 else _sentence(random, number) for _ in range(count)]


def _sentence(random: Random, number: int) -> str:
    where = f" in {random.choice(_PLACES)}" if random.random() < 0.25 else ""
    who, goods, must = random.choice(_WHO), random.choice(_GOODS), random.choice(_MUST)
    return f"{who} of {goods}{where} {must} {random.randrange(1000)}-{number}."


def as_markdown(title: str, parts: Sequence[Part]) -> str:
    """The parts of a document as a Markdown file."""
    lines = [f"# {title}", ""]
    for part in parts:
        lines += [f"{'#' * part.level} {part.heading}", ""]
        for paragraph in part.prose:
            lines += [paragraph, ""]
        lines += [f"{'  ' * level}- {item}" for level, item in part.items]
        lines += [""] if part.items else []
        for at, row in enumerate(part.rows):
            lines += [f"| {' | '.join(row)} |"] + ([f"|{' --- |' * len(row)}"] if not at else [])
        lines += [""] if part.rows else []
    return "\n".join(lines)


def as_html(title: str, parts: Sequence[Part]) -> str:
    """The parts of a document as a page, with what stands around the text on a real one."""
    links = "".join(f'<li><a href="/help/{at}">{topic}</a></li>' for at, topic in enumerate(_TOPICS))
    body = "\n".join(_html_part(at, part) for at, part in enumerate(parts))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        "<style>body{font-family:sans-serif}</style></head>\n"
        f'<body><header><nav><ul>{links}</ul></nav></header>\n<main class="article">\n<h1>{escape(title)}</h1>\n'
        f"{body}\n</main>\n<footer><p>This page was made up.</p><ul>{links}</ul></footer></body></html>\n"
    )


def _html_part(at: int, part: Part) -> str:
    lines = [f'<section class="part"><h{part.level} id="part-{at}">{escape(part.heading)}</h{part.level}>']
    lines += [f"<p>{escape(text)}</p>" for text in part.prose]
    lines += _html_list(part.items) if part.items else []
    if part.rows:
        head, *rows = part.rows
        lines += ["<table><thead><tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr></thead><tbody>"]
        lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
        lines += ["</tbody></table>"]
    return "\n".join([*lines, "</section>"])


def _html_list(items: Sequence[tuple[int, str]]) -> list[str]:
    lines, depth = ["<ul>"], 0
    for at, (level, item) in enumerate(items):
        if level > depth:
            lines.append("<ul>")
        elif level < depth:
            lines.append("</ul></li>")
        depth = level
        below = at + 1 < len(items) and items[at + 1][0] > level
        lines.append(f"<li>{escape(item)}" + ("" if below else "</li>"))
    return [*lines, "</ul></li></ul>" if depth else "</ul>"]
