"""Queues whose waiting is known in closed form; rates a second, times in seconds.

The simulation is held against them, and they tell what it gains to have one queue for many servers.
"""

from __future__ import annotations

import math


def mg1_wait_s(arrivals_hz: float, mean_s: float, deviation_s: float) -> float:
    """Mean wait before one server, whatever the service times (Pollaczek 1930, Khinchine 1932).

    Args:
        deviation_s: standard deviation of the service times.

    Raises:
        ValueError: more comes than can be served.
    """
    load = _stable(arrivals_hz * mean_s, 1)
    second_moment = mean_s**2 + deviation_s**2
    return arrivals_hz * second_moment / (2.0 * (1.0 - load))


def mm1_wait_s(arrivals_hz: float, mean_s: float) -> float:
    """The same for exponential service times; raises like ``mg1_wait_s``."""
    return mg1_wait_s(arrivals_hz, mean_s, mean_s)


def erlang_b(servers: int, offered: float) -> float:
    """Share of those who find all servers busy and leave (Erlang 1917), by its recursion.

    Args:
        offered: arrivals times service time, in servers (erlangs).
    """
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = offered * blocked / (count + offered * blocked)
    return blocked


def erlang_c(servers: int, offered: float) -> float:
    """Share of those who have to wait where nobody leaves (Erlang 1917).

    Raises:
        ValueError: more comes than can be served.
    """
    load = _stable(offered, servers) / servers
    blocked = erlang_b(servers, offered)
    return blocked / (1.0 - load * (1.0 - blocked))


def mmc_wait_s(servers: int, arrivals_hz: float, mean_s: float) -> float:
    """Mean wait before several servers with one queue; raises like ``erlang_c``."""
    offered = arrivals_hz * mean_s
    return erlang_c(servers, offered) * mean_s / (servers - offered)


def talkers_beyond(users: int, talk: float, streams: int) -> float:
    """Probability that more than ``streams`` of ``users`` talk at once.

    Each talks that share of the time, whatever the others do: a binomial distribution.
    """
    if streams >= users:
        return 0.0
    return max(0.0, 1.0 - sum(binomial(users, talk, count) for count in range(streams + 1)))


def binomial(trials: int, share: float, count: int) -> float:
    """Probability of exactly ``count`` successes; by logarithms, as ``trials`` may be large."""
    if share <= 0.0 or share >= 1.0:
        return float(count == (0 if share <= 0.0 else trials))
    log_ways = math.lgamma(trials + 1) - math.lgamma(count + 1) - math.lgamma(trials - count + 1)
    log_share = count * math.log(share) + (trials - count) * math.log1p(-share)
    return math.exp(log_ways + log_share)


def users_for_streams(streams: int, talk: float, beyond: float) -> int:
    """Most users of whom more than ``streams`` talk at once no more often than ``beyond``.

    Raises:
        ValueError: nobody talks, so that there is no limit.
    """
    if not 0.0 < talk <= 1.0:
        raise ValueError(f"a share of talk is over 0 and at most 1, not {talk:g}")
    fits, beyond_it = streams, streams + 1
    while talkers_beyond(beyond_it, talk, streams) <= beyond:
        fits, beyond_it = beyond_it, 2 * beyond_it
    while beyond_it - fits > 1:
        middle = (fits + beyond_it) // 2
        if talkers_beyond(middle, talk, streams) <= beyond:
            fits = middle
        else:
            beyond_it = middle
    return fits


def _stable(offered: float, servers: int) -> float:
    if not 0.0 <= offered < servers:
        raise ValueError(f"a load of {offered:g} on {servers} is never served")
    return offered
