"""The lines that benchmarks print."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line's help is here too, and must not load what is measured
    from ops.bench.timing import Agreement, ClaimsFigure, Latency, Ran, Rate, ReadPdf, Rebuilt, Throughput


HELP_WHAT = (
    "ask: how long answers take, and reading documents. backends: the search backends that are set. ingest: how "
    "quickly documents get in. audit: writing and checking the record. slack, teams: two workers under load, and "
    "one that is killed, through the platform's stand-in. fuzz: made-up and broken requests. mutants: whether "
    "tests notice a changed decision in the code of what ops/docs/security.md promises."
)
HELP_SMALLEST = "Of each part the smallest amount, to see whether it runs; the figures mean nothing then."
HELP_CHUNKS = "backends: how many chunks to make. Default: 100,000."
HELP_WITHOUT = (
    "Leave out a part; may be given several times. ask knows only real (the real policies) and scifact; ingest "
    "knows real, share (of the model), rate (without it), pdf, unchanged and section; teams knows consent (of "
    "teams and chats to their messages being read)."
)


def too_few_chunks(fewest: int) -> str:
    return f"give {fewest:,} at least"


def latency(what: str, measured: "Latency", target: str) -> str:
    return (
        f"{what}: p50 {measured.p50:.1f} ms, p95 {measured.p95:.1f} ms over {measured.count} questions "
        f"(target {target})"
    )


def memory(megabytes: float, target: int) -> str:
    return f"peak memory of the process: {megabytes:.0f} MB (target under {target} MB)"


def ingested(run: str, summary: str, seconds: float, target: str) -> str:
    return f"{run} ingest of the real policies: {seconds:.1f} s (target under {target}). {summary}"


def left_out(what: str, path: str) -> str:
    return f"left out: {what}, not found at {path}"


def not_set(what: str, setting: str) -> str:
    return f"left out: {what}, {setting} is not set"


def needs_services(what: str) -> str:
    return f"left out: {what}, ops/requirements/services.txt is not installed"


def no_own_database(reason: str) -> str:
    return f"left out: PostgreSQL, where no database of its own could be made for this. {reason}"


NO_DOCUMENTS = "No documents could be read, so there is nothing to measure with. What went wrong is said above."
SAMPLES = "the samples"
REAL_POLICIES = "the real policies"


def machine(cores: int, load: float) -> str:
    return f"{cores} cores; before the start {load:.1f} processes were running or waiting for one"


def corpus(chunks: int, real: int, share: float) -> str:
    return (
        f"{chunks:,} chunks, made of {real:,} real ones: vectors with noise, texts varied, nothing of it embedded; "
        f"the filter keeps {share:.0%}"
    )


def against_bare(backend: str, bare: str, ours: "Latency", theirs: "Latency", target: float) -> str:
    return (
        f"{backend} against {bare}, hybrid, depth 100: {ours.p50 / theirs.p50:.2f} times at p50 (target at most "
        f"{target:.1f}), {ours.p95 / theirs.p95:.2f} at p95; {ours.p50:.1f} / {ours.p95:.1f} ms against "
        f"{theirs.p50:.1f} / {theirs.p95:.1f} over {ours.count} questions each, in turns"
    )


def several_callers(backend: str, measured: "Throughput", doing: str) -> str:
    one, several = measured.one, measured.several
    return (
        f"{backend}, {doing}: {measured.callers} callers get {measured.ratio:.2f} times the answers of one "
        f"(target over 1.00); {several.answers:.0f} a second on {several.cores:.1f} cores of this process against "
        f"{one.answers:.0f} on {one.cores:.1f}"
    )


SEARCHING = "with the question's vector given"
EMBEDDING_AND_SEARCHING = "each caller embedding its question and searching"
BESIDE_AN_INGEST = "while the embedder is busy with another text all the time"


def rebuilt(backend: str, store: str, chunks: int, measured: "Rebuilt", target: int) -> str:
    return (
        f"{backend}, {chunks:,} chunks rebuilt from {store}: {measured.seconds:.1f} s (target under {target} s for "
        f"100,000); peak memory grew by {measured.grown:.0f} MB to {measured.peak:.0f} MB"
    )


def agreement(what: str, measured: "Agreement") -> str:
    line = (
        f"first ten on {what}, OpenSearchIndex against LocalIndex over {measured.questions} questions: overlap "
        f"{measured.overlap:.3f}, nDCG {measured.ndcg:.3f} with the local ranking as the truth (targets none)"
    )
    if measured.expected is None:
        return line
    local, server = measured.expected
    return f"{line}; nDCG@10 on the documents expected: {server:.3f} against {local:.3f}"


def claims(figure: "ClaimsFigure") -> str:
    return (
        f"{figure.what} ({figure.where}): {figure.ran} of {figure.calls:,} deliveries at once ran (target exactly "
        f"{figure.events}); p50 {figure.p50:.1f} ms, p95 {figure.p95:.1f} ms, {figure.seconds:.2f} s in all"
    )


HELP_DOCUMENTS = "ingest: how many documents to make for the run in which nothing has changed. Default: 10,000."
TOO_FEW_DOCUMENTS = "give 1 at least"
MADE_DOCUMENTS = "made documents"
NEEDS_REPORTLAB = "left out: the long PDF, reportlab is not installed (ops/requirements/dev.txt)"


def _verdict(met: bool) -> str:
    return "met" if met else "NOT MET"


def share(what: str, ran: "Ran", target: float) -> str:
    return (
        f"first ingest of {what}: {ran.documents} documents (mean {ran.mean_kilobytes:.1f} KB, {ran.chunks:,} chunks): "
        f"{ran.share:.1%} of {ran.seconds:.1f} s in the embedding model (target at least {target:.0%}: "
        f"{_verdict(ran.share >= target)}); {ran.failed} failed; load {ran.load:.1f}"
    )


def rate(what: str, ran: "Ran", target: float | None) -> str:
    aim = "no target" if target is None else f"target at least {target:.0f}: {_verdict(ran.rate >= target)}"
    each = ran.processor / max(ran.documents, 1) * 1000
    return (
        f"all but the embedding model, {what}: {ran.documents} documents (mean {ran.mean_kilobytes:.1f} KB, "
        f"{ran.chunks:,} chunks): {ran.rate:.1f} documents a second ({aim}), {each:.0f} ms of processor time each; "
        f"{ran.failed} failed; load {ran.load:.1f}"
    )


def pdf(read: "ReadPdf", target: float) -> str:
    peak = "not known on this system" if read.peak is None else f"{read.peak:.0f} MB"
    return (
        f"a PDF of {read.pages} pages read in {read.seconds:.1f} s (target under {target:.0f} s: "
        f"{_verdict(read.seconds < target)}); peak memory of its process {peak}, limit {read.most:,} MB; "
        f"load {read.load:.1f}"
    )


def unchanged(documents: int, summary: str, seconds: float, target: float, load: float) -> str:
    return (
        f"second run over {documents:,} unchanged documents, from start to end of the process: {seconds:.1f} s (target "
        f"under {target:.0f} s for 10,000: {_verdict(seconds < target)}); load {load:.1f}. {summary}"
    )


def section(first: "Ran", second: "Ran", changed: int) -> str:
    return (
        f"{changed} changed section of a document of {first.chunks} chunks: {second.embedded} embedded (target exactly "
        f"{changed}: {_verdict(second.embedded == changed)})"
    )


def audit_written(where: str, processes: int, writers: int, rate: "Rate") -> str:
    of = "one process" if processes == 1 else f"{processes} processes"
    return (
        f"record on {where}, {writers} writers in {of}: {rate.a_second:,.0f} records a second for {rate.seconds:.0f} s "
        f"(target {rate.target:,} on PostgreSQL)"
    )


def audit_verified(where: str, columns: bool, rate: "Rate") -> str:
    what = "with columns and personal fields" if columns else "from the stored bytes"
    return (
        f"record on {where}, verified {what}: {rate.a_second:,.0f} records a second, {rate.records:,} records "
        f"(target {rate.target:,})"
    )


HELP_MODULE = "mutants: only this module, its path as in ops/bench/mutants.toml; may be given several times."
HELP_JSON = "mutants: where finished ones are kept, a JSON line each; those that stand there are not tried again."


def mutants_of_module(module: str, tried: int, drawn: int, found: int, counts: Mapping[str, int]) -> str:
    return f"{module}: {tried} of {drawn} mutants tried, drawn from {found}: {_counted(counts)}"


def mutant_survived(module: str, line: int, function: str, change: str) -> str:
    return f"  survived: {module}:{line} {function or '(module)'}: {change}"


def mutants_tried(tried: int, drawn: int, counts: Mapping[str, int]) -> str:
    rest = "" if tried == drawn else ". For the rest, give more --minutes, or run it again with the same --json"
    return f"{tried} of {drawn} mutants tried: {_counted(counts)}{rest}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {result}" for result, count in counts.items())
