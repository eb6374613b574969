"""What is measured, for `/metrics`. Names `adpolicy_...`, base units; labels are short names out of our own code, never
what a person wrote. Everything is counted in this process, from its start."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from adapters.web.parts import Exposition
from bot.model_usage import ModelCall
from ops.monitoring.breakers import BreakerState, CallEnd

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MOST_VALUES = 100
_OTHER = "other"
_ANSWER_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
_MODEL_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 180.0)
_CALL_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits somewhere: how much, how much of it failed before, and for how many seconds the oldest."""

    waiting: int
    oldest_seconds: float = 0.0
    failing: int = 0


class Metrics:
    """The figures of this process. Hears what the parts of the bot report; never fails."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        self._labels = _Labels()
        self._set_up_answers()
        self._set_up_deliveries()
        self._set_up_dependencies()
        self._set_up_models()
        self._set_up_backlogs()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def _set_up_answers(self) -> None:
        self._answers = self._counter("answers", "Questions answered.", "asked_from", "kind")
        self._degraded = self._counter("answers_degraded", "Answers made without a part that was down.", "part")
        self._failures = self._counter("answer_failures", "Questions without an answer.", "asked_from", "code")
        self._seconds = self._histogram("answer_seconds", "From question to answer.", _ANSWER_BUCKETS, "asked_from")
        self._changed = self._counter("stored_texts_changed", "Texts read that do not fit their checksums.")
        self._troubles = self._counter("service_troubles", "What a worker met on its way to a reply.", "code")
        self._duplicates = self._counter("duplicate_deliveries", "Deliveries of questions known already.", "platform")
        self._postponed = self._counter("postponed_questions", "Times that a question was put off.", "code")
        self._recovered = self._counter("recovered_questions", "Answered after they had been put off.")
        self._spooled = self._counter("spooled_entries", "Written to the spool: the database was down.", "kind")
        self._notices = self._counter(
            "notices", "Messages that nobody asked for, by what became of them.", "kind", "end"
        )
        self._queued = self._counter("notices_queued", "Alerts and digests queued.")
        self._entered = self._counter("entered_entries", "Brought from the spool into the database.", "kind")

    def _set_up_deliveries(self) -> None:
        self._put_back = self._counter("questions_put_back", "Times that a question went back quietly.", "code")
        self._delivered = self._counter("replies_delivered", "Replies that a platform took.", "road")
        self._retried = self._counter("delivery_retries", "Times that a reply was not taken at once.", "code")
        self._reconciled = self._counter("reconciliations", "Replies looked for before they were sent again.", "found")
        self._fallbacks = self._counter("delivery_fallbacks", "Replies that took another road.", "code", "road")

    def _set_up_dependencies(self) -> None:
        self._calls = self._counter("dependency_calls", "Calls, refused ones too.", "dependency", "end")
        self._call_seconds = self._histogram("dependency_seconds", "Calls made.", _CALL_BUCKETS, "dependency")
        self._breaker = self._gauge("breaker_state", "1 for the state that it is in.", "dependency", "state")
        self._opened = self._counter("breaker_opened", "Times that a circuit opened.", "dependency")

    def _set_up_models(self) -> None:
        self._model_calls = self._counter("model_calls", "Calls of language models.", "role", "outcome")
        self._model_seconds = self._histogram("model_seconds", "How long they took.", _MODEL_BUCKETS, "role")
        self._tokens = self._counter("model_tokens", "Tokens read and written.", "role", "direction")
        self._cost = self._counter("model_cost", "What they cost by the prices that are set.", "role")
        self._lost = self._counter("model_calls_lost", "Calls that could not be recorded.", "code")

    def _set_up_backlogs(self) -> None:
        self._waiting = self._gauge("backlog_waiting", "Entries that wait (inbox, outbox, spool).", "backlog")
        self._failing = self._gauge("backlog_failing", "Those of them that failed before.", "backlog")
        self._oldest = self._gauge("backlog_oldest_age_seconds", "How long the oldest has waited.", "backlog")
        self._unsampled = self._counter("sample_failures", "Times that a backlog could not be looked at.", "backlog")
        self._rebuilds = self._counter("index_rebuilds", "Times that the index was built anew by itself.")
        self._learned = self._counter("index_versions", "Document versions that the index learned of.")
        self._index_troubles = self._counter("index_troubles", "Rounds in which the index could not follow.", "code")
        self._followed = self._gauge(
            "index_followed_timestamp_seconds", "When the index was last level with the store."
        )

    def exposition(self) -> Exposition:
        """All of it, in Prometheus' text format."""
        return Exposition(CONTENT_TYPE_PLAIN_0_0_4, generate_latest(self.registry))

    def answered(self, asked_from: str, kind: str, degraded: Sequence[str], seconds: float) -> None:
        self._count(self._answers, asked_from=asked_from, kind=kind)
        self._seconds.labels(self._labels.of("asked_from", asked_from)).observe(seconds)
        for part in dict.fromkeys(degraded):
            self._count(self._degraded, part=part)

    def failed(self, asked_from: str, code: str) -> None:
        self._count(self._failures, asked_from=asked_from, code=code)

    def trouble(self, code: str) -> None:
        self._count(self._troubles, code=code)

    def stored_texts_changed(self, texts: int) -> None:
        self._changed.inc(texts)

    def duplicate(self, platform: str) -> None:
        self._count(self._duplicates, platform=platform)

    def postponed(self, code: str) -> None:
        self._count(self._postponed, code=code)

    def put_back(self, code: str) -> None:
        self._count(self._put_back, code=code)

    def delivered(self, road: str) -> None:
        self._count(self._delivered, road=road)

    def delivery_retried(self, code: str) -> None:
        self._count(self._retried, code=code)

    def reconciled(self, found: bool) -> None:
        self._count(self._reconciled, found="yes" if found else "no")

    def fell_back(self, code: str, road: str) -> None:
        self._count(self._fallbacks, code=code, road=road)

    def recovered(self) -> None:
        self._recovered.inc()

    def notice_ended(self, kind: str, end: str) -> None:
        self._count(self._notices, kind=kind, end=end)

    def notices_queued(self, notices: int) -> None:
        self._queued.inc(notices)

    def spooled(self, kind: str) -> None:
        self._count(self._spooled, kind=kind)

    def entered(self, kind: str) -> None:
        self._count(self._entered, kind=kind)

    def called(self, dependency: str, end: CallEnd, seconds: float) -> None:
        self._count(self._calls, dependency=dependency, end=end.value)
        if end is not CallEnd.REFUSED:
            self._call_seconds.labels(self._labels.of("dependency", dependency)).observe(seconds)

    def model_called(self, call: ModelCall) -> None:
        role = self._labels.of("role", call.role)
        self._count(self._model_calls, role=role, outcome=call.outcome)
        self._model_seconds.labels(role).observe(call.seconds)
        self._tokens.labels(role, "read").inc(call.prompt_tokens)
        self._tokens.labels(role, "written").inc(call.completion_tokens)
        self._cost.labels(role).inc(call.cost or 0.0)

    def model_calls_lost(self, calls: int, code: str) -> None:
        self._lost.labels(self._labels.of("code", code)).inc(calls)

    def breaker_changed(self, dependency: str, state: BreakerState, code: str) -> None:
        for each in BreakerState:
            self._breaker.labels(self._labels.of("dependency", dependency), each.value).set(each is state)
        if state is BreakerState.OPEN:
            self._count(self._opened, dependency=dependency)

    def backlog(self, name: str, backlog: Backlog | None) -> None:
        """None: it cannot be looked at; not a number is shown, rather than what was true before."""
        if backlog is None:
            self._count(self._unsampled, backlog=name)
        shown = backlog or Backlog(0)
        values = (shown.waiting, shown.failing, shown.oldest_seconds)
        for gauge, value in zip((self._waiting, self._failing, self._oldest), values, strict=True):
            gauge.labels(self._labels.of("backlog", name)).set(value if backlog else math.nan)

    def index_rebuilt(self, code: str) -> None:
        self._rebuilds.inc()

    def index_followed(self, versions: int, at_timestamp: float) -> None:
        self._learned.inc(versions)
        self._followed.set(at_timestamp)

    def index_trouble(self, code: str) -> None:
        self._count(self._index_troubles, code=code)

    def _count(self, counter: Counter, **labels: str) -> None:
        counter.labels(**{name: self._labels.of(name, value) for name, value in labels.items()}).inc()

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"adpolicy_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"adpolicy_{name}", text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: Sequence[float], *labels: str) -> Histogram:
        return Histogram(f"adpolicy_{name}", text, labels, buckets=buckets, registry=self.registry)


class _Labels:
    """Lets through names, and no more than so many of each kind: a label is no place for what people write."""

    def __init__(self) -> None:
        self._seen: dict[str, set[str]] = {}

    def of(self, label: str, value: str) -> str:
        seen = self._seen.setdefault(label, set())
        if value not in seen:
            if not _NAME.fullmatch(value) or len(seen) >= _MOST_VALUES:
                return _OTHER
            seen.add(value)
        return value
