"""Tests of signaling: real aiohttp servers and clients on loopback, and the pure parts."""
