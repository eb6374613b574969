"""Known vulnerabilities: pip-audit itself, asking a service on loopback, and what is made of its answer."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from ops.supply.locks import Pin, lock_text
from ops.supply.tiers import TIERS
from ops.supply.vulnerabilities import ACCEPTED, Accepted, accepted_ones, looked
from ops.supply.vulnerabilities_command import vulnerabilities
from ops.wording import explain
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.advisories import FakeAdvisories, advisories
from tests.fakes.program import free_ports

ROOT = Path(__file__).resolve().parents[4]
TODAY = date(2026, 3, 1)
KITES = Pin("kites", "1.0", "", ("a" * 64,))
# Of another version for another Python: both are looked up.
STRINGS = (Pin("strings", "1.0", "python_version < '3.12'", ("b" * 64,)), Pin("strings", "2.0", "", ("c" * 64,)))


@pytest.fixture
def service() -> Iterator[FakeAdvisories]:
    with advisories() as known:
        yield known


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree in which kites and strings are locked, and nothing is accepted."""
    for tier in TIERS:
        locked = {"light": (KITES,), "dev": STRINGS}.get(tier.name, ())
        (tmp_path / tier.locked).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / tier.locked).write_text(lock_text(tier, "0" * 64, locked))
    (tmp_path / ACCEPTED).write_text("")
    return tmp_path


async def test_every_locked_version_is_looked_up_and_nothing_known_is_a_pass(
    root: Path, service: FakeAdvisories, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await vulnerabilities(root, TODAY, service.url) == 0
    assert sorted(service.asked) == [("kites", "1.0"), ("strings", "1.0"), ("strings", "2.0")]
    assert capsys.readouterr().out == "ok    3 locked packages: no known vulnerability.\n"


async def test_a_known_vulnerability_fails_and_is_named(
    root: Path, service: FakeAdvisories, capsys: pytest.CaptureFixture[str]
) -> None:
    service.add("strings", "1.0", "GHSA-aaaa-bbbb-cccc", "CVE-2026-1", mended_in="1.1")
    assert await vulnerabilities(root, TODAY, service.url) == 1
    assert capsys.readouterr().out.splitlines() == [
        "strings 1.0: CVE-2026-1 (GHSA-aaaa-bbbb-cccc), mended in 1.1.",
        "FAIL  1 known vulnerabilities in 3 locked packages.",
    ]


async def test_what_is_accepted_passes_and_is_named(
    root: Path, service: FakeAdvisories, capsys: pytest.CaptureFixture[str]
) -> None:
    service.add("kites", "1.0", "GHSA-aaaa-bbbb-cccc", "CVE-2026-1")
    text = f'[GHSA-aaaa-bbbb-cccc]\nreason = "no string is ever cut"\nuntil = {TODAY.isoformat()}\n'
    (root / ACCEPTED).write_text(text)
    assert await vulnerabilities(root, TODAY, service.url) == 0
    assert capsys.readouterr().out.splitlines() == [
        "kites 1.0: CVE-2026-1 is accepted until 2026-03-01: no string is ever cut",
        "ok    3 locked packages: no known vulnerability, 1 accepted for now.",
    ]


@pytest.mark.parametrize(
    ("identifier", "until", "still_open", "over", "unmet"),
    [
        ("CVE-2026-1", TODAY, 0, 0, 0),
        ("GHSA-aaaa-bbbb-cccc", TODAY + timedelta(days=30), 0, 0, 0),
        ("CVE-2026-1", TODAY - timedelta(days=1), 1, 1, 0),
        ("CVE-2026-2", TODAY, 1, 0, 1),
    ],
)
def test_what_is_accepted_counts_again_after_its_day(
    identifier: str, until: date, still_open: int, over: int, unmet: int
) -> None:
    vulnerable = {"id": "CVE-2026-1", "aliases": ["GHSA-aaaa-bbbb-cccc"], "fix_versions": []}
    report = {"dependencies": [{"name": "kites", "version": "1.0", "vulns": [vulnerable]}]}
    result = looked([report], [Accepted(identifier, "no string is ever cut", until)], TODAY)
    assert (len(result.open), len(result.over), len(result.unmet)) == (still_open, over, unmet)
    assert result.fine is not bool(still_open or unmet)


async def test_a_service_that_cannot_be_reached_is_no_pass(root: Path) -> None:
    (port,) = free_ports(1)
    with pytest.raises(Unavailable, match="advisories_unreachable") as raised:
        await vulnerabilities(root, TODAY, f"http://127.0.0.1:{port}/v1/query")
    assert "this is no pass" in explain(raised.value)


async def test_a_service_that_fails_is_no_pass(root: Path, service: FakeAdvisories) -> None:
    service.ill = 503
    with pytest.raises(Unavailable, match="advisories_unreachable"):
        await vulnerabilities(root, TODAY, service.url)


@pytest.mark.parametrize(
    "entry", ["[CVE-1]\nuntil = 2026-01-01\n", '[CVE-1]\nreason = "so"\nuntil = "soon"\n', "[CVE-1"]
)
async def test_nothing_is_accepted_without_a_reason_and_a_day(root: Path, entry: str) -> None:
    (root / ACCEPTED).write_text(entry)
    with pytest.raises(Misconfigured, match="vulnerabilities_unreadable"):
        await vulnerabilities(root, TODAY, None)


def test_what_could_not_be_looked_up_is_no_pass() -> None:
    report = {"dependencies": [{"name": "kites", "skip_reason": "not on the index"}]}
    result = looked([report], (), TODAY)
    assert (result.fine, result.skipped) == (False, (("kites", "not on the index"),))


def test_what_is_accepted_here_has_a_reason_and_a_day() -> None:
    assert all(each.reason and isinstance(each.until, date) for each in accepted_ones(ROOT))
