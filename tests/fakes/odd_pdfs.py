"""PDFs written by hand, object by object: what no program makes that means well."""

import zlib
from collections.abc import Sequence

SHOWN = b"BT /F 12 Tf 72 700 Td (Beer is restricted everywhere.) Tj ET"


def odd_pdf(
    content: bytes = SHOWN,
    *,
    catalog: bytes = b"",
    pages: bytes = b"/Kids[3 0 R]/Count 1",
    media: bytes = b"0 0 600 800",
    resources: bytes = b"",
    more: Sequence[bytes] = (),
) -> bytes:
    """One page that shows `content`. `more`: objects from number 6 on."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    return _file(
        [
            b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
            b"<</Type/Pages" + pages + b">>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[" + media + b"]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>"
            b"" + resources + b">>>>",
            stream(content),
            font,
            *more,
        ]
    )


def stream(content: bytes, facts: bytes = b"") -> bytes:
    """Compressed, so that little is needed to say much."""
    packed = zlib.compress(content, 9)
    return b"<</Filter/FlateDecode" + facts + b"/Length %d>>stream\n" % len(packed) + packed + b"\nendstream"


def picture(width: int, height: int, content: bytes) -> bytes:
    """An object that says it is a picture of so many dots."""
    size = b"/Width %d/Height %d" % (width, height)
    return stream(content, b"/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 1" + size)


def _file(objects: Sequence[bytes]) -> bytes:
    written, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(written))
    return written + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end
