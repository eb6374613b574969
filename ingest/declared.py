"""The catalogue as text with its lines: for who reads one part of it, without sources and parsers."""

from pathlib import Path

from ingest.yaml_lines import Lines, NotYaml, content_and_lines, line_of
from rag_core.errors import Misconfigured

Location = tuple[str | int, ...]


def catalogue_content(path: Path) -> tuple[object, Lines]:
    """Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" for a file that is no YAML."""
    try:
        return content_and_lines(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise Misconfigured("catalogue_missing", path=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured("catalogue_invalid", path=str(path), line=None, key="", problem=str(error)) from error
    except NotYaml as error:
        problem = error.problem
        raise Misconfigured("catalogue_invalid", path=str(path), line=error.line, key="", problem=problem) from error


def invalid(path: Path, lines: Lines, location: Location, problem: str) -> Misconfigured:
    """What is wrong at a place of the catalogue."""
    key = ".".join(str(each) for each in location)
    return Misconfigured("catalogue_invalid", path=str(path), line=line_of(location, lines), key=key, problem=problem)
