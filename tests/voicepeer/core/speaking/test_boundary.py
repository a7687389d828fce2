from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepeer.core.speaking import boundary
from voicepeer.core.speaking.boundary import Strength

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("token", "following", "expected"),
    [
        ("there.", "H", Strength.SENTENCE),
        ("there,", "h", Strength.CLAUSE),
        ("there", "h", Strength.WORD),
        ("Dr.", "J", Strength.NONE),
        ("No.", "5", Strength.NONE),
        ("No.", "I ", Strength.SENTENCE),
        ("etc.", "w", Strength.WORD),
        ("etc.", "W", Strength.SENTENCE),
        ("17,", "2", Strength.NONE),
        ("17,", "t", Strength.CLAUSE),
        ("17", "t", Strength.NONE),
        ("costs", "5", Strength.NONE),
        ("J.", "Smith ", Strength.NONE),
        ("J.", "S", None),
        ("U.S.", "H", None),
        ("U.S.", "He ", Strength.SENTENCE),
        ("U.S.", "Navy ", Strength.NONE),
        ("I.", "S", Strength.SENTENCE),
        ("—", "t", Strength.CLAUSE),
        ('it!"', "s", Strength.CLAUSE),
        ('it!"', "S", Strength.SENTENCE),
        ("p.m.", "t", Strength.WORD),
        ("example.com.", "t", Strength.SENTENCE),
    ],
)
def test_strength_of_a_gap_inside_a_line(
    token: str, following: str, expected: Strength | None
) -> None:
    assert boundary.across(token, " ", following, starts_line=False) is expected


@pytest.mark.parametrize("token", ["1.", "12)", "(3)", "b.", "-", "*", "•"])
def test_a_list_marker_stays_with_its_item(token: str) -> None:
    assert boundary.across(token, " ", "F", starts_line=True) is Strength.NONE


@settings(deadline=None)
@given(st.text(alphabet="aAZ1.!?,;:\"')e…", min_size=1, max_size=8), st.sampled_from('aA1"你'))
def test_what_is_decided_early_is_what_is_decided_late(token: str, following: str) -> None:
    early = boundary.before_blank(token, " ")
    late = boundary.across(token, " ", following, starts_line=False)
    assert early is None or early == late
    whole = boundary.across(token, " ", f"{following} ", starts_line=False)
    assert late is None or late == whole


def test_pause_is_rather_before_a_link_than_after_an_article() -> None:
    assert boundary.word_quality("the", "dog") < boundary.word_quality("big", "dog")
    assert boundary.word_quality("big", "dog") < boundary.word_quality("dog", "because")


def test_wide_scripts_weigh_more() -> None:
    assert boundary.weight("今") == boundary.weight("か") == 3 * boundary.weight("a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("走了|我", 3),
        ("会|在", 2),
        ("かを|見", 2),
        ("地|方", 1),
        ("20|26", 0),
        ("年2|0", 0),
        ("共|2", 0),
        ("第|三", 0),
        ("Pyt|hon", 0),
        ("的|Py", 1),
        ("です|が", 0),
        ("コー|ヒー", 0),
        ("好|。", 0),
        ("葛|\U000e0100", 0),
    ],
)
def test_a_script_without_blanks_is_cut_between_words(text: str, expected: int) -> None:
    before, _, after = text.partition("|")
    assert boundary.joint_quality(before[-1], after[0]) == expected
