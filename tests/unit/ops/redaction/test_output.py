"""What goes to standard error by itself: prints, warnings, threads and whole processes that die."""

import gc
import io
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

from ops.config import Config, load_config
from ops.monitoring.logs import set_up_logs
from ops.redaction.output import redacted_output
from ops.redaction.redactor import REDACTED, Redactor
from ops.redaction.sources import redactor_before, redactor_of, secret_settings
from ops.redaction.streams import RedactedStream, unredacted
from tests.fakes.program import ROOT
from tests.fakes.secrets import PART, SHAPED

PLANTED = "hunter2-of-the-operator"  # pragma: allowlist secret
QUESTION = "zeppelin-question-of-somebody"
TOKEN = SHAPED["bot token"]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning
    yield
    assert (threading.excepthook, sys.unraisablehook, warnings.showwarning) == hooks[1:]
    sys.excepthook = hooks[0]
    structlog.reset_defaults()


def written(write: Callable[[RedactedStream], object]) -> str:
    out = io.StringIO()
    stream = RedactedStream(out, Redactor([PLANTED]))
    write(stream)
    stream.flush()
    return out.getvalue()


def test_a_secret_that_comes_in_pieces_is_found() -> None:
    def in_pieces(stream: RedactedStream) -> None:
        for each in (*f"wrong: {PLANTED}!\n", *f"{TOKEN}\n"):
            stream.write(each)

    assert written(in_pieces) == f"wrong: {REDACTED}!\n{REDACTED}\n"


def test_what_has_no_end_of_line_goes_out_with_a_flush() -> None:
    out = io.StringIO()
    stream = RedactedStream(out, Redactor([PLANTED]))
    print("no line yet", PLANTED, end="", file=stream)
    assert out.getvalue() == ""
    stream.flush()
    assert out.getvalue() == f"no line yet {REDACTED}"


def test_a_text_without_lines_is_not_held_for_ever() -> None:
    out = io.StringIO()
    stream = RedactedStream(out, Redactor())
    for _ in range(70):
        stream.write("x" * 1_000)
    assert len(out.getvalue()) > 64_000


def test_what_it_is_on_top_of_is_told() -> None:
    out = io.StringIO()
    stream = RedactedStream(out, Redactor())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stderr", stream)
        assert unredacted(sys.stderr) is out
    assert unredacted(out) is out
    assert (stream.isatty(), stream.writable(), stream.encoding) == (False, True, out.encoding)


def test_prints_warnings_threads_and_destructors_tell_no_secret_and_no_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Dying:
        def __del__(self) -> None:
            raise ValueError(QUESTION, PLANTED)

    def die() -> None:
        raise ValueError(QUESTION, PLANTED)

    with redacted_output(Redactor([PLANTED])) as output, warnings.catch_warnings():
        set_up_logs(load_config({}, tmp_path / "no.env"))
        warnings.showwarning = sys.modules["ops.redaction.output"]._warned  # what pytest put there, put away
        warnings.simplefilter("always")
        print("printed", PLANTED, file=sys.stderr)
        warnings.warn(f"{QUESTION} {PLANTED}", UserWarning, stacklevel=1)
        thread = threading.Thread(target=die)
        thread.start()
        thread.join()
        Dying()
        gc.collect()
        assert sys.stderr is output
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"printed {REDACTED}" in shown.err
    for event in ("warned", "thread_died", "not_raisable", "builtins.ValueError", "test_output.py"):
        assert event in shown.err
    assert QUESTION not in shown.err
    assert PLANTED not in shown.err


CRASHES = {
    "an exception": "raise ValueError(QUESTION, PLANTED)",
    "of a task": "import asyncio\nasync def f(): int(QUESTION + PLANTED)\nasyncio.run(f())",
    "with a cause": "try: int(PLANTED)\nexcept ValueError as e:\n e.add_note(QUESTION)\n raise KeyError(TOKEN) from e",
    "a syntax error": "exec(f'{QUESTION} = = {PLANTED}')",
    "too deep": "f = lambda *a: f(QUESTION, PLANTED)\nf()",
    "a group": "raise ExceptionGroup(QUESTION, [ValueError(PLANTED), OSError(2, TOKEN, PLANTED)])",
}


@pytest.mark.parametrize("how", CRASHES)
def test_a_process_that_crashes_tells_where_and_nothing_of_what(how: str) -> None:
    ended = crash(CRASHES[how])
    assert ended.returncode == 1
    assert "This is a fault of the program" in ended.stderr
    assert "<string>:" in ended.stderr
    assert ended.stdout == ""
    for secret in (PLANTED, QUESTION, PART):
        assert secret not in ended.stderr


def test_a_process_that_is_broken_off_by_the_system_dumps_places_only() -> None:
    ended = crash("import faulthandler, os, signal\nfaulthandler.enable()\nos.kill(os.getpid(), signal.SIGSEGV)")
    assert ended.returncode == -signal.SIGSEGV
    assert "Segmentation fault" in ended.stderr
    for secret in (PLANTED, QUESTION, PART):
        assert secret not in ended.stderr


def crash(code: str) -> subprocess.CompletedProcess[str]:
    program = (
        "from ops.redaction.output import redacted_output\nfrom ops.redaction.redactor import Redactor\n"
        f"PLANTED, QUESTION, TOKEN = {PLANTED!r}, {QUESTION!r}, {TOKEN!r}\n"
        f"with redacted_output(Redactor([PLANTED])):\n" + "".join(f"  {line}\n" for line in code.splitlines())
    )
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False
    )


def test_without_the_guard_a_crash_would_tell() -> None:
    program = f"raise ValueError({PLANTED!r})"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert PLANTED in ended.stderr


def test_every_secret_setting_is_known(tmp_path: Path) -> None:
    """Whoever adds a secret setting need not think of it: its type says so."""
    given = {name: f"planted-{number}-of-a-setting" for number, name in enumerate(sorted(secret_settings()))}
    addresses = {
        "ADPOLICY_DATABASE_URL": "postgresql://bot:planted-db@h/x",  # pragma: allowlist secret
        "ADPOLICY_OPENSEARCH_URL": "https://bot:planted-os@h:9200",  # pragma: allowlist secret
        "ADPOLICY_REDIS_URL": "redis://:planted-redis@h:6379/0",  # pragma: allowlist secret
    }
    assert set(addresses) < set(given)
    config = load_config({**given, **addresses}, tmp_path / "no.env")
    values = [value for name, value in given.items() if name not in addresses]
    for clean in (redactor_of(config).values, redactor_before({**given, **addresses}).values):
        for value in (*values, "planted-db", "planted-os", "planted-redis"):
            assert clean(f"wrong {value} here") == f"wrong {REDACTED} here"


def test_what_looks_secret_by_its_name_is_a_secret_setting() -> None:
    words = ("key", "secret", "token", "password", "database_url", "redis_url", "opensearch_url")
    open_ones = {"audit_trusted_keys", "model_tokenizer"}
    switches = {name for name, each in Config.model_fields.items() if each.annotation is bool}
    named = {name for name in Config.model_fields if any(word in name for word in words)} - open_ones - switches
    assert {f"ADPOLICY_{name.upper()}" for name in named} <= secret_settings()


def test_a_secret_in_place_of_its_files_path_is_known() -> None:
    given = {"ADPOLICY_SLACK_BOT_TOKEN_FILE": PLANTED, "ADPOLICY_MODEL_KEY_FILE": "/run/secrets/model"}
    clean = redactor_before(given).values
    assert clean(f"{PLANTED} /run/secrets/model") == f"{REDACTED} /run/secrets/model"


def test_a_stream_is_used_by_several_threads_at_once() -> None:
    out = io.StringIO()
    stream = RedactedStream(out, Redactor([PLANTED]))

    def write() -> None:
        for _ in range(200):
            stream.write(f"{PLANTED}\n")
            time.sleep(0)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert out.getvalue().splitlines() == [REDACTED] * 800
