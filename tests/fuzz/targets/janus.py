"""What a Janus server may send to a bot, at each step of its stay."""

from __future__ import annotations

from tests.fuzz.target import parser
from voicepeer.core.janus import messages
from voicepeer.core.janus.dialogue import Dialogue, Ended
from voicepeer.core.janus.messages import BadJanusMessage
from voicepeer.core.janus.plugins import Entry

_STAY = (
    b'{"janus":"success","transaction":"1","data":{"id":11}}',
    b'{"janus":"success","session_id":11,"transaction":"2","data":{"id":22}}',
    b'{"janus":"event","session_id":11,"transaction":"3","sender":22,"plugindata":{"plugin":'
    b'"janus.plugin.videoroom","data":{"videoroom":"joined","room":1,"id":33,"publishers":[]}}}',
    b'{"janus":"event","session_id":11,"transaction":"4","sender":22,"plugindata":{"plugin":'
    b'"janus.plugin.videoroom","data":{"videoroom":"event","configured":"ok"}},"jsep":'
    b'{"type":"answer","sdp":"v=0\\r\\n"}}',
)
_UNASKED = (
    b'{"janus":"error","transaction":"1","error":{"code":403,"reason":"Unauthorized request"}}',
    b'{"janus":"event","session_id":11,"transaction":"3","sender":22,"plugindata":{"data":'
    b'{"videoroom":"event","error_code":430,"error":"Invalid element type (room should be a)"}}}',
    b'{"janus":"event","session_id":11,"sender":22,"plugindata":{"data":{"videoroom":"event",'
    b'"leaving":"ok","reason":"kicked"}}}',
    b'{"janus":"hangup","session_id":11,"sender":22,"reason":"ICE failed"}',
    b'{"janus":"timeout","session_id":11}',
)
_WORDS = (b'"janus"', b'"transaction"', b'"sender"', b'"plugindata"', b'"error_code"', b'"jsep"')


def _take(data: bytes) -> None:
    """Take one message in place of each of those of a stay; it ends, or goes on."""
    for at in range(len(_STAY) + 1):
        dialogue = Dialogue(Entry("videoroom", "1", "bot"), "v=0")
        dialogue.start(0.0)
        for message in _STAY[:at]:
            dialogue.take(message, 0.0)
        for step in [*dialogue.take(data, 0.0), *dialogue.leave(0.0), *dialogue.tick(60.0)]:
            if isinstance(step, Ended) and step.error is not None:
                assert str(step.error).isprintable()
                assert 0 < len(str(step.error)) < 1_000


TARGETS = (
    parser("janus", messages.read, BadJanusMessage, _STAY + _UNASKED, _WORDS),
    parser("janus_stay", _take, (), _STAY + _UNASKED, _WORDS),
)
