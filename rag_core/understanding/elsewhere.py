"""Is a question for somebody else? By what it asks for, not by what it mentions.

Policies say what ads may be. They write nothing, count nothing, run no account, know nothing of the world and have no
taste; a question for one of these is off topic, with whatever goods or platform in it. In doubt it is on topic: then
the documents decide.
"""

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


_MADE = (
    r"(?:ads?|adverts?|copy|slogans?|taglines?|headlines?|captions?|posts?|tweets?|threads?|blogs?|articles?|poems?|haikus?|songs?|lyrics"
    r"|stor(?:y|ies)|essays?|emails?|e-mails?|letters?|repl(?:y|ies)|messages?|scripts?|code|functions?|quer(?:y|ies)|regex\w*|formulas?|macros?"
    r"|plans?|briefs?|decks?|presentations?|slides?|reports?|summar(?:y|ies)\s+of\s+(?:this|my|the\s+meeting)|translations?|names?|ideas?|jokes?"
    r"|puns?|logos?|images?|pictures?|videos?|banners?|websites?|landing\s+pages?|campaigns?|creatives?|calendars?|schedules?|budgets?"
    r"|spreadsheets?|tables?\s+of\s+(?:my|our)|reviews?|bios?|descriptions?|keywords?|hashtags?|tips|recipes?|playlists?|itinerar\w+|quiz\w*|games?)"
)
_TO_DO = r"(?:(?:please|pls|plz|hey|hi|ok|now|just|kindly)[\s,]+)*"
_FOR_ME = (
    r"(?:(?:can|could|would|will)\s+(?:you|u)\s+(?:please\s+|pls\s+)?|let'?s\s+"
    r"|i(?:'d|\s+would)?\s+(?:like|need|want)\s+(?:you\s+to\s+)?)"
)
_DONE = (
    r"\b(?:can|could|would|will)\s+(?:you|u)\s+(?:please\s+)?(?:translate|proofread|rephrase|paraphrase|rewrite|debug|calculate|solve)\b",
    r"\bhelp\s+(?:me|us)\s+(?:to\s+)?(?:with\s+(?:my|our|writing)|write|draft|compose|rephrase|translate|create|make|design|build|plan|choose|decide|find)\b",
    rf"^\W*{_TO_DO}(?:recommend|suggest)\s+(?:me|us|an?|some|good)\b|^\W*{_TO_DO}(?:play|sing)\s+(?:some|a|the|my|me)\b|^\W*{_TO_DO}order\s+\w+\W*$",
    r"\b(?:python|javascript|sql|bash|excel|php|java|google\s+sheets?)\s+(?:code|scripts?|snippets?|quer(?:y|ies)|functions?|formulas?|programs?|macros?)\b|^\W*(?:python|sql|regex|excel|bash)\s+(?:to|for|that)\b",
    r"\btell\s+(?:me|us)\s+something\s+\w+|\bwhat\s+(?:ad\s+)?budget\s+(?:do|should|would)\b",
    rf"^\W*{_TO_DO}(?:write|draft|compose|rephrase|paraphrase|proofread|translate|convert|calculate|compute|solve|brainstorm|rewrite|debug"
    r"|refactor|code|sing|roleplay|role-play)\b(?!\s+(?:rights?|of\s+conduct|permission|access|services?))",
    rf"^\W*{_TO_DO}(?:generate|create|make|design|build|prepare|produce|develop|plan|outline|invent|suggest|propose|recommend|find|give|send|tell|show)\s+"
    rf"(?:me\s+|us\s+)?(?:an?|some|any|the\s+perfect|a\s+few|\d+|several|three|five|ten|good|catchy|new)\s+(?:[\w'-]+\s+){{0,3}}?{_MADE}\b(?!\s+(?:of|that)\s+\w+\s+(?:polic|rules))",
    rf"\b{_FOR_ME}(?:write|draft|compose|rephrase|proofread|translate|convert|calculate|compute|solve|brainstorm|rewrite|debug|generate|create|make|design|build|plan|suggest|recommend)"
    rf"\s+(?:me|us|my|our|this|it)\b",
    r"\b(?:can|could|would|will)\s+(?:you|u)\s+(?:please\s+|pls\s+)(?:write|draft|translate|calculate|convert|create|make|design|generate|rewrite)\b",
    r"\bi\s+(?:need|want)\s+(?:you\s+to\s+|(?:an?|some)\s+(?:[\w'-]+\s+){0,2}?(?:slogan|tagline|poem|joke|recipe|essay|translation|script|formula|regex)\b)",
    r"\btell\s+(?:me|us)\s+(?:an?|another|some|your)\s+(?:\w+\s+)?(?:jokes?|stor(?:y|ies)|riddles?|secrets?|fun\s+facts?)\b",
    r"\b(?:book|order|reserve|schedule|remind)\s+(?:me|us|a\s+(?:table|flight|taxi|room|cab|meeting|call))\b|\bset\s+(?:a|an|my)\s+(?:alarm|timer|reminder)\b",
    rf"^\W*{_TO_DO}(?:slogans?|taglines?|poems?|jokes?|haikus?|regex|formula|recipe|synonyms?|translation)\s+(?:ideas?\s+)?(?:for|about|on|of)\b",
    r"^\W*(?:what(?:'s|\s+is|\s+are)\s+)?-?\d[\d.,]*\s*(?:%\s+of|[-+*/x×^]|plus|minus|times|divided\s+by)\s*\d|\bsquare\s+root\b|\bhow\s+(?:do\s+(?:you|i)|to)\s+say\b.+\bin\s+\w+",
)
_OF_THE_BOT = (
    r"\b(?:system\s+prompt|your\s+(?:prompt|instructions|source\s+code|code|training|model|developers?|creators?|makers?|owner|name|age|favou?rite|opinion|feelings?"
    r"|memory|data|api|birthday|secrets?|password|environment))\b|\benvironment\s+variables?\b|\bhidden\s+context\b|\bsecret[_\s]key\b",
    r"\b(?:which|what)\s+(?:language\s+|ai\s+|large\s+)*(?:model|llm|gpt|ai)\s+(?:are|do|is|powers?)\b.{0,30}\b(?:you|this|it|bot)\b|\bare\s+you\s+(?:based|running|built|trained)\b",
    r"\b(?:who|how)\s+(?:made|built|created|wrote|trained|programmed|owns|runs|old\s+are|smart\s+are|were|was|are)\s+(?:you|u|this\s+(?:bot|chat\s?bot|assistant))\b(?!\s+(?:allow|handl))",
    r"\bare\s+(?:you|u)\s+(?:an?\s+|really\s+|even\s+)*(?:human|robot|bot|ai|machine|real|person|alive|sentient|conscious|chatgpt|gpt|single|happy|sad|tired|bored)\b",
    r"\b(?:do|did|can)\s+(?:you|u)\s+(?:ever\s+|really\s+|even\s+|also\s+)?(?:dream|feel|sleep|love|hate|enjoy|like|speak|remember\s+me|get\s+(?:tired|bored|paid)"
    r"|have\s+(?:feelings|a\s+(?:name|body|family|soul|girlfriend|boyfriend)))\b",
    r"\b(?:do|did|can|will)\s+(?:you|u)\s+(?:also\s+)?(?:store|save|log|record|keep|track|share|sell|remember)\s+(?:all\s+(?:of\s+)?)?(?:my|our|what\s+i|these\s+(?:chats?|messages?|conversations?))\b",
    r"\bwho\s+(?!says\b|tells\b|lets\b)\w+s\s+(?:you|this\s+bot)\W*$",
    r"\bwhat\s+(?:do|did|would)\s+(?:you|u)\s+(?:think|like|feel|prefer|dream|love)\b|\bwhat\s+did\s+(?:you|u)\s+(?:have|eat|do|wear)\b",
    r"\b(?:summari[sz]e|repeat|print|reveal|output|show|display|dump|list)\s+(?:me\s+)?(?:all\s+|everything\s+|the\s+(?:text|words|messages?)\s+)?(?:of\s+)?(?:above|before|everything\s+above|your\s+\w+|previous\s+messages?|the\s+conversation)\b",
    r"\binstructions?\s+(?:that\s+)?(?:you\s+(?:got|have|were|received)|given\s+to\s+you)\b",
)
_METRIC = (
    r"(?:ctr|cpm|cpc|cpa|cpv|roas|roi|kpis?|click[\s-]?through\s+rates?|conversion\s+(?:rates?|tracking|value)|conversions|impressions|reach|engagement"
    r"|open\s+rates?|bounce\s+rates?|view\s+rates?|quality\s+scores?|bid(?:s|ding)?|bounce|ltv|attribution\s+(?:models?|windows?)|a/?b\s+tests?|split\s+tests?"
    r"|benchmarks?|seo|ga4|google\s+analytics|utm\w*|pixels?\s+(?:setup|tracking|events?)|tracking\s+pixels?|market\s+share|revenue|followers)"
)
_PERFORMANCE = (
    rf"\b(?:what(?:'s|\s+is|\s+are)?|which|how|why|when|calculate|explain|is|are|does|do)\b.{{0,60}}\b{_METRIC}\b",
    r"\b(?:best|top|cheapest|most\s+(?:effective|popular|profitable|successful|engaging|viewed)|favou?rite|coolest|funniest|greatest|worst)\b.{0,60}\b(?:agenc\w+|creatives?"
    r"|ads?|campaigns?|slogans?|headlines?|time|day|days|times|hours?|way|ways|platforms?|channels?|audience\w*|keywords?|strateg\w+|tools?|brands?|practices?|examples?|budget)\b",
    r"\b(?:improve|increase|boost|optimi[sz]e|maximi[sz]e|lower|reduce|scale|grow|double)\s+(?:my|our)\b|\bget\s+more\s+(?:clicks|followers|sales|leads|views|likes|customers|reach|traffic)\b",
    r"\bwhy\s+(?:is|are|isn'?t|aren'?t|do|does|don'?t|doesn'?t)\s+(?:my|our)\s+(?:ads?|campaigns?|pins?|videos?)\s+(?:not\s+|barely\s+)?(?:get\w*|convert\w*|perform\w*|deliver\w*|show\w*|spend\w*|work\w*)",
    r"\bhow\s+much\s+(?:do(?:es)?|is|are|would|will|should)\b.{0,60}\b(?:cost|costs|spend|pay|charge|budget|price[sd]?|earn|make)\b|\b(?:price|cost|pricing|rates?)\s+(?:of|for)\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+)?"
    r"(?:ads?|advertising|campaigns?|impressions?|clicks?|placements?)\b|\bwhat\s+(?:does|do|would)\b.{0,50}\bcost\b",
    r"\bwhich\s+(?:agency|agencies|platform\s+(?:is|performs|works|converts)|ad\s+format\s+(?:performs|works|converts)|tool|software)\b.{0,40}\b(?:best|better|most|cheaper|cheapest|recommend\w*|performs?|works?)\b",
)
_OPERATE = (
    r"(?:set\s*up|setup|configure|install|reset|recover|connect|integrate|link|log\s?(?:in|out|on)|sign\s?(?:in|up|out)|cancel|delete|deactivate|close|reopen|upgrade|downgrade|subscribe\s+to|unsubscribe"
    r"|upload|download|export|import|pay|refund|invoice|bill|contact|reach|call|phone|email|reinstall|update\s+my|change\s+my|edit\s+my|verify\s+my\s+(?:email|phone)|add\s+(?:a|my|another)\s+(?:user|card|payment|admin|pixel|member)"
    r"|create\s+(?:an?\s+)?(?:\w+\s+)?(?:account|audience|pixel|profile|campaign|page|group|channel|board|report|budget|ad\s+set)|open\s+an?\s+account|start\s+a\s+(?:campaign|business|podcast|company)"
    r"|track\s+(?:my|our|conversions?|clicks?)|measure|schedule|duplicate|pause|launch\s+a|use\s+the\s+(?:ads?\s+manager|api|dashboard|editor)|find\s+my|see\s+my|view\s+my|get\s+(?:to|a\s+refund|my\s+(?:money|invoice|password)|rid\s+of|started))"
)
_OPERATING = (
    r"\bhow\s+(?:should|do|can)\s+(?:i|we)\s+(?:split|spend|allocate|divide)\b",
    r"\bhow\s+(?:do|can|could|should)\s+(?:i|we)\s+get\s+(?:an?\s+|my\s+|the\s+|a\s+blue\s+)?(?:invoices?|receipts?|refunds?|money|credits?|coupons?|vouchers?|password|followers)\b",
    rf"\bhow\s+(?:do|can|could|should|would|to|does|did)\s*(?:i|we|you|one|u|somebody|someone)?\s+{_OPERATE}\b",
    rf"^\W*{_TO_DO}(?:cancel|reset|delete|refund|upgrade|unsubscribe|deactivate|log\s+me|sign\s+me)\b",
    r"\b(?:my|our)\s+(?:password|invoice|billing|payment\s+method|credit\s+card|subscription|premium|refund|account\s+(?:balance|login|settings?|password)|vpn|laptop|wifi|printer|salary|payslip|holiday|vacation|inbox)\b",
    r"\b(?:can'?t|cannot|unable\s+to|won'?t)\s+(?:log\s?in|sign\s?in|upload|load|connect|open)\b|\b(?:error\s+(?:code|message)|not\s+loading|crash(?:es|ed|ing)|is\s+(?:down|broken|offline)|bug\s+report)\b",
    r"\b(?:phone\s+number|customer\s+(?:service|support)|support\s+(?:email|number|team)|help\s?desk|contact\s+(?:number|details|person))\b.{0,30}\b(?:of|for|at|to)\b",
)
_FACTS = (
    r"\bwhat\s+year\b|^\W*(?:the\s+)?history\s+of\b|\bhow\s+strong\b|\bis\s+(?:\w+\s+){1,2}(?:healthy|unhealthy|addictive|dangerous|poisonous)\b",
    r"\bwhat(?:'s|\s+is)\s+a\s+good\b|\b(?:what|which)\s+(?:hashtags?|colou?rs?|fonts?|keywords?|tools?|music)\s+(?:should|works?|is|are|do)\b",
    r"\bwho\s+(?:owns?|founded|invented|won|discovered|painted|composed|killed|sang|directed|leads|bought|acquired)\b",
    r"\b(?:who|what)(?:'s|\s+is|\s+was|\s+are)\s+(?:the\s+)?(?:[\w']+\s+){0,3}(?:ceo|cfo|cto|founder|owner|president|prime\s+minister|king|queen|capital|population|currency|weather|temperature|time\s+in|date\s+today|meaning\s+of\s+life"
    r"|stock|share\s+price|market\s+cap|revenue|tallest|largest|biggest|oldest|longest|fastest|highest|chemical|distance|height|winner|anthem|flag|recipe|history|origin|abv\s+of|language\s+spoken)\b(?!\s+images?)",
    r"\b(?:weather|forecast|horoscope\s+for\s+(?:me|today)|stock\s+price|world\s+cup\s+(?:final|winner|score)|exchange\s+rate|time\s+zone|capital\s+of\s+\w+|population\s+of)\b(?!\s+(?:apps?|sites?|services?|widgets?))",
    r"\bwhat(?:'s|\s+is|\s+are)\s+.{0,30}\b(?:prices?|phone\s+number|email\s+address|hotline|worth)\b|\bhow\s+much\s+(?:is|are|was|were)\b|\bis\s+\w+(?:\s+\w+)?\s+(?:down|offline|closed)\W*(?:again|today|right\s+now)?\W*$|\b(?:stock|shares?)\s+a\s+(?:buy|sell)\b",
    r"\bwhen\s+(?:was|were|did|is|will)\b.{0,50}\b(?:invented|founded|born|discovered|built|established|die|died|released|launch(?:ed)?|go\s+public|ipo|happen(?:ed)?)\b",
    r"\bhow\s+(?:tall|far|deep|heavy|wide|hot|cold|rich)\s+(?:is|are|was|were)\b|\bhow\s+old\s+is\b|\bhow\s+many\s+(?:calories|people\s+live|users\s+(?:does|do|are|on)|countries\s+are\s+(?:in|there)|days\s+(?:in|until|till)|employees|"
    r"litres|liters|gallons|grams|units\s+(?:of\s+alcohol\s+)?(?:in|are)|planets|stars|legs)\b",
    r"\bwhere\s+(?:is|are|was|does|do|can)\b.{0,40}\b(?:headquarter\w*|located|born|buried|come\s+from|buy|eat|live|find\s+(?:a|the\s+(?:best|nearest)))\b",
    r"\bhow\s+(?:do|does|did|is|are|to|can|should)\s*(?:you|i|we|people|one|it|they|u)?\s+(?:brew|cook|bake|grow|distil|distill|ferment|roll|grill|fry|mix|clean|repair|fix|learn|lose\s+weight|quit|stop\s+smoking|sleep|dress|tie|draw|paint|play|win|knit"
    r"|make\s+(?:(?:an?|some|the|my|homemade)\s+)?(?!claims?\b|sure\b)(?:\w+\s+)?(?!claims?\b)\w+|work\s+out|file\s+(?:my\s+)?tax\w*|invest|trade|bet\s+on|pronounce|spell|feel)\b",
    r"\bhow\s+(?:do|does|did)\s+(?!i\b|we\b|you\b)(?:[\w'-]+\s+){1,3}(?:make\s+money|work|taste|happen|function)\b",
    r"\b(?:what|which|who)(?:'s|\s+is|\s+are)?\s+(?:the\s+|your\s+)?(?:best|cheapest|strongest|most\s+popular|tastiest|nicest|healthiest|safest)\b",
    r"\bwhat\s+does\b.{0,30}\b(?:taste|smell|feel)\s+like\b|\b(?:recipe\s+(?:for|of)|side\s+effects\s+of|symptoms\s+of|treatment\s+for|cure\s+for)\b",
    r"^\W*why\s+(?:do|does|is|are|did|was|were)\s+(?!(?:it|that|this|they|these|those|there|we|you|i|my|our)\b)\w+\s+\w+",
)
_LIFE = (
    r"\b(?:should|can|may|could)\s+(?:i|we|you|my\s+\w+|kids|children|people|dogs?|cats?)\s+(?:drink|eat|smoke|vape|drive|fly|travel|marry|swim|mix|invest|bet|gamble|work\s+from\s+home|leave\s+early)\b",
    r"\bis\s+it\s+(?:safe|healthy|bad|dangerous|normal|legal|illegal|rude|ok|okay)\s+(?:for\s+\w+\s+)?to\s+(?:drink|eat|smoke|vape|drive|take|mix|wear|gamble|bet|own|carry|grow|work|travel)\b",
    r"\b(?:vacation|annual\s+leave|day\s+off|pto|pay\s?day(?!\s*(?:loan|lend|advance))|payroll|pay\s?slips?|salar(?:y|ies)|expense\s+(?:reports?|claims?)|dress\s+code|my\s+(?:boss|manager|team|colleagues?|desk)|meeting\s+rooms?|parking\s+(?:space|spot)"
    r"|on\s+call\b|my\s+expenses|travel\s+costs|parental\s+leave|gift\s+policy|\bnda\b"
    r"|sick\s+(?:leave|days?)|overtime|laptops?|job\s+applica\w+|cvs?|job\s+interviews?|canteen|coffee\s+machine|business\s+trips?|travel\s+(?:booking|expenses?)|retention\s+schedule|our\s+office|the\s+office|onboarding|monday\s+meetings?)\b",
    r"\b(?:up\s+for\s+(?:lunch|drinks?|coffee|a\s+beer|dinner)|(?:so\s+)?(?:tired|bored|hungry|sick)\s+of|happy\s+birthday|good\s+night|how\s+was\s+your|what\s+time\s+is\s+it|what\s+day\s+is\s+it|what'?s\s+for\s+(?:lunch|dinner)|merry\s+christmas)\b",
)
_CODE = (
    r"\b(?:python|javascript|typescript|node\.?js|django|java|c\+\+|golang|rust|php|sql|postgres\w*|mysql|mongodb|regex|regular\s+expression|css|html\s+(?:tag|code|table|form)|div|git|github|gitlab|docker|kubernetes"
    r"|bash|powershell|linux|ubuntu|excel\s+formula|vlookup|pivot\s+tables?|pandas|numpy|react|json\s+(?:file|parser|schema)|csv\s+file|api\s+(?:endpoint|call|key)|stack\s?trace|null\s+pointer|segfault|compil(?:e|er)|recursion"
    r"|algorithm|big\s+o|unit\s+tests?|merge\s+conflict|vpn|wifi|router|printer|macbook|windows\s+\d+)\b",
)


def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in patterns), _FLAGS)


_DO, _BOT, _RESULTS, _USE, _WORLD, _LIVING, _PROGRAMS = map(
    _any, (_DONE, _OF_THE_BOT, _PERFORMANCE, _OPERATING, _FACTS, _LIFE, _CODE)
)
_SHOWN = re.compile(
    r"\b(?:images?|pictures?|pics?|photos?|videos?|scenes?|visuals?|clips?|thumbnails?|audiences?|viewers?|shown|claims?|copy|pages?|posts?|users?)\b",
    _FLAGS,
)
"""Words of what an ad is made of, and of who sees it."""

_POINTS = re.compile(r"\b(?:it|that|this|they|them|these|those|there)\b", _FLAGS)
"""Such a word may stand for what was said before: then it is no question about the world."""


def is_for_others(text: str, *, names_platform: bool) -> bool:
    """Whether `text` asks for something that no policy has: work, a fact of the world, an opinion, a how-to."""
    if _DO.search(text) or _BOT.search(text):
        return True
    of_ads = bool(ADVERTISING.search(text))
    if _LIVING.search(text) and not (of_ads or names_platform or _SHOWN.search(text)):
        return True
    if RULES.search(_without_courtesy(text)):
        return False
    if _RESULTS.search(text) or _USE.search(text):
        return True
    if of_ads or (_SHOWN.search(text) and not names_platform):
        return False
    return (_WORLD.search(text) is not None and not _POINTS.search(text)) or (
        bool(_PROGRAMS.search(text)) and not names_platform
    )


def _without_courtesy(text: str) -> str:
    """Without the words that look like rules and are none: "ok, good night", "i need"."""
    return re.sub(
        r"^\W*(?:(?:ok|okay|fine|lol)\b[\s,]*)+|\bi\s+need\b|,?\s*(?:ok|okay|fine)\W*$", " ", text, flags=_FLAGS
    )
