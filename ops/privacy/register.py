"""Every place where a person, or what a person wrote, is kept. A test compares it with the tables: a table that is
neither here nor in WITHOUT_PEOPLE fails it.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """One kind. `tables`: where in the database; `elsewhere`: outside of it. `days`: the setting that says how long,
    "" where something else decides (`until`). `forgotten`: what `python -m ops forget` does with it."""

    kind: str
    holds: str
    forgotten: str
    tables: tuple[str, ...] = ()
    elsewhere: str = ""
    days: str = ""
    until: str = ""


REGISTER: tuple[Kept, ...] = (
    Kept(
        "conversations",
        "turns as asked and as understood, with a pseudonym; what they were about",
        "the person's turns are deleted, and what was condensed from them in the others'",
        tables=("conversations", "messages"),
        days="keep_conversations_days",
    ),
    Kept(
        "answers",
        "question, reply and trace, with a pseudonym",
        "deleted",
        tables=("answers",),
        days="keep_answers_days",
    ),
    Kept(
        "feedback",
        "what somebody thought of an answer, with a pseudonym",
        "deleted",
        tables=("feedback",),
        days="keep_feedback_days",
    ),
    Kept(
        "escalations",
        "who asked a person, about which answer, where (encrypted), with a note",
        "deleted, with what was answered",
        tables=("escalations",),
        days="keep_answers_days",
    ),
    Kept(
        "persons_answers",
        "what a person answered or claimed, with a pseudonym; the platform's id, encrypted",
        "deleted",
        tables=("escalation_acts",),
        days="keep_answers_days",
    ),
    Kept(
        "curated answers",
        "who approved an answer, by name and pseudonym; who is told when it is suspended",
        "names and ids are taken out; the answer stays",
        tables=("curated_answers",),
        until="for good",
    ),
    Kept(
        "posted",
        "where the bot has posted what, and in answer to which message, with a pseudonym; no text",
        "deleted: the messages in the chat platform stay, and cannot be gone on with",
        tables=("posted_messages",),
        days="keep_posted_days",
    ),
    Kept(
        "inbox",
        "questions until they are answered, with who asks; of ended ones no more than the key of the delivery",
        "waiting ones end without a reply, those being answered are waited for",
        tables=("inbox",),
        days="keep_inbox_days",
    ),
    Kept(
        "notices",
        "messages that nobody asked for until they are sent: the channel, or the person they go to, and ids; of ended "
        "ones no more than their own id",
        "waiting ones to the person end unsent; in a channel they go on",
        tables=("notices",),
        days="keep_notices_days",
    ),
    Kept(
        "subscriptions",
        "which channels hear of which changes; nobody's name: who subscribed is beside the record alone",
        "not reached: it is the channel's, and `unsubscribe` in it ends it",
        tables=("subscriptions",),
        until="the channel unsubscribes, cannot be reached any more, or the app is uninstalled",
    ),
    Kept(
        "known conversations",
        "chats and channels of Teams that the bot is in, by their ids; whose chat it is and who put the app there, as "
        "pseudonyms, and encrypted by the platform's ids",
        "the person's own chat with the bot is deleted; elsewhere who put the app there is taken out",
        tables=("known_conversations",),
        until="the app is removed there, or cannot be reached any more",
    ),
    Kept(
        "record",
        "the personal fields: who, where, the question, typed filters, the shown text, comments, names of tokens",
        "values and salts are deleted; the record and its chain stay",
        tables=("audit_personal",),
        days="keep_personal_days",
    ),
    Kept(
        "records",
        "what was answered from which rules, with salted hashes of the personal fields; pseudonyms of forgotten people",
        "stays: without the salts the hashes tell nothing",
        tables=("audit_records", "audit_chains", "audit_checkpoints"),
        until="for good",
    ),
    Kept(
        "removals",
        "the account of the operator who took a document out",
        "replaced by the pseudonym, with `account:NAME`",
        tables=("removals",),
        until="for good",
    ),
    Kept(
        "corrected rules",
        "the account of the operator who said what a rule does, and why",
        "replaced by the pseudonym, with `account:NAME`; the reason stays, and can be withdrawn with the correction",
        tables=("rule_corrections",),
        until="it is withdrawn",
    ),
    Kept(
        "forgettings",
        "pseudonyms of who was forgotten, and when",
        "stays: servers look here for whom to forget",
        tables=("forgettings",),
        until="for good",
    ),
    Kept(
        "tokens",
        "names that operators gave to tokens of the API, and when each was last used; hashes of signed-in browsers",
        "not reached: revoke the token (`python -m ops tokens`); its questions are those of `rest:token:ID`",
        tables=("api_tokens", "page_sessions"),
        days="keep_personal_days",
    ),
    Kept(
        "channel settings",
        "ids of channels, in Teams of people's own chats with the bot as well, and what was set there; who did is in "
        "the record alone",
        "stays: nobody is in it",
        tables=("channel_settings",),
        until="as long as the app is installed",
    ),
    Kept(
        "authors",
        "names of authors of documents (forum posts), as their source gives them",
        "not reached: they are part of a document; `python -m ingest remove` takes it out",
        tables=("versions", "version_texts", "chunks", "raw_files", "policy_changes"),
        elsewhere="the search index",
        until="as long as the document is stored",
    ),
    Kept(
        "memory",
        "copies of the newest turns of conversations",
        "emptied",
        elsewhere="Redis, or the memory of the server (emptied within 5 seconds)",
        days="memory_hours",
    ),
    Kept(
        "directories",
        "which groups of the catalogue a person belongs to",
        "ends by itself",
        elsewhere="the memory of the server",
        until="minutes: see `ops/docs/access.md`",
    ),
    Kept(
        "limits",
        "keyed hashes with the moments of the last questions",
        "ends by itself",
        elsewhere="Redis, or the memory of the server",
        until="the longest window of ADPOLICY_LIMIT_...",
    ),
    Kept(
        "claims",
        "hashes of deliveries",
        "ends by itself: no person is in it",
        elsewhere="Redis, or the memory of the server",
        until="an hour",
    ),
    Kept(
        "spool",
        "questions, answers and records that the database could not take, encrypted",
        "the person's are deleted, in the data folder of the machine where the command runs",
        elsewhere="the folder spool of the data folder",
        until="seconds after the database is back",
    ),
)

WITHOUT_PEOPLE: Mapping[str, str] = {
    "policy_sources": "publishers of policies",
    "documents": "ids of documents",
    "embeddings": "vectors of passages and rules of documents",
    "policy_rules": "what was read in the rules of documents",
    "chunk_readings": "with what rules were read",
    "outbox": "ids of versions",
    "source_items": "addresses of documents",
    "change_marks": "fingerprints of changes",
    "source_runs": "runs of sources",
    "model_calls": "figures of calls of language models",
    "curated_checks": "how far citations were checked",
    "audit_database": "the id of the database, which checkpoints name",
    "pseudonym_keys": "the key of pseudonyms, encrypted",
    "slack_installations": "workspaces that installed the Slack app, its tokens encrypted; who did it is on record",
    "slack_workspaces": "which Slack workspace belongs to which organisation",
    "slack_install_states": "hashes of installations that somebody began, for minutes",
    "alembic_version": "the revision of the tables",
}
"""Tables, and what is in them. None may have a column for a person or for a question."""

NOT_REACHED = (
    "backups and copies of the database",
    "exports of the record (`python -m ops audit export`) and whatever was made of them",
    "messages in the chat platform itself, and its own records",
    "the provider of a language model, if one is set",
    "logs of proxies in front of the server",
)
"""What forgetting does not reach, to be said to who asks for it. Evaluation cases are made from documents alone."""
