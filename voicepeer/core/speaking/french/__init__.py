"""How written French is said."""
