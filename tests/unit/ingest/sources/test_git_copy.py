"""The copy of a repository, after a git was killed and while another one writes to it."""

import asyncio
from datetime import date
from pathlib import Path

import pytest

from ingest.fetching.addresses import any_address
from ingest.ports import SourceDefaults
from ingest.sources.git import GitHistorySource, alone_in
from rag_core.documents import PolicySource
from tests.fakes.certificates import CertificateFiles, certificates
from tests.fakes.repository import FakeRepository, served

DEFAULTS = SourceDefaults(PolicySource("acme", "Acme"))
D1, D2 = date(2024, 1, 5), date(2024, 3, 1)


def source_of(address: str, folder: Path, files: CertificateFiles) -> GitHistorySource:
    return GitHistorySource(
        "acme-git", address, DEFAULTS, cache=folder / "cache", may_connect=any_address, authority=files.authority
    )


async def read(source: GitHistorySource) -> list[bytes]:
    """What each version says."""
    try:
        found = [await source.fetch(item) for item in await source.discover()]
    finally:
        await source.aclose()
    return [raw.content for raw in found if raw is not None]


async def test_what_a_killed_git_left_does_not_stop_the_next_one(tmp_path: Path) -> None:
    files, repository = certificates(tmp_path), FakeRepository(tmp_path / "rules")
    repository.commit(D1, {"a.md": "# One"})
    repository.git("update-server-info")
    async with served(repository, files) as address:
        await read(source_of(address, tmp_path, files))
        (copy,) = (tmp_path / "cache").glob("*/repository.git")
        (ref,) = (copy / "refs" / "adpolicy").iterdir()
        left = [copy / "config.lock", ref.with_name(f"{ref.name}.lock"), copy / "objects" / "pack" / "tmp_pack_x1"]
        for path in left:
            path.touch()
        repository.commit(D2, {"a.md": "# Two"})
        repository.git("update-server-info")

        assert await read(source_of(address, tmp_path, files)) == [b"# One", b"# Two"]
    assert not any(path.exists() for path in left)


async def test_a_copy_is_written_to_by_one_process_at_a_time(tmp_path: Path) -> None:
    """Also by a git that goes on although the process that started it was killed."""
    order: list[str] = []

    async def write(name: str) -> None:
        async with alone_in(tmp_path, tmp_path / "copy", 5):
            order.append(f"{name} begins")
            await asyncio.sleep(0.2)
            order.append(f"{name} ends")

    await asyncio.gather(write("one"), write("two"))
    first, second = ("one", "two") if order[0] == "one begins" else ("two", "one")  # who is first, nothing decides
    assert order == [f"{first} begins", f"{first} ends", f"{second} begins", f"{second} ends"]

    async with alone_in(tmp_path, tmp_path / "copy", 5) as held:
        going_on = await asyncio.create_subprocess_exec("sleep", "60", pass_fds=(held,))
    with pytest.raises(TimeoutError):
        async with alone_in(tmp_path, tmp_path / "copy", 0.3):
            order.append("three begins")
    going_on.kill()
    await going_on.wait()
    await write("four")
    assert order[4:] == ["four begins", "four ends"]
