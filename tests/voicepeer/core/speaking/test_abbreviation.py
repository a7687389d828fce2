"""Where a period is of a word, and where it ends a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepeer.core.speaking.abbreviation import ends_sentence, is_plain_word
from voicepeer.core.speaking.segment import Piece, Segmenter

pytestmark = pytest.mark.unit

WHOLE = """
The U.S. Navy came.
The U.S. Senate voted on it.
Vers 50 apr. J.-C. il vint.
La Cie. Générale
Toyota Motor Corp. President Akio spoke.
एम.ए. किया।
He works for Acme Co. Ltd. in London.
We met at 10 a.m. EST today.
At 5 p.m. Eastern we go.
She is a Ph.D. student here.
I read J. R. R. Tolkien.
Mr. J. Smith left.
The U.K. Government said so.
St. John's is nice.
Washington D.C. Mayor Bowser spoke.
Mt. Everest is high.
Lt. Col. Smith saluted.
See Smith et al. 2020 for it.
Use approx. 5 of them.
Go to 5th Ave. and turn.
Acme Inc. CEO Ada said so.
Apple Inc. Announces it.
The Apple Corp. Building is tall.
Jan. 5 is fine.
On Tues. Sept. 9 we go.
Vol. II is out.
Fig. A shows it.
Gen. Lee and Sen. Smith.
Rep. Ocasio spoke.
Adm. Nimitz led.
Fr. Brown came.
Br. John came.
Llega a las 3 p. m. del lunes.
Los EE. UU. ganaron.
Los EE. UU. México y Canadá.
El Sr. López y la Sra. Gómez.
La Dra. Ruiz y D. Juan.
El núm. 5 y la pág. 3.
La Av. Libertador es larga.
Vino el Lic. Pérez con la Ing. Soto.
Ud. y Uds. pueden.
p. ej. esto
En el s. XIX vivió.
En 44 a. C. murió César.
César mourut en 44 av. J.-C. à Rome.
M. Dupont et Mme. Durand.
MM. Dupont et Durand.
Le Dr. Martin et Me. Leroy.
Voir p. 5 et fig. 3.
env. 5 km
Au XIXe s. Paris était petit.
No séc. XX foi assim.
A Ex.ma Senhora chegou.
O Exmo. Sr. Presidente.
O Dr. Silva e a Dra. Costa.
O Prof. Souza e a Profa. Lima.
Na Av. Paulista, nº 5.
A Cia. Vale do Rio.
O eng. Mário chegou.
La Sig.na Rossi e il Sig. Bianchi.
La Fiat S.p.A. Torino.
Il Dott. Rossi e la Dott.ssa Verdi.
L'Ill.mo Prof. Neri.
L'avv. Neri e l'ing. Gallo.
Nel sec. XX visse.
Nel 44 a.C. Cesare morì.
Spett.le Ditta Rossi
वि.वि. के छात्र आए।
डॉ. शर्मा आए।
प्रो. वर्मा और श्री. गुप्ता।
पं. नेहरू आए।
कि.मी. दूर है।
रु. 500 दिए।
सं. 5 देखें।
H. G. Wells wrote it.
George W. Bush spoke.
E. coli is bad.
T. rex was big.
It is on p. 5, ch. 3.
No. 5 is alive.
Call ext. 5 now.
U.S. Rep. Lee
the U.N. Security Council
the E.U. Commission
a B.A. from Yale
M.D. Anderson
Dept. of State
the Dept. State
Univ. of Ohio
Sgt. Pepper
Hon. Judge Lee
Rev. Dr. King
Jr. High
Sammy Davis Jr. Sang
Bros. Grimm
vs. Ohio
Sale a las 9 a. m. en punto.
It has 3 ft. of snow.
At 6 p.m. GMT+1 we go.
"""

ENDED = """
He lives in the U.S.| He left.
I love the U.S.| The food is good.
Made in the U.K.| It works.
He left at 5 p.m.| She stayed.
See page 5.| Great.
It is 7.| See it.
Fue a EE. UU.| Allí vivió.
Only in Dec.| Sales fell.
We meet at 10 a.m.| Bring food.
He works for Acme Co.| She does not.
It was Acme Ltd.| They failed.
She has a Ph.D.| Her brother does not.
It is 5 ft.| That is short.
He is John Jr.| His son left.
I saw him in Jan.| It was cold.
So am I.| Good.
It was plan B.| We went on.
I got an A.| She got a B.
Take vitamin C.| It helps.
The answer is no.| We go.
Vive en EE. UU.| Ella no.
Llega a las 9 a. m.| Luego come.
Vamos a las 5 p. m.| El tren sale.
Lavora alla Fiat S.p.A.| Lui no.
Comprou pão, etc.| Depois saiu.
He was in the U.N.| I was not.
They met in the E.U.| What then?
He has an M.D.| I know it.
J'y vais en 44 av. J.-C.| Il dort.
He is from the U.S.| Why not?
She won in the U.S.| In France she lost.
He came from Acme Inc.| "She" did not.
"""
"""With | where the first sentence ends."""

WORDS = (
    "The U.S. U.K. Navy He She I A a. m. p.m. EST Co. Ltd. Inc. J. R. Ph.D. student Dr. No. 5 Fig. "
    "IV S.p.A. EE. UU. av. J.-C. M. Dupont sec. XX Ex.ma Sig.na वि.वि. डॉ. etc. and Then, it. one"
).split()


def pieces(*deltas: str) -> list[Piece]:
    segmenter = Segmenter()
    return [piece for delta in deltas for piece in segmenter.push(delta)] + segmenter.end()


@pytest.mark.parametrize("text", WHOLE.strip().splitlines())
def test_a_sentence_is_not_cut_after_an_abbreviation(text: str) -> None:
    said = [piece.text for piece in pieces(text)]
    assert [text] == said or all(piece.endswith(",") for piece in said[:-1])


@pytest.mark.parametrize("line", ENDED.strip().splitlines())
def test_a_sentence_may_end_with_an_abbreviation(line: str) -> None:
    sentences = [sentence.strip() for sentence in line.split("|")]
    assert [piece.text for piece in pieces(" ".join(sentences))] == sentences


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=16), st.lists(st.integers(0, 90), max_size=6))
def test_where_the_text_of_abbreviations_is_cut_makes_no_difference(
    words: list[str], cuts: list[int]
) -> None:
    text = " ".join(words)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    deltas = [text[low:high] for low, high in zip(edges, edges[1:], strict=False)]
    assert pieces(*deltas) == pieces(text) == pieces(*text)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(WORDS), st.text(min_size=1, max_size=20))
def test_what_is_decided_of_a_part_of_the_next_word_is_decided_of_all(
    word: str, following: str
) -> None:
    decided = [ends_sentence(word, following[:count]) for count in range(1, len(following) + 1)]
    known = [verdict for verdict in decided if verdict is not None]
    assert len(set(known)) <= 1


def test_a_long_word_is_not_waited_for() -> None:
    assert ends_sentence("U.S.", "N" * 20) is False


@pytest.mark.parametrize("word", ["U.S.", "Co.", "a.m.", "S.p.A.", "वि.वि.", "Tues.", "l'avv."])
def test_the_period_of_an_abbreviation_is_not_decided_before_the_next_word(word: str) -> None:
    assert not is_plain_word(word)


@pytest.mark.parametrize("word", ["there.", "it's.", "example.com.", "Wednesday.", "घर."])
def test_other_words_end_their_sentence_at_once(word: str) -> None:
    assert is_plain_word(word)


def test_a_flush_decides_with_what_is_known() -> None:
    segmenter = Segmenter()
    assert segmenter.push("It is in the U.S. He") == []
    assert [piece.text for piece in segmenter.flush()] == ["It is in the U.S.", "He"]
