"""Tests of the files that operators use: TURN server, compose, image."""
