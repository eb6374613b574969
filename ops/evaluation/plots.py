"""Plots as SVG."""

from collections.abc import Mapping
from html import escape

from ops.evaluation.report import Figures
from ops.wording_evaluation import measure_name

_ROW, _LEFT, _WIDTH, _TOP = 26, 280, 460, 10
_POINT, _TARGET, _AXIS = "#1d5fa8", "#a40000", "#bbb"


def intervals_plot(figures: Figures, targets: Mapping[str, float]) -> str:
    """A row for each measure on an axis from 0 to 1: a bar from `low` to `high`, a point at the value, a stroke at
    the target."""
    height = _TOP * 2 + _ROW * len(figures) + 20
    total = _LEFT + _WIDTH + 60
    parts = [f'<svg viewBox="0 0 {total} {height}" width="{total}" height="{height}" role="img">']
    bottom = height - 20
    for step in range(6):
        x = _x(step / 5)
        parts.append(f'<line x1="{x}" y1="{_TOP}" x2="{x}" y2="{bottom}" stroke="{_AXIS}" stroke-width="0.5"/>')
        parts.append(f'<text x="{x}" y="{height - 4}" text-anchor="middle">{step / 5:.1f}</text>')
    for number, (measure, figure) in enumerate(figures.items()):
        y = _TOP + _ROW * number + _ROW / 2
        parts.append(f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(measure_name(measure))}</text>')
        parts.append(
            f'<line x1="{_x(figure.low)}" y1="{y}" x2="{_x(figure.high)}" y2="{y}" stroke="{_POINT}" '
            'stroke-width="4" stroke-opacity="0.35"/>'
        )
        parts.append(f'<circle cx="{_x(figure.value)}" cy="{y}" r="4.5" fill="{_POINT}"/>')
        if measure in targets:
            x = _x(targets[measure])
            parts.append(f'<line x1="{x}" y1="{y - 9}" x2="{x}" y2="{y + 9}" stroke="{_TARGET}" stroke-width="2"/>')
        parts.append(f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 4}">{figure.value:.2f}</text>')
    return "".join([*parts, "</svg>"])


def _x(value: float) -> float:
    return round(_LEFT + _WIDTH * min(max(value, 0.0), 1.0), 1)
