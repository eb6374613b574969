import time

import pytest

from ingest.parsers.markdown import parse_markdown
from ingest.sources.bbcode import markdown_of

BASE = "https://forum.example"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("[b]Beer[/b] and [i]wine[/i], [s]gin[/s], [u]rum[/u]", "**Beer** and *wine*, ~~gin~~, rum"),
        ('[quote="ann, post:1, topic:2"]\nMay I?\n[/quote]\n\nNo.', "> ann:\n>\n> May I?\n\nNo."),
        ("[quote]A[quote=bob]B[/quote][/quote]", "> A\n>\n> > bob:\n> >\n> > B"),
        ('[details="In the UK"]\nNot at all.\n[/details]', "**In the UK**\n\nNot at all."),
        ("[spoiler]hidden[/spoiler] words", "hidden words"),
        ("[size=4][color=red]Big[/color][/size]", "Big"),
        ("[url=https://a.example/x]rules[/url]", "[rules](https://a.example/x)"),
        ("[url]https://a.example[/url]", "<https://a.example>"),
        ("[url=javascript:alert(1)]rules[/url]", "rules"),
        ("[img]https://a.example/x.png[/img]", "![](https://a.example/x.png)"),
        ("[poll type=regular name=p]\n* Yes\n* No\n[/poll]", "* Yes\n* No"),
        ("[list][*]One[*]Two[/list]", "- One\n- Two"),
        ('On [date=2026-05-01 time=09:00:00 timezone="Europe/Paris"].', "On 2026-05-01 09:00:00 Europe/Paris."),
        ("Ask @ann about it", "Ask @ann about it"),
        (":white_check_mark: Beer :x: Gin :tada:", "✅ Beer ❌ Gin"),
        ("From 10:30:15 on, :no_such_code: stays", "From 10:30:15 on, :no_such_code: stays"),
        ("See\nhttps://a.example/rules?x=1\n", "See\n<https://a.example/rules?x=1>"),
        (
            "![label|690x388, 50%](upload://abc.png)",
            "![label](https://forum.example/uploads/short-url/abc.png)",
        ),
        (
            "[rules.pdf|attachment](upload://x.pdf) (1 MB)",
            "[rules.pdf](https://forum.example/uploads/short-url/x.pdf) (1 MB)",
        ),
        ("[b](https://a.example)", "[b](https://a.example)"),
        ("part [i] of the list", "part [i] of the list"),
        ("[/b] alone, [unknown]x[/unknown]", " alone, [unknown]x[/unknown]".strip()),
        ("`[b]code[/b]` and\n\n```\n[b]:x:[/b]\n```", "`[b]code[/b]` and\n\n```\n[b]:x:[/b]\n```"),
        ("[code]a < b :x:[/code]", "`a < b :x:`"),
        ("[code]\nhttps://a.example\n[b]\n[/code]", "```\nhttps://a.example\n[b]\n```"),
        ("[url=https://a.example]https://b.example[/url]", "[https://b.example](https://a.example)"),
        ("[B]Loud[/B]", "**Loud**"),
        ("[b]crossed [i]tags[/b] here[/i]", "**crossed [i]tags** here"),
    ],
)
def test_to_markdown(raw: str, expected: str) -> None:
    assert markdown_of(raw, BASE) == expected


def test_what_is_read_of_it() -> None:
    raw = '[quote="ann"]Is gin allowed?[/quote]\n[details="Spirits"]\n:x: Gin\n[/details]'

    blocks = parse_markdown(markdown_of(raw, BASE).encode()).blocks

    assert "Spirits" in str(blocks)
    assert "Is gin allowed?" in str(blocks)


@pytest.mark.parametrize(
    "raw",
    [
        "[quote]" * 7000,
        "[b]" * 16000,
        "```\n" * 12000,
        "[/quote]" * 6000,
        "~" * 50000,
        "[url=" * 10000,
        ":a" * 25000,
        "```x\n" * 10000,
        "[code]" * 8000,
    ],
)
def test_hostile_posts_take_no_time(raw: str) -> None:
    began = time.process_time()
    markdown_of(raw, BASE)
    assert time.process_time() - began < 5
