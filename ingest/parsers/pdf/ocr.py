"""`pdf_page.PageReader` on the Tesseract program (Apache-2.0), where it is installed."""

import csv
import io
import shutil
import subprocess
from collections.abc import Sequence

from ingest.parsers.pdf.page import Word
from rag_core.errors import Rejected, Unavailable

_LEAST_CONFIDENCE = 30.0
_WORD_LEVEL = "5"
_LETTER_HEIGHT = 0.75
"""The height of a line's letters, of its type size."""


class TesseractReader:
    """Runs `program` once a page; `languages` as `tesseract -l` takes them."""

    def __init__(self, program: str, languages: str = "eng", seconds: float = 30.0) -> None:
        self._program = program
        self._languages = languages
        self._seconds = seconds

    def read(self, png: bytes, scale: float) -> Sequence[Word]:
        """See `PageReader`. Raises Unavailable("ocr_too_slow"), Rejected("ocr_failed")."""
        command = [self._program, "stdin", "stdout", "-l", self._languages, "--psm", "3", "tsv"]
        try:
            done = subprocess.run(command, input=png, capture_output=True, timeout=self._seconds, check=True)
        except subprocess.TimeoutExpired as error:
            raise Unavailable("ocr_too_slow", seconds=self._seconds) from error
        except (subprocess.CalledProcessError, OSError) as error:
            raise Rejected("ocr_failed", problem=_problem(error)) from error
        return _words(done.stdout.decode("utf-8", "replace"), scale)


def installed_reader() -> TesseractReader | None:
    """None where the program is not installed."""
    program = shutil.which("tesseract")
    return TesseractReader(program) if program else None


def _problem(error: subprocess.CalledProcessError | OSError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error.stderr.decode("utf-8", "replace")).strip()[-200:]


def _words(table: str, scale: float) -> list[Word]:
    """Rows of Tesseract's TSV. The words of a line get one baseline and one size: boxes differ by their letters."""
    lines: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["level"] == _WORD_LEVEL and row["text"].strip() and float(row["conf"]) >= _LEAST_CONFIDENCE:
            key = (row["block_num"], row["par_num"], row["line_num"])
            lines.setdefault(key, []).append(row)
    return [word for line in lines.values() for word in _line(line, scale)]


def _line(rows: Sequence[dict[str, str]], scale: float) -> list[Word]:
    bottoms = sorted(int(row["top"]) + int(row["height"]) for row in rows)
    heights = sorted(int(row["height"]) for row in rows)
    base = bottoms[len(bottoms) // 3] / scale
    size = round(heights[-1 - len(heights) // 4] / _LETTER_HEIGHT / scale)
    return [
        Word(row["text"].strip(), int(row["left"]) / scale, (int(row["left"]) + int(row["width"])) / scale, base, size)
        for row in rows
    ]
