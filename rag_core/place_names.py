"""Names of places that CLDR does not give: adjectives, everyday and former names, members of the EU."""

EU_MEMBERS = frozenset("at be bg hr cy cz dk ee fi fr de gr hu ie it lv lt lu mt nl pl pt ro sk si es se".split())
"""The 27 members since 2020-02-01."""

_ADJECTIVES_BY_CODE = {
    "ae": "emirati", "af": "afghan", "al": "albanian", "am": "armenian", "ao": "angolan", "ar": "argentinian argentine",
    "at": "austrian", "au": "australian", "az": "azerbaijani", "ba": "bosnian", "bd": "bangladeshi", "be": "belgian",
    "bg": "bulgarian", "bh": "bahraini", "bo": "bolivian", "br": "brazilian", "by": "belarusian", "ca": "canadian",
    "ch": "swiss", "cl": "chilean", "cn": "chinese", "co": "colombian", "cu": "cuban", "cy": "cypriot", "cz": "czech",
    "de": "german germans", "dk": "danish", "dz": "algerian", "ec": "ecuadorian", "ee": "estonian", "eg": "egyptian",
    "es": "spanish", "et": "ethiopian", "fi": "finnish", "fr": "french", "ge": "georgian", "gh": "ghanaian",
    "gr": "greek", "hr": "croatian", "hu": "hungarian", "id": "indonesian", "ie": "irish", "il": "israeli",
    "in": "indian", "iq": "iraqi", "ir": "iranian", "is": "icelandic", "it": "italian italians", "jm": "jamaican",
    "jo": "jordanian", "jp": "japanese", "ke": "kenyan", "kh": "cambodian", "kr": "korean", "kw": "kuwaiti",
    "kz": "kazakh", "lb": "lebanese", "lk": "sri-lankan", "lt": "lithuanian", "lu": "luxembourgish", "lv": "latvian",
    "ly": "libyan", "ma": "moroccan", "md": "moldovan", "mt": "maltese", "mx": "mexican", "my": "malaysian",
    "ng": "nigerian", "nl": "dutch", "no": "norwegian", "np": "nepali nepalese", "nz": "new-zealander", "om": "omani",
    "pe": "peruvian", "ph": "filipino philippine", "pk": "pakistani", "pl": "polish", "pt": "portuguese",
    "py": "paraguayan", "qa": "qatari", "ro": "romanian", "rs": "serbian", "ru": "russian", "sa": "saudi",
    "se": "swedish", "sg": "singaporean", "si": "slovenian", "sk": "slovak", "sn": "senegalese", "sy": "syrian",
    "th": "thai", "tn": "tunisian", "tr": "turkish", "tw": "taiwanese", "ua": "ukrainian", "ug": "ugandan",
    "uk": "british britons english", "uk-sct": "scottish", "uk-wls": "welsh", "us": "american americans",
    "uy": "uruguayan",
    "ve": "venezuelan", "vn": "vietnamese", "ye": "yemeni", "za": "south-african", "zm": "zambian", "zw": "zimbabwean",
}  # fmt: skip

ADJECTIVES = {word.replace("-", " "): code for code, words in _ADJECTIVES_BY_CODE.items() for word in words.split()}

OTHER_NAMES = {
    "uk": "uk", "u.k.": "uk", "u.k": "uk", "great britain": "uk", "britain": "uk", "england": "uk-eng",
    "scotland": "uk-sct", "wales": "uk-wls", "northern ireland": "uk-nir",
    "usa": "us", "u.s.": "us", "u.s.a.": "us", "u.s": "us", "us": "us", "the states": "us", "america": "us",
    "united states of america": "us",
    "eu": "eu", "e.u.": "eu", "european union": "eu", "eu member states": "eu", "eu countries": "eu",
    "uae": "ae", "u.a.e.": "ae", "emirates": "ae", "holland": "nl", "the netherlands": "nl", "czech republic": "cz",
    "turkey": "tr", "turkiye": "tr", "south korea": "kr", "korea": "kr", "republic of korea": "kr", "ivory coast": "ci",
    "burma": "mm", "macau": "mo", "hong kong": "hk", "republic of ireland": "ie", "ksa": "sa", "bosnia": "ba",
    "palestine": "ps", "russian federation": "ru", "viet nam": "vn", "cape verde": "cv", "swaziland": "sz",
    "macedonia": "mk", "congo": "cg", "the gambia": "gm", "trinidad": "tt", "vatican": "va", "quebec": "ca-qc",
    "washington dc": "us-dc", "washington, dc": "us-dc", "washington d.c": "us-dc", "washington, d.c": "us-dc",
    "taiwan, china": "tw", "hong kong, china": "hk", "hong kong sar": "hk",
    "hong kong sar, china": "hk", "macao sar": "mo", "macau sar": "mo", "macao sar, china": "mo", "eu27": "eu",
    "mainland china": "cn", "great-britain": "uk", "new zealanders": "nz",
    "state of georgia": "us-ga", "state of victoria": "au-vic", "northern territory of australia": "au-nt",
}  # fmt: skip

CASE_MATTERS = frozenset({"us", "polish", "jersey", "chad", "guinea", "english", "congo", "dutch"})
"""Common words in small letters: taken for the place only with a capital."""

WORDS_THAT_ARE_CODES = frozenset(
    "ad ae af ag ai am an as at bb be bi by cv do eh er es ga gi go ha he hi hm ho id if in io is it la li lo ma md me "
    "mm mo ms mu my na no of ok om on or ow ox pa pm pr pa re se sh sk so st ta tc td tv to um un up us vc ve we ws "
    "ye".split()
)
"""English words and everyday abbreviations that are also country codes."""
