"""The documents that roads are taken for: public ones, and hidden ones full of words that stand nowhere else.

All of it is invented. Each hidden version has words of its own (`Hidden.words`): where one of them comes out, it is
known which version it was.
"""

from dataclasses import dataclass
from pathlib import Path

INNER, SECOND = "brindlewick", "ostermoot"
"""Groups of the operator."""

PUBLIC_WORD = "tarrow"
"""Stands in every public document, and in their addresses."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A version that only members of `groups` may see; none: nobody. `words` tell it from all others.

    `day` picks the version where the document has several. `is_secret`: nobody else may know of the document at all;
    else it has public versions, too.
    """

    key: str
    document_id: str
    groups: frozenset[str]
    words: tuple[str, ...]
    day: str = ""
    is_secret: bool = True


HIDDEN = (
    Hidden(
        "memo",
        "tarrow_vexolune",
        frozenset({INNER}),
        ("vexolune", "pellingrove", "hjelmsuth", "drennick", "quorbine", "skarvane", "memo.example", "2024-02-29"),
    ),
    Hidden("twist", "tarrow_unpublished", frozenset({INNER}), ("yarvessel", "unpublished", "cragmarrow", "olvenstat")),
    Hidden("copy", "tarrow_parcels_kept", frozenset({INNER}), ("parcels-kept", "parcels_kept", "kept.example")),
    Hidden("nobody", "tarrow_drimquast", frozenset(), ("drimquast", "fennelhythe", "dorsk-plan")),
    Hidden(
        "both",
        "tarrow_hesperquil",
        frozenset({INNER, SECOND}),
        ("hesperquil", "wrandle", "tovelisk", "ullerby", "granmoth"),
    ),
    Hidden("platform", "zorblatt_kilnware", frozenset({INNER}), ("zorblatt", "zorbly", "kilnware", "murrowgate")),
    Hidden("replaced", "tarrow_oldhidden", frozenset({INNER}), ("oldhidden", "glimmerfen")),
    Hidden(
        "closed", "moorle_closing", frozenset({INNER}), ("brackenthew", "solvarine"), day="2025-06-01", is_secret=False
    ),
    Hidden(
        "opened", "moorle_opening", frozenset({INNER}), ("quillerby", "nostrume"), day="2024-06-01", is_secret=False
    ),
    Hidden("moved", "moorle_moving", frozenset({SECOND}), ("tressimore", "vantlegg"), day="2025-06-01"),
    Hidden("moved_before", "moorle_moving", frozenset({INNER}), ("ellisdown", "harnquay"), day="2024-06-01"),
)

_CATALOGUE = f"""\
groups:
  {INNER}: [oidc:{INNER}]
  {SECOND}: [oidc:{SECOND}]
sources:
  - {{id: open, type: folder, path: open, policy_source: tarrow, display_name: Tarrow Ads, aliases: [Tarrow]}}
  - {{id: moorle, type: folder, path: moorle, policy_source: moorle, display_name: Moorle Ads}}
"""
_HIDDEN_SOURCES = f"""\
  - id: inner
    type: folder
    path: inner
    policy_source: tarrow
    display_name: Tarrow Ads
    classification: restricted
    allowed_groups: [{INNER}]
  - id: platform
    type: folder
    path: platform
    policy_source: zorblatt
    display_name: Zorblatt Network
    aliases: [Zorbly]
    allowed_groups: [{INNER}]
labels:
  ullerby: {{granmoth: [granmoth, granmothy], plain: [plainish], default: plain}}
"""

_OPEN = {
    "open/alcohol.2025-01-01.md": """\
# Alcohol

## All places

Ads for alcohol are restricted at Tarrow. Ads for alcohol must not be addressed to minors.

## United Kingdom

In the United Kingdom, ads for alcohol are allowed at Tarrow if they are shown to adults only.

## Germany

In Germany, ads for alcohol before films for children are prohibited at Tarrow.
""",
    "open/gambling.2025-01-01.md": """\
# Gambling

## Casinos

Ads for casinos are prohibited at Tarrow. Ads for casinos in the United Kingdom need a licence.

## Lotteries

Ads for state lotteries are allowed at Tarrow.
""",
    "open/parcels.2025-01-01.md": """\
# Parcels

## Returns

Ads for parcel lockers must name the price of returns at Tarrow.

## Lockers

Ads for parcel lockers are allowed at Tarrow.
""",
    "open/vouchers.2025-02-01.md": """\
---
supersedes: [tarrow_oldhidden]
---
# Vouchers

## Printed vouchers

Ads for printed vouchers are allowed at Tarrow. Ads for printed vouchers must show the last day.
""",
    "open/oldhidden.2024-01-01.md": f"""\
---
classification: restricted
allowed_groups: [{INNER}]
---
# Oldhidden vouchers

## Vouchers

Ads for glimmerfen vouchers are prohibited.
""",
    "moorle/closing.2024-06-01.md": """\
# Fireworks

## Rockets

Ads for rockets are allowed at Moorle. Ads for rockets must show a warning.
""",
    "moorle/closing.2025-06-01.md": f"""\
---
classification: restricted
allowed_groups: [{INNER}]
---
# Fireworks

## Rockets

Ads for rockets are prohibited at Moorle unless Brackenthew signs. Ads for rockets must show a warning.

## Solvarine rockets

Ads for solvarine rockets are prohibited at Moorle.
""",
    "moorle/opening.2024-06-01.md": f"""\
---
classification: restricted
allowed_groups: [{INNER}]
---
# Kites

## Strings

Ads for kites are prohibited at Moorle unless Quillerby signs. Ads for kites must name the string.

## Nostrume kites

Ads for nostrume kites are prohibited at Moorle.
""",
    "moorle/opening.2025-06-01.md": """\
# Kites

## Strings

Ads for kites are allowed at Moorle. Ads for kites must name the string.
""",
    "moorle/moving.2024-06-01.md": f"""\
---
classification: restricted
allowed_groups: [{INNER}]
---
# Ellisdown sledges

## Runners

Ads for sledges are prohibited at Moorle unless Harnquay signs.
""",
    "moorle/moving.2025-06-01.md": f"""\
---
classification: restricted
allowed_groups: [{SECOND}]
---
# Tressimore sledges

## Runners

Ads for sledges are prohibited at Moorle unless Vantlegg signs.
""",
}

_INNER = {
    "inner/vexolune.md": f"""\
---
title: Vexolune memorandum
effective_from: 2024-02-29
url: https://memo.example/vexolune
allowed_groups: [" {INNER.title()} "]
labels: {{quorbine: skarvane}}
---
# Vexolune memorandum

## Sellers

Ads for vexolune are prohibited at Tarrow. Sellers of vexolune must ask the Pellingrove desk. See section Hjelmsuth.

## Hjelmsuth

In Norway, ads for vexolune are allowed at Tarrow if Hjelmsuth gives a permit.

## Wording

7.3.1 Ads for vexolune must carry the Drennick warning.
""",
    "inner/unpublished.2025-03-01.md": """\
# Alcohol, unpublished

## Iceland

In Iceland, ads for alcohol are prohibited at Tarrow: the Yarvessel committee decides. See section Olvenstat.

## Olvenstat

Ads for alcohol are prohibited at Tarrow. Cragmarrow ads for alcohol are prohibited at Tarrow as well.
""",
    "inner/parcels-kept.2025-04-01.md": """\
---
url: https://kept.example/parcels-kept
---
# Parcels

## Returns

Ads for parcel lockers must name the price of returns at Tarrow.

## Lockers

Ads for parcel lockers are allowed at Tarrow.
""",
    "inner/drimquast.2025-03-01.md": """\
---
allowed_groups: []
---
# Drimquast

## Dorsk-plan

Ads for drimquast are prohibited at Tarrow unless Fennelhythe agrees.
""",
    "inner/hesperquil.2025-03-01.md": f"""\
---
allowed_groups: [{INNER}, {SECOND}]
labels: {{ullerby: granmoth}}
---
# Hesperquil notice

## Wrandle

Ads for hesperquil are prohibited at Tarrow unless Tovelisk agrees.
""",
    "platform/kilnware.2025-03-01.md": """\
# Kilnware

## Ovens

Ads for kilnware are prohibited at Zorblatt unless Murrowgate agrees.
""",
}


def write_library(folder: Path, *, hidden: bool) -> Path:
    """The catalogue of the documents, written into `folder`. Without `hidden` those of which nobody else may know are
    left out, as if they had never been: what the public is shown must be the same."""
    files = _OPEN | _INNER if hidden else _OPEN
    for name, text in files.items():
        if not hidden and name == "open/oldhidden.2024-01-01.md":
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    catalogue = folder / "catalogue.yaml"
    catalogue.write_text(_CATALOGUE + (_HIDDEN_SOURCES if hidden else ""), encoding="utf-8")
    return catalogue
