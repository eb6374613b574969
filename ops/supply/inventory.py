"""`python -m ops sbom` and `vulnerabilities`: what is locked, as CycloneDX writes it, and asked of pip-audit."""

import hashlib
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.tool import ToolRepository
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from ops.supply import wording
from ops.supply.licences import listed_packages
from ops.supply.locks import REQUIREMENTS, TIERS, Pin, locked_packages, read_lock
from rag_core.errors import Misconfigured, Unavailable

ACCEPTED = REQUIREMENTS / "vulnerabilities.toml"
_SECONDS_A_QUESTION = "15"


def bom_text(root: Path, tiers: Sequence[str], release: str, made_at: datetime) -> str:
    """CycloneDX 1.6. `made_at`: UTC. The serial number is told from the content, so the same input gives the same."""
    licences = {(each.name, each.version): each.licence for each in listed_packages(root)}
    held: dict[Pin, list[str]] = {}
    for name in dict.fromkeys(tiers):
        for pin in read_lock(root, TIERS[name]):
            held.setdefault(pin, []).append(name)
    ourselves = Component(
        name="adpolicy",
        version=release,
        type=ComponentType.APPLICATION,
        bom_ref="adpolicy",
        purl=PackageURL("generic", name="adpolicy", version=release),
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
    )
    pins = sorted(held, key=lambda pin: (pin.name, pin.version))
    components = [_component(pin, held[pin], licences.get((pin.name, pin.version), "")) for pin in pins]
    tools = ToolRepository(components=[Component(name="python -m ops sbom", type=ComponentType.APPLICATION)])
    metadata = BomMetaData(component=ourselves, timestamp=made_at, tools=tools)
    bom = Bom(components=components, metadata=metadata, serial_number=UUID(int=0))
    bom.register_dependency(ourselves, components)
    content = JsonV1Dot6(bom).output_as_string()
    bom.serial_number = uuid5(NAMESPACE_URL, hashlib.sha256(content.encode()).hexdigest())
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _component(pin: Pin, tiers: Sequence[str], licence: str) -> Component:
    purl = PackageURL("pypi", name=pin.name, version=pin.version)
    only = [Property(name="adpolicy:marker", value=pin.marker)] if pin.marker else []
    files = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(f"https://pypi.org/project/{pin.name}/{pin.version}/#files"),
        comment="the hashes of all files of this version; one of them is installed",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in pin.hashes],
    )
    return Component(
        name=pin.name,
        version=pin.version,
        type=ComponentType.LIBRARY,
        bom_ref=purl.to_string(),
        purl=purl,
        licenses=[LicenseFactory().make_from_string(licence)],
        external_references=[files],
        properties=[*(Property(name="adpolicy:tier", value=each) for each in tiers), *only],
    )


def vulnerabilities(root: Path, today: date, osv_url: str | None) -> list[str]:
    """What is known and not accepted of what is locked; Unavailable("advisories_unreachable") where nobody answers."""
    ignored = [word for each in accepted(root, today) for word in ("--ignore-vuln", each)]
    where = [] if osv_url is None else ["--osv-url", osv_url]
    first = list({name: (name, version) for name, version in locked_packages(root)}.values())
    # pip-audit takes a package once: those with another version for another Python are asked about apart
    again = [each for each in locked_packages(root) if each not in first]
    return [line for versions in (first, again) if versions for line in _known(versions, [*ignored, *where])]


def accepted(root: Path, today: date) -> list[str]:
    """The ids that somebody decided to live with, each with a reason, through a day that is not over."""
    try:
        entries = tomllib.loads((root / ACCEPTED).read_text(encoding="utf-8"))
        return [name for name, entry in entries.items() if entry["reason"] and today <= entry["until"]]
    except (KeyError, TypeError, ValueError) as exc:
        raise Misconfigured("vulnerabilities_unreadable", reason=str(exc)) from exc


def _known(versions: list[tuple[str, str]], options: list[str]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "asked.txt"
        asked.write_text("\n".join(f"{name}=={version}" for name, version in versions), encoding="utf-8")
        words = ["--no-deps", "--disable-pip", "--vulnerability-service", "osv", "--format", "json", "--aliases", "on"]
        words += ["--progress-spinner", "off", "--timeout", _SECONDS_A_QUESTION, "--requirement", str(asked), *options]
        command = [sys.executable, "-m", "pip_audit", *words]
        ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    try:
        report: list[dict[str, Any]] = json.loads(ended.stdout)["dependencies"]
    except ValueError as exc:
        raise Unavailable("advisories_unreachable", reason=" ".join(ended.stderr.splitlines()[-1:])) from exc
    if len(report) != len(versions) or any("skip_reason" in each for each in report):
        raise Unavailable("advisories_unreachable", reason="not every package was looked up")
    for package in report:
        for each in package["vulns"]:
            yield wording.vulnerability(package["name"], package["version"], each)
