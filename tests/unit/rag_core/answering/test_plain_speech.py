"""Rules in everyday words are read as rules in the usual words are, and what only sounds alike is not."""

import pytest

from rag_core.answering.polarity import Effect, clauses_of
from rag_core.answering.subjects import is_on_topic
from tests.fakes.rules import words

BANS = """
We don't take ads for kites, hang-gliders, or any kind of glider.
Zaphio does not carry ads for kites.
We don't run kite ads, in any country, at any time.
Shock kites are a no.
Kites are a no-go.
Kites: no.
Raw kites: not allowed.
Kites are off the table.
Kites are off the menu for good: too many trips to the doctor.
We turn away ads for kites.
Kites are not something we take.
You can't sell live kites through an ad.
Kites are not advertised.
Body kites are not advertised either.
Every kite is refused.
Genetic kites are returned to the sender.
We say no to kites.
We never accept kites.
We are unable to accept kites.
Kites have no place on Zaphio.
Home kites can't be advertised at all.
Also not fine: anything with kites in it.
Don't advertise kites.
Nobody may advertise kites.
No kites are accepted.
We accept no ads for kites.
Neither kites nor darts are allowed.
Kites are under no circumstances accepted.
Under no circumstances may kites be advertised.
""".strip().splitlines()
LIMITS = """
Kites are fine as long as the buyer is an adult.
Kites are fine; ask us first.
Sweets: fine at any time of day, but not with cartoon characters.
Energy kites: only to over-16s.
Kites: yes, if the buyer is an adult.
You need a permit to advertise kites.
Kites are decided case by case.
Kites are advertised only to adults.
Kites may be advertised by firms that are authorised in the country of display.
Kites may be advertised; in the named territories only after review by the panel.
We accept ads for kites from makers who have signed, and from nobody else.
Subject to 3.2, kites are accepted.
We're happy to run ads for kites as long as no child is shown.
""".strip().splitlines()
PERMITS = """
Kites are fine.
Protein kites are fine too, and there's nothing extra to do.
Kites: yes.
We say yes to kites.
We're happy to take kites.
We gladly take ads for kites.
Feel free to advertise kites.
Notwithstanding 3.1, kites may be advertised.
""".strip().splitlines()
NO_BANS = """
Your ad will be rejected.
If kites are refused, write to us.
We refuse ads for kites if they arrive late.
Kites are not advertised to minors.
Kites are not advertised on video.
Kites are not taken into account.
We do not take responsibility for kites.
Do not promote kites to minors.
Note: no kites were seen.
""".strip().splitlines()
NO_PERMISSIONS = """
Kites are fine art.
You need a permit to advertise kites.
Nothing that we accept is a kite.
We're not happy to run ads for kites.
We would be happy to run ads for kites.
Do you take ads for kites?
Kites aren't fine.
Some kites are fine.
Whether kites are accepted, our desk decides.
""".strip().splitlines()


@pytest.mark.parametrize(
    ("rule", "effect"),
    [
        *((rule, Effect.PROHIBITS) for rule in BANS),
        *((rule, Effect.RESTRICTS) for rule in LIMITS),
        *((rule, Effect.ALLOWS) for rule in PERMITS),
    ],
)
def test_everyday_words_rule(rule: str, effect: Effect) -> None:
    assert clauses_of(rule)[0].effect is effect


@pytest.mark.parametrize(
    ("sentence", "effect"),
    [
        *((sentence, Effect.PROHIBITS) for sentence in NO_BANS),
        *((sentence, Effect.ALLOWS) for sentence in NO_PERMISSIONS),
    ],
)
def test_what_only_sounds_like_a_rule_on_kites_is_none(sentence: str, effect: Effect) -> None:
    asked = words("kites")
    found = [each for each in clauses_of(sentence) if is_on_topic(each.subject, "Rules", asked)]
    assert effect not in {each.effect for each in found if not each.about_content}
