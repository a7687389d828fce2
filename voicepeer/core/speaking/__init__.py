"""From text to paced frames."""
