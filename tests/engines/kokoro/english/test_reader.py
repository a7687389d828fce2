"""What is said for English words in their context."""

from __future__ import annotations

import time

import pytest

from engines.kokoro.english.reader import reader
from engines.kokoro.phonemes import phonemize

pytestmark = pytest.mark.unit


def word_said(text: str, marked: str) -> str:
    """Phonemes of the n-th occurrence of a word, "read#2" for the second; without stress."""
    word, _, number = marked.partition("#")
    phonemes = phonemize(text, "en-us")
    found = [
        phonemes.symbols[place.phoneme_start : place.phoneme_end]
        for place in phonemes.words
        if text[place.char_start : place.char_end].lower() == word
    ]
    return found[int(number or 1) - 1]


HETERONYMS = """
I read it yesterday; I will read it again. | read | ɹˈɛd
I read it yesterday; I will read it again. | read#2 | ɹˈid
I have read the book. | read | ɹˈɛd
I read books every day. | read | ɹˈid
She read it. | read | ɹˈɛd
To read is fun. | read | ɹˈid
Can you read this? | read | ɹˈid
It was read aloud. | read | ɹˈɛd
She wound the bandage around the wound. | wound | wˈWnd
She wound the bandage around the wound. | wound#2 | wˈund
The wound is deep. | wound | wˈund
It was wound tight. | wound | wˈWnd
The wind is strong, so wind the clock. | wind | wˈɪnd
The wind is strong, so wind the clock. | wind#2 | wˈInd
They live in a live house. | live | lˈɪv
They live in a live house. | live#2 | lˈIv
Where do you live? | live | lˈɪv
He lives there. | lives | lˈɪvz
Cats have nine lives. | lives | lˈIvz
He will lead the team. | lead | lˈid
It is a lead pipe. | lead | lˈɛd
The pipe is made of lead. | lead | lˈɛd
Lead is a metal. | lead | lˈɛd
He bowed to the queen. | bowed | bˈWd
Do not tear the page. | tear | tˈɛɹ
He caught a bass in the lake. | bass | bˈæs
He will moderate the debate. | moderate | mˈɑdəɹˌAt
The singers moved to the moderate pace. | moderate | mˈɑdəɹət
They sleep in separate rooms. | separate | sˈɛpəɹət
Don't tear it; a tear fell. | tear | tˈɛɹ
Don't tear it; a tear fell. | tear#2 | tˈɪɹ
Take a bow with your bow. | bow | bˈW
Take a bow with your bow. | bow#2 | bˈO
They bow to the king. | bow | bˈW
Please close the door, it is too close. | close | klˈOz
Please close the door, it is too close. | close#2 | klˈOs
The store is close by. | close | klˈOs
The minute details took a minute. | minute | mInˈut
The minute details took a minute. | minute#2 | mˈɪnət
We object to the object. | object | əbʤˈɛkt
We object to the object. | object#2 | ˈɑbʤəkt
The desert may desert us. | desert | dˈɛzəɹt
The desert may desert us. | desert#2 | dəzˈɜɹt
Present the present. | present | pɹizˈɛnt
Present the present. | present#2 | pɹˈɛzᵊnt
The content made me content. | content | kˈɑntɛnt
The content made me content. | content#2 | kəntˈɛnt
Use it; it is of no use. | use | jˈuz
Use it; it is of no use. | use#2 | jˈus
He used to use it. | used | jˈust
I used it. | used | jˈuzd
I refuse to touch the refuse. | refuse | ɹəfjˈuz
I refuse to touch the refuse. | refuse#2 | ɹˈɛfjˌus
We will record it. | record | ɹəkˈɔɹd
The record shows it. | record | ɹˈɛkəɹd
Record the meeting. | record | ɹəkˈɔɹd
Did you record it? | record | ɹəkˈɔɹd
They produce music and sell produce. | produce | pɹədˈus
Separate the separate parts. | separate | sˈɛpəɹˌAt
Separate the separate parts. | separate#2 | sˈɛpəɹət
I estimate the estimate. | estimate | ˈɛstəmˌAt
I estimate the estimate. | estimate#2 | ˈɛstəmət
They house people. | house | hˈWz
It is in the house. | house | hˈWs
The suspect will suspect. | suspect | sˈʌspˌɛkt
The suspect will suspect. | suspect#2 | səspˈɛkt
The permit will permit it. | permit | pˈɜɹmɪt
The permit will permit it. | permit#2 | pəɹmˈɪt
The bass player caught a bass. | bass | bˈAs
The bass player caught a bass. | bass#2 | bˈæs
Polish the table. | polish | pˈɑlɪʃ
My Polish friend is here. | polish | pˈOlɪʃ
He met us in the US. | us | ˌʌs
He met us in the US. | us#2 | jˌuˈɛs
I think that you know that. | that | ðæt
Has anyone read the manual? | read | ɹˈɛd
Have you read it? | read | ɹˈɛd
Did anyone record it? | record | ɹəkˈɔɹd
Nobody lives here. | lives | lˈɪvz
Her tears ran down. | tears | tˈɪɹz
He tears the page. | tears | tˈɛɹz
I will wind the cord. | wind | wˈInd
We were very close. | close | klˈOs
The use of force is limited. | use | jˈus
You can use mine. | use | jˈuz
Prices increase every year. | increase | ɪnkɹˈis
There was an increase in prices. | increase | ˈɪnkɹˌis
The show was broadcast live. | live | lˈIv
He is an invalid with an invalid ticket. | invalid#2 | ɪnvˈælɪd
Workers protested the contract. | contract | kˈɑntɹˌækt
Let's project the budget. | project | pɹəʤˈɛkt
The project failed. | project | pɹˈɑʤˌɛkt
I think that you know that. | that#2 | ðˈæt
"""


@pytest.mark.parametrize("line", HETERONYMS.strip().splitlines())
def test_heteronyms(line: str) -> None:
    text, word, expected = (part.strip() for part in line.split("|"))
    assert word_said(text, word) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a pear, an apple", "ɐ pˈɛɹ, ɐn ˈæpᵊl"),
        ("the pear, the apple", "ðə pˈɛɹ, ði ˈæpᵊl"),
        ("the hour, the unit", "ði ˈWəɹ, ðə jˈunət"),
        ("to go, to eat, come to", "tə ɡˌO, tʊ ˈit, kˈʌm tu"),
        ("A", "ˈA"),
        ("a", "ˈA"),
        ("A B C", "ˈA bˈi sˈi"),
        ("vitamin A", "vˈIɾəmən ˈA"),
        ("A dot B", "ˈA dˈɑt bˈi"),
        ("A dog", "ɐ dˈɔɡ"),
        ("six A M", "sˈɪks ˈA ˈɛm"),
        ("I am here", "ˌI ɐm hˈɪɹ"),
        ("here I am", "hˈɪɹ ˌI æm"),
    ],
)
def test_small_words_depend_on_their_neighbours(text: str, expected: str) -> None:
    assert phonemize(text, "en-us").symbols == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the LLM", "ði ˌɛlˌɛlˈɛm"),
        ("two GPUs", "tˈu ʤˌipˌijˈuz"),
        ("an API", "ɐn ˌApˌiˈI"),
        ("NASA", "nˈæsə"),
        ("STOP IT NOW", "stˈɑp ɪt nˈW"),
        ("WiFi and wifi", "wˈIfˌI ænd wˈIfˌI"),
        ("JavaScript", "ʤˈɑvəskɹˌɪpt"),
        ("7", "sˈɛvən"),
        ("5 & 6%", "fˈIv ænd sˈɪks pəɹsˈɛnt"),
        ("café", "kæfˈA"),
        ("cafe\u0301", "kæfˈA"),
        ("don’t", "dˈOnt"),
        ("'cause", "kˈʌz"),
        ("I'd've", "ˈIdəv"),
        ("soooo good", "sˌO ɡˈʊd"),
    ],
)
def test_what_is_no_plain_word(text: str, expected: str) -> None:
    assert phonemize(text, "en-us").symbols == expected


def test_the_lexicon_loads_fast_and_a_sentence_takes_little() -> None:
    reader.cache_clear()
    started = time.perf_counter()
    phonemize("hello", "en-us")
    assert time.perf_counter() - started < 3.0  # 0.2 s on an idle machine
    text = "The quick brown fox jumps over the lazy dog, and I read about it in the record. " * 3
    started = time.perf_counter()
    for _ in range(20):
        phonemize(text, "en-us")
    assert (time.perf_counter() - started) / 20 < 0.05  # 0.5 ms on an idle machine
