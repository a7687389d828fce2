"""One module for each kind of input; its ``TARGETS`` is a tuple of ``tests.fuzz.target.Target``."""
