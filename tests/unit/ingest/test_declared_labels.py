"""The labels with variants that answering reads from a catalogue, without the rest of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from ingest.catalogue import read_catalogue
from ingest.model.labels import declared_labels
from rag_core.errors import Misconfigured
from rag_core.questions import DeclaredLabel
from tests.unit.ingest.test_document_types import PARSERS, ROOT

SOURCE = "sources:\n  - id: a\n    type: folder\n    path: docs\n    policy_source: acme\n    display_name: Acme\n"
VARIANT = "labels:\n  variant: {indoor: [Indoor, inside], outdoor: [outdoor, open  air], default: outdoor}\n"
STAGE = "    labels:\n      region_team: north\n      stage: {beta: [beta], live: live}\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "catalogue.yaml"
    path.write_text(text)
    return path


def test_those_of_the_catalogue_and_those_of_its_sources(tmp_path: Path) -> None:
    path = written(tmp_path, VARIANT + SOURCE + STAGE)
    assert declared_labels(path) == (
        DeclaredLabel("stage", {"beta": ("beta",), "live": ("live",)}),
        DeclaredLabel("variant", {"indoor": ("indoor", "inside"), "outdoor": ("outdoor", "open air")}, "outdoor"),
    )


def test_they_are_those_that_ingest_reads(tmp_path: Path) -> None:
    path = written(tmp_path, VARIANT + SOURCE + STAGE)
    read = [(each.key, each.words, each.default) for each in read_catalogue(path).label_words()]
    assert [(each.key, each.words, each.default) for each in declared_labels(path)] == read


@pytest.mark.parametrize("text", ["", "sources: []\n", SOURCE, "[]", "labels: 3\nsources: {}\n"])
def test_a_catalogue_may_declare_none(tmp_path: Path, text: str) -> None:
    assert declared_labels(written(tmp_path, text)) == ()


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("labels:\n  variant: {indoor: [inside]}\n", 2, "at least two values"),
        (VARIANT + SOURCE + "    labels: {variant: {a: a, b: b}}\n", 9, "declared elsewhere"),
        ("labels: [\n", 2, "expected"),
    ],
)
def test_variants_that_cannot_be_told_apart_stop_the_start(tmp_path: Path, text: str, line: int, problem: str) -> None:
    with pytest.raises(Misconfigured, match="catalogue_invalid") as caught:
        declared_labels(written(tmp_path, text))
    assert caught.value.details["line"] == line
    assert problem in str(caught.value.details["problem"])


def test_a_catalogue_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="catalogue_missing"):
        declared_labels(tmp_path / "none.yaml")
    with pytest.raises(Misconfigured, match="catalogue_invalid"):
        declared_labels(tmp_path)


def test_no_parser_and_no_source_is_loaded_for_them() -> None:
    code = "import sys, ingest.model.labels; print(*sorted(name for name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (PARSERS | {"pydantic", "selectolax", "ingest.catalogue"}).isdisjoint(loaded.stdout.split())
