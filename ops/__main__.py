"""`python -m ops COMMAND`: what operators do."""

import sys

from ops.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
