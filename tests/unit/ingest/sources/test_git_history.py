import asyncio
import re
from datetime import date
from pathlib import Path

import pytest

from ingest.fetching.addresses import any_address
from ingest.ports import RawDocument, SourceDefaults
from ingest.sources.git import GitHistorySource
from ingest.sources.git_program import GitLimits
from rag_core.documents import PolicySource
from rag_core.errors import Misconfigured, Rejected, Unavailable
from tests.fakes.certificates import certificates
from tests.fakes.repository import FakeRepository, served

DEFAULTS = SourceDefaults(PolicySource("acme", "Acme"))
TEXT = "# Rules\n\n" + "\n".join(f"Line {number} of the rules." for number in range(20))
D1, D2, D3, D4 = date(2024, 1, 5), date(2024, 3, 1), date(2025, 6, 30), date(2026, 2, 2)


@pytest.fixture
def repository(tmp_path: Path) -> FakeRepository:
    return FakeRepository(tmp_path / "rules")


def source_of(repository: FakeRepository | str, tmp_path: Path, **options: object) -> GitHistorySource:
    place = repository if isinstance(repository, str) else str(repository.folder)
    return GitHistorySource("acme-git", place, DEFAULTS, cache=tmp_path / "cache", **options)  # type: ignore[arg-type]


async def read(source: GitHistorySource) -> list[RawDocument]:
    """All that it has."""
    try:
        found = [await source.fetch(item) for item in await source.discover()]
    finally:
        await source.aclose()
    return [raw for raw in found if raw is not None]


def days(documents: list[RawDocument]) -> list[tuple[object, object, object]]:
    return [(raw.facts["document_id"], raw.facts["effective_from"], raw.facts.get("effective_to")) for raw in documents]


async def test_every_version_of_a_file_with_its_day(repository: FakeRepository, tmp_path: Path) -> None:
    first = repository.commit(D1, {"ads/Alcohol Policy.md": "# One", "other.md": "# Other"})
    repository.commit(D2, {"other.md": "# Other, again"})
    third = repository.commit(D3, {"ads/Alcohol Policy.md": "# Two"})

    documents = await read(source_of(repository, tmp_path, paths=["ads"]))

    assert [raw.content for raw in documents] == [b"# One", b"# Two"]
    assert [raw.origin for raw in documents] == [f"ads/Alcohol Policy.md@{first}", f"ads/Alcohol Policy.md@{third}"]
    assert days(documents) == [
        ("acme_alcohol_policy", "2024-01-05", None),
        ("acme_alcohol_policy", "2025-06-30", None),
    ]
    assert (documents[0].file_name, documents[0].mime_type) == ("Alcohol Policy.md", "text/markdown")
    assert documents[0].url is None


async def test_what_is_known_is_not_read_again(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"a.md": "# One"})
    source = source_of(repository, tmp_path)
    (item,) = await source.discover()

    assert await source.fetch(item, item.revision) is None
    assert await source.fetch(item, "something else") is not None
    await source.aclose()


async def test_unchanged_content_is_no_version(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"a.md": TEXT})
    repository.git("update-index", "--chmod=+x", "a.md")
    repository.git("commit", "--quiet", "--message", "mode", day=D2)
    repository.commit(D3, {"a.md": "# Two"})
    repository.commit(D4, {"a.md": TEXT})

    assert [raw.facts["effective_from"] for raw in await read(source_of(repository, tmp_path))] == [
        "2024-01-05",
        "2025-06-30",
        "2026-02-02",
    ]


async def test_commits_of_one_day_keep_their_order(repository: FakeRepository, tmp_path: Path) -> None:
    for text in ("# One", "# Two", "# Three"):
        repository.commit(D1, {"a.md": text})

    assert [raw.content for raw in await read(source_of(repository, tmp_path))] == [b"# One", b"# Two", b"# Three"]


async def test_days_do_not_run_backwards(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D2, {"a.md": "# One"})
    repository.commit(D1, {"a.md": "# Written earlier, merged later"}, committed=D3)
    repository.commit(date(2099, 1, 1), {"a.md": "# A wrong clock"}, committed=D4)

    assert [raw.facts["effective_from"] for raw in await read(source_of(repository, tmp_path))] == [
        D2.isoformat(),
        D2.isoformat(),
        D4.isoformat(),
    ]


@pytest.mark.parametrize("moment", ["9223372036854775807 +0000", " +0000", "253402300800 +0000"])
async def test_a_commit_whose_time_is_none_has_the_day_of_the_one_before(
    repository: FakeRepository, tmp_path: Path, moment: str
) -> None:
    repository.commit(D1, {"a.md": "# One"})
    repository.commit(D2, {"a.md": "# Two", "b.md": "# New"})
    made = repository.git("cat-file", "commit", "HEAD")
    (repository.folder / "commit").write_text(
        re.sub(r"(?m)^(author|committer) (.*>) .*$", rf"\1 \2 {moment}", made) + "\n"
    )
    head = repository.git("hash-object", "-t", "commit", "-w", "--literally", "commit")
    repository.git("update-ref", "refs/heads/main", head)

    facts = [raw.facts.get("effective_from") for raw in await read(source_of(repository, tmp_path))]

    assert sorted(map(str, facts)) == [D1.isoformat(), D1.isoformat(), "None"]


async def test_a_renamed_file_is_the_same_document(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"drafts/old.md": TEXT})
    repository.commit(D2, {"drafts/old.md": None, "live/new.md": TEXT})
    repository.commit(D3, {"live/new.md": TEXT + "\nMore."})

    documents = await read(source_of(repository, tmp_path, paths=["live/*.md"]))

    assert days(documents) == [("acme_old", "2024-01-05", None), ("acme_old", "2025-06-30", None)]
    assert documents[1].origin.startswith("live/new.md@")


async def test_a_rename_that_may_be_another_one_is_none(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"a.md": TEXT, "b.md": TEXT})
    repository.commit(D2, {"a.md": None, "b.md": None, "c.md": TEXT, "d.md": TEXT})

    assert sorted(days(await read(source_of(repository, tmp_path))), key=str) == [
        ("acme_a", "2024-01-05", "2024-03-01"),
        ("acme_b", "2024-01-05", "2024-03-01"),
        ("acme_c", "2024-03-01", None),
        ("acme_d", "2024-03-01", None),
    ]


async def test_a_frozen_copy_under_the_old_name_is_a_document_of_its_own(
    repository: FakeRepository, tmp_path: Path
) -> None:
    repository.commit(D1, {"a.md": TEXT})
    repository.commit(D2, {"a.md": None, "b.md": TEXT})
    repository.commit(D3, {"a.md": "# Something else"})

    assert sorted(days(await read(source_of(repository, tmp_path))), key=str) == [
        ("acme_a", "2024-01-05", "2024-03-01"),
        ("acme_a", "2025-06-30", None),
        ("acme_b", "2024-03-01", None),
    ]


async def test_a_removed_file_says_when_it_ended(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"a.md": "# One", "b.md": "# B"})
    source = source_of(repository, tmp_path)
    before = {item.origin: item.revision for item in await source.discover()}
    repository.commit(D2, {"a.md": None})

    after = {item.origin: item.revision for item in await source.discover()}

    assert [origin for origin in before if before[origin] != after[origin]] == [
        origin for origin in before if origin.startswith("a.md@")
    ]
    assert days(await read(source))[0] == ("acme_a", "2024-01-05", "2024-03-01")


async def test_since_keeps_what_held_on_that_day(repository: FakeRepository, tmp_path: Path) -> None:
    for day, text in ((D1, "# One"), (D2, "# Two"), (D4, "# Three")):
        repository.commit(day, {"a.md": text})
    repository.commit(D2, {"gone.md": "# Gone"}, committed=D4)
    documents = await read(source_of(repository, tmp_path, since=D3, paths=["a.md"]))

    assert [raw.content for raw in documents] == [b"# Two", b"# Three"]


async def test_what_ended_before_since_is_left_out(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"a.md": "# One", "gone.md": "# Gone"})
    repository.commit(D2, {"gone.md": None})

    assert [raw.content for raw in await read(source_of(repository, tmp_path, since=D3))] == [b"# One"]


async def test_a_merge_counts_from_its_own_day(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"a.md": "# One"})
    repository.git("checkout", "--quiet", "-b", "draft")
    repository.commit(D2, {"a.md": "# Draft"})
    repository.commit(D2, {"a.md": "# Agreed"})
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "merge", "draft", day=D3)

    documents = await read(source_of(repository, tmp_path))

    assert [(raw.content, raw.facts["effective_from"]) for raw in documents] == [
        (b"# One", "2024-01-05"),
        (b"# Agreed", "2025-06-30"),
    ]


async def test_names_once_given_stay(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"uk/alcohol.md": "# UK"})
    before = days(await read(source_of(repository, tmp_path)))
    repository.commit(D2, {"at/alcohol.md": "# Austria"})

    after = days(await read(source_of(repository, tmp_path)))

    assert after == [*before, ("acme_at_alcohol", "2024-03-01", None)]


async def test_files_of_one_folder_that_a_version_mark_tells_apart_are_one_document(
    repository: FakeRepository, tmp_path: Path
) -> None:
    repository.commit(D1, {"uk/beer_v1.md": "# One", "at/beer_v1.md": "# Austria"})
    repository.commit(D2, {"uk/beer_v2.md": "# Quite another text"})
    repository.commit(D3, {"uk/beer.md": "# Without a mark"})

    found = days(await read(source_of(repository, tmp_path)))

    assert found == [
        ("acme_beer", D1.isoformat(), None),
        ("acme_uk_beer", D1.isoformat(), None),
        ("acme_uk_beer", D2.isoformat(), None),
        (found[-1][0], D3.isoformat(), None),
    ]
    assert found[-1][0] not in ("acme_beer", "acme_uk_beer")


async def test_only_documents_are_read(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"README.md": "x", ".github/a.md": "x", "_draft.md": "x", "tool.py": "x", "a.md": "# A"})
    (repository.folder / "link.md").symlink_to("/etc/hostname")
    repository.commit(D2, {})

    assert days(await read(source_of(repository, tmp_path))) == [("acme_a", "2024-01-05", None)]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("**/a.md", ["a.md", "x/a.md", "x/y/a.md"]),
        ("x/*", ["x/a.md", "x/y/a.md"]),
        ("*.md", ["a.md"]),
        ("x/y/", ["x/y/a.md"]),
    ],
)
async def test_patterns(repository: FakeRepository, tmp_path: Path, pattern: str, expected: list[str]) -> None:
    repository.commit(D1, {"a.md": "# 1", "x/a.md": "# 2", "x/y/a.md": "# 3"})

    items = await source_of(repository, tmp_path, paths=[pattern]).discover()

    assert sorted(item.origin.partition("@")[0] for item in items) == expected


async def test_names_of_any_kind(repository: FakeRepository, tmp_path: Path) -> None:
    odd = 'Größe "1"\n:000 & \t.md'
    repository.commit(D1, {odd: "# Odd"})
    repository.commit(D2, {odd: None, "plain.md": "# Odd"})

    documents = await read(source_of(repository, tmp_path))

    assert [(raw.origin.partition("@")[0], raw.content) for raw in documents] == [(odd, b"# Odd")]


async def test_rewritten_history_is_read_as_it_is_now(repository: FakeRepository, tmp_path: Path) -> None:
    files = certificates(tmp_path)
    repository.commit(D1, {"a.md": "# One"})
    repository.commit(D2, {"a.md": "# Two"})
    repository.git("update-server-info")
    async with served(repository, files) as address:
        options = {"may_connect": any_address, "authority": files.authority}
        before = await read(source_of(address, tmp_path, **options))
        repository.git("reset", "--quiet", "--hard", "HEAD~1")
        repository.commit(D3, {"a.md": "# Two, put right"})
        repository.git("update-server-info")
        after = await read(source_of(address, tmp_path, **options))

    assert [raw.content for raw in before] == [b"# One", b"# Two"]
    assert [raw.content for raw in after] == [b"# One", b"# Two, put right"]
    assert before[0].origin == after[0].origin


async def test_a_private_address_is_not_asked(repository: FakeRepository, tmp_path: Path) -> None:
    files = certificates(tmp_path)
    repository.commit(D1, {"a.md": "# One"})
    repository.git("update-server-info")
    async with served(repository, files) as address:
        with pytest.raises(Rejected, match="address_not_public"):
            await source_of(address, tmp_path, authority=files.authority).discover()


async def test_git_connects_to_the_address_that_was_checked(
    repository: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a host that no name server knows: only the checked answer can lead git to the server here."""
    files = certificates(tmp_path)

    async def answer(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        return [(0, 0, 0, "", ("10.0.0.9", port)), (0, 0, 0, "", ("127.0.0.1", port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", answer)
    async with served(repository, files) as address:
        named = address.replace("127.0.0.1", "rules.invalid")
        with pytest.raises(Unavailable, match="certificate subject name"):
            await source_of(
                named, tmp_path, authority=files.authority, may_connect=lambda each: each.is_loopback
            ).discover()


async def test_what_a_server_may_do_wrong(
    repository: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_SSL_NO_VERIFY", "1")
    files = certificates(tmp_path)
    repository.commit(D1, {"a.md": "# One"})
    repository.git("update-server-info")
    async with served(repository, files) as address:
        trusting = {"may_connect": any_address, "authority": files.authority}
        with pytest.raises(Unavailable, match="git_failed"):
            await source_of(address, tmp_path, may_connect=any_address).discover()
        with pytest.raises(Misconfigured, match="git_repository_moved"):
            await source_of(address.replace("/rules.git", "/moved"), tmp_path, **trusting).discover()
        with pytest.raises(Misconfigured, match="git_repository_missing"):
            await source_of(address.replace("/rules.git", "/none.git"), tmp_path, **trusting).discover()
        with pytest.raises(Misconfigured, match="git_branch_missing"):
            await source_of(address, tmp_path, branch="none", **trusting).discover()
        with pytest.raises(Rejected, match="git_too_large"):
            await source_of(address, tmp_path, limits=GitLimits(most_bytes=10), **trusting).discover()


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% /tmp/x",
        "file:///etc",
        "http://policies.example/x",
        "ssh://x/y",
        "--upload-pack=x",
        "https://token@policies.example/x",
    ],
)
async def test_other_addresses_are_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(Misconfigured, match="git_address_invalid") as refused:
        await source_of(address, tmp_path).discover()

    assert "token" not in str(refused.value)


async def test_no_repository_no_branch_no_document(repository: FakeRepository, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="git_repository_missing"):
        await source_of(str(tmp_path / "none"), tmp_path).discover()
    (tmp_path / "plain").mkdir()
    with pytest.raises(Misconfigured, match="git_repository_missing"):
        await source_of(str(tmp_path / "plain"), tmp_path).discover()
    with pytest.raises(Misconfigured, match="git_branch_missing"):
        await source_of(repository, tmp_path, branch="--output=x").discover()
    repository.commit(D1, {"a.txt": "x"})
    with pytest.raises(Misconfigured, match="git_branch_missing"):
        await source_of(repository, tmp_path, branch="none").discover()
    with pytest.raises(Rejected, match="git_no_documents"):
        await source_of(repository, tmp_path).discover()


async def test_a_history_cut_short_is_refused(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"a.md": "# One"})
    repository.commit(D2, {"b.md": "# Two"})
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.folder}", str(tmp_path / "shallow"))

    with pytest.raises(Misconfigured, match="git_shallow"):
        await source_of(str(tmp_path / "shallow"), tmp_path).discover()


async def test_a_large_file_is_refused_and_the_next_one_read(repository: FakeRepository, tmp_path: Path) -> None:
    repository.commit(D1, {"a.md": "x" * 5000, "b.md": "# B"})
    source = source_of(repository, tmp_path, limits=GitLimits(most_file_bytes=1000))
    large, small = await source.discover()

    with pytest.raises(Rejected, match="document_too_large"):
        await source.fetch(large)
    assert (await source.fetch(small) or large) is not large
    await source.aclose()


async def test_without_git(tmp_path: Path, repository: FakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Misconfigured, match="git_missing"):
        await source_of(repository, tmp_path).discover()


async def test_an_old_git(tmp_path: Path, repository: FakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\necho git version 2.30.2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(Misconfigured, match="git_too_old"):
        await source_of(repository, tmp_path).discover()


async def test_a_git_that_hangs(tmp_path: Path, repository: FakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\nsleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(Unavailable, match="git_timeout"):
        await source_of(repository, tmp_path, limits=GitLimits(seconds=0.2)).discover()
