"""How written Hindi is said."""
