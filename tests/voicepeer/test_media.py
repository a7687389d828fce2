"""What the sessions of a process share, while there is too much to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from engines.fakes import FakeSpeechEngine
from engines.host import EngineHost
from signaling.config import Load
from signaling.sessions import SessionRefused, SessionRequest
from voicepeer import config, wiring
from voicepeer.consent_store import AsyncConsentStore, ConsentStore
from voicepeer.core.degradation.ladder import STEPS
from voicepeer.core.rooms.room import Participant
from voicepeer.gpu import GpuFigures
from voicepeer.keeping import Keeping
from voicepeer.media import FEWER, Media
from voicepeer.revocations import Revocations
from voicepeer.voice_store import AsyncVoiceStore, VoiceStore

pytestmark = pytest.mark.peer


def media(folder: Path) -> tuple[Media, EngineHost]:
    """Of a service whose models are not started."""
    flags = {
        "engine.speech": "fake",
        "engine.encoder": "fake",
        "engine.vad": "fake",
        "voices.database": str(folder / "voices.sqlite"),
    }
    settings = config.load(flags, environ={"XDG_CONFIG_HOME": str(folder)})
    host = EngineHost(wiring.host_spec(settings))
    database = config.database(settings)
    keeping = Keeping(
        AsyncVoiceStore(VoiceStore(database)),
        AsyncConsentStore(ConsentStore(database)),
        wiring.audit(settings),
        Revocations(),
    )
    return Media(settings, host, keeping), host


async def test_new_sessions_are_refused_at_the_last_step_but_not_those_that_go_on(
    tmp_path: Path,
) -> None:
    shared, _ = media(tmp_path)
    shared.economy.change(STEPS)
    with pytest.raises(SessionRefused, match="too much to do") as refused:
        await shared.open(SessionRequest("room", "new", purpose="listen"))
    assert refused.value.code == "at_capacity"
    back = SessionRequest("room", "back", purpose="listen", resume_token="t")
    went_on = await shared.open(back)
    await went_on.close("client_left")
    shared.economy.change(STEPS[:3])
    taken = await shared.open(SessionRequest("room", "new", purpose="listen"))
    await taken.close("client_left")


async def test_who_was_put_out_of_a_room_does_not_begin_to_listen_to_it(tmp_path: Path) -> None:
    shared, _ = media(tmp_path)
    request = SessionRequest("hall", "Eve", purpose="listen")
    key = (request.principal.tenant, request.room)
    for one in (Participant("chair", may_manage=True), Participant("eve", name="Eve")):
        member = shared._conferences.enter(key, one, lambda news: None, lambda gone: None)
    member.conference.kick("chair", "eve")
    with pytest.raises(SessionRefused, match="put out") as refused:
        await shared.open(request)
    assert refused.value.code == "forbidden"
    other = await shared.open(SessionRequest("hall", "Ada", purpose="listen"))
    await other.close("client_left")
    member.conference.leave("chair")


def test_fewer_utterances_are_begun_and_as_many_as_usual_again(tmp_path: Path) -> None:
    shared, host = media(tmp_path)
    most = host.spec.max_streams
    assert host.max_begun == most
    shared.economy.change(["fewer_utterances"])
    assert host.max_begun == most // FEWER
    shared.economy.change([])
    assert host.max_begun == most


def test_what_signaling_and_prometheus_see_is_the_same(tmp_path: Path) -> None:
    shared, _ = media(tmp_path)
    assert shared.load == Load()
    shared.economy.change(STEPS)
    shared.degrader._waiting = lambda: 16
    for second in range(4):
        shared.degrader.look(float(second))
        shared.economy.change(STEPS)
    assert shared.load.refuses
    assert shared.load.steps == STEPS
    assert shared.load.severities["waiting"] == 4.0
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(shared.metrics.text().decode())
        for sample in family.samples
    }
    assert samples["voicepeer_degradation_step",] == len(STEPS)
    assert samples["voicepeer_degradation_severity", "waiting"] == 4.0
    assert samples["voicepeer_max_sessions",] == 16
    assert samples["voicepeer_ready",] == 0


@pytest.mark.parametrize(("provider", "severity"), [("cuda", 2.5), ("tensorrt", 2.5), ("cpu", 0.0)])
def test_a_full_gpu_counts_where_models_run_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, severity: float
) -> None:
    shared, _ = media(tmp_path)
    info = replace(FakeSpeechEngine.info, provider=provider)
    monkeypatch.setattr(EngineHost, "ready", True)
    monkeypatch.setattr(EngineHost, "info", info)
    monkeypatch.setattr(shared._gpus, "read", lambda: [GpuFigures(0, 1.0, 98, 100)])
    shared.degrader.look(1.0)
    assert shared.load.severities["gpu_memory"] == pytest.approx(severity)


def test_settings_reach_the_degradation(tmp_path: Path) -> None:
    flags = {"degradation.first_audible_ms": "300", "degradation.down_s": "900"}
    settings = config.load(flags, environ={"XDG_CONFIG_HOME": str(tmp_path)})
    made = wiring.degradation_settings(settings)
    assert made.limits.first_audible_ms == 300.0
    assert made.pace.max_down_s == made.pace.down_s == 900.0
    usual = wiring.degradation_settings(config.Config())
    assert msgspec.to_builtins(usual.limits) == msgspec.to_builtins(type(usual.limits)())
    assert usual.pace == type(usual.pace)()
