"""What `python -m ops audit` says."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.audit.entries import PERSON
from bot.audit.exchanges import ASKED, DEFAULTS, FILTERS, SHOWN, UNDERSTOOD
from bot.audit.replay import Differences, QuoteStanding, Standing
from bot.audit.verification import Finding, Problem
from ops.audit.checked import Checked
from rag_core.documents import DocumentVersion

_FORGOTTEN = "(forgotten)"


def help_texts() -> dict[str, str]:
    """Help of `python -m ops audit`, by command and option."""
    return {
        "audit": "The record of questions, answers and acts: check it, take it out, look at an answer.",
        "verify": "Check that no record was changed, removed, added or moved; exit code 1 if one was.",
        "head": "Print the last records of all chains as one signed line, to be kept where nobody here can change it.",
        "kept_head": "Lines of `audit head` that were kept elsewhere, or a file with them: check against these, too.",
        "export": "Write the record into a new folder, with all that is needed to check it without this program.",
        "show": "Show an answer as it was given, whether its quotes still stand, and what would be answered today.",
        "key": "Print the public key of the checkpoints made here, for ADPOLICY_AUDIT_TRUSTED_KEYS elsewhere.",
        "workspace": "Only this workspace. Default: all.",
        "bytes_only": "Leave out what stands beside the records: columns, personal fields and answers. Quicker.",
        "folder": "A folder that does not exist yet.",
        "answer_id": "The answer's id, as replies and the web page show it.",
        "not_today": "Do not ask the question again.",
    }


def checked_chain(checked: Checked) -> str:
    state = "FAIL" if checked.findings else "ok  "
    beyond = checked.records - checked.covered
    covered = f", signed up to {checked.covered:,}" if checked.covered else ", not signed yet"
    unsigned = f" ({beyond:,} since)" if checked.covered and beyond > 0 else ""
    forgotten = f", personal fields of {checked.forgotten:,} forgotten" if checked.forgotten else ""
    count = checked.without_digests
    without = f", {count:,} {'reply' if count == 1 else 'replies'} without digests of what is stored" if count else ""
    return f"{state}  {checked.chain}: {checked.records:,} records{covered}{unsigned}{forgotten}{without}"


def verified(records: int, seconds: float, findings: int) -> str:
    rate = f"{records:,} records in {seconds:.1f} s"
    if not findings:
        return f"The record is as it was written: {rate}."
    what = "1 finding" if findings == 1 else f"{findings} findings"
    return (
        f"The record was tampered with, or damaged: {what} above ({rate}). Keep the database as it is, compare it with "
        "the last backup and the last export, and find out who could write to it."
    )


def finding(found: Finding) -> str:
    place = f"record {found.first}" if found.first == found.last else f"records {found.first} to {found.last}"
    where = (f"{found.chain}, {place}" if found.first else found.chain) or "somewhere"
    return f"      {where}: {_FINDINGS[found.problem].format(detail=found.detail)}"


_FINDINGS = {
    Problem.CHANGED: "changed after it was written",
    Problem.REMOVED: "removed",
    Problem.INSERTED: "added by somebody else",
    Problem.REORDERED: "moved; its own place is {detail} from where it stands",
    Problem.COLUMN: "the column {detail} says something else than the record",
    Problem.PERSONAL: "the personal field {detail} is not what was recorded",
    Problem.GONE: "the personal fields were deleted, and not forgotten: forgetting leaves their place",
    Problem.EMPTIED: "the personal fields were emptied, and no act on record forgot them",
    Problem.FORGOTTEN: "not those that were forgotten are empty: {detail}",
    Problem.ANSWER: "the answer in the table of answers is another one ({detail})",
    Problem.DELETED: "the answer was deleted from the table of answers; nobody was forgotten, and retention keeps it",
    Problem.FORGETTING: "the answer is not in the table of answers; a forgetting is not finished: call `forget` again, "
    "then verify again",
    Problem.CORRECTION: "the correction of {detail} is not what the acts on record say",
    Problem.HEAD: "the stored head of the chain is another one",
    Problem.REWRITTEN: "rewritten: a signed checkpoint or head tells of others",
    Problem.FILE: "checkpoints signed here ({detail}) are not in the file of checkpoints: it was deleted, set back or "
    "moved; servers that share a key must share the file",
    Problem.KEPT: "the head of {detail}",
    Problem.CHECKPOINT: "a checkpoint does not hold ({detail}); of another server, name its key in "
    "ADPOLICY_AUDIT_TRUSTED_KEYS",
}


def elsewhere(count: int) -> str:
    what = "1 checkpoint of another database" if count == 1 else f"{count:,} checkpoints of other databases"
    return f"Passed over in the file of checkpoints: {what}."


def exported(records: int, chains: int, folder: str) -> str:
    return (
        f"Wrote {records:,} records of {chains} {'chain' if chains == 1 else 'chains'} to {folder}. It holds what "
        "people asked: keep it as safe as the database. ops/docs/audit.md says how to check it."
    )


def without_reply(body: Mapping[str, Any]) -> str:
    outcome = body["facts"].get("outcome") or body["kind"]
    return f"{body['at']}  {body['kind']} from {body['origin']}, which got no reply: {outcome}."


def shown(
    reply: Mapping[str, Any],
    question: Mapping[str, Any] | None,
    personal: Mapping[str, str],
    chain: str,
    sequence: int,
) -> str:
    """The answer as it was given."""
    facts = reply["facts"]
    where = " ".join(filter(None, (personal.get("channel"), personal.get("thread"))))
    lines = [
        f"{reply['kind'].capitalize()} {reply['subject']}, record {sequence} of {chain}",
        f"  given:      {reply['at']}, {reply['origin']}{f', {where}' if where else ''}",
        f"  to:         {personal.get(PERSON, _FORGOTTEN)}",
        f"  asked:      {personal.get(ASKED, _FORGOTTEN)}",
        f"  understood: {personal.get(UNDERSTOOD, _FORGOTTEN)}",
        f"  scope:      {_scope(facts['scope'])}",
        f"  written by: {_writer(facts.get('model'))}",
    ]
    if FILTERS in personal:
        lines.append(f"  filters:    {personal[FILTERS]}")
    if question is not None and question["facts"].get(DEFAULTS):
        lines.append(f"  defaults:   {_defaults(question['facts'][DEFAULTS])}")
    if question is not None and question["facts"]["groups"]:
        lines.append(f"  groups:     {', '.join(question['facts']['groups'])}")
    lines += [f"  verdict:    {_verdict(each)}" for each in facts.get("verdicts", ())]
    if facts.get("refusal"):
        lines.append(f"  refused:    {facts['refusal']['reason']}")
    for number, statement in enumerate(facts.get("statements", ()), 1):
        lines.append(f"  shown {number}:    {statement['text']}")
    if facts["dropped"]:
        lines.append(f"  dropped:    {facts['dropped']}, see the export")
    if SHOWN not in personal:
        lines.append("  The text as it was shown and the question were forgotten; the record stays.")
    return "\n".join(lines)


def version_now(doc_id: str, version: DocumentVersion | None, found: Sequence[QuoteStanding]) -> str:
    """What the store has today of a version that was cited."""
    stand = sum(each.standing is Standing.STANDS for each in found)
    lines = [f"{doc_id}: {_state(version)}; {stand} of {len(found)} quotes stand, letter for letter"]
    lines += [f"  {_STANDINGS[each.standing]}: {each.quote}" for each in found if each.standing is not Standing.STANDS]
    return "\n".join(lines)


_STANDINGS = {
    Standing.MISSING: "not in the store any more",
    Standing.TEXT_DIFFERS: "the store has another text at this place",
    Standing.CONTENT_DIFFERS: "stands, but its section is not the one that was cited",
}


def _state(version: DocumentVersion | None) -> str:
    if version is None:
        return "this version is not in the store any more"
    until = f" until {version.effective_to}" if version.effective_to else ", and still does"
    return f"{version.status}, in force from {version.effective_from}{until}"


NOT_ASKED_TODAY = "What would be answered today cannot be told: the question was forgotten, or is not on record."


def answered_today(found: Differences) -> str:
    """Then beside today."""
    if found.is_same:
        return "Today the same would be answered, from the same versions."
    lines = ["Today something else would be answered:"]
    if found.kinds[0] != found.kinds[1]:
        lines.append(f"  then {found.kinds[0]}, today {found.kinds[1]}")
    if found.verdicts[0] != found.verdicts[1]:
        lines.append(f"  verdict then: {_list(found.verdicts[0])}; today: {_list(found.verdicts[1])}")
    for heading, texts in (
        ("not said any more", found.gone),
        ("said today", found.come),
        ("version not cited any more", found.left),
        ("version cited today", found.new),
    ):
        lines += [f"  {heading}: {text}" for text in texts]
    return "\n".join(lines)


def _list(values: Sequence[str]) -> str:
    return ", ".join(values) or "none"


def _scope(scope: Mapping[str, Any]) -> str:
    parts = [f"as of {scope['as_of']}"]
    for name in ("regions", "policy_sources", "content_types"):
        if scope.get(name):
            parts.append(f"{name.replace('_', ' ')} {', '.join(scope[name])}")
    return "; ".join(parts)


def _defaults(defaults: Mapping[str, Any]) -> str:
    return "; ".join(f"{name.replace('_', ' ')} {', '.join(each)}" for name, each in defaults.items() if each)


def _writer(model: Mapping[str, Any] | None) -> str:
    if model is None:
        return "no language model; quotes only"
    unused = model.get("fallback", model.get("failure"))  # earlier records say themselves whether it was used
    return f"{model['name']}, prompt {model['prompt_version']}{'; it was not used' if unused else ''}"


def _verdict(verdict: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (verdict["region"], verdict["policy_source"], verdict["verdict"])))
