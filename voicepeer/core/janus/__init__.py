"""The client's side of a Janus server, as values: what is said to it, and what its answers mean."""
