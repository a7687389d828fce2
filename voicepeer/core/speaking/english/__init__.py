"""How written English is said."""
