"""A reader of rules that needs no weights: it says what the cues of the words say."""

from collections.abc import Sequence

from rag_core.errors import Misconfigured, Unavailable
from rag_core.regions import find_regions
from rag_core.rules.cues import opinion_of
from rag_core.rules.judging import thresholds
from rag_core.rules.reader import AskedText, Effect, Judgement, Relation, RuleReading, RuleText, Topic
from rag_core.understanding.words import is_filler, words_of

_SURE = 0.9


class FakeReader:
    """`rag_core.rules.reader.Reader`. A rule has the effect of its cues, and informs without any.

    It decides a question with which it shares a word of three letters that is neither a place nor a word of asking. A
    duty beside a rule of the same headings that decides is a condition; what shares only a place is near. `all_words`:
    what lacks one of the question's words is near as well. `off_topic`: words of what is no policy question.

    `doubted`: bodies it reads with half the certainty; `missing`: it has no weights; `down`: it does not answer.
    `read_texts`: what it was given to read.
    """

    def __init__(
        self, version: str = "fake-1", *, missing: bool = False, all_words: bool = False, off_topic: str = "weather"
    ) -> None:
        self._version = version
        self._all_words = all_words
        self._off_topic = frozenset(off_topic.split())
        self.missing = missing
        self.down = False
        self.doubted: set[str] = set()
        self.read_texts: list[str] = []

    @property
    def version(self) -> str:
        if self.missing:
            raise Misconfigured("rule_reader_missing", path="rule-reader.onnx")
        return self._version

    async def judge(self, asked: AskedText, rules: Sequence[RuleText]) -> list[Judgement]:
        self._answers()
        return self.judgements(asked, rules)

    async def read(self, rules: Sequence[RuleText]) -> list[RuleReading]:
        self._answers()
        self.read_texts.extend(rule.text for rule in rules)
        return [self._reading(rule) for rule in rules]

    async def topic(self, asked: AskedText) -> dict[Topic, float]:
        self._answers()
        off = self._off_topic & {word.text.lower() for word in words_of(asked.text)}
        if off:
            return {topic: 0.96 if topic is Topic.OFF_TOPIC else 0.01 for topic in Topic}
        share = (thresholds().asks_permission + thresholds().asks_detail) / 2
        known = {Topic.PERMISSION: 0.97 * share, Topic.DETAIL: 0.97 * (1 - share)}  # the words tell which of both
        return {topic: known.get(topic, 0.01) for topic in Topic}

    async def aclose(self) -> None:
        """There is nothing to close."""

    def _answers(self) -> None:
        """Raises where it has no weights or is down."""
        if self.version and self.down:
            raise Unavailable("reader_failed")

    def _reading(self, rule: RuleText) -> RuleReading:
        share = _SURE / 2 if rule.body in self.doubted else _SURE
        named = opinion_of(rule).effect or Effect.INFORMS
        rest = (0.98 - share) / (len(Effect) - 1)
        return RuleReading({effect: share if effect is named else rest for effect in Effect}, 0.02)

    def judgements(self, asked: AskedText, rules: Sequence[RuleText]) -> list[Judgement]:
        """What `judge` says."""
        ruled = {each.headings for each in rules if self._rules(asked, each)}
        return [self._judgement(asked, each, each.headings in ruled) for each in rules]

    def _judgement(self, asked: AskedText, rule: RuleText, ruled: bool) -> Judgement:
        named = self._relation(asked.text, rule)
        if named is Relation.DECIDES and ruled and opinion_of(rule).effect is Effect.REQUIRES:
            named = Relation.CONDITIONS
        relations = dict.fromkeys(Relation, 0.005) | {Relation.DECIDES: 0.2 if named is Relation.NEAR else 0.0}
        relations[named] = 1 - sum(share for each, share in relations.items() if each is not named)
        return Judgement(relations, {each: share / 0.98 for each, share in self._reading(rule).effects.items()})

    def _rules(self, asked: AskedText, rule: RuleText) -> bool:
        """Whether it decides, and more than what is to be done."""
        silent = opinion_of(rule).effect in (None, Effect.REQUIRES)
        return not silent and self._relation(asked.text, rule) is Relation.DECIDES

    def _relation(self, asked: str, rule: RuleText) -> Relation:
        wanted, said = _topics(asked), _topics(" ".join((*rule.headings[1:], rule.lead, rule.body)))
        if wanted & said and (wanted <= said or not self._all_words):
            return Relation.DECIDES
        places = {each.code for each in find_regions(asked)} & {each.code for each in find_regions(rule.text)}
        return Relation.NEAR if places or wanted & said else Relation.UNRELATED


def _topics(text: str) -> set[str]:
    """The stems of what a text is about."""
    named = [range(each.start, each.end) for each in find_regions(text)]
    words = [each for each in words_of(text) if not any(each.start in span for span in named)]
    return {each.stem for each in words if len(each.text) >= 3 and not is_filler(each.text)}
