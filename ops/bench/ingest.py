"""`python -m ops bench ingest`: how quickly documents get in, how much of that is the model, and what is done again.

All of it on the embedded default in a folder of its own, over documents made for it; first ingests over real ones too,
where they are. What else the machine does falls on every figure but the last one: each names the load before it.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from ops.bench import wording
from ops.bench.ask import REAL
from ops.bench.ingest_corpus import write_corpus, write_long_document
from ops.bench.ingest_read import read_alone
from ops.bench.ingest_runs import InstantEmbedder, Ran, TimedEmbedder, ingested
from ops.bench.ingesting import ingest_in_own_process

TARGETS = {"share": 0.90, "rate": 40.0, "pdf": 60.0, "unchanged": 20.0}
"""The least share in the model, the least documents a second, the most seconds."""
_EMBEDDED = 200
"""Documents that the model reads: a minute."""
_RATED = 600
_PAGES = 300
_SECTIONS = 100
_CHANGED = frozenset({40})


async def bench_ingest(data: Path, documents: int, without: frozenset[str]) -> int:
    """Print the figures. 0 if all targets are met, else 1; `documents`: how many the unchanged run looks at.

    The other parts take fewer. Parts of which something is missing are named and left out.
    """
    print(wording.machine(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0, os.getloadavg()[0]))
    met = []
    with TemporaryDirectory(prefix="adpolicy-bench-") as name:
        folder = Path(name)
        if "share" not in without:
            met.append(await _share(folder, data, min(documents, _EMBEDDED), real="real" not in without))
        if "rate" not in without:
            met.append(await _rate(folder, data, min(documents, _RATED), real="real" not in without))
        if "pdf" not in without:
            met.append(await _pdf(min(documents, _PAGES)))
        if "unchanged" not in without:
            met.append(await _unchanged(folder, documents))
        if "section" not in without:
            met.append(await _section(folder))
    return 0 if all(met) else 1


async def _share(folder: Path, data: Path, documents: int, *, real: bool) -> bool:
    """How much of a first ingest is the model."""
    write_corpus(folder / "share", documents)
    runs = [(wording.made_documents(), await ingested(folder / "share-data", TimedEmbedder, folder / "share"))]
    if real and (found := _real(data)):
        runs.append((wording.real_policies(), await ingested(folder / "share-real", TimedEmbedder, *found)))
    for what, ran in runs:
        print(wording.share(what, ran, TARGETS["share"]))
    return all(ran.share >= TARGETS["share"] for _, ran in runs)


async def _rate(folder: Path, data: Path, documents: int, *, real: bool) -> bool:
    """How quick all but the model is."""
    write_corpus(folder / "rate", documents)
    ran = await ingested(folder / "rate-data", InstantEmbedder, folder / "rate")
    print(wording.rate(wording.made_documents(), ran, TARGETS["rate"]))
    if real and (found := _real(data)):
        of_real = await ingested(folder / "rate-real", InstantEmbedder, *found)
        print(wording.rate(wording.real_policies(), of_real, None))
    return is_quick(ran)


def is_quick(ran: Ran) -> bool:
    return ran.failed == 0 and ran.rate >= TARGETS["rate"]


def _real(data: Path) -> list[Path]:
    found = [data / each for each in REAL if (data / each).is_dir()]
    if not found:
        print(wording.left_out(wording.real_policies(), str(data)))
    return found


async def _pdf(pages: int) -> bool:
    try:
        from ops.bench.ingest_pdf import long_rulebook  # noqa: PLC0415 - what makes PDFs is installed for tests only
    except ImportError:
        print(wording.needs_reportlab())
        return True
    read = await read_alone(long_rulebook(pages), pages)
    print(wording.pdf(read, TARGETS["pdf"]))
    return read.seconds < TARGETS["pdf"]


async def _unchanged(folder: Path, documents: int) -> bool:
    """The second run as a person starts it, in a process of its own; the first one does without the model. Both leave
    rules unread: those of the first would be read by the second."""
    write_corpus(folder / "unchanged", documents)
    await ingested(folder / "unchanged-data", InstantEmbedder, folder / "unchanged")
    load = os.getloadavg()[0]
    summary, seconds = await ingest_in_own_process(folder / "unchanged-data", folder / "unchanged", RULE_READER="none")
    print(wording.unchanged(documents, summary, seconds, TARGETS["unchanged"], load))
    return seconds < TARGETS["unchanged"]


async def _section(folder: Path) -> bool:
    """What is embedded anew when one section of a long document says something else."""
    document = folder / "section" / "handbook.md"
    document.parent.mkdir()
    write_long_document(document, _SECTIONS)
    first = await ingested(folder / "section-data", InstantEmbedder, document.parent)
    write_long_document(document, _SECTIONS, _CHANGED)
    second = await ingested(folder / "section-data", InstantEmbedder, document.parent)
    print(wording.section(first, second, len(_CHANGED)))
    return second.embedded == len(_CHANGED)
