"""Everything that runs a model: the seam, its host process, and one folder per engine."""
