"""Rooms in which participants hear each other: who is there, who speaks, who hears whom."""
