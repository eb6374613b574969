"""`python -m ops settings`: every setting with its default and meaning, as the Markdown page `ops/docs/settings.md`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ops.config import PREFIX, SAMPLE_CATALOGUE, Config
from ops.wording import settings as wording

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "ops" / "docs" / "settings.md"


def settings_page() -> str:
    """The whole page: a table for each group of settings."""
    tables = (f"## {title}\n\n{_table(prefixes)}" for title, prefixes in wording.GROUPS.items())
    return "\n\n".join((wording.INTRODUCTION, *tables)) + "\n"


def print_settings(*, write: bool) -> int:
    """Prints the page, or writes it to its file; the exit code."""
    if write:
        PAGE.write_text(settings_page(), encoding="utf-8")
    else:
        print(settings_page(), end="")
    return 0


def fields_of(prefixes: Sequence[str]) -> Iterator[tuple[str, FieldInfo]]:
    """The settings whose names begin so, in the order of the settings class."""
    return ((name, field) for name, field in Config.model_fields.items() if name.startswith(tuple(prefixes)))


def _table(prefixes: Sequence[str]) -> str:
    rows = (
        f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {field.description} |"
        for name, field in fields_of(prefixes)
    )
    return "\n".join((wording.TABLE_HEAD, *rows))


def _default(value: object) -> str:
    if value is None or value == "" or value is PydanticUndefined:
        return "none"
    if value == SAMPLE_CATALOGUE:
        return f"`{SAMPLE_CATALOGUE.relative_to(ROOT).as_posix()}`"
    return f"`{value}`"
