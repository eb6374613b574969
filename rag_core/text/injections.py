"""Text in a document that speaks to whoever reads it for others: a machine. It is no rule, whatever it says.

A policy speaks to advertisers, of ads. What names an assistant as its reader, says what to answer, sets itself above
other rules of the page, or is written in the form of a prompt or of a reply, is no part of it. From such a sentence on,
a paragraph is not believed: what follows was written with it. What stands before it stays, or a line added to a ban
would lift it.
"""

import re
import unicodedata
from functools import lru_cache

from rag_core.layout import Block, BlockKind, read_blocks
from rag_core.sentences import sentence_spans

_LETTERS = str.maketrans("аеорсухіѕјԁһкмтвніαοεν", "aeopcyxisjdhkmtbhiaoev")
"""Letters of other alphabets that look like Latin ones."""
_MIXED = re.compile(
    r"[A-Za-z][аеорсухіѕјԁһАВЕКМНОРСТУХІΑΒΕΖΗΙΚΜΝΟΡΤΧο]|[аеорсухіѕјԁһАВЕКМНОРСТУХІΑΒΕΖΗΙΚΜΝΟΡΤΧο][A-Za-z]"
)
"""Look-alikes within one word hide it from a search, and from nobody who reads it."""

_KIND = r"(?:(?:ai|chat|virtual|digital|voice|automated|policy)[\s-]+)*"
_ANSWERER = (
    rf"(?:{_KIND}assistants?|ais?\b(?!\s+\w+\s+ads?\b)|{_KIND}chat\s?bots?|{_KIND}bots?|llms?|gpts?|chatgpt|(?:large\s+)?language\s+models?"
    r"|ai\s+(?:models?|agents?|systems?|readers?)|summari[sz]ers?|(?:machine|automated)\s+readers?"
    r"|answer(?:ing)?\s+(?:engines?|systems?|bots?))"
)
_A_FIRM = r"(?!\s+(?:compan|develop|provid|vendor|start-?up|advertis|sell|business|firm|servic|platform|tool|product))"
_ADDRESSED = (
    r"\b(?:notes?|notices?|messages?|instructions?|memo|reminder|attention|hints?|dear|hey|hello|meant|written|intended|addressed)\s*,?:?\s*"
    rf"(?:(?:to|for|at)\s+)?(?:the\s+|all\s+|any\s+|every\s+|our\s+|an?\s+)?{_ANSWERER}\b{_A_FIRM}",
    r"\(\s*(?:only\s+)?(?:to|for)\s+(?:the\s+|all\s+|any\s+)?(?:[\w-]+\s+){0,2}(?:assistants|language\s+models|llms|summari[sz]ers)\s*\)",
    r"\b(?:whoever|whatever|anyone|anybody|anything|everyone)\s+(?:who\s+|that\s+)?(?:is\s+)?(?:summari[sz]\w+|answer(?:s|ing)\b|quot(?:es|ing)\b|pars(?:es|ing)\b"
    r"|index(?:es|ing)\b|retriev(?:es|ing)\b)",
    r"^\W*(?:system|assistant)\s*(?:message|prompt|note|override)?\s*:",
    rf"\byou\s+are\s+(?:now\s+)?(?:an?\s+|the\s+)?(?:helpful\s+)?{_ANSWERER}\b{_A_FIRM}|\bas\s+an?\s+(?:ai|(?:large\s+)?language\s+model|ai\s+assistant)\s*,",
    rf"\b(?:{_ANSWERER}|models|readers?|reviewers?|summaries)\s+(?:should|must|shall|will|have\s+to|are\s+to|need\s+to|can|please)\s+"
    r"(?:always\s+|only\s+|also\s+|now\s+|simply\s+|then\s+)?(?:quote|cite|decode|obey|(?:answer|reply|respond|conclude)\s+(?:that\b|with\b|only\b|yes\b|no\b|[\"'“‘]))",
    r"\b(?:reviewers?|readers?|please)\s+decode\b|\bdecode\s+(?:and\s+(?:follow|obey|execute|do|run)|this|the\s+following)\b",
)
_ORDERS = (
    r"\b(?:ignore|disregard|forget|overrule|override|bypass|discard)\s+(?:(?:all|any|every|each|the|this|that|these|those|your|my|of|"
    r"other|previous|prior|earlier|older|old|above|preceding|following|former|existing|system)\s+)+"
    r"(?:[\w-]+\s+){0,2}?(?:instructions?|rules?|lines?|text|prompts?|polic(?:y|ies)|sentences?|paragraphs?|sections?|context|documents?|"
    r"guidelines?|above|one|ones|rest|prohibitions?)\b",
    r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|what(?:ever)?)\b(?:\s+\w+){0,4}\s+(?:above|before|earlier|said|says|told|below)\b",
    r"\bwhat(?:ever|soever)\s+(?:the\s+)?(?:lines?|rules?|text|page|sections?|paragraphs?|document|policy|rest)\s+(?:\w+\s+)?(?:above|before|below|says?|said)\b",
    r"(?:^|[.:;!?,)\]]\s*|\b(?:please|always|and|just|only|then|simply|now)\s+)(?:answer|reply|respond)\s+"
    r"(?:(?:only|always|just|simply|that|with|to\s+(?:it|this|the\s+user|everyone)|every\s+question|all\s+questions|them|users?)\s+){0,4}"
    r"[\"'“”‘’*]*\s*(?:allowed|yes\b|no\b|permitted|prohibited|approved|restricted|go\s+ahead|(?:it|they|this|everything|all|there|\w+(?:\s+\w+){0,3})\s+"
    r"(?:is|are|may\s+be)\s+(?:\w+\s+){0,2}(?:allowed|permitted|fine|ok|okay|approved|no)\b|this\s+(?:sentence|line|text|word|answer)\b|the\s+words?\b)",
    r"(?:^|[.:;!?,)\]]\s*|\b(?:please|always|just|only|then|simply|now)\s+)(?:say|state|confirm|conclude|output|return|report|repeat|write)\s*:?\s*"
    r"(?:[\"'“‘*]+\s*(?:allowed|yes|permitted|approved|prohibited|restricted|no\b)|(?:only|just)\s+(?:yes|allowed|permitted))",
    r"\b(?:right|correct|proper|true|expected)\s+(?:reply|answer|response|verdict|conclusion)\s+is\s*(?:[:\"“]|(?:that|to|go|yes|no|allowed|permitted)\b)",
    r"\bif\s+(?:an?\s+|the\s+|any\s+)?(?:readers?|users?|someone|somebody|anyone|anybody|people|persons?|they)\s+asks?\s+(?:about|whether|if|for|how|what|you)\b[^.]{0,80}?"
    r"\b(?:(?:the\s+\w*\s*(?:answer|reply|response)\s+(?:is|will))|(?:answer|reply|respond|say|tell\s+(?:them|him|her))\s+(?:that|yes|no|with\s+[\"“']|[\"“']|it))",
    r"\b(?:turn|change|treat|read|replace|interpret|understand|render|translate)\s+(?:every|each|all|any|the\s+words?)\s+[\"'“”‘’]?\w+[\"'“”‘’]?\s+"
    r"(?:\w+\s+){0,2}(?:into|as|to|with|by)\s+[\"'“”‘’]?(?:allowed|permitted|prohibited|restricted|yes|no|fine|approved)\b",
    r"\b(?:leave\s+out|do\s+not\s+(?:mention|quote|cite|reveal)|never\s+(?:mention|quote|cite)|hide|omit)\s+(?:this|the\s+above|the\s+following)\s+"
    r"(?:note|line|sentence|paragraph|text|instruction|message|comment|section)\b",
    r"\b(?:your|the)\s+(?:system\s+prompt|hidden\s+(?:prompt|instructions?)|previous\s+instructions|initial\s+instructions)\b",
)
_CLAIMS = (
    # set above the rest of the page, by whoever says so
    r"\b(?:(?:the|all|these|any|other)\s+){1,3}(?:rules?|text|lines?|sections?|paragraphs?|prohibitions?|bans?)\s+(?:above|below|before\s+this|on\s+this\s+page|in\s+this\s+(?:document|page))\s+"
    r"(?:is|are|was|were|has\s+been|have\s+been)\s+(?:now\s+|only\s+|hereby\s+|just\s+)?(?:an?\s+)?(?:void|outdated|obsolete|invalid|wrong|tests?|jokes?|lifted|waived|cancelled|no\s+longer\s+valid|suspended|a\s+draft)\b",
    r"\b(?:as|i\s+am|we\s+are)\s+(?:the\s+)?(?:policy|document|page)\s+(?:owners?|authors?)\b.{0,60}\b(?:waive|allow|permit|override|approve|confirm)",
    r"\b(?:operators?|owners?|developers?|makers?|creators?|admin\w*)\s+of\s+(?:this|the)\s+(?:bot|chatbot|assistant|language\s+model)\b",
    r"\boverrid(?:e|ing)\s+codes?\b|\b(?:chat)?bots?\s+(?:must|should|shall|will|have\s+to)\s+(?:always\s+)?(?:show|say|repeat|print|quote|reveal)\s+"
    r"(?:this|the\s+(?:code|text|line|message|words?|sentence))\b",
    r"\b(?:developer|debug|admin|god|jailbreak)\s+mode\b|\bjailbreak\b|\bprompt\s+injection\b",
    r"\b(?:when|if|once)\s+(?:you\s+are\s+)?asked\s+(?:about|whether|if|for|which|what)\b[^.]{0,80}?\b(?:answer|reply|respond|say)\s+(?:(?:that|with|yes|no|they|it)\b|[\"'“‘])",
    r"\b(?:users?|readers?|people|anyone|whoever)\s+(?:who\s+)?ask(?:s|ing)?\s+(?:about|for|whether)\b[^.]{0,60}\b(?:is|are|should\s+be|must\s+be)\s+(?:told|answered|informed)\s+(?:(?:that|yes|no)\b|[\"'“‘])",
    r"\b(?:begin|start|end|finish|close)\s+(?:your|the|every|each|any)\s+(?:answers?|repl(?:y|ies)|responses?|messages?|output)\s+with\b|\bend\s+with\s+the\s+words?\b",
    r"\b(?:include|add|insert|put|mention)\s+(?:this|the\s+following|these)\s+(?:link|sentence|word|text|line|url)s?\s+(?:in|to|at\s+the\s+end\s+of)\s+(?:your|the|every|each)\s+(?:answers?|repl\w+|responses?|output)\b",
    r"\btell\s+(?:the|every|all|each|any)\s+(?:users?|readers?|askers?|people|customers?)\s+(?:that|to|who\s+asks?)\b.{0,80}\b(?:allowed|permitted|fine|ok|approved|no\s+(?:rules?|restrictions?|limits?))\b",
    r"\b(?:trust|use|believe|quote|cite|read)\s+only\s+this\s+(?:document|page|line|sentence|section|paragraph|text)\b|\b(?:print|reveal|output|show|send)\s+(?:the\s+|your\s+|all\s+)+(?:system\s+)?(?:prompts?|instructions|api\s+keys?|secrets?|passwords?|environment)\b",
)
_FORMS = (
    r"\[/?doc\s?\d+\]|\[source:|\[rule\s[\d.]+\]\s*\[|\(context:",
    r"</?\s*(?:context|system|assistant|instructions?|prompt)\s*>|</\s*(?:answer|question|user|document|policy)\s*>",
    r"<\|[\w ]+\|>|\[/?inst\]|<</?sys>>|^\W*#{2,}\s*(?:instruction|response|system|assistant)\b",
    r"[\"']\s*(?:verdict|kind|role|content|answer|tool|function)[\"']\s*:\s*[\"'\[{]",
    r"-{3,}\s*(?:begin|end|start)\b[^-]{0,20}\b(?:document|context|prompt|policy|system|instructions|conversation)\b|\bend\s+of\s+(?:the\s+)?(?:context|prompt)\b",
    r"\bverdict(?:\s+for\s+[^:.]{1,60})?\s*[:=]\s*[\"'*]*(?:allowed|prohibited|restricted|permitted|none)\b|\bconfidence(?:\s+score)?\s*[:=]\s*\d",
    r"\b(?:user|human)\s*:\s[^\n]{0,300}\b(?:assistant|ai|bot)\s*:\s",
    # a turn of a conversation: a person who asks, thanks or begs
    r"^\W*(?:user|human|customer)\s*:\s(?:[^\n]{0,200}\?|(?:thanks?|thank\s+you|please|ok(?:ay)?|great|hi|hello)\b)",
    # what chat platforms take for a call to people
    r"<!(?:channel|here|everyone|subteam)\b[^>]*>|(?<![\w.])@(?:everyone|channel|here)\b|<@[UWB][A-Z0-9]{5,}>|<at\b[^>]*>",
)
_WRITTEN = (
    # bytes as letters, which nobody reads
    r"(?<![\w/=.:%-])(?=[A-Za-z+/]*\d)(?=[A-Za-z\d+/]*[a-z])(?=[a-z\d+/]*[A-Z])[A-Za-z\d+/]{24,}=",
    # a quotation with its source, and nothing else: said elsewhere, or nowhere
    r"^\W{0,3}[\"“][^\"“”]{5,300}[\"”]\s*\([^()]*\b(?:rule|policy|version|section|clause)\b[^()]*\)\W*$",
)
_ELSEWHERE = (
    # German, French, Spanish, Portuguese, Italian, Dutch, Polish: a note to the assistant, what to answer
    r"\b(?:hinweis|anweisung|nachricht|notiz|note|consigne|instruction|message|nota|instrucci[oó]n|mensaje|aviso|instru[cç][aã]o|mensagem|"
    r"istruzione|messaggio|opmerking|instructie|bericht|uwaga|instrukcja|wiadomo[sś][cć])\w{0,3}\s+(?:an|f[uü]r|[aà]|pour|para|al|ao|per|voor|aan|dla|do)\s*"
    r"(?:den|die|das|alle|l['’]|le|la|les|el|los|il|gli|de|het|o|os|todos|tous|tutti|wszystkich)?\s*\w*(?:assistent|assistant|asistente|asystent|chatbot|modell|mod[eè]l|ki\b|ia\b|ai\b|bot)",
    r"\b(?:antworte|antworten\s+sie|r[eé]pond(?:s|ez)|respond[ae](?:n|m)?|responda|rispondi|rispondete|antwoord|odpowiedz|odpowiadaj)\s+"
    r"(?:immer|stets|nur|toujours|seulement|siempre|s[oó]lo|sempre|apenas|solo|altijd|alleen|zawsze|tylko|mit|avec|con|com|met|dass|que|che|dat|[zż]e)\b",
    r"\b(?:ignorier(?:e|en\s+sie)|ignorez|ignora|ignorad|negeer|zignoruj|ignoruj)\s+(?:alle|die|das|toutes?|tous|les|todas?|todos|las?|los|tutt[ei]|le|de|het|wszystkie)\b",
    # Russian, Chinese, Japanese, Korean, Arabic
    r"игнорируй|инструкци\w+\s+для|ассистент|ответь|отвечай|忽略|无视|助手|人工智能|アシスタント|無視|指示|어시스턴트|무시|تجاهل|المساعد",
)
_SUSPECT = re.compile(
    "|".join(f"(?:{each})" for each in (*_ADDRESSED, *_ORDERS, *_CLAIMS, *_FORMS, *_ELSEWHERE)), re.IGNORECASE
)
_EXACT = re.compile("|".join(f"(?:{each})" for each in _WRITTEN))


_BEGINNINGS = frozenset(
    """
    above add addre admin ai ais answe antwo anwei anybo anyon anyth ask asks assis atten autho aviso begin
    belie below beric bot bots bypas chang chatb chatg cite close concl confi consi conte dear debug decod devel
    disca disre doc engin every finis forge god gpt gpts hello hey hide hint hints hinwe human ignor inclu inser
    inst instr inten inter istru jailb kind langu leave llm llms machi meant memo mensa menti messa model nachr
    negee nota note notes notic notiz odpow omit opmer outpu overr owner print promp put quote read reade remin
    rende repea repla reply repon repor respo retur revea revie rispo role répon say send sourc start state
    summa syste tell trans treat trust turn under user users uwaga verdi void whate whats whoev wiado write
    zigno
    """.split()
)
_WORD = re.compile(r"[^\W\d_]+")
_OTHER_SIGNS = re.compile(r"[<\[\u0370-\u1fff\u2e80-\ud7ff]|-{3}|\w{24}|^\W{0,3}[\"“]")


@lru_cache(maxsize=20_000)
def speaks_to_machines(text: str) -> bool:
    """Whether a paragraph, list item or table row is addressed to whoever answers from it, not to advertisers."""
    seen = _seen(text)
    if not _may_be_suspect(seen):
        return False
    if _MIXED.search(seen) or _EXACT.search(seen) or _SUSPECT.search(seen):
        return True
    plain = seen.translate(_LETTERS)
    return plain != seen and _SUSPECT.search(plain) is not None


def believed(text: str) -> str:
    """The beginning of a paragraph up to the first sentence that speaks to machines."""
    if not speaks_to_machines(text):
        return text
    for start, end in sentence_spans(text):
        if speaks_to_machines(text[start:end]):
            return text[:start].rstrip()
    return ""


def believed_of(block: Block) -> str:
    """What a block says without what speaks to machines: of a paragraph its beginning may stay, of an item or a row
    nothing."""
    said = believed(block.text)
    return said if said == block.text or block.kind is BlockKind.PARAGRAPH else ""


def believed_lines(text: str) -> str:
    """A chunk without what speaks to machines, block by block."""
    kept, position = "", 0
    for block in read_blocks(text):
        said = believed_of(block)
        if said == block.text:
            continue
        begin, end = text.rfind("\n", 0, block.start) + 1, text.find("\n", block.end)
        end = len(text) if end < 0 else end
        kept += text[position:begin]
        position = end + 1
        if said:
            kept += f"{text[begin : block.start]}{said}\n"
    return (kept + text[position:]).strip("\n") if position else text


def is_believed_at(text: str, start: int, end: int) -> bool:
    """Whether nothing of a chunk's `text[start:end]` speaks to machines or stands behind what does."""
    return all(
        (said := believed_of(block)) == block.text or bool(said and end <= block.start + len(said))
        for block in read_blocks(text)
        if block.start < end and start < block.end
    )


def first_believed(text: str) -> int:
    """Where the first line begins that does not speak to machines; 0 if all do."""
    position = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not speaks_to_machines(line):
            return position
        position += len(line)
    return 0


def believed_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Between which offsets a quote of `text[start:end]` may grow: up to the next lines that speak to machines."""
    first, last, position = 0, len(text), 0
    for line in text.splitlines(keepends=True):
        following = position + len(line)
        if speaks_to_machines(line):
            doubtful = position + len(believed(line.strip()))
            if doubtful >= end:
                last = min(last, doubtful)
            elif following <= start:
                first = following
        position = following
    return first + len(text[first:start]) - len(text[first:start].lstrip()), last


def _may_be_suspect(text: str) -> bool:
    """Whether it has any of the words or signs that every suspect text has: most text has none, and is read sooner."""
    return bool(_OTHER_SIGNS.search(text)) or any(word[:5] in _BEGINNINGS for word in _WORD.findall(text.lower()))


def _seen(text: str) -> str:
    """As people see it: without letters of no width, in one form, on one line."""
    shown = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    return " ".join(shown.split())
