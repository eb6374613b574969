"""The lines that benchmarks print."""


def latency(what: str, count: int, p50: float, p95: float, target: str) -> str:
    return f"{what}: p50 {p50:.1f} ms, p95 {p95:.1f} ms over {count} questions (target {target})"


def memory(megabytes: float, target: int) -> str:
    return f"peak memory of the process: {megabytes:.0f} MB (target under {target} MB)"


def ingested(run: str, summary: str, seconds: float, target: str) -> str:
    return f"{run} ingest of the real policies: {seconds:.1f} s (target under {target}). {summary}"


def left_out(what: str, path: str) -> str:
    return f"left out: {what}, not found at {path}"
