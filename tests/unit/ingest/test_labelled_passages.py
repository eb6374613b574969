"""Real documents are read as people read them: places, headings and lead-ins of passages labelled by hand."""

from pathlib import Path

import pytest

from adapters.models.onnx import OnnxEmbedder
from tests.fakes.labelled import LABELLED, SPLITS, Split, figures_of, find_all, read_passages

_FLOORS = {  # precision and recall of places, heading paths, lead-ins
    "dev": (1.0, 1.0, 1.0, 0.991),
    "test": (1.0, 0.955, 1.0, 1.0),
}


@pytest.mark.shared_data
@pytest.mark.parametrize("split", SPLITS)
def test_passages_are_read_as_labelled(split: Split, shared_data: Path) -> None:
    embedder = OnnxEmbedder()
    passages = [each for each in read_passages(LABELLED) if each.split == split]
    figures = figures_of(find_all(passages, shared_data, embedder.count_tokens, embedder.max_tokens))
    precision, recall, paths, lead_ins = _FLOORS[split]
    assert figures.region_precision >= precision
    assert figures.region_recall >= recall
    assert figures.paths >= paths
    assert figures.lead_ins >= lead_ins


@pytest.mark.shared_data
def test_anchors_stand_where_the_labels_say(shared_data: Path) -> None:
    for each in read_passages(LABELLED):
        content = (shared_data / each.file).read_bytes().decode("utf-8")
        assert content.startswith(each.anchor, each.at), (each.file, each.at)


def test_enough_passages_are_labelled_in_both_parts() -> None:
    """The parts share no file, so that what is mended by one is measured by the other."""
    parts = {split: [each for each in read_passages(LABELLED) if each.split == split] for split in SPLITS}
    assert all(len(each) >= 150 for each in parts.values())
    assert not {each.file for each in parts["dev"]} & {each.file for each in parts["test"]}
