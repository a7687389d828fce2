"""Italian pronunciation."""
