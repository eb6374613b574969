"""What an answer holds for: place, platform, material, day."""

from collections.abc import Mapping

from bot.wording.names import content_type_name, day, listed, region_name, source_name
from rag_core.questions import Scope


def scope_parts(scope: Scope, names: Mapping[str, str]) -> list[str]:
    """ "Place: Germany (from the question)", "Platform: Google" ...: what was not set explicitly is marked."""
    parts = [
        _part("Place", [region_name(code) for code in scope.regions], "none named", scope, "regions"),
        _part("Platform", [source_name(each, names) for each in scope.policy_sources], "any", scope, "policy_sources"),
    ]
    if scope.content_types:
        types = [content_type_name(each) for each in scope.content_types]
        parts.append(f"Material: {listed(types)}{_mark(scope, 'content_types')}")
    if scope.sections:
        parts.append(f"Section: {listed(scope.sections, 'or')}{_mark(scope, 'sections')}")
    parts += [f"{key}: {listed(values, 'or')}{_mark(scope, 'labels')}" for key, values in scope.labels.items()]
    days = f"Days: {day(scope.since)} to " if scope.since else "Day: "
    return [*parts, f"{days}{day(scope.as_of)}{_mark(scope, 'as_of')}"]


def scope_line(scope: Scope, names: Mapping[str, str]) -> str:
    """`scope_parts` in one line."""
    return " · ".join(scope_parts(scope, names))


def _part(label: str, values: list[str], nothing: str, scope: Scope, field: str) -> str:
    plural = "s" if len(values) > 1 else ""
    return f"{label}{plural}: {listed(values)}{_mark(scope, field)}" if values else f"{label}: {nothing}"


def _mark(scope: Scope, field: str) -> str:
    if field in scope.inferred:
        return " (from the question)"
    return " (assumed)" if field in scope.assumed else ""
