"""What the English of policies does with a thing."""

import pytest

from rag_core.answering.polarity import Clause, Effect, clauses_of


def first(sentence: str) -> Clause | None:
    return next(iter(clauses_of(sentence)), None)


@pytest.mark.parametrize(
    ("sentence", "effect"),
    [
        ("Ads for spirits are not allowed.", Effect.PROHIBITS),
        ("Spirits aren't permitted here.", Effect.PROHIBITS),
        ("We do not allow ads for snuff.", Effect.PROHIBITS),
        ("The platform prohibits the promotion of swords.", Effect.PROHIBITS),
        ("Advertisers may not promote tips for bets.", Effect.PROHIBITS),
        ("Ads for rum can't run.", Effect.PROHIBITS),
        ("It is forbidden to advertise knives.", Effect.PROHIBITS),
        ("No ads for fireworks.", Effect.PROHIBITS),
        ("Not allowed", Effect.PROHIBITS),
        ("Unless listed below, ads for games are not allowed.", Effect.PROHIBITS),
        ("Prohibited everywhere except Austria.", Effect.PROHIBITS),
        ("Ads for rum can't run without our approval.", Effect.RESTRICTS),
        ("Games are prohibited unless the advertiser is licensed.", Effect.RESTRICTS),
        ("Ads for gin may run if they meet these conditions:", Effect.RESTRICTS),
        ("Ads for gin may only be shown to adults.", Effect.RESTRICTS),
        ("Ads for gin are restricted.", Effect.RESTRICTS),
        ("Ads for gin must carry a warning.", Effect.RESTRICTS),
        ("Ads for kites are allowed outside Peru.", Effect.RESTRICTS),
        ("Ads for kites are allowed in every country but Peru.", Effect.RESTRICTS),
        ("Ads for kites may run on weekdays.", Effect.RESTRICTS),
        ("Ads for kites may not be shown to minors.", Effect.RESTRICTS),
        ("Ads for kites are allowed in India and need no approval.", Effect.ALLOWS),
        ("Ads for kites are permitted on Acme.", Effect.ALLOWS),
        ("Dating apps are allowed.", Effect.ALLOWS),
        ("Ads for kites are OK.", Effect.ALLOWS),
        ("Ads for kites are OK except where the law forbids them.", Effect.RESTRICTS),
        ("Ads for kites are not OK.", Effect.PROHIBITS),
        ("You may advertise books.", Effect.ALLOWS),
        ("We accept ads for shoes.", Effect.ALLOWS),
        ("Tea is allowed, but not at night.", Effect.RESTRICTS),
        ("Ads for tea, including but not limited to green tea, are allowed.", Effect.ALLOWS),
        ("Do not show children.", Effect.RESTRICTS),
        ("Ads for tea may run in all countries.", Effect.ALLOWS),
    ],
)
def test_effects(sentence: str, effect: Effect) -> None:
    clause = first(sentence)
    assert clause is not None
    assert clause.effect is effect


@pytest.mark.parametrize(
    "sentence",
    [
        "Shoes are not prohibited.",
        "This page explains our policy.",
        "",
        "There are no restrictions on tea.",
        "Updated in May.",
        "We no longer allow ads for tea.",
        "Ads for tea used to be allowed.",
        "Ads for tea were allowed until 2020.",
        "Ads for tea are allowed until 2020.",
        "Ads for tea are rarely accepted.",
        "Ads for tea might be allowed.",
        "We take pictures of tours that do not focus on tea.",
    ],
)
def test_what_says_nothing_certain_is_not_read(sentence: str) -> None:
    assert first(sentence) is None


def test_a_rule_on_how_an_ad_must_be_is_told_from_a_ban() -> None:
    shows = first("Ads for gin must not show anybody driving.")
    assert shows is not None
    assert (shows.effect, shows.about_content, shows.negative) == (Effect.RESTRICTS, True, True)
    assert shows.subject.strip() == "Ads for gin"
    carries = first("Ads for gin must carry a warning.")
    assert carries is not None
    assert (carries.about_content, carries.negative) == (True, False)


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("Ads for gin are not allowed.", "Ads for gin"),
        ("We do not allow ads for gin.", "ads for gin."),
        ("Advertisers may not promote gin.", "gin."),
        ("You may not run ads for gin.", "ads for gin."),
    ],
)
def test_the_subject_is_the_thing_not_the_actor(sentence: str, subject: str) -> None:
    clause = first(sentence)
    assert clause is not None
    assert clause.subject.strip() == subject


@pytest.mark.parametrize(
    ("sentence", "effect", "subject"),
    [
        ("Ads must not promote the sale of kites.", Effect.PROHIBITS, "the sale of kites."),
        ("Ads may promote kites with blades.", Effect.ALLOWS, "kites with blades."),
        ("Ads may promote kites if the buyer is an adult.", Effect.RESTRICTS, "kites"),
        ("We accept ads for kites if the buyer is an adult.", Effect.RESTRICTS, "ads for kites"),
        ("We do not allow ads for kites with blades.", Effect.PROHIBITS, "ads for kites with blades."),
        ("Ads may be permitted to promote kites in certain regions.", Effect.RESTRICTS, "kites"),
        ("Ads for kites may be permitted.", Effect.RESTRICTS, "Ads for kites may"),
        ("Advertisers are allowed to promote kites.", Effect.ALLOWS, "kites."),
        ("Licensed shops are allowed to promote kites.", Effect.RESTRICTS, "kites."),
        ("Licensed shops are not permitted to promote kites.", Effect.PROHIBITS, "Licensed shops  kites."),
        ("Advertisers are prohibited from promoting kites.", Effect.PROHIBITS, "kites."),
        ("Kites are allowed even though they are pointed.", Effect.ALLOWS, "Kites"),
        ("Kites are allowed if they are not pointed.", Effect.RESTRICTS, "Kites"),
        ("Kites must not be shown in any market.", Effect.PROHIBITS, "Kites"),
    ],
)
def test_what_a_rule_is_on_and_for_whom(sentence: str, effect: Effect, subject: str) -> None:
    clause = first(sentence)
    assert clause is not None
    assert (clause.effect, clause.subject.strip(), clause.about_content) == (effect, subject, False)


@pytest.mark.parametrize(
    "sentence",
    [
        "Advertisers that sell kites are prohibited from using lead forms.",
        "The kite must not be shown in use.",
        "Kites must not be shown with children.",
        "Kites must not be shown as weapons.",
    ],
)
def test_a_ban_from_one_way_of_advertising_is_no_ban_on_the_thing(sentence: str) -> None:
    clause = first(sentence)
    assert clause is not None
    assert (clause.effect, clause.about_content, clause.negative) == (Effect.RESTRICTS, True, True)
