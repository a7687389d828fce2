"""Kit for tests with two real peers in one process: network, leaks, glitches."""
