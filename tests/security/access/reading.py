"""Roads without a question: passages, pages, documents, searches, changes, by their addresses and ids."""

import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from tests.security.access.attempts import Attempt, Proof, Road
from tests.security.access.world import Door, World

_LAST = 9_223_372_036_854_775_807


def _got(path: str) -> Any:
    async def take(door: Door) -> str:
        return await door.get(path)

    return take


def _paged(path: str) -> Any:
    async def take(door: Door) -> str:
        return await door.page(path)

    return take


def _proof(world: World, key: str) -> Proof:
    return Proof.HIDDEN if world.secrets[key].hidden.groups else Proof.TAKEN


def _chunks(world: World) -> Iterator[Attempt]:
    for key, secret in world.secrets.items():
        said = f"{secret.chunk_ids[0]} {secret.chunk_ids[0].upper()}"
        path = f"/api/v1/chunks/{secret.chunk_ids[0]}"
        yield Attempt(key, key, _got(path), said, _proof(world, key))
    memo = world.secrets["memo"].chunk_ids[0]
    yield Attempt("in capitals", "memo", _got(f"/api/v1/chunks/{memo.upper()}"), f"{memo} {memo.upper()}")
    yield Attempt("what is nowhere", "memo", _got(f"/api/v1/chunks/{uuid.UUID(int=7)}"), proof=Proof.TAKEN)


def _sources(world: World) -> Iterator[Attempt]:
    for key, secret in world.secrets.items():
        said = f"{secret.doc_id} {secret.hidden.document_id} {secret.hidden.day or '2024-02-29'}"
        yield Attempt(key, key, _paged(f"/sources/{secret.doc_id}"), said, _proof(world, key))
        marked = f"/sources/{secret.doc_id}?from=0&to=40&chunk={secret.chunk_ids[0]}"
        yield Attempt(f"{key}, marked", key, _paged(marked), f"{said} {secret.chunk_ids[0]}", _proof(world, key))
    for doc_id in world.public:
        strange = f"/sources/{quote(doc_id)}?chunk={world.secrets['memo'].chunk_ids[0]}"
        said = world.secrets["memo"].chunk_ids[0]
        proof = Proof.PUBLIC if doc_id.startswith("tarrow") else Proof.TAKEN
        yield Attempt(f"{doc_id} with another's chunk", "memo", _paged(strange), said, proof)


def _documents(world: World) -> Iterator[Attempt]:
    path = "/api/v1/documents"
    yield Attempt("all", "memo", _got(path))
    yield Attempt("one at a time", "memo", _walked(path, "cursor"))
    for key, slug in (("platform", "zorblatt"), ("memo", "tarrow"), ("moved", "moorle")):
        yield Attempt(slug, key, _got(f"{path}?policy_source={slug}"), slug)
    for key in ("memo", "nobody"):
        before = world.secrets[key].hidden.document_id[:-1]
        yield Attempt(f"behind {before}", key, _got(f"{path}?limit=1&cursor={before}"), before, Proof.TAKEN)


def _walked(path: str, name: str) -> Any:
    """A list, read page by page with the cursors that it gives."""

    async def take(door: Door) -> str:
        read, cursor = [], ""
        for _ in range(60):
            text = await door.get(f"{path}?{urlencode({'limit': 1, name: cursor})}")
            read.append(text)
            cursor = text.split('"cursor": "')[-1].split('"')[0]
            if '"has_more": true' not in text:
                break
        return "\n".join(read)

    return take


def _versions(world: World) -> Iterator[Attempt]:
    for key, secret in world.secrets.items():
        document = secret.hidden.document_id
        path = f"/api/v1/documents/{document}/versions"
        said = document if secret.hidden.is_secret else ""
        yield Attempt(key, key, _got(path), said, _proof(world, key))
        if secret.hidden.day:
            dated = f"{path}?as_of={secret.hidden.day}"
            yield Attempt(f"{key} on its day", key, _got(dated), f"{said} {secret.hidden.day}", _proof(world, key))
            behind = f"{path}?cursor={secret.doc_id}"
            yield Attempt(f"{key} behind it", key, _got(behind), secret.doc_id, Proof.TAKEN)
    for document in ("tarrow_vouchers", "tarrow_parcels", "tarrow_alcohol"):
        yield Attempt(document, "replaced", _got(f"/api/v1/documents/{document}/versions"), proof=Proof.PUBLIC)


def _what_replaces(world: World) -> Iterator[Attempt]:
    """A public version says what it replaces: to members."""
    [doc_id] = [each for each in world.public if each.startswith("tarrow_vouchers")]
    yield Attempt("its versions", "replaced", _got("/api/v1/documents/tarrow_vouchers/versions"))
    yield Attempt("its passage", "replaced", _got(f"/api/v1/chunks/{world.public[doc_id][0]}"))
    yield Attempt("a version of a document", "opened", _got("/api/v1/documents/moorle_opening/versions"))
    [opened] = [each for each in world.public if each.startswith("moorle_opening")]
    yield Attempt("a passage of a document", "opened", _got(f"/api/v1/chunks/{world.public[opened][0]}"))


def _verified(world: World) -> Iterator[Attempt]:
    claim = "Ads are prohibited."
    for key, secret in world.secrets.items():
        for name, place in (("chunk_id", secret.chunk_ids[0]), ("doc_id", secret.doc_id)):
            said = f"{place} {secret.hidden.document_id} {secret.hidden.day or '2024-02-29'}"
            yield Attempt(f"{key} by {name}", key, _claimed(claim, name, place), said, _proof(world, key))
    memo = world.secrets["memo"]
    quoted = "Ads for vexolune are prohibited at Tarrow."
    take = _claimed(quoted, "doc_id", memo.doc_id, quote=quoted)
    yield Attempt("with the sentence itself", "memo", take, f"{quoted} {memo.doc_id}")
    for doc_id in list(world.public)[:3]:
        yield Attempt(f"in {doc_id}", "memo", _claimed(quoted, "doc_id", doc_id), f"{quoted} {doc_id}", Proof.PUBLIC)


def _claimed(claim: str, name: str, place: str, **more: str) -> Any:
    async def take(door: Door) -> str:
        return await door.post("/api/v1/verify-citation", {"claim": claim, name: place, **more})

    return take


_SEARCHES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("memo", "vexolune", {}),
    ("memo", "ads for vexolune are prohibited", {"limit": 100}),
    ("memo", "prohibited ads", {"limit": 100}),
    ("memo", "vexolune", {"filters": {"region": "no"}}),
    ("memo", "vexolune", {"filters": {"labels": {"quorbine": "skarvane"}}}),
    ("memo", "vexolune", {"filters": {"labels": {"QUORBINE": ["Skarvane", "x"]}}}),
    ("memo", "anything", {"filters": {"policy_section": "Hjelmsuth"}}),
    ("memo", "vexolune", {"as_of": "2024-02-29"}),
    ("memo", "vexolune", {"filters": {"content_type": "general"}}),
    ("twist", "alcohol", {"filters": {"region": "is"}, "limit": 100}),
    ("twist", "alcohol", {"filters": {"policy_source": "tarrow", "policy_section": ["iceland"]}}),
    ("copy", "parcel lockers", {"limit": 50}),
    ("both", "hesperquil", {"prefer_specific": False}),
    ("platform", "kilnware", {"filters": {"policy_source": "zorblatt"}}),
    ("platform", "kilnware", {"filters": {"policy_source": ["tarrow", "zorbly"]}}),
    ("platform", "ovens", {"limit": 100}),
    ("closed", "rockets solvarine", {"limit": 100}),
    ("moved", "sledges", {"limit": 100}),
    ("moved_before", "sledges", {"as_of": "2024-12-01"}),
    ("opened", "kites", {"as_of": "2024-12-01"}),
    ("replaced", "vouchers", {"as_of": "2024-12-01"}),
)


def _searched(_: World) -> Iterator[Attempt]:
    for of, query, more in _SEARCHES:
        yield Attempt(f"{query} {more}", of, _search(query, more), f"{query} {more}")
    for query in ("drimquast", "dorsk-plan", "fennelhythe agrees"):
        yield Attempt(query, "nobody", _search(query, {"limit": 100}), query, Proof.PUBLIC)
    wrong = {"filters": {"policy_source": "nowhere"}}
    yield Attempt("an unknown platform", "platform", _search("kilnware", wrong), "kilnware", Proof.HIDDEN)


def some_searches(_: World) -> Iterator[Attempt]:
    for of, query, more in (*_SEARCHES[:3], *_SEARCHES[9:18]):
        yield Attempt(f"{query} {more}", of, _search(query, more), f"{query} {more}")


def _search(query: str, more: dict[str, Any]) -> Any:
    async def take(door: Door) -> str:
        return await door.post("/api/v1/search", {"query": query, **more})

    return take


def _feed(world: World) -> Iterator[Attempt]:
    path = "/api/v1/changes"
    for key in ("memo", "platform", "both", "closed", "moved", "moved_before", "opened", "replaced"):
        yield Attempt(f"all, for {key}", key, _got(f"{path}?limit=200"))
    yield Attempt("all, for nobody's", "nobody", _got(f"{path}?limit=200"), proof=Proof.PUBLIC)
    yield Attempt("one at a time", "memo", _walked(path, "cursor"))
    yield Attempt("a platform", "platform", _got(f"{path}?policy_source=zorblatt"), "zorblatt")
    yield Attempt("the day of a hidden one", "memo", _got(f"{path}?since=2024-02-29&until=2024-02-29"), "2024-02-29")
    yield Attempt("nothing after the last", "memo", _got(f"{path}?cursor={_LAST}"), proof=Proof.TAKEN)
    yield Attempt("none", "memo", _got(f"{path}?limit=0"), proof=Proof.TAKEN)


def _of_nothing(_: World) -> Iterator[Attempt]:
    for path in ("/healthz", "/readyz", "/metrics", "/static/style.css"):
        yield Attempt(path, "memo", _got(path), proof=Proof.TAKEN, alike=False)
    yield Attempt("an address that is none", "memo", _paged("/nowhere"), proof=Proof.TAKEN)


ROADS = (
    Road("chunk", _chunks, ("GET /api/v1/chunks/{chunk_id}",)),
    Road("source page", _sources, ("GET /sources/{doc_id}",)),
    Road("documents", _documents, ("GET /api/v1/documents",)),
    Road("versions", _versions, ("GET /api/v1/documents/{document_id}/versions",)),
    Road("what a version replaces", _what_replaces),
    Road("verify a citation", _verified, ("POST /api/v1/verify-citation",)),
    Road("search", _searched, ("POST /api/v1/search",)),
    Road("change feed", _feed, ("GET /api/v1/changes",)),
    Road("probes", _of_nothing, ("GET /healthz", "GET /readyz", "GET /metrics", "GET /static")),
)
