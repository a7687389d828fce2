"""How written Italian is said."""
