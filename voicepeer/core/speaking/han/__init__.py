"""What Chinese and Japanese share: scripts without blanks, numbers by ten thousands, wide marks."""
