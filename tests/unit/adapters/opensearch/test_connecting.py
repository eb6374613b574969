"""How a cluster is reached: TLS, log-in, signatures, several hosts, time, and what gets into logs."""

import asyncio
import base64
import logging
import ssl
import time
import traceback
from pathlib import Path

import pytest
from awscrt.auth import AwsCredentialsProvider  # type: ignore[import-untyped]

from adapters.opensearch.aws import signing
from adapters.opensearch.client import connect
from adapters.opensearch.settings import OpenSearchSettings
from rag_core.deadlines import within
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.certificates import CertificateFiles, certificates
from tests.fakes.opensearch_front import error, front_of, hang
from tests.fakes.opensearch_gate import expected_signature, gate

SEARCH = {"query": {"match_phrase": {"text": "my secret question"}}}


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    return certificates(tmp_path)


def serving(files: CertificateFiles) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(files.certificate, files.key)
    return context


async def test_a_certificate_of_our_own_authority_is_trusted_and_the_password_sent(files: CertificateFiles) -> None:
    async with gate(serving(files)) as cluster:
        settings = OpenSearchSettings((cluster.url,), username="bot", password="p:w/ü", ca_file=files.authority)
        client = connect(settings)
        await client.call("POST", "/x/_search", SEARCH)
        await client.aclose()
    sent = base64.b64decode(cluster.requests[0].headers["authorization"].removeprefix("Basic ")).decode("utf-8")
    assert sent == "bot:p:w/ü"


async def test_a_password_in_the_address_is_the_one_of_that_host(files: CertificateFiles) -> None:
    async with gate() as cluster:
        address = cluster.url.replace("http://", "http://ann:b%40c@")
        client = connect(OpenSearchSettings((address,), username="other", password="x"))
        await client.call("GET", "/")
        await client.aclose()
    assert cluster.requests[0].headers["authorization"] == "Basic " + base64.b64encode(b"ann:b@c").decode()


async def test_a_certificate_of_an_unknown_authority_is_refused(files: CertificateFiles) -> None:
    async with gate(serving(files)) as cluster:
        client = connect(OpenSearchSettings((cluster.url,)))
        with pytest.raises(Misconfigured, match="index_certificate") as caught:
            await client.call("GET", "/")
        await client.aclose()
    assert cluster.requests == []
    assert "certificate" in str(caught.value.details["reason"])


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_cannot_be_read_are_named(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises(Misconfigured, match="ca_file_unreadable") as caught:
        connect(OpenSearchSettings(("https://127.0.0.1:1",), ca_file=path))
    assert caught.value.details["path"] == str(path)


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_log_in_is_for_the_operator(status: int) -> None:
    async with gate() as cluster:
        cluster.status = status
        client = connect(OpenSearchSettings((cluster.url,)))
        with pytest.raises(Misconfigured, match="index_login") as caught:
            await client.call("GET", "/")
        await client.aclose()
    assert caught.value.details == {"status": status}


@pytest.mark.parametrize("service", ["es", "aoss"])
@pytest.mark.parametrize("body", [SEARCH, b'{"index":{}}\n{"x":"\xc3\xbc"}\n', None])
async def test_requests_are_signed_for_aws(service: str, body: object) -> None:
    async with gate() as cluster:
        settings = OpenSearchSettings(
            (cluster.url,),
            username="not",
            password="used",
            aws_region="eu-west-1",
            aws_service=service,  # type: ignore[arg-type]
        )
        credentials = AwsCredentialsProvider.new_static("AKID", "topsecret", "session")
        client = connect(settings, connection_class=signing(settings, credentials))
        params = {"search_pipeline": "a/c", "preference": "7"}
        await client.call("POST", "/some-chunks/_search", body, params=params)  # type: ignore[arg-type]
        await client.aclose()
    request, sent = cluster.requests[0], cluster.bodies[0]
    scope, signature = (
        request.headers["authorization"].split("Credential=")[1].split(",")[0],
        expected_signature(request, sent, "topsecret", "eu-west-1", service),
    )
    assert scope.startswith("AKID/")
    assert scope.endswith(f"/eu-west-1/{service}/aws4_request")
    assert request.headers["authorization"].endswith(f"Signature={signature}")
    assert request.headers["x-amz-security-token"] == "session"
    assert {"host", "x-amz-date", "x-amz-content-sha256"} <= set(
        request.headers["authorization"].split("SignedHeaders=")[1].split(",")[0].split(";")
    )


async def test_without_credentials_for_aws_the_operator_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    settings = OpenSearchSettings(("http://127.0.0.1:1",), aws_region="eu-west-1")
    client = connect(settings, connection_class=signing(settings))
    with pytest.raises(Misconfigured, match="aws_credentials"):
        await client.call("GET", "/")
    await client.aclose()


async def test_the_next_host_answers_for_one_that_is_gone() -> None:
    async with gate() as gone:
        dead = gone.url
    async with gate() as cluster:
        client = connect(OpenSearchSettings((dead, cluster.url)))
        for _ in range(4):
            await client.call("GET", "/")
        await client.aclose()
    assert len(cluster.requests) == 4


async def test_nobody_there_is_unavailable() -> None:
    client = connect(OpenSearchSettings(("http://127.0.0.1:1",)))
    with pytest.raises(Unavailable, match="index_down"):
        await client.call("GET", "/")
    await client.aclose()


async def test_a_connection_that_hangs_ends_in_time() -> None:
    async with front_of("http://127.0.0.1:1") as front:
        front.trouble = hang
        client = connect(OpenSearchSettings((front.url,), seconds=0.3))
        started = time.monotonic()
        with pytest.raises(Unavailable, match="index_down"):
            await client.call("GET", "/")
        assert time.monotonic() - started < 20
        patient = connect(OpenSearchSettings((front.url,), seconds=60))
        with pytest.raises((Unavailable, TimeoutError)):
            async with within(0.3):
                await patient.call("GET", "/")
        assert time.monotonic() - started < 40
        await client.aclose()
        await patient.aclose()


async def test_a_full_queue_is_tried_again_until_the_time_is_over() -> None:
    async with gate() as cluster, front_of(cluster.url) as front:
        full = [3]

        async def trouble(*_: object) -> object:
            full[0] -= 1
            return error(429, "rejected_execution_exception") if full[0] >= 0 else None

        front.trouble = trouble  # type: ignore[assignment]
        client = connect(OpenSearchSettings((front.url,), seconds=5.0))
        await client.call("POST", "/x/_search", SEARCH)
        assert len(front.seen) == 4
        full[0] = 10**6
        started = time.monotonic()
        with pytest.raises(Unavailable, match="index_overloaded"):
            await client.call("POST", "/x/_search", SEARCH, seconds=0.4)
        assert time.monotonic() - started < 20
        with pytest.raises(Unavailable, match="index_overloaded"):
            await client.call("POST", "/x/_search", SEARCH, patient=False)
        await client.aclose()


class Counting:
    """A breaker that only counts."""

    def __init__(self) -> None:
        self.failures: list[BaseException] = []
        self.calls = 0

    def guard(self) -> "Counting":
        return self

    async def __aenter__(self) -> None:
        self.calls += 1

    async def __aexit__(self, _: object, exc: BaseException | None, __: object) -> None:
        if exc is not None:
            self.failures.append(exc)


async def test_only_no_answer_is_a_failure_to_the_breaker() -> None:
    async with gate() as cluster, front_of(cluster.url) as front:
        breaker = Counting()
        client = connect(OpenSearchSettings((front.url,), seconds=0.3), breaker=breaker)
        for status, kind in ((400, "x"), (404, "index_not_found_exception"), (429, "full"), (500, "x"), (403, "x")):

            async def refuse(*_: object, status: int = status, kind: str = kind) -> object:
                return error(status, kind, index="x")

            front.trouble = refuse  # type: ignore[assignment]
            with pytest.raises((Unavailable, Misconfigured)):
                await client.call("GET", "/")
        assert breaker.failures == []
        front.trouble = hang
        with pytest.raises(Unavailable):
            await client.call("GET", "/")
        assert [getattr(each, "code", "") for each in breaker.failures] == ["index_down"]
        await client.aclose()


async def test_what_people_ask_gets_into_no_log_and_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with gate() as cluster, front_of(cluster.url) as front:

        async def quoting(_: object, body: bytes) -> object:
            return error(400, "parsing_exception", reason=f"cannot parse {body.decode()}")

        front.trouble = quoting  # type: ignore[assignment]
        client = connect(OpenSearchSettings((front.url,)))
        try:
            await client.call("POST", "/x/_search", SEARCH)
        except Unavailable as exc:
            told = "".join(traceback.format_exception(exc))
        front.trouble = None
        await client.call("POST", "/x/_search", SEARCH)
        await client.aclose()
    assert "index_failed" in told
    for text in (told, caplog.text):
        assert "secret question" not in text


async def test_a_cancelled_request_lets_go() -> None:
    async with front_of("http://127.0.0.1:1") as front:
        front.trouble = hang
        client = connect(OpenSearchSettings((front.url,)))
        asking = asyncio.create_task(client.call("GET", "/"))
        await front.came.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await client.aclose()
