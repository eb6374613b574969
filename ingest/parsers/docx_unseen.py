"""What Word does not show is taken out of a document's mark-up, and what its reader would leave out is unwrapped.

Names of elements: ECMA-376, part 1, chapter 17 (WordprocessingML)."""

import re
from collections.abc import Iterator, Set
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_VALUE = f"{_W}val"
_OFF = frozenset({"0", "false", "off", "none"})
_WRAPPERS = frozenset(f"{_W}{name}" for name in ("fldSimple", "bdo", "dir", "rubyBase"))
_NOTED = re.compile(
    rb"<w:(?:vanish|specVanish|dstrike|hidden|fldSimple|bdo|dir|ruby)\b|w14:noFill|w:val=['\"](?:FFFFFF|[0-3])['\"]|w:[pr]Style\b",
    re.IGNORECASE,
)
_LARGEST_TINY = 3
"""Half points."""
_SHADES = (f"{_W}shd", f"{_W}highlight")


def hidden_styles(styles: bytes) -> frozenset[str]:
    """The ids of the styles in `styles` (word/styles.xml) whose text is hidden, also by the style they are based on."""
    found = _parsed(styles) if b"anish" in styles else None
    if found is None:
        return frozenset()
    based: dict[str, str] = {}
    says: dict[str, bool] = {}
    for style in found.iter(f"{_W}style"):
        name = style.get(f"{_W}styleId", "")
        based[name] = _value(style, f"{_W}basedOn")
        if (said := _is_on(style.find(f"{_W}rPr"), "vanish", "specVanish")) is not None:
            says[name] = said
    return frozenset(name for name in based if _hides(name, based, says))


def as_shown(markup: bytes, hidden: Set[str]) -> bytes:
    """`markup` (word/document.xml, notes) without what is hidden, by itself or by a style in `hidden`. As it is where
    nothing can be, and where it is no XML."""
    root = _parsed(markup) if _NOTED.search(markup) else None
    if root is None:
        return markup
    _clean(root, hidden, in_table=False, shaded=False)
    shown: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return shown


def _parsed(markup: bytes) -> Element | None:
    try:
        return fromstring(markup)  # noqa: S314 - without a DOCTYPE, and not deep: `docx.checked_package`
    except (ParseError, ValueError, LookupError):
        return None


def _hides(name: str, based: dict[str, str], says: dict[str, bool]) -> bool:
    for _ in range(len(based)):
        if name in says or name not in based:
            return says.get(name, False)
        name = based[name]
    return False


def _clean(parent: Element, hidden: Set[str], *, in_table: bool, shaded: bool) -> None:
    """Recursion is as deep as the elements, at most `docx.DEEPEST`."""
    kept: list[Element] = []
    for child in parent:
        if child.tag == f"{_W}tr" and _is_on(child.find(f"{_W}trPr"), "hidden"):
            continue
        if child.tag == f"{_W}r" and _is_hidden(child, parent, hidden, on_white=not (in_table or shaded)):
            continue
        ground = shaded or _is_shaded(child.find(f"{_W}pPr"))
        _clean(child, hidden, in_table=in_table or child.tag == f"{_W}tbl", shaded=ground)
        kept += _unwrapped(child)
    parent[:] = kept


def _unwrapped(child: Element) -> Iterator[Element]:
    """What stands in an element that Word's reader does not know, in its place."""
    if child.tag in _WRAPPERS:
        yield from child
    elif child.tag == f"{_W}r" and (ruby := child.find(f"{_W}ruby")) is not None:
        yield from (each for each in ruby if each.tag == f"{_W}r")
    else:
        yield child


def _is_hidden(run: Element, around: Element, hidden: Set[str], *, on_white: bool) -> bool:
    own = run.find(f"{_W}rPr")
    vanishes = _is_on(own, "vanish", "specVanish")
    if vanishes is None:
        paragraph = around.find(f"{_W}pPr")
        vanishes = _value(own, f"{_W}rStyle") in hidden or _value(paragraph, f"{_W}pStyle") in hidden
    if vanishes or own is None:
        return bool(vanishes)
    size = _value(own, f"{_W}sz")
    is_tiny = size.isdecimal() and 0 < int(size) <= _LARGEST_TINY
    is_white = _value(own, f"{_W}color").upper() == "FFFFFF" and on_white and not _is_shaded(own)
    is_empty = own.find(f"{_W14}textFill/{_W14}noFill") is not None
    return bool(_is_on(own, "dstrike")) or is_tiny or is_white or is_empty


def _is_shaded(properties: Element | None) -> bool:
    """Also by a style, whose colours are not looked up."""
    if properties is None:
        return False
    return any(properties.find(each) is not None for each in (*_SHADES, f"{_W}pStyle", f"{_W}rStyle"))


def _is_on(properties: Element | None, *names: str) -> bool | None:
    """None where `properties` say nothing of it."""
    if properties is None:
        return None
    found = [each for name in names if (each := properties.find(f"{_W}{name}")) is not None]
    return any(each.get(_VALUE, "1").lower() not in _OFF for each in found) if found else None


def _value(around: Element | None, name: str) -> str:
    found = around.find(name) if around is not None else None
    return found.get(_VALUE, "") if found is not None else ""
