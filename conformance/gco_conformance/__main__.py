"""`python -m gco_conformance`."""

import sys

from gco_conformance.cli import main

sys.exit(main())
