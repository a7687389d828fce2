"""The peer: session, tracks, text front end, listening, voice store, client, command line."""

__version__ = "0.1.0"
