"""The default speech engine: Kokoro-82M, split so that it streams and clones."""
