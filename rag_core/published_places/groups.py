"""Names for several countries at once, beside the European Union, which is a place of its own.

Members as the United Nations list them (M49) or as the treaty says. What people draw differently has its undisputed
members, or none where there is no such core; both are doubtful.
"""

from dataclasses import dataclass

EEA = ("eu", "is", "li", "no")
EUROPE = (*EEA, *"uk ch al ad ba by fo gg gi im je mc md me mk rs ru sm ua va xk".split())
_NORDIC = ("dk", "fi", "is", "no", "se")
_BALTIC = ("ee", "lv", "lt")
_NORTH_AFRICA = tuple("dz eg ly ma sd tn".split())
_SUB_SAHARAN = tuple(
    "ao bj bw bf bi cv cm cf td km cg cd ci dj gq er sz et ga gm gh gn gw ke ls lr mg mw ml mr mu mz na ne ng rw st sn "
    "sc sl so za ss tz tg ug zm zw".split()
)
_AFRICA = (*_NORTH_AFRICA, *_SUB_SAHARAN)
_GULF = ("ae", "bh", "kw", "om", "qa", "sa")
_MIDDLE_EAST = (*_GULF, *"iq ir il jo lb ps sy ye".split())
_EAST_ASIA = tuple("cn hk jp kp kr mo mn tw".split())
_SOUTH_EAST_ASIA = tuple("bn kh id la my mm ph sg th tl vn".split())
_SOUTH_ASIA = tuple("af bd bt in mv np pk lk".split())
_CENTRAL_ASIA = tuple("kz kg tj tm uz".split())
_ASIA = (*_MIDDLE_EAST, *_EAST_ASIA, *_SOUTH_EAST_ASIA, *_SOUTH_ASIA, *_CENTRAL_ASIA, "am", "az", "ge", "tr")
_OCEANIA = tuple("au nz fj pg sb vu ki fm mh nr pw ws to tv".split())
_CARIBBEAN = tuple("ag ai aw bs bb cu cw dm do gd ht jm kn ky lc ms pr tc tt vc vg vi".split())
_CENTRAL_AMERICA = tuple("bz cr sv gt hn ni pa".split())
_SOUTH_AMERICA = tuple("ar bo br cl co ec gy py pe sr uy ve".split())
_LATIN_AMERICA = tuple("ar bo br cl co cr cu do ec sv gt hn mx ni pa py pe pr uy ve".split())
_AMERICAS = ("us", "ca", "mx", *_CENTRAL_AMERICA, *_SOUTH_AMERICA, *_CARIBBEAN)


@dataclass(frozen=True, slots=True)
class Group:
    """`codes`: the members that nobody disputes. `doubtful`: others may be meant as well, or not all of these."""

    codes: tuple[str, ...]
    doubtful: bool = False


_EXACT = {
    ("european economic area", "eea", "eu/eea", "eea countries"): EEA,
    ("europe",): EUROPE,
    ("dach",): ("de", "at", "ch"),
    ("benelux",): ("be", "nl", "lu"),
    ("nordics", "nordic countries"): _NORDIC,
    ("scandinavia",): ("dk", "no", "se"),
    ("baltics", "baltic states", "baltic countries"): _BALTIC,
    ("efta",): ("ch", "is", "li", "no"),
    ("iberia",): ("es", "pt"),
    ("gcc", "gulf cooperation council", "gulf states"): _GULF,
    ("africa",): _AFRICA,
    ("sub-saharan africa", "subsaharan africa"): _SUB_SAHARAN,
    ("asia",): _ASIA,
    ("central asia",): _CENTRAL_ASIA,
    ("southeast asia", "south-east asia", "south east asia"): _SOUTH_EAST_ASIA,
    ("oceania",): _OCEANIA,
    ("anz",): ("au", "nz"),
    ("south america",): _SOUTH_AMERICA,
    ("central america",): _CENTRAL_AMERICA,
    ("caribbean",): _CARIBBEAN,
    ("the americas", "americas"): _AMERICAS,
}
_DISPUTED = {
    ("north africa", "northern africa"): _NORTH_AFRICA,
    ("middle east",): _MIDDLE_EAST,
    ("mena", "middle east and north africa", "middle east & north africa"): (*_MIDDLE_EAST, *_NORTH_AFRICA),
    ("emea", "europe, middle east and africa"): (*EUROPE, *_MIDDLE_EAST, *_AFRICA),
    ("east asia",): _EAST_ASIA,
    ("south asia",): _SOUTH_ASIA,
    ("apac", "asia pacific", "asia-pacific"): (*_EAST_ASIA, *_SOUTH_EAST_ASIA, *_SOUTH_ASIA, *_OCEANIA),
    ("latin america", "latam"): _LATIN_AMERICA,
    ("latin america and the caribbean",): (*_LATIN_AMERICA, *_CARIBBEAN),
    ("north america", "northern america"): ("us", "ca"),
    (
        "eastern europe", "western europe", "northern europe", "southern europe", "central europe",
        "central and eastern europe", "cee", "balkans", "western asia", "west africa", "east africa",
        "southern africa", "central africa", "west asia", "north asia",
    ): (),
}  # fmt: skip

GROUPS = {name: Group(tuple(dict.fromkeys(codes))) for names, codes in _EXACT.items() for name in names} | {
    name: Group(tuple(dict.fromkeys(codes)), doubtful=True) for names, codes in _DISPUTED.items() for name in names
}
"""By the name in small letters."""

GROUP_ADJECTIVES = {
    "european": GROUPS["europe"],
    "europeans": GROUPS["europe"],
    "african": GROUPS["africa"],
    "asian": GROUPS["asia"],
    "nordic": GROUPS["nordics"],
    "scandinavian": GROUPS["scandinavia"],
    "baltic": GROUPS["baltics"],
    "latin american": GROUPS["latin america"],
}
