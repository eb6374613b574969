"""The pages for people: what they name exists, and what is made from the code is current."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bot.terminal import parse as parse_bot
from ingest.cli.arguments import parse as parse_ingest
from ops.cli import main
from ops.cli import parse as parse_ops
from ops.commands.settings import fields_of, settings_page
from ops.config import PREFIX, Config
from ops.wording.settings import GROUPS
from tests.fakes.program import ROOT

DOCS = ROOT / "ops" / "docs"
GUIDES = sorted(DOCS.glob("*.md"))
PAGES = [*GUIDES, *sorted(ROOT.glob("*.md"))]
CURRENT = [page for page in PAGES if page.name != "CHANGELOG.md"]
"""All that says what is, not what was."""
PARSERS: dict[str, Callable[[Sequence[str]], object]] = {"bot": parse_bot, "ingest": parse_ingest, "ops": parse_ops}
_NAMED_FILE = re.compile(r"`((?:ops|bot|rag_core|ingest|adapters|tests)/[\w./-]+)`")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)

of_pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
of_current_pages = pytest.mark.parametrize("page", CURRENT, ids=lambda page: str(page.name))


def anchors(page: Path) -> set[str]:
    """The fragments by which the headings of a page are linked."""
    headings = _HEADING.findall(_CODE.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def commands(module: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Those of `python -m MODULE`, from its help."""
    with pytest.raises(SystemExit):
        PARSERS[module](["--help"])
    named = re.search(r"\{([\w,-]+)\}", capsys.readouterr().out)
    assert named is not None
    return set(named[1].split(","))


@of_pages
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    named = _NAMED_FILE.findall(page.read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


@of_pages
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for path, fragment in _LINK.findall(page.read_text("utf-8")):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not fragment or fragment in anchors(target), f"{path}#{fragment}"


@of_current_pages
def test_every_setting_that_a_page_names_exists(page: Path) -> None:
    known = {name for field in Config.model_fields for name in (field, f"{field}_file")}
    named = {name.lower() for name in re.findall(rf"{PREFIX}([A-Z][A-Z_]*)", page.read_text("utf-8"))}
    named = {name for name in named if not name.startswith("test_")}  # of the tests
    beginnings = {name for name in named if name.endswith("_")}
    assert {each for each in beginnings if not any(name.startswith(each) for name in known)} == set()
    assert named - beginnings - known == set()


@of_pages
@pytest.mark.parametrize("module", PARSERS)
def test_every_command_that_a_page_names_exists(page: Path, module: str, capsys: pytest.CaptureFixture[str]) -> None:
    named = set(re.findall(rf"python -m {module} ([a-z][a-z-]*)", page.read_text("utf-8")))
    assert named <= commands(module, capsys)


@pytest.mark.parametrize("module", ["ingest", "ops"])
def test_the_page_of_commands_has_every_command(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "commands.md").read_text("utf-8")
    there = commands(module, capsys)
    assert len(there) > 5
    assert {each for each in there if not re.search(rf"`(?:python -m {module} )?{each}[ `]", page)} == set()


def test_the_index_has_every_page() -> None:
    index = (DOCS / "index.md").read_text("utf-8")
    assert [page.name for page in GUIDES if f"]({page.name})" not in index] == ["index.md"]


def test_the_page_of_settings_is_current() -> None:
    """`python -m ops settings --write` writes it."""
    assert (DOCS / "settings.md").read_text("utf-8") == settings_page()


def test_the_settings_are_printed_without_any(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings"]) == 0
    assert capsys.readouterr().out == settings_page()


def test_every_setting_is_on_the_page_once_and_has_a_meaning() -> None:
    shown = [name for prefixes in GROUPS.values() for name, _ in fields_of(prefixes)]
    assert sorted(shown) == sorted(Config.model_fields)
    assert [name for name, field in Config.model_fields.items() if not field.description] == []


@pytest.mark.parametrize(("page", "most"), [("README.md", 8_000), ("CHANGELOG.md", 6_000)])
def test_a_page_is_short(page: str, most: int) -> None:
    assert (ROOT / page).stat().st_size <= most
