"""Many real peers against a running service, over the public wire only; see docs/loadtests.md."""
