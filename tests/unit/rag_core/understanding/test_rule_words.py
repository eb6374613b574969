"""Words of advertising and of rules in questions."""

import pytest

from rag_core.documents import PolicySource
from rag_core.questions import AskRequest
from rag_core.understanding.understand import understand
from tests.unit.rag_core.understanding.test_understand import TODAY

SOURCES = (PolicySource("acme", "Acme", ("Acme Ads",), 3),)


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("i love you", False),
        ("we had lunch with them", False),
        ("is absinthe allowed", True),
        ("a casino in Belgium, can we pin it?", True),
        ("forex with leverage, US audience", True),
        ("is wine old", False),  # goods are talked about elsewhere, too
        ("we have an ad for kites", True),
        ("can I show kites on Acme", True),
        ("red kites?", True),  # a bare topic asks whether it may be advertised
    ],
)
def test_what_speaks_of_rules(text: str, speaks: bool) -> None:
    assert understand(AskRequest(text, TODAY), SOURCES).speaks_of_rules is speaks
