"""The list of what is inside: valid, complete, and the same bytes for the same input."""

import json
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from ops.cli import main
from ops.supply.licences import listed_packages
from ops.supply.locks import IMAGE, TIERS, read_lock

ROOT = Path(__file__).resolve().parents[4]
VALIDATOR = JsonStrictValidator(SchemaVersion.V1_6)


def made(folder: Path, *arguments: str) -> str:
    assert main(["sbom", "--output", str(folder / "bom.json"), *arguments]) == 0
    return (folder / "bom.json").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def same_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def test_it_keeps_to_the_schema(tmp_path: Path) -> None:
    everything = [word for tier in TIERS for word in ("--tier", tier)]
    assert VALIDATOR.validate_str(made(tmp_path, *everything)) is None


def test_the_schema_refuses_what_is_wrong(tmp_path: Path) -> None:
    bom = json.loads(made(tmp_path))
    bom["components"][0]["hashes"] = [{"alg": "SHA-256", "content": "short"}]
    assert VALIDATOR.validate_str(json.dumps(bom)) is not None


def test_it_has_what_the_image_holds_with_licences_and_hashes(tmp_path: Path) -> None:
    bom: dict[str, Any] = json.loads(made(tmp_path, "--release", "1.2.3"))
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.6")
    ourselves = bom["metadata"]["component"]
    assert (ourselves["name"], ourselves["version"]) == ("adpolicy", "1.2.3")
    assert ourselves["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    locked = {pin.name: pin for name in IMAGE for pin in read_lock(ROOT, TIERS[name])}
    licences = {each.name: each.licence for each in listed_packages(ROOT)}
    assert {each["name"] for each in bom["components"]} == set(locked)
    for each in bom["components"]:
        pin = locked[each["name"]]
        assert each["purl"] == f"pkg:pypi/{pin.name}@{pin.version}"
        (files,) = each["externalReferences"]
        assert {one["content"] for one in files["hashes"]} == set(pin.hashes)
        (licence,) = each["licenses"]
        assert licences[pin.name] == licence.get("expression", licence.get("license", {}).get("id"))


def test_the_same_input_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(tmp_path, "--release", "1")
    assert made(tmp_path, "--release", "1") == first
    assert json.loads(first)["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
    numbers = {json.loads(text)["serialNumber"] for text in (first, made(tmp_path, "--release", "2"))}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000001")
    assert len(numbers | {json.loads(made(tmp_path, "--release", "1"))["serialNumber"]}) == 3


def test_it_names_the_commit_unless_told_otherwise(tmp_path: Path) -> None:
    version = json.loads(made(tmp_path))["metadata"]["component"]["version"]
    assert version == "unreleased" or len(version) == 12


def test_it_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sbom", "--tier", "uv"]) == 0
    bom = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in bom["components"]] == ["uv"]
    assert {"name": "adpolicy:tier", "value": "uv"} in bom["components"][0]["properties"]
