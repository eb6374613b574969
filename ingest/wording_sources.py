"""Why a source or a document of it could not be read, and what to do next: clauses that follow a name and a colon."""

from collections.abc import Callable, Mapping

Details = Mapping[str, object]
Sentences = dict[str, Callable[[Details], str]]


def _of(details: Details, *names: str) -> str:
    """The facts there are, in brackets."""
    known = [str(details[name]) for name in names if details.get(name) not in (None, "")]
    return f" ({', '.join(known)})" if known else ""


def _later(what: str) -> Callable[[Details], str]:
    return lambda d: f"{what}{_of(d, 'host', 'status')}. Nothing was removed; it is tried again later."


_ADDRESSES: Sentences = {
    "url_invalid": lambda _: "its address cannot be read. Correct it in the catalogue, or where it is linked.",
    "url_scheme_unknown": lambda d: f"addresses of the kind {d.get('scheme')} are not read. Use http or https.",
    "url_has_credentials": lambda d: (
        f"its address holds a password{_of(d, 'host')}. Take it out: passwords are not sent to websites."
    ),
    "address_not_public": lambda d: (
        f"its address leads into a private network{_of(d, 'host')}. Allow private addresses for this source if that is "
        "meant."
    ),
    "redirect_too_many": lambda d: f"it redirects without end{_of(d, 'host')}. Name the final address.",
    "redirect_unusable": lambda d: f"it redirects to an unusable address{_of(d, 'host')}. Name the final one.",
    "redirect_downgrade": lambda d: f"it redirects from https to http{_of(d, 'host')}. Name an https address.",
    "page_too_large": lambda d: f"it has more than {d.get('most')} bytes. Leave it out, or split it.",
    "document_gone": lambda _: "there is nothing at its address any more. Correct the address, or leave it out.",
    "document_forbidden": lambda d: f"its server refuses to show it{_of(d, 'host', 'status')}. Ask for access.",
    "document_refused": lambda d: f"its server refuses the request{_of(d, 'host', 'status')}. Check the address.",
    "document_type_unread": lambda _: "files of its type are not read. Save it as Markdown, HTML, PDF or Word (.docx).",
    "document_duplicate": lambda d: f"it is the same page as {d.get('of')}. Nothing needs to be done.",
}

_WEBSITES: Sentences = {
    "robots_forbid": lambda _: "the site's robots.txt forbids to read it. Ask the site's owner, or leave it out.",
    "robots_unavailable": _later("the site's robots.txt does not answer, so nothing may be read"),
    "page_noindex": lambda _: "the page asks not to be read by programs. Leave it out.",
    "page_moved_outside": lambda _: "it has moved to an address outside the allowed paths. Add it, or leave it.",
    "start_page_missing": lambda d: f"there is no start page {d.get('url')}. Nothing was removed. Correct start_urls.",
    "start_page_unread": lambda d: (
        f"the start page {d.get('url')} is no web page{_of(d, 'mime_type')}. Nothing was removed. Correct start_urls."
    ),
    "start_page_moved": lambda d: (
        f"the start page has moved to {d.get('url')}, outside the allowed paths. Correct start_urls or allowed_paths."
    ),
    "source_too_many_pages": lambda d: (
        f"it has more than {d.get('most')} pages. Narrow allowed_paths, or raise most_pages."
    ),
    "source_too_many_sitemaps": lambda d: f"it has more than {d.get('most')} sitemaps. Name the ones to read.",
    "sitemap_unreadable": lambda d: f"the sitemap {d.get('url')} cannot be read{_of(d, 'problem')}. Leave it out.",
    "website_empty": lambda d: (
        f"no page was found from {d.get('url')}. Nothing was removed. Check start_urls and allowed_paths."
    ),
    "selector_matches_nothing": lambda d: (
        f"nothing on the page matches {d.get('selector')}. Correct the selectors in the catalogue."
    ),
    "start_url_invalid": lambda d: f"start_urls names {d.get('url')}, which is no web address. Correct the catalogue.",
    "allowed_path_invalid": lambda d: (
        f"allowed_paths names {d.get('path')}, which cannot be used{_of(d, 'problem')}. Correct the catalogue."
    ),
    "source_busy": _later("its server has too much to do"),
    "source_error": _later("its server answered with an error"),
    "source_timeout": _later("its server did not answer in time"),
    "source_unreachable": _later("its server cannot be reached"),
    "source_tls": _later("its server shows no valid certificate"),
    "source_answer_broken": _later("its server broke off its answer"),
    "source_tools_missing": lambda d: (
        f"sources of the type {d.get('type')} cannot be read here. Use a type that ops/docs/sources.md describes."
    ),
}

_HISTORIES: Sentences = {
    "git_missing": lambda _: "the program git is not installed. Install it (on Debian: apt-get install git).",
    "git_too_old": lambda d: f"the installed git is too old{_of(d, 'version')}. Install a newer one.",
    "git_address_invalid": lambda d: (
        f"{d.get('repository', 'its address')} is no repository that may be read. Use https, or a path on this machine."
    ),
    "git_repository_missing": lambda d: f"there is no repository {d.get('repository')}. Correct it in the catalogue.",
    "git_branch_missing": lambda d: f"the repository has no branch {d.get('branch')}. Correct it in the catalogue.",
    "git_shallow": lambda d: f"the repository {d.get('repository')} lacks its history. Name a complete one.",
    "git_failed": lambda d: f"git failed{_of(d, 'step', 'problem')}. Nothing was removed; it is tried again later.",
    "git_timeout": lambda d: f"git took more than {d.get('seconds')} s. Nothing was removed; it is tried again later.",
    "git_too_large": lambda d: f"the repository has more than {d.get('most')} bytes. Name a smaller one, or its paths.",
    "git_no_documents": lambda _: "the repository has no documents under these paths. Correct paths in the catalogue.",
    "git_object_missing": lambda _: "the repository has lost it since it was listed. Run it again.",
}

_FEEDS: Sentences = {
    "forum_topic_unavailable": _later("the topic does not answer"),
    "forum_topic_unreadable": lambda d: f"the topic cannot be read{_of(d, 'problem')}. Leave it out.",
    "forum_answer_invalid": lambda d: f"the forum answered something else{_of(d, 'problem')}. Check its address.",
    "forum_no_posts": lambda _: "the forum shows no posts there. Nothing was removed. Check category and topics.",
    "post_too_long": lambda d: f"the post has {d.get('size')} characters, more than are read. Leave it out.",
    "source_file_missing": lambda d: f"there is no file {d.get('path')}. Nothing was removed. Correct the path.",
    "source_file_unreadable": lambda d: f"the file cannot be read{_of(d, 'path', 'problem')}. Check its permissions.",
    "source_file_changed": lambda _: "the file changed while it was read. Run it again.",
    "records_none": lambda _: "the file has no record that can be read. Nothing was removed. Check the file.",
    "record_invalid": lambda d: (
        f"line {d.get('line')}{_of(d, 'key')} cannot be used: {d.get('problem')}. Correct it there."
    ),
    "record_field_unknown": lambda d: (
        f"line {d.get('line')} has an unknown field {d.get('key')}. "
        + (f"Did you mean {d['near']}? " if d.get("near") else "")
        + "Put fields of your own under extra."
    ),
    "record_id_taken": lambda d: f"line {d.get('line')} has the id of line {d.get('first_line')}. Give it its own.",
    "record_empty": lambda d: f"line {d.get('line')} has neither text nor fields. Fill it, or remove it.",
    "record_too_long": lambda d: f"line {d.get('line')} is longer than {d.get('most')} bytes. Split the record.",
}

_DOCUMENTS: Sentences = {
    "document_too_costly": lambda d: (
        f"reading it takes more than {d.get('seconds') or d.get('megabytes')} "
        f"{'seconds' if d.get('seconds') else 'megabytes of memory'}. Split it, or save it more simply."
    ),
    "document_nested_too_deeply": lambda d: (
        f"its elements, lists or quotes are nested too deeply{_of(d, 'most')}. Save it more simply."
    ),
    "parser_crashed": lambda _: "the parser broke down over it. Save it in another format.",
    "parser_not_started": lambda d: f"the parser's process could not be started{_of(d, 'problem')}. Try again.",
    "pdf_encrypted": lambda _: "the PDF asks for a password. Save it without one.",
    "pdf_damaged": lambda d: f"the PDF is damaged{_of(d, 'page', 'problem')}. Save it again.",
    "pdf_no_pages": lambda _: "the PDF has no pages. Save it again.",
    "pdf_too_many_pages": lambda d: f"the PDF has {d.get('pages')} pages, more than are read. Split it.",
    "pdf_pages_empty": lambda _: "the pages of the PDF are empty. Save it again, or remove it.",
    "pdf_without_text": lambda _: "the PDF shows pictures of text only. Install Tesseract, or save it with its text.",
    "ocr_failed": lambda d: f"Tesseract could not read it{_of(d, 'problem')}. Save it with its text.",
    "ocr_too_slow": lambda d: f"Tesseract took longer than {d.get('seconds')} s. Try again, or save it with its text.",
    "docx_damaged": lambda d: f"the Word document is damaged{_of(d, 'problem')}. Save it again.",
    "docx_encrypted": lambda _: "the Word document asks for a password. Save it without one.",
    "docx_old_format": lambda _: "it is an old Word document. Save it as .docx.",
    "docx_too_large": lambda d: f"unpacked it has {d.get('unpacked')} bytes, more than are read. Split it.",
    "unknown_chunker": lambda d: f"there is no chunker {d.get('kind')}. Use one of {d.get('known')}.",
}

_VERSIONS: Sentences = {
    "doc_id_taken": lambda d: (
        f"its text has changed, but it still states the day of the stored version {d.get('doc_id')}, which stays as it "
        "is. Give it a new effective_from; or run again with --force "
        f"{d.get('document_id')}, which stores it beside the old version and retires that."
    ),
    "supersedes_unknown": lambda d: (
        f"it supersedes {d.get('name')}, but this source has no such document. Correct the name: as document_id or "
        "doc_id."
    ),
    "version_backdated": lambda d: (
        f"{d.get('doc_id')} states to hold from {d.get('day')}, before the version in force{_of(d, 'live_doc_id')}: it "
        "is shown for the days in between only. Correct its date if it is meant to be the newest."
    ),
    "version_future": lambda d: f"{d.get('doc_id')} is stored, and holds from {d.get('day')}.",
    "version_held": lambda d: (
        f"{d.get('doc_id')} {suspicion(d)}. It is held for review, and the version before it stays in force. Look at "
        f"the source; if that is meant, run `python -m ingest release {d.get('doc_id')}`."
    ),
    "versions_overlap": lambda d: (
        f"{d.get('doc_id')} states to hold until {d.get('ends')}, but {d.get('next_doc_id')} holds from "
        f"{d.get('next_from')}: from then on only that one is shown. Correct one of the dates if that is wrong."
    ),
    "versions_same_day": lambda d: (
        f"several versions are for {d.get('day')}; {d.get('holds')} holds, as the last of them. If that is wrong, give "
        "each its own effective_from."
    ),
}


def suspicion(details: Details) -> str:
    """Why a version is held, as a clause that follows its name."""
    match details.get("why"):
        case "shrunk":
            return f"lost most of its text ({details.get('was')} characters before, {details.get('now')} now)"
        case "other_page":
            return "looks like another page than before"
        case _:
            return "looked unlike the version before"


SENTENCES = _ADDRESSES | _WEBSITES | _HISTORIES | _FEEDS | _DOCUMENTS | _VERSIONS
