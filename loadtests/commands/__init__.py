"""One module a command: ``add_arguments`` adds its options, ``run`` does it; see ``__main__``."""
