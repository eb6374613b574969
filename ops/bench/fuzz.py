"""`python -m ops bench fuzz`: a real server on the sample documents, under requests of every kind for some minutes.

Requests are made up from the OpenAPI document, fitting and not (schemathesis), and sent byte by byte (`fuzz_attacks`).
"""

import asyncio
import contextlib
import random
import re
import signal
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from ops.bench.fuzz_attacks import Attack, attacks
from ops.bench.processes import environment
from ops.servers.free_ports import ANY, free_port
from ops.wording import fuzz as wording_fuzz
from rag_core.errors import Unavailable

_MOST_KEPT = 20
_SERVER_ERROR = 500
_LONGEST_COMPLAINT = 400


@dataclass(frozen=True, slots=True)
class Sent:
    """A request and its end: `status` None where the server closed the connection, `hung` where it did neither within
    the route's bound. `what` names it for whoever looks for the cause. `is_slow`: it took its time on purpose."""

    route: str
    status: int | None
    seconds: float
    what: str = ""
    hung: bool = False
    is_slow: bool = False


@dataclass(slots=True)
class Tally:
    """`errors`: requests that ended in 500; `hangs`; `complaints`: answers that are not as they are described."""

    statuses: Counter[str] = field(default_factory=Counter)
    routes: Counter[str] = field(default_factory=Counter)
    errors: list[Sent] = field(default_factory=list)
    hangs: list[Sent] = field(default_factory=list)
    complaints: dict[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(self.statuses.values())

    @property
    def is_clean(self) -> bool:
        return not (self.errors or self.hangs or self.complaints)

    def add(self, sent: Sent) -> None:
        self.routes[sent.route] += 1
        self.statuses[str(sent.status) if sent.status else "hung" if sent.hung else "closed"] += 1
        if sent.hung:
            self.hangs.append(sent)
        if sent.status == _SERVER_ERROR:
            self.errors.append(sent)
        if sent.status is not None and not sent.is_slow:
            self.seconds.append(sent.seconds)

    def complain(self, kind: str, what: str) -> None:
        """The first of each kind is kept."""
        if len(self.complaints) < _MOST_KEPT:
            self.complaints.setdefault(kind, what[:_LONGEST_COMPLAINT])


def percentile(seconds: Sequence[float], share: float) -> float:
    """0 for none."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


Known = Mapping[str, Sequence[str]]
"""Field -> values that mean something: requests that get further than the first check have some of them."""

_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
    allow_header_conformance,
]
_CHECKS_OF_MISFITS = [*_CHECKS, negative_data_rejection]
_ACCEPTS = ("application/json", "text/event-stream", "*/*", "text/html")


def _checks_of_misfit(case: "Case[Any]") -> list[Any]:
    """Only a body can be told to be of the wrong type: in an address a number is a word, too, and an empty object is
    nothing at all."""
    return _CHECKS if case.operation.method.upper() == "GET" else _CHECKS_OF_MISFITS


class DescribedRequests:
    """Sends requests to `address`, by what `document` says of it; `headers` go with each. Blocks."""

    def __init__(
        self,
        document: Mapping[str, Any],
        address: str,
        tally: Tally,
        *,
        known: Known,
        bound_seconds: float,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        schema = schemathesis.openapi.from_dict(dict(document))
        self._operations = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
        self._address = address
        self._tally = tally
        self._known = known
        self._bound = bound_seconds
        self._headers = dict(headers or {})
        self._session = requests.Session()

    def round(self, number: int, examples: int, go_on: Callable[[], bool] = lambda: True) -> None:
        """So many requests of each operation and mode; another `number`, other requests."""
        for operation in self._operations:
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                if go_on():
                    self._made_up(operation, mode, number, examples, go_on)

    def close(self) -> None:
        self._session.close()

    def _made_up(
        self,
        operation: "APIOperation[Any, Any, Any, Any]",
        mode: GenerationMode,
        number: int,
        examples: int,
        go_on: Callable[[], bool],
    ) -> None:
        @seed(number)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(case=operation.as_strategy(generation_mode=mode), draw=st.data())
        def send(case: "Case[Any]", draw: st.DataObject) -> None:
            if go_on():
                fits = mode is GenerationMode.POSITIVE
                case = self._meaningful(case, draw) if fits else case
                self._send(case, draw.draw(st.sampled_from(_ACCEPTS)), _CHECKS if fits else _checks_of_misfit(case))

        with contextlib.suppress(Unsatisfiable):  # there is nothing that it could be given wrongly
            send()

    def _meaningful(self, case: "Case[Any]", draw: st.DataObject) -> "Case[Any]":
        """The case with some of its values replaced by ones that mean something to the server."""
        case.path_parameters = self._replaced(case.path_parameters, draw)
        case.query = self._replaced(case.query, draw)
        case.body = self._replaced(case.body, draw)
        return case

    def _replaced(self, value: Any, draw: st.DataObject) -> Any:
        if not isinstance(value, dict):
            return value
        found = {}
        for name, each in value.items():
            values = self._known.get(name, ()) if isinstance(each, str) else ()
            taken = bool(values) and draw.draw(st.booleans())
            found[name] = draw.draw(st.sampled_from(values)) if taken else self._replaced(each, draw)
        return found

    def _send(self, case: "Case[Any]", accept: str, checks: list[Any]) -> None:
        began = time.perf_counter()
        route, headers = case.operation.label, {"Accept": accept, **self._headers}
        try:
            response = case.call(
                base_url=self._address,
                session=self._session,
                headers=headers,
                timeout=self._bound,
                allow_redirects=False,
            )
        except requests.Timeout:
            what = case.as_curl_command()
            self._tally.add(Sent(route, None, time.perf_counter() - began, what, hung=True))
            return
        except requests.RequestException as exc:
            self._tally.add(Sent(route, None, time.perf_counter() - began, type(exc).__name__))
            return
        self._tally.add(Sent(route, response.status_code, response.elapsed, case.as_curl_command()))
        try:
            case.validate_response(response, checks=checks)
        except FailureGroup as exc:
            for failure in exc.exceptions:
                kind = f"{route} {response.status_code}: {type(failure).__name__}"
                self._tally.complain(kind, f"{failure} {case.as_curl_command()}")


_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
_LEAVES_AFTER = 0.05


class RawRequests:
    """Sends attacks to a server of this machine until it is told to stop. `bound_seconds`: of whatever is a request."""

    def __init__(self, port: int, tally: Tally, *, bound_seconds: float, at_once: int, seed: int) -> None:
        self._port = port
        self._tally = tally
        self._bound = bound_seconds
        self._at_once = at_once
        self._attacks = attacks(random.Random(seed))  # noqa: S311 - the same ones again, for whoever looks for the cause

    async def run(self, go_on: Callable[[], bool]) -> None:
        async with asyncio.TaskGroup() as together:
            for _ in range(self._at_once):
                together.create_task(self._work(self._attacks, go_on))

    async def _work(self, given: Iterator[Attack], go_on: Callable[[], bool]) -> None:
        while go_on():
            self._tally.add(await self.send(next(given)))

    async def send(self, attack: Attack) -> Sent:
        """How it ended: a status, a closed connection, or neither in time."""
        began = time.perf_counter()
        received, hung = b"", False
        try:
            async with asyncio.timeout(self._bound):
                received = await self._exchange(attack)
        except TimeoutError:
            hung = attack.is_request
        except OSError:
            pass  # the server closed the connection, which is an end
        status = _STATUS.match(received)
        seconds, is_slow = time.perf_counter() - began, attack.never_ends or attack.pause > 0
        return Sent(attack.route, int(status[1]) if status else None, seconds, attack.name, hung, is_slow)

    async def _exchange(self, attack: Attack) -> bytes:
        """The beginning of what comes back."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            sending = asyncio.create_task(_send(writer, attack))
            try:
                if attack.leaves:
                    await sending
                    await asyncio.sleep(_LEAVES_AFTER)
                    return b""
                return await _first_line(reader)
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
        finally:
            writer.transport.abort()


async def _send(writer: asyncio.StreamWriter, attack: Attack) -> None:
    for piece in attack.pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(attack.pause)


async def _first_line(reader: asyncio.StreamReader) -> bytes:
    """Of the final answer; "100 Continue" is none."""
    while (line := await reader.readline()).startswith(b"HTTP/1.1 100"):
        await reader.readline()
    return line


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
