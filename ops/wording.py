"""Every sentence that an operator reads on the terminal: what happened, and what to do next."""

from collections.abc import Callable, Mapping

from rag_core.errors import PolicyBotError

Details = Mapping[str, object]


def explain(error: PolicyBotError) -> str:
    """What an error means to the operator; an unknown code is shown with its facts."""
    build = _SENTENCES.get(error.code)
    if build is not None:
        return build(error.details)
    facts = ", ".join(f"{name}: {value}" for name, value in error.details.items())
    return f"{error.code.replace('_', ' ').capitalize()}{f' ({facts})' if facts else ''}."


def _unknown_setting(details: Details) -> str:
    suggestion = f" Did you mean {details['suggestion']}?" if details.get("suggestion") else ""
    return f"There is no setting {details['setting']}.{suggestion} The README lists all settings."


_SENTENCES: dict[str, Callable[[Details], str]] = {
    "unknown_setting": _unknown_setting,
    "invalid_setting": lambda d: f"{d['setting']} cannot be used: {d['reason']}. Correct it and start again.",
    "setting_missing": lambda d: (
        f"{d['setting']} is missing or empty. Set it, or remove all settings of that platform."
    ),
    "setting_file_unreadable": lambda d: f"{d['setting']} names the file {d['path']}, which cannot be read.",
    "web_bind_not_loopback": lambda d: (
        f"{d['setting']} is {d['value']}, but the web pages have no log-in and may listen on this machine only. "
        "Use 127.0.0.1 and put a proxy that authenticates in front of it."
    ),
    "data_dir_unwritable": lambda d: (
        f"The data folder {d['path']} cannot be written. Give this user write access, or set ADPOLICY_DATA_DIR."
    ),
    "index_unwritable": lambda d: (
        f"The index folder {d['path']} cannot be written. Give this user write access, or set ADPOLICY_DATA_DIR."
    ),
    "data_dir_in_use": lambda d: (
        f"Another server is running on the data folder {d['path']}. Stop it first, or set ADPOLICY_DATA_DIR to another "
        "folder. `ask`, `ingest` and `doctor` can be used beside it."
    ),
    "address_in_use": lambda d: (
        f"{d['setting']}: {d['value']} is in use. Stop what listens there, or choose another port."
    ),
    "embedding_model_missing": lambda d: (
        "The embedding model is not installed"
        + (f" ({d['path']} is missing)" if d.get("path") else "")
        + ". Run ops/run, which installs it, or set ADPOLICY_EMBEDDING_MODEL."
    ),
    "embedding_model_changed": lambda d: (
        f"The index was made with the model {d.get('index_model')} ({d.get('index_dimensions')} dimensions), the "
        f"settings name {d.get('model')} ({d.get('dimensions')}). Run `python -m ops reindex`."
    ),
    "secret_key_wrong": lambda _: (
        "ADPOLICY_SECRET_KEY is not the key that stored secrets were encrypted with. Set the former key, or give both, "
        "comma-separated, the new one first."
    ),
    "secret_key_malformed": lambda _: (
        "ADPOLICY_SECRET_KEY is not a usable key. Make one with `python -m ops new-key`, or leave it out: then "
        "a key is made and kept in the data folder."
    ),
    "store_revision_unknown": lambda _: "The database was migrated by a newer version of adpolicy. Start that version.",
    "no_documents": lambda _: "There are no documents yet. Run `python -m ingest run`, then ask again.",
    "store_down": lambda _: "The document store does not answer. Try again in a moment.",
    "index_busy": lambda _: "Another process is writing the index. Try again when it has finished.",
    "search_down": lambda _: "The search index does not answer. Try again in a moment.",
}


def serving(web: str, chat: str, platforms: str) -> str:
    """The lines printed when the server is up."""
    return (
        f"adpolicy is running.\n  Ask in the browser: {web}\n  Chat platforms:     http://{chat} ({platforms})\n"
        "The web pages have no log-in: they answer on this machine only. Stop with Ctrl+C."
    )


def no_platforms() -> str:
    return "none configured; see the README for Slack"


def first_ingest() -> str:
    return "No documents yet: reading the sample policies."


def stopping() -> str:
    return "Stopping: finishing what is being answered."


def doctor_line(name: str, *, ok: bool, facts: str) -> str:
    """One check of `doctor`."""
    return f"{'ok  ' if ok else 'FAIL'}  {name}: {facts}"


def doctor_differs(kind: str, ids: list[str], more: int) -> str:
    """Ids that one side has and the other lacks."""
    shown = ", ".join(ids)
    return f"      {kind}: {shown}{f' and {more} more' if more else ''}"


def doctor_advice() -> str:
    return "Run `python -m ops reindex` to build the index anew from the store."


def reindexed(chunks: int, seconds: float) -> str:
    return f"Rebuilt the index: {chunks} chunks in {seconds:.1f} s."


def migrated(revision: str) -> str:
    return f"The database is at revision {revision}."


def help_texts() -> dict[str, str]:
    """Help of `python -m ops`, by command and option."""
    return {
        "ops": "What operators do with adpolicy.",
        "doctor": "Compare store and index and say what differs; exit code 1 if something does.",
        "migrate": "Bring the database to the newest revision.",
        "reindex": "Build the index anew from the store, beside the live one; nothing is embedded again.",
        "new-key": "Print a new key for ADPOLICY_SECRET_KEY.",
        "bench": "Measure this machine and print the figures.",
        "data": "Folder of the public data sets. Default: ../shared/data.",
        "without": "Leave out the part with the real policies, or with SciFact (minutes of embedding).",
    }


def store_facts(chunks: int, versions: int) -> str:
    return f"{chunks} chunks of {versions} document versions" if chunks else "no documents; run `python -m ingest run`"


def index_facts(chunks: int) -> str:
    return f"{chunks} chunks"


def outbox_facts(pending: int) -> str:
    return f"{pending} versions not indexed yet; run `python -m ingest run`" if pending else "nothing left to index"


def only_in_store() -> str:
    return "in the store but not in the index"


def only_in_index() -> str:
    return "in the index but not in the store"
