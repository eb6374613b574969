"""What is secret is found however it is spelled, and nothing else is touched."""

import json
import logging
import time
import timeit
from urllib.parse import quote, quote_plus

import pytest
import structlog

from ops.redaction.logged import RedactedFormatter, redact
from ops.redaction.redactor import REDACTED, SHAPES, Redactor
from tests.fakes.secrets import AWS_KEY, PART, SHAPED, SLACK_SIGNATURE, in_base64

ODD = 'p@ss w"ö:rd/+\\9'
ADDRESS = f"postgresql://bot:{quote(ODD, safe='')}@db:5432/adpolicy"
KEYS = "first-of-the-keys-0123,second-of-the-keys-4567"  # pragma: allowlist secret
LINE = (
    "2026-11-22T13:33:09.123456Z [info     ] answered                       asked_from=slack kind=answer "
    "question_id=2b9e1f7c-0c4b-4c4d-9d2e-9f1f5d1c2a3b seconds=0.123"
)


@pytest.mark.parametrize("name", SHAPED)
def test_what_looks_like_a_secret_is_replaced_wherever_it_stands(name: str) -> None:
    secret = SHAPED[name]
    for text in (secret, f"refused: {secret}", f'"{secret}"', f"({secret})", json.dumps({"x": secret}), repr(secret)):
        cleaned = Redactor().text(text)
        assert PART not in cleaned, text
        assert REDACTED in cleaned


@pytest.mark.parametrize("name", SHAPED)
def test_redacting_again_changes_nothing(name: str) -> None:
    once = Redactor([ODD]).text(f"{ODD} {SHAPED[name]} {ODD}")
    assert Redactor([ODD]).text(once) == once


def test_keys_and_signatures_without_letters_of_their_own_are_found() -> None:
    for secret in (AWS_KEY, SLACK_SIGNATURE):
        assert Redactor().text(f"x {secret} y") == f"x {REDACTED} y"


def test_what_stands_around_a_secret_stays() -> None:
    clean = Redactor().text
    assert clean(SHAPED["database address"]) == f"postgresql://{REDACTED}@db.example.com/adpolicy"
    assert clean(SHAPED["commands address"]) == f"https://hooks.slack.com{REDACTED}"
    assert clean(SHAPED["member"]) == f"https://example.com/x?a=1&access_token={REDACTED}&b=2"
    assert clean(SHAPED["keyword"]) == f"connect(user='bot', password='{REDACTED}')"


SPELLED = {
    "as it is": ODD,
    "url-encoded": quote(ODD),
    "wholly url-encoded": quote(ODD, safe=""),
    "in small letters": quote(ODD, safe="").lower(),
    "as a form": quote_plus(ODD),
    "json": json.dumps(ODD),
    "json with its letters": json.dumps(ODD, ensure_ascii=False),
    "repr": repr(ODD),
    "base64": in_base64(ODD),
    "base64 behind one byte": in_base64(ODD, ":"),
    "base64 behind a user": in_base64(ODD, "admin:"),
    "base64 behind two bytes": in_base64(ODD, "a:"),
    "base64 for addresses": in_base64(ODD, "u:").replace("+", "-").replace("/", "_"),
    "hexadecimal": ODD.encode().hex(),
    "the whole address": ADDRESS,
}


@pytest.mark.parametrize("how", SPELLED)
def test_a_setting_is_found_however_it_is_spelled(how: str) -> None:
    """Given as an address only: the password in it is looked for by itself."""
    text = f"odd {SPELLED[how]} odd"
    cleaned = Redactor([ADDRESS]).values(text)
    assert REDACTED in cleaned
    middle = SPELLED[how][3:-3]  # what base64 shares with its neighbours may stay
    assert middle not in cleaned


def test_without_being_told_it_would_stay() -> None:
    assert Redactor().text(f"odd {ODD} odd") == f"odd {ODD} odd"


def test_each_of_several_keys_is_a_secret() -> None:
    clean = Redactor([KEYS]).text
    for key in KEYS.split(","):
        assert clean(f"wrong: {key}!") == f"wrong: {REDACTED}!"


def test_a_short_secret_counts_as_a_word_and_a_tiny_one_not_at_all() -> None:
    clean = Redactor(["local", "abc"]).text
    assert clean("local, locally, of local: abc") == f"{REDACTED}, locally, of {REDACTED}: abc"


def test_a_secret_within_a_secret_goes_with_the_longer_one() -> None:
    assert Redactor(["planted", "planted-and-longer"]).text("planted-and-longer") == REDACTED


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        "adpolicy_dependency_call_seconds_bucket",
        "prompt_tokens=5 completion_tokens=7",
        "basic authentication is for servers",
        "https://hooks.example.com/commands/1",
        "https://example.com/a@b?x=1",
        "Tokens are counted. The secret of success: none.",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "the signing key was made",
        "disk-usage 5 %, task-queue-is-long",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert Redactor([ADDRESS, KEYS]).text(text) == text


def test_nested_values_and_keys_are_cleaned_and_numbers_stay() -> None:
    secret = SHAPED["bot token"]
    value = {
        secret: [1, (secret, {"deep": {"deeper": f"x {secret}"}}), secret.encode()],
        "n": 5,
        "ok": True,
        "none": None,
        "odd": ValueError(secret),
        "db_password": "1",
        "authorization": b"2",
        "prompt_tokens": 3,
        "response_url": "http://127.0.0.1/r/1",
    }
    cleaned = Redactor().nested(value)
    assert PART not in repr(cleaned)
    told = {name: cleaned[name] for name in value if name != secret}
    hidden = {"db_password": REDACTED, "authorization": REDACTED, "response_url": REDACTED}
    assert told == {"n": 5, "ok": True, "none": None, "odd": REDACTED, "prompt_tokens": 3} | hidden


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ({ODD: 1}, {REDACTED: 1}),
        ([ODD], [REDACTED]),
        ({"a": ODD.encode()}, {"a": REDACTED}),
        ({1: ODD}, {1: REDACTED}),
    ],
    ids=["key", "member", "bytes", "behind a number"],
)
def test_a_secret_that_stands_in_one_place_only_is_found(value: object, cleaned: object) -> None:
    assert Redactor([ODD]).nested(value) == cleaned


def test_lists_in_lists_without_an_end_end() -> None:
    endless: list[object] = [ODD]
    endless.append(endless)
    assert ODD not in repr(Redactor([ODD]).nested(endless))


def test_a_secret_behind_a_line_break_or_alone_in_a_deep_value_is_found() -> None:
    redactor = Redactor(["local"])
    for secret in (SHAPED["bot token"], "local"):
        assert redactor.nested({"a": [{"b": f"x\n{secret}"}]}) == {"a": [{"b": f"x\n{REDACTED}"}]}


def test_what_holds_no_secret_is_given_back_as_it_is() -> None:
    value = {"event": "answered", "seconds": 0.1, "degraded": ("store",), "odd": object()}
    assert Redactor([ODD]).nested(value) is value


def test_what_contains_itself_ends() -> None:
    endless: dict[str, object] = {"secret text": SHAPED["bot token"]}
    endless["again"] = endless
    assert PART not in repr(Redactor().nested(endless))


def test_event_name_keys_values_and_exceptions_of_a_line_are_cleaned_and_it_stays_json() -> None:
    secret = f'{SHAPED["private key"]} "and" {SHAPED["database address"]}'
    redactor = Redactor([ODD])
    steps = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        redact(redactor),
        structlog.processors.JSONRenderer(),
    ]
    formatter = RedactedFormatter(redactor, processors=steps)
    record = logging.LogRecord("adpolicy", logging.INFO, __file__, 7, "", (), None)
    record.msg = {"event": f"{secret} {ODD}", f"key {secret}": 1, "list": [{"a": ODD}], "exception": f"at\n{secret}"}
    record.__dict__["_logger"] = None
    record.__dict__["_name"] = "info"
    line = formatter.format(record)
    told = json.loads(line)
    assert PART not in line
    assert ODD not in str(told)
    assert set(told) >= {"event", "list", "exception"}


def test_a_line_that_somebody_put_together_himself_is_cleaned_too() -> None:
    """Without the structured step: the formatter alone."""
    formatter = RedactedFormatter(Redactor([ODD]), processors=[lambda _, __, event: f"{event['event']} {ODD}"])
    record = logging.LogRecord("whoever", logging.INFO, __file__, 7, SHAPED["jwt"], (), None)
    assert formatter.format(record) == f"{REDACTED} {REDACTED}"


def test_a_normal_line_costs_little_more_than_writing_it_as_json() -> None:
    """Both steps. Measured: nine times a round trip of the event through JSON, on the same processor."""
    redactor = Redactor([ADDRESS, KEYS, *(f"planted-secret-number-{n}" for n in range(10))])
    event = {"event": "answered", "asked_from": "slack", "seconds": 0.123, "level": "info", "question_id": "q" * 36}
    both = timeit.Timer(lambda: (redactor.nested(event), redactor.text(LINE)), timer=time.process_time)
    as_json = timeit.Timer(lambda: json.loads(json.dumps(event)), timer=time.process_time)
    assert min(both.repeat(number=500, repeat=7)) < 60 * min(as_json.repeat(number=500, repeat=7))


HOSTILE = (
    "a",
    "://a",
    "%3a%2f%2f%41",
    "-----BEGIN PRIVATE KEY-----",  # pragma: allowlist secret
    "token=",
    "a_token",
    "basic ",
    "Basic a",
    "=",
    "adpolicy_",
    "eyJ",
    "?token",
    "authorization: ",
    "secret_",
    "gAAAA",
    '\\"password="',
    "xoxb.",
    "hooks.slack.com",
    "sk-",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long(piece: str) -> None:
    """Twice the text takes about twice the time; nothing is squared."""
    redactor = Redactor([ADDRESS])

    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length] + "!"
        began = time.process_time()
        redactor.text(text)
        return time.process_time() - began

    small, large = min(seconds(20_000) for _ in range(3)), min(seconds(160_000) for _ in range(3))
    assert large < 24 * small + 0.05
    assert large < 0.5


def test_every_shape_is_found_by_its_hint() -> None:
    """A hint in capitals would never be found: texts are compared in lower case."""
    assert all(hint == hint.lower() for shape in SHAPES for hint in shape.hints)
