"""Mandarin Chinese: how numbers, dates, amounts and signs are said."""
