"""Rules as judged for one question: what a reader said, the retrieval score and both opinions on the effect, in one."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from rag_core.regions import GLOBAL
from rag_core.rules.cues import opinion_of
from rag_core.rules.places import PlaceReading, Standing, bans_unlisted, read_place, refers_to_list
from rag_core.rules.reader import Effect, Judgement, Relation, RuleText
from rag_core.rules.rule import Rule
from rag_core.rules.structure import RuleKind

_BANNED = {each: float(each is Effect.PROHIBITS) for each in Effect}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Written by `python -m ops.training calibrate`, with the figures that they give.

    A rule decides with the probability sigmoid(`reader` * logit of the reader's + `score` * retrieval score + `bias`).
    Effects are mixed as logarithms: the judgement's, and `cue` where the words say one. `decides`: from which
    probability on a rule may decide, `shown`: is quoted as the nearest at least. `weights`: of the logistic regression
    that gives a verdict's probability, see `decide.verdict_chances`; `given`: the least for which a verdict is said;
    `prohibited`, `restricted`, `allowed`: the least support by one rule. `forbids`: the support of a ban from which on
    nothing is called allowed. `bans` and `informs`: the probabilities from which on a rule read by itself permits
    nothing. `overrules`: the support from which on a rule surely says so, and a stricter verdict stands against a
    language model's.

    Of what is wanted, by the probability that it is a policy question: below `off_topic` nothing is looked for where it
    is chat (as likely as `chat` at least); below `doubtful` it was about something else, unless a rule answers it, or
    decides as likely as `on_topic`. Of a policy question: it asks for permission from the share `asks_permission` on,
    and does not up to `asks_detail`; between them its words tell.
    """

    reader: float
    score: float
    bias: float
    cue: float
    decides: float
    shown: float
    prohibited: float
    restricted: float
    allowed: float
    conditioned: float
    states: float
    given: float
    weights: Sequence[Sequence[float]]
    close: float
    least: float
    forbids: float
    bans: float
    informs: float
    overrules: float
    off_topic: float
    doubtful: float
    on_topic: float
    chat: float
    asks_permission: float
    asks_detail: float


THRESHOLDS = Path(__file__).parent / "thresholds.json"


@cache
def thresholds() -> Thresholds:
    """Those in `thresholds.json`."""
    read = json.loads(THRESHOLDS.read_text(encoding="utf-8"))
    return Thresholds(**read["thresholds"])


def warm_up() -> None:
    """Reads the tables that judging needs, once, before anybody waits for it."""
    thresholds()
    opinion_of(RuleText((), "", "Ads may run."))


@dataclass(frozen=True, slots=True)
class JudgedRule:
    """`decides` in [0, 1]: whether it decides the question in the place asked; `elsewhere`: whether it does in the
    places that it names; `effects` sum to 1: what it does to the thing asked, in the
    place asked; `conditions`: the probability that it conditions or excepts what another one decides."""

    rule: Rule
    place: PlaceReading
    score: float
    decides: float
    elsewhere: float
    conditions: float
    effects: Mapping[Effect, float]

    @property
    def effect(self) -> Effect:
        """The likeliest."""
        return max(self.effects, key=self.effects.__getitem__)

    def support(self, *effects: Effect) -> float:
        """How much it speaks for one of `effects`."""
        return self.decides * sum(self.effects[each] for each in effects)


def judged(
    rules: Sequence[tuple[Rule, float]],
    judgements: Sequence[Judgement],
    place: str | None,
    limits: Thresholds | None = None,
) -> list[JudgedRule]:
    """The rules, each with its retrieval score in [0, 1], as judged; likeliest to decide first. `limits`: others than
    those in force."""
    limits = limits or thresholds()
    made = [
        _judged(rule, score, judgement, place, limits)
        for (rule, score), judgement in zip(rules, judgements, strict=True)
    ]
    return sorted(made, key=lambda each: (-round(each.decides, 6), each.rule.passage.chunk.chunk_id))


def closed(found: Sequence[JudgedRule], rules: Sequence[Rule], place: str) -> list[JudgedRule]:
    """`found` with closed lists read across the chunks of their section; `rules` are all of the passages found.

    A rule for the places of a list that stands elsewhere ("in the countries of this table") leaves `place` out where
    that list does not name it; an item or row of a closed list leaves nothing out that another one of it names. A ban
    for all other places bans in `place` where no rule of its document names it; it is none where one beside it does.
    """
    if not any(
        each.place.standing is Standing.LEFT_OUT or refers_to_list(each.rule) or bans_unlisted(each.rule)
        for each in found
    ):
        return list(found)
    lists: dict[tuple[str, ...], bool] = {}
    for rule in rules:
        reading = read_place(rule, place)
        if reading.places - {GLOBAL}:
            named = reading.standing is Standing.HOLDS and reading.names_place
            keys = (_section(rule), _list(rule)) if rule.kind in (RuleKind.ITEM, RuleKind.ROW) else ()
            for key in (*keys, ("beside", *_section(rule)), _section(rule)[:1]):
                lists[key] = lists.get(key, False) or named
    return [_closed(each, lists) for each in found]


def _closed(each: JudgedRule, lists: Mapping[tuple[str, ...], bool]) -> JudgedRule:
    standing, section = each.place.standing, _section(each.rule)
    bans_others = standing is Standing.HOLDS and bans_unlisted(each.rule)
    names = lists.get(("beside", *section) if bans_others else section)
    leaves_out = not lists.get(section[:1]) if bans_others else standing is Standing.HOLDS and refers_to_list(each.rule)
    if names is False and leaves_out:
        reading = replace(
            each.place, standing=Standing.LEFT_OUT, specificity=max(each.place.specificity, 1), names_place=True
        )
        return replace(each, place=reading, effects=_BANNED)
    in_list = standing is Standing.LEFT_OUT and each.rule.kind is not RuleKind.SENTENCE and lists.get(_list(each.rule))
    if in_list or (bans_others and names):
        return replace(each, place=replace(each.place, standing=Standing.ELSEWHERE, names_place=False), decides=0.0)
    return each


def _section(rule: Rule) -> tuple[str, ...]:
    return (rule.passage.chunk.doc_id, rule.passage.chunk.policy_path)


def _list(rule: Rule) -> tuple[str, ...]:
    return (*_section(rule), *(quote.text for quote in rule.lead))


def quoted_only(rules: Sequence[tuple[Rule, float]], place: str | None) -> list[JudgedRule]:
    """The rules in the order of retrieval, where nobody judged them: none decides, and the best half is shown."""
    unknown = {each: float(each is Effect.INFORMS) for each in Effect}
    likely = 2 * thresholds().shown
    return [
        JudgedRule(rule, read_place(rule, place), score, 0.0, likely * score, 0.0, unknown) for rule, score in rules
    ]


def _judged(rule: Rule, score: float, judgement: Judgement, asked: str | None, limits: Thresholds) -> JudgedRule:
    place = read_place(rule, asked)
    likely = decides_probability(judgement.decides, score, limits)
    if judgement.decides < limits.least:
        likely = min(likely, limits.shown)
    decides = 0.0 if place.standing in (Standing.ELSEWHERE, Standing.EXCEPTED) else likely
    effects = mixed_effects(rule, judgement, limits, asked)
    if place.standing is Standing.LEFT_OUT:
        effects = dict(_BANNED)
    conditions = judgement.relations[Relation.CONDITIONS] + judgement.relations[Relation.EXCEPTS]
    return JudgedRule(rule, place, score, decides, likely, conditions, effects)


def decides_probability(reader: float, score: float, limits: Thresholds) -> float:
    """The calibrated probability of a logistic regression on the reader's and the retrieval's opinion."""
    logit = math.log((reader + 1e-6) / (1 - reader + 1e-6))
    return 1 / (1 + math.exp(-(limits.reader * logit + limits.score * score + limits.bias)))


def mixed_effects(rule: Rule, judgement: Judgement, limits: Thresholds, place: str | None) -> dict[Effect, float]:
    """What a rule does to the thing asked; an operator's correction of a rule wins over what was read in it.

    It permits nothing where it is read, by itself, as a ban or as saying nothing of the kind. Where its own words ban
    as well, it limits nothing either, unless it is taken for a condition of what another rule decides.
    """
    own = own_effects(rule)
    logs = {each: math.log(judgement.effects[each] + 1e-4) for each in Effect}
    if own is not None and rule.kept is not None and rule.kept.corrected is not None:
        logs = {each: value + math.log(own[each]) for each, value in logs.items()}
    opinion = opinion_of(rule.as_read(place))
    if opinion.effect is not None:
        logs[opinion.effect] += limits.cue * opinion.certainty
    top = max(logs.values())
    shares = {each: math.exp(value - top) for each, value in logs.items()}
    if own is not None and (own[Effect.PROHIBITS] >= limits.bans or own[Effect.INFORMS] >= limits.informs):
        shares[Effect.INFORMS] += shares[Effect.ALLOWS]
        shares[Effect.ALLOWS] = 0.0
    says_ban = opinion.effect is Effect.PROHIBITS and opinion.certainty >= 1
    decides = judgement.relations[Relation.DECIDES] > judgement.relations[Relation.CONDITIONS]
    if says_ban and decides and (own is None or max(own, key=own.__getitem__) is Effect.PROHIBITS):
        shares[Effect.PROHIBITS] += shares[Effect.LIMITS]
        shares[Effect.LIMITS] = 0.0
    return {each: share / sum(shares.values()) for each, share in shares.items()}


def own_effects(rule: Rule) -> Mapping[Effect, float] | None:
    """What a rule does by itself: as corrected, as read, or unknown."""
    if rule.kept is None:
        return None
    if rule.kept.corrected is not None:
        return {each: 0.96 if each is rule.kept.corrected else 0.01 for each in Effect}
    return rule.kept.reading.effects
