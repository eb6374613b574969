"""Plots as SVG, without scripts; colours are those of the page's style (`html_page`)."""

from collections.abc import Callable, Mapping
from html import escape

from ops.evaluation.report import FigureLine

_ROW, _LEFT, _WIDTH, _TOP, _SCALE = 24, 350, 440, 6, 22
_MOST_LETTERS = 46
"""Of a label: more would run out of the picture on its left."""


def intervals_plot(
    figures: Mapping[str, FigureLine], targets: Mapping[str, float], name: Callable[[str], str], title: str
) -> str:
    """A row for each figure on an axis from 0 to 1: a bar from `low` to `high`, a point at the value, a stroke at the
    target. `title` is what a screen reader says of it."""
    bottom = _TOP + _ROW * len(figures)
    parts = [_start(bottom + _SCALE, title)]
    for step in range(6):
        x = _x(step / 5)
        parts.append(f'<line class="axis" x1="{x}" y1="{_TOP}" x2="{x}" y2="{bottom}"/>')
        parts.append(f'<text class="scale" x="{x}" y="{bottom + 16}" text-anchor="middle">{step / 5:.1f}</text>')
    for number, (key, figure) in enumerate(figures.items()):
        y = _TOP + _ROW * number + _ROW / 2
        parts.append(_label(name(key), y))
        parts.append(f'<line class="interval" x1="{_x(figure.low)}" y1="{y}" x2="{_x(figure.high)}" y2="{y}"/>')
        if key in targets:
            x = _x(targets[key])
            parts.append(f'<line class="target" x1="{x}" y1="{y - 9}" x2="{x}" y2="{y + 9}"/>')
        parts.append(f'<circle cx="{_x(figure.value)}" cy="{y}" r="4.5"/>')
        parts.append(f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 4}">{figure.value:.2f}</text>')
    return "".join([*parts, "</svg>"])


def bars_plot(counts: Mapping[str, int], name: Callable[[str], str], title: str) -> str:
    """A bar for each count, the longest as wide as the picture."""
    most = max(counts.values(), default=1)
    parts = [_start(_TOP * 2 + _ROW * len(counts), title)]
    for number, (key, count) in enumerate(counts.items()):
        y = _TOP + _ROW * number + _ROW / 2
        width = round(_WIDTH * count / most, 1)
        parts.append(_label(name(key), y))
        parts.append(f'<rect x="{_LEFT}" y="{y - 7}" width="{width}" height="14"/>')
        parts.append(f'<text x="{_LEFT + width + 8}" y="{y + 4}">{count:,}</text>')
    return "".join([*parts, "</svg>"])


def _start(height: float, title: str) -> str:
    total = _LEFT + _WIDTH + 60
    shown = escape(title)
    return f'<svg viewBox="0 0 {total} {height}" width="{total}" role="img" aria-label="{shown}"><title>{shown}</title>'


def _label(text: str, y: float) -> str:
    shown = text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"
    return f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(shown)}</text>'


def _x(value: float) -> float:
    return round(_LEFT + _WIDTH * min(max(value, 0.0), 1.0), 1)
