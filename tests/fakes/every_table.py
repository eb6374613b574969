"""Every table that the code knows, whichever module it stands in: imported, so that none is left out."""

from importlib import import_module
from pkgutil import iter_modules

import adapters.sql.tables
from adapters.sql.tables.policies import metadata as metadata

for _module in iter_modules(adapters.sql.tables.__path__, prefix="adapters.sql.tables."):
    import_module(_module.name)
