"""What runs inside the environment of each peer: it says the texts that it is sent.

These modules are run by another Python than ours, so that they import nothing of ours but each
other and ``loadtests.peers.protocol``, which need numpy at most.
"""
