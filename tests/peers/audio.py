"""``/v1/audio`` over the fake models and a real database, on a free port of loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import openai
from aiohttp import web

from signaling.app import Readiness, SignalingConfig, create_app
from signaling.audio_port import AudioService as AudioPort
from signaling.connections import create_runner
from tests.peers.engine import LocalEngine
from tests.peers.service import LocalService
from voicepeer.audio_service import AudioService
from voicepeer.audit import Audit, AuditLine
from voicepeer.consent_store import AsyncConsentStore, ConsentStore
from voicepeer.keeping import Keeping
from voicepeer.recording_store import RecordingStore
from voicepeer.revocations import Revocations
from voicepeer.speech_service import SpeechLimits
from voicepeer.spoken_file import SpokenText
from voicepeer.voice_store import AsyncVoiceStore, VoiceRecord, VoiceStore
from voicepeer.withdrawals import Withdrawals

ADA, BOB = "key-of-ada-0123456789", "key-of-bob-0123456789"


@dataclass
class AudioSetting:
    """What the service is made of; made outside of the loop, tests change what they are about."""

    folder: Path
    engine: LocalEngine = field(default_factory=LocalEngine)
    config: SignalingConfig = field(default_factory=SignalingConfig)
    limits: SpeechLimits = SpeechLimits()
    state: Readiness = Readiness(True)
    revocations: Revocations = field(default_factory=Revocations)
    told: list[SpokenText] = field(default_factory=list)
    url: str = ""
    app: web.Application = field(default_factory=web.Application)

    def __post_init__(self) -> None:
        self._audit = Audit(self.folder / "audit.jsonl")

    @property
    def voices(self) -> VoiceStore:
        """The database of voices."""
        return VoiceStore(self.folder / "voices.sqlite")

    async def saved(self) -> list[VoiceRecord]:
        """All voices that are kept."""
        return await asyncio.to_thread(self.voices.records, 0.0)

    @property
    def consents(self) -> ConsentStore:
        """The same database, for consents."""
        return ConsentStore(self.voices.path)

    def audited(self) -> list[AuditLine]:
        """All lines of the audit log."""
        lines = (self.folder / "audit.jsonl").read_bytes().splitlines()
        return [msgspec.json.decode(line, type=AuditLine) for line in lines]

    def service(self) -> AudioPort:
        """A service of these parts."""
        keeping = Keeping(
            AsyncVoiceStore(self.voices),
            AsyncConsentStore(self.consents),
            self._audit,
            self.revocations,
        )
        return AudioService(self.engine, keeping, self.limits, lambda: self.state, self.told.append)

    @asynccontextmanager
    async def client(self, key: str = "none") -> AsyncIterator[openai.AsyncOpenAI]:
        """OpenAI's own client, as it is, but for where it asks; closed at the end."""
        client = openai.AsyncOpenAI(base_url=f"{self.url}/v1", api_key=key, max_retries=0)
        async with client:
            yield client


@asynccontextmanager
async def audio_service(setting: AudioSetting) -> AsyncIterator[AudioSetting]:
    """A service that listens, and is gone at the end."""
    sessions = LocalService(engine=setting.engine, config=setting.config)
    app = create_app(
        setting.config,
        sessions.open,
        lambda: setting.state,
        lambda: b"",
        setting.service(),
        recordings=Withdrawals(RecordingStore(setting.folder / "recordings"), setting._audit),
    )
    setting.app = app
    runner = create_runner(app, setting.config, 5.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        setting.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield setting
    finally:
        await runner.cleanup()
        setting._audit.close()
