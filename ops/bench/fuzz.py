"""`python -m ops bench fuzz`: a real server on the sample documents, under requests of every kind for some minutes."""

import asyncio
import re
import signal
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import psutil

from ops import wording_fuzz
from ops.bench.fuzz_described import DescribedRequests
from ops.bench.fuzz_raw import RawRequests
from ops.bench.fuzz_tally import Tally, percentile
from ops.bench.processes import environment
from ops.servers.free_ports import ANY, free_port
from rag_core.errors import Unavailable

_ASK_SECONDS, _BODY_SECONDS, _MARGIN_SECONDS = 20.0, 10.0, 10.0
"""What an answer and the arrival of a body may take by default; and what else goes on on the machine."""

_BOUND = _ASK_SECONDS + _BODY_SECONDS + _MARGIN_SECONDS
_EXAMPLES, _AT_ONCE, _SHOWN = 25, 6, 10
_ENTRY = re.compile(r"^(?=\d{4}-\d\d-\d\dT)", re.MULTILINE)
_DEFECT, _LONGEST = "[error", 600
_QUESTIONS = (
    "can I advertise alcohol in the UK",
    "alcohol in Germany and France",
    "what changed since March 2025",
    "which documents are there",
    "gambling in Texas as of last December",
)


@dataclass(frozen=True, slots=True)
class RunningServer:
    process: Process
    port: int
    log: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def memory(self) -> psutil.Process:
        return psutil.Process(self.process.pid)


async def bench_fuzz(minutes: float) -> int:
    """1 if a request ended in 500 or not at all, an answer was not as described, or the server is gone."""
    with tempfile.TemporaryDirectory() as folder:
        async with _server(Path(folder)) as server:
            print(wording_fuzz.started(server.address, minutes), flush=True)
            return await _measured(server, minutes * 60)


async def _measured(server: RunningServer, seconds: float) -> int:
    described, raw = Tally(), Tally()
    async with aiohttp.ClientSession(server.address, timeout=aiohttp.ClientTimeout(total=_BOUND)) as session:
        known = await known_values(session)
        async with session.get("/api/v1/openapi.json") as response:
            document = await response.json()
        made_up = DescribedRequests(document, server.address, described, known=known, bound_seconds=_BOUND)
        attacking = RawRequests(server.port, raw, bound_seconds=_BOUND, at_once=_AT_ONCE, seed=1)
        began = time.monotonic()

        def go_on() -> bool:
            return time.monotonic() - began < seconds and server.process.returncode is None

        async with asyncio.TaskGroup() as together:
            together.create_task(asyncio.to_thread(_rounds, made_up, go_on))
            together.create_task(attacking.run(go_on))
            watching = together.create_task(_peak_memory(server, go_on))
        lives = await _answers(session)
    logged = _logged(server.log)
    _tell(described, raw, time.monotonic() - began, logged, lives=lives, megabytes=watching.result())
    return 0 if described.is_clean and raw.is_clean and lives and not logged else 1


def _rounds(made_up: DescribedRequests, go_on: Callable[[], bool]) -> None:
    number = 0
    while go_on():
        number += 1
        made_up.round(number, _EXAMPLES, go_on)
    made_up.close()


async def known_values(session: aiohttp.ClientSession) -> dict[str, list[str]]:
    """Values that mean something to this server: ids of what it has and answered, words it knows."""
    answers, chunks, versions = [], [], []
    for question in _QUESTIONS:
        async with session.post("/api/v1/ask", json={"question": question}) as response:
            answer: dict[str, Any] = await response.json()
        answers.append(str(answer["answer_id"]))
        chunks += [str(each["chunk_id"]) for each in answer["citations"]]
        versions += [str(each["doc_id"]) for each in answer["citations"]]
    async with session.get("/api/v1/documents") as response:
        documents = (await response.json())["documents"]
    return {
        "answer_id": answers,
        "chunk_id": sorted(set(chunks)),
        "doc_id": sorted(set(versions)),
        "document_id": [each["document_id"] for each in documents],
        "policy_source": sorted({each["policy_source"] for each in documents}),
        "region": ["uk", "de", "us-tx", "eu", "global", "nowhere"],
        "content_type": ["image", "video", "general"],
        "question": [*_QUESTIONS, "and in France?", "\u202ewine\x00", "x" * 2_001],
        "content": list(_QUESTIONS),
        "conversation_id": ["one", "two"],
        "query": [*_QUESTIONS, "wine"],
        "claim": ["Ads for spirits are not allowed.", "Ads may be shown to people over 18."],
        "as_of": ["2026-06-01", "0001-01-01", "9999-12-31"],
        "since": ["2025-01-01", "9999-12-31"],
    }


@asynccontextmanager
async def _server(folder: Path) -> AsyncIterator[RunningServer]:
    """`python -m bot serve` in a data folder of its own. Raises Unavailable."""
    port = free_port(ANY)
    binds = {"WEB_BIND": f"127.0.0.1:{port}", "CHAT_BIND": f"127.0.0.1:{free_port(ANY)}"}
    own = environment(DATA_DIR=str(folder / "data"), **binds)
    log = folder / "server.log"
    ingest = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ingest", "run", "--quiet", env=own, stdout=PIPE
    )
    await ingest.communicate()
    with log.open("wb") as written:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "serve", env=own, stdout=PIPE, stderr=written
        )
    try:
        if process.stdout is None or not await process.stdout.readline():
            raise Unavailable("server_not_started", reason=log.read_text(encoding="utf-8", errors="replace")[-500:])
        yield RunningServer(process, port, log)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


async def _peak_memory(server: RunningServer, go_on: Callable[[], bool]) -> float:
    """Megabytes."""
    peak = 0.0
    while go_on():
        peak = max(peak, server.memory.memory_info().rss / 1e6)
        await asyncio.sleep(1)
    return peak


async def _answers(session: aiohttp.ClientSession) -> bool:
    try:
        async with session.get("/readyz") as response:
            return response.status == 200
    except (aiohttp.ClientError, TimeoutError):
        return False


def _logged(log: Path) -> list[str]:
    """Entries that tell of defects: each with its last lines, which say what was raised."""
    entries = _ENTRY.split(log.read_text(encoding="utf-8", errors="replace"))
    return [entry[: _LONGEST // 4] + " ... " + entry[-_LONGEST:].strip() for entry in entries if _DEFECT in entry]


def _tell(described: Tally, raw: Tally, seconds: float, logged: list[str], *, lives: bool, megabytes: float) -> None:
    both = (described, raw)
    print(wording_fuzz.sent(described.count, raw.count, seconds))
    print(wording_fuzz.statuses(described.statuses + raw.statuses))
    times = [each for tally in both for each in tally.seconds]
    print(wording_fuzz.timing(percentile(times, 0.5), percentile(times, 0.99), max(times, default=0.0)))
    print(wording_fuzz.errors(sum(len(tally.errors) for tally in both)))
    print(wording_fuzz.hangs(sum(len(tally.hangs) for tally in both)))
    for tally in both:
        for sent in (*tally.errors, *tally.hangs)[:_SHOWN]:
            print(wording_fuzz.kept(sent.route, sent.what))
    print(wording_fuzz.complaints(sum(len(tally.complaints) for tally in both)))
    for kind, what in described.complaints.items():
        print(wording_fuzz.kept(kind, what))
    print(wording_fuzz.unlogged(len(logged)))
    for line in logged[:_SHOWN]:
        print(wording_fuzz.kept("", line))
    print(wording_fuzz.alive(lives, megabytes))
