"""How speech is steered over the wire: voices, urgency, controls, markup, lexicons, captions."""

from __future__ import annotations

import pytest

from engines.fakes import CHAR_MS
from tests.peers.caller import connected
from tests.peers.clock import unhurried
from voicepeer.core.messages import (
    Accepted,
    Caption,
    Done,
    LexiconSet,
    SetControls,
    SetLexicon,
    Speak,
    Viseme,
    Word,
)
from voicepeer.core.rtvi import Error

pytestmark = pytest.mark.peer


@unhurried
async def test_controls_that_are_set_hold_until_others_are() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(SetControls(speed=2.0), Speak(utterance_id="a", text="Twelve chars"))
        assert (await both.wait_for(Done)).audio_ms == pytest.approx(6 * CHAR_MS, abs=1)
        both.send(Speak(utterance_id="b", text="Twelve chars", speed=1.0))
        assert (await both.wait_for(Done, 2)).audio_ms == pytest.approx(12 * CHAR_MS, abs=1)


@unhurried
async def test_every_utterance_may_have_its_own_voice() -> None:
    async with connected() as both:
        await both.use_stock_voice("mid")
        both.send(
            Speak(utterance_id="a", text="One.", voice_id="low"),
            Speak(utterance_id="b", text="Two."),
            Speak(utterance_id="c", text="Three.", voice_id="nobody's"),
        )
        await both.wait_for(Done, 2)
        assert (await both.wait_for(Error)).code == "voice_not_found"
        assert len(both.got(Accepted)) == 2


@unhurried
async def test_what_is_urgent_goes_before_what_waits() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(
            Speak(utterance_id="a", text="First of all."),
            Speak(utterance_id="b", text="Later."),
            Speak(utterance_id="c", text="Now.", priority=3),
        )
        await both.wait_for(Done, 3)
        assert [done.utterance_id for done in both.got(Done)] == ["a", "c", "b"]
        assert [accepted.queued for accepted in both.got(Accepted)] == [0, 1, 1]


@unhurried
async def test_markup_lexicon_sounds_and_captions_over_the_wire() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(
            SetLexicon(words={"sql": "sequel"}),
            Speak(
                utterance_id="a",
                text="Use SQL.<break time='200ms'/> <sub alias='fore'>4</sub>",
                ssml=True,
                visemes=True,
                captions=True,
            ),
        )
        await both.wait_for(Done)
        assert both.got(LexiconSet) == [LexiconSet(entries=1)]
        assert [word.text for word in both.got(Word)] == ["Use", "sequel.", "fore"]
        assert [caption.text for caption in both.got(Caption)] == ["Use SQL.", "4"]
        assert len(both.got(Viseme)) == 3


@pytest.mark.parametrize(
    ("message", "part"),
    [
        (Speak(utterance_id="a", text="a <b>", ssml=True), "line 1, column 3"),
        (Speak(utterance_id="a", text="x", emotion="bored"), "the voice can be"),
        (Speak(utterance_id="a", text="x", pitch=0.7), "pitch can be -0.5 to 0.5"),
        (Speak(utterance_id="a", text="x", priority=99), "priority can be 0 to 9"),
        (SetControls(volume=3.0), "volume can be 0 to 2"),
        (SetControls(utterance_id="nobody", speed=1.0), "no utterance"),
        (SetLexicon(words={"": "x"}), "1 to 64 characters"),
    ],
)
@unhurried
async def test_what_cannot_be_is_refused_and_the_session_goes_on(
    message: Speak | SetControls | SetLexicon, part: str
) -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(message)
        error = await both.wait_for(Error)
        assert error.code == "text_rejected"
        assert part in error.error
        both.send(Speak(utterance_id="b", text="Fine."))
        await both.wait_for(Done)
