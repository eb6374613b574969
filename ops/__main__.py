"""`python -m ops COMMAND`: what operators do."""

import sys

from ops.supply import alone
from ops.supply.arguments import COMMANDS as ABOUT_PACKAGES

if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ABOUT_PACKAGES:
        sys.exit(alone.main(sys.argv[1:]))
    from ops.cli import main

    sys.exit(main(sys.argv[1:]))
