"""How long a text will last: near enough to bound it, and never too short a bound for prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.fakes import FakeSpeechEngine
from voicepeer.core.errors import TextTooLong
from voicepeer.core.speaking.duration import MAX_AUDIO_S, Length, extra_chars, letters_s, spoken_s
from voicepeer.core.speaking.lexicon import Lexicon
from voicepeer.core.speaking.order import Abilities, Order
from voicepeer.core.speaking.queue import jobs_of

pytestmark = pytest.mark.unit

ABILITIES = Abilities.of(FakeSpeechEngine().info)

MEASURED = {
    "en-us": ("The harbour was quiet in the morning,and nobody had seen the boats come in.", 4.3),
    "es": ("uno " * 30, 7.41),
    "hi": ("सुबह बंदरगाह शांत था,और किसी ने नावों को आते नहीं देखा था।", 4.79),
    "zh": ("早上港口很安静，没有人看见船只进来。码头上一个老人在补网。", 6.59),
    "ja": (
        "朝の港は静かで、誰も船が入ってくるのを見ていなかった。桟橋では老人が網を繕っていた。",
        7.45,
    ),
    "kana": ("あさのみなとはしずかで、だれもふねがはいってくるのをみていなかった。", 4.31),
}
"""As they are said, and how many seconds Kokoro's voices took."""

LONG = {
    "english": "The harbour was quiet in the morning, and nobody had seen the boats come in. ",
    "spanish": "El puerto estaba tranquilo, y nadie había visto llegar los barcos. ",
    "hindi": "सुबह बंदरगाह शांत था, और किसी ने नावों को आते नहीं देखा था। ",
    "chinese": "早上港口很安静，没有人看见船只进来。",
    "japanese": "朝の港は静かで、誰も船が入ってくるのを見ていなかった。",
    "capitals": "THE HARBOUR WAS QUIET IN THE MORNING, AND NOBODY HAD SEEN THE BOATS COME IN. ",
    "talk": '"No," he said. "I do not." Ann left. He ran. ',
    "elisions": "L'homme qu'il a vu n'est pas d'ici, et l'on s'en étonne. ",
    "dates": "On 3 May 2024 the harbour was as quiet as ever, and nobody had seen boats come in. ",
}


def length(text: str, max_s: float = MAX_AUDIO_S, order: Order | None = None) -> Length:
    """That of a whole text; raises ``TextTooLong``."""
    counted = Length(max_s)
    for job in jobs_of(text, order or Order(), ABILITIES):
        counted.add(job)
    return counted


@pytest.mark.parametrize("language", MEASURED)
def test_the_estimate_is_near_what_was_measured(language: str) -> None:
    text, seconds = MEASURED[language]
    assert spoken_s(text) == pytest.approx(seconds, rel=0.3)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("W " * 25, 11.98),
        ("www " * 15, 19.89),
        ("w. " * 25, 13.04),
        ("mph " * 15, 8.98),
        ("dr. " * 20, 9.7),
        ("I. " * 20, 11.75),
        ("\n\nA" * 15, 7.96),
        ("A! " * 20, 14.03),
        ("Hm. " * 20, 13.63),
    ],
)
def test_what_is_spelled_and_short_sentences_are_known_to_take_long(
    text: str, seconds: float
) -> None:
    assert length(text).said_s == pytest.approx(seconds, rel=0.2)


@pytest.mark.parametrize("language", LONG)
def test_a_whole_page_of_prose_fits(language: str) -> None:
    sentence = LONG[language]
    text = (sentence * (4_096 // len(sentence) + 1))[:4_096]
    assert length(text).said_s > 150.0


@pytest.mark.parametrize(
    "text",
    [
        "1 " * 2_000,
        "9" * 4_000,
        "$999,999.99 " * 300,
        "Hello 1 1 1 1 1 1 1 1 1 1 1 1. " * 130,
        "% " * 2_000,
        "www " * 1_000,
        "W " * 2_000,
        "w. " * 1_300,
        "A! " * 1_300,
        "Hm. " * 1_000,
        "BCDFG " * 680,
        "FBI " * 1_020,
        "x-" * 2_040,
    ],
)
def test_what_numbers_signs_and_spelling_make_long_does_not(text: str) -> None:
    with pytest.raises(TextTooLong, match="400 s .*max_audio_s"):
        length(text)


def test_pauses_and_spelled_sounds_count() -> None:
    marked = Order(ssml=True)
    pauses = "<speak>" + "One.<break time='5s'/>" * 100 + "</speak>"
    with pytest.raises(TextTooLong):
        length(pauses, order=marked)
    long_word = Lexicon.read({"a": "/" + "aː" * 100 + "/"})
    assert length("a " * 20, order=Order(lexicon=long_word)).said_s > 200.0


def test_the_bound_is_what_it_was_set_to() -> None:
    with pytest.raises(TextTooLong, match="2 s"):
        length("1 2 3 4 5 6 7 8 9 10 11 12 13 14", max_s=2.0)
    assert length("1 2 3", max_s=2.0).said_s < 2.0


def test_characters_that_only_speech_has_are_counted_piece_by_piece() -> None:
    jobs = list(jobs_of("In 1999. Nothing here. $5.", Order(), ABILITIES))
    more = [max(0, len(job.spoken.text) - len(job.piece.text)) for job in jobs]
    assert extra_chars(jobs) == sum(more) > 10
    assert extra_chars(jobs_of("Nothing but letters", Order(), ABILITIES)) == 0


@given(st.text(max_size=300))
def test_letters_never_last_longer_than_the_whole(text: str) -> None:
    assert 0.0 <= letters_s(text) <= spoken_s(text) + 1e-9


@given(st.text(max_size=200), st.floats(1.0, 50.0))
def test_any_text_has_a_length_or_is_too_long(text: str, max_s: float) -> None:
    try:
        counted = length(text, max_s)
    except TextTooLong:
        return
    assert counted.said_s <= max(max_s, 1.2 * counted.written_s)
