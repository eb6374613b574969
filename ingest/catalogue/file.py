"""A catalogue file, read and checked: what is wrong is named with its line and key."""

from pathlib import Path

from pydantic import ValidationError

from ingest.catalogue.checks import faults
from ingest.catalogue.entries import Catalogue
from ingest.catalogue.problems import key_of, located
from ingest.model.yaml_lines import NotYaml, content_and_lines, line_of
from rag_core.errors import Misconfigured


def read_catalogue(path: Path) -> Catalogue:
    """The catalogue in the file `path`.

    Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" with path, line, key and problem.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise Misconfigured("catalogue_missing", path=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise _invalid(path, None, "", str(error)) from error
    try:
        content, lines = content_and_lines(text)
    except NotYaml as error:
        raise _invalid(path, error.line, "", error.problem) from error
    try:
        catalogue = Catalogue.model_validate(content)
    except ValidationError as error:
        location, problem = located(error.errors(include_url=False))
        raise _invalid(path, line_of(location, lines), key_of(location), problem) from error
    for location, problem in faults(catalogue):
        raise _invalid(path, line_of(location, lines), key_of(location), problem)
    return catalogue


def _invalid(path: Path, line: int | None, key: str, problem: str) -> Misconfigured:
    return Misconfigured("catalogue_invalid", path=str(path), line=line, key=key, problem=problem)
