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
Polish people love soup. | polish | pˈOlɪʃ
She speaks Polish well. | polish | pˈOlɪʃ
The Polish team won. | polish | pˈOlɪʃ
I need to polish my shoes. | polish | pˈɑlɪʃ
Nail polish is expensive. | polish | pˈɑlɪʃ
They polish silver. | polish | pˈɑlɪʃ
Polish your shoes before dinner. | polish | pˈɑlɪʃ
A Polish man sold us floor polish. | polish | pˈOlɪʃ
A Polish man sold us floor polish. | polish#2 | pˈɑlɪʃ
He dove into the pool. | dove | dˈOv
The dove flew away. | dove | dˈʌv
A white dove sat there. | dove | dˈʌv
She dove off the cliff. | dove | dˈOv
We dove deep. | dove | dˈOv
I use Dove soap. | dove | dˈʌv
Yesterday I read three books. | read | ɹˈɛd
She has read it twice. | read | ɹˈɛd
I will read to you. | read | ɹˈid
Read the label first. | read | ɹˈid
The book was read by millions. | read | ɹˈɛd
He often reads, and I read too. | read | ɹˈid
When I was young I read a lot. | read | ɹˈɛd
A good read is rare. | read | ɹˈid
Having read the letter, he left. | read | ɹˈɛd
The lead singer left. | lead | lˈid
Lead pipes are toxic. | lead | lˈɛd
They took the lead. | lead | lˈid
Pencils contain no lead. | lead | lˈɛd
Unleaded fuel has no lead in it. | lead | lˈɛd
She leads and we lead. | lead | lˈid
The roof is covered with lead. | lead | lˈɛd
Roads lead to Rome. | lead | lˈid
A tear rolled down her cheek. | tear | tˈɪɹ
There is a tear in my jacket. | tear | tˈɛɹ
Be careful not to tear it. | tear | tˈɛɹ
She was in tears. | tears | tˈɪɹz
He burst into tears. | tears | tˈɪɹz
Wear and tear is normal. | tear | tˈɛɹ
He wiped a tear from his eye. | tear | tˈɪɹ
Tears filled his eyes. | tears | tˈɪɹz
The north wind blew. | wind | wˈɪnd
Wind the string around it. | wind | wˈInd
The roads wind through hills. | wind | wˈInd
Wind power is cheap. | wind | wˈɪnd
Don't wind me up. | wind | wˈInd
Close the window. | close | klˈOz
Stay close to me. | close | klˈOs
It was a close game. | close | klˈOs
The shops close at six. | close | klˈOz
We are close friends. | close | klˈOs
At the close of the day we left. | close | klˈOz
Come closer. | closer | klˈOsəɹ
We watched a live show. | live | lˈIv
I live in Paris. | live | lˈɪv
Do they live here? | live | lˈɪv
The concert is live on TV. | live | lˈIv
Live music is fun. | live | lˈIv
Live well and laugh often. | live | lˈɪv
People who live there know. | live | lˈɪv
They saved many lives. | lives | lˈIvz
My aunt lives in Rome. | lives | lˈɪvz
Our lives changed. | lives | lˈIvz
He plays the bass. | bass | bˈAs
She caught a large bass. | bass | bˈæs
The bass was too loud. | bass | bˈAs
He sings bass in the choir. | bass | bˈAs
Bass fishing is popular. | bass | bˈæs
Wait a minute. | minute | mˈɪnət
The difference is minute. | minute | mInˈut
There were minute traces of gold. | minute | mInˈut
I am content with that. | content | kəntˈɛnt
The content of the book is good. | content | kˈɑntɛnt
Web content matters. | content | kˈɑntɛnt
He seems content. | content | kəntˈɛnt
I object to that. | object | əbʤˈɛkt
The object fell. | object | ˈɑbʤəkt
Some people object. | object | əbʤˈɛkt
She set a new record. | record | ɹˈɛkəɹd
They record every call. | record | ɹəkˈɔɹd
Record sales were reported. | record | ɹˈɛkəɹd
Let's record a song. | record | ɹəkˈɔɹd
He will present a present. | present | pɹizˈɛnt
He will present a present. | present#2 | pɹˈɛzᵊnt
Everyone was present. | present | pɹˈɛzᵊnt
The farm produces fresh produce. | produce | pɹˈOdˌus
Prices will increase. | increase | ɪnkɹˈis
An increase was seen. | increase | ˈɪnkɹˌis
Please insert the insert. | insert | ɪnsˈɜɹt
He can't conduct himself; his conduct is bad. | conduct | kəndˈʌkt
He can't conduct himself; his conduct is bad. | conduct#2 | kˈɑndˌʌkt
She will sow seeds and the sow ate them. | sow | sˈO
She will sow seeds and the sow ate them. | sow#2 | sˈW
They had a row about money. | row | ɹˈW
Sit in the front row. | row | ɹˈO
Row the boat. | row | ɹˈO
The boxer won the bout. He bowed. | bowed | bˈWd
Tie a bow on it. | bow | bˈO
The bow of the ship. | bow | bˈW
She shot with a bow and arrow. | bow | bˈO
The invalid was in bed. | invalid | ˈɪnvəlɪd
Your ticket is invalid. | invalid | ɪnvˈælɪd
We must separate them. | separate | sˈɛpəɹˌAt
Two separate rooms. | separate | sˈɛpəɹət
That is deliberate. | deliberate | dəlˈɪbəɹət
The jury will deliberate. | deliberate | dəlˈɪbəɹˌAt
What an elaborate plan! | elaborate | əlˈæbəɹət
Please elaborate. | elaborate | əlˈæbəɹˌAt
She will graduate soon. | graduate | ɡɹˈæʤʊˌAt
He is a graduate student. | graduate | ɡɹˈæʤəwət
They house refugees. | house | hˈWz
The house is old. | house | hˈWs
An excuse is no use. | excuse | ɪkskjˈus
Excuse me. | excuse | ɪkskjˈuz
No use crying. | use | jˈus
We use it. | use | jˈuz
He used to smoke. | used | jˈust
He used a knife. | used | jˈuzd
Please advise; I took her advice. | advise | ədvˈIz
The desert is dry. | desert | dˈɛzəɹt
Do not desert me. | desert | dəzˈɜɹt
My number is six. | number | nˈʌmbəɹ
Polish food is hearty. | polish | pˈOlɪʃ
Could you polish this table? | polish | pˈɑlɪʃ
The goalkeeper dove to his left. | dove | dˈOv
Doves and a single dove sat on the roof. | dove | dˈʌv
My father read me a story last night. | read | ɹˈɛd
They read the news every morning. | read | ɹˈid
The letter had been read aloud. | read | ɹˈɛd
The water contains traces of lead. | lead | lˈɛd
She plays the lead in the school play. | lead | lˈid
Our team is in the lead. | lead | lˈid
Old paint may contain lead. | lead | lˈɛd
Who will lead us? | lead | lˈid
One single tear fell. | tear | tˈɪɹ
Mind the tear on the left sleeve. | tear | tˈɛɹ
Don't tear the paper. | tear | tˈɛɹ
We had tears in our eyes. | tears | tˈɪɹz
The trail winds through the forest. | winds | wˈIndz
Strong winds are expected. | winds | wˈɪndz
Remember to wind the watch. | wind | wˈInd
The wind died down. | wind | wˈɪnd
He stood close behind her. | close | klˈOs
Banks close early today. | close | klˈOz
They want to close the deal. | close | klˈOz
That was a close call. | close | klˈOs
The band played live. | live | lˈIv
We live near the coast. | live | lˈɪv
Cats live long. | live | lˈɪv
She lives alone. | lives | lˈɪvz
The war cost many lives. | lives | lˈIvz
Turn up the bass. | bass | bˈAs
We had grilled bass for dinner. | bass | bˈæs
Give me a minute. | minute | mˈɪnət
A minute amount of salt is enough. | minute | mInˈut
Video content is popular. | content | kˈɑntɛnt
She was content to wait. | content | kəntˈɛnt
Parents object to the plan. | object | əbʤˈɛkt
An unknown object appeared. | object | ˈɑbʤəkt
The protest was peaceful. | protest | pɹˈOtˌɛst
He broke the world record. | record | ɹˈɛkəɹd
Did you record the show? | record | ɹəkˈɔɹd
Farmers produce milk. | produce | pɹədˈus
The permit has expired. | permit | pˈɜɹmɪt
I refuse to go. | refuse | ɹəfjˈuz
The refuse was collected. | refuse | ɹˈɛfjˌus
We contract with them. | contract | kəntɹˈækt
Sign the contract. | contract | kˈɑntɹˌækt
I have a perfect plan. | perfect | pˈɜɹfəkt
She wants to perfect her skills. | perfect | pəɹfˈɛkt
Imports from Asia increase. | increase | ɪnkɹˈis
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
