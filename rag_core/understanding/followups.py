"""Follow-ups: "and in France?" is completed from the question before it."""

from dataclasses import replace

from rag_core.questions import Question


def complete(question: Question, earlier: Question) -> Question:
    """`question`, which names no topic, with the topic of `earlier` and what else it leaves open.

    What the follow-up says itself stands; the day and the explicit filters are its own.
    """
    scope = replace(
        question.scope,
        regions=question.scope.regions or earlier.scope.regions,
        policy_sources=question.scope.policy_sources or earlier.scope.policy_sources,
    )
    inferred = [*scope.inferred]
    inferred += [
        name for name in ("regions", "policy_sources") if getattr(scope, name) != getattr(question.scope, name)
    ]
    return replace(
        question,
        scope=replace(scope, inferred=tuple(dict.fromkeys(inferred))),
        intent=earlier.intent,
        terms=earlier.terms,
        about_advertising=question.about_advertising or earlier.about_advertising,
        rewritten=f"{earlier.text} ({question.text})",
    )
