"""What written French, Italian and Portuguese have in common, with one table a language."""
