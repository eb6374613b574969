"""The settings as the README shows them: `python -m tests.fakes.readme` prints the table."""

from pathlib import Path

from pydantic_core import PydanticUndefined

from ops.config import PREFIX, SAMPLE_CATALOGUE, Config

ROOT = Path(__file__).resolve().parents[2]


def settings_table() -> str:
    """One row a field of Config: name, default, meaning."""
    return "\n".join(
        f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {field.description} |"
        for name, field in Config.model_fields.items()
    )


def _default(value: object) -> str:
    if value is None or value == "" or value is PydanticUndefined:
        return "none"
    if value == SAMPLE_CATALOGUE:
        return f"`{SAMPLE_CATALOGUE.relative_to(ROOT).as_posix()}`"
    return f"`{value}`"


if __name__ == "__main__":
    print(settings_table())
