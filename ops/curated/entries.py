"""The file of approved answers (YAML): what may stand in it.

    curated:
      - key: alcohol-uk                     # names the family; importing it again changes this one
        questions:                          # wordings of one question; places and platforms may stand in them
          - Can I advertise alcohol in the UK?
        regions: [uk]                       # none: worldwide
        platforms: [quillmoor]              # none: for questions that name no platform
        content_types: [video]              # none: for questions that name no material
        labels: {product: [ads]}            # variants of documents
        verdict: restricted                 # prohibited, restricted, allowed; left out: none
        answer:
          - text: Only to people of legal age.
            cites: [1]                      # citations, counted from 1
        citations:
          - document_id: quillmoor_alcohol
            section: Alcohol > Country rules > United Kingdom
            quote: the audience is aged 21 or over
        owner: slack:T1/C1                  # a channel or a person; told when a cited rule changes

What was approved by whom is not in it: a file approves nothing.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_core.documents import ContentType

Text = Annotated[str, Field(min_length=1, max_length=3_000)]
Short = Annotated[str, Field(min_length=1, max_length=500)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class StatementEntry(_Strict):
    text: Text
    cites: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1)


class CitationEntry(_Strict):
    document_id: Short
    section: Short
    quote: Text


class CuratedEntry(_Strict):
    key: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
    questions: tuple[Short, ...] = Field(min_length=1, max_length=40)
    regions: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    content_types: tuple[ContentType, ...] = ()
    labels: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    verdict: Literal["prohibited", "restricted", "allowed"] | None = None
    answer: tuple[StatementEntry, ...] = Field(min_length=1, max_length=20)
    citations: tuple[CitationEntry, ...] = Field(min_length=1, max_length=20)
    owner: Annotated[str, Field(pattern=r"^(?:|(?:slack|teams):[^/\s]+/\S+)$")] = ""


class CuratedFile(_Strict):
    curated: tuple[CuratedEntry, ...]
