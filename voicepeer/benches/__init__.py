"""What ``voicepeer bench media`` measures, and the bad network that it and the tests use."""
