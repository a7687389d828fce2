from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro.english import stress

pytestmark = pytest.mark.unit

transcripts = st.text(alphabet="kætstˈˌəiO", max_size=12)


@pytest.mark.parametrize(
    ("said", "expected"),
    [("ɪt", "ˌɪt"), ("hi", "hˌi"), ("kˈæt", "kˈæt"), ("kˌæt", "kˌæt"), ("s", "s")],
)
def test_stress_is_added_before_the_first_vowel_if_there_is_none(said: str, expected: str) -> None:
    assert stress.with_stress(said, stress.SECONDARY) == expected


@pytest.mark.parametrize(
    ("said", "expected"), [("ɪt", "ˈɪt"), ("ˌʌs", "ˈʌs"), ("kˈæt", "kˈæt"), ("ˌæbˈɑ", "ˌæbˈɑ")]
)
def test_emphasis_gives_a_primary_stress(said: str, expected: str) -> None:
    assert stress.emphasized(said) == expected


def test_spelling_stresses_the_last_letter() -> None:
    assert stress.spelled(["ˈA", "bˈi", "sˈi"]) == "ˌAbˌisˈi"
    assert stress.spelled([]) == ""


def test_a_compound_stresses_its_first_part() -> None:
    assert stress.compound(["blˈæk", "bˈɔɹd"]) == "blˈækbˌɔɹd"
    assert stress.compound([]) == ""


@given(transcripts)
def test_weakened_has_no_primary_and_unstressed_nothing(said: str) -> None:
    assert stress.PRIMARY not in stress.weakened(said)
    assert not stress.is_stressed(stress.unstressed(said))
