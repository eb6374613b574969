"""Wording around people's answers: asking a person, the escalation, approved answers."""

from collections.abc import Mapping, Sequence
from datetime import date

from bot.wording import approver, day, in_places, listed, region_name, source_name
from rag_core.curated.kept import CuratedAnswer

PERSON_SIGN = "👤"
"""Beside the words that a person wrote this; no verdict's sign."""


def ask_title() -> str:
    return "Ask a person"  # Slack: 24 characters


def ask_explained() -> str:
    return (
        "Your question, your name and this answer, as far as everybody there may see it, are posted where people are "
        "asked. What they answer comes back to you here."
    )


def note_label() -> str:
    return "What should they know?"


def send() -> str:
    return "Send"


def close() -> str:
    return "Close"


def asked_people() -> str:
    return "Sent. The answer comes back to the place where you asked, marked as a person's."


def not_taken() -> str:
    return "This could not be kept just now. Nothing was sent; please try again in a minute."


def refusal(code: str) -> str:
    return _REFUSED.get(code, "This cannot be done. Nothing was sent.")


_REFUSED = {
    "escalation_nobody": (
        "Nobody is named for questions from this channel. An admin of the channel can name somebody: "
        "`/adpolicy settings`."
    ),
    "escalation_group_private": (
        "People are asked here by calling a user group, and that is seen by everybody in the channel. This answer was "
        "for you alone: ask again in the channel, or let an admin name a channel for such questions."
    ),
    "escalation_no_answer": "This answer is not kept any more. Ask the question again, then ask a person.",
    "escalation_unknown": "This question is not kept any more, or belongs to another channel.",
    "escalation_own": "You asked this yourself: somebody else has to answer it. Nothing was changed.",
    "curated_empty": "Write at least one question and one statement, and pick at least one source.",
    "curated_changed": "Somebody else saved it in this moment. Open it again and look at what is there now.",
    "curated_not_approvable": "A picked source does not hold any more. It was kept as a draft; pick another source.",
    "unknown_region": "One of the places is not known. Write codes: uk, de, us-tx ... and nothing for worldwide.",
    "unknown_source": "One of the platforms is not known. Write its short name, and nothing for none.",
}


def escalation_headline() -> str:
    return f"{PERSON_SIGN} A question for a person"


def asked_by(who: str) -> str:
    """`who`: as the platform shows a person."""
    return f"Asked by {who}"


def asked_question() -> str:
    return "Question"


def asked_for(regions: Sequence[str], slugs: Sequence[str], as_of: str, names: Mapping[str, str]) -> str:
    """Place, platforms and day of the answer."""
    places = listed(region_name(each) for each in regions) or "none named"
    platforms = listed(source_name(each, names) for each in slugs) or "any"
    on = day(date.fromisoformat(as_of)) if as_of else "not known"
    return f"Place: {places} · Platform: {platforms} · Day: {on}"


def asker_says() -> str:
    return "The asker adds"


def bot_answered(verdict: str) -> str:
    return f"What the policies answered: {verdict}" if verdict else "What the policies answered"


def approved_answered(verdict: str) -> str:
    said = "What was answered: an approved answer, written by a person"
    return f"{said}: {verdict}" if verdict else said


def bot_did_not_answer() -> str:
    return "The policies did not answer it."


def answer_gone() -> str:
    return "The question and its answer are not kept any more."


def some_left_out() -> str:
    return "Parts of the answer are left out: not everybody here may see them."


def sources_label() -> str:
    return "Sources"


def open_state() -> str:
    return (
        "Open. Answer in this thread: the first reply goes back to the asker, and so do further ones of the same "
        "person."
    )


def claimed_state(who: str) -> str:
    return f"Claimed by {who}. Replies of this person in the thread go back to the asker."


def answered_state(who: str) -> str:
    return f"Answered by {who}." if who else "Answered."


def claim() -> str:
    return "I answer this"


def claimed_already(who: str) -> str:
    return (
        f"{who} has it already. What you write in the thread stays in the channel."
        if who
        else "It is answered already."
    )


def persons_answer(who: str) -> str:
    return f"{PERSON_SIGN} A person answered: {who}"


def persons_addition(who: str) -> str:
    return f"{PERSON_SIGN} {who} adds"


def persons_answer_is_no_quote() -> str:
    return "This is a person's answer, not a quote from the policies."


def answered_on(when: str) -> str:
    return f"Answered on {when}."


def to_your_question(question: str) -> str:
    return f"To your question: {question}"


def save_curated() -> str:
    return "Save as approved answer"


def save_title() -> str:
    return "Save this answer"  # 24


def loading() -> str:
    return "One moment ..."


def questions_label() -> str:
    return "Questions that it answers, one a line"


def places_label() -> str:
    return "Places (codes such as uk, de, us-tx; nothing: worldwide)"


def platforms_label() -> str:
    return "Platforms (short names; nothing: questions that name none)"


def verdict_label() -> str:
    return "Verdict"


def no_verdict() -> str:
    return "None"


def statements_label() -> str:
    return "The answer, one statement a line"


def pick_sources_label() -> str:
    return "Sources that it stands on"


def shown_by_label() -> str:
    return "Name shown as who approved it"


def not_to_be_saved() -> str:
    return "Only the person who answered and admins of the workspace can save it."


def nothing_to_stand_on() -> str:
    return "The answer has no sources that you may see, and an approved answer needs one. Ask whoever runs the bot."


def saved_draft() -> str:
    return "Kept as a draft. It is shown once an admin of the workspace or whoever runs the bot approves it."


def saved_draft_of_many() -> str:
    return (
        "Kept as a draft. Approved answers are shown in all workspaces, so it is shown once whoever runs the bot "
        "approves it."
    )


def saved_approved() -> str:
    return "Approved. Whoever asks one of these questions gets this answer, with your name and today's date."


def suspended_headline() -> str:
    return "⏸️ An approved answer is not shown any more"


def suspended_why(answer: CuratedAnswer) -> str:
    """What happened to it, and what to do; nothing of its documents, which not everybody here may know."""
    where = in_places(answer.scope.regions) if answer.scope.regions else "worldwide"
    approval = answer.approval
    by = f" It was approved by {approver(approval.by)} on {day(approval.at.date())}." if approval else ""
    return (
        f"“{answer.key}” ({where}): a rule that it cites has changed or was superseded, so questions are answered from "
        f"the policies again.{by} Read the rule as it is now, renew the citations and approve it again: "
        f"python -m ops curated show {answer.key}"
    )
