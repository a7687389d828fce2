"""What a recording of a room is made of: packets on a timeline, in Ogg, and their mix. Pure."""
