"""Brazilian Portuguese pronunciation."""
