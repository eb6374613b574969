"""Two versions of a rule with the differing words in bold."""

from collections.abc import Callable, Iterator, Sequence

from bot.model.visible import one_line
from bot.render.mrkdwn import escape
from rag_core.changes.words import word_edits

Span = tuple[int, int]


def marked_versions(
    before: str, after: str, limit: int, inert: Callable[[str], str] = escape, strong: str = "*"
) -> tuple[str, str] | None:
    """Both texts inert and marked, as mrkdwn unless said otherwise; None where one of them would be longer than
    `limit`, or nothing differs. `inert` keeps spaces at both ends."""
    before, after = one_line(before), one_line(after)
    if max(len(before), len(after)) > limit:
        return None
    edits = word_edits(before, after)
    old = _marked(before, [(each.before_start, each.before_end) for each in edits], inert, strong)
    new = _marked(after, [(each.after_start, each.after_end) for each in edits], inert, strong)
    return (old, new) if edits and max(len(old), len(new)) <= limit else None


def _marked(text: str, spans: Sequence[Span], inert: Callable[[str], str], strong: str) -> str:
    shown, done = "", 0
    for start, end in _whole_words(text, spans):
        shown += inert(text[done:start]) + f"{strong}{inert(text[start:end])}{strong}"
        done = end
    return shown + inert(text[done:])


def _whole_words(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Widened to spaces, where Slack and Markdown let bold begin and end; those that meet are one."""
    last: Span | None = None
    for start, end in sorted(each for each in spans if each[0] < each[1]):
        left, right = text.rfind(" ", 0, start) + 1, text.find(" ", end)
        wide = (left, right if right >= 0 else len(text))
        if last is not None and wide[0] <= last[1] + 1:
            last = (last[0], max(last[1], wide[1]))
        else:
            if last is not None:
                yield last
            last = wide
    if last is not None:
        yield last
