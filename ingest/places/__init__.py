"""Where a part of a document holds, read from its headings, from labels such as `Germany: ...`, and from its words.

A wrong place is worse than none: where the wording leaves a doubt, the part stays where it was, marked as doubtful.
"""

from ingest.places.headings import of_heading, of_title
from ingest.places.labels import of_label
from ingest.places.mentions import in_doubt, mentioned
from ingest.places.scopes import Places
from rag_core.published_places.names import names_only_places, only_places

__all__ = ["Places", "in_doubt", "mentioned", "names_only_places", "of_heading", "of_label", "of_title", "only_places"]
