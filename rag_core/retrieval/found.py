"""What a search found."""

from dataclasses import dataclass, field

from rag_core.documents import Passage


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with its score in [0, 1], and the cosine of the vector leg where there was one."""

    passage: Passage
    score: float
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class SearchFound:
    """Results, best first. `degraded` names what did not answer ("embedder", "vector", "keyword")."""

    results: tuple[Found, ...]
    degraded: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
