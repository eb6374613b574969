"""The package of the Teams app: a zip with the manifest and both icons, the same bytes for the same manifest."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ops.deploy.teams_manifest import COLOR_ICON, OUTLINE_ICON

HERE = Path(__file__).resolve().parent
ICONS = {COLOR_ICON: HERE / "teams-color.png", OUTLINE_ICON: HERE / "teams-outline.png"}
MANIFEST = "manifest.json"
_NO_DAY = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_READABLE = 0o644 << 16


def package(manifest: Mapping[str, Any]) -> bytes:
    """Stored, not packed: what packs it differs from machine to machine."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    files = {MANIFEST: text.encode()} | {name: path.read_bytes() for name, path in ICONS.items()}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _NO_DAY)
            entry.create_system, entry.external_attr = _UNIX, _READABLE
            archive.writestr(entry, content)
    return made.getvalue()
