"""Messages of the data channel and of the signaling socket."""

from __future__ import annotations

from signaling import messages as signals
from tests.fuzz.target import parser
from voicepeer.core import messages
from voicepeer.core.errors import PeerSentBadMessage

_CLIENT = (
    b'{"label":"rtvi-ai","type":"client-ready","id":"1","data":{"version":"2.1.0"}}',
    b'{"label":"rtvi-ai","type":"send-text","id":"2","data":{"content":"Hello.","options":'
    b'{"run_immediately":true}}}',
    *(
        b'{"label":"rtvi-ai","type":"client-message","id":"3","data":{"t":"%b","d":%b}}' % one
        for one in (
            (b"utterance.speak", b'{"utterance_id":"u","text":"Hi.","speed":1.1,"ssml":true}'),
            (b"utterance.append", b'{"utterance_id":"u","text":"Hel","language":"en-us"}'),
            (b"utterance.cancel", b'{"utterance_id":"*"}'),
            (b"controls.set", b'{"utterance_id":"*","pauses":1.5,"emotion":"cheerful"}'),
            (b"lexicon.set", b'{"words":{"GIF":"/d\\u0292\\u026af/"},"voice_id":"v"}'),
            (b"enrol.start", b'{"consent":"I agree.","name":"Ada"}'),
            (b"voice.use", b'{"voice_id":"af_heart"}'),
            (b"session.configure", b'{"barge_in":true,"barge_in_min_ms":300}'),
            (b"ping", b'{"sent_ms":12.5}'),
        )
    ),
)
_SIGNALS = tuple(
    signals.encode(signal).encode()
    for signal in (
        signals.Join(room="r", name="Ada", client_id="c" * 16, token="t" * 16, resume=True),
        signals.Offer(sdp="v=0\r\no=- 1 2 IN IP4 0.0.0.0\r\n"),
        signals.Candidate(
            candidate="candidate:1 1 udp 1 192.0.2.1 9 typ host", sdp_mid="0", sdp_mline_index=0
        ),
        signals.Leave(),
        signals.Ping(),
    )
)
_WORDS = (b'"type"', b'"data"', b'"label"', b'"rtvi-ai"', b'"client-message"', b'"t"', b'"d"')

TARGETS = (
    parser("wire", messages.decode_client, PeerSentBadMessage, _CLIENT, _WORDS),
    parser("signals", signals.decode_client, signals.BadSignal, _SIGNALS, (b'"type"', b'"sdpMid"')),
)
