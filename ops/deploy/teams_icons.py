"""`python -m ops.deploy.teams_icons`: draws the icons of the Teams app, which are kept beside this file.

A page with lines and a tick: white on the project's blue, 192 x 192, drawn within the middle 96 pixels, which Teams
shows in a circle, too; and 32 x 32, white on nothing.
"""

import math
import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from ops.deploy.teams_manifest import ACCENT, COLOR_ICON, OUTLINE_ICON
from ops.deploy.teams_package import ICONS

Point = tuple[float, float]
Distance = Callable[[float, float], float]
"""From a point to a shape's edge, below 0 inside."""

COLOR, OUTLINE = 192, 32
_WHITE = (255, 255, 255)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Picture:
    """`pixels`: red, green, blue, opacity; row by row."""

    size: int
    pixels: bytes


def box(middle: Point, width: float, height: float, corner: float) -> Distance:
    """A rectangle with round corners."""

    def distance(x: float, y: float) -> float:
        dx = abs(x - middle[0]) - width / 2 + corner
        dy = abs(y - middle[1]) - height / 2 + corner
        return math.hypot(max(dx, 0.0), max(dy, 0.0)) + min(max(dx, dy), 0.0) - corner

    return distance


def line(points: tuple[Point, ...], thick: float) -> Distance:
    """A line with round ends."""
    parts = tuple(pairwise(points))
    return lambda x, y: min(_from(x, y, start, end) for start, end in parts) - thick / 2


def _from(x: float, y: float, start: Point, end: Point) -> float:
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = ((x - start[0]) * dx + (y - start[1]) * dy) / (dx * dx + dy * dy)
    along = min(max(along, 0.0), 1.0)
    return math.hypot(x - start[0] - along * dx, y - start[1] - along * dy)


def edge(shape: Distance, thick: float) -> Distance:
    return lambda x, y: abs(shape(x, y)) - thick / 2


def _covered(shapes: Iterable[Distance], x: float, y: float) -> float:
    """How much of a pixel they cover, 0 to 1."""
    return min(max(0.5 - min(shape(x, y) for shape in shapes), 0.0), 1.0)


def color() -> Picture:
    ground = bytes.fromhex(ACCENT.removeprefix("#"))
    page = (box((96, 96), 76, 96, 10),)
    ink = (
        line(((72, 70), (120, 70)), 8),
        line(((72, 90), (104, 90)), 8),
        line(((76, 118), (90, 131), (117, 104)), 10),
    )

    def pixel(x: float, y: float) -> bytes:
        white = _covered(page, x, y) * (1 - _covered(ink, x, y))
        return bytes(round(low + (high - low) * white) for low, high in zip(ground, _WHITE, strict=True)) + b"\xff"

    return Picture(COLOR, _pixels(COLOR, pixel))


def outline() -> Picture:
    shapes = (
        edge(box((16, 16), 21, 27, 3), 2),
        line(((11, 9.5), (21, 9.5)), 2),
        line(((11, 14), (17, 14)), 2),
        line(((11.5, 20.5), (14.5, 23.5), (21, 17)), 2),
    )
    return Picture(OUTLINE, _pixels(OUTLINE, lambda x, y: bytes((*_WHITE, round(255 * _covered(shapes, x, y))))))


def _pixels(size: int, pixel: Callable[[float, float], bytes]) -> bytes:
    return b"".join(pixel(x + 0.5, y + 0.5) for y in range(size) for x in range(size))


def png(picture: Picture) -> bytes:
    """As a file. https://www.w3.org/TR/png-3/"""
    row = picture.size * 4
    rows = b"".join(b"\0" + picture.pixels[at : at + row] for at in range(0, len(picture.pixels), row))
    head = struct.pack(">IIBBBBB", picture.size, picture.size, 8, 6, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


if __name__ == "__main__":
    ICONS[COLOR_ICON].write_bytes(png(color()))
    ICONS[OUTLINE_ICON].write_bytes(png(outline()))
