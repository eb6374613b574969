"""Wording around people's answers: asking a person, the escalation, approved answers."""

from collections.abc import Mapping, Sequence
from datetime import date

from bot.wording import approver, day, in_places, listed, region_name, source_name
from rag_core.curated.kept import CuratedAnswer

PERSON_SIGN = "👤"
"""Beside the words that a person wrote this; no verdict's sign."""


ASK_TITLE = "Ask a person"  # Slack: 24 characters
ASK_EXPLAINED = (
    "Your question, your name and this answer, as far as everybody there may see it, are posted where people are "
    "asked. What they answer comes back to you here."
)
NOTE_LABEL = "What should they know?"
SEND = "Send"
CLOSE = "Close"
ASKED_PEOPLE = "Sent. The answer comes back to the place where you asked, marked as a person's."
NOT_TAKEN = "This could not be kept just now. Nothing was sent; please try again in a minute."


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


ASKED_QUESTION = "Question"


def asked_for(regions: Sequence[str], slugs: Sequence[str], as_of: str, names: Mapping[str, str]) -> str:
    """Place, platforms and day of the answer."""
    places = listed(region_name(each) for each in regions) or "none named"
    platforms = listed(source_name(each, names) for each in slugs) or "any"
    on = day(date.fromisoformat(as_of)) if as_of else "not known"
    return f"Place: {places} · Platform: {platforms} · Day: {on}"


ASKER_SAYS = "The asker adds"


def bot_answered(verdict: str) -> str:
    return f"What the policies answered: {verdict}" if verdict else "What the policies answered"


def approved_answered(verdict: str) -> str:
    said = "What was answered: an approved answer, written by a person"
    return f"{said}: {verdict}" if verdict else said


BOT_DID_NOT_ANSWER = "The policies did not answer it."
ANSWER_GONE = "The question and its answer are not kept any more."
SOME_LEFT_OUT = "Parts of the answer are left out: not everybody here may see them."
OPEN_STATE = (
    "Open. Answer in this thread: the first reply goes back to the asker, and so do further ones of the same person."
)


def claimed_state(who: str) -> str:
    return f"Claimed by {who}. Replies of this person in the thread go back to the asker."


def answered_state(who: str) -> str:
    return f"Answered by {who}." if who else "Answered."


CLAIM = "I answer this"


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


PERSONS_ANSWER_IS_NO_QUOTE = "This is a person's answer, not a quote from the policies."


def answered_on(when: str) -> str:
    return f"Answered on {when}."


def to_your_question(question: str) -> str:
    return f"To your question: {question}"


SAVE_CURATED = "Save as approved answer"
SAVE_TITLE = "Save this answer"  # 24
LOADING = "One moment ..."
QUESTIONS_LABEL = "Questions that it answers, one a line"
PLACES_LABEL = "Places (codes such as uk, de, us-tx; nothing: worldwide)"
PLATFORMS_LABEL = "Platforms (short names; nothing: questions that name none)"
VERDICT_LABEL = "Verdict"
NO_VERDICT = "None"
STATEMENTS_LABEL = "The answer, one statement a line"
PICK_SOURCES_LABEL = "Sources that it stands on"
SHOWN_BY_LABEL = "Name shown as who approved it"
NOT_TO_BE_SAVED = "Only the person who answered and admins of the workspace can save it."
NOTHING_TO_STAND_ON = (
    "The answer has no sources that you may see, and an approved answer needs one. Ask whoever runs the bot."
)
SAVED_DRAFT = "Kept as a draft. It is shown once an admin of the workspace or whoever runs the bot approves it."
SAVED_DRAFT_OF_MANY = (
    "Kept as a draft. Approved answers are shown in all workspaces, so it is shown once whoever runs the bot "
    "approves it."
)
SAVED_APPROVED = "Approved. Whoever asks one of these questions gets this answer, with your name and today's date."
SUSPENDED_HEADLINE = "⏸️ An approved answer is not shown any more"


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
