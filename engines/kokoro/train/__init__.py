"""Makes the small files that ship in ``engines/kokoro/data``: style basis and cloning regression.

Needs the ``kokoro`` extra; nothing here is used when the service runs.
"""
