"""A statement while the answer still grows."""

from collections.abc import Callable

from bot.render.clean import lines
from rag_core.answers import Statement


def quoted(statement: Statement, shown: Callable[[str], str], mark: str) -> str:
    """As a Markdown quote with the numbers of its sources, and a gap below; "" for one without words. `shown`: a line
    as the platform takes it; `mark`: a number, with `{}` in its place."""
    quote = "\n".join(f"> {shown(line)}" for line in lines(statement.text))
    numbers = " ".join(mark.format(number) for number in statement.citations)
    return f"{quote} {numbers}".rstrip() + "\n\n" if quote else ""
