"""``python -m voicepeer`` is the ``voicepeer`` command."""

import sys

from voicepeer.cli import main

if __name__ == "__main__":
    sys.exit(main())
