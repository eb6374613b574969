"""Approved answers as rows, and back."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Row

from bot.jsonable import jsonable
from rag_core.answers import Verdict
from rag_core.curated.kept import (
    Approval,
    CuratedAnswer,
    CuratedCitation,
    CuratedScope,
    CuratedState,
    CuratedStatement,
    Owner,
)
from rag_core.documents import ContentType


def row_of(answer: CuratedAnswer) -> dict[str, Any]:
    approval = answer.approval
    return {
        "curated_id": answer.curated_id,
        "family": answer.key,
        "revision": answer.revision,
        "state": answer.state.value,
        "content": {
            "wordings": list(answer.wordings),
            "scope": jsonable(answer.scope),
            "verdict": answer.verdict.value if answer.verdict else None,
            "statements": jsonable(answer.statements),
            "citations": jsonable(answer.citations),
        },
        "groups": sorted(answer.groups),
        "owner": asdict(answer.owner),
        "person": approval.person if approval else "",
        "approved_by": approval.by if approval else "",
        "approved_at": approval.at if approval else None,
        "suspended_because": dict(answer.suspended_because),
        "changed_at": answer.changed_at,
    }


def answer_from(row: Row[Any]) -> CuratedAnswer:
    content = row.content
    return CuratedAnswer(
        curated_id=row.curated_id,
        key=row.family,
        revision=row.revision,
        state=CuratedState(row.state),
        wordings=tuple(content["wordings"]),
        scope=_scope(content["scope"]),
        verdict=Verdict(content["verdict"]) if content["verdict"] else None,
        statements=tuple(CuratedStatement(each["text"], tuple(each["citations"])) for each in content["statements"]),
        citations=tuple(CuratedCitation(**each) for each in content["citations"]),
        changed_at=row.changed_at,
        groups=frozenset(row.groups),
        owner=Owner(**row.owner),
        approval=Approval(row.approved_by, row.person, row.approved_at) if row.approved_at else None,
        suspended_because=row.suspended_because,
    )


def _scope(scope: dict[str, Any]) -> CuratedScope:
    return CuratedScope(
        tuple(scope["regions"]),
        tuple(scope["policy_sources"]),
        tuple(ContentType(each) for each in scope["content_types"]),
        {key: tuple(values) for key, values in scope["labels"].items()},
    )
