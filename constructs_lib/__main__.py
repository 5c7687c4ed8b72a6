"""`python -m constructs_lib`: the command `talos-gpu`, where its script is not on PATH."""

import sys

from .cli import main

sys.exit(main())
