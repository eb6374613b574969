"""Words as the keyword index knows them, and a question's terms as a query over them.

Queries are built from values, never parsed from text: nothing a person types is an operator.
"""

from collections.abc import Iterable, Sequence

from tantivy import Filter, Occur, Query, Schema, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from rag_core.questions import QueryTerm
from rag_core.retrieval.found import (
    HEADING_WEIGHT,
    MAX_PHRASE,
    MAX_TERMS,
    RULE_WEIGHT,
    SYNONYM_WEIGHT,
    rule_key,
    without_possessive,
)


def build_analyzer() -> TextAnalyzer:
    """Words, lower-case, without accents, as English stems."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(60))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stemmer("english"))
        .build()
    )


class TermQueries:
    """Builds the keyword leg's query."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._analyzer = build_analyzer()

    def any_of(self, terms: Sequence[QueryTerm]) -> Query | None:
        """Chunks with any of the terms; None if no word is left of them."""
        built = [query for term in terms[:MAX_TERMS] if (query := self._term(term)) is not None]
        return Query.boolean_query([(Occur.Should, query) for query in built]) if built else None

    def _term(self, term: QueryTerm) -> Query | None:
        """The best of the word and its synonyms, not their sum: they say the same thing."""
        alternatives = [self._text(term.text, 1.0)]
        alternatives += [self._text(synonym, SYNONYM_WEIGHT) for synonym in (*term.synonyms, *term.broader)]
        found = [query for query in alternatives if query is not None]
        if len(found) < 2:
            return found[0] if found else None
        return Query.disjunction_max_query(found)

    def _text(self, text: str, weight: float) -> Query | None:
        words = self._analyzer.analyze(without_possessive(text))
        if not words:
            return None
        parts = [
            self._words("text", words, weight),
            self._words("heading", words, weight * HEADING_WEIGHT),
        ]
        if any(character.isdigit() for character in text):
            rule = Query.term_query(self._schema, "rule", rule_key(text), "basic")
            parts.append(Query.boost_query(rule, weight * RULE_WEIGHT))
        return Query.boolean_query([(Occur.Should, part) for part in parts])

    def _words(self, field: str, words: list[str], weight: float) -> Query:
        """One word, a phrase, or the words of what is too long for anybody to have written it just so."""
        if len(words) == 1:
            query = Query.term_query(self._schema, field, words[0])
        elif len(words) <= MAX_PHRASE:
            query = Query.phrase_query(self._schema, field, list(words))
        else:
            query = _either(Query.term_query(self._schema, field, word) for word in dict.fromkeys(words[:MAX_TERMS]))
        return query if weight == 1.0 else Query.boost_query(query, weight)


def _either(queries: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])
