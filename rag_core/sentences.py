"""Where sentences end."""

from functools import lru_cache

from syntok import segmenter


@lru_cache(maxsize=4096)
def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of every sentence of `text`, without the white space between them; they cover all else."""
    starts = [sentence[0].offset for paragraph in segmenter.analyze(text) for sentence in paragraph if sentence]
    if not starts:
        return ((0, len(text)),) if text.strip() else ()
    starts[0] = len(text) - len(text.lstrip())
    spans = []
    for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
        spans.append((start, start + len(text[start:following].rstrip())))
    return tuple(spans)
