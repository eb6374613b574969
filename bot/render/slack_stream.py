"""A statement while the answer still grows: Markdown, as Slack's streams take it."""

from bot.render.clean import lines
from bot.render.markdown import escape
from rag_core.answers import Statement


def streamed(statement: Statement) -> str:
    """As a quote with the numbers of its sources; the whole answer, which follows, links them."""
    shown = "\n".join(f"> {_defused(line)}" for line in lines(statement.text))
    numbers = " ".join(f"\\[{number}\\]" for number in statement.citations)
    return f"{shown} {numbers}".rstrip() + "\n\n" if shown else ""


def _defused(line: str) -> str:
    """Slack reads <!channel>, <@U...> and <http...> in Markdown, too."""
    return escape(line).replace("&", "&amp;").replace("\\<", "&lt;").replace("\\>", "&gt;")
