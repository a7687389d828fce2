"""One module a command: ``configure`` adds its options, ``run`` does it and returns the exit code.

Modules import what is heavy only when their command runs, so that ``--help`` answers at once.
"""
