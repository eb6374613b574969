"""Words of advertising and of rules: whether a question speaks of what is laid down, whatever it is about."""

import re

_FLAGS = re.IGNORECASE

ADVERTISING = re.compile(
    r"\b(ads?|adverts?|advertis\w*|promot\w*|sponsor\w*|campaigns?|landing\s?pages?|creatives?|marketing|market"
    r"|trademarks?|disapprov\w*|targeting|banners?|headlines?|commercials?|influencers?|affiliates?|placements?|boost\w*)\b",
    _FLAGS,
)
"""Words of advertising: what is advertised, and how."""

RULES = re.compile(
    r"\b(polic(?:y|ies)|rules?|allow\w*|permit\w*|permission|prohibit\w*|ban(?:s|ned|ning)?|forbid\w*|forbidden|restrict\w*"
    r"|require\w*|need(?:s|ed)?|must|guidelines?|eligib\w*|legal|illegal|ok|okay|fine|accept\w*|approv\w*|licen[cs]\w*|certif\w*"
    r"|disclaim\w*|disclos\w*|appeal\w*|strikes?|review(?:s|ed|ers?)?|reject\w*|enforce\w*|suspen\w*|violat\w*|comply|complian\w*"
    r"|dos\s+and\s+don'?ts|limits?|warnings?|consent|min(?:imum)?\s+age|age\s+(?:limit|gat\w+|restrict\w*|target\w*|requirement\w*)"
    r"|cover(?:s|ed)?|say|says|said|state[sd]?|qualif\w+|count(?:s|ed)?\s+as|considered|defin\w+|whitelist\w*|pre-?approv\w*|max(?:imum)?|min(?:imum)?|sizes?|formats?|resolution|ratios?|duration|deadlines?)\b",
    _FLAGS,
)
"""Words of rules: somebody wants to know what is laid down."""

_EVERYDAY = re.compile(
    r"need(?:s|ed)?|must|say|says|said|state[sd]?|ok|okay|fine|accept\w*|cover(?:s|ed)?|considered|sizes?|formats?|legal|limits?|review\w*|duration",
    _FLAGS,
)
"""Words of rules that are words of everything else, too."""


def speaks_of_ad_rules(text: str) -> bool:
    """Whether a word of advertising is in it, or one of rules that is hardly used of anything else."""
    if ADVERTISING.search(text):
        return True
    return any(not _EVERYDAY.fullmatch(match[0]) for match in RULES.finditer(text))
