"""The documents that golden questions are asked of, each corpus ingested once into a folder of its own.

The folder is named for all that decides what ends up in it: the documents and the code that reads them.
"""

import asyncio
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from filelock import FileLock

from ingest.cli import ingest_catalogue
from ops.backends import open_rule_reader
from ops.config import SAMPLE_CATALOGUE, Config
from ops.evaluation.questions import DOCUMENTS, Injection
from ops.wiring import open_ingest
from ops.wording.evaluation import reading_corpus
from rag_core.errors import Misconfigured, Rejected
from rag_core.rules.reader import Reader

SAMPLE, REAL, OTHER_STYLES, SETTINGS = "sample", "real", "other-styles", ""
PUBLISHERS = ("Pinterest", "Reddit", "Taboola", "Telegram")
_ROOT = Path(__file__).resolve().parent.parent.parent
_STYLES_CATALOGUE = _ROOT / "tests" / "golden" / "other_styles" / "catalogue.yaml"
_RULES = ("__init__", "cues", "places", "reader", "rule", "structure")
_READING = (
    "ingest/**/*.py",
    "rag_core/*.py",
    "rag_core/changes/*.py",
    "rag_core/published_places/*.py",
    "rag_core/retrieval/facets.py",
    "rag_core/retrieval/fusion.py",
    "rag_core/retrieval/found.py",
    # the rules of a document are found and read when it gets in; what is made of them is answering
    *(f"rag_core/rules/{name}.py" for name in _RULES),
    "rag_core/rules/cues.yaml",
    "rag_core/text/*.py",
    # the record of changes tells how strict a rule became, by the words that answering reads
    "rag_core/understanding/terms.py",
    "rag_core/understanding/words.py",
    "rag_core/understanding/thesaurus.py",
    "rag_core/vocabulary/*.py",
    "rag_core/vocabulary/*.txt",
    "adapters/local/*.py",
    *(f"adapters/sql/{name}/*.py" for name in ("audit", "database", "policies", "tables")),
    "adapters/models/*.py",
    "ops/migrations/**/*.py",
)
_ASKING = ("rag_core/ask.py",)
"""Answering alone: work on it must not cost an ingest each time."""
_INJECTED_SINCE = "2020-01-01"
_KEPT_SECONDS = 3 * 24 * 3600.0
"""A folder that was not used for so long is removed: sooner, another evaluation may be reading it."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """`entries`: sources of a catalogue, their `path` below `files`; else `catalogue` is one as it stands."""

    name: str
    files: Mapping[str, bytes]
    entries: Sequence[Mapping[str, object]] = ()
    catalogue: Path | None = None


def corpus_named(name: str, config: Config, data: Path, injections: Iterable[Injection] = ()) -> Corpus:
    """The sample, the real policies below `data`, made-up ones in other styles, documents with injections, or what the
    settings name.

    Raises Misconfigured("evaluation_data_missing", path=...), Rejected("evaluation_corpus_unknown", corpus, known).
    """
    if name in (SAMPLE, SETTINGS):
        catalogue = SAMPLE_CATALOGUE if name == SAMPLE else config.catalogue
        return Corpus(SAMPLE if catalogue == SAMPLE_CATALOGUE else "own", _files_of(catalogue), catalogue=catalogue)
    if name == OTHER_STYLES:
        return Corpus("other_styles", _files_of(_STYLES_CATALOGUE), catalogue=_STYLES_CATALOGUE)
    if name == REAL:
        return _real(data / "ad-policies")
    if name == DOCUMENTS:
        return _injected([each for each in injections if each.where == "document"])
    raise Rejected("evaluation_corpus_unknown", corpus=name, known=f"{SAMPLE}, {REAL}, {OTHER_STYLES}")


async def ingested(corpus: Corpus, config: Config, cache: Path) -> Config:
    """The settings of the embedded default over this corpus, which is read now unless it was read before.

    Raises Rejected("evaluation_corpus_incomplete", corpus=..., failed=...), Misconfigured("rule_reader_missing").
    """
    async with open_rule_reader(config) as reader:
        place = cache / f"{corpus.name}-{await asyncio.to_thread(_digest, corpus, config, reader)}"
    embedded = config.model_copy(
        update={
            "data_dir": place / "data",
            "catalogue": corpus.catalogue or place / "catalogue.yaml",
            **dict.fromkeys(("database_url", "opensearch_url", "redis_url")),
        }
    )
    await asyncio.to_thread(cache.mkdir, parents=True, exist_ok=True)
    lock = FileLock(cache / f"{place.name}.lock", thread_local=False)
    await asyncio.to_thread(lock.acquire)
    try:
        if not await asyncio.to_thread((place / "done").is_file):
            await asyncio.to_thread(_lay_out, corpus, place)
            print(reading_corpus(corpus.name), file=sys.stderr, flush=True)
            async with open_ingest(embedded) as parts:
                report = await ingest_catalogue(embedded.catalogue, parts)
            if report.failed:
                failed = ", ".join(each.origin or each.source_id for each in report.failed)
                raise Rejected("evaluation_corpus_incomplete", corpus=corpus.name, failed=failed)
        await asyncio.to_thread((place / "done").touch)
        await asyncio.to_thread(forget_unused, cache, time.time() - _KEPT_SECONDS)
    finally:
        lock.release()
    return embedded


def default_cache() -> Path:
    """The user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adpolicy" / "evaluation"


def _real(folder: Path) -> Corpus:
    """Every dated version; the current text as well where it is none of them."""
    files: dict[str, bytes] = {}
    for publisher in PUBLISHERS:
        versions = sorted((folder / "versions" / publisher).glob("*.md"))
        if not versions:
            raise Misconfigured("evaluation_data_missing", path=str(folder / "versions" / publisher))
        slug = publisher.lower()
        files |= {f"{slug}/{path.name}": path.read_bytes() for path in versions}
        known = set(files.values())
        current = sorted((folder / "current" / publisher).glob("*.md"))
        files |= {f"{slug}/{slug}.md": text for path in current if (text := path.read_bytes()) not in known}
    entries = [_entry(each.lower(), each.lower(), each) for each in PUBLISHERS]
    return Corpus(REAL, files, entries)


def _injected(injections: Sequence[Injection]) -> Corpus:
    """Each document is visible to one group only: that of the injection's id; it holds on every day asked."""
    suffixes = {"html": ".html", "markdown": ".md"}
    files = {
        f"{each.id}/{each.id}.{_INJECTED_SINCE}{suffixes.get(each.format, '.md')}": each.text.encode()
        for each in injections
    }
    entries = [
        _entry(each.id, each.policy_source, each.policy_source.capitalize())
        | {"classification": "restricted", "allowed_groups": [each.id]}
        for each in injections
    ]
    return Corpus(DOCUMENTS, files, entries)


def _entry(path: str, policy_source: str, display_name: str) -> dict[str, object]:
    return {
        "id": f"evaluated-{path}",
        "type": "folder",
        "path": path,
        "policy_source": policy_source,
        "display_name": display_name,
        "suspicious_shrink": 1,  # history is what it is: nobody is there to release a version that is held
    }


def _files_of(catalogue: Path) -> dict[str, bytes]:
    """What a catalogue's folder holds: enough to see that it is another one."""
    paths = [path for path in sorted(catalogue.parent.rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    return {path.relative_to(catalogue.parent).as_posix(): path.read_bytes() for path in paths}


def _digest(corpus: Corpus, config: Config, reader: Reader | None) -> str:
    read_with = reader.version if reader is not None else ""
    found = hashlib.sha256(repr((corpus.entries, config.embedding_model, read_with)).encode())
    for name, content in sorted(corpus.files.items()):
        found.update(f"\0{name}\0{len(content)}\0".encode() + content)
    for path in reading_code():
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def reading_code() -> list[Path]:
    """The files that decide what is made of a document."""
    paths = {path for pattern in _READING for path in _ROOT.glob(pattern)}
    return sorted(paths - {_ROOT / each for each in _ASKING})


def _lay_out(corpus: Corpus, place: Path) -> None:
    """An earlier run that was broken off leaves half an ingest: away with it."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if corpus.catalogue is not None:
        return
    for name, content in corpus.files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    catalogue: dict[str, object] = {"sources": [dict(each) for each in corpus.entries]}
    (place / "catalogue.yaml").write_text(yaml.safe_dump(catalogue, sort_keys=False), encoding="utf-8")


def forget_unused(cache: Path, since: float) -> None:
    """Remove the folders that were last used before `since` (seconds since 1970)."""
    for done in cache.glob("*/done"):
        if done.stat().st_mtime < since:
            shutil.rmtree(done.parent, ignore_errors=True)
            (cache / f"{done.parent.name}.lock").unlink(missing_ok=True)
