"""From the gate's events to a voice: milestones, hints and re-clones, with literal times."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from engines.api import Embedding
from voicepeer.core.listening.enrolment import (
    Enrolment,
    EnrolmentEvent,
    EnrolmentSettings,
    Improved,
    Progress,
    Ready,
    Rejected,
    Usable,
)
from voicepeer.core.listening.gate import (
    SpeechBegan,
    SpeechEnded,
    SpeechHeard,
    SpeechWithheld,
    WithheldReason,
)
from voicepeer.core.pcm import Pcm

pytestmark = pytest.mark.unit

RATE_HZ = 16_000
STEP_S = 0.1
STEP_SAMPLES = 1_600
QUIET_ROOM_DBFS = -60.0
MUTED = -120.0


def speech(samples: int, level: float = 0.1) -> Pcm:
    draw = np.random.default_rng(3).standard_normal(samples)
    return np.asarray(draw * level, dtype=np.float32)


def direction(angle: float) -> Embedding:
    return np.array([math.cos(angle), math.sin(angle)], dtype=np.float32)


@dataclass
class Shell:
    """Drives an enrolment as a session does; the encoder is a function of a window's end."""

    enrolment: Enrolment
    now: float = 0.0
    turn: float = 0.0
    """Radians that the embedding turns by for each second of speech."""
    events: list[EnrolmentEvent] = field(default_factory=list)

    def speak(self, duration_s: float, level: float = 0.1, snr_db: float | None = 40.0) -> None:
        for _ in range(round(duration_s / STEP_S)):
            self.now += STEP_S
            heard = SpeechHeard(self.now, speech(STEP_SAMPLES, level))
            self.events += self.enrolment.push([heard], self.now, snr_db)
            self.embed()

    def embed(self) -> None:
        while (window := self.enrolment.take_window()) is not None:
            embedding = direction(window.end_s * self.turn)
            self.events += self.enrolment.add(window, embedding, self.now)

    def wait(self, duration_s: float, level_dbfs: float = QUIET_ROOM_DBFS) -> None:
        for _ in range(round(duration_s / STEP_S)):
            self.now += STEP_S
            self.events += self.enrolment.push([], self.now)
            self.events += self.enrolment.tick(self.now, level_dbfs)

    def withhold(self, reason: WithheldReason, duration_s: float) -> None:
        for _ in range(round(duration_s / STEP_S)):
            self.now += STEP_S
            withheld = SpeechWithheld(self.now, reason, STEP_S)
            self.events += self.enrolment.push([withheld], self.now)
            self.events += self.enrolment.tick(self.now, -20.0)

    def milestones(self) -> list[str]:
        return [type(event).__name__ for event in self.events if not isinstance(event, Progress)]

    def hints(self) -> list[str | None]:
        return [event.hint for event in self.events if isinstance(event, Progress)]


@pytest.fixture
def shell() -> Shell:
    return Shell(Enrolment(started_at=0.0))


def test_is_usable_at_three_seconds_and_ready_at_five(shell: Shell) -> None:
    shell.speak(2.9)
    assert shell.milestones() == []
    shell.speak(0.1)
    assert shell.milestones() == ["Usable"]
    assert shell.enrolment.usable
    shell.speak(1.9)
    assert not shell.enrolment.ready
    shell.speak(0.1)
    assert shell.milestones() == ["Usable", "Ready"]
    assert shell.enrolment.ready


def test_milestones_tell_how_long_they_took(shell: Shell) -> None:
    shell.wait(2.0)
    shell.speak(2.0)
    shell.wait(1.0)
    shell.speak(3.0)
    usable, ready = [event for event in shell.events if isinstance(event, Usable | Ready)]
    assert usable.elapsed_ms == pytest.approx(4_000.0)
    assert usable.heard_s == pytest.approx(3.0)
    assert usable.needed_at == pytest.approx(6.0)
    assert ready.elapsed_ms == pytest.approx(6_000.0)
    assert ready.needed_at == pytest.approx(8.0)


def test_a_slow_encoder_delays_the_milestone_but_not_what_it_needed(shell: Shell) -> None:
    heard = SpeechHeard(3.0, speech(3 * RATE_HZ))
    assert shell.enrolment.push([heard], 3.0)
    assert shell.enrolment.push([SpeechHeard(3.5, speech(RATE_HZ // 2))], 3.5)
    shell.now = 3.7
    shell.embed()
    (usable,) = [event for event in shell.events if isinstance(event, Usable)]
    assert usable.needed_at == 3.0
    assert usable.elapsed_ms == pytest.approx(3_700.0)


def test_windows_may_be_embedded_late_and_out_of_order(shell: Shell) -> None:
    shell.enrolment.push([SpeechHeard(5.0, speech(5 * RATE_HZ))], 5.0)
    windows = []
    while (window := shell.enrolment.take_window()) is not None:
        windows.append(window)
    events = []
    for window in reversed(windows):
        events += shell.enrolment.add(window, direction(0.0), 5.1)
    assert [type(event) for event in events] == [Usable, Ready]
    embedding = shell.enrolment.embedding()
    assert embedding is not None
    np.testing.assert_allclose(embedding, direction(0.0), atol=1e-6)


def test_progress_comes_every_quarter_second_of_speech_until_ready(shell: Shell) -> None:
    shell.speak(6.0)
    progress = [event for event in shell.events if isinstance(event, Progress)]
    heard = [event.heard_s for event in progress]
    assert heard == sorted(heard)
    assert all(later - earlier >= 0.25 for earlier, later in zip(heard, heard[1:], strict=False))
    assert 12 <= len(progress) <= 20
    assert all(event.needed_s == 5.0 and event.heard_s <= 5.0 for event in progress)


def test_edges_alone_are_no_progress(shell: Shell) -> None:
    assert shell.enrolment.push([SpeechBegan(0.0), SpeechEnded(1.0)], 1.0) == []


def test_score_is_high_for_one_voice_and_lower_for_a_changing_one() -> None:
    steady = Shell(Enrolment(started_at=0.0), turn=0.0)
    changing = Shell(Enrolment(started_at=0.0), turn=0.5)
    steady.speak(1.6)
    assert steady.enrolment.score() == 0.0
    steady.speak(3.4)
    changing.speak(5.0)
    assert steady.enrolment.score() == pytest.approx(1.0, abs=1e-6)
    assert changing.enrolment.score() < 0.95


def test_reference_is_the_speech_and_its_embedding(shell: Shell) -> None:
    assert shell.enrolment.embedding() is None
    shell.speak(3.0)
    reference = shell.enrolment.reference()
    assert reference.pcm.size == 3 * RATE_HZ
    assert reference.sample_rate_hz == RATE_HZ
    assert reference.embedding is not None
    assert np.linalg.norm(reference.embedding) == pytest.approx(1.0, abs=1e-6)


def test_keeps_no_more_than_twenty_seconds(shell: Shell) -> None:
    shell.speak(60.0)
    assert shell.enrolment.full
    assert shell.enrolment.heard_s == 20.0
    assert shell.enrolment.reference().pcm.size == 20 * RATE_HZ
    assert shell.enrolment.take_window() is None


def test_a_steady_voice_is_not_cloned_again(shell: Shell) -> None:
    shell.speak(20.0)
    assert shell.milestones() == ["Usable", "Ready"]


def test_a_voice_that_moves_is_cloned_again_but_not_all_the_time() -> None:
    shell = Shell(Enrolment(started_at=0.0), turn=0.2)
    shell.speak(20.0)
    improved = [event for event in shell.events if isinstance(event, Improved)]
    assert 1 <= len(improved) <= 3
    heard = [5.0, *(event.heard_s for event in improved)]
    pairs = list(zip(heard, heard[1:], strict=False))
    assert all(later - earlier >= 3.0 for earlier, later in pairs)
    # What is full becomes no fuller, so its last speech counts whatever its share.
    assert all(later >= 1.6 * earlier for earlier, later in pairs if later < 20.0)


def test_improvement_never_comes_before_ready() -> None:
    shell = Shell(Enrolment(started_at=0.0), turn=1.0)
    shell.speak(4.9)
    assert shell.milestones() == ["Usable"]


@pytest.mark.parametrize(
    ("level_dbfs", "hint"), [(QUIET_ROOM_DBFS, "I hear no speech"), (MUTED, "muted")]
)
def test_silence_is_pointed_out_every_three_seconds(
    shell: Shell, level_dbfs: float, hint: str
) -> None:
    shell.wait(2.8, level_dbfs)
    assert shell.hints() == []
    shell.wait(7.0, level_dbfs)
    assert len(shell.hints()) == 3
    assert all(text is not None and hint in text for text in shell.hints())


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("noisy", "background noise"),
        ("clipped", "too loud"),
        ("own_voice", "while I am speaking"),
    ],
)
def test_says_why_speech_is_not_learned_from(
    shell: Shell, reason: WithheldReason, hint: str
) -> None:
    shell.withhold(reason, 4.0)
    (text,) = shell.hints()
    assert text is not None
    assert hint in text


def test_good_speech_forgets_an_old_complaint(shell: Shell) -> None:
    shell.withhold("noisy", 1.0)
    shell.speak(0.2)
    shell.wait(4.0)
    assert shell.hints() == ["I hear no speech: please speak"]


def test_nothing_for_half_a_minute_is_a_rejection_once(shell: Shell) -> None:
    shell.wait(29.8, MUTED)
    assert shell.milestones() == []
    shell.wait(60.0, MUTED)
    assert shell.milestones() == ["Rejected"]
    (rejected,) = [event for event in shell.events if isinstance(event, Rejected)]
    assert "muted" in rejected.message


def test_after_a_rejection_speech_is_still_welcome(shell: Shell) -> None:
    shell.wait(31.0)
    shell.speak(5.0)
    assert shell.milestones() == ["Rejected", "Usable", "Ready"]
    (usable,) = [event for event in shell.events if isinstance(event, Usable)]
    assert usable.elapsed_ms == pytest.approx(3_000.0)


def test_a_usable_voice_is_not_rejected(shell: Shell) -> None:
    shell.speak(3.5)
    shell.wait(40.0)
    assert shell.milestones() == ["Usable"]


def test_a_ready_voice_is_left_in_peace(shell: Shell) -> None:
    shell.speak(5.0)
    count = len(shell.events)
    shell.wait(40.0, MUTED)
    assert len(shell.events) == count


def test_progress_carries_quality_and_its_hint(shell: Shell) -> None:
    shell.speak(1.0, level=0.001)
    (*_, last) = [event for event in shell.events if isinstance(event, Progress)]
    assert last.quality.level_dbfs == pytest.approx(-60.0, abs=1.0)
    assert last.hint == last.quality.hint
    assert last.hint is not None
    assert "too quiet" in last.hint
    assert last.code == "too_quiet"


@pytest.mark.parametrize(("level_dbfs", "code"), [(MUTED, "muted"), (-50.0, "no_speech")])
def test_what_is_wrong_has_a_code_for_programs(shell: Shell, level_dbfs: float, code: str) -> None:
    shell.wait(31.0, level_dbfs)
    assert {event.code for event in shell.events if isinstance(event, Progress | Rejected)} == {
        code
    }


def codes(shell: Shell) -> set[str | None]:
    return {event.code for event in shell.events if isinstance(event, Progress)}


def test_somebody_else_who_speaks_is_noticed() -> None:
    shell = Shell(Enrolment(EnrolmentSettings(ready_s=10.0), started_at=0.0))
    shell.speak(3.0)
    shell.turn = math.pi / 2 / 5.0
    shell.speak(3.0)
    assert codes(shell) == {None, "several_speakers"}


def test_one_speaker_is_not_taken_for_two() -> None:
    shell = Shell(Enrolment(EnrolmentSettings(ready_s=10.0), started_at=0.0), turn=0.02)
    shell.speak(9.0)
    assert codes(shell) == {None}


def test_what_is_wrong_with_the_sound_is_said_before_that_there_is_company() -> None:
    shell = Shell(Enrolment(EnrolmentSettings(ready_s=10.0), started_at=0.0), turn=0.3)
    shell.speak(9.0, level=0.001)
    assert codes(shell) == {"too_quiet"}


def test_settings_move_the_milestones() -> None:
    settings = EnrolmentSettings(usable_s=2.0, ready_s=2.5, max_s=4.0)
    shell = Shell(Enrolment(settings, started_at=0.0))
    shell.speak(10.0)
    found = [event for event in shell.events if isinstance(event, Usable | Ready)]
    assert [round(event.heard_s, 3) for event in found] == [2.0, 2.5]
    assert shell.enrolment.heard_s == 4.0
