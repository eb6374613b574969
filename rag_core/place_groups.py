"""Groups of countries that people ask about by one name. The EU is no group: it has a code and rules of its own."""

_GROUPS = {
    "nordics": "dk fi is no se", "nordic countries": "dk fi is no se", "nordic": "dk fi is no se",
    "scandinavia": "dk no se", "scandinavian": "dk no se", "scandinavian countries": "dk no se",
    "dach": "de at ch", "dach region": "de at ch", "d-a-ch": "de at ch", "german-speaking countries": "de at ch",
    "german speaking countries": "de at ch",
    "benelux": "be nl lu", "benelux countries": "be nl lu", "low countries": "be nl lu",
    "baltics": "ee lv lt", "baltic states": "ee lv lt", "baltic countries": "ee lv lt",
    "iberia": "es pt", "iberian peninsula": "es pt", "british isles": "uk ie", "uk&i": "uk ie", "uki": "uk ie",
    "visegrad": "pl cz sk hu", "visegrad group": "pl cz sk hu", "anz": "au nz", "antipodes": "au nz",
    "north america": "us ca mx", "gulf states": "sa ae qa kw bh om", "gcc": "sa ae qa kw bh om",
    "gcc countries": "sa ae qa kw bh om", "brics": "br ru in cn za",
    "g7": "us uk ca fr de it jp", "maghreb": "ma dz tn ly",
}  # fmt: skip

GROUPS = {name: tuple(codes.split()) for name, codes in _GROUPS.items()}
"""By name in small letters: the codes of the members."""
