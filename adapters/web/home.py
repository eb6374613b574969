"""`/`: a question can be typed, and the answer read with its links. Works without any script."""

from aiohttp import web

from adapters.web.callers import Caller, caller_of
from adapters.web.parts import PARTS, WebParts
from adapters.web.peers import peer_of
from adapters.web.problems import Problem, attempt
from adapters.web.query import PageQuery, address, read_query
from adapters.web.streaming import while_connected
from adapters.web.templating import render
from bot.access.tokens import Permission
from bot.questions.answerer import Answered, Asked
from bot.render.markdown import document_titles
from rag_core.answers import Answer, Choice, Condition, Refusal, Reply
from rag_core.understanding.cleaning import MAX_QUESTION

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
