"""A picture of a page in a third of its bytes: with a palette of 256 colours; text on white has hardly more."""

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {2: 3, 6: 4}
_COLOURS = 256


def smaller(png: bytes) -> bytes:
    """`png`: 8 bits a channel, RGB or RGBA, as Chromium writes it; what is transparent in it is not."""
    return _with_palette(_pixels(png))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        yield kind, png[at + 8 : at + 8 + length]
        at += 12 + length


def _pixels(png: bytes) -> Pixels:
    """Rows of pixels of three channels."""
    chunks = list(_chunks(png))
    width, height, _, colour = struct.unpack(">IIBB", chunks[0][1][:10])
    channels = _CHANNELS[colour]
    packed = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    rows = np.frombuffer(packed, np.uint8).reshape(height, 1 + width * channels)
    found = np.zeros((height + 1, width + 1, channels), np.uint8)
    for number, row in enumerate(rows, 1):
        _unfilter(int(row[0]), row[1:].reshape(width, channels), found[number - 1], found[number])
    return found[1:, 1:, :3]


def _unfilter(kind: int, row: Pixels, above: Pixels, into: Pixels) -> None:
    """PNG, section 9: a row is kept as differences to what is left of it and above. All begin with a pixel of 0."""
    if kind == 0:
        into[1:] = row
    elif kind == 1:
        into[1:] = np.cumsum(row, axis=0, dtype=np.uint8)
    elif kind == 2:
        into[1:] = row + above[1:]
    else:
        expect = _paeth if kind == 4 else lambda left, up, _corner: (left + up) // 2
        for channel in range(row.shape[1]):
            left = 0
            ups, values = above[:, channel].tolist(), row[:, channel].tolist()
            for at, value in enumerate(values, 1):
                left = (value + expect(left, ups[at], ups[at - 1])) & 255
                into[at, channel] = left


def _paeth(left: int, up: int, corner: int) -> int:
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


def _with_palette(pixels: Pixels) -> bytes:
    height, width, _ = pixels.shape
    as_numbers = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)  # quicker told apart than triples
    numbers, place, count = np.unique(as_numbers.reshape(-1), return_inverse=True, return_counts=True)
    colours = np.stack([numbers >> 16, numbers >> 8 & 255, numbers & 255], axis=1)
    palette = colours[np.argsort(count)[::-1][:_COLOURS]].astype(np.uint8)
    distance = ((colours[:, None, :].astype(int) - palette[None, :, :].astype(int)) ** 2).sum(axis=2)
    rows = distance.argmin(axis=1).astype(np.uint8)[place.reshape(-1)].reshape(height, width)
    packed = zlib.compress(np.insert(rows, 0, 0, axis=1).tobytes(), 9)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", packed), (b"IEND", b""))
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
