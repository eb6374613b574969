"""A statement while the answer still grows: Markdown, as Teams' streams take it."""

from bot.render.markdown import escape, quoted
from rag_core.answers import Statement


def streamed(statement: Statement) -> str:
    """Numbers as Teams looks for them in the whole answer, where they open its sources."""
    return quoted(statement, escape, "[{}]")
