"""What users cost, and how many of them how many replicas serve.

``parts`` are what was measured, ``replica`` lets users talk to one service without any clock,
``cluster`` takes many of those together, ``trial`` holds what comes out against what was measured.
"""
