"""`python -m ops bench ask`: how long answers take and how quickly documents are read, on this machine."""

import json
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from bot.asking import Asked
from bot.messages import Actor
from ingest.cli import ingest_catalogue
from ingest.pipeline import ingest
from ingest.report import no_progress
from ingest.sources.folder import sources_in
from ops.bench import wording
from ops.bench.scifact import bench_scifact
from ops.config import SAMPLE_CATALOGUE, Config
from ops.parts import Answering, utc_now
from ops.wiring import open_answering, open_ingest

_ROOT = Path(__file__).resolve().parent.parent.parent
_QUESTIONS = _ROOT / "tests" / "golden" / "sample_questions.jsonl"
_ROUNDS = 3
_REAL = ("ad-policies/current", "github-site-policy")


async def bench_ask(data: Path, without: frozenset[str]) -> int:
    """Print the figures; parts whose data is missing are named and left out. Always 0."""
    with TemporaryDirectory(prefix="adpolicy-bench-") as folder:
        await _sample(Path(folder) / "sample")
        if "real" not in without:
            await _real(Path(folder) / "real", data)
    if "scifact" not in without:
        await _scifact(data / "scifact")
    return 0


async def _sample(folder: Path) -> None:
    config = Config(data_dir=folder)
    async with open_ingest(config) as parts:
        await ingest_catalogue(SAMPLE_CATALOGUE, parts)
    async with open_answering(config) as answering:
        texts = [json.loads(line)["question"] for line in _QUESTIONS.read_text(encoding="utf-8").splitlines() if line]
        await _timed(answering, texts[:5])  # caches and lazy imports
        whole, embedding = await _timed(answering, texts * _ROUNDS)
    rest = [total - embed for total, embed in zip(whole, embedding, strict=True)]
    print(wording.latency("answer minus the query embedding", len(rest), *_percentiles(rest), "15 / 40 ms"))
    print(wording.latency("query embedding", len(embedding), *_percentiles(embedding), "3 ms idle, 11 ms loaded"))
    print(wording.memory(_peak_megabytes(), 500))


async def _timed(answering: Answering, texts: Sequence[str]) -> tuple[list[float], list[float]]:
    """Milliseconds of each answer with its record, and of its query embedding."""
    whole, embedding = [], []
    for text in texts:
        started = time.perf_counter()
        answered = await answering.asking.ask(Asked(text, Actor("bench", "bench", "bench"), "bench"))
        whole.append((time.perf_counter() - started) * 1000)
        embedding.append(answered.trace.timings_ms["embed"])
    return whole, embedding


async def _real(folder: Path, data: Path) -> None:
    folders = [data / each for each in _REAL]
    if not all(each.is_dir() for each in folders):
        print(wording.left_out("the real policies", str(data)))
        return
    config = Config(data_dir=folder)
    for name, target in (("first", "180 s"), ("second", "3 s")):
        started = time.perf_counter()
        async with open_ingest(config) as parts:
            sources = [source for each in folders for source in sources_in(each, None, None)]
            report = await ingest(sources, parts, utc_now, no_progress, dry_run=False)
        seconds = time.perf_counter() - started
        documents = report.new + report.changed + report.unchanged
        print(wording.ingested(name, documents, report.embedded, seconds, target))


async def _scifact(folder: Path) -> None:
    if not folder.is_dir():  # noqa: ASYNC240 - nothing else runs yet
        print(wording.left_out("SciFact", str(folder)))
        return
    figures = await bench_scifact(folder)
    print(json.dumps(figures, indent=2))


def _percentiles(values: Sequence[float]) -> tuple[float, float]:
    """p50 and p95."""
    cuts = quantiles(values, n=100, method="inclusive")
    return cuts[49], cuts[94]


def _peak_megabytes() -> float:
    """Largest resident size of this process so far; Linux counts in kilobytes, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
