"""Requirement files, constraints.txt and lock files, as they are here and as they might come to be."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ops.supply.locks import (
    CONSTRAINTS,
    IMAGE,
    REQUIREMENTS,
    TIERS,
    Pin,
    _on_our_platforms,
    differences,
    lock_text,
    pins,
    read_lock,
)

ROOT = Path(__file__).resolve().parents[4]
LIGHT = TIERS["light"]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / REQUIREMENTS, tmp_path / REQUIREMENTS)
    return tmp_path


def edit(path: Path, change: Callable[[str], str]) -> None:
    before = path.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, encoding="utf-8")


def test_what_is_locked_is_what_is_asked_for() -> None:
    assert differences(ROOT) == []


def test_every_package_of_every_tier_has_hashes_and_one_version_a_python() -> None:
    for tier in TIERS.values():
        locked = read_lock(ROOT, tier)
        assert locked
        assert all(re.fullmatch("[0-9a-f]{64}", each) for pin in locked for each in pin.hashes)
        assert all(pin.hashes for pin in locked)
        everywhere = [pin.name for pin in locked if not pin.marker]
        assert len(everywhere) == len(set(everywhere))


def test_no_address_is_in_a_lock_file() -> None:
    for tier in TIERS.values():
        assert "://" not in (ROOT / tier.locked).read_text(encoding="utf-8")


def test_the_full_set_is_all_that_may_run() -> None:
    """requirements.txt, for those who install with pip; the weights go with --no-deps, so they are not in it."""
    named = re.findall(r"^-r (\S+)$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    runs = {tier.locked for tier in TIERS.values() if tier.runs and "weights" not in tier.name}
    assert {Path(each) for each in named} == runs
    assert all(TIERS[each].runs for each in IMAGE)


@pytest.mark.parametrize(
    ("path", "change"),
    [
        (LIGHT.requirements, lambda text: text.replace("aiohttp==3.", "aiohttp==4.")),
        (LIGHT.requirements, lambda text: text + "kites==1.0\n"),
        (LIGHT.requirements, lambda text: re.sub(r"^aiohttp==.*\n", "", text, flags=re.MULTILINE)),
        (LIGHT.requirements, lambda text: text.replace("aiohttp==", "aiohttp>=")),
        (LIGHT.locked, lambda text: re.sub(r"(aiohttp==\S+)(?: \\\n +--hash=\S+)+", r"\1", text)),
        (LIGHT.locked, lambda text: text.replace("yarl==", "yarl==9")),
        (CONSTRAINTS, lambda text: text.replace("yarl==", "yarl==9")),
        (LIGHT.locked, lambda text: re.sub(r"^aiohttp==(?:.*\\\n)+.*\n", "", text, flags=re.MULTILINE)),
    ],
)
def test_a_difference_is_found(copied: Path, path: Path, change: Callable[[str], str]) -> None:
    edit(copied / path, change)
    assert any(each.startswith("ops/requirements/locked/light.txt ") for each in differences(copied))


def test_a_reason_may_be_told_otherwise_without_the_network(copied: Path) -> None:
    edit(copied / LIGHT.requirements, lambda text: text.replace("# ", "# indeed: "))
    assert differences(copied) == []


def test_a_lock_file_that_is_gone_and_requirements_of_no_tier_are_found(copied: Path) -> None:
    (copied / TIERS["chat"].locked).unlink()
    (copied / REQUIREMENTS / "kites.txt").write_text("kites==1.0\n")
    no_tier, missing = differences(copied)
    assert no_tier.startswith("ops/requirements/kites.txt: no tier")
    assert missing.startswith("ops/requirements/locked/chat.txt is missing")


def test_a_lock_file_is_read_as_it_was_written() -> None:
    locked = (
        Pin("kites", "1.0", "", ("a" * 64, "b" * 64)),
        Pin("strings", "2", "python_version < '3.12'", ("c" * 64,)),
    )
    text = lock_text(TIERS["services"], "0" * 64, locked)
    assert "-r light.txt" in text.splitlines()
    assert pins(text) == locked


@pytest.mark.parametrize(
    ("marker", "kept"),
    [
        ("", ""),
        ("sys_platform != 'win32'", ""),
        ("platform_python_implementation == 'CPython'", ""),
        ("sys_platform == 'win32'", None),
        ("sys_platform == 'linux'", "sys_platform == 'linux'"),
        ("python_full_version < '3.11.3'", "python_full_version < '3.11.3'"),
    ],
)
def test_only_what_our_platforms_take_is_locked(marker: str, kept: str | None) -> None:
    pin = _on_our_platforms(Pin("kites", "1.0", marker, ("a" * 64,)))
    assert (pin.marker if pin else None) == kept
