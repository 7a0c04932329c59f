"""`python -m gco_reference`."""

import sys

from gco_reference.cli import main

if __name__ == "__main__":
    sys.exit(main())
