"""The one thing that the nearest rules do not say."""

from hypothesis import given
from hypothesis import strategies as st

from rag_core.answering.compose import compose
from rag_core.answering.evidence import gap_of
from rag_core.rules.reader import Effect
from tests.fakes.judged import rule
from tests.fakes.reader import FakeReader
from tests.fakes.rules import passage, question, target


def gap(asked: str, *bodies: str, place: str | None = None) -> tuple[str, ...]:
    return gap_of(question(asked), place, [rule(Effect.INFORMS, says=body, asked=place) for body in bodies])


def test_the_first_thing_that_no_near_rule_names_is_the_gap() -> None:
    assert gap("red paper kites", "Kites fly high.") == ("red",)
    assert gap("red paper kites", "Kites fly high.", "Balloons are red.") == ("paper",)


def test_words_are_met_in_every_form() -> None:
    assert gap("kites flying", "A kite flies high.") == ()


def test_where_all_is_named_there_is_no_gap() -> None:
    assert gap("kites", "Kites fly high.") == ()
    assert gap("", "Kites fly high.") == ()


def test_where_nothing_is_near_all_of_it_is_the_gap() -> None:
    assert gap("red kites") == ("red kites",)
    assert gap("") == ()


def test_where_all_is_for_other_places_the_place_is_the_gap() -> None:
    assert gap("kites", "In Belgium, kites fly high.", place="uk") == ("United Kingdom",)
    assert gap("kites", "In Belgium, kites fly high.", "Kites fly high.", place="uk") == ()


def test_a_rule_of_the_place_itself_that_names_another_is_no_gap() -> None:
    british = rule(Effect.INFORMS, 0.9, "uk", asked="uk", says="Unlike Belgium, kites fly high.")
    assert gap_of(question("kites"), "uk", [british]) == ()


_WORDS = st.sampled_from("kites darts strings boards zeppelins paper".split())
_BODIES = st.lists(
    st.lists(_WORDS, min_size=1, max_size=4).map(lambda words: f"Ads for {' '.join(words)} are nice."), max_size=5
)


@given(st.lists(_WORDS, min_size=1, max_size=4, unique=True).map(" ".join), _BODIES)
def test_a_gap_is_one_thing_and_never_stands_above_a_quote_that_states_it(asked: str, bodies: list[str]) -> None:
    passages = [passage(body, document_id=f"acme_{number}") for number, body in enumerate(bodies)]
    found = target(asked, None, *passages, reader=FakeReader(all_words=True))
    composed = compose(question(asked), [found], ()).answer
    assert len(found.not_stated) <= 1
    if composed is not None:
        shown = " ".join(each.text for each in composed.statements)
        assert all(word not in shown for word in composed.not_stated)
        assert not (composed.not_stated and composed.verdicts)
