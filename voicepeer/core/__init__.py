"""Pure logic: no event loop, no clock, no sockets, no models; time is always an argument."""
