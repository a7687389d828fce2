"""How written Brazilian Portuguese is said."""
