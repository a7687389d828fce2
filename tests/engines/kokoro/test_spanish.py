from __future__ import annotations

import pytest

from engines.kokoro.phonemes import phonemize
from engines.kokoro.spanish import pronounce

pytestmark = pytest.mark.unit

WORDS = """
hola ˈola | buenos bwˈenos | días dˈias | cómo kˈomo | estás estˈas | gracias ɡɾˈaθjas
lluvia ʎˈuβja | yo ʝˈo | guerra ɡˈera | rojo rˈoxo | perro pˈero | caro kˈaɾo | honra ˈonra
ciudad θjuðˈad | huevo wˈeβo | México mˈexiko | examen eksˈamen | xilófono silˈofono
aire ˈIɾe | hay ˈI | rey rˈA | causa kˈWsa | deuda dˈeʊða | hoy ˈoɪ | muy mˈuj
tengo tˈɛŋɡo | enviar embjˈaɾ | mismo mˈismo | niño nˈiɲo | pingüino piŋɡwˈino
queso kˈeso | guitarra ɡitˈara | agua ˈaɣwa | gente xˈɛnte | jamón xamˈon | zapato θapˈato
país paˈis | baúl baˈul | caída kaˈiða | leer leˈeɾ | aéreo aˈeɾeo | oír oˈiɾ | ayuda aʝˈuða
dedo dˈeðo | lobo lˈoβo | amigo amˈiɣo | caldo kˈalðo | hombre ˈombɾe | chico ʧˈiko
rápidamente rˈapiðamˈente | reloj relˈox | feliz felˈiθ | árbol ˈaɾβol | canción kanθjˈon
obtener ˌobtenˈeɾ | objeto oβxˈeto | significa sˌiɡnifˈika | nunca nˈunka | club klˈub
aunque ˈWnke
jack xˈak | occidente ˌokθiðˈɛnte | zigzag θiɡθˈaɡ | saccard sakˈaɾd
el el | la la | de de | y i
"""


@pytest.mark.parametrize("pair", [pair.split() for pair in WORDS.replace("\n", "|").split("|")
                                  if pair.strip()], ids=lambda pair: pair[0])  # fmt: skip
def test_words(pair: list[str]) -> None:
    assert pronounce(pair[0]) == pair[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿Cómo estás? ¡Muy bien!", "kˈomo estˈas? mˈuj βjˈen!"),
        ("la ONU y la OTAN", "la ˈonu i la ˈotan"),
        ("la UGT", "la ˈu xˈe tˈe"),
        ("la CIA y el PSOE de EEUU", "la θˈia i el pesˈoe ðe estˈaðos unˈiðos"),
        ("el wifi de YouTube", "el wˈifi ðe jutˈub"),
        ("el 7 %", "el sjˈete poɾ θjˈɛnto"),
        ("se va de la boca", "se βa ðe la βoka"),
        ("se va. Boca", "se βa. boka"),
        ("Ana, B y C", "ˈana, bˈe i θˈe"),
        ("ES-MX", "ˈe ˈese — ˈeme ˈekis"),
    ],
)
def test_sentences(text: str, expected: str) -> None:
    assert phonemize(text, "es").symbols.replace("ˈ", "") == expected.replace("ˈ", "").replace(
        " — ", " "
    )
