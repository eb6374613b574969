"""`python -m ops bench ask`: how long answers take and how quickly documents are read, on this machine."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.asking import Asked
from bot.messages import Actor
from ops.bench import wording
from ops.bench.ingesting import ingest_in_own_process
from ops.bench.rebuilding import peak_megabytes
from ops.bench.rounds import latency
from ops.config import Config
from ops.parts import Answering
from ops.wiring import open_answering

_ROOT = Path(__file__).resolve().parent.parent.parent
QUESTIONS = _ROOT / "tests" / "golden" / "sample_questions.jsonl"
_ROUNDS = 3
REAL = ("ad-policies/current", "github-site-policy")


async def bench_ask(data: Path, without: frozenset[str]) -> int:
    """Print the figures; parts whose data is missing are named and left out. Always 0."""
    with TemporaryDirectory(prefix="adpolicy-bench-") as folder:
        await _sample(Path(folder) / "sample")
        if "real" not in without:
            await _real(Path(folder) / "real", data)
    if "scifact" not in without:
        await print_scifact(data / "scifact")
    return 0


async def _sample(folder: Path) -> None:
    await ingest_in_own_process(folder)  # in a process of its own: what is measured here is answering
    async with open_answering(Config(data_dir=folder)) as answering:
        texts = [json.loads(line)["question"] for line in QUESTIONS.read_text(encoding="utf-8").splitlines() if line]
        await _timed(answering, texts[:5])  # caches and lazy imports
        timed = await _timed(answering, texts * _ROUNDS)
    answers = latency([each.answer - each.embedding for each in timed])
    recorded = latency([each.recorded - each.embedding for each in timed])
    embeddings = latency([each.embedding for each in timed])
    print(wording.latency("answer minus the query embedding", answers, "15 / 40 ms"))
    print(wording.latency("the same with its record written", recorded, "none"))
    print(wording.latency("query embedding", embeddings, "3 ms idle, 11 ms loaded"))
    print(wording.memory(peak_megabytes(), 500))


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
    folders = [data / each for each in REAL]
    if not all(each.is_dir() for each in folders):
        print(wording.left_out("the real policies", str(data)))
        return
    for name, target in (("first", "180 s"), ("second", "3 s")):
        summary, seconds = await ingest_in_own_process(folder, *folders)
        print(wording.ingested(name, summary, seconds, target))


async def print_scifact(folder: Path, config: Config | None = None) -> None:
    """The figures on SciFact, where it is there; of the cluster too that the config names."""
    if not folder.is_dir():  # noqa: ASYNC240 - nothing else runs yet
        print(wording.left_out("SciFact", str(folder)))
        return
    try:
        from ops.bench.scifact import bench_scifact  # noqa: PLC0415 - the light install has no opensearch-py
    except ImportError:
        print(wording.needs_services("SciFact"))
        return
    print(json.dumps(await bench_scifact(folder, config), indent=2))
