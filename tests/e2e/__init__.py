"""Tests of the whole service in a process of its own, as a user has it."""
