"""A statement while the answer still grows: Markdown, as Slack's streams take it."""

from bot.render.markdown import escape
from bot.render.streamed import quoted
from rag_core.answers import Statement


def streamed(statement: Statement) -> str:
    """The whole answer, which follows, links its numbers."""
    return quoted(statement, _defused, "\\[{}\\]")


def _defused(line: str) -> str:
    """Slack reads <!channel>, <@U...> and <http...> in Markdown, too."""
    return escape(line).replace("&", "&amp;").replace("\\<", "&lt;").replace("\\>", "&gt;")
