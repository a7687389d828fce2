"""The peer: session, tracks, text front end, listening, voice store, client, command line."""
