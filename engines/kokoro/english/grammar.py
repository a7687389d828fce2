"""Part of speech of a heteronym from the words around it.

Not a tagger: it only has to tell apart the readings of words such as "read", "wound" and
"record". Tags are those of the lexicon: NOUN, VERB, ADJ, VBD (past), VBN (participle).
"""

from __future__ import annotations

from collections.abc import Sequence

_DETERMINERS = frozenset(
    "a an the this that these those my your his her its our their whose some any no every each "
    "another either neither both all many few several much more most what which".split()
)
_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty "
    "hundred thousand million first second third last next".split()
)
_PREPOSITIONS = frozenset(
    "of in on at by for with from into onto about over under between through during without "
    "within against among around near off across behind beyond like per via".split()
)
_MODALS = frozenset(
    "will would can could shall should may might must won't wouldn't can't couldn't shan't "
    "shouldn't mustn't cannot do does did don't doesn't didn't i'll you'll he'll she'll it'll "
    "we'll they'll i'd you'd he'd she'd we'd they'd let's please let help".split()
)
_SUBJECTS_THIRD = frozenset("he she it".split())
_SUBJECTS = frozenset("i you we they who".split()) | _SUBJECTS_THIRD
_OBJECTS = frozenset("me you him her it us them".split()) | frozenset(
    "myself yourself himself herself itself ourselves themselves".split()
)
_INDEFINITE = frozenset(
    "nobody somebody everybody anybody everyone someone anyone noone everything nothing".split()
)
_HAVE = frozenset(
    "have has had having i've you've we've they've haven't hasn't hadn't he's she's it's".split()
)
_BE = frozenset(
    "am is are was were be been being isn't aren't wasn't weren't i'm you're we're they're "
    "got get gets getting that's there's".split()
)
_PAST_HINTS = frozenset(
    "yesterday ago last already earlier previously once was were had did didn't went said saw "
    "came took made told knew found gave thought left wrote then when".split()
)
_PRESENT_HINTS = frozenset(
    "always usually often sometimes every daily now today tomorrow never rarely".split()
)
_ADVERBS = frozenset(
    "not never always also just still often even only ever again really quickly slowly soon "
    "usually sometimes already now then both all".split()
)
_LINKS = frozenset("and or but so because if when while that then than as where since".split())
_DEGREES = frozenset("too very so quite more most less rather pretty fairly how as".split())
_AFTER_NOUNS = frozenset("of is was are were has had will would can could".split())
_AFTER_VERBS = frozenset(
    "to early late long well soon fast often daily here there together again too sometimes".split()
)
_PLURALS = frozenset("people children men women police mice geese".split())
_PLURAL_MODIFIERS = frozenset(
    "sales sports news arms goods savings customs series business glass always perhaps sometimes "
    "besides afterwards towards species class".split()
)
_SMALL = (
    _DETERMINERS
    | _PREPOSITIONS
    | _MODALS
    | _SUBJECTS
    | _OBJECTS
    | _HAVE
    | _BE
    | _LINKS
    | frozenset("to not up down out here there too again today tomorrow yesterday now".split())
)


class Clause:
    """The lower-case words of one clause; answers for any of them by index."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def _word(self, index: int) -> str:
        return self._words[index] if 0 <= index < len(self._words) else ""

    def _before(self, index: int) -> str:
        """The nearest word before that is no adverb."""
        index -= 1
        while index >= 0 and (
            self._words[index] in _ADVERBS or (index > 0 and self._words[index].endswith("ly"))
        ):
            index -= 1
        return self._word(index)

    def _starts_noun_phrase(self, index: int) -> bool:
        word = self._word(index)
        return word in _DETERMINERS or word in _OBJECTS or word in _NUMBERS

    def tense(self, index: int) -> str:
        """Past or present of a verb whose past is written like its present."""
        if self._before(index) in _SUBJECTS_THIRD:
            return "VBD"  # the present would have an -s
        others = [word for i, word in enumerate(self._words) if i != index]
        if any(word in _PRESENT_HINTS for word in others) and "yesterday" not in others:
            return "VERB"
        past = any(
            word in _PAST_HINTS or (word.endswith("ed") and len(word) > 4) for word in others
        )
        return "VBD" if past else "VERB"

    def is_base_verb_place(self, index: int) -> bool:
        """After "to" or a modal, or a command that begins a clause."""
        before = self._before(index)
        if before == "to" or before in _MODALS:
            return True
        if before in _SUBJECTS and self._before(index - 1) in _MODALS:
            return True  # "did you record"
        if before in _INDEFINITE and self._before(index - 1) in _MODALS:
            return True
        begins = before == "" or before in _LINKS
        return begins and self._starts_noun_phrase(index + 1)

    def _noun_phrase_tag(self, index: int) -> str | None:
        """Noun or adjective, for a word after a determiner, number or preposition."""
        before, two_before = self._word(index - 1), self._word(index - 2)
        if before in _DETERMINERS or before in _NUMBERS or before.endswith("'s"):
            return "ADJ" if self._is_content(index + 1) else "NOUN"
        if before in _PREPOSITIONS and not self._starts_noun_phrase(index + 1):
            return "ADJ" if self._is_content(index + 1) else "NOUN"
        opened = two_before in _DETERMINERS or two_before in _NUMBERS
        if opened and self._is_content(index - 1) and not self._starts_noun_phrase(index + 1):
            return "NOUN"
        return None

    def _is_content(self, index: int) -> bool:
        """Whether a word is there that is none of the small words of grammar."""
        word = self._word(index)
        return bool(word) and word not in _SMALL

    def _follows_plural_subject(self, index: int) -> bool:
        """Whether a bare plural begins the clause, or one with a determiner: "metals contract"."""
        subject = self._word(index - 1)
        plural = subject in _PLURALS or (
            len(subject) > 3 and subject.endswith("s") and not subject.endswith(("ss", "us", "'s"))
        )
        if not plural or subject in _PLURAL_MODIFIERS or self._words[index].endswith("s"):
            return False
        begins = index == 1 or (index == 2 and self._word(0) in _DETERMINERS | _NUMBERS)
        after = self._word(index + 1)
        follows = after in _LINKS or after in _PREPOSITIONS - {"of"} or after in _AFTER_VERBS
        return begins and (not after or follows)

    def tag(self, index: int) -> str:
        """Part of speech of the word at an index; empty where nothing tells."""
        before = self._before(index)
        if self.is_base_verb_place(index):
            return "VERB"
        if self._follows_plural_subject(index):
            return self.tense(index)
        if before in _HAVE:
            return "VBN"
        if before in _BE:
            return "ADJ" if self._word(index - 1) in _DEGREES else "VBN"
        if before in _DEGREES or (before in _OBJECTS and index == len(self._words) - 1):
            return "ADJ"
        if before in _INDEFINITE and self._before(index - 1) in _HAVE:
            return "VBN"  # "has anyone read"
        if before in _SUBJECTS and self._before(index - 1) in _HAVE:
            return "VBN"
        if before in _SUBJECTS or before in _INDEFINITE:
            return self.tense(index)
        found = self._noun_phrase_tag(index)
        if found is not None:
            return found
        if index > 0 and self._starts_noun_phrase(index + 1):
            return self.tense(index)
        return "NOUN" if self._word(index + 1) in _AFTER_NOUNS else ""

    def is_demonstrative(self, index: int) -> bool:
        """Whether "that" points ("that one") rather than joins ("said that")."""
        after = self._word(index + 1)
        if not after or after in _BE or after in _MODALS:
            return True
        return self._word(index - 1) in _PREPOSITIONS or (
            index == 0 and after not in _SUBJECTS and after not in _DETERMINERS
        )
