"""What programs send to a bot that takes text from them."""

from __future__ import annotations

from tests.fuzz.target import parser
from voicepeer.core.messages import Accepted, Done, decode_client, encode_client
from voicepeer.core.text_feed import Refusal, TextFeed, decode, encode


class _Refused(Exception):
    """So that what a refusal says is looked at."""


def _give(data: bytes) -> None:
    feed = TextFeed()
    for line in data.decode("utf-8", "replace").split("\n"):
        answer = feed.read(line)
        if isinstance(answer, Refusal):
            assert decode(encode(answer)) == answer
            raise _Refused(answer.message)
        for asked in answer:
            assert decode_client(encode_client(asked)) == asked
            feed.tell(Accepted(utterance_id=asked.utterance_id, queued=0))
    assert len(feed.leave()) <= len(feed)
    feed.tell(Done(utterance_id="x", audio_ms=0, first_audible_ms=None, rtf=None, underruns=0))


TARGETS = (
    parser(
        "text_feed",
        _give,
        _Refused,
        (
            b"Hello there.",
            b'{"t":"utterance.append","utterance_id":"a","text":"Hel"}\n'
            b'{"t":"utterance.append","utterance_id":"a","text":"lo."}\n'
            b'{"t":"utterance.end","utterance_id":"a"}\n{"t":"utterance.cancel"}',
            b'{"t":"utterance.speak","utterance_id":"b","text":"x","speed":1.2,"ssml":true}',
        ),
        (b'{"t":"utterance.', b'"utterance_id":"*"', b'"text":', b"\n"),
    ),
)
