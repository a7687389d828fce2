"""From microphone frames to a voice."""
