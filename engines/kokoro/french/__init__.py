"""French pronunciation."""
