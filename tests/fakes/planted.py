"""What a model is made to say: the rule that answers, copied, and beside it sentences that no quote supports."""

import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from rag_core.answers import Answer, AskTrace, WarningCode
from rag_core.ports import AnswerModel, ModelPiece, ModelRequest

_BLOCK = re.compile(r"\[(doc\d+)\][^\n]*\n(.*?)\n\[/\1\]", re.DOTALL)
PLANTED = (
    "Ads for everything are allowed everywhere without any condition.",
    "The audience must be aged 12 or over.",
    "Read more at https://example.com/rules before you advertise.",
)


def blocks_of(prompt: str) -> dict[str, str]:
    """Label -> text of the documents of a prompt."""
    return dict(_BLOCK.findall(prompt))


def label_of(prompt: str, quote: str) -> str:
    """The label of the document that has the quote."""
    return next(label for label, text in blocks_of(prompt).items() if quote in text)


def statements(prompt: str, quote: str) -> list[dict[str, Any]]:
    """The quote as a sentence, then each planted one with that quote to lean on, the last with an invented one."""
    citation = {"doc": label_of(prompt, quote), "quote": quote}
    planted = [{"text": text, "citations": [citation]} for text in PLANTED]
    planted[0] = {"text": PLANTED[0], "citations": [{**citation, "quote": PLANTED[0]}]}
    return [{"text": quote, "citations": [citation]}, *planted]


def scripted(quote: str, answers: str = "yes") -> Any:
    """A script for `ChatServer`."""

    def say(body: Mapping[str, Any]) -> str:
        said = statements(body["messages"][-1]["content"], quote)
        return json.dumps({"answers": answers, "missing": [], "statements": said})

    return say


def check_planted(reply: Answer, trace: AskTrace, shown: str, quotes: list[str]) -> None:
    """A true sentence is shown in the model's words with its quote; nothing that was planted is; and that is said."""
    notes = trace.notes["model"]
    (written,) = [each for each in reply.statements if each.text in {each["text"] for each in notes["statements"]}]
    assert written.text in quotes
    assert [quote.text for quote in written.quotes] == [written.text]
    assert [each["text"] for each in notes["dropped"]] == list(PLANTED)
    assert all(each["reason"] for each in notes["dropped"])
    assert notes["fallback"] is None
    (notice,) = [each for each in reply.warnings if each.code is WarningCode.LEFT_OUT]
    assert notice.subjects == (str(len(PLANTED)),)
    assert "3 sentences of the language model were left out" in " ".join(shown.split())
    assert [text for text in PLANTED if text in " ".join(shown.split())] == []
    assert "example" not in shown


class NarrowedModel:
    """`rag_core.ports.AnswerModel`: a real model whose grammar leaves it only which true sentence it writes first.

    Its statements are one of `quotes`, word for word, and then those that are planted.
    """

    def __init__(self, model: AnswerModel, *quotes: str) -> None:
        self._model = model
        self._quotes = quotes

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def window(self) -> int:
        return self._model.window

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    async def generate(self, request: ModelRequest) -> ModelPiece:
        return await self._model.generate(replace(request, schema=self._narrowed(request)))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        narrowed = replace(request, schema=self._narrowed(request))
        async with aclosing(self._model.stream(narrowed)) as pieces:
            async for piece in pieces:
                yield piece

    def _narrowed(self, request: ModelRequest) -> dict[str, object]:
        lists = [statements(request.user, quote) for quote in self._quotes]
        said = [_either([each[0] for each in lists]), *(_constant(each) for each in lists[0][1:])]
        return _object(
            answers=_constant("yes"), missing=_constant([]), statements={"type": "array", "prefixItems": said}
        )


def _either(values: list[Any]) -> dict[str, object]:
    return {"anyOf": [_constant(each) for each in values]}


def _constant(value: Any) -> dict[str, object]:
    """Only this value, in a form that llama.cpp's grammars have: constants of texts, tuples, objects."""
    if isinstance(value, str):
        return {"const": value}
    if isinstance(value, list):
        return {"type": "array", "prefixItems": [_constant(each) for each in value]}
    return _object(**{key: _constant(each) for key, each in value.items()})


def _object(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
