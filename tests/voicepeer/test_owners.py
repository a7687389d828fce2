"""What the database gives agrees with what a principal may see."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.principal import Principal
from voicepeer.owners import EVERYBODY, Owners, owned_by, usable_by

pytestmark = pytest.mark.unit

NAMES = st.sampled_from(["key-a", "key-b", "key-ab", "key", "K_y", "%", "key-a%"])
SUBJECTS = st.sampled_from(["", "ada", "bob", "ada/bob", "%"])


def selected(owners: Owners, owner: str) -> bool:
    condition, values = owners.condition()
    with sqlite3.connect(":memory:") as connection:
        query = f"SELECT {condition} FROM (SELECT ? AS owner)"
        (found,) = connection.execute(query, (*values, owner)).fetchone()
    return bool(found)


@given(NAMES, SUBJECTS, NAMES, SUBJECTS)
def test_sql_says_what_the_principal_says(key: str, who: str, other: str, whose: str) -> None:
    principal = Principal(key, subject=who)
    owner = Principal(other, subject=whose).owner
    assert selected(owned_by(principal), owner) == principal.owns(owner)
    assert selected(usable_by(principal), owner) == principal.may_use(owner)
    assert selected(EVERYBODY, owner)


@given(NAMES, SUBJECTS, NAMES, SUBJECTS)
def test_without_sql_it_is_the_same(key: str, who: str, other: str, whose: str) -> None:
    principal = Principal(key, subject=who)
    owner = Principal(other, subject=whose).owner
    assert owned_by(principal).includes(owner) == principal.owns(owner)
    assert usable_by(principal).includes(owner) == principal.may_use(owner)
    assert EVERYBODY.includes(owner)
