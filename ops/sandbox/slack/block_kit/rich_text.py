"""Rich text and tables: text as a tree instead of as mark-up."""

from ops.sandbox.slack.block_kit.shapes import (
    Found,
    Rule,
    anything,
    boolean,
    complaint,
    fields,
    items,
    number,
    one_of,
    string,
    typed,
)

MOST_ROWS = 100
MOST_COLUMNS = 20
_LONG = 40_000

_STYLES = ("bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink")
_STYLE = fields({}, dict.fromkeys(_STYLES, boolean))
_ID = string(255)


def _leaf(required: dict[str, Rule], optional: dict[str, Rule] | None = None) -> Rule:
    return fields(required, {"style": _STYLE, **(optional or {})})


_TEXT = _leaf({"text": string(_LONG)})
_LINK = _leaf({"url": string(3000)}, {"text": string(_LONG, shortest=0), "unsafe": boolean})
_LEAVES = typed(
    {
        "text": _TEXT,
        "link": _LINK,
        "user": _leaf({"user_id": _ID}),
        "channel": _leaf({"channel_id": _ID}),
        "usergroup": _leaf({"usergroup_id": _ID}),
        "team": _leaf({"team_id": _ID}),
        "broadcast": _leaf({"range": one_of("here", "channel", "everyone")}),
        "emoji": _leaf({"name": _ID}, {"unicode": _ID, "url": string(3000), "skin_tone": anything}),
        "color": _leaf({"value": _ID}),
        "date": _leaf(
            {"timestamp": number(0, 2**40), "format": string(255)}, {"url": string(3000), "fallback": string(255)}
        ),
    }
)
_BORDER = number(0, 1)
_SECTION = fields({"elements": items(_LEAVES, 1000, least=0)}, {})

RICH_TEXT = fields(
    {
        "elements": items(
            typed(
                {
                    "rich_text_section": _SECTION,
                    "rich_text_quote": fields({"elements": items(_LEAVES, 1000, least=0)}, {"border": _BORDER}),
                    "rich_text_preformatted": fields(
                        {"elements": items(typed({"text": _TEXT, "link": _LINK}), 1000, least=0)},
                        {"border": _BORDER, "language": _ID},
                    ),
                    "rich_text_list": fields(
                        {
                            "style": one_of("bullet", "ordered"),
                            "elements": items(typed({"rich_text_section": _SECTION}), 1000),
                        },
                        {"indent": number(0, 8), "border": _BORDER, "offset": number(0, 1000)},
                    ),
                }
            ),
            100,
        )
    },
    {"block_id": _ID},
)

_CELL = typed({"raw_text": fields({"text": string(_LONG)}, {}), "rich_text": RICH_TEXT})
_COLUMN = fields({}, {"align": one_of("left", "center", "right"), "is_wrapped": boolean})


def _column(value: object, where: str) -> Found:
    """A column's settings, or null for none."""
    if value is not None:
        yield from _COLUMN(value, where)


def _same_width(value: object, where: str) -> Found:
    rows = value.get("rows") if isinstance(value, dict) else None
    if isinstance(rows, list) and len({len(each) for each in rows if isinstance(each, list)}) > 1:
        yield complaint("all rows must have the same number of cells", f"{where}/rows")


TABLE = fields(
    {"rows": items(items(_CELL, MOST_COLUMNS), MOST_ROWS)},
    {"block_id": _ID, "column_settings": items(_column, MOST_COLUMNS)},
    _same_width,
)
