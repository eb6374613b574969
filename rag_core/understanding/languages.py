"""Is a question written in English? By its script and its everyday words, without a model.

Made for short questions with foreign names in them: "can we advertise Bière d'Alsace in Île-de-France" is English.
A question counts as foreign only on evidence, so that an unusual English one is answered.
"""

import re
from collections.abc import Iterable

from rag_core.understanding.thesaurus import entry_of, stems_of_phrase
from rag_core.understanding.words import ASKING_WORDS, STOP_WORDS
from rag_core.vocabulary import table_of

ENGLISH = "en"
UNTOLD = "und"
"""ISO 639-3 for a language that is not told."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SCRIPTS = {
    "ru": r"Ѐ-ԯ", "el": r"Ͱ-Ͽἀ-῿", "ar": r"؀-ۿݐ-ݿ", "he": r"֐-׿",
    "hi": r"ऀ-ॿ", "bn": r"ঀ-৿", "ta": r"஀-௿", "te": r"ఀ-౿", "th": r"฀-๿",
    "ka": r"Ⴀ-ჿ", "hy": r"԰-֏", "ko": r"ᄀ-ᇿ가-힯", "ja": r"぀-ヿ",
    "zh": r"㐀-䶿一-鿿",
}  # fmt: skip
_IN_SCRIPT = {language: re.compile(f"[{letters}]") for language, letters in _SCRIPTS.items()}
_UKRAINIAN = re.compile(r"[іїєґ]", re.IGNORECASE)
_PERSIAN = re.compile(r"[پچژگ]")
_MARKS = {"de": "ßü", "es": "¿¡ñ", "pl": "łśżźćęą", "tr": "ğışİ", "pt": "ãõ", "cs": "řůěč", "hu": "őű", "ro": "țșă",
          "vi": "ơưđạ", "sv": "å", "da": "ø", "no": "ø"}  # fmt: skip

_ENOUGH_ALONE = 1.3
"""What one word of a language and a second one that may be English count, where no English word is by."""


FOREIGN = {language: frozenset(words.split()) for language, words in table_of("languages").items()}
ALSO_ENGLISH = FOREIGN.pop("english")
_ENGLISH_WORDS = frozenset(STOP_WORDS | ASKING_WORDS)


def language_of(text: str) -> str:
    """ISO 639-1 of the language of a question, "und" for a script whose language is not told; "en" in doubt."""
    letters = sum(each.isalpha() for each in text)
    for language, pattern in _IN_SCRIPT.items():
        count = len(pattern.findall(text))
        if count * 2 > letters:
            return _of_script(language, text)
    if (
        letters
        and sum(each.isalpha() and ord(each) > 0x24F and not 0x1E00 <= ord(each) <= 0x1EFF for each in text) * 2
        > letters
    ):
        return UNTOLD
    return _of_words([match[0].lower().replace("’", "'") for match in _WORD.finditer(text)], text)


def _of_script(language: str, text: str) -> str:
    if language == "zh" and _IN_SCRIPT["ja"].search(text):
        return "ja"
    if language == "ru" and _UKRAINIAN.search(text):
        return "uk"
    return "fa" if language == "ar" and _PERSIAN.search(text) else language


def _of_words(words: list[str], text: str) -> str:
    """The language whose own words are more than one and outnumber the English ones; else English.

    A word of the trade ("casino", "CBD") and a name are no evidence for either.
    """
    english = sum(_is_english(word) for word in words)
    scores = {language: _score(known, words) for language, known in FOREIGN.items()}
    best = max(scores, key=lambda language: (scores[language], _marks(language, text)))
    needed = 2.0 if english else _ENOUGH_ALONE
    if "¿" in text or "¡" in text:
        return "es"
    return best if scores[best] >= needed and scores[best] > english else ENGLISH


def _score(known: Iterable[str], words: list[str]) -> float:
    """Words that only this language has count whole; those that look English, too, a third: only beside others."""
    own = [word for word in words if word in known]
    plain = sum(word not in ALSO_ENGLISH and word not in _ENGLISH_WORDS for word in own)
    return plain + (len(own) - plain) / 3 if plain else 0.0


def _is_english(word: str) -> bool:
    if word in ALSO_ENGLISH and any(word in known for known in FOREIGN.values()):
        return False
    return word in _ENGLISH_WORDS or (len(word) > 3 and entry_of(stems_of_phrase(word)) is not None and word.isascii())


def _marks(language: str, text: str) -> int:
    return sum(text.lower().count(each) for each in _MARKS.get(language, ""))
