"""Requests made up from the OpenAPI document, fitting and not, and the answers held against it (schemathesis)."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from ops.bench.fuzz_tally import Sent, Tally

Known = Mapping[str, Sequence[str]]
"""Field -> values that mean something: requests that get further than the first check have some of them."""

_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
    allow_header_conformance,
]
_CHECKS_OF_MISFITS = [*_CHECKS, negative_data_rejection]
_ACCEPTS = ("application/json", "text/event-stream", "*/*", "text/html")


def _checks_of_misfit(case: "Case[Any]") -> list[Any]:
    """Only a body can be told to be of the wrong type: in an address a number is a word, too, and an empty object is
    nothing at all."""
    return _CHECKS if case.operation.method.upper() == "GET" else _CHECKS_OF_MISFITS


class DescribedRequests:
    """Sends requests to `address`, by what `document` says of it; `headers` go with each. Blocks."""

    def __init__(
        self,
        document: Mapping[str, Any],
        address: str,
        tally: Tally,
        *,
        known: Known,
        bound_seconds: float,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        schema = schemathesis.openapi.from_dict(dict(document))
        self._operations = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
        self._address = address
        self._tally = tally
        self._known = known
        self._bound = bound_seconds
        self._headers = dict(headers or {})
        self._session = requests.Session()

    def round(self, number: int, examples: int, go_on: Callable[[], bool] = lambda: True) -> None:
        """So many requests of each operation and mode; another `number`, other requests."""
        for operation in self._operations:
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                if go_on():
                    self._made_up(operation, mode, number, examples, go_on)

    def close(self) -> None:
        self._session.close()

    def _made_up(
        self,
        operation: "APIOperation[Any, Any, Any, Any]",
        mode: GenerationMode,
        number: int,
        examples: int,
        go_on: Callable[[], bool],
    ) -> None:
        @seed(number)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(case=operation.as_strategy(generation_mode=mode), draw=st.data())
        def send(case: "Case[Any]", draw: st.DataObject) -> None:
            if go_on():
                fits = mode is GenerationMode.POSITIVE
                case = self._meaningful(case, draw) if fits else case
                self._send(case, draw.draw(st.sampled_from(_ACCEPTS)), _CHECKS if fits else _checks_of_misfit(case))

        with contextlib.suppress(Unsatisfiable):  # there is nothing that it could be given wrongly
            send()

    def _meaningful(self, case: "Case[Any]", draw: st.DataObject) -> "Case[Any]":
        """The case with some of its values replaced by ones that mean something to the server."""
        case.path_parameters = self._replaced(case.path_parameters, draw)
        case.query = self._replaced(case.query, draw)
        case.body = self._replaced(case.body, draw)
        return case

    def _replaced(self, value: Any, draw: st.DataObject) -> Any:
        if not isinstance(value, dict):
            return value
        found = {}
        for name, each in value.items():
            values = self._known.get(name, ()) if isinstance(each, str) else ()
            taken = bool(values) and draw.draw(st.booleans())
            found[name] = draw.draw(st.sampled_from(values)) if taken else self._replaced(each, draw)
        return found

    def _send(self, case: "Case[Any]", accept: str, checks: list[Any]) -> None:
        began = time.perf_counter()
        route, headers = case.operation.label, {"Accept": accept, **self._headers}
        try:
            response = case.call(
                base_url=self._address,
                session=self._session,
                headers=headers,
                timeout=self._bound,
                allow_redirects=False,
            )
        except requests.Timeout:
            what = case.as_curl_command()
            self._tally.add(Sent(route, None, time.perf_counter() - began, what, hung=True))
            return
        except requests.RequestException as exc:
            self._tally.add(Sent(route, None, time.perf_counter() - began, type(exc).__name__))
            return
        self._tally.add(Sent(route, response.status_code, response.elapsed, case.as_curl_command()))
        try:
            case.validate_response(response, checks=checks)
        except FailureGroup as exc:
            for failure in exc.exceptions:
                kind = f"{route} {response.status_code}: {type(failure).__name__}"
                self._tally.complain(kind, f"{failure} {case.as_curl_command()}")
