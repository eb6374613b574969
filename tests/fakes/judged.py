"""Rules as judged, made by hand: for tests of what is decided from them."""

from collections.abc import Mapping

from rag_core.rules.judging import JudgedRule, Thresholds
from rag_core.rules.places import PlaceReading, Standing, read_place
from rag_core.rules.reader import Effect
from tests.fakes.rules import unit

LIMITS = Thresholds(
    reader=1.0,
    score=1.5,
    bias=-1.0,
    cue=0.5,
    decides=0.35,
    shown=0.08,
    prohibited=0.25,
    restricted=0.25,
    allowed=0.4,
    conditioned=0.4,
    states=0.35,
    given=0.4,
    weights=(
        (3.4, -0.7, 0.3, -0.4, 0.0, 0.3, 0.0),
        (-0.7, 2.5, 1.6, -0.6, 0.0, 0.2, 0.0),
        (-1.6, -0.6, -1.6, 2.3, 0.3, 0.3, 0.0),
        (-1.2, -1.2, -0.2, -1.4, -0.3, -1.0, 0.0),
    ),
    close=0.9,
    least=0.05,
    forbids=1.0,
    bans=0.3,
    informs=0.7,
    overrules=0.5,
    off_topic=0.15,
    doubtful=0.3,
    on_topic=0.45,
    chat=0.9,
    asks_permission=0.68,
    asks_detail=0.64,
)
"""Thresholds that no calibration changes."""


def effects(effect: Effect, share: float = 0.9) -> dict[Effect, float]:
    rest = (1 - share) / (len(Effect) - 1)
    return {each: share if each is effect else rest for each in Effect}


def rule(
    effect: Effect | Mapping[Effect, float],
    decides: float = 0.9,
    *regions: str,
    asked: str | None = None,
    says: str = "Ads for kites",
    document: str = "acme_toys",
    conditions: float = 0.0,
    place: PlaceReading | None = None,
) -> JudgedRule:
    """A rule that says `says` for `regions` (everywhere where there are none), judged for the place `asked`."""
    found = unit(says, "Kites", regions or ("global",), document_id=document)
    reading = place or read_place(found, asked)
    here = decides if reading.standing in (Standing.HOLDS, Standing.LEFT_OUT) else 0.0
    shares = effects(effect) if isinstance(effect, Effect) else effect
    return JudgedRule(found, reading, 0.5, here, decides, conditions, shares)
