"""The groups that finding an audience reads from a catalogue, without the rest of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from ingest.catalogue import read_catalogue
from ingest.model.labels import declared_groups
from rag_core.errors import Misconfigured
from tests.unit.ingest.test_declared_labels import SOURCE, written
from tests.unit.ingest.test_document_types import PARSERS, ROOT

GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
GROUPS = f"groups:\n  legal: [slack:T1/usergroup/S1, oidc:legal, entra:tenant/{GUID}]\n  board: []\n"


def test_each_group_has_its_members_as_ingest_reads_them(tmp_path: Path) -> None:
    path = written(tmp_path, GROUPS + SOURCE)
    found = declared_groups(path)
    assert found == {
        "legal": {"slack:T1/usergroup/S1", "oidc:legal", f"entra:tenant/{GUID}"},
        "board": frozenset(),
    }
    assert {name: frozenset(members) for name, members in read_catalogue(path).groups.items()} == found


@pytest.mark.parametrize("text", ["", SOURCE, "[]", "groups: {}\n"])
def test_a_catalogue_may_declare_none(tmp_path: Path, text: str) -> None:
    assert declared_groups(written(tmp_path, text)) == {}


@pytest.mark.parametrize(
    ("groups", "line", "problem"),
    [
        ("groups:\n", 1, "write each group"),
        ("groups: [legal]\n", 1, "write each group"),
        ("groups: everybody\n", 1, "write each group"),
        ("groups:\n  legal: oidc:legal\n", 2, "as a list"),
        ("groups:\n  legal:\n", 2, "as a list"),
        ("groups:\n  Legal: [oidc:legal]\n", 2, "small letters"),
        ("groups:\n  7: [oidc:legal]\n", 2, "small letters"),
        ('groups:\n  "legal\\n": [oidc:legal]\n', 2, "small letters"),
        ("groups:\n  legal:\n    - oidc:legal\n    - '*'\n", 4, "no group of a platform"),
        ("groups:\n  legal: [slack:T1/usergroup/S1*]\n", 2, "no group of a platform"),
        ("groups:\n  legal: [' oidc:legal']\n", 2, "no group of a platform"),
        ("groups:\n  legal: [{}]\n", 2, "no group of a platform"),
        ("groups:\n  legal: [null]\n", 2, "no group of a platform"),
        ("groups:\n  legal: [oidc:a]\n  legal: [oidc:b]\n", 3, "stands twice"),
        ("groups: {legal: [\n", 2, "expected"),
    ],
)
def test_groups_that_cannot_be_read_stop_the_start(tmp_path: Path, groups: str, line: int, problem: str) -> None:
    with pytest.raises(Misconfigured, match="catalogue_invalid") as caught:
        declared_groups(written(tmp_path, groups))
    assert caught.value.details["line"] == line
    assert problem in str(caught.value.details["problem"])


def test_a_catalogue_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="catalogue_missing"):
        declared_groups(tmp_path / "none.yaml")


def test_no_parser_and_no_source_is_loaded_for_them() -> None:
    code = "import sys, ingest.model.labels; print(*sorted(name for name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (PARSERS | {"pydantic", "selectolax", "ingest.catalogue"}).isdisjoint(loaded.stdout.split())
