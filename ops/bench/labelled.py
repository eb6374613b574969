"""`python -m ops bench labelled`: how often real documents are read as people read them: places, headings, lead-ins."""

from collections.abc import Iterable
from pathlib import Path

from ops.backends import build_embedder
from ops.bench import wording
from ops.bench.as_labelled import Found, figures_of, find_all
from ops.bench.passages import Split, read_passages
from ops.config import Config

LABELLED = Path(__file__).resolve().parent.parent.parent / "tests" / "golden" / "labelled_passages.jsonl"
SPLITS: tuple[Split, ...] = ("dev", "test")


async def bench_labelled(config: Config, data: Path, *, show: bool) -> int:
    """Print the figures of both parts. `show`: what is wrong in the dev part too; the test part is never shown, so
    that nobody mends the code by it. Always 0; missing documents are named."""
    passages = read_passages(LABELLED)
    if not all((data / file).is_file() for file in {each.file for each in passages}):
        print(wording.left_out(wording.labelled_passages(), str(data)))
        return 0
    embedder = build_embedder(config)
    found = find_all(passages, data, embedder.count_tokens, embedder.max_tokens)
    for split in SPLITS:
        print(wording.labelled(split, figures_of([each for each in found if each.passage.split == split])))
    if show:
        _print_wrong([each for each in found if each.passage.split == "dev"])
    return 0


def _print_wrong(found: Iterable[Found]) -> None:
    for each in found:
        wrong = []
        if each.placed != each.to_place:
            wrong.append(wording.wrong_regions(sorted(each.passage.regions), sorted(each.regions)))
        if not each.path_is_right:
            wrong.append(wording.wrong_path(each.passage.path, each.path))
        if not each.lead_in_is_there:
            wrong.append(wording.wrong_lead_in(each.passage.lead_in))
        if wrong:
            print(wording.wrong_passage(each.passage.file, each.passage.at, each.passage.anchor, wrong))
