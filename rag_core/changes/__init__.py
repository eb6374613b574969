"""What changed between two versions of a policy: rules added, removed, changed, moved; never their mere form."""

from rag_core.changes.compare import diff
from rag_core.changes.summary import headline
from rag_core.policy_changes import (
    ChangeKind,
    ChangesWanted,
    Direction,
    Edit,
    PolicyChange,
    RuleChange,
    RuleChangeKind,
    SectionChange,
    change_json,
    kind_of,
    section_from,
    section_json,
)

__all__ = [
    "ChangeKind",
    "ChangesWanted",
    "Direction",
    "Edit",
    "PolicyChange",
    "RuleChange",
    "RuleChangeKind",
    "SectionChange",
    "change_json",
    "diff",
    "headline",
    "kind_of",
    "section_from",
    "section_json",
]
