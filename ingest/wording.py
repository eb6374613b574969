"""Every sentence that people read when they ingest documents: what happened, and what to do next."""

from collections.abc import Callable, Mapping

from ingest import wording_running, wording_sources
from ingest.model.report import Failure, IngestReport, Note
from ingest.rules import wording as wording_rules
from rag_core.changes import ChangeKind, Direction, RuleChangeKind

Details = Mapping[str, object]


def help_texts() -> dict[str, str]:
    """The texts of `--help`."""
    return {
        "ingest": "Read policy documents into the store and the search index.",
        "run": "Read new and changed documents. Without FOLDER: the sources of the catalogue.",
        "plan": "Say what `run` would do, and how many chunks would be embedded. Nothing is written.",
        "preview": (
            "Show how one document is read: its outline, its chunks, where they hold, what they refer to, and what "
            "their rules do. "
            "Nothing is written."
        ),
        "folder": "a folder of Markdown, HTML, PDF and Word files",
        "file": "a Markdown, HTML, PDF or Word file",
        "policy_source": "short name of who publishes the documents of FOLDER, for instance acme",
        "display_name": "the publisher's name as people write it",
        "catalogue": "YAML file that describes the sources (default: ADPOLICY_CATALOGUE)",
        "quiet": "no progress, only the summary",
        "changes": "Show what changed in the policies: rules added, removed, changed, moved, by document and section.",
        "since": "first day, as YYYY-MM-DD (default: from the beginning)",
        "until": "last day, as YYYY-MM-DD (default: also what is announced for later)",
        "source": "only what this publisher changed, by its short name; may be given several times",
        "group": "show also what this group may see, beside what is public; may be given several times",
        "format": "text, json or markdown (default: text)",
    }


def only_with_folder(option: str) -> str:
    return f"{option} says who publishes the documents of a FOLDER. Name the folder, or set it in the catalogue."


CATALOGUE_OR_FOLDER = "Name either folders or a catalogue, not both."


def summary(report: IngestReport) -> str:
    """One line: what a run did."""
    counts = _counts(report)
    embedded = f"; {report.chunks} chunks written, {report.embedded} embedded" if report.chunks else ""
    return f"Documents: {counts}{embedded}."


def forecast(report: IngestReport) -> str:
    """One line: what a run would do."""
    embedded = f"; {report.chunks} chunks to write, {report.embedded} to embed" if report.chunks else ""
    return f"Would be: {_counts(report)}{embedded}. Nothing was written."


def _counts(report: IngestReport) -> str:
    return (
        f"{report.new} new, {report.changed} changed, {report.unchanged} unchanged, {report.removed} removed, "
        f"{len(report.failed)} failed"
    )


def step(what: str) -> str:
    """What is at work, beside the progress bar."""
    return what or "done"


def failed(failure: Failure) -> str:
    """One line: what was left out, and why."""
    subject = f"{failure.source_id}: {failure.origin}" if failure.origin else failure.source_id
    return f"{subject}: {reason(failure.code, failure.details)}" if subject else reason(failure.code, failure.details)


def noted(note: Note) -> str:
    """One line: what a person should know of a document."""
    return failed(Failure(note.source_id, note.origin, note.code, note.details))


def not_indexed(code: str) -> str:
    """What is stored and waits for the index."""
    return (
        f"Everything is stored, but the search index does not show it yet ({code.replace('_', ' ')}). A running server "
        "brings it up as soon as the index answers; without one, run `python -m ingest run` again."
    )


def refused(code: str, details: Details) -> str:
    """Why a command did not start."""
    said = reason(code, details)
    return said[:1].upper() + said[1:]


def reason(code: str, details: Details) -> str:
    """What an error code of ingesting means, and what to do."""
    build = _SENTENCES.get(code)
    if build is not None:
        return build(details)
    facts = ", ".join(f"{name}: {value}" for name, value in details.items() if value not in (None, ""))
    return f"{code.replace('_', ' ')}{f' ({facts})' if facts else ''}."


def knows(code: str) -> bool:
    """Whether `reason` has a sentence for this code."""
    return code in _SENTENCES


def _at(details: Details) -> str:
    line = f" line {details['line']}" if details.get("line") else ""
    key = f", {details['key']}" if details.get("key") else ""
    return f"{line}{key}"


_REASONS: dict[str, Callable[[Details], str]] = {
    "catalogue_missing": lambda d: (
        f"There is no catalogue {d['path']}. Create it, name another with --catalogue or ADPOLICY_CATALOGUE, or name a "
        "folder of documents."
    ),
    "catalogue_invalid": lambda d: (
        f"The catalogue {d['path']} cannot be used:{_at(d)}: {d['problem']}. Correct it there."
    ),
    "source_folder_missing": lambda d: (
        f"there is no folder {d['path']}. Its documents stay as they were. Correct the path, or bring the folder back."
    ),
    "source_folder_unreadable": lambda d: (
        f"the folder {d.get('path')} cannot be opened ({d.get('problem')}), so nothing of this source was changed. "
        "Check its permissions, or take it out."
    ),
    "source_empty": lambda d: (
        f"the folder {d['path']} holds no Markdown, HTML, PDF or Word document. Nothing was removed. Check the "
        "folder; files whose names begin with a dot or an underscore, and README, LICENSE and CHANGELOG files, are not "
        "read."
    ),
    "document_binary": lambda _: "it is no text file. Save it as Markdown, HTML, PDF or Word.",
    "not_utf8": lambda d: f"it is not UTF-8 (first wrong byte at {d.get('position')}). Save it as UTF-8.",
    "document_empty": lambda _: "it has no text. Remove the file, or fill it.",
    "document_unreadable": lambda d: f"it cannot be read ({d.get('problem')}). Check its name and permissions.",
    "document_no_file": lambda _: (
        "it is a pipe, a socket, a device or a folder. Put a file in its place, or remove it."
    ),
    "document_changing": lambda _: (
        "it was written to while it was read. What was known of it stays. It is read with the next run."
    ),
    "document_outside_folder": lambda _: "it is a link that leads out of the folder. Copy the file into the folder.",
    "document_too_large": lambda d: (
        f"it has {d.get('size')} bytes, more than the {d.get('most')} that are read. Split it."
    ),
    "document_type_unknown": lambda d: f"there is no parser for it ({d.get('mime_type') or 'unknown type'}).",
    "front_matter_invalid": lambda d: (
        f"its front matter cannot be used:{_at(d)}: {d.get('problem')}. Correct it there."
    ),
    "markup_unclosed": lambda d: (
        f"{d['words']} words after {d['markup']} are not read, as no page shows them: it is never closed. Close it."
    ),
    "front_matter_not_yaml": lambda d: (
        f"its front matter is no YAML:{_at(d)}: {d.get('problem')}. It was read line by line; put values with a colon "
        "in quotation marks."
    ),
    "doc_id_exists": lambda d: (
        f"the version {d.get('doc_id')} is stored already, from another source or with other content. Give the "
        "document a document_id of its own."
    ),
    "document_id_taken": lambda d: (
        f"the document_id {d.get('document_id')} belongs to {d.get('policy_source')}. Give the document another one."
    ),
}

_SENTENCES = _REASONS | wording_sources.SENTENCES | wording_running.SENTENCES | wording_rules.SENTENCES


def bad_day(text: str) -> str:
    return f"{text!r} is no day. Give one as YYYY-MM-DD, for instance 2026-03-31."


DAYS_REVERSED = "--until lies before --since. Give the earlier day to --since."
NO_CHANGES = "No changes are recorded for these days and sources. Widen --since, --until or --source to see others."
"""Nothing to show: why that may be, and what to do."""


def changed_document(title: str, doc_id: str, kind: ChangeKind, summary: str, sections: int) -> str:
    """The headline of a document's changes; `sections`: in how many of them rules changed."""
    match kind:
        case ChangeKind.ADDED:
            return f"{title} ({doc_id}): new document"
        case ChangeKind.REMOVED:
            return f"{title} ({doc_id}): withdrawn, holds no more"
        case ChangeKind.FORMATTING:
            return f"{title} ({doc_id}): no rule changed, only the form"
        case ChangeKind.CHANGED:
            where = f", in {sections} sections" if sections > 1 else ""
            return f"{title} ({doc_id}){where}: {summary}"


WHOLE_DOCUMENT = "Outside of any section"


def formatting_changes(count: int) -> str:
    places = "1 place" if count == 1 else f"{count} places"
    return f"Only the form differs in {places} (layout, punctuation, numbering, links): no rule changed there."


def under_lead_in(lead_in: str) -> str:
    return f"Under “{lead_in}”"


def changed_rule(kind: RuleChangeKind, direction: Direction | None, moved_from: str, text: str) -> str:
    """One rule; `text` has its words marked already."""
    sign = {RuleChangeKind.ADDED: "+", RuleChangeKind.REMOVED: "-"}.get(kind, "~")
    word = f"{sign} {kind.value.capitalize()}"
    turned = f" (now {direction.value})" if direction else ""
    origin = f", before under “{moved_from}”" if moved_from else ""
    return f"{word}{turned}{origin}: {text}"
