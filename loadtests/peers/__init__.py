"""The same scripted call against what a user would pick instead of VoicePeer.

``catalogue`` says who the peers are, ``install`` brings them, ``bots`` run inside of their own
environments, and everything else measures them from outside, all in the same way.
"""
