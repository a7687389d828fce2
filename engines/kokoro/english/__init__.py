"""English pronunciation: a lexicon, rules around it, and letters to sound for the rest."""
