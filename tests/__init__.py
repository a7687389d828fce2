"""Tests mirror the tree; ``tests/peers`` joins real peers."""
