"""Figures that a service tells are written by what really happens in it, each by its own cause."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.peers.sounds import vowel
from tests.voicepeer.commandline import FAKE
from tests.voicepeer.test_service import descendants, fetch, told
from voicepeer.child_service import ChildService, running_service
from voicepeer.client import RequestFailed, VoicePeerClient
from voicepeer.core.messages import Failed, Started
from voicepeer.core.speaking.beginning import PARTS

pytestmark = pytest.mark.e2e

SLOWER_THAN_SPOKEN = {"engine.options": "fake.chunk_delay_ms=100"}
"""Chunks of 80 ms, so that there are underruns whatever the machine does."""

SETTINGS = SLOWER_THAN_SPOKEN | {"metrics.similarity_share": "1"}
PATIENCE_S = 30.0


@dataclass(frozen=True)
class Figures:
    """What ``/metrics`` told at one moment, by name and label values."""

    values: dict[tuple[str, ...], float]

    def __getitem__(self, key: str | tuple[str, ...]) -> float:
        name = (key,) if isinstance(key, str) else key
        return self.values.get(name, 0.0)

    def of(self, name: str) -> float:
        """The sum over all labels."""
        return sum(value for key, value in self.values.items() if key[0] == name)


async def figures(service: ChildService) -> Figures:
    _, text = await fetch(f"{service.ready.url}/metrics")
    families = text_string_to_metric_families(text)
    samples = (sample for family in families for sample in family.samples)
    return Figures({(one.name, *one.labels.values()): one.value for one in samples})


async def until(service: ChildService, true: Callable[[Figures], bool]) -> Figures:
    """The figures, once this is so of them."""
    async with asyncio.timeout(PATIENCE_S):
        while not true(now := await figures(service)):  # noqa: ASYNC110 - of another process
            await asyncio.sleep(0.1)
    return now


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[ChildService]:
    flags = SETTINGS | {"voices.database": str(folder / "voices.sqlite")}
    async with running_service([*FAKE, *(f"--set={k}={v}" for k, v in flags.items())]) as service:
        yield service


async def test_each_figure_comes_of_what_it_counts(tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as service,
        VoicePeerClient(service.ready.url, mic=vowel(3.6)) as client,
    ):
        begun = await figures(service)
        assert begun["voicepeer_ready"] == begun["voicepeer_sessions"] == 1
        assert begun.of("voicepeer_build_info") == 1
        await client.enrol("I agree.", until="usable", timeout_s=PATIENCE_S)
        await client.say("Long enough to be compared.")
        client.speak("This is cut off before its end, and what was made of it goes to waste.")
        with client.call.listening() as events:
            await told(events, Started)
            assert (await figures(service))["voicepeer_queued_utterances"] == 1
            await client.say("Four.", interrupt=True)
        with pytest.raises(RequestFailed):
            await client.use_voice("nobody")
        await said_over_http(service)
        # It is compared while nobody speaks, and the client's reports come about once a second.
        now = await until(
            service,
            lambda now: now["voicepeer_similarity_count"] > 0 < now["voicepeer_packets_sent_total"],
        )
        for name in (
            "voicepeer_first_audible_seconds_count",
            "voicepeer_real_time_factor_count",
            "voicepeer_underruns_total",
            "voicepeer_lead_seconds_count",
            "voicepeer_utterance_audio_seconds_sum",
            "voicepeer_voice_usable_seconds_count",
            "voicepeer_voice_score_count",
            "voicepeer_embedding_seconds_count",
            "voicepeer_network_loss_ratio_count",
            "voicepeer_network_jitter_seconds_count",
            "voicepeer_network_round_trip_seconds_count",
            "voicepeer_network_bitrate_bits_per_second_count",
            "voicepeer_event_loop_late_seconds_count",
            "voicepeer_http_first_bytes_seconds_count",
        ):
            assert now[name] > begun[name], name
        for name in ("process_resident_memory_bytes", "process_cpu_seconds_total"):
            assert now[name] > 0, name
        parts = [now["voicepeer_first_audible_part_seconds_count", part] for part in PARTS]
        assert parts == [now["voicepeer_first_audible_seconds_count"]] * len(PARTS)
        assert now["voicepeer_utterances_total", "done"] == 2
        assert now["voicepeer_utterances_total", "cancelled"] == 1
        assert now["voicepeer_errors_total", "voice_not_found"] == 1
        assert now["voicepeer_queued_utterances"] == 0
        for role in ("speech", "listening"):
            assert now["voicepeer_worker_resident_memory_bytes", role] > 0
            assert now["voicepeer_worker_cpu_seconds_total", role] > 0
        assert 0 < now["voicepeer_memory_free_ratio"] < 1
        assert now["voicepeer_store_up"] == 1

        with client.call.listening() as events:
            client.speak("Nobody hears the end of this.")
            await told(events, Started)
            kill_workers(service)
            await told(events, Failed)
        after = await until(service, lambda now: now["voicepeer_engine_restarts_total"] >= 1)
        assert after["voicepeer_errors_total", "engine_failed"] == 1
        assert after["voicepeer_utterances_total", "failed"] == 1
        await client.close()
        left = await until(service, lambda now: now["voicepeer_sessions"] == 0)
        assert left["voicepeer_sessions_closed_total", "client_left"] == 1


async def said_over_http(service: ChildService) -> None:
    asked = {"input": "Five.", "voice": "low", "response_format": "wav"}
    url = f"{service.ready.url}/v1/audio/speech"
    async with aiohttp.ClientSession() as http, http.post(url, json=asked) as answer:
        assert answer.status == 200
        await answer.read()


def kill_workers(service: ChildService) -> None:
    """End the models' processes at once."""
    for pid in descendants(service.pid):
        os.kill(pid, signal.SIGKILL)
