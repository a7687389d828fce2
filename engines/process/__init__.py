"""Behind ``engines.host``: how models live in processes of their own.

In the host: ``child`` (one process), ``keeper`` (keeps one running), ``watchdog``,
``starvation``. In the worker: ``speaking``, ``hearing``, ``lane``, ``schedule``, ``precedence``,
``huge_pages``. Between them: ``frames``.
"""
