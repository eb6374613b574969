"""Citations and labels: what Teams shows, and what it drops."""

from typing import Any

import pytest

from tests.fakes.teams_bot import connector_client, shown
from tests.unit.ops.sandbox.test_teams_connector import ADS


def claim(position: Any = 1, **appearance: Any) -> dict[str, Any]:
    whole = {"@type": "DigitalDocument", "name": "Policy", "url": "https://policy.example/a", **appearance}
    return {"@type": "Claim", "position": position, "appearance": whole}


def root(*citations: object, **more: object) -> dict[str, object]:
    whole = {"type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org"}
    return {**whole, "citation": list(citations), **more}


async def test_citations_and_the_label_are_taken() -> None:
    async with connector_client() as bot:
        entity = root(claim(abstract="a" * 160, name="n" * 80), claim(2), additionalType=["AIGeneratedContent"])
        assert (await bot.post(ADS, shown("No [1], never [2].", entities=[entity])))[0] == 201
        assert [each["position"] for each in bot.teams.bot_messages("ads")[0].citations] == [1, 2]


@pytest.mark.parametrize(
    ("entities", "said"),
    [
        ([root(), root()], "Multiple root message entities"),
        ([root(**{"@type": "Odd"})], "Error parsing"),
        ([root(**{"@context": ""})], "Error parsing"),
        ([root("odd")], "Error parsing"),
        ([root(additionalType=["Odd"])], "additionalType"),
        ([root(*[claim(each) for each in range(1, 22)])], "more than 20"),
        ([root(claim(3))], "not in the text"),
        ([root(claim(2))], "not in the text"),
        ([root(claim(0))], "ID: 0"),
        ([root(claim("1"))], "ID: 1"),
        ([root(claim(), claim())], "ID: 1"),
        ([root({"@type": "Claim", "position": 1, "appearance": {}})], "appearance object is empty"),
        ([root(claim(name="n" * 81))], "ID: 1"),
        ([root(claim(name=""))], "ID: 1"),
        ([root(claim(abstract="a" * 161))], "ID: 1"),
        ([root(claim(url="javascript:alert(1)"))], "ID: 1"),
        ([root(claim(keywords=["a", "b", "c", "d"]))], "ID: 1"),
        ([root(claim(keywords=["k" * 29]))], "ID: 1"),
        ([root(claim(encodingFormat="text/html"))], "ID: 1"),
        ("odd", "list of objects"),
    ],
)
async def test_what_is_refused(entities: Any, said: str) -> None:
    async with connector_client() as bot:
        text = "No [1].\n| a table | [2] |"
        status, answer = await bot.post(ADS, shown(text, entities=entities))
        assert (status, answer["error"]["code"]) == (400, "BadArgument")
        assert said in answer["error"]["message"]
