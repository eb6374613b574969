import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ingest.model.document_types import PDF
from ingest.reader import process as reading_process
from ingest.reader import wire
from ingest.reader.contents import Contents, ReadingTask, contents_of
from ingest.reader.parsing import parse
from ingest.reader.process import ReadingLimits, ReadingProcess
from rag_core.errors import Misconfigured, Rejected, Unavailable
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.pdfs import long_policy
from tests.fakes.readers import counts_words, program

PAGE = b"<html><body><main><h1 id='top'>Beer</h1><p>Restricted <b>everywhere</b>.</p></main></body></html>"
CHILD = """
import os, re, sys
from ingest.reader import child
from ingest.reader.contents import contents_of
from ingest.reader.parsing import parse
from rag_core.errors import Rejected
def odd(content, mime_type):
    if mime_type == "test/endless":
        while True: pass
    if mime_type == "test/greedy":
        return bytes(10**10)
    if mime_type == "test/deep":
        return odd(content, mime_type)
    if mime_type == "test/talkative":
        raise Rejected("document_empty", problem="x" * 3_000_000)
    if mime_type == "test/crash":
        os.abort()
    if mime_type == "test/bug":
        raise ZeroDivisionError("a bug in a parser")
    if mime_type == "test/print":
        print("x" * 100)
        mime_type = "text/html"
    if mime_type == "test/pid":
        content, mime_type = f"<p>{os.getpid()}".encode(), "text/html"
    if mime_type == "test/secret":
        content, mime_type = f"<p>{' '.join(os.environ)}".encode(), "text/html"
    if mime_type == "test/write":
        with open(content.decode(), "wb") as file:
            file.write(bytes(5_000_000))
    return parse(content, mime_type)
def odd_contents(parsed, task, count, max_tokens):
    while task.file_name == "uncuttable.md": pass
    return contents_of(parsed, task, count, max_tokens)
child.parse, child.contents_of = odd, odd_contents
child.main(int(sys.argv[1]), float(sys.argv[2]), lambda text: len(re.findall(r"\\w+", text)) + 2, 256)
"""
"""A reading process whose parser and chunker have faults."""


@pytest.fixture
async def process() -> AsyncIterator[ReadingProcess]:
    opened = ReadingProcess(counts_words)
    yield opened
    await opened.aclose()


FAULTY = program(CHILD)


@pytest.fixture
async def faulty() -> AsyncIterator[ReadingProcess]:
    opened = ReadingProcess(FAULTY, ReadingLimits(seconds=60, megabytes=600), 1)
    yield opened
    await opened.aclose()


async def read_in_three_seconds(process: ReadingProcess, asked: ReadingTask) -> Contents:
    """By a child that has started: on a busy machine that alone can take longer."""
    assert process._idle
    patient, process._limits = process._limits, replace(process._limits, seconds=3)
    try:
        return await process.read(asked)
    finally:
        process._limits = patient


def task(content: bytes, mime_type: str, file_name: str = "beer.md") -> ReadingTask:
    return ReadingTask(content, mime_type, file_name, {}, True, "global", "sections", date(2026, 6, 1))


def here(asked: ReadingTask) -> Contents:
    embedder = FakeEmbedder()
    return contents_of(parse(asked.content, asked.mime_type), asked, embedder.count_tokens, embedder.max_tokens)


async def pid_of(process: ReadingProcess) -> str:
    return (await process.read(task(b"", "test/pid"))).text.strip()


@pytest.mark.parametrize(
    ("content", "mime_type"),
    [
        (PAGE, "text/html"),
        (
            b"---\ntitle: Beer\neffective_from: 2026-03-01\nregions: [uk, fr]\nlabels: {1: a}\n---\n# Beer\n\nText\n",
            "text/markdown",
        ),
        (long_policy(2), PDF),
    ],
)
async def test_a_document_comes_back_as_it_was_read(process: ReadingProcess, content: bytes, mime_type: str) -> None:
    assert await process.read(task(content, mime_type)) == here(task(content, mime_type))


async def test_dates_in_front_matter_stay_dates(process: ReadingProcess) -> None:
    found = await process.read(task(b"---\neffective_from: 2026-03-01\n---\nText\n", "text/markdown"))
    assert found.facts.effective_from == date(2026, 3, 1)


async def test_a_document_that_is_refused_is_refused_with_its_facts(process: ReadingProcess) -> None:
    with pytest.raises(Rejected) as caught:
        await process.read(task(b"caf\xe9", "text/html"))
    assert (caught.value.code, caught.value.details) == ("not_utf8", {"position": 3})
    with pytest.raises(Rejected, match="document_type_unknown"):
        await process.read(task(b"x", "image/png"))


async def test_one_process_reads_many_documents_and_is_replaced_after_its_share() -> None:
    process = ReadingProcess(FAULTY, ReadingLimits(documents=2), 1)
    try:
        pids = [await pid_of(process) for _ in range(4)]
    finally:
        await process.aclose()
    assert pids[0] == pids[1]
    assert pids[2] == pids[3] != pids[0]


async def test_a_document_that_takes_too_long_is_ended_and_the_next_one_read(faulty: ReadingProcess) -> None:
    pid = await pid_of(faulty)
    with pytest.raises(Rejected) as caught:
        await read_in_three_seconds(faulty, task(b"", "test/endless"))
    assert (caught.value.code, caught.value.details) == ("document_too_costly", {"seconds": 3})
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
    assert (await faulty.read(task(PAGE, "text/html"))).title == "Beer"


async def test_a_document_that_cannot_be_cut_in_time_is_ended_as_well(faulty: ReadingProcess) -> None:
    await pid_of(faulty)
    with pytest.raises(Rejected) as caught:
        await read_in_three_seconds(faulty, task(PAGE, "text/html", "uncuttable.md"))
    assert (caught.value.code, caught.value.details) == ("document_too_costly", {"seconds": 3})
    assert (await faulty.read(task(PAGE, "text/html"))).title == "Beer"


async def test_what_the_program_lacks_is_said_and_the_next_document_asks_again() -> None:
    def missing() -> tuple[str, ...]:
        raise Misconfigured("embedding_model_missing", package="x", path="y")

    process = ReadingProcess(missing, processes=1)
    for _ in range(2):
        with pytest.raises(Misconfigured, match="embedding_model_missing"):
            await asyncio.wait_for(process.read(task(PAGE, "text/html")), 10)


async def test_a_document_that_takes_too_much_memory_is_ended(faulty: ReadingProcess) -> None:
    with pytest.raises(Rejected) as caught:
        await faulty.read(task(b"", "test/greedy"))
    assert (caught.value.code, caught.value.details) == ("document_too_costly", {"megabytes": 600})
    assert (await faulty.read(task(PAGE, "text/html"))).title == "Beer"


async def test_what_the_starting_process_ever_took_is_not_counted_as_the_parsers() -> None:
    """The kernel hands the peak of resident memory on to a started program."""
    held = bytearray(b"x") * (450 * 1024 * 1024)
    process = ReadingProcess(counts_words, ReadingLimits(megabytes=440), processes=1)
    try:
        for _ in range(3):
            assert (await process.read(task(PAGE, "text/html"))).title == "Beer"
            await asyncio.sleep(0.3)
    finally:
        await process.aclose()
    assert len(held) > 440 * 1024 * 1024


async def test_a_huge_page_is_read_or_refused_but_takes_nothing_with_it(process: ReadingProcess) -> None:
    huge = b"<p>" + b"<b>Beer is restricted.</b> " * 2_000_000
    small = ReadingProcess(counts_words, ReadingLimits(megabytes=400), processes=1)
    try:
        with pytest.raises(Rejected) as caught:
            await small.read(task(huge, "text/html"))
    finally:
        await small.aclose()
    assert caught.value.code in ("document_too_costly", "parser_crashed")


@pytest.mark.parametrize(
    ("fault", "exit_", "problem"),
    [("test/crash", -signal.SIGABRT, ""), ("test/bug", 1, "ZeroDivisionError: a bug in a parser")],
)
async def test_a_parser_that_crashes_is_named(faulty: ReadingProcess, fault: str, exit_: int, problem: str) -> None:
    with pytest.raises(Rejected) as caught:
        await faulty.read(task(b"", fault))
    assert (caught.value.code, caught.value.details) == ("parser_crashed", {"exit": exit_, "problem": problem})
    assert (await faulty.read(task(PAGE, "text/html"))).title == "Beer"


async def test_what_a_library_prints_is_no_answer(faulty: ReadingProcess) -> None:
    assert (await faulty.read(task(PAGE, "test/print"))).title == "Beer"


async def test_a_parser_knows_no_secret_and_writes_no_file(
    faulty: ReadingProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADPOLICY_SECRET_KEY", "k")
    known = (await faulty.read(task(b"", "test/secret"))).text
    assert "PATH" in known
    assert "ADPOLICY" not in known
    target = tmp_path / "file"
    with pytest.raises(Rejected, match="parser_crashed"):
        await faulty.read(task(str(target).encode(), "test/write"))
    assert target.stat().st_size <= 1024 * 1024


async def test_a_cancelled_document_ends_its_process(faulty: ReadingProcess) -> None:
    pid = await pid_of(faulty)
    reading = asyncio.create_task(faulty.read(task(b"", "test/endless")))
    await asyncio.sleep(0.2)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
    assert (await faulty.read(task(PAGE, "text/html"))).title == "Beer"


async def test_two_documents_are_read_at_once_and_closing_ends_both() -> None:
    process = ReadingProcess(FAULTY, ReadingLimits(seconds=30), 2)
    tasks = [asyncio.create_task(process.read(task(b"", "test/endless"))) for _ in range(2)]
    await asyncio.sleep(1.5)
    assert len(process._busy) == 2
    await process.aclose()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert [getattr(each, "code", each) for each in found] == ["parser_crashed"] * 2


async def test_at_rest_there_is_no_child_and_the_next_document_starts_one(process: ReadingProcess) -> None:
    await process.read(task(PAGE, "text/html"))
    (child,) = process._idle
    await process.rest()
    assert (child.process.returncode, process._idle) == (-signal.SIGKILL, [])
    assert await process.read(task(PAGE, "text/html")) == here(task(PAGE, "text/html"))


async def started(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=reading_process._ROOT,
    )


async def test_a_process_whose_parent_is_gone_ends_itself() -> None:
    head = wire.written_task(task(b"", "test/endless"))
    endless = wire.REQUEST.pack(len(head), 0) + head
    idle = await started(*counts_words(), "600", "5")
    busy = await started("-c", CHILD, "600", "0.1")
    for process, request in ((idle, b""), (busy, endless)):
        assert process.stdin is not None
        process.stdin.write(request)
        process.stdin.close()
    assert await asyncio.wait_for(idle.wait(), 30) == 0
    assert await asyncio.wait_for(busy.wait(), 60) == -signal.SIGXCPU


async def test_where_the_system_keeps_no_limit_on_memory_the_process_ends_itself() -> None:
    process = await started("-c", "from ingest.reader import child; child._watch_memory(1)")
    assert await asyncio.wait_for(process.wait(), 30) == wire.OUT_OF_MEMORY


async def test_a_program_that_cannot_start_is_no_fault_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(Unavailable, match="parser_not_started"):
        await ReadingProcess(counts_words).read(task(PAGE, "text/html"))


async def test_a_program_that_does_not_start_in_time_is_no_fault_of_the_document() -> None:
    with pytest.raises(Unavailable, match="parser_not_started"):
        await ReadingProcess(counts_words, ReadingLimits(seconds=0)).read(task(PAGE, "text/html"))


async def test_a_document_that_recurses_without_end_is_named(faulty: ReadingProcess) -> None:
    with pytest.raises(Rejected, match="document_nested_too_deeply"):
        await faulty.read(task(b"", "test/deep"))
    assert (await faulty.read(task(PAGE, "text/html"))).title == "Beer"


async def test_an_answer_that_is_too_large_is_not_taken_in() -> None:
    process = ReadingProcess(FAULTY, ReadingLimits(answer_megabytes=2), 1)
    try:
        with pytest.raises(Rejected) as caught:
            await process.read(task(b"", "test/talkative"))
        assert (caught.value.code, caught.value.details) == ("document_too_costly", {"megabytes": 2})
        assert (await process.read(task(PAGE, "text/html"))).title == "Beer"
    finally:
        await process.aclose()


async def test_letters_without_end_are_cut_before_they_leave_the_process(process: ReadingProcess) -> None:
    """Of any length they are one token to a tokenizer that does not know them."""
    found = await process.read(task(b"# Beer\n\n" + b"b" * 10_000 + b"\n\n- " + b"c" * 10_000, "text/markdown"))
    assert max(len(found.text[each.start : each.end]) + len(each.lead_in) for each in found.drafts) < 7_000
    assert sum(each.end - each.start for each in found.drafts) >= 20_000


async def test_what_the_process_adds_to_a_usual_page_is_small(process: ReadingProcess) -> None:
    page = b"<main>" + b"<h2>Beer</h2><p>Ads for <b>beer</b> are restricted.</p><ul><li>Not to minors.</li></ul>" * 150
    await process.read(task(page, "text/html"))
    with_process, without = list[float](), list[float]()
    until = time.monotonic() + 30
    while len(without) < 15 or (_added(with_process, without) >= 0.015 and time.monotonic() < until):
        before = time.perf_counter()
        await process.read(task(page, "text/html"))
        between = time.perf_counter()
        here(task(page, "text/html"))
        with_process.append(between - before)
        without.append(time.perf_counter() - between)
    assert _added(with_process, without) < 0.015


def _added(with_process: Sequence[float], without: Sequence[float]) -> float:
    """By the best of each: on a busy machine it takes many to have one that nothing held up."""
    return min(with_process) - min(without)
