"""Phonemes of a segment whose text is in several languages, or partly given by its sounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engines.api import LanguageSpan, Pronunciation, Segment
from engines.kokoro.ipa import from_ipa
from engines.kokoro.phonemes import Phonemes, PhonemeWord, phonemize

_NO_SPACE_AFTER = frozenset(" (“")
_NO_SPACE_BEFORE = frozenset(" ;:,.!?—…)”")


def phonemes_of(segment: Segment) -> Phonemes:
    """What the model is fed for a segment.

    Raises:
        LanguageUnsupported: one of its languages is not spoken here.
        PhonemesUnsupported: a pronunciation has a symbol that the model lacks.
        ModelFilesMissing: a pronouncing lexicon is not installed.
    """
    if not segment.languages and not segment.pronunciations:
        return phonemize(segment.text, segment.language)
    said = Phonemes("")
    for span in _spans(segment):
        text = segment.text[span.char_start : span.char_end]
        told = [one for one in segment.pronunciations if _is_within(one, span)]
        said = _joined(said, _told(phonemize(text, span.language), told, span), span.char_start)
    return said


def _spans(segment: Segment) -> Iterator[LanguageSpan]:
    """All of the text, cut by language."""
    done = 0
    for span in segment.languages:
        if done < span.char_start:
            yield LanguageSpan(done, span.char_start, segment.language)
        yield span
        done = span.char_end
    if done < len(segment.text):
        yield LanguageSpan(done, len(segment.text), segment.language)


def _is_within(one: Pronunciation, span: LanguageSpan) -> bool:
    return span.char_start <= one.char_start and one.char_end <= span.char_end


def _told(phonemes: Phonemes, told: Sequence[Pronunciation], span: LanguageSpan) -> Phonemes:
    """Phonemes with the words that were told put in place of what was found for them."""
    for one in told:
        symbols = from_ipa(one.ipa, span.language)
        low, high = one.char_start - span.char_start, one.char_end - span.char_start
        phonemes = _replaced(phonemes, low, high, symbols)
    return phonemes


def _replaced(phonemes: Phonemes, low: int, high: int, symbols: str) -> Phonemes:
    """The words between two offsets as one word of the given symbols."""
    inside = [word for word in phonemes.words if word.char_start < high and word.char_end > low]
    if not symbols:
        return phonemes
    if not inside:
        return _inserted(phonemes, low, high, symbols)
    start, end = inside[0].phoneme_start, inside[-1].phoneme_end
    more = len(symbols) - (end - start)
    words = []
    for word in phonemes.words:
        if word is inside[0]:
            words.append(PhonemeWord(low, high, start, start + len(symbols)))
        elif word not in inside:
            moved = more if word.phoneme_start >= end else 0
            words.append(
                PhonemeWord(
                    word.char_start, word.char_end,
                    word.phoneme_start + moved, word.phoneme_end + moved,
                )
            )  # fmt: skip
    return Phonemes(phonemes.symbols[:start] + symbols + phonemes.symbols[end:], tuple(words))


def _inserted(phonemes: Phonemes, low: int, high: int, symbols: str) -> Phonemes:
    """A word more, for text that has no phonemes of its own."""
    earlier = [word for word in phonemes.words if word.char_end <= low]
    at = earlier[-1].phoneme_end if earlier else 0
    head = Phonemes(phonemes.symbols[:at], tuple(earlier))
    rest = phonemes.symbols[at:].lstrip()
    moved = tuple(
        PhonemeWord(
            word.char_start - high, word.char_end - high,
            word.phoneme_start - len(phonemes.symbols) + len(rest),
            word.phoneme_end - len(phonemes.symbols) + len(rest),
        )
        for word in phonemes.words[len(earlier) :]
    )  # fmt: skip
    own = Phonemes(symbols, (PhonemeWord(0, high - low, 0, len(symbols)),))
    return _joined(_joined(head, own, low), Phonemes(rest, moved), high)


def _joined(before: Phonemes, after: Phonemes, char_start: int) -> Phonemes:
    """Two stretches as one; ``char_start`` is where the later one's text begins."""
    if not after.symbols:
        return before
    apart = bool(
        before.symbols
        and before.symbols[-1] not in _NO_SPACE_AFTER
        and after.symbols[0] not in _NO_SPACE_BEFORE
    )
    shift = len(before.symbols) + apart
    moved = tuple(
        PhonemeWord(
            word.char_start + char_start, word.char_end + char_start,
            word.phoneme_start + shift, word.phoneme_end + shift,
        )
        for word in after.words
    )  # fmt: skip
    return Phonemes(before.symbols + " " * apart + after.symbols, before.words + moved)
