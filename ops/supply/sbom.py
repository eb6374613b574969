"""The list of what is inside (SBOM): CycloneDX 1.6, from what is locked. The same input gives the same bytes."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.tool import ToolRepository
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from ops.supply.locks import Pin

_OURSELVES = "adpolicy"
_UNNUMBERED = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Inside:
    """A locked package, the tiers that hold it, and its licence as an SPDX expression."""

    pin: Pin
    tiers: tuple[str, ...]
    licence: str


def bom_text(packages: Iterable[Inside], release: str, made_at: datetime) -> str:
    """`made_at`: UTC. The serial number is told from the content, so that it is another for another list only."""
    ourselves = Component(
        name=_OURSELVES,
        version=release,
        type=ComponentType.APPLICATION,
        bom_ref=_OURSELVES,
        purl=PackageURL("generic", name=_OURSELVES, version=release),
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
    )
    components = [_component(each) for each in sorted(packages, key=lambda each: (each.pin.name, each.pin.version))]
    tool = Component(name="python -m ops sbom", type=ComponentType.APPLICATION)
    bom = Bom(
        components=components,
        metadata=BomMetaData(component=ourselves, timestamp=made_at, tools=ToolRepository(components=[tool])),
        serial_number=_UNNUMBERED,
    )
    bom.register_dependency(ourselves, components)
    content = JsonV1Dot6(bom).output_as_string()
    bom.serial_number = uuid5(NAMESPACE_URL, hashlib.sha256(content.encode()).hexdigest())
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _component(inside: Inside) -> Component:
    pin = inside.pin
    purl = PackageURL("pypi", name=pin.name, version=pin.version)
    where = [Property(name="adpolicy:tier", value=each) for each in inside.tiers]
    only = [Property(name="adpolicy:marker", value=pin.marker)] if pin.marker else []
    return Component(
        name=pin.name,
        version=pin.version,
        type=ComponentType.LIBRARY,
        bom_ref=purl.to_string(),
        purl=purl,
        licenses=[LicenseFactory().make_from_string(inside.licence)],
        external_references=[_files(pin)],
        properties=[*where, *only],
    )


def _files(pin: Pin) -> ExternalReference:
    """The files of which one is installed, by platform and Python; an installer refuses any other."""
    return ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(f"https://pypi.org/project/{pin.name}/{pin.version}/#files"),
        comment="the hashes of all files of this version; one of them is installed",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in pin.hashes],
    )
