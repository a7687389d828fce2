"""From a recording to a saved voice to a spoken file, and a voice's way between machines."""

from __future__ import annotations

import json
import re
import stat
import wave
from pathlib import Path

import numpy as np
import pytest

from engines.fakes import FakeSpeechEngine, tone_hz
from tests.clips import clip, clip_path
from tests.voicepeer.commandline import FAKE, Ran, voicepeer
from voicepeer import degrading
from voicepeer.audio import read_reference, write_wav
from voicepeer.consent_store import ConsentStore
from voicepeer.voice_store import VoiceStore

pytestmark = pytest.mark.unit

CONSENT = ("--consent", "I am Jennifer and agree that my voice is cloned.")


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "voices.sqlite")


def clone(database: str, name: str = "Jen") -> str:
    """Clone the test speaker with the fake models; the voice's id."""
    made = voicepeer(
        *("clone", str(clip_path("en_jennifer")), "--name", name, *CONSENT),
        *(*FAKE, "--database", database, "--json"),
    )
    assert made.code == 0, made.err
    return str(made.json["voice_id"])


def heard_hz(path: Path) -> float:
    """The strongest tone of a file."""
    recording = read_reference(path)
    spectrum = np.abs(np.fft.rfft(recording.pcm))
    return float(np.argmax(spectrum)) * recording.rate_hz / recording.pcm.size


def test_a_clone_reports_what_it_was_made_from(database: str) -> None:
    made = voicepeer(
        *("clone", str(clip_path("en_jennifer")), "--name", "Jen", *CONSENT),
        *(*FAKE, "--database", database, "--json"),
    ).json
    assert made["name"] == "Jen"
    assert made["engine"] == "fake"
    assert made["speech_s"] > 3
    assert 0 <= made["quality"] <= 1
    assert made["clone_ms"] >= 0
    assert {"snr_db", "decay_s", "tones_db", "separation", "speech_s"} <= made["aspects"].keys()
    assert all(0 <= one["score"] <= 1 for one in made["aspects"].values())


@pytest.mark.parametrize(
    ("given", "matched"),
    [
        ([], False),
        (["--match-channel"], True),
        (["--set", "voices.match_channel=true"], True),
        (["--set", "voices.match_channel=true", "--no-match-channel"], False),
    ],
)
def test_a_voice_sounds_like_its_recording_where_that_is_asked_for(
    database: str, given: list[str], matched: bool
) -> None:
    made = voicepeer(
        *("clone", str(clip_path("en_jennifer")), "--name", "Jen", *CONSENT, *given),
        *(*FAKE, "--database", database),
    )
    assert made.code == 0, made.err
    record = VoiceStore(Path(database)).find("Jen", now=0.0)
    assert ("channel" in record.voice.arrays) == matched


def test_music_is_told_of_where_it_is_soft_and_refused_where_it_is_loud(
    database: str, tmp_path: Path
) -> None:
    path = tmp_path / "party.wav"
    tune = degrading.music(10.0, np.random.default_rng(1))

    def cloned(ratio_db: float) -> Ran:
        write_wav(path, degrading.under(clip("de_Elli")[:160_000], tune, ratio_db), 16_000)
        options = (*FAKE, "--database", database, "--json", "--set", "log.level=error")
        return voicepeer("clone", str(path), "--name", "x", *CONSENT, *options)

    soft, loud = cloned(22.0), cloned(4.0)
    assert soft.code == 0, soft.err
    assert any("music" in warning for warning in soft.json["warnings"])
    assert "note: music" in soft.err
    assert loud.code != 0
    assert "music" in loud.err or "noisy" in loud.err
    assert len(voicepeer("voices", "list", "--database", database, "--json").json) == 1


def test_consent_is_kept_with_the_voice(database: str) -> None:
    voice_id = clone(database)
    shown = voicepeer("voices", "show", "Jen", "--database", database, "--json").json
    assert shown["voice_id"] == voice_id
    assert shown["consent"] == CONSENT[1]
    assert shown["consent_by"]
    assert shown["consent_when"][:4].isdigit()
    assert shown["expires"] is None
    assert shown["source"] == "file en_jennifer.wav"


def test_a_saved_voice_and_a_stock_voice_speak_in_their_own_tone(
    database: str, tmp_path: Path
) -> None:
    clone(database)
    out = tmp_path / "out.wav"
    for name in ("Jen", "low", "high"):
        said = voicepeer(
            "say", "hello", "--voice", name, "--out", str(out), *FAKE, "--database", database
        )
        assert said.code == 0, said.err
        if name in FakeSpeechEngine().stock_voices():
            voice = FakeSpeechEngine().stock_voices()[name]
            assert heard_hz(out) == pytest.approx(tone_hz("hello", voice), abs=5)
        with wave.open(str(out)) as reader:
            assert (reader.getnchannels(), reader.getsampwidth()) == (1, 2)
            assert reader.getframerate() == 24_000
            assert reader.getnframes() == 5 * 24_000 * 60 // 1000


def test_controls_are_passed_on(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    said = voicepeer("say", "hello", "--speed", "2", "--out", str(out), *FAKE, "--json").json
    assert said["audio_ms"] == pytest.approx(150)
    assert said["rtf"] >= 0
    assert said["first_chunk_ms"] >= 0


def test_text_may_come_from_standard_input(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    said = voicepeer("say", "-", "--out", str(out), *FAKE, "--json", stdin="hello").json
    assert said["audio_ms"] == pytest.approx(300)


def test_whoever_takes_in_a_voice_of_another_engine_is_told(database: str, tmp_path: Path) -> None:
    file, other = str(tmp_path / "jen.voice"), ("--database", str(tmp_path / "other.sqlite"))
    clone(database)
    voicepeer("voices", "export", "Jen", file, "--database", database)
    taken = voicepeer("voices", "import", file, *other)
    assert taken.code == 0
    assert "'fake'" in taken.err
    assert "'kokoro'" in taken.err
    same = voicepeer("voices", "import", file, *other, "--replace", "--set", "engine.speech=fake")
    assert same.code == 0
    assert "kokoro" not in same.err


def test_a_withdrawn_voice_is_not_taken_in(database: str, tmp_path: Path) -> None:
    file = str(tmp_path / "jen.voice")
    clone(database)
    voicepeer("voices", "export", "Jen", file, "--database", database)
    consents = ConsentStore(Path(database))
    consents.withdraw(consents.consents()[0].consent_id)
    again = voicepeer("voices", "import", file, "--database", database)
    assert again.code == 1
    assert "withdrawn" in again.complaint
    assert consents.consents() == []


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "\x1b[2J", "a\nb"])
def test_names_are_short_and_can_be_printed(database: str, name: str) -> None:
    recording = str(clip_path("en_jennifer"))
    for given in (("--name", name), ("--name", "Jen", "--speaker", name)):
        refused = voicepeer("clone", recording, *given, *CONSENT, *FAKE, "--database", database)
        assert refused.code == 2
        assert "can be printed" in refused.err
    mixed = voicepeer("voices", "mix", name, "low=1", "mid=1", *FAKE, "--database", database)
    assert mixed.code == 2


def test_a_voice_travels_in_a_file(database: str, tmp_path: Path) -> None:
    voice_id, file = clone(database), tmp_path / "jen.voice"
    assert voicepeer("voices", "export", "Jen", str(file), "--database", database).code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    other = str(tmp_path / "other.sqlite")
    taken = voicepeer("voices", "import", str(file), "--database", other, "--json").json
    assert (taken["voice_id"], taken["consent"]) == (voice_id, CONSENT[1])
    again = voicepeer("voices", "import", str(file), "--database", other)
    assert again.code == 1
    assert voice_id in again.complaint
    assert voicepeer("voices", "import", str(file), "--database", other, "--replace").code == 0
    out = tmp_path / "out.wav"
    assert voicepeer("say", "hi", "--voice", str(file), "--out", str(out), *FAKE).code == 0


def test_listing_and_deleting(database: str) -> None:
    assert voicepeer("voices", "list", "--database", database, "--json").json == []
    first, second = clone(database, "A"), clone(database, "B")
    listed = voicepeer("voices", "list", "--database", database, "--json").json
    assert {one["voice_id"] for one in listed} == {first, second}
    assert voicepeer("voices", "delete", "A", "--database", database).code == 0
    assert voicepeer("voices", "delete", "A", "--database", database).code == 1
    shown = voicepeer("voices", "list", "--database", database).out
    assert second in shown
    assert first not in shown


def test_a_broken_database_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "voices.sqlite"
    path.write_bytes(b"no database" * 1000)
    ran = voicepeer("voices", "list", "--database", str(path))
    assert ran.code == 1
    assert "move it away" in ran.complaint


def test_a_voice_of_another_engine_is_refused_by_name(database: str, tmp_path: Path) -> None:
    clone(database)
    file = tmp_path / "v.voice"
    assert voicepeer("voices", "export", "Jen", str(file), "--database", database).code == 0
    from dataclasses import replace

    from engines.api import Voice
    from voicepeer import voice_file

    foreign = replace(voice_file.read(file), voice=Voice("other", "9", {}))
    voice_file.write(file, foreign)
    ran = voicepeer("say", "hi", "--voice", str(file), *FAKE)
    assert ran.code == 1
    assert "other 9" in ran.complaint


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "empty"),
        (b"this is not audio at all" * 50, "not"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", ""),
    ],
)
def test_what_is_no_recording_is_refused_with_its_name(
    tmp_path: Path, content: bytes, part: str
) -> None:
    path = tmp_path / "broken.wav"
    path.write_bytes(content)
    ran = voicepeer("clone", str(path), "--name", "x", *CONSENT, *FAKE)
    assert ran.code == 1
    assert "broken.wav" in ran.complaint
    assert part in ran.complaint


def test_too_little_speech_is_refused_with_how_much_there_was(tmp_path: Path) -> None:
    path = tmp_path / "short.wav"
    with wave.open(str(path), "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(16_000)
        noise = np.random.default_rng(0).normal(0, 3000, 24_000).astype("<i2")
        writer.writeframes(noise.tobytes())
    ran = voicepeer("clone", str(path), "--name", "x", *CONSENT, *FAKE)
    assert ran.code == 1
    assert "s of usable speech heard" in ran.complaint


def test_captions_are_written_beside_the_speech(tmp_path: Path) -> None:
    out, vtt = tmp_path / "out.wav", tmp_path / "out.vtt"
    text = "Hello there. Tom & Jerry are here."
    said = voicepeer("say", text, "--out", str(out), "--captions", str(vtt), *FAKE)
    assert said.code == 0, said.err
    lines = vtt.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "WEBVTT"
    assert [re.sub(r"<[^>]*>", "", line) for line in lines if line and "-->" not in line][1:] == [
        "Hello there.",
        "Tom &amp; Jerry are here.",
    ]
    assert voicepeer("say", "x", "--out", str(out), "--captions", "/no/x.vtt", *FAKE).code != 0


def test_markup_is_spoken_and_its_captions_show_its_text(tmp_path: Path) -> None:
    out, vtt = tmp_path / "out.wav", tmp_path / "out.vtt"
    markup = 'One.<break time="1s"/><emphasis>Two</emphasis> <sub alias="fore">4</sub>.'
    said = voicepeer(
        "say", markup, "--ssml", "--out", str(out), "--captions", str(vtt), "--json", *FAKE
    ).json
    assert said["audio_ms"] > 1_000
    assert "emphasis" not in vtt.read_text(encoding="utf-8")
    assert "fore" not in vtt.read_text(encoding="utf-8")
    bad = voicepeer("say", "a <b>c</b>", "--ssml", "--out", str(out), *FAKE)
    assert bad.code != 0
    assert "line 1, column 3" in bad.complaint


def test_a_lexicon_file_says_words_its_own_way(tmp_path: Path) -> None:
    out, words = tmp_path / "out.wav", tmp_path / "words.tsv"
    words.write_text("# names\nsql\tstructured query language\n\nAda\t/ˈeɪdə/\n", encoding="utf-8")
    plain = voicepeer("say", "SQL", "--out", str(out), "--json", *FAKE).json
    told = voicepeer("say", "SQL", "--lexicon", str(words), "--out", str(out), "--json", *FAKE).json
    assert told["audio_ms"] > 4 * plain["audio_ms"]
    words.write_text("sql sequel\n", encoding="utf-8")
    bad = voicepeer("say", "SQL", "--lexicon", str(words), "--out", str(out), *FAKE)
    assert "line 1" in bad.complaint
    gone = voicepeer("say", "SQL", "--lexicon", str(tmp_path / "no"), "--out", str(out), *FAKE)
    assert "cannot be read" in gone.complaint


def test_emotions_and_volume_are_options(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    sad = voicepeer("say", "hello", "--emotion", "sad", "--out", str(out), "--json", *FAKE).json
    assert sad["audio_ms"] > 300
    half = voicepeer(
        "say", "hello", "--emotion", "sad", "--strength", "0", "--out", str(out), "--json", *FAKE
    ).json
    assert half["audio_ms"] == pytest.approx(300)
    refused = voicepeer("say", "hello", "--emotion", "bored", "--out", str(out), *FAKE)
    assert "the voice can be angry" in refused.complaint
    like = voicepeer(
        "say", "hello", "--like", str(clip_path("en_jennifer")), "--out", str(out), *FAKE
    )
    assert like.code == 0, like.err


def test_the_command_line_keeps_a_consent_for_each_voice_and_drops_it_with_it(
    database: str, tmp_path: Path
) -> None:
    audit = ("--set", f"audit.file={tmp_path / 'audit.jsonl'}", "--database", database)
    made = voicepeer(
        *("clone", str(clip_path("en_jennifer")), "--name", "Jen", *CONSENT, "--owner", "acme"),
        *(*FAKE, *audit, "--json"),
    ).json
    consents = ConsentStore(Path(database))
    (given,) = consents.consents()
    assert (given.statement, given.owner, given.kind) == (CONSENT[1], "acme", "clone")
    shown = voicepeer("voices", "show", "Jen", *audit, "--json").json
    assert (shown["owner"], shown["consent_id"]) == ("acme", given.consent_id)
    file = str(tmp_path / "jen.voice")
    voicepeer("voices", "export", "Jen", file, *audit)
    assert voicepeer("voices", "give", "Jen", "other", *audit).code == 0
    assert consents.consents()[0].owner == "other"
    voicepeer("voices", "delete", "Jen", *audit)
    assert consents.consents() == []
    taken = voicepeer("voices", "import", file, "--owner", "third", *audit, "--json").json
    assert (taken["owner"], taken["voice_id"]) == ("third", made["voice_id"])
    assert [one.kind for one in consents.consents()] == ["import"]
    lines = (tmp_path / "audit.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    assert [one["event"] for one in events] == ["clone", "export", "delete", "import"]
    assert {one["key_id"] for one in events} == {"command line"}
    assert "Jen" not in "".join(lines)


def test_a_mix_goes_with_the_consent_of_any_of_its_people(database: str) -> None:
    ids = [clone(database, name) for name in ("Jen", "Ann")]
    mixed = voicepeer(
        *("voices", "mix", "Both", f"{ids[0]}=0.5", f"{ids[1]}=0.5", "--engine", "fake"),
        *("--database", database, "--json"),
    )
    assert mixed.code == 0, mixed.err
    consents = ConsentStore(Path(database))
    of_first = voicepeer("voices", "show", ids[0], "--database", database, "--json").json
    gone = consents.withdraw(of_first["consent_id"])
    assert sorted(gone) == sorted([ids[0], mixed.json["voice_id"]])
    assert voicepeer("voices", "show", ids[1], "--database", database).code == 0
