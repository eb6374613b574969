"""Is a question written in English? Measured on questions of this repository."""

import json
from pathlib import Path

import pytest

from rag_core.understanding.languages import language_of

GOLDEN = Path(__file__).parents[3] / "golden"
FOREIGN = [line.split("\t") for line in (GOLDEN / "foreign_questions.tsv").read_text(encoding="utf-8").splitlines()]
SCANDINAVIAN = {"sv", "da", "no"}
NOT_TOLD = {"Glücksspiel in Bayern?", "und in Frankreich?", "et en Allemagne ?"}
"""Too short to tell from English with foreign names."""


@pytest.mark.parametrize(("language", "text"), [(each[0], each[1]) for each in FOREIGN if each[1] not in NOT_TOLD])
def test_a_question_in_another_language_is_recognised(language: str, text: str) -> None:
    found = language_of(text)
    assert found == language or {found, language} <= SCANDINAVIAN


def test_no_english_question_of_ours_is_taken_for_another_language() -> None:
    lines = (GOLDEN / "sample_questions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["question"] for line in lines]
    assert {text: found for text in texts if (found := language_of(text)) != "en"} == {}


@pytest.mark.parametrize(
    "text",
    [
        "alcohol in Türkiye?",
        "ads for Jägermeister in München",
        "La Liga betting ads",
        "El Corte Inglés sale ads",
        "casino de Monte Carlo ads",
        "Das Auto as a slogan ok?",
        "beer Côte d'Ivoire",
        "crypto São Paulo",
        "Crédit Agricole loans in FR",
        "cbd, DE",
        "die cast toy guns",
        "can we advertise 茅台 in China",
        "dfs?",
        "X",
        "18+",
    ],
)
def test_foreign_names_make_no_question_foreign(text: str) -> None:
    assert language_of(text) == "en"


def test_a_script_whose_language_is_not_told() -> None:
    assert language_of("ᎣᏏᏲ ᏙᎯᏧ") == "und"


@pytest.mark.parametrize(
    ("text", "language"), [("puis-je promouvoir un cerf-volant", "fr"), ("puedo promocionar cometas", "es")]
)
def test_the_verbs_of_asking_for_ads(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text", ["Sangría ads in Spain", "is “Schnaps” allowed", "El Gordo lottery ads", "a Fahrschule in Germany"]
)
def test_a_foreign_word_or_name_is_no_other_language(text: str) -> None:
    assert language_of(text) == "en"
