import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import pytest

from ingest.ports import Discovered, SourceDefaults
from ingest.sources.folder import FolderSource, read_file, sources_in
from ingest.wording import knows
from rag_core.documents import PolicySource, VersionStatus
from rag_core.errors import Misconfigured, Rejected
from tests.fakes.workshop import Workshop

DEFAULTS = SourceDefaults(PolicySource("acme", "Acme"))


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")


async def origins(folder: Path) -> list[str]:
    return [item.origin for item in await FolderSource("acme", folder, DEFAULTS).discover() if item.is_read]


async def test_documents_are_found_below_sorted_and_by_type(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/x.HTML", "a/y.htm", "c.markdown", "d.txt", "catalogue.yaml")

    assert await origins(tmp_path) == ["a/x.HTML", "a/y.htm", "b.md", "c.markdown"]


async def test_versions_are_found_in_their_order(tmp_path: Path) -> None:
    write(tmp_path, "beer_v10.md", "beer_v2.md", "beer_v9.1.md", "ale.md")

    assert await origins(tmp_path) == ["ale.md", "beer_v2.md", "beer_v9.1.md", "beer_v10.md"]


async def test_a_later_version_of_a_file_supersedes_it(tmp_path: Path, workshop: Workshop) -> None:
    source = FolderSource("acme", tmp_path, DEFAULTS)
    (tmp_path / "beer_v1.md").write_text("# Beer\n\nNot allowed.\n")
    await workshop.run(source)
    workshop.wait(3)
    (tmp_path / "beer_v2.md").write_text("# Beer\n\nAllowed for adults.\n")
    await workshop.run(source)

    first, second = sorted(await workshop.stored("acme"), key=lambda version: version.effective_from)

    assert first.document_id == second.document_id == "acme_beer"
    assert (first.origin, first.effective_to) == ("beer_v1.md", second.effective_from)
    assert (second.origin, second.supersedes, second.effective_to) == ("beer_v2.md", first.doc_id, None)


async def test_of_versions_found_on_one_day_the_highest_holds(tmp_path: Path, workshop: Workshop) -> None:
    for name, rule in (("beer_v2.md", "Two."), ("beer_v10.md", "Ten."), ("beer_v1.md", "One.")):
        (tmp_path / name).write_text(f"# Beer\n\n{rule}\n")
    await workshop.run(FolderSource("acme", tmp_path, DEFAULTS))

    live = [version.origin for version in await workshop.stored("acme") if version.status is VersionStatus.LIVE]

    assert live == ["beer_v10.md"]


async def test_files_about_the_folder_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.md",
        "README.md",
        "sub/readme.md",
        "LICENSE.md",
        "CHANGELOG.html",
        ".x.md",
        ".git/y.md",
        "_draft.md",
    )

    assert await origins(tmp_path) == ["a.md"]


async def test_documents_that_no_parser_reads_are_named_and_left(tmp_path: Path, workshop: Workshop) -> None:
    write(tmp_path, "a.md", "b.txt", "sub/c.DOC", "logo.png", "LICENSE.txt", "~$a.doc", "_d.txt")

    report = await workshop.run(FolderSource("acme", tmp_path, DEFAULTS))

    assert [(each.origin, each.code) for each in report.notes] == [
        ("b.txt", "document_type_unread"),
        ("sub/c.DOC", "document_type_unread"),
    ]
    assert knows("document_type_unread")
    assert (report.new, report.failed) == (1, [])


async def test_fetch(tmp_path: Path) -> None:
    write(tmp_path, "a/x.html")
    source = FolderSource("acme", tmp_path, DEFAULTS, "https://acme.example")

    raw = await source.fetch(Discovered("a/x.html", "x.html"))

    assert (raw.content, raw.mime_type, raw.url) == (b"a/x.html", "text/html", "https://acme.example")


async def test_a_missing_or_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="source_folder_missing"):
        await origins(tmp_path / "none")
    with pytest.raises(Rejected, match="source_empty"):
        await origins(tmp_path)


async def test_a_folder_that_cannot_be_opened_removes_nothing(tmp_path: Path, workshop: Workshop) -> None:
    """One whose path is longer than the system takes, which is so for the superuser too."""
    write(tmp_path, "a.md", "sub/b.md")
    await workshop.run(FolderSource("acme", tmp_path, DEFAULTS))
    (tmp_path / "sub" / "b.md").unlink()
    at = os.open(tmp_path / "sub", os.O_RDONLY)
    for _ in range(20):
        os.mkdir("x" * 250, dir_fd=at)
        at, above = os.open("x" * 250, os.O_RDONLY, dir_fd=at), at
        os.close(above)
    os.close(at)

    report = await workshop.run(FolderSource("acme", tmp_path, DEFAULTS))

    assert [each.code for each in report.failed] == ["source_folder_unreadable"]
    assert knows("source_folder_unreadable")
    live = [version.origin for version in await workshop.stored("acme") if version.status is VersionStatus.LIVE]
    assert sorted(live) == ["a.md", "sub/b.md"]


async def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "docs/a.md")
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    source = FolderSource("acme", tmp_path / "docs", DEFAULTS)
    with (tmp_path / "docs" / "big.md").open("wb") as big:
        big.truncate(21 * 1024 * 1024)

    with pytest.raises(Rejected, match="document_outside_folder"):
        await source.fetch(Discovered("link.md", "link.md"))
    with pytest.raises(Rejected, match="document_too_large"):
        await source.fetch(Discovered("big.md", "big.md"))
    with pytest.raises(Rejected, match="document_unreadable"):
        await source.fetch(Discovered("gone.md", "gone.md"))


def make_odd(kind: str, path: Path) -> None:
    """At `path` what is no file: a pipe, a socket, or links that lead in a circle or to a device."""
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as opened:
                opened.bind(str(path))
        case "circle":
            path.symlink_to(path.name)
        case "device":
            path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("pipe", "document_no_file"),
        ("socket", "document_no_file"),
        ("circle", "document_unreadable"),
        ("device", "document_outside_folder"),
    ],
)
async def test_what_is_no_file_is_refused_and_the_files_beside_it_are_read(
    tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch, kind: str, code: str
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    make_odd(kind, Path("b.md"))
    write(tmp_path, "a.md", "c.md")

    report = await workshop.run(FolderSource("acme", tmp_path, DEFAULTS))

    assert [(each.origin, each.code) for each in report.failed] == [("b.md", code)]
    assert knows(code)
    assert (report.new, len(await workshop.stored("acme"))) == (2, 2)


async def test_a_name_that_is_no_text_is_refused_and_the_files_beside_it_are_read(
    tmp_path: Path, workshop: Workshop
) -> None:
    write(tmp_path, "a.md")
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("Beer.")

    report = await workshop.run(FolderSource("acme", tmp_path, DEFAULTS))

    assert [(each.origin, each.details["problem"]) for each in report.failed] == [
        ("caf\\udce9.md", "its name is not UTF-8")
    ]
    assert [each.origin for each in await workshop.stored("acme")] == ["a.md"]


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    (tmp_path / "device.md").symlink_to("/dev/zero")

    for name in ("a.md", "device.md", "."):
        with pytest.raises(Rejected, match="document_no_file"):
            read_file(tmp_path / name)


def test_a_folder_of_folders_is_a_source_for_each(tmp_path: Path) -> None:
    write(tmp_path, "Acme Ads/a.md", "Other/b/c.md", "README.md")

    sources = sources_in(tmp_path)

    assert [source.defaults.policy_source.slug for source in sources] == ["acme_ads", "other"]
    assert [source.defaults.policy_source.display_name for source in sources] == ["Acme Ads", "Other"]
    assert all(source.defaults.guessed for source in sources)


@pytest.mark.parametrize("names", [("a.md", "sub/b.md", "other/c.md"), ("only/a.md", "only/b/c.md")])
def test_other_folders_are_one_source(tmp_path: Path, names: tuple[str, ...]) -> None:
    folder = tmp_path / "Acme Rules"
    write(folder, *names)

    (source,) = sources_in(folder)

    assert source.defaults.policy_source.slug == "acme_rules"


def test_a_stated_policy_source_wins(tmp_path: Path) -> None:
    write(tmp_path, "A/a.md", "B/b.md")

    (source,) = sources_in(tmp_path, "acme", "Acme Ads")

    assert source.defaults.policy_source == PolicySource("acme", "Acme Ads")
    assert not source.defaults.guessed


def test_a_folder_is_the_same_source_in_every_run(tmp_path: Path) -> None:
    write(tmp_path, "one/a.md", "two/one/a.md")

    first, again, other = (
        sources_in(path)[0].source_id
        for path in (tmp_path / "one", tmp_path / "two" / ".." / "one", tmp_path / "two" / "one")
    )

    assert first == again != other


def test_folders_that_do_not_work(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="source_folder_missing"):
        sources_in(tmp_path / "none")
    with pytest.raises(Rejected, match="source_empty"):
        sources_in(tmp_path)


async def test_a_folder_whose_path_no_system_takes_is_missing() -> None:
    with pytest.raises(Misconfigured, match="source_folder_missing"):
        await FolderSource("acme", Path("x" * 5_000), DEFAULTS).discover()


@contextmanager
def meanwhile(change: Callable[[], object]) -> Iterator[None]:
    """`change` again and again in another thread."""
    done = threading.Event()

    def changing() -> None:
        while not done.is_set():
            change()

    thread = threading.Thread(target=changing)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_file_that_is_written_to_while_it_is_read_is_refused_and_read_later(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("Beer is not allowed.\n" * 100_000)
    until = time.monotonic() + 60
    codes: list[str] = []
    with path.open("ab", buffering=0) as writing, meanwhile(lambda: writing.write(b"Wine is not.\n")):
        while "document_changing" not in codes and time.monotonic() < until:
            try:
                read_file(path)
            except Rejected as error:
                codes.append(error.code)

    assert codes == ["document_changing"]
    assert knows("document_changing")
    assert read_file(path) == path.read_bytes()


async def test_files_that_become_something_else_while_they_are_read_end_no_run(
    tmp_path: Path, workshop: Workshop
) -> None:
    folder, outside = tmp_path / "docs", tmp_path / "secret.md"
    outside.write_text("Secret.")
    write(folder, *(f"good{at}.md" for at in range(10)))
    moving = folder / "moving.md"
    kinds: Iterator[Callable[[], object]] = cycle(
        (
            lambda: moving.write_text("Rum is allowed."),
            lambda: moving.symlink_to(outside),
            lambda: os.mkfifo(moving),
            moving.mkdir,
            lambda: moving.symlink_to("moving.md"),
            lambda: moving.write_bytes(b"\xff" * 100),
        )
    )

    def change() -> None:
        next(kinds)()
        time.sleep(0.001)
        moving.rmdir() if moving.is_dir() and not moving.is_symlink() else moving.unlink()

    source = FolderSource("acme", folder, DEFAULTS)
    with meanwhile(change):
        reports = [await workshop.run(source) for _ in range(5)]
        refused = []
        for _ in range(2_000):
            try:
                assert (await source.fetch(Discovered("moving.md", "moving.md"))).content != outside.read_bytes()
            except Rejected as error:
                refused.append(error.code)

    assert {each.origin for report in reports for each in report.failed} <= {"moving.md"}
    assert refused
    assert all(knows(code) for code in refused)
    live = {each.origin for each in await workshop.stored("acme") if each.status is VersionStatus.LIVE}
    assert live >= {f"good{at}.md" for at in range(10)}


@contextmanager
def permitted(path: str, mode: int) -> Iterator[Path]:
    """A folder with two documents, of which `path` has this mode; as somebody whom permissions stop."""
    before = os.geteuid()
    with tempfile.TemporaryDirectory() as name:  # `tmp_path` is in a folder that only its owner may enter
        folder = Path(name)
        write(folder, "a.md", "sub/b.md")
        folder.chmod(0o755)
        (folder / path).chmod(mode)
        os.seteuid(before or 65534)
        try:
            yield folder
        finally:
            os.seteuid(before)
            (folder / path).chmod(0o755)


@pytest.mark.parametrize("mode", [0o000, 0o222, 0o111, 0o7000])
async def test_a_file_that_may_not_be_read_is_refused(mode: int) -> None:
    with permitted("a.md", mode) as folder:
        source = FolderSource("acme", folder, DEFAULTS)
        assert [each.origin for each in await source.discover()] == ["a.md", "sub/b.md"]

        with pytest.raises(Rejected, match="document_unreadable"):
            await source.fetch(Discovered("a.md", "a.md"))
        assert (await source.fetch(Discovered("sub/b.md", "b.md"))).content == b"sub/b.md"


@pytest.mark.parametrize(("mode", "code"), [(0o000, ""), (0o111, ""), (0o222, ""), (0o444, "document_unreadable")])
async def test_a_folder_that_may_not_be_opened_or_entered_removes_nothing(mode: int, code: str) -> None:
    with permitted("sub", mode) as folder:
        source = FolderSource("acme", folder, DEFAULTS)
        if not code:
            with pytest.raises(Rejected, match="source_folder_unreadable"):
                await source.discover()
            return
        assert [each.origin for each in await source.discover()] == ["a.md", "sub/b.md"]
        with pytest.raises(Rejected, match=code):
            await source.fetch(Discovered("sub/b.md", "b.md"))
