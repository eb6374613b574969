"""The lines that benchmarks print."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line's help is here too, and must not load what is measured
    from ops.bench.agreement import Agreement
    from ops.bench.claims import ClaimsFigure
    from ops.bench.rebuilding import Rebuilt
    from ops.bench.rounds import Latency, Throughput


def help_what() -> str:
    return "ask: how long answers take, and reading documents. backends: the search backends that are set."


def help_chunks() -> str:
    return "backends: how many chunks to make. Default: 100,000."


def help_without() -> str:
    return "Leave out a part; may be given several times. ask knows only real (the real policies) and scifact."


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


def no_documents() -> str:
    return "No documents could be read, so there is nothing to measure with. What went wrong is said above."


def samples() -> str:
    return "the samples"


def real_policies() -> str:
    return "the real policies"


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


def searching() -> str:
    return "with the question's vector given"


def embedding_and_searching() -> str:
    return "each caller embedding its question and searching"


def beside_an_ingest() -> str:
    return "while the embedder is busy with another text all the time"


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
