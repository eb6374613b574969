"""The question as it stands in the address of the page: the form's fields, and the links that choices are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlencode

from aiohttp import web
from multidict import MultiMapping

from adapters.web.api.streaming import while_connected
from adapters.web.callers import Caller, caller_of
from adapters.web.pages import render
from adapters.web.parts import PARTS, WebParts
from adapters.web.peers import peer_of
from adapters.web.problems import Problem, attempt
from bot.access.tokens import Permission
from bot.questions.answerer import Answered, Asked
from bot.render.markdown import document_titles
from bot.wording import web_pages
from rag_core.answers import Answer, Choice, Condition, Refusal, Reply
from rag_core.errors import Rejected
from rag_core.questions import Filters
from rag_core.regions import display_name, normalise, region_named
from rag_core.understanding.cleaning import MAX_QUESTION


@dataclass(frozen=True, slots=True)
class PageQuery:
    """A question with its filters. `place_text` and `day_text` are as typed; `errors`: field -> sentence."""

    question: str = ""
    filters: Filters = field(default_factory=Filters)
    as_of: date | None = None
    place_text: str = ""
    day_text: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_narrowed(self) -> bool:
        """Whether a field beside the question is filled in."""
        return bool(self.place_text or self.day_text or self.filters.policy_sources)

    @property
    def further(self) -> list[tuple[str, str]]:
        """The filters that have no field of their own in the form."""
        return _further(self.filters)

    @property
    def further_texts(self) -> list[str]:
        return [value for _, value in self.further]

    @property
    def without_further(self) -> str:
        """The address that asks the same without `further`."""
        kept = Filters(policy_sources=self.filters.policy_sources, regions=self.filters.regions)
        return address(self.question, kept, self.as_of)


def read_query(given: MultiMapping[str]) -> PageQuery:
    """The question in a page's address; fields it does not know are passed over."""
    errors: dict[str, str] = {}
    place_text = ", ".join(part for part in given.getall("place", []) if part.strip())
    day_text = given.get("as_of", "").strip()
    return PageQuery(
        question=given.get("q", "").strip(),
        filters=Filters(
            policy_sources=_given(given, "source"),
            regions=_places(place_text, errors),
            content_types=_given(given, "content_type"),
            sections=_given(given, "section"),
            labels=_labels(_given(given, "label")),
        ),
        as_of=_day(day_text, errors),
        place_text=_readable(place_text),
        day_text=day_text,
        errors=errors,
    )


def address(question: str, filters: Filters, as_of: date | None) -> str:
    """The page's address that asks `question` with `filters`."""
    fields = [("q", question)]
    fields += [("place", code) for code in filters.regions]
    fields += [("source", slug) for slug in filters.policy_sources]
    fields += _further(filters)
    fields += [("as_of", as_of.isoformat())] if as_of else []
    return "/?" + urlencode(fields)


def _further(filters: Filters) -> list[tuple[str, str]]:
    fields = [("content_type", value) for value in filters.content_types]
    fields += [("section", value) for value in filters.sections]
    return fields + [("label", f"{key}:{value}") for key, values in filters.labels.items() for value in values]


def _given(given: MultiMapping[str], name: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in given.getall(name, []) if value.strip())


def _labels(pairs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    labels: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        key, _, value = pair.partition(":")
        labels[key] = (*labels.get(key, ()), value)
    return labels


def _places(text: str, errors: dict[str, str]) -> tuple[str, ...]:
    codes = []
    for name in filter(None, (part.strip() for part in text.split(","))):
        try:
            codes.append(region_named(name) or normalise(name))
        except Rejected:
            errors["place"] = web_pages.bad_place(name)
    return tuple(dict.fromkeys(codes))


def _readable(text: str) -> str:
    """Codes as names, where the name is one the field understands."""
    return ", ".join(_name(part.strip()) for part in text.split(",") if part.strip())


def _name(part: str) -> str:
    try:
        name = display_name(normalise(part))
    except Rejected:
        return part
    return name if region_named(name) else part


def _day(text: str, errors: dict[str, str]) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        errors["as_of"] = web_pages.bad_day(text)
        return None


_PLACES_OFFERED = ("uk", "us", "de", "fr", "in", "au", "ca", "es", "it", "nl", "pl", "se", "jp", "br", "us-tx", "eu")
"""Suggestions of the place field, not its limits."""

routes = web.RouteTableDef()


@routes.get("/")
async def home(request: web.Request) -> web.Response:
    """The form; with `q` in the address, what came of the question below it."""
    parts, caller = request.app[PARTS], caller_of(request, Permission.ASK)
    query = read_query(request.query)
    outcome = None
    if query.question and not query.errors:
        outcome = await attempt(while_connected(request, _asked(parts, caller, query, peer_of(request, parts.proxies))))
    sources = await parts.store.sources(caller.groups)
    context: dict[str, object] = {
        "query": query,
        "sources": sources,
        "document_count": sum(source.documents for source in sources),
        "places_offered": _PLACES_OFFERED,
        "question_length": MAX_QUESTION,
        "problem": outcome if isinstance(outcome, Problem) else None,
        "answered": outcome if isinstance(outcome, Answered) else None,
        "names": parts.links.source_names,
        "links": parts.links,
        "kind": _kind(outcome.reply) if isinstance(outcome, Answered) else None,
        "titles": document_titles(outcome.reply) if isinstance(outcome, Answered) else {},
        "conditions": _conditions(outcome.reply) if isinstance(outcome, Answered) else [],
        "choice_address": lambda choice: _choice_address(choice, query),
    }
    return render(request, "home.html", context, status=_status(query, outcome))


async def _asked(parts: WebParts, caller: Caller, query: PageQuery, peer: str) -> Answered:
    asked = Asked(
        text=query.question,
        actor=caller.on("web"),
        asked_from="web",
        filters=query.filters,
        as_of=query.as_of,
        groups=caller.groups,
        counted=caller.known,  # of those nobody knows by name, a limit would be one for all readers together
    )
    with parts.waiting.one_of(peer):
        return await parts.ask(asked)


def _status(query: PageQuery, outcome: Answered | Problem | None) -> int:
    if isinstance(outcome, Problem):
        return outcome.status
    return 422 if query.errors else 200


def _kind(reply: Reply) -> str:
    if isinstance(reply, Answer):
        return "answer"
    return "refusal" if isinstance(reply, Refusal) else "clarification"


def _conditions(reply: Reply) -> list[Condition]:
    """Each condition once, though several places may have it."""
    verdicts = reply.verdicts if isinstance(reply, Answer) else ()
    return list(dict.fromkeys(condition for verdict in verdicts for condition in verdict.conditions))


def _choice_address(choice: Choice, query: PageQuery) -> str:
    """A choice as a link; it keeps the day that was asked about."""
    return address(choice.question, choice.filters, query.as_of)
