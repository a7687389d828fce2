"""Japanese: words, how they are read where they stand, and the sounds of kana."""
