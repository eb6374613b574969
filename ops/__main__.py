"""`python -m ops COMMAND`: what operators do."""

import sys

from ops.supply import command as supply

if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in supply.COMMANDS:
        sys.exit(supply.main(sys.argv[1:]))
    from ops.cli import main

    sys.exit(main(sys.argv[1:]))
