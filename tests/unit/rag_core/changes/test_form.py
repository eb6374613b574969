"""Any policy against a copy of it that was laid out anew: no rule has changed."""

from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_core.changes import Direction, RuleChangeKind, diff
from rag_core.changes.words import key_of
from rag_core.layout import read_blocks

_quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

SUBJECTS = (
    "Kites",
    "Red balloons",
    "Ads for gliders",
    "Paper lanterns",
    "“Silk” kites",
    "Users under 18",
    "Acme's toys",
)
PREDICATES = (
    "must not be shown to children",
    "may be advertised with our approval",
    "are allowed only in Spain",
    "are not allowed",
    "must carry a warning of at least 3 seconds",
    "should be red, blue or green",
)
ITEMS = ("Alcohol", "Energy drinks", "Tobacco and e-cigarettes", "Lotteries, bets", "Online pharmacies", "Lingerie")
LEADS = ("The following are not allowed:", "We allow, with restrictions:", "Advertisers must:")
TITLES = ("Kites", "Toys for children", "Spain", "Health", "Prohibited content", "Finance", "Malta", "Targeting")


@dataclass(frozen=True)
class Section:
    title: str
    paragraphs: tuple[tuple[str, ...], ...]
    lead: str
    items: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Form:
    """How a document is laid out."""

    level: int = 2
    heading_number: str = ""
    heading_end: str = ""
    upper: bool = False
    marks: tuple[str, ...] = ("-",)
    curly: bool = False
    one_sentence_a_line: bool = False
    full_stops: bool = True
    flat: bool = False
    hidden: str = ""
    stamp: str = ""
    contents: bool = False
    extra: tuple[str, ...] = field(default=())

    def text(self, sections: list[Section]) -> str:
        lines = [self.stamp, "# Policy"]
        if self.contents:
            lines += ["Table of contents", *(f"- {each.title}" for each in sections)]
        for number, section in enumerate(sections, 1):
            title = section.title.upper() if self.upper else section.title
            lines.append(f"{'#' * self.level} {self.heading_number.format(number)}{title}{self.heading_end}")
            for sentences in section.paragraphs:
                ended = [
                    f"{each}{'.' if self.full_stops or not self.one_sentence_a_line else ''}" for each in sentences
                ]
                lines += ended if self.one_sentence_a_line else [" ".join(ended)]
            lines.append(section.lead)
            lines += self._list(section)
        text = "\n\n".join(line for line in [*lines, *self.extra] if line)
        text = text.replace("must ", f"must{self.hidden} ")
        return text if self.curly else text.translate({ord("“"): '"', ord("”"): '"', ord("’"): "'"})

    def _list(self, section: Section) -> list[str]:
        found = []
        for at, (item, conditions) in enumerate(section.items):
            found.append(f"{self.marks[at % len(self.marks)]} {item}{'.' if self.hidden else ''}")
            found += [f"{'' if self.flat else '  '}- {each}" for each in conditions]
        return found


def _several(strings: tuple[str, ...], most: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(strings), max_size=most, unique=True).map(tuple)


sentences = st.builds(lambda one, other: f"{one} {other}", st.sampled_from(SUBJECTS), st.sampled_from(PREDICATES))
paragraphs = st.lists(st.lists(sentences, min_size=1, max_size=3, unique=True).map(tuple), max_size=3, unique=True)
items = st.lists(
    st.tuples(st.sampled_from(ITEMS), _several(PREDICATES, 2)), min_size=1, max_size=5, unique_by=lambda each: each[0]
)
bodies = st.tuples(paragraphs.map(tuple), st.sampled_from(LEADS), items.map(tuple))


@st.composite
def documents(draw: st.DrawFn) -> list[Section]:
    titles = draw(st.lists(st.sampled_from(TITLES), min_size=1, max_size=5, unique=True))
    return [Section(title, *draw(bodies)) for title in titles]


forms = st.builds(
    Form,
    level=st.sampled_from((2, 3, 5)),
    heading_number=st.sampled_from(("", "{}. ", "4.{} ")),
    heading_end=st.sampled_from(("", ":")),
    upper=st.booleans(),
    marks=st.sampled_from((("-",), ("1.", "2.", "3.", "4.", "5."), ("a)", "b)", "c)", "d)", "e)"))),
    curly=st.booleans(),
    one_sentence_a_line=st.booleans(),
    full_stops=st.booleans(),
    flat=st.booleans(),
    hidden=st.sampled_from(("", "\u200b")),
    stamp=st.sampled_from(("", "Last updated: 3 March 2026", "Updated on 9 May 2026")),
    contents=st.booleans(),
)


def told(before: str, after: str) -> list[tuple[RuleChangeKind, str, str]]:
    return [(rule.kind, rule.before, rule.after) for section in diff(before, after) for rule in section.rules]


@_quick
@given(documents(), forms)
def test_a_document_laid_out_anew_has_the_same_rules(document: list[Section], form: Form) -> None:
    if len(document) < 3:
        form = replace(form, contents=False)  # fewer lines than three are no table of contents
    assert told(Form().text(document), form.text(document)) == []
    assert told(form.text(document), Form().text(document)) == []


@_quick
@given(documents())
def test_sections_in_another_order_have_the_same_rules(document: list[Section]) -> None:
    shuffled = sorted(document, key=lambda each: each.title[::-1])
    assert told(Form().text(document), Form().text(shuffled)) == []


@_quick
@given(documents(), forms, st.data())
def test_a_word_that_turns_a_rule_around_is_found_in_any_layout(
    document: list[Section], form: Form, data: st.DataObject
) -> None:
    rule = "Sailing boats may be shown near harbours"
    at = data.draw(st.integers(0, len(document) - 1))
    form = replace(form, contents=False)
    before, after = (
        [
            replace(section, paragraphs=(*section.paragraphs, (said,))) if number == at else section
            for number, section in enumerate(document)
        ]
        for said in (rule, rule.replace("may", "may not"))
    )
    for first, second, expected in ((before, after, Direction.STRICTER), (after, before, Direction.LOOSER)):
        found = diff(Form().text(first), form.text(second))
        (changed,) = [each for section in found for each in section.rules]
        assert changed.kind is RuleChangeKind.CHANGED
        assert changed.direction in (expected, None)


@_quick
@given(documents(), documents())
def test_no_word_that_came_or_went_is_left_out(before: list[Section], after: list[Section]) -> None:
    """Headings aside: their words stand in the paths of what is told of them."""
    old, new = Form().text(before), Form().text(after)
    found: Counter[str] = Counter()
    for _, gone, come in told(old, new):
        found.update(key_of(come).split())
        found.subtract(key_of(gone).split())
    real = _words(new)
    real.subtract(_words(old))
    titles = {word for title in TITLES for word in key_of(title).split()}
    assert {word: count for word, count in found.items() if count and word not in titles} == {
        word: count for word, count in real.items() if count and word not in titles
    }


@_quick
@given(documents(), documents())
def test_the_way_back_is_the_opposite_or_nothing(before: list[Section], after: list[Section]) -> None:
    old, new = Form().text(before), Form().text(after)
    there = {(rule.before, rule.after): rule.direction for each in diff(old, new) for rule in each.rules if rule.edits}
    back = {(rule.after, rule.before): rule.direction for each in diff(new, old) for rule in each.rules if rule.edits}
    for pair in there.keys() & back.keys():
        assert there[pair] is None or there[pair] is not back[pair]


def _words(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for block in read_blocks(text):
        found.update(key_of(block.text).split())
    return found
