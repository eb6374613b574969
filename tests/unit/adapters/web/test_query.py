from datetime import date
from urllib.parse import parse_qsl, urlsplit

from multidict import MultiDict

from adapters.web.home import PageQuery, address, read_query
from rag_core.questions import Filters


def query(*fields: tuple[str, str]) -> PageQuery:
    return read_query(MultiDict(fields))


def test_names_adjectives_and_codes_are_places() -> None:
    found = query(("q", " alcohol "), ("place", "Germany, uk"), ("place", "us-tx"))
    assert found.question == "alcohol"
    assert found.filters.regions == ("de", "uk", "us-tx")
    assert found.place_text == "Germany, United Kingdom, us-tx"
    assert found.errors == {}


def test_an_unknown_place_is_explained_and_kept_to_be_corrected() -> None:
    found = query(("q", "alcohol"), ("place", "Atlantis"))
    assert "Atlantis" in found.errors["place"]
    assert found.place_text == "Atlantis"


def test_a_day_that_is_none_is_explained() -> None:
    found = query(("q", "alcohol"), ("as_of", "2026-02-31"))
    assert "2026-02-31" in found.errors["as_of"]
    assert found.as_of is None


def test_empty_fields_of_the_form_restrict_nothing() -> None:
    found = query(("q", "alcohol"), ("place", ""), ("source", ""), ("as_of", ""))
    assert (found.filters, found.as_of, found.errors) == (Filters(), None, {})


def test_an_address_reads_back_as_what_it_was_made_of() -> None:
    filters = Filters(("acme",), ("uk", "de"), ("video",), ("Alcohol & more",), {"stage": ("sample", "a:b")})
    made = address("what, & where?", filters, date(2026, 3, 1))
    found = query(*parse_qsl(urlsplit(made).query))
    assert (found.question, found.filters, found.as_of) == ("what, & where?", filters, date(2026, 3, 1))


def test_filters_without_a_field_can_be_dropped() -> None:
    found = query(("q", "x"), ("place", "uk"), ("section", "Alcohol"), ("label", "stage:sample"))
    assert found.further_texts == ["Alcohol", "stage:sample"]
    assert found.without_further == "/?q=x&place=uk"
