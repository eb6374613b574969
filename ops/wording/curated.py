"""What `python -m ops curated` says."""

import difflib
from collections.abc import Callable, Mapping, Sequence

from bot import wording
from rag_core.curated.kept import CuratedAnswer, CuratedState

Details = Mapping[str, object]


def help_texts() -> dict[str, str]:
    return {
        "curated": "Answers that people approved: import, approve, suspend, list.",
        "list": "Show all of them: state, place, platforms, who approved it.",
        "show": "Show one with its questions, statements and citations, and whether these stand today.",
        "import": "Read a file of answers; new and changed ones are drafts until somebody approves them.",
        "export": "Write all that are not retired to a file, as `import` reads it.",
        "approve": "Show it from now on to those who ask one of its questions.",
        "suspend": "Stop showing it until it is approved again.",
        "retire": "Stop showing it for good.",
        "file": "The file (YAML); `-` is standard input or output.",
        "name": "Its key or its id.",
        "by": "The name that readers see as who approved it. Default: the account that runs this.",
        "format": "How it is printed.",
    }


def imported(new: int, changed: int, same: int) -> str:
    then = " Approve them: `python -m ops curated approve KEY`." if new or changed else ""
    return f"Imported: {new} new, {changed} changed, {same} as before.{then}"


def exported(count: int) -> str:
    return f"Wrote {count} answer{'' if count == 1 else 's'}."


NONE_THERE = "There are no approved answers. `python -m ops curated import FILE` reads some."


def done(answer: CuratedAnswer) -> str:
    """After approving, suspending and retiring."""
    said = {
        CuratedState.APPROVED: "is shown from now on",
        CuratedState.SUSPENDED: "is not shown until it is approved again",
        CuratedState.RETIRED: "is not shown any more",
    }
    return f"{answer.key} (revision {answer.revision}) {said.get(answer.state, 'is a draft')}."


def listed(answers: Sequence[CuratedAnswer]) -> list[str]:
    """A table."""
    rows = [("key", "state", "places", "platforms", "approved by", "on", "rev")]
    rows += [(each.key, each.state.value, *_scope(each), *_approval(each), str(each.revision)) for each in answers]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def shown(answer: CuratedAnswer, fallen: Mapping[str, str]) -> list[str]:
    """All of one."""
    places, platforms = _scope(answer)
    by, on = _approval(answer)
    lines = [
        f"{answer.key} ({answer.curated_id}), revision {answer.revision}: {answer.state.value}",
        f"Places: {places}. Platforms: {platforms}. Verdict: {answer.verdict or 'none'}.",
        f"Approved by {by} on {on}." if answer.approval else "Nobody has approved it.",
        f"Groups: {', '.join(sorted(answer.groups)) or 'everybody may see it'}.",
        "Questions:",
        *(f"  {each}" for each in answer.wordings),
        "Answer:",
        *(f"  {each.text} {' '.join(f'[{number}]' for number in each.citations)}" for each in answer.statements),
        "Citations:",
    ]
    for number, each in enumerate(answer.citations, start=1):
        lines += [f"  [{number}] {each.document_id}: {each.section_path}", f"      {each.quote}"]
        lines.append(f"      {standing(fallen.get(str(number)))}")
    return lines


def standing(code: str | None) -> str:
    """Whether a citation stands; `code` of `rag_core.curated.kept` if it does not."""
    return _STANDING.get(code or "", "stands")


_STANDING = {
    "missing": "is not stored any more: cite another passage and import it again",
    "changed": "says something else now: read it, renew the citation and import it again",
    "withdrawn": "its version is not live: cite one that is and import it again",
    "superseded": "a later version holds: read it, renew the citation and import it again",
    "not_yet": "holds from a later day",
}


def _scope(answer: CuratedAnswer) -> tuple[str, str]:
    return ",".join(answer.scope.regions) or "worldwide", ",".join(answer.scope.policy_sources) or "none named"


def _approval(answer: CuratedAnswer) -> tuple[str, str]:
    found = answer.approval
    return (wording.approver(found.by), found.at.date().isoformat()) if found else ("-", "-")


def no_such_citation(number: int, count: int) -> str:
    return f"there is no citation {number}; there are {count}"


def unknown_platform(slug: str, known: Sequence[str]) -> str:
    return f"there are no documents of {slug}; known: {', '.join(known) or 'none'}"


def unknown_place(code: str) -> str:
    return f"{code} is no place; write global, eu, uk, us, us-tx, de ... (ISO 3166)"


def not_a_question(code: str) -> str:
    return f"this cannot be asked ({code.replace('_', ' ')})"


NOT_FOR_MATCHING = (
    "this is no question on a rule that stands for itself: leave out days, comparisons, and what refers to "
    "something said before"
)


def other_places(asked: Sequence[str], given: Sequence[str]) -> str:
    return f"the question is about {', '.join(asked)}, the answer for {', '.join(given) or 'the world'}"


def other_platforms(asked: Sequence[str], given: Sequence[str]) -> str:
    return f"the question is about {', '.join(asked)}, the answer for {', '.join(given) or 'no platform'}"


def no_live_document(document_id: str) -> str:
    return f"no version of {document_id} is in force today"


def no_such_section(section: str, paths: Sequence[str]) -> str:
    near = difflib.get_close_matches(section, paths, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {'; '.join(paths[:8])}"
    return f"the document has no section {section!r}; {hint}"


def not_verbatim(quote: str) -> str:
    return f"these words do not stand in the section as it is today, letter by letter: {quote!r}"


def _where(details: Details) -> str:
    line = f", line {details['line']}" if details.get("line") else ""
    key = f" ({details['key']})" if details.get("key") else ""
    return f"{details['path']}{line}{key}"


SENTENCES: dict[str, Callable[[Details], str]] = {
    "curated_file_invalid": lambda d: (
        f"{_where(d)}: {d['problem']}. Nothing was imported; correct it and import again."
    ),
    "curated_file_unreadable": lambda d: f"{d['path']} cannot be read or written as UTF-8 text. Check path and rights.",
    "curated_unknown": lambda d: f"There is no approved answer {d['name']}. `python -m ops curated list` shows all.",
    "curated_changed": lambda d: f"{d['name']} was changed by somebody else in this moment. Look at it and try again.",
    "curated_retired": lambda d: f"{d['name']} is retired. Import it with what is to be different, then approve it.",
    "curated_not_approvable": lambda d: (
        f"{d['name']} cannot be approved: not all that it cites stands today. `python -m ops curated show {d['name']}` "
        "tells what does not; renew the citations and import it again."
    ),
}
