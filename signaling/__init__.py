"""Signaling: the wire schema, rooms, ICE servers, and the aiohttp application around them."""
