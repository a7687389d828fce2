"""How written Spanish is said."""
