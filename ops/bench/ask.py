"""`python -m ops bench ask`: how long answers take and how quickly documents are read, on this machine."""

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from bot.asking import Asked
from bot.messages import Actor
from ops.bench import wording
from ops.bench.scifact import bench_scifact
from ops.config import Config
from ops.parts import Answering
from ops.wiring import open_answering

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
    await _ingested(folder)  # in a process of its own: what is measured here is answering
    async with open_answering(Config(data_dir=folder)) as answering:
        texts = [json.loads(line)["question"] for line in _QUESTIONS.read_text(encoding="utf-8").splitlines() if line]
        await _timed(answering, texts[:5])  # caches and lazy imports
        timed = await _timed(answering, texts * _ROUNDS)
    answers = [each.answer - each.embedding for each in timed]
    recorded = [each.recorded - each.embedding for each in timed]
    embeddings = [each.embedding for each in timed]
    print(wording.latency("answer minus the query embedding", len(timed), *_percentiles(answers), "15 / 40 ms"))
    print(wording.latency("the same with its record written", len(timed), *_percentiles(recorded), "none"))
    print(wording.latency("query embedding", len(timed), *_percentiles(embeddings), "3 ms idle, 11 ms loaded"))
    print(wording.memory(_peak_megabytes(), 500))


async def _ingested(folder: Path, *arguments: Path) -> tuple[str, float]:
    """The summary line of `python -m ingest run` on a data folder, and its wall time in seconds."""
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ingest", "run", "--quiet", *map(str, arguments),
        cwd=_ROOT, env={**os.environ, "ADPOLICY_DATA_DIR": str(folder)}, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, _ = await process.communicate()
    return output.decode().strip(), time.perf_counter() - started


@dataclass(frozen=True, slots=True)
class _Timed:
    """Milliseconds of one question: its answer, the answer with its record, the query embedding in both."""

    answer: float
    recorded: float
    embedding: float


async def _timed(answering: Answering, texts: Sequence[str]) -> list[_Timed]:
    timed = []
    for text in texts:
        started = time.perf_counter()
        answered = await answering.asking.ask(Asked(text, Actor("bench", "bench", "bench"), "bench"))
        recorded = (time.perf_counter() - started) * 1000
        timings = answered.trace.timings_ms
        timed.append(_Timed(timings["total"], recorded, timings["embed"]))
    return timed


async def _real(folder: Path, data: Path) -> None:
    folders = [data / each for each in _REAL]
    if not all(each.is_dir() for each in folders):
        print(wording.left_out("the real policies", str(data)))
        return
    for name, target in (("first", "180 s"), ("second", "3 s")):
        summary, seconds = await _ingested(folder, *folders)
        print(wording.ingested(name, summary, seconds, target))


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
