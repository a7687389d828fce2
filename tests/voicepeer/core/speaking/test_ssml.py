from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking.emotion import Recipe
from voicepeer.core.speaking.ssml import Item, Marked, Pause, Reader, Style, going_on, text_of

pytestmark = pytest.mark.unit


def items(markup: str, step: int | None = None) -> list[Item]:
    reader, found = Reader(), []
    size = step or max(1, len(markup))
    for at in range(0, len(markup), size):
        found += reader.feed(markup[at : at + size])
    return joined([*found, *reader.finish()])


def joined(found: list[Item]) -> list[Item]:
    """Neighbours of one style as one, as they come when they are not cut."""
    out: list[Item] = []
    for item in found:
        last = out[-1] if out else None
        if isinstance(item, Marked) and isinstance(last, Marked) and last.style == item.style:
            out[-1] = Marked(last.text + item.text, item.style)
        else:
            out.append(item)
    return out


def marked(markup: str) -> Marked:
    (found,) = (item for item in items(markup) if isinstance(item, Marked) and item.text.strip())
    return found


DOCUMENT = (
    '<speak version="1.1" xml:lang="en-GB"><p>Tom &amp; <sub alias="Jerry">J.</sub></p>'
    '<break time="250ms"/> <emphasis level="strong">now</emphasis> '
    '<say-as interpret-as="digits">42</say-as> '
    '<prosody rate="80%" volume="soft">slow <lang xml:lang="fr">mot</lang></prosody></speak>'
)


def test_plain_text_is_markup_without_marks() -> None:
    assert items("Hello there.") == [Marked("Hello there.", Style())]


def test_a_break_is_a_pause_between_texts() -> None:
    assert items('One.<break time="1.5s"/>Two.') == [
        Marked("One.", Style()),
        Pause(1500.0),
        Marked("Two.", Style()),
    ]


@pytest.mark.parametrize(
    ("element", "ms"),
    [
        ("<break/>", 400.0),
        ('<break strength="none"/>', 0.0),
        ('<break strength="x-strong"/>', 1200.0),
        ('<break time="0s"/>', 0.0),
        ('<break time="+.5s"/>', 500.0),
        ("<break time='300ms'></break>", 300.0),
    ],
)
def test_how_long_a_break_is(element: str, ms: float) -> None:
    assert items(f"a{element}b")[1] == Pause(ms)


def test_sub_and_phoneme_say_something_else_for_their_text() -> None:
    assert marked('<sub alias="World Wide Web">WWW</sub>').style.said == "World Wide Web"
    assert marked('<phoneme alphabet="ipa" ph="ˈeɪdə">Ada</phoneme>').style.ipa == "ˈeɪdə"
    first, second = items('<sub alias="x">a</sub><sub alias="x">b</sub>')
    assert first != second, "two elements are two readings"


@pytest.mark.parametrize(
    ("attributes", "recipe", "volume"),
    [
        ('rate="150%"', Recipe(speed=1.5), 1.0),
        ('rate="+50%"', Recipe(speed=1.5), 1.0),
        ('rate="0.5"', Recipe(speed=0.5), 1.0),
        ('rate="x-slow"', Recipe(speed=0.6), 1.0),
        ('pitch="+2st"', Recipe(pitch_semitones=2.0), 1.0),
        ('pitch="-50%"', Recipe(pitch_semitones=-12.0), 1.0),
        ('pitch="high"', Recipe(pitch_semitones=3.0), 1.0),
        ('range="x-high"', Recipe(pitch_range=1.8), 1.0),
        ('volume="+6.0206dB"', Recipe(), 2.0),
        ('volume="silent"', Recipe(), 0.0),
        ('volume="50%"', Recipe(), 0.5),
    ],
)
def test_what_prosody_means(attributes: str, recipe: Recipe, volume: float) -> None:
    style = marked(f"<prosody {attributes}>x</prosody>").style
    assert style.recipe == recipe
    assert style.volume == pytest.approx(volume, abs=1e-4)


def test_prosody_inside_of_prosody_adds_up() -> None:
    style = marked(
        '<prosody rate="50%"><prosody rate="50%" pitch="+1st">x</prosody></prosody>'
    ).style
    assert style.recipe == Recipe(speed=0.25, pitch_semitones=1.0)


@pytest.mark.parametrize("depth", [2, 3, 8])
def test_prosody_inside_of_prosody_stays_within_what_one_may_ask_for(depth: int) -> None:
    tag = '<prosody rate="x-fast" pitch="+10st" range="x-high" volume="x-loud">'
    style = marked(f"{tag * depth}x{'</prosody>' * depth}").style
    assert style.recipe.speed == pytest.approx(min(1.6**depth, 5.0))
    assert style.recipe.pitch_semitones == min(10.0 * depth, 24.0)
    assert style.recipe.pitch_range == pytest.approx(min(1.8**depth, 4.0))
    assert style.volume == pytest.approx(min(1.5**depth, 4.0))


@pytest.mark.parametrize("start", ["\ufeff", " \n", "\ufeff\n  ", ""])
@pytest.mark.parametrize(
    "document", ["<speak>hi <s>you</s></speak>", "<?xml version='1.0'?>\n<speak>hi</speak>", "hi"]
)
def test_what_is_before_the_first_element_does_not_matter(start: str, document: str) -> None:
    spoken = [
        item for item in items(start + document) if item != Marked(start.lstrip("\ufeff"), Style())
    ]
    assert "".join(item.text for item in spoken if isinstance(item, Marked)).lstrip() == "".join(
        item.text for item in items(document) if isinstance(item, Marked)
    )
    assert items(start + document, 1) == items(start + document)


def test_say_as_keeps_what_its_text_is_for_the_language_of_the_utterance() -> None:
    style = marked('<say-as interpret-as="Date" format="dmy">3/4/21</say-as>').style
    assert style.interpretation == "date:dmy"
    assert style.says
    with pytest.raises(TextRejected, match="column 1: interpret-as can be .*, not 'expletive'"):
        items('<say-as interpret-as="expletive">x</say-as>')


def test_languages_are_inherited_and_end_with_their_element() -> None:
    found = items('<speak xml:lang="en-GB">a <lang xml:lang="FR">b</lang> c</speak>')
    assert [(item.text, item.style.language) for item in found if isinstance(item, Marked)] == [
        ("a ", "en-gb"),
        ("b", "fr"),
        (" c", "en-gb"),
    ]


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_where_deltas_are_cut_makes_no_difference(step: int) -> None:
    assert items(DOCUMENT, step) == items(DOCUMENT)


def test_every_cut_position_gives_the_same() -> None:
    expected = items(DOCUMENT)
    for cut in range(len(DOCUMENT)):
        reader = Reader()
        found = [*reader.feed(DOCUMENT[:cut]), *reader.feed(DOCUMENT[cut:]), *reader.finish()]
        assert joined(found) == expected


def test_text_is_given_as_soon_as_it_is_there() -> None:
    reader = Reader()
    assert reader.feed("Hello") == [Marked("Hello", Style())]
    assert reader.feed(" <emph") == [Marked(" ", Style())]


def test_a_whole_document_may_have_a_declaration_and_blanks() -> None:
    assert text_of(' \n<?xml version="1.0"?>\n<speak>Hi.</speak>\n') == "Hi."


BAD = [
    ("a <b>c</b>", "line 1, column 3: <b> is not known here"),
    ("one\ntwo <sub>x</sub>", "line 2, column 5: <sub> needs the attribute 'alias'"),
    ("1 < 2", "line 1, column 4: not well-formed"),
    ("a & b", "line 1, column 4: not well-formed"),
    ("<emphasis>a", "mismatched tag"),
    ("<speak>a", "no element found|unclosed token|mismatched"),
    ("<speak>a</speak>b", "junk after document element"),
    ("<speak><speak>a</speak></speak>", "<speak> inside of <speak>"),
    ("<break time='5'/>", "a break's time is like"),
    ("<break time='11s'/>", "a break may last 10 s"),
    ("<break strength='huge'/>", "strength can be none, x-weak"),
    ("<break>a</break>", "<break> holds no text"),
    ("<emphasis level='a lot'>x</emphasis>", "level can be strong"),
    ("<prosody rate='-200%'>x</prosody>", "rate '-200%' is out of range"),
    ("<prosody rate='fastest'>x</prosody>", "rate cannot be 'fastest'"),
    ("<prosody volume='nan'>x</prosody>", "volume cannot be 'nan'"),
    ("<prosody pitch='100Hz'>x</prosody>", "pitch is like"),
    ("<prosody pitch='-100%'>x</prosody>", "pitch '-100%' is out of range"),
    ("<prosody contour='x'>x</prosody>", "<prosody> has no 'contour'"),
    ("<say-as>x</say-as>", "needs the attribute 'interpret-as'"),
    ("<say-as interpret-as='poem'>x</say-as>", "interpret-as can be address"),
    ("<phoneme alphabet='x-sampa' ph='a'>x</phoneme>", "in the alphabet 'ipa' only"),
    ("<sub alias='x'><emphasis>y</emphasis></sub>", "<emphasis> cannot stand inside of <sub>"),
    ("<sub alias='x'/>", "<sub> is empty"),
    ("<phoneme ph='x'> </phoneme>", "<phoneme> is empty"),
    ("<phoneme ph='K9'>x</phoneme>", "ph has 'K', which is no symbol of the IPA"),
    ("a <phoneme ph='你'>x</phoneme>", "ph has '你', which is no symbol of the IPA"),
    ("<speak>a<?evil?></speak>", "processing instructions"),
    ("<!-- never closed", "unclosed token"),
    ("<audio src='http://example.com/a.wav'/>", "<audio> is not known here"),
    ("<?evil?>x", "processing instructions"),
    ("<p>" * 20, "nested 16 deep"),
    (f"<sub alias='{'x' * 600}'>y</sub>", "512 characters"),
    ("\ud800", "half a character"),
    ("a\x00b", "not well-formed"),
    ("<speak>&nbsp;</speak>", "undefined entity"),
]


@pytest.mark.parametrize(("markup", "complaint"), BAD)
@pytest.mark.parametrize("step", [None, 1])
def test_bad_markup_is_refused_with_its_position(
    markup: str, complaint: str, step: int | None
) -> None:
    with pytest.raises(TextRejected, match=complaint):
        items(markup, step)


BILLION = (
    "<!DOCTYPE speak [<!ENTITY a 'lol'>"
    + "".join(f"<!ENTITY {chr(98 + i)} '{f'&{chr(97 + i)};' * 10}'>" for i in range(9))
    + "]><speak>&j;</speak>"
)


@pytest.mark.parametrize(
    "markup", [BILLION, '<!DOCTYPE speak SYSTEM "file:///etc/passwd"><speak>a</speak>']
)
def test_no_entity_is_ever_expanded_or_fetched(markup: str) -> None:
    started = time.process_time()
    with pytest.raises(TextRejected, match="document type is not allowed"):
        items(markup)
    assert time.process_time() - started < 5.0


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<break/>", "a ", "&amp;", "<sub alias='b'>", "</sub>", "</", "<",
             "<speak>", "</speak>", "<!--", "-->", "<![CDATA[", "]]>", "é", "😊", "\n", '"']
        ),
        max_size=15,
    ),
    st.integers(1, 9),
)  # fmt: skip
def test_any_markup_is_read_or_refused_and_tags_are_never_text(parts: list[str], step: int) -> None:
    markup = "".join(parts)
    with contextlib.suppress(TextRejected):
        found = items(markup, step)
        if "CDATA" not in markup:
            text = "".join(item.text for item in found if isinstance(item, Marked))
            assert "<" not in text


@pytest.mark.parametrize("cut", range(len(DOCUMENT) + 1))
def test_markup_can_go_on_after_any_part_that_was_heard(cut: int) -> None:
    whole = text_of(DOCUMENT)
    sent, later = DOCUMENT[:cut], DOCUMENT[cut:]
    with contextlib.suppress(TextRejected):
        heard = len("".join(i.text for i in Reader().feed(sent) if isinstance(i, Marked))) // 2
        if sent.rfind("<") <= sent.rfind(">") and sent.rfind("&") <= sent.rfind(";"):
            assert text_of(going_on(sent, heard) + later).endswith(whole[heard:][-10:])


def test_going_on_opens_what_was_open() -> None:
    assert going_on('<speak>a <prosody rate="50%">b &amp; c', 2) == (
        '<speak><prosody rate="50%">b &amp; c'
    )
    assert going_on("<emphasis>a", 1) == "<emphasis>"
    assert going_on("a <emphasis>b</emphasis>", 0) == "a b"


@pytest.mark.parametrize("step", [1, 7, 1_000])
@pytest.mark.parametrize(
    "before",
    [
        "<!-- made by a tool -->",
        "<!-- one --> <!-- <speak> -->\n",
        "<?style sheet?>",
        "<?xml-stylesheet href='x'?><!-- c -->",
        "<?xml version='1.0'?><!-- c --><?style sheet?>\n",
    ],
)
def test_comments_and_instructions_may_come_before_the_markup(before: str, step: int) -> None:
    markup = f"{before}<speak>said <!-- not this --><s>too</s></speak>"
    reader = Reader()
    items = [
        item for at in range(0, len(markup), step) for item in reader.feed(markup[at : at + step])
    ]
    items += reader.finish()
    assert "".join(item.text for item in items if isinstance(item, Marked)) == "said too"


def test_a_comment_may_come_before_text_without_speak_around_it() -> None:
    assert text_of("<!-- c --> said <s>too</s>").strip() == "said too"
