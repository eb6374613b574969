"""Every table that the code knows, whichever module it stands in: imported, so that none is left out."""

from importlib import import_module
from pathlib import Path

import adapters.sql
from adapters.sql.tables import metadata as metadata

for _module in sorted(Path(adapters.sql.__path__[0]).glob("*_tables.py")):
    import_module(f"adapters.sql.{_module.stem}")
