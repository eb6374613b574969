"""The keyword leg: BM25 in tantivy. A document there is a serial number with words and facets, nothing stored."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from tantivy import (
    Document,
    FieldType,
    Filter,
    Index,
    IndexWriter,
    Occur,
    Query,
    Schema,
    SchemaBuilder,
    Searcher,
    TextAnalyzer,
    TextAnalyzerBuilder,
    Tokenizer,
)

from ingest.ports import IndexEntry
from rag_core.errors import Misconfigured, Unavailable
from rag_core.questions import QueryTerm
from rag_core.retrieval.facets import Clauses, days_of, facets_of
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


_ANALYZER = "policy_english"
_HEAP_BYTES = 64_000_000

Ranked = list[tuple[int, float]]
"""Serial numbers with their scores, best first."""


def build_schema() -> Schema:
    """`facet` and `rule` hold whole values, `text` and `heading` stemmed words."""
    builder = SchemaBuilder()
    builder.add_unsigned_field("serial", indexed=True, fast=True)
    builder.add_text_field("text", tokenizer_name=_ANALYZER)
    builder.add_text_field("heading", tokenizer_name=_ANALYZER)
    builder.add_text_field("rule", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("facet", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("starts", fast=True)
    builder.add_integer_field("ends", fast=True)
    return builder.build()


class KeywordSearcher:
    """An unchanging view of the keyword index. Raises Unavailable("keyword_leg_failed", reason)."""

    def __init__(self, searcher: Searcher, schema: Schema) -> None:
        self._searcher = searcher
        self._schema = schema
        self._terms = TermQueries(schema)

    def build(self, terms: tuple[QueryTerm, ...], clauses: Clauses) -> Query | None:
        """The query for `terms` among what passes the clauses; None if the terms hold no word."""
        words = self._terms.any_of(terms)
        if words is None:
            return None
        return Query.boolean_query([(Occur.Must, words), *self._filters(clauses)])

    def best(self, query: Query, count: int) -> Ranked:
        """The `count` best documents (fewer if fewer match)."""
        try:
            # tantivy reserves room for as many hits as are asked for, and panics at none
            hits = self._searcher.search(query, max(min(count, self.documents), 1), count=False).hits
            serials = self._searcher.fast_field_values("serial", [address for _, address in hits])
        except (ValueError, RuntimeError, OSError) as exc:
            raise _translate(exc) from exc
        return [(int(serial or 0), float(score)) for (score, _), serial in zip(hits, serials, strict=True)]

    @property
    def documents(self) -> int:
        return int(self._searcher.num_docs)

    def _filters(self, clauses: Clauses) -> list[tuple[Occur, Query]]:
        """Clauses that decide and do not score."""
        filters = [(Occur.Must, self._any_facet(facets)) for facets in clauses.any_of]
        if clauses.none_of:
            filters.append((Occur.MustNot, self._any_facet(clauses.none_of)))
        if clauses.day is not None:
            filters.append((Occur.Must, _unscored(self._range("starts", None, clauses.day))))
            filters.append((Occur.Must, _unscored(self._range("ends", clauses.day + 1, None))))
        return filters

    def _any_facet(self, facets: frozenset[str]) -> Query:
        terms = [Query.term_query(self._schema, "facet", facet, "basic") for facet in sorted(facets)]
        return _unscored(Query.boolean_query([(Occur.Should, term) for term in terms]))

    def _range(self, field: str, low: int | None, high: int | None) -> Query:
        return Query.range_query(self._schema, field, FieldType.Integer, low, high)


class KeywordFolder:
    """A tantivy index in a folder. Only one process at a time may write to it; the caller holds the lock."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self._schema = build_schema()
        self._folder = folder
        try:
            if create:
                folder.mkdir(parents=True, exist_ok=True)
                self._index = Index(self._schema, path=str(folder), reuse=True)
            else:
                self._index = Index.open(str(folder))
            self._index.register_tokenizer(_ANALYZER, build_analyzer())
            self._index.config_reader("manual")
        except ValueError as exc:
            raise _translate(exc) from exc

    def searcher(self) -> KeywordSearcher:
        """The newest committed state."""
        try:
            self._index.reload()
            return KeywordSearcher(self._index.searcher(), self._schema)
        except ValueError as exc:
            raise _translate(exc) from exc

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether there is a keyword index in the folder."""
        return folder.is_dir() and bool(Index.exists(str(folder)))

    def writer(self) -> "KeywordWriter":
        """Raises Misconfigured("index_unwritable", path, reason)."""
        try:
            return KeywordWriter(self._index.writer(_HEAP_BYTES, 1), self._schema, self._folder)
        except ValueError as exc:
            raise _translate_write(exc, self._folder) from exc


class KeywordWriter:
    """Adds and removes documents; nothing counts before `commit`, which raises Misconfigured("index_unwritable")."""

    def __init__(self, writer: IndexWriter, schema: Schema, folder: Path) -> None:
        self._writer = writer
        self._schema = schema
        self._folder = folder
        self._open = True

    def add(self, serial: int, entry: IndexEntry) -> None:
        document = Document()
        chunk = entry.passage.chunk
        document.add_unsigned("serial", serial)
        document.add_text("text", without_possessive(chunk.search_text))
        document.add_text("heading", without_possessive(chunk.policy_path))
        if chunk.rule_number:
            document.add_text("rule", rule_key(chunk.rule_number))
        for facet in facets_of(entry.passage):
            document.add_text("facet", facet)
        starts, ends = days_of(entry.passage)
        document.add_integer("starts", starts)
        document.add_integer("ends", ends)
        try:
            self._writer.add_document(document)
        except ValueError as exc:
            raise _translate_write(exc, self._folder) from exc

    def remove(self, serials: Iterable[int]) -> None:
        # Not `delete_documents_by_term`: it takes the number for a signed one and finds nothing
        if found := list(serials):
            self._writer.delete_documents_by_query(Query.term_set_query(self._schema, "serial", found))

    def remove_from(self, serial: int) -> None:
        """Remove this serial and every later one that was added before this call."""
        later = Query.range_query(self._schema, "serial", FieldType.Unsigned, serial, None)
        self._writer.delete_documents_by_query(later)

    def commit(self) -> None:
        try:
            self._writer.commit()
        except ValueError as exc:
            raise _translate_write(exc, self._folder) from exc

    def close(self) -> None:
        """Drop what was not committed, and wait until small segments are merged: nobody else will merge them."""
        if self._open:
            self._open = False
            try:
                self._writer.wait_merging_threads()
            except ValueError as exc:
                raise _translate_write(exc, self._folder) from exc


def _unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)


def _translate(exc: Exception) -> Unavailable:
    return Unavailable("keyword_leg_failed", reason=str(exc))


def _translate_write(exc: Exception, folder: Path) -> Misconfigured:
    """tantivy reports a full disk, a folder without permission and a folder gone alike, as ValueError."""
    return Misconfigured("index_unwritable", path=str(folder), reason=str(exc))
