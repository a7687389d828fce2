from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.language import detect, runs, script_of, supported_tag

pytestmark = pytest.mark.unit

SUPPORTED = frozenset({"en-us", "en-gb", "es", "fr", "it", "pt-br", "ja", "zh", "hi"})

SENTENCES = {
    "en": [
        "The train leaves at noon.",
        "I would like a glass of water, please.",
        "What are you doing there?",
        "Nobody has seen him since yesterday.",
        "She has been waiting for an hour.",
    ],
    "es": [
        "El tren sale a mediodía.",
        "Quisiera un vaso de agua, por favor.",
        "¿Qué estás haciendo allí?",
        "Nadie lo ha visto desde ayer.",
        "Ella lleva una hora esperando en la estación.",
    ],
    "fr": [
        "Le train part à midi.",
        "Je voudrais un verre d'eau, s'il vous plaît.",
        "Qu'est-ce que tu fais là ?",
        "Personne ne l'a vu depuis hier.",
        "Elle attend depuis une heure à la gare.",
    ],
    "it": [
        "Il treno parte a mezzogiorno.",
        "Vorrei un bicchiere d'acqua, per favore, se è possibile.",
        "Che cosa stai facendo lì?",
        "Nessuno lo ha visto da ieri.",
        "Lei aspetta da un'ora alla stazione.",
    ],
    "pt": [
        "O trem sai ao meio-dia.",
        "Eu queria um copo de água, por favor.",
        "O que você está fazendo aí?",
        "Ninguém o viu desde ontem.",
        "Ela está esperando na estação há uma hora.",
    ],
    "de": [
        "Der Zug fährt am Mittag ab.",
        "Ich hätte gern ein Glas Wasser, bitte.",
        "Was machst du da?",
        "Niemand hat ihn seit gestern gesehen.",
        "Sie wartet seit einer Stunde auf den Bus.",
    ],
    "ja": ["電車は正午に出ます。", "お水をください。"],
    "zh": ["火车中午出发。", "请给我一杯水。"],
    "ko": ["기차는 정오에 출발합니다."],
    "hi": ["ट्रेन दोपहर को जाती है।"],
    "ru": ["Поезд отправляется в полдень."],
    "ar": ["يغادر القطار عند الظهر."],
}
LINES = [(language, text) for language, texts in SENTENCES.items() for text in texts]


@pytest.mark.parametrize(("language", "text"), LINES)
def test_sentences_are_told_apart(language: str, text: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize("text", ["", "12:30", "😊", "Anna", "Berlin 2026", "OK", "Xylophon"])
def test_what_could_be_any_language_is_not_guessed(text: str) -> None:
    assert detect(text) is None


def test_what_is_surely_in_another_language_is_not_taken_for_a_candidate() -> None:
    assert detect("Der Zug fährt am Mittag ab.", SUPPORTED) == "de"
    assert detect("기차는 정오에 출발합니다.", SUPPORTED) == "ko"
    assert detect("Das Haus ist groß.", SUPPORTED) == "de"


def blocks() -> dict[str, list[str]]:
    """Sentences by language: each beginning of a block with each end."""
    text = (Path(__file__).with_name("detection.txt")).read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for block in text.split("\n## ")[1:]:
        language, beginnings, ends = block.strip().split("\n")
        found[language] = [
            f"{beginning.strip()} {end.strip()}"
            for beginning in beginnings.split("|")
            for end in ends.split("|")
        ]
    return found


BLOCKS = blocks()
SPOKEN = ("en", "es", "fr", "it", "pt")


@pytest.mark.parametrize("language", BLOCKS)
def test_sentences_of_a_language_are_spoken_in_it_or_refused(language: str) -> None:
    said = Counter(detect(text, SUPPORTED) for text in BLOCKS[language])
    assert said.total() >= 300
    if language in SPOKEN:
        assert set(said) <= {None, *SPOKEN}, "nothing that is spoken is refused"
        assert said[language] >= 0.95 * said.total()
    else:
        refused = sum(said[one] for one in said if one not in (None, *SPOKEN))
        assert refused >= 0.75 * said.total()


@pytest.mark.parametrize("table", ["en-us", "es", "fr", "hi", "it", "ja", "pt-br", "zh"])
def test_no_line_of_what_is_spoken_is_refused(table: str) -> None:
    path = Path(__file__).with_name("readings") / f"{table}.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        written = line.rpartition("|")[0]
        assert detect(written, SUPPORTED) in (None, *SPOKEN, "hi", "ja", "zh"), written


@pytest.mark.parametrize(
    "text",
    ["Hallo", "Guten Morgen!", "Das Boot", "Müller", "Łódź", "Nguyễn Văn Minh", "Malmö FF",
     "I met Jürgen Müller in Köln.", "Is Łódź near Kraków?", "Erdoğan visited Ankara.",
     "Dvořák wrote it.", "My name is Nguyễn Thị Hà.", "We ate Sauerkraut and Bratwurst.",
     "S. Giovanni, S. Agostino, S. Lucia", "Il est né à Łódź.", "Vive en Düsseldorf."],
)  # fmt: skip
def test_names_and_greetings_are_no_reason_to_refuse(text: str) -> None:
    assert detect(text, SUPPORTED) in (None, *SPOKEN, "pt")


def texts(text: str, base: str) -> list[tuple[str, str]]:
    return [(text[run.start : run.end], run.language) for run in runs(text, base, SUPPORTED)]


@pytest.mark.parametrize(
    ("text", "base", "expected"),
    [
        ("Hello there.", "en-us", [("Hello there.", "en-us")]),
        (
            "请打开WiFi，然后打开example.com。",
            "zh",
            [("请打开WiFi，然后打开example.com。", "zh")],
        ),
        ("我跑了5km，花了$3.5M。", "zh", [("我跑了5km，花了$3.5M。", "zh")]),
        ("iPhone 15はGitHub Actionsと", "ja", [("iPhone 15はGitHub Actionsと", "ja")]),
        (
            "他说“Hello, how are you?”然后走了。",
            "zh",
            [("他说“", "zh"), ("Hello, how are you?”", "en-us"), ("然后走了。", "zh")],
        ),
        (
            "I said 你好, you know.",
            "en-gb",
            [("I said ", "en-gb"), ("你好, ", "zh"), ("you know.", "en-gb")],
        ),
        ("東京へ行く in May", "en-us", [("東京へ行く ", "ja"), ("in May", "en-us")]),
        (
            "东京 and 東京へ",
            "en-us",
            [("东京 ", "zh"), ("and ", "en-us"), ("東京へ", "ja")],
        ),
        ("मैं Python सीखता हूँ", "hi", [("मैं ", "hi"), ("Python ", "en-us"), ("सीखता हूँ", "hi")]),
        (
            "He shouted “¿dónde están los niños?” and left.",
            "en-us",
            [
                ("He shouted “", "en-us"),
                ("¿dónde están los niños?", "es"),
                ("” and left.", "en-us"),
            ],
        ),
        ('He said "go home now" twice.', "en-us", [('He said "go home now" twice.', "en-us")]),
        ("The angle α is 5°.", "en-us", [("The angle α is 5°.", "en-us")]),
        ("He is Владимир.", "en-us", [("He is Владимир.", "en-us")]),
        ("I like 김치 a lot.", "en-us", [("I like 김치 a lot.", "en-us")]),
        ("A: Привет, Владимир.", "en-us", [("A: ", "en-us"), ("Привет, Владимир.", "ru")]),
        ("He said شكرا twice.", "en-us",
         [("He said ", "en-us"), ("شكرا ", "ar"), ("twice.", "en-us")]),
        ("123 …", "en-us", [("123 …", "en-us")]),
        ("", "en-us", []),
    ],
)  # fmt: skip
def test_another_language_inside_a_sentence_is_a_run_of_its_own(
    text: str, base: str, expected: list[tuple[str, str]]
) -> None:
    assert texts(text, base) == expected


@given(st.text(max_size=80), st.sampled_from(["en-us", "zh", "ja", "hi", "xx"]))
def test_runs_cover_any_text_once_and_in_order(text: str, base: str) -> None:
    found = runs(text, base, SUPPORTED)
    assert "".join(text[run.start : run.end] for run in found) == text
    assert all(run.start < run.end for run in found)
    assert all(a.language != b.language for a, b in zip(found, found[1:], strict=False))


@given(st.text(max_size=200))
def test_detection_raises_nothing(text: str) -> None:
    assert detect(text) is None or len(detect(text) or "") == 2


def test_a_tag_fits_another_region() -> None:
    assert supported_tag("en-gb", SUPPORTED) == "en-gb"
    assert supported_tag("en", SUPPORTED) == "en-us"
    assert supported_tag("pt-pt", SUPPORTED) == "pt-br"
    assert supported_tag("ru", SUPPORTED) is None


@pytest.mark.parametrize(
    ("char", "script"),
    [*((char, "latin") for char in "aé"), ("你", "han"), *((char, "kana") for char in "かー"),
     ("한", "hangul"), *((char, "devanagari") for char in "म्"),
     *((char, None) for char in "5 ！😊")],
)  # fmt: skip
def test_scripts(char: str, script: str | None) -> None:
    assert script_of(char) == script
