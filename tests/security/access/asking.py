"""Roads of a question: over REST, as a stream, on the page, in the terminal, with a history of the asker's own."""

import io
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from bot import terminal
from tests.security.access.attempts import Attempt, Proof, Road
from tests.security.access.world import Door, World

_ASK = "/api/v1/ask"
_STREAM = "text/event-stream"

Body = Mapping[str, Any]

FORMS: tuple[tuple[str, str, Proof], ...] = (
    ("memo", "can I advertise vexolune", Proof.HIDDEN),
    ("memo", "are vexolune ads prohibited on Tarrow?", Proof.HIDDEN),
    ("memo", "what do sellers of vexolune have to do", Proof.HIDDEN),
    ("memo", "what is vexolune", Proof.TAKEN),
    ("memo", "what does the Vexolune memorandum say", Proof.HIDDEN),
    ("memo", "vexolune in Norway?", Proof.HIDDEN),
    ("memo", "vexolune", Proof.HIDDEN),
    ("memo", "rule 7.3.1", Proof.HIDDEN),
    ("memo", "what does rule 7.3.1 of Tarrow say about ads", Proof.HIDDEN),
    ("memo", "who said that vexolune is prohibited", Proof.HIDDEN),
    ("memo", "were vexolune ads allowed as of 1 March 2024", Proof.HIDDEN),
    ("memo", "which documents do you have on vexolune", Proof.HIDDEN),
    ("memo", "skarvane ads on Tarrow", Proof.TAKEN),
    ("memo", "ads for vexolune are prohibited at Tarrow", Proof.HIDDEN),
    ("memo", "is a Pellingrove desk involved in ads on Tarrow", Proof.TAKEN),
    ("twist", "can I advertise alcohol in Iceland", Proof.HIDDEN),
    ("twist", "can I advertise alcohol on Tarrow", Proof.HIDDEN),
    ("twist", "alcohol", Proof.HIDDEN),
    ("twist", "what are the rules for alcohol in Iceland on Tarrow", Proof.HIDDEN),
    ("twist", "can I advertise alcohol in Norway", Proof.TAKEN),
    ("twist", "who decides about alcohol ads", Proof.HIDDEN),
    ("twist", "can I advertise alcohol in the UK", Proof.PUBLIC),
    ("copy", "are parcel lockers allowed on Tarrow", Proof.HIDDEN),
    ("copy", "must ads for parcel lockers name the price of returns", Proof.HIDDEN),
    ("nobody", "can I advertise drimquast", Proof.TAKEN),
    ("nobody", "does Fennelhythe have to agree to ads on Tarrow", Proof.TAKEN),
    ("nobody", "what does the Dorsk-plan say", Proof.TAKEN),
    ("both", "can I advertise hesperquil on Tarrow, granmothy", Proof.HIDDEN),
    ("both", "what does the granmoth Hesperquil notice say about Wrandle", Proof.HIDDEN),
    ("both", "can I advertise plainish alcohol", Proof.TAKEN),
    ("platform", "can I advertise kilnware on Zorblatt", Proof.HIDDEN),
    ("platform", "can I advertise ovens on Zorblat", Proof.HIDDEN),
    ("platform", "zorbly rules", Proof.HIDDEN),
    ("platform", "what are the rules on the Zorblatt Network", Proof.HIDDEN),
    ("platform", "ads for kilnware", Proof.HIDDEN),
    ("platform", "which platforms do you know", Proof.HIDDEN),
    ("memo", "which documents do you have", Proof.HIDDEN),
    ("memo", "list the documents on Tarrow", Proof.HIDDEN),
    ("platform", "help", Proof.HIDDEN),
    ("twist", "what can I ask", Proof.TAKEN),
    ("twist", "what are the rules on Tarrow", Proof.TAKEN),
    ("replaced", "glimmerfen vouchers as of 1 June 2024", Proof.HIDDEN),
    ("replaced", "are printed vouchers allowed on Tarrow", Proof.PUBLIC),
    ("memo", "quantum chromodynamics lecture notes", Proof.TAKEN),
    ("memo", "hello", Proof.TAKEN),
)
"""Which hidden version each question is to get out of the bot, and how."""

_COMPARED = (
    ("twist", "compare alcohol in Iceland and the UK on Tarrow", Proof.HIDDEN),
    ("memo", "compare vexolune in Norway and Germany", Proof.HIDDEN),
    ("platform", "compare kilnware on Tarrow and Zorblatt", Proof.HIDDEN),
    ("platform", "is Zorblatt stricter than Tarrow on ovens", Proof.HIDDEN),
)

_CHANGED = (
    ("closed", "what changed for rockets on Moorle since 2024", Proof.HIDDEN),
    ("closed", "what changed on Moorle since January 2024", Proof.HIDDEN),
    ("opened", "what changed for kites on Moorle since January 2024", Proof.HIDDEN),
    ("moved", "what changed for sledges on Moorle since 2024", Proof.HIDDEN),
    ("moved_before", "what changed for sledges on Moorle since 2023", Proof.HIDDEN),
    ("memo", "what changed for vexolune since 2023", Proof.HIDDEN),
    ("platform", "what changed on Zorblatt since 2024", Proof.HIDDEN),
    ("replaced", "what changed for vouchers on Tarrow since 2023", Proof.HIDDEN),
    ("nobody", "what changed for drimquast since 2024", Proof.TAKEN),
    ("twist", "what changed on Tarrow since 2024", Proof.HIDDEN),
    ("closed", "are rockets allowed on Moorle", Proof.HIDDEN),
    ("closed", "were rockets allowed on Moorle as of 1 January 2025", Proof.TAKEN),
    ("opened", "are kites allowed on Moorle", Proof.TAKEN),
    ("opened", "were kites prohibited on Moorle as of 1 January 2025", Proof.HIDDEN),
)

_FILTERED: tuple[tuple[str, str, Body, Proof], ...] = (
    ("platform", "kilnware ads", {"policy_source": "zorblatt"}, Proof.HIDDEN),
    ("platform", "kilnware ads", {"policy_source": "zorblat"}, Proof.TAKEN),
    ("platform", "kilnware ads", {"policy_source": ["tarrow", "Zorbly"]}, Proof.HIDDEN),
    ("memo", "can I advertise this", {"labels": {"quorbine": "skarvane"}}, Proof.TAKEN),
    ("memo", "vexolune", {"labels": {"quorbine": ["skarvane"]}}, Proof.HIDDEN),
    ("memo", "sellers of what", {"policy_section": "sellers"}, Proof.HIDDEN),
    ("memo", "ads for vexolune", {"region": "no"}, Proof.HIDDEN),
    ("twist", "alcohol ads", {"region": "is", "policy_source": "tarrow"}, Proof.HIDDEN),
    ("twist", "alcohol ads", {"policy_section": "olvenstat"}, Proof.HIDDEN),
)

_HISTORIES = (
    ("memo", "can I advertise vexolune", "and in Norway?", Proof.HIDDEN),
    ("platform", "kilnware on Zorblatt", "and for ovens?", Proof.HIDDEN),
    ("twist", "alcohol on Tarrow", "what about Iceland?", Proof.HIDDEN),
    ("both", "what does the granmoth Hesperquil notice say", "and for video ads?", Proof.HIDDEN),
)


def _asked(question: str, accept: str = "*/*", **more: Any) -> Any:
    async def take(door: Door) -> str:
        return await door.post(_ASK, {"question": question, **more}, accept)

    return take


def _of_forms(forms: tuple[tuple[str, str, Proof], ...]) -> Iterator[Attempt]:
    for of, question, proof in forms:
        yield Attempt(question, of, _asked(question), question, proof)


def _questions(_: World) -> Iterator[Attempt]:
    yield from _of_forms(FORMS)


def some_questions() -> Iterator[Attempt]:
    """For roads on which something is out of order: they show no more than the others, and members no less."""
    yield from _of_forms((*FORMS[:3], *FORMS[15:17], *FORMS[24:31], *FORMS[34:38], *_COMPARED[:2]))


def _filtered(_: World) -> Iterator[Attempt]:
    for of, question, filters, proof in _FILTERED:
        said = f"{question} {filters}"
        yield Attempt(f"{question} {dict(filters)}", of, _asked(question, filters=filters), said, proof)
    yield Attempt("a day", "memo", _asked("vexolune", as_of="2024-02-29"), "vexolune 2024-02-29")
    yield Attempt("one passage", "memo", _asked("vexolune", top_k=1), "vexolune")


def _histories(_: World) -> Iterator[Attempt]:
    for of, before, question, proof in _HISTORIES:
        history = [{"role": "user", "content": before}, {"role": "assistant", "content": "It depends."}]
        yield Attempt(f"{before} / {question}", of, _asked(question, history=history), before + question, proof)


def _compared(_: World) -> Iterator[Attempt]:
    yield from _of_forms(_COMPARED)


def _changed(_: World) -> Iterator[Attempt]:
    yield from _of_forms(_CHANGED)


def _streamed(_: World) -> Iterator[Attempt]:
    for of, question, proof in (*FORMS[:3], FORMS[15], FORMS[24], FORMS[29], *_COMPARED[:1], *_CHANGED[:2]):
        yield Attempt(question, of, _asked(question, _STREAM), question, proof)


def _pages(_: World) -> Iterator[Attempt]:
    async def form(door: Door) -> str:
        return await door.page("/")

    yield Attempt("the form", "platform", form)
    for of, question, proof in (*FORMS[:2], FORMS[15], FORMS[22], FORMS[24], FORMS[30], *FORMS[34:38], *_CHANGED[:1]):
        yield Attempt(question, of, _page(q=question), question, proof)
    yield Attempt("a platform", "platform", _page(q="kilnware", source="zorblatt"), "kilnware zorblatt")
    yield Attempt("an unknown platform", "platform", _page(q="kilnware", source="zorbl"), "kilnware", Proof.TAKEN)


def _page(**query: str) -> Any:
    async def take(door: Door) -> str:
        return await door.page(f"/?{urlencode(query)}")

    return take


_TYPED = (
    ("twist", "can I advertise alcohol in the UK", Proof.PUBLIC),
    ("twist", "can I advertise alcohol in Iceland", Proof.PUBLIC),
    ("replaced", "are printed vouchers allowed on Tarrow", Proof.PUBLIC),
    ("copy", "list the documents on Tarrow", Proof.PUBLIC),
    ("platform", "can I advertise kilnware on Zorblat", Proof.TAKEN),
    ("memo", "can I advertise vexolune", Proof.TAKEN),
)


def _terminal(_: World) -> Iterator[Attempt]:
    """Whoever sits at the machine reads what is public; more he reads in the database."""
    for of, question, proof in _TYPED:
        for format_ in ("text", "json", "slack"):
            take, alike = _typed(question, format_), format_ == "json"
            yield Attempt(f"{question} as {format_}", of, take, question, proof, alike=alike)


def _typed(question: str, format_: str) -> Any:
    async def take(door: Door) -> str:
        out = io.StringIO()
        empty: dict[str, Any] = {"region": [], "source": [], "content_type": [], "as_of": None}
        answering = door.world.answering
        await terminal.ask(
            Namespace(question=[question], format=format_, **empty), answering.asking, answering.links, out=out
        )
        return out.getvalue()

    return take


ROADS = (
    Road(
        "question",
        _questions,
        ("POST /api/v1/ask",),
        (
            *("permission", "requirement", "definition", "information", "attribution"),
            *("list_sources", "help", "small_talk", "out_of_scope"),
        ),
    ),
    Road("question with filters", _filtered),
    Road("question with a history", _histories),
    Road("comparison", _compared, intents=("comparison",)),
    Road("what changed", _changed, intents=("what_changed",)),
    Road("stream", _streamed),
    Road("page", _pages, ("GET /",)),
    Road("terminal", _terminal),
)
