import sys

from ops.servers.cli import main

sys.exit(main(sys.argv[1:]))
