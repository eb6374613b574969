"""What was judged, as examples to learn from: see `data/README.md` for the files."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ops.training.documents import DATA, TrainingDocument, TrainingRule, document
from rag_core.rules.reader import AskedText, Effect, Relation, RuleText, Topic
from rag_core.rules.rule import row_as_words
from rag_core.understanding.places import find_places

RELATION_LETTERS = {
    "D": Relation.DECIDES,
    "C": Relation.CONDITIONS,
    "E": Relation.EXCEPTS,
    "N": Relation.NEAR,
    "U": Relation.UNRELATED,
}
EFFECT_LETTERS = {
    "p": Effect.PROHIBITS,
    "l": Effect.LIMITS,
    "r": Effect.REQUIRES,
    "a": Effect.ALLOWS,
    "i": Effect.INFORMS,
}
NO_RULE = "x"
_POLICY = "policy"
_TOPICS = {each.value: (at,) for at, each in enumerate(Topic)} | {
    _POLICY: tuple(tuple(Topic).index(each) for each in (Topic.PERMISSION, Topic.DETAIL))
}
"""The right outputs of the topic's head; "policy" is one of both."""

_TOPIC_OF_KIND = {
    "permission": Topic.PERMISSION.value,
    "comparison": Topic.PERMISSION.value,
    "requirement": Topic.DETAIL.value,
    "definition": Topic.DETAIL.value,
    "procedure": Topic.DETAIL.value,
}
_RELATIONS = tuple(Relation)
_EFFECTS = tuple(Effect)
_APART = (_RELATIONS.index(Relation.NEAR), _RELATIONS.index(Relation.UNRELATED))


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its judged candidates: rule key -> relation letter, and the effect's letter behind D, C and E."""

    id: str
    question: str
    history: tuple[str, ...]
    document: str
    kind: str
    verdict: str | None
    judged: Mapping[str, str]

    @property
    def asked(self) -> AskedText:
        return AskedText(self.question, self.history)


@dataclass(frozen=True, slots=True)
class Example:
    """Two texts (one of them may be empty) and what is known of them: the indices of the right outputs of a head."""

    first: str
    second: str
    targets: Mapping[str, tuple[int, ...]]
    group: str
    """The platform: examples of one are learnt from or measured on, never both. "" is none, and learnt from always."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A rule of no document, with the letter of its effect, and questions on both sides of its border, each with what
    was judged."""

    rule: RuleText
    effect: str
    asked: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Judgements:
    """All data, by document."""

    documents: Mapping[str, TrainingDocument]
    questions: tuple[Judged, ...]
    effects: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    topics: tuple[tuple[str, str], ...] = ()
    """Messages with a key of `_TOPICS`."""
    machine_texts: tuple[str, ...] = ()
    human_rules: tuple[tuple[str, str], ...] = ()
    """Rules that look as if they spoke to machines, with the letter of their effect."""
    contrasts: tuple[Contrast, ...] = ()

    def platform(self, name: str) -> str:
        return self.documents[name].platform


def load(folder: Path = DATA) -> Judgements:
    """All that lies in `folder`; questions on documents that are not at hand are left out."""
    questions = [_judged(line) for path in sorted((folder / "questions").glob("*.jsonl")) for line in _lines(path)]
    effects: dict[str, dict[str, str]] = {}
    for each in _lines(folder / "effects.jsonl"):
        letters = {key: letter for letter, keys in each["effects"].items() for key in keys.split()}
        effects.setdefault(each["document"], {}).update(letters)
    documents = {}
    for name in sorted({each.document for each in questions} | set(effects)):
        try:
            documents[name] = document(name)
        except FileNotFoundError:
            continue
    return Judgements(
        documents,
        tuple(each for each in questions if each.document in documents),
        {name: known for name, known in effects.items() if name in documents},
        tuple((each["text"], each["topic"]) for each in _lines(folder / "topics.jsonl")),
        tuple(each["text"] for each in _lines(folder / "machine_texts.jsonl")),
        tuple((each["text"], each["effect"]) for each in _lines(folder / "human_rules.jsonl")),
        tuple(
            Contrast(
                RuleText(tuple(each["path"].split(" > ")), each["lead"], each["rule"]),
                each["effect"],
                tuple((question, code) for question, code in each["asked"]),
            )
            for path in sorted((folder / "contrasts").glob("*.jsonl"))
            for each in _lines(path)
        ),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        with path.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if line.strip())


def _judged(line: dict[str, Any]) -> Judged:
    return Judged(
        line["id"],
        line["question"],
        tuple(line.get("history", ())),
        line["document"],
        line["kind"],
        line["verdict"],
        line["judged"],
    )


def rule_text(rule: TrainingRule, place: str | None = None) -> RuleText:
    """The rule as a reader gets it for a question about `place`."""
    words = row_as_words(rule.header, rule.body, place) if rule.header else None
    return RuleText((rule.title, *rule.path), rule.lead, words or rule.body)


def place_of(asked: AskedText) -> str | None:
    """The one place that a question names, itself or in what it follows."""
    for text in (asked.question, *reversed(asked.history)):
        codes = {code for mention in find_places(text) for code in mention.codes}
        if codes:
            return codes.pop() if len(codes) == 1 else None
    return None


def pair_examples(
    data: Judgements, questions: Sequence[Judged], seed: int, near: int = 3, unrelated: int = 2
) -> Iterator[Example]:
    """Every rule that decides, conditions or excepts, and of the others `near` ones and `unrelated` ones by chance.

    Whether a rule that does not decide is near or unrelated is a matter of taste, and not learnt.
    """
    chance = random.Random(seed)
    for each in questions:
        rules = {rule.key: rule for rule in data.documents[each.document].rules}
        known = [(key, code) for key, code in each.judged.items() if key in rules]
        kept = [(key, code) for key, code in known if code[0] in "DCE"]
        for letter, most in (("N", near), ("U", unrelated)):
            others = [(key, code) for key, code in known if code[0] == letter]
            kept += chance.sample(others, min(most, len(others)))
        place = place_of(each.asked)
        for key, code in kept:
            targets = _targets(code, restricts=each.verdict == "restricted")
            yield Example(each.asked.text, rule_text(rules[key], place).text, targets, data.platform(each.document))


def contrast_examples(data: Judgements, seed: int, most: int = 3) -> Iterator[Example]:
    """Rules of no document, each by itself and with `most` of its questions by chance."""
    chance = random.Random(seed)
    for each in data.contrasts:
        text = each.rule.text
        yield Example("", text, {"rule": (_EFFECTS.index(EFFECT_LETTERS[each.effect]),)}, "")
        for question, code in chance.sample(each.asked, min(most, len(each.asked))):
            yield Example(AskedText(question).text, text, _targets(code, restricts=False), "")


def _targets(code: str, *, restricts: bool) -> dict[str, tuple[int, ...]]:
    """What was judged of a pair. Where the answer is "restricted", a limit and a duty come to the same."""
    relations = _APART if code[0] in "NU" else (_RELATIONS.index(RELATION_LETTERS[code[0]]),)
    targets: dict[str, tuple[int, ...]] = {"relation": relations}
    if len(code) > 1:
        letters = "lr" if restricts and code in ("Dl", "Dr") else code[1]
        targets["effect"] = tuple(_EFFECTS.index(EFFECT_LETTERS[letter]) for letter in letters)
    return targets


def rule_examples(data: Judgements) -> Iterator[Example]:
    """Every rule whose effect is known, and texts that are none."""
    for name, letters in data.effects.items():
        seen = set()
        for rule in data.documents[name].rules:
            letter = letters.get(rule.key)
            if letter is None or rule.key in seen:
                continue
            seen.add(rule.key)
            target = len(Effect) if letter == NO_RULE else _EFFECTS.index(EFFECT_LETTERS[letter])
            yield Example("", rule_text(rule).text, {"rule": (target,)}, data.platform(name))
    for at, text in enumerate(data.machine_texts):
        yield Example("", RuleText((), "", text).text, {"rule": (len(Effect),)}, f"machine{at % 10}")
    for at, (text, letter) in enumerate(data.human_rules):
        target = _EFFECTS.index(EFFECT_LETTERS[letter])
        yield Example("", RuleText((), "", text).text, {"rule": (target,)}, f"human{at % 10}")


def topic_examples(data: Judgements) -> Iterator[Example]:
    """Labelled messages, and the questions, which are on policies."""
    for at, (text, topic) in enumerate(data.topics):
        yield Example(text, "", {"topic": _TOPICS[topic]}, f"topic{at % 10}")
    for each in data.questions:
        topics = _TOPICS[_TOPIC_OF_KIND.get(each.kind, _POLICY)]
        yield Example(each.asked.text, "", {"topic": topics}, data.platform(each.document))
