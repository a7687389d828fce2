"""Mandarin: words, the readings of their characters, tones in context, and their sounds."""
