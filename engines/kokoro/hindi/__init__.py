"""Hindi pronunciation."""
