"""A corpus that was ingested is taken again as long as it would come out the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ops.config import Config
from ops.evaluation.corpora import PUBLISHERS, corpus_named, forget_unused, reading_code
from ops.evaluation.questions import Injection

ROOT = Path(__file__).resolve().parents[4]


def test_all_that_reading_documents_imports_is_looked_at() -> None:
    asked = (
        "import sys, ingest.cli, adapters.local.index_writer, adapters.sql.policies.versions, adapters.models.onnx\n"
        "for name, module in list(sys.modules.items()):\n"
        "    if name.split('.')[0] in ('ingest', 'rag_core', 'adapters') and module.__file__: print(module.__file__)"
    )
    found = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {Path(line) for line in found.stdout.splitlines()}
    assert len(loaded) > 100
    assert loaded - set(reading_code()) - {path for path in loaded if not path.stat().st_size} == set()


def test_answering_is_not() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in reading_code()}
    assert "rag_core/ask.py" not in names
    assert not names & {"rag_core/answering/compose.py", "rag_core/understanding/understand.py"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for publisher in PUBLISHERS:
        for folder, name in (("versions", "2026-01-01_ab.md"), ("current", "Policy.md")):
            place = tmp_path / "ad-policies" / folder / publisher
            place.mkdir(parents=True)
            (place / name).write_text(f"# {publisher}\n\nNo beer.")
    return tmp_path


def test_the_current_text_counts_where_it_is_no_dated_version(data: Path) -> None:
    corpus = corpus_named("real", Config(), data)
    assert sorted(corpus.files) == [f"{each.lower()}/2026-01-01_ab.md" for each in PUBLISHERS]
    (data / "ad-policies" / "current" / "Reddit" / "Policy.md").write_text("# Reddit\n\nBeer.")
    assert "reddit/reddit.md" in corpus_named("real", Config(), data).files
    assert [each["policy_source"] for each in corpus.entries] == [each.lower() for each in PUBLISHERS]


def test_an_injected_document_is_for_its_own_group() -> None:
    rows = {"where": "document", "policy_source": "acme", "goal": "g", "must_not": ()}
    injections = [Injection(id=name, text=f"# {name}", format="html", **rows) for name in ("i-1", "i-2")]
    corpus = corpus_named("injections", Config(), Path(), injections)
    assert {each["path"]: each["allowed_groups"] for each in corpus.entries} == {"i-1": ["i-1"], "i-2": ["i-2"]}
    assert {each["classification"] for each in corpus.entries} == {"restricted"}
    assert corpus.files["i-1/i-1.2020-01-01.html"] == b"# i-1"


def test_what_nobody_uses_is_removed(tmp_path: Path) -> None:
    for name, used in (("sample-old", 1_000), ("sample-new", 2_000)):
        (tmp_path / name / "data").mkdir(parents=True)
        (tmp_path / name / "done").touch()
        (tmp_path / f"{name}.lock").touch()
        os.utime(tmp_path / name / "done", (used, used))
    forget_unused(tmp_path, 1_500)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["sample-new", "sample-new.lock"]


def test_policies_in_other_styles_are_a_corpus_of_their_own() -> None:
    corpus = corpus_named("other-styles", Config(), Path())
    assert corpus.catalogue is not None
    assert len([name for name in corpus.files if name.endswith(".md")]) == 6
