"""Talk among people, as far as its words tell: courtesies, what is said to somebody, and about the work itself."""

import re

_I = re.IGNORECASE

_COURTESY = re.compile(
    r"(?:(?:hi|hello|hey|hiya|good\s+(?:morning|afternoon|evening)|thanks?(?:\s+(?:you|a\s+lot|so\s+much|again|team|all|everyone|both|man|mate))*|thank\s+you"
    r"(?:\s+(?:so\s+much|very\s+much|all))*|many\s+thanks|thx|ty|cheers|great|cool|nice(?:\s+one)?|perfect|awesome|excellent|super|brilliant|amazing|wow|ok(?:ay)?|k|got\s+it"
    r"|understood|noted|will\s+do|makes?\s+sense|sounds?\s+good|good\s+(?:point|catch|to\s+know|bot|question|idea)|fair(?:\s+(?:enough|point))?|exactly|agreed?|right|true|indeed"
    r"|same\s+here|same|me\s+too|lol|haha+|hehe|lmao|oops|sorry|my\s+bad|no\s+(?:worries|problem|rush)|never\s?mind|yes|yep|yeah|yup|no|nope|nah|sure|of\s+course|done|on\s+it"
    r"|bye|see\s+you|well\s+done|congrats|welcome|you'?re\s+welcome|np|hm+|uh+|um+|oh|ah|aha|interesting|fun|funny|wild|crazy|really|seriously|huh|what|wait(?:\s+what)?|eh"
    r"|please|there|all|team|everyone|guys|folks|bot|then|now|today|so\s+much|a\s+lot|for\s+(?:that|this|now|the\s+(?:info|help|answer|quick\s+(?:reply|answer)))|very|helpful"
    r"|useful|this\s+is|that'?s|that\s+(?:is|was|helps?)|it'?s|\+1|and|but|so)[\s,.!?;:)(-]*)+",
    _I,
)  # fmt: skip


def is_courtesy(text: str) -> bool:
    """Nothing but thanks, agreement, surprise; nothing at all, as well."""
    return not text.strip() or _COURTESY.fullmatch(text.strip()) is not None or not any(each.isalnum() for each in text)


_OPENING = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks?(?:\s+(?:you|a\s+lot|so\s+much))?|thank\s+you|thx|great|cool|nice|perfect|got\s+it|understood|hm+|good\s+to\s+know|interesting|i\s+see|alright"
    r"|right|sorry|oh|ah|yes|yeah|no|wait|hi|hello|hey|one\s+more(?:\s+(?:thing|question))?|quick\s+(?:question|one|follow-?up)|follow-?up(?:\s+question)?|another\s+(?:one|question)"
    r"|question|just\s+to\s+be\s+sure|to\s+be\s+clear|makes\s+sense|fair\s+enough|sounds\s+good)[\s,.!:;\u2013\u2014-]+)+(?=\w)",
    _I,
)  # fmt: skip


def without_opening(text: str) -> str:
    """Without the courtesies with which people begin a question."""
    return _OPENING.sub("", text)


_TEAM = (
    r"(?:client|customer\s+success|boss|ceo|cmo|cfo|coo|manager|lawyers?|counsel|colleagues?|agency|designers?|developers?|engineers?|team(?!s\b)|everyone|everybody|anyone|anybody"
    r"|someone|somebody|nobody|no\s+one|guys|folks|people\s+here|account\s+(?:manager|rep)|rep|vendor|intern|sales|finance\s+team|compliance(?:\s+team)?|marketing\s+(?:team|lead)|product\s+team)"
)
_NAME = (
    r"(?!(?:And|Or|But|So|Also|Ok|Okay|What|Which|Who|How|When|Where|Why|Is|Are|Was|Were|Do|Does|Did|Can|Could|May|Will|Would|Should|Must|In|On|For|With|Without|Since|As|If|Thanks|Thank"
    r"|Great|Hi|Hello|Hey|Yes|No|Hmm?|Then|Only|Even|Same|Plus|Sorry|Wait|Right|Cool|Nice|Perfect|Quick|Question|Now|Well|Actually|Btw|Fyi|Understood|Alright|Interesting|Until|From|Under)\b)"
    r"[A-Z][a-z]{2,}"
)
_TALK = (
    # said to somebody
    re.compile(rf"^(?:(?:hi|hello|hey|thanks|thank\s+you|ok(?:ay)?|morning|sorry)[\s,]+)?(?:{_TEAM}|all)\b\s*[,:!-]", _I),
    re.compile(rf"^(?:(?:[Hh]i|[Hh]ello|[Hh]ey|[Tt]hanks|[Oo]k(?:ay)?|[Ss]orry|[Mm]orning)[\s,]+){_NAME}\b(?!\s+(?:ads?|rules?|polic))"),
    re.compile(rf"^{_NAME}\s*[,:]\s+(?:can|could|would|will|do|did|have|are|were|please|pls|what|when|where|any|how|is|i|we|thoughts)\b"),
    re.compile(r"[,]\s+(?:mate|man|dude|guys|folks|team|buddy|boss)\s*\?*$"),
    re.compile(
        r"\b(?:can|could|would|will|did|do|have|are|were|should|may|might|won'?t|can'?t|didn'?t|don'?t|haven'?t|aren'?t)\s+(?:you|u|ya)\b"
        r"(?!\s+(?:advertise|promote|target|be\s+allowed|legally|actually\s+advertise|need\s+(?:an?|any|to\s+(?:show|have|be\s+certified))\s))",
        _I,
    ),
    re.compile(r"\b(?:your|yours|you\s+(?:guys|all|think|mean|sure|want|know|there|two|both)|thoughts|wdyt|opinions?|y'?all|let'?s|shall\s+we|ping\s+me|dm\s+me|tell\s+me\s+when|remind)\b", _I),
    re.compile(r"\b(?:how|what)\s+about\s+(?:we|you|i|us|me|him|her|them|(?-i:" + _NAME + r")'s)\b|\band\s+(?:you|him|her|me|us)\s*\?*$", _I),
    # about somebody
    re.compile(rf"\b(?:the|our|my|their|a|an)\s+(?:\w+\s+)?{_TEAM}\b|\b{_TEAM}\b\s+(?:say|said|says|think|know|ok|approve|want|need|ask|confirm|sign|agree|happy|here|else)|\b(?:does|did|has|is|can|could|will)\s+{_TEAM}\b", _I),
    re.compile(r"\b(?:from|by|with|ask(?:ed|ing)?|told|tell|to|via|loop(?:ed|ing)?\s+in|at|check\w*\s+with)\s+legal\b(?!\s+(?:age|drinking|rules?|requirements?|ways?|limits?|text|notice|reasons?))", _I),
    re.compile(r"\b(?:did|does|has|will|is|can|would|should|when\s+(?:will|does|did)|what\s+(?:did|does|do|will|would))\s+legal\s+\w+|\blegal(?:'s)?\s+(?:said|says|say|team|sign\w*|approv\w+|think|thinks|confirm\w*|feedback|review\w*|ok)\b", _I),
    re.compile(r"\b(?:he|she|him|his|hers|i'?m|i'?ll|i'?ve|i'?d|we'?ll|we'?ve|we'?re|we'?d|they'?ll|they'?ve|they'?re)\b", _I),
    re.compile(r"^(?:and\s+|so\s+|but\s+)?(?:who(?:'s|se|\s+(?!says\b|said\b|may\b|can\s+(?:be|see)\b|counts\b|is\s+(?:allowed|considered)\b))|when\s+(?:do|did|will|can|should|are|were|is\s+(?:the|our|your))\s+(?:we|i|our|the)\b|(?:did|have|had|were|didn'?t|haven'?t|weren'?t)\s+(?:we|i)\b)", _I),
    re.compile(r"\b(?:why|when|where|how|what)\s+(?:did|were|have|had)\s+(?:we|i)\b", _I),
    # about the work itself
    re.compile(
        r"\b(?:meetings?|calls?\s+(?:with|at|on|tomorrow|today)|(?:a|the|our|quick)\s+call|lunch|coffee|beers\s+(?:after|tonight)|drinks\s+(?:after|tonight)|standup|stand-up|sync|deck|slides?|spreadsheet|google\s+docs?"
        r"|jira|tickets?|e-?mails?\s+(?:from|to|thread)|forward\w*|zoom|calendar|invites?|agenda|deadline|budget|invoice|sprint|backlog|screenshots?|pto|access\s+to|vacation|holiday\s+(?:plans|request)|office|weekend|offsite|at\s+the\s+party|from\s+home|afford"
        r"|lunch|dinner|friday\s+(?:beers|drinks)|onboarding|hiring|salary|wfh|brief(?:ing)?\b(?!\s+text)|figma|dropbox|confluence|asana|trello|notion|excel|pdf|eta|eod|asap|signed?\s+off|sign-off|go\s+live|going\s+live|launch(?:ing|ed)?"
        r"|ship(?:ping)?\s+(?:it|this|today|tomorrow)|roll\s?out|kick-?off|revert|reschedul\w+|postpon\w+|escalat\w+|approved\s+(?:it|this|the)|feedback|final\s+version|version\s+\d|v\d\b|mock-?ups?|drafts?)\b",
        _I,
    ),
    re.compile(r"\b(?:are|is)\s+(?:the|this|that|our|my)\s+(?:headlines?|images?|copy|texts?|creatives?|designs?|banners?|wordings?|tones?|videos?|visuals?|bot|thing|app|answer|slogan|logo)\s+(?:\w+\s+)?(?:ok(?:ay)?|fine|good|better|final|approved|ready|done|right|wrong|broken|nice|too\s+\w+|live|working|down|up|there|saying)\b", _I),
    re.compile(r"\b(?:can|should|could|may|might|will|do|would|must|shall)\s+(?:we|i|they)\s+(?:\w+ly\s+|just\s+|still\s+|also\s+|maybe\s+|please\s+|then\s+|all\s+)?(?:talk|meet|call|discuss|sync|chat|move|schedule|check|ask|wait|loop|pause|resume|spend|increase|test|create|launch|open|run\s+(?:this|it|that)\s+(?:by|past)|get(?!\s+(?:certified|approv\w+|whitelisted|permission|an?\s+licen[cs]e))|go|push|tell|wrap|close|start|stop|finish|decide|agree|know|have|send|share|join|leave|split|swap|take|book|order|find|bring|add\s+(?:you|him|her|this\s+to)|try|look|think|work|trust|believe|rely|see|really|drop|skip|forget|keep|make|put|update|set|do|want|care|plan|assume|need\s+(?:to\s+(?:talk|ask|meet|wait|decide|tell|discuss|check|do|update|change|redo|fix|rush|worry|panic)|more\s+time|help|you|this|that|it|another|someone))\b", _I),
    re.compile(r"\b(?:do|does)\s+(?:we|i|they)\s+have\s+(?!to\b)", _I),
    re.compile(r"\b(?:should|shall)\s+(?:i|we)\s*\?*$|\b(?:ok|okay|fine|good|works?)\s+(?:for|with)\s+(?:you|everyone|all|me|us|now|today)\b", _I),
    re.compile(r"\b\d{1,2}(?::\d{2})?\s?(?:am|pm|o'?clock)\b|\bat\s+\d{1,2}(?::\d{2})?\b(?!\s*%)|\b\d{1,2}:\d{2}\b(?!\s*(?:ratio|video))", _I),
    re.compile(r"\b(?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next\s+(?:week|month|quarter|sprint)|this\s+(?:afternoon|morning|evening|week)|later|soon|in\s+(?:an?|\d+|five|ten)\s+(?:minutes?|mins?|hours?))\b", _I),
    re.compile(r"\b(?:isn'?t\s+it|right|no|correct|yeah|huh|innit|don'?t\s+you\s+think|am\s+i\s+right)\s*\?+$|\b(?:weird|insane|ridiculous|stupid|crap|shit|fuck|damn|wtf|omg|lol|haha+|joke|kidding|hate|love|funny|annoying|silly)\b", _I),
    re.compile(r"^(?:i|we)\s+(?!(?:can|may)\b)\w+|^(?:maybe|perhaps|probably|apparently|honestly|imo|imho|fyi|btw|nvm|tbh|guess|fwiw)\b", _I),
    re.compile(r"\b(?:is|are|was|were|why\s+(?:is|are|was|were))\s+(?:the|our|my|this|that|those|these)\s+(?:\w+\s+)?(?:ads?|accounts?|campaigns?|creatives?|videos?)\s+(?:still\s+|already\s+|now\s+)?(?:rejected|disapproved|approved|live|paused|running|suspended|under|up|down|stuck|on|off|delivering|performing|banned\s+again)\b|\bjust\s+me\b|\binternally\b", _I),
    re.compile(r"\b(?:last|bot'?s?|previous)\s+(?:answer|reply|message)|\b(?:this|the|that|our)\s+(?:bot|thread|channel|chat)\b", _I),
    re.compile(r"https?://\S+\s*$", _I),
)  # fmt: skip


def is_talk(text: str) -> bool:
    """Whether it is said to somebody, about somebody of the team, or about the work itself."""
    return is_courtesy(text) or any(each.search(text) for each in _TALK)
