"""What OpenSearch says, translated."""

import pytest
from opensearchpy.exceptions import ConnectionTimeout, RequestError, SerializationError, TransportError

from adapters.opensearch.errors import of_item, refusal, translate
from rag_core.errors import Misconfigured, Unavailable


def said(status: int, kind: str, reason: str = "", **more: object) -> TransportError:
    cause = {"type": kind, "reason": reason, **more}
    return TransportError(status, kind, {"error": {"type": kind, "root_cause": [cause]}})


@pytest.mark.parametrize(
    ("exc", "kind", "code"),
    [
        (ConnectionTimeout("TIMEOUT", "x", TimeoutError()), Unavailable, "index_down"),
        (TimeoutError(), Unavailable, "index_down"),
        (said(503, "cluster_manager_not_discovered_exception"), Unavailable, "index_down"),
        (
            said(503, "cluster_block_exception", "blocked by: [SERVICE_UNAVAILABLE/1/no state]"),
            Unavailable,
            "index_down",
        ),
        (said(429, "rejected_execution_exception"), Unavailable, "index_overloaded"),
        (said(429, "circuit_breaking_exception"), Unavailable, "index_overloaded"),
        (said(429, "cluster_block_exception", "disk usage exceeded"), Unavailable, "index_read_only"),
        (said(403, "cluster_block_exception", "index read-only"), Unavailable, "index_read_only"),
        (said(403, "security_exception"), Misconfigured, "index_login"),
        (said(401, "security_exception"), Misconfigured, "index_login"),
        (said(404, "index_not_found_exception", index="x"), Unavailable, "index_gone"),
        (said(404, "resource_not_found_exception"), Unavailable, "index_failed"),
        (said(400, "invalid_alias_name_exception", index="x"), Misconfigured, "index_name_taken"),
        (said(400, "query_shard_exception"), Unavailable, "index_failed"),
        (RequestError(400, '{"error": {"type": "x"}}', None), Unavailable, "index_failed"),
        (TransportError(500, "no JSON at all", None), Unavailable, "index_failed"),
        (SerializationError("x"), Unavailable, "index_failed"),
    ],
)
def test_each_has_its_code(exc: Exception, kind: type[Exception], code: str) -> None:
    error = translate(exc)  # type: ignore[arg-type]
    assert isinstance(error, kind)
    assert error.code == code


def test_what_was_asked_is_forgotten() -> None:
    exc = said(400, "parsing_exception", "my secret question")
    error = translate(exc)
    assert "secret" not in f"{exc!r} {exc} {error} {error.details}"


def test_of_a_search_the_shards_say_why() -> None:
    failed = {"reason": {"type": "index_not_found_exception", "index": "old"}}
    body = {"error": {"type": "search_phase_execution_exception", "root_cause": [], "failed_shards": [failed]}}
    error = translate(TransportError(404, "search_phase_execution_exception", body))
    assert (error.code, error.details) == ("index_gone", {"index": "old"})


def test_only_a_refused_document_is_its_own_fault() -> None:
    assert of_item(400, {"type": "mapper_parsing_exception"}) is None
    for status, kind, code in (
        (429, "rejected_execution_exception", "index_overloaded"),
        (503, "unavailable_shards_exception", "index_down"),
        (403, "cluster_block_exception", "index_read_only"),
        (500, "exception", "index_failed"),
    ):
        found = of_item(status, {"type": kind})
        assert found is not None
        assert found.code == code


def test_a_refusal_says_why_without_the_document() -> None:
    reason = (
        "failed to parse field [level] of type [short] in document with id 'c1'. Preview of field's value: 'SECRET'"
    )
    cause = {"type": "number_format_exception", "reason": "For input string: 'SECRET'"}
    told = refusal({"type": "mapper_parsing_exception", "reason": reason, "caused_by": cause})
    assert told.startswith("mapper_parsing_exception: failed to parse field [level] of type [short]")
    assert "SECRET" not in told
    assert refusal({}) == "refused"
