"""`python -m ops bench ask`: how long answers take and how quickly documents are read, on this machine."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.model.messages import Actor
from bot.questions.answerer import Asked
from ops.bench import wording
from ops.bench.processes import ingest_in_own_process, peak_megabytes
from ops.bench.stores import embedded
from ops.bench.timing import latency
from ops.config import Config
from ops.parts import Answering
from ops.wiring import open_answering

_ROOT = Path(__file__).resolve().parent.parent.parent
QUESTIONS = _ROOT / "tests" / "golden" / "sample_questions.jsonl"
_WARM_UP, _AGAIN = 5, 2
_FEWEST = _WARM_UP + 3
_PARTS = ("topic", "retrieve", "read", "compose")
REAL = ("ad-policies/current", "github-site-policy")


async def bench_ask(config: Config, data: Path, without: frozenset[str], *, smallest: bool = False) -> int:
    """Print the figures; parts whose data is missing are named and left out. Of the settings only fusion and what
    judges rules count. Always 0."""
    with TemporaryDirectory(prefix="adpolicy-bench-") as folder:
        await _sample(embedded(config, Path(folder) / "sample"), _FEWEST if smallest else None)
        if "real" not in without:
            await _real(Path(folder) / "real", data)
    if "scifact" not in without:
        await print_scifact(data / "scifact")
    return 0


async def _sample(config: Config, most: int | None) -> None:
    """`most`: as many questions, evenly over all kinds. The first ones are asked once before, for caches and lazy
    imports. Who asks the others again is answered from what the reader of rules remembers of them."""
    await ingest_in_own_process(config.data_dir)  # in a process of its own: what is measured here is answering
    lines = [line for line in QUESTIONS.read_text(encoding="utf-8").splitlines() if line]
    texts = list(dict.fromkeys(str(json.loads(line)["question"]) for line in lines))
    texts = texts[:: len(texts) // most] if most is not None else texts
    async with open_answering(config) as answering:
        await _timed(answering, texts[:_WARM_UP])
        first = await _timed(answering, texts[_WARM_UP:])
        again = await _timed(answering, texts * _AGAIN)
    print(wording.latency("answer minus the query embedding", latency([each.alone for each in first]), "15 / 40 ms"))
    for part in _PARTS:
        _print_part(part, [each.timings[part] for each in first if part in each.timings])
    recorded = latency([each.recorded - each.embedding for each in first])
    print(wording.latency("the same with its record written", recorded, "none"))
    print(wording.latency("processor time of that", latency([each.processor for each in first]), "none"))
    print(wording.latency("answer to a question asked again", latency([each.alone for each in again]), "none"))
    embeddings = [each.embedding for each in (*first, *again) if each.embedding]
    _print_part("query embedding", embeddings, "3 ms idle, 11 ms loaded")
    print(wording.memory(peak_megabytes(), 500))


def _print_part(part: str, milliseconds: Sequence[float], target: str = "none") -> None:
    """Of the questions that came so far: many are refused before."""
    if len(milliseconds) > 1:
        print(wording.latency(part, latency(milliseconds), target))


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds of one question: `recorded` is the answer with its record, `processor` the time of all processors
    for it, `timings` the steps of the answer that it took."""

    recorded: float
    processor: float
    timings: Mapping[str, float]

    @property
    def embedding(self) -> float:
        """0 where nothing was looked for."""
        return self.timings.get("embed", 0.0)

    @property
    def alone(self) -> float:
        """The answer without the query embedding."""
        return self.timings["total"] - self.embedding


async def _timed(answering: Answering, texts: Sequence[str]) -> list[Timed]:
    timed = []
    for text in texts:
        started, used = time.perf_counter(), time.process_time()
        answered = await answering.asking.ask(Asked(text, Actor("bench", "bench", "bench"), "bench"))
        recorded, processor = time.perf_counter() - started, time.process_time() - used
        timed.append(Timed(recorded * 1000, processor * 1000, answered.trace.timings_ms))
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
