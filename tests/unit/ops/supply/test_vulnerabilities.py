"""Known vulnerabilities: pip-audit itself, asking a service on loopback, and what is made of its answer."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from ops.supply.inventory import ACCEPTED, accepted, vulnerabilities
from ops.supply.locks import TIERS, Pin, lock_text
from ops.wording.general import explain
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
    for tier in TIERS.values():
        locked = {"light": (KITES,), "dev": STRINGS}.get(tier.name, ())
        (tmp_path / tier.locked).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / tier.locked).write_text(lock_text(tier, "0" * 64, locked))
    (tmp_path / ACCEPTED).write_text("")
    return tmp_path


def test_every_locked_version_is_looked_up_and_nothing_known_is_a_pass(root: Path, service: FakeAdvisories) -> None:
    assert vulnerabilities(root, TODAY, service.url) == []
    assert sorted(service.asked) == [("kites", "1.0"), ("strings", "1.0"), ("strings", "2.0")]


def test_a_known_vulnerability_is_named(root: Path, service: FakeAdvisories) -> None:
    service.add("strings", "1.0", "GHSA-aaaa-bbbb-cccc", "CVE-2026-1", mended_in="1.1")
    found = ["strings 1.0: CVE-2026-1 (GHSA-aaaa-bbbb-cccc), mended in 1.1."]
    assert vulnerabilities(root, TODAY, service.url) == found


@pytest.mark.parametrize("identifier", ["CVE-2026-1", "GHSA-aaaa-bbbb-cccc"])
@pytest.mark.parametrize(("days", "found"), [(0, 0), (30, 0), (-1, 1)])
def test_what_is_accepted_passes_until_its_day_is_over(
    root: Path, service: FakeAdvisories, identifier: str, days: int, found: int
) -> None:
    service.add("kites", "1.0", "GHSA-aaaa-bbbb-cccc", "CVE-2026-1")
    until = TODAY + timedelta(days=days)
    (root / ACCEPTED).write_text(f'[{identifier}]\nreason = "no string is ever cut"\nuntil = {until.isoformat()}\n')
    assert len(vulnerabilities(root, TODAY, service.url)) == found


def test_a_service_that_cannot_be_reached_is_no_pass(root: Path) -> None:
    (port,) = free_ports(1)
    with pytest.raises(Unavailable, match="advisories_unreachable") as raised:
        vulnerabilities(root, TODAY, f"http://127.0.0.1:{port}/v1/query")
    assert "this is no pass" in explain(raised.value)


def test_a_service_that_fails_is_no_pass(root: Path, service: FakeAdvisories) -> None:
    service.ill = 503
    with pytest.raises(Unavailable, match="advisories_unreachable"):
        vulnerabilities(root, TODAY, service.url)


@pytest.mark.parametrize(
    "entry", ["[CVE-1]\nuntil = 2026-01-01\n", '[CVE-1]\nreason = "so"\nuntil = "soon"\n', "[CVE-1"]
)
def test_nothing_is_accepted_without_a_reason_and_a_day(root: Path, entry: str) -> None:
    (root / ACCEPTED).write_text(entry)
    with pytest.raises(Misconfigured, match="vulnerabilities_unreadable"):
        vulnerabilities(root, TODAY, None)


def test_what_is_accepted_here_has_a_reason_and_a_day() -> None:
    assert isinstance(accepted(ROOT, TODAY), list)
