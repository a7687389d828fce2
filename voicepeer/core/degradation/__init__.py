"""When a service that has too much to do makes do with less, and when no longer."""
