"""Which licences may be where, what packages say of theirs, and the list as it is here."""

import shutil
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from ops.supply.command import main
from ops.supply.licences import (
    LIST,
    READ_BY_A_PERSON,
    Licensed,
    allowed,
    check,
    known,
    licence_in,
    listed_packages,
    objections,
)
from ops.supply.locks import REQUIREMENTS, TIERS, locked_packages
from ops.supply.wording import licence_page

ROOT = Path(__file__).resolve().parents[4]
RUNS = [tier.name for tier in TIERS.values() if tier.runs]
TOOLS = [tier.name for tier in TIERS.values() if not tier.runs]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / REQUIREMENTS, tmp_path / REQUIREMENTS)
    (tmp_path / LIST).parent.mkdir()
    shutil.copy(ROOT / LIST, tmp_path / LIST)
    return tmp_path


def test_the_list_is_of_what_is_locked_and_all_in_it_is_allowed() -> None:
    assert check(ROOT) == []
    assert main(["licences", "--check"]) == 0
    assert {(each.name, each.version) for each in listed_packages(ROOT)} == set(locked_packages(ROOT))


def test_nothing_that_runs_is_gpl_and_what_is_lgpl_is_known() -> None:
    running = [each for each in listed_packages(ROOT) if any(TIERS[name].runs for name in each.tiers)]
    with_gpl = {each.name: each.licence for each in running if "GPL" in each.licence}
    assert with_gpl == {
        "pycountry": "LGPL-2.1-only",
        "scipy": "BSD-3-Clause AND GPL-3.0-or-later WITH GCC-exception-3.1",
    }


@pytest.mark.parametrize("tier", RUNS)
@pytest.mark.parametrize(
    "licence",
    [
        "GPL-2.0-only",
        "GPL-3.0-or-later",
        "AGPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "SSPL-1.0",
        "BUSL-1.1",
        "CC-BY-NC-4.0",
    ],
)
def test_what_may_not_run(tier: str, licence: str) -> None:
    package = Licensed("kites", "1.0", licence, (tier,))
    (found,) = objections([package])
    assert f"{licence} may not be in {tier}" in found


@pytest.mark.parametrize("tier", TOOLS)
def test_a_tool_may_be_gpl(tier: str) -> None:
    assert list(objections([Licensed("kites", "1.0", "GPL-3.0-only", (tier,))])) == []


def test_a_tool_that_also_runs_may_not_be_gpl() -> None:
    both = Licensed("kites", "1.0", "GPL-3.0-only", ("dev", "light"))
    (found,) = objections([both])
    assert "may not be in dev, light" in found


@pytest.mark.parametrize("tiers", [("light",), ("dev",)])
@pytest.mark.parametrize("licence", ["", "BSD", "Apache 2", "see LICENSE", "LicenseRef-Kites", "MIT AND ("])
def test_a_licence_that_nobody_knows_is_refused_everywhere(tiers: tuple[str, ...], licence: str) -> None:
    (found,) = objections([Licensed("kites", "1.0", licence, tiers)])
    assert "is not known" in found
    assert "ops/requirements/licences.toml" in found


@pytest.mark.parametrize("licence", ["MIT", "GPL-3.0-only OR MIT", "Apache-2.0 AND MIT", "LGPL-2.1-only", "MPL-2.0"])
def test_what_may_run(licence: str) -> None:
    assert known(licence)
    assert all(allowed(licence, tier) for tier in RUNS)


def test_nvidias_own_licence_comes_with_torch_only() -> None:
    assert [tier.name for tier in TIERS.values() if allowed("LicenseRef-NVIDIA-Proprietary", tier.name)] == ["torch"]


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        (["License-Expression: MIT OR Apache-2.0", "License: GPL"], "MIT OR Apache-2.0"),
        (["License: BSD-3-Clause", "Classifier: License :: OSI Approved :: BSD License"], "BSD-3-Clause"),
        (["Classifier: License :: OSI Approved :: MIT License"], "MIT"),
        (["Classifier: License :: OSI Approved :: BSD License"], ""),
        (["Classifier: License :: OSI Approved :: MIT License", "Classifier: License :: OSI Approved :: X"], ""),
        (["License: Copyright somebody, and so on", "Classifier: Topic :: Kites"], ""),
        ([], ""),
    ],
)
def test_what_a_package_says_of_itself(fields: list[str], licence: str, tmp_path: Path) -> None:
    folder = tmp_path / "kites-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("\n".join(["Metadata-Version: 2.4", "Name: kites", "Version: 1.0", *fields, ""]))
    assert licence_in(Distribution.at(folder).metadata) == licence


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (LIST, "| aiohttp | 3.14.5 | Apache-2.0 AND MIT |", "| aiohttp | 3.14.5 | MIT |", "says something else"),
        (
            LIST,
            "| aiohttp | 3.14.5 | Apache-2.0 AND MIT |",
            "| aiohttp | 3.14.5 | GPL-3.0-only |",
            "may not be in light",
        ),
        (LIST, "| aiohttp | 3.14.5 |", "| aiohttp | 3.14.4 |", "aiohttp 3.14.5: what is locked is not"),
        (LIST, "| Apache-2.0 AND MIT | light |", "| Apache-2.0 AND MIT | chat |", "is not as the list"),
        (READ_BY_A_PERSON, "[cobble]", '[aiohttp]\nlicence = "MIT"\n[cobble]', "is not needed"),
        (READ_BY_A_PERSON, "[cobble]", '[kites]\nlicence = "MIT"\n[cobble]', "is not needed"),
        (READ_BY_A_PERSON, "[cobble]", "[kobble]", "cobble 0.1.4: says something else"),
    ],
)
def test_a_list_that_is_not_right_is_found(path: Path, old: str, new: str, said: str, copied: Path) -> None:
    text = (copied / path).read_text()
    assert old in text
    (copied / path).write_text(text.replace(old, new, 1))
    assert any(said in each for each in check(copied))


def test_the_page_is_read_as_it_is_written(copied: Path) -> None:
    packages = [Licensed("kites", "1.0", "MIT", ("light", "dev")), Licensed("strings", "2", "GPL-3.0-only", ("dev",))]
    page = licence_page(packages[:1], packages[1:])
    (copied / LIST).write_text(page)
    assert listed_packages(copied) == packages
    assert page.index("| kites") < page.index("## Tools") < page.index("| strings")
