"""What policies say in everyday words, put as rules are usually put, so that one set of patterns reads both.

"Kites are a no" -> "Kites are not allowed"; "we're happy to run ads for kites" -> "we accept ads for kites". Only the
words of the ruling change: what a rule is on stays verbatim.
"""

import re
from functools import lru_cache

_I = re.IGNORECASE
_WE = (
    r"^(?P<we>\W*(?:(?:no|yes|sure|sorry|currently|today|for\s+now|at\s+present)\s*[,.:–-]\s*)?"
    r"(?:we|our\s+(?:team|network|platform|reviewers?|house|magazine|service)|the\s+(?:platform|network|exchange|house)"
    r"|(?-i:[A-Z])[\w-]+(?:\s+(?-i:[A-Z])\w+)?)(?:['’](?:ll|re|ve))?\s+(?:will\s+|are\s+)?(?:(?:also|always|simply"
    r"|just|only|gladly|happily|currently)\s+)*)"
)
"""Who runs the ads, at the beginning of a sentence: "We", "Our reviewers", or a name."""

_ADS = r"(?:[\w-]+\s+){0,3}?(?:ads?|adverts?|advertis\w+|campaigns?|spots?|promotions?|commercials?)\b"
_PROMOTE = r"(?:advertise|promote|market|run\s+(?:ads|adverts|advertisements|campaigns)\s+for)"
_CASE = r"(?![^.;]*\b(?:if|when|whenever|where|once)\b)"
"""Not where a case follows in which it is so: "we refuse ads for kites if they are late"."""

_GOOD = r"(?:fine|ok|okay|allowed|permitted|accepted|acceptable|welcome)"
_A_NO = (
    r"(?:(?:an?\s+)?(?:(?:clear|hard|firm|big|flat|absolute|definite|strict)\s+)?(?:no(?:[- ](?:no|go))?)(?=\W*$"
    r"|\W+(?:here|on|for\s+us|everywhere|anywhere)\b)"
    r"|off\s+the\s+(?:table|menu|cards|list)|out\s+of\s+(?:the\s+question|bounds)|barred|excluded\s+from\s+advertising)"
)
_SENT_BACK = (
    r"(?:refused|rejected|declined|turned\s+(?:away|down)|sent\s+back|returned(?:\s+to\s+(?:the|its"
    r"|their)\s+senders?)?)"
)
_LABELS = r"(?:notes?|exceptions?|important|examples?|status|answer|rules?|tip|hint|why|what|when|warning)"
_RULE_NUMBERS = (
    r"(?:(?:rules?|sections?|clauses?|paragraphs?|articles?|chapters?|points?)\s+)?\d[\d.]*(?:\s*(?:,"
    r"|to|and|or|-)\s*\d[\d.]*)*"
)

_REWRITES: tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...] = tuple(
    (tuple(signs.split()), re.compile(pattern, _I), instead)
    for signs, pattern, instead in (
        # cross-references that stand in front
        (
            "notwithstanding despite prejudice",
            rf"^(\W*)(?:notwithstanding|despite|without\s+prejudice\s+to)\s+{_RULE_NUMBERS}\s*,\s*",
            r"\1",
        ),
        ("subject", rf"^(\W*)subject\s+to\s+({_RULE_NUMBERS})\s*,\s*(.*?)([.;]?)$", r"\1\3 subject to \2\4"),
        # never, whatever the order of the words
        (
            "no",
            r"^\W*(?:under\s+no\s+circumstances|in\s+no\s+(?:case|event)|on\s+no\s+account|at\s+no\s+time)\s+(may"
            r"|can|shall|will|is|are)\s+"
            rf"(.+?)\s+(be\s+{_PROMOTE[:-1]}|advertised|promoted|shown|run)|{_GOOD})\b",
            r"\2 \1 not \3",
        ),
        ("no", r"\b(?:under\s+no\s+circumstances|in\s+no\s+(?:case|event)|on\s+no\s+account)\b", "not"),
        (
            "no",
            rf"^\W*(?:nobody|no\s+one|no\s+(?:advertiser|business|brand|company|seller))\s+(?:may|can"
            rf"|shall)\s+({_PROMOTE})\b",
            r"You may not \1",
        ),
        (
            "not don never",
            rf"^\W*(?:please\s+)?(?:do\s+not|don['’]?t|never)\s+(?:{_PROMOTE}|submit|book|send\s+us)\b(?!\s+(?:to"
            rf"|in|on|at|with)\b)",
            r"You may not promote",
        ),
        (
            "sell offer",
            r"\b(may\s+not|cannot|can['’]?t|must\s+not|mustn['’]t)\s+(?:sell|offer)\b(?=[^.;]*\b(?:through|via|with"
            r"|in|by)\s+(?:an?|your|our|any)?\s*(?:ads?|adverts?|advertisements?)\b)",
            r"\1 promote",
        ),
        ("able", rf"\b(?:won['’]t|will\s+not)\s+be\s+able\s+to\s+({_PROMOTE})\b", r"may not \1"),
        # no
        (
            "no",
            rf"\b(?:accept|allow|permit|take|carry|carrie|run|publish)(?:e?s)?\s+no\s+(?=(?:{_ADS}|\w+\s*[.,;]?$))",
            "do not accept ",
        ),
        (
            "none no neither",
            rf"^\W*(?:none\s+of|no|neither(?:\s+of)?)\s+([^.;:]+?)\s+(is|are|may"
            rf"|can)\s+(?:ever\s+)?(?=(?:be\s+)?(?:{_GOOD}|{_PROMOTE[3:-1]}|advertised|promoted|shown)\b)",
            r"\1 \2 not ",
        ),
        ("no off out barred excluded", rf"\b(is|are)\s+(?:still\s+|also\s+|simply\s+)?{_A_NO}", r"\1 not allowed"),
        (
            "something thing one",
            r"\b(is|are)\s+not\s+(?:something|things?|ones?)\s+(?:that\s+)?(?:we|\w+)\s+(?:will\s+|can\s+)?(?:take"
            r"|accept|allow|run|carry|do|permit)s?\b",
            r"\1 not allowed",
        ),
        (
            "not never",
            r"(?<!that )(?<!which )(?<!who )\b(is|are)\s+(?:not|never)\s+(?:advertised|promoted|marketed|carried"
            r"|taken)\b(?:\s+either\b)?"
            r"(?!\s+(?:into|out|over|off|to\b(?!\s+the\s+(?:general\s+)?public)|at|beside|next|as|with|by|while"
            r"|during|together|on\s+(?!(?-i:[A-Z]))|in\s+(?!(?-i:[A-Z])|any)))",
            r"\1 not allowed",
        ),
        (
            "not n't n’t",
            r"\b(?:do|does)(?:\s+not|n['’]t)\s+run\s+(here|on\s+(?-i:[A-Z])|in\s+(?-i:[A-Z]))",
            r"are not allowed \1",
        ),
        ("place", r"\b(?:has|have)\s+no\s+place\s+(?=(?:on|here|in|at|with)\b)", "are not allowed "),
        ("no", r"^\W*(?:there\s+is|there['’]s|we\s+have)\s+no\s+(?:place|room)\s+(?:here\s+)?for\b", "We prohibit"),
        (
            "not n't n’t never able",
            rf"{_WE}(?:(?:do|does)(?:\s+not|n['’]t)|never|can(?:not|['’]t)|(?:not|un)\s?able\s+to|won['’]t|not)\s+"
            rf"(?:(?:take|carry|accept|host|publish|welcome|approve)s?\b(?!\s+(?:into|long|part|place|effect"
            rf"|responsib\w+|actions?|any\s+responsib\w+|on|over|out))"
            rf"|(?:run|air|show|print|place|serve|book)s?\b(?=\s+{_ADS}))",
            r"\g<we>do not accept",
        ),
        (
            "turn refus declin say steer stay",
            rf"{_WE}(?:turns?\s+(?:away|down)|refuses?|declines?|says?\s+no\s+to|steers?\s+clear\s+of"
            rf"|stays?\s+away\s+from)\b"
            rf"(?!\s+(?:to|the\s+right)\b){_CASE}",
            r"\g<we>prohibit",
        ),
        ("not", rf"^\W*(?:also\s+)?not\s+{_GOOD}(?:\s+(?:here|either|at\s+all|with\s+us))?\s*:", "Not allowed:"),
        (
            ":",
            rf"^(?!\W*{_LABELS}\b)([^:.;?]{{2,70}}):\s*(?:no|nope|never|not\s+{_GOOD}|prohibited|banned|forbidden"
            rf"|off[- ]limits|refused)\b(?=\W*$|\s*[.,;(–]|\s+(?:in|on|for|any\w*|at)\b)",
            r"\1 are not allowed",
        ),
        # yes, and yes with something
        (
            ":",
            rf"^(?!\W*{_LABELS}\b)([^:.;?]{{2,70}}):\s*(?:yes|yep|sure|{_GOOD})\b(?=\W*$|\s*[.,;(–]|\s+(?:in|on|for"
            rf"|if|at|as|with|when|where|only|to)\b)(?:\s*,\s*(?=(?:if|but|only|with|as)\b))?",
            r"\1 are allowed ",
        ),
        (
            ":",
            rf"^(?!\W*{_LABELS}\b)((?!\W*(?:in|on|from|to)\b)[^:.;?]{{2,70}}):\s*(?=only\s+(?:to|in|for|with|after"
            rf"|between|from|by|if|when)\b)",
            r"\1 are allowed ",
        ),
        (
            ":",
            rf"^(?!\W*{_LABELS}\b)([^:.;?]{{2,70}}):\s*(?:ask\s+(?:us\s+)?first|on\s+request|case\s+by\s+case"
            rf"|with\s+(?:prior\s+)?approval)\b",
            r"\1 are restricted",
        ),
        (
            "case",
            r"\b(is|are)\s+(?:(?:decided|judged|reviewed|assessed|looked\s+at"
            r"|considered)\s+)(?:on\s+a\s+)?case[- ]by[- ]case(?:\s+basis)?\b",
            r"\1 restricted",
        ),
        (
            "fine",
            r"\b(is|are)\s+(?:(?:perfectly|totally|absolutely|all|just|quite)\s+)?fine\b(?!\s+(?:print|art|line"
            r"|tun|dining|print))",
            r"\1 allowed",
        ),
        (
            "yes",
            r"\b(is|are)\s+(?:an?\s+)?(?:(?:clear|definite|big|firm)\s+)?yes(?=\W*$|\W+(?:here|on|for\s+us|if"
            r"|as\s+long)\b)",
            r"\1 allowed",
        ),
        ("green", r"\b(?:gets?|has|have)\s+(?:the|a)\s+green\s+light\b", "are allowed"),
        (
            "free welcome ahead means",
            rf"^\W*(?:(?:please\s+)?feel\s+free\s+to|you(?:['’]re|\s+are)\s+(?:free|welcome)\s+to|go\s+ahead\s+and"
            rf"|by\s+all\s+means)\s+({_PROMOTE})\b",
            r"You may \1",
        ),
        (
            "take carr host publish accept run",
            rf"{_WE}(?:(?:happy|glad|pleased)\s+to\s+|(?:love|like)\s+to\s+)?(?:(?:take|carry|carries|host|publish"
            rf"|accept)s?\b(?=\s+{_ADS})|run(?:s)?\b(?=\s+{_ADS}))",
            r"\g<we>accept",
        ),
        (
            "happy glad pleased yes",
            rf"{_WE}(?:(?:happy|glad|pleased)\s+to\s+(?:take|accept|carry)|says?\s+yes\s+to)\b",
            r"\g<we>accept",
        ),
        (
            "need must require",
            rf"^\W*(?:you(?:['’]ll|\s+will)?|advertisers)\s+(?:need|must\s+(?:have|hold|get)"
            rf"|require)\s+([^.;:]+?)\s+(?:in\s+order\s+)?to\s+({_PROMOTE})\s+([^.;:]+)",
            r"You may \2 \3 only with \1",
        ),
        (
            "advertised",
            r"^((?:(?!\b(?:if|when|once|where|that|which|who|because|after|before)\b)[^.;:])*?)\b(?:is"
            r"|are)\s+(only\s+)?advertised\b(?=\s+(?:only|to|between|after|before|from|by|with\s+the|under)\b)",
            r"\1may \2be advertised",
        ),
        (
            "else",
            r",?\s*\band\s+(?:from\s+|to\s+|for\s+|in\s+)?(?:nobody|no\s+one|nothing"
            r"|nowhere)\s+else\b(?:\s+in\s+(?:this|that)\s+\w+)?",
            " only",
        ),
        # an exception by any other name
        ("save", r"\bsave\s+(?=(?:as|where|that|in|to|when|with|under)\b)", "except "),
    )
)

_RETURNED = re.compile(
    rf"^(?P<what>.+?)(?<!that)(?<!which)(?<!who)\s+(?P<be>is|are|will\s+be|shall\s+be)\s+(?:always\s+|also\s+"
    rf"|automatically\s+)?{_SENT_BACK}\b"
    r"(?!\s+(?:because|for|by|if|when|until|once|after))",
    _I,
)
_OF_A_CASE = re.compile(r"\b(?:if|when|once|after|whether|why|because|until|unless|otherwise|where)\b", _I)
_SOME_AD = re.compile(
    r"\W*(?:(?:the|your|such|these|those|all|any|every|each|an?|most|many|some|this)\s+)*(?:ads?|adverts?"
    r"|advertisements?|campaigns?"
    r"|creatives?|spots?|they|it|submissions?|accounts?|appeals?|applications?|requests?)?\W*",
    _I,
)


"""Words without one of which a pattern cannot match (to look for them is much quicker), the pattern, its plain form."""


@lru_cache(maxsize=20_000)
def plainly(text: str) -> str:
    """`text` with its everyday ways of ruling put as "is not allowed", "is allowed", "only with"."""
    for signs, pattern, instead in _REWRITES:
        lowered = text.lower()
        if any(sign in lowered for sign in signs):
            text = pattern.sub(instead, text)
    return _sent_back_is_banned(text)


def _sent_back_is_banned(text: str) -> str:
    """ "Kites are refused" bans kites; "your ad will be refused" says nothing of any thing, nor does what happens in a
    case."""
    match = _RETURNED.match(text)
    if match is None or _SOME_AD.fullmatch(match["what"]) or _OF_A_CASE.search(match["what"]):
        return text
    return f"{match['what']} are not allowed{text[match.end() :]}"
