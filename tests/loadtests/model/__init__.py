"""Mirrors ``loadtests.model``."""
