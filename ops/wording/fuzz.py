"""The lines that `python -m ops bench fuzz` prints, and what stops it or `bench mutants`."""

from collections.abc import Callable, Mapping

HELP_MINUTES = "fuzz, mutants: how long to send requests, or to try mutants. Default: 5."
BAD_MINUTES = "give a number of minutes above 0, 600 at most"


def started(address: str, minutes: float) -> str:
    return f"A server of its own on {address}, with the sample documents. Requests for {minutes:g} minutes ..."


def _not_started(details: Mapping[str, object]) -> str:
    return f"The server to be tried did not start. It said: {details.get('reason')}. Mend that and try again."


SENTENCES: dict[str, Callable[[Mapping[str, object]], str]] = {
    "server_not_started": _not_started,
    "mutants_module_unknown": lambda d: (
        f"{d.get('module')} is not one of the modules that are tried: {d.get('known')}."
    ),
    "mutants_no_checkout": lambda d: f"{d.get('folder')} is no git checkout. Run this where the code is developed.",
    "mutants_tests_fail": lambda d: (
        f"The tests of {d.get('module')} fail without a mutant. Mend that and try again. They said: {d.get('said')}"
    ),
}


def sent(described: int, raw: int, seconds: float) -> str:
    total = described + raw
    return (
        f"{total:,} requests in {seconds:.0f} s: {described:,} made up from the OpenAPI document, {raw:,} byte by byte."
    )


def statuses(counts: Mapping[str, int]) -> str:
    return "  " + ", ".join(f"{status}: {count:,}" for status, count in sorted(counts.items()))


def timing(p50: float, p99: float, longest: float) -> str:
    return f"  answered in: p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, longest {longest:.1f} s (slow ones apart)"


def errors(count: int) -> str:
    return f"  500: {count}"


def hangs(count: int) -> str:
    return f"  without an end in time: {count}"


def complaints(count: int) -> str:
    return f"  kinds of answers that are not as described: {count}"


def kept(route: str, what: str) -> str:
    return f"    {route}: {what}"


def unlogged(count: int) -> str:
    return f"  errors in the server's log: {count}"


def alive(yes: bool, megabytes: float) -> str:
    state = "answers" if yes else "does NOT answer any more"
    return f"  afterwards the server {state}; its peak memory was {megabytes:.0f} MB"
