"""What browsers offer is answered right, line by line, and so is what is odder than any of them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiortc.mediastreams import AudioStreamTrack

from signaling.sessions import Purpose, SessionRefused
from tests.peers.leaks import nothing_left_behind
from tests.voicepeer import offers
from voicepeer import rtc
from voicepeer.core.sdp import BadDescription
from voicepeer.negotiation import Negotiation

pytestmark = pytest.mark.peer

CHROMIUM = offers.offer_of("chromium_call")
USED = {
    "chromium_call": [0, 1],
    "chromium_simulcast": [1, 3],
    "firefox_call": [0, 1],
    "firefox_camera": [0, 2],
    "safari_call": [0, 1],
    "safari_legacy_call": [0, 2],
    "firefox_listen": [0],
}
"""Sections that the answer takes; the others are rejected."""

PAYLOAD_TYPE = {"firefox_call": "109", "firefox_camera": "109", "firefox_listen": "109"}
REVERSED = {"sendrecv": "sendrecv", "sendonly": "recvonly", "recvonly": "sendonly"}


@asynccontextmanager
async def negotiation(purpose: Purpose = "call") -> AsyncIterator[Negotiation]:
    """One that is closed, and must leave nothing, at the end."""
    rtc.install_patches()
    async with nothing_left_behind():
        track = AudioStreamTrack()
        one = Negotiation([], track, lambda peer: None, lambda audio: None, purpose)
        try:
            yield one
        finally:
            await one.close()
            track.stop()


async def test_only_a_connection_that_was_made_can_be_lost() -> None:
    rtc.install_patches()
    lost: list[bool] = []
    async with nothing_left_behind():
        track = AudioStreamTrack()
        one = Negotiation(
            [], track, lambda peer: None, lambda audio: None, on_lost=lambda: lost.append(True)
        )
        with pytest.raises(SessionRefused):
            await one.answer(CHROMIUM.replace("opus/48000", "none/48000"))
        assert lost == []
        await one.answer(CHROMIUM)
        assert not one.connected
        await one.close()
        track.stop()
    assert lost == [True]


async def answered(offer: str, purpose: Purpose = "call") -> str:
    """The answer to a first offer."""
    async with negotiation(purpose) as one:
        return await one.answer(offer)


async def refusal(offer: str, purpose: Purpose = "call") -> tuple[str, str]:
    """Code and message with which an offer is refused."""
    async with negotiation(purpose) as one:
        with pytest.raises(SessionRefused) as refused:
            await one.answer(offer)
    return refused.value.code, str(refused.value)


def check(offer: str, answer: str, used: list[int], payload_type: str = "111") -> None:
    """Compare an answer with its offer by RFC 3264, RFC 8829 section 5.3.1 and RFC 9143."""
    (_, *asked), (session, *given) = offers.sections(offer), offers.sections(answer)
    assert len(given) == len(asked)
    mids = [offers.values(lines, "mid") for lines in asked]
    assert [offers.values(lines, "mid") for lines in given] == mids
    idle = [] if 0 in used or not offers.values(session, "group") else [0]
    idle = [at for at in idle if f"a=group:BUNDLE {mids[0][0]} " in offer]
    bundle = [mid for at in [*idle, *used] for mid in mids[at]]
    assert offers.values(session, "group") == [f"BUNDLE {' '.join(bundle)}"]
    for at, (wanted, said) in enumerate(zip(asked, given, strict=True)):
        kind, port, protocol, *formats = said[0][2:].split()
        assert [kind, protocol] == [wanted[0][2:].split()[0], wanted[0].split()[2]]
        if at in idle:
            _check_transport(said)
            assert {"a=inactive", "a=rtcp-mux"} <= set(said)
            continue
        if at not in used:
            assert port == "0"
            assert not offers.values(said, "candidate")
            continue
        assert port != "0"
        _check_transport(said)
        if kind == "audio":
            assert formats == [payload_type]
            _check_audio(wanted, said, payload_type)
        else:
            assert formats == wanted[0].split()[3:]


def _check_transport(said: list[str]) -> None:
    assert len(offers.values(said, "ice-ufrag")) == len(offers.values(said, "ice-pwd")) == 1
    assert {value.split()[0] for value in offers.values(said, "fingerprint")} >= {"sha-256"}
    assert offers.values(said, "setup") == ["active"]
    assert offers.values(said, "candidate")
    assert "a=end-of-candidates" in said


def _check_audio(wanted: list[str], said: list[str], payload_type: str) -> None:
    assert offers.values(said, "rtpmap") == [f"{payload_type} opus/48000/2"]
    (parameters,) = offers.values(said, "fmtp")
    assert "useinbandfec=1" in parameters
    assert "a=rtcp-mux" in said
    offered = {value.replace("/recvonly", "") for value in offers.values(wanted, "extmap")}
    assert set(offers.values(said, "extmap")) <= offered
    asked_for = next(name for name in REVERSED if f"a={name}" in wanted)
    assert f"a={REVERSED[asked_for]}" in said


@pytest.mark.parametrize("name", offers.CALLS)
async def test_a_browsers_call_is_answered_line_by_line(name: str) -> None:
    offer = offers.offer_of(name)
    check(offer, await answered(offer), USED[name], PAYLOAD_TYPE.get(name, "111"))


@pytest.mark.parametrize("name", offers.ALL)
async def test_whoever_only_listens_gets_audio_that_is_only_sent(name: str) -> None:
    offer = offers.offer_of(name)
    if name == "chromium_simulcast":
        offer = offer.replace("a=sendonly", "a=recvonly", 1)
    answer = await answered(offer, "listen")
    heard = USED[name][:1]
    media = offers.sections(answer)[1:]
    assert [at for at, lines in enumerate(media) if "a=sendonly" in lines] == heard
    assert all(
        " 0 " in lines[0] or "a=inactive" in lines
        for at, lines in enumerate(media)
        if at not in heard
    )
    assert "a=sendonly" in offers.sections(answer)[heard[0] + 1]
    assert not {"a=sendrecv", "a=recvonly"} & set(answer.splitlines())


@pytest.mark.parametrize("name", ["chromium_call", "firefox_call", "safari_call"])
async def test_whoever_only_publishes_gets_audio_that_is_only_received(name: str) -> None:
    offer = offers.without(offers.offer_of(name), "application")
    for given in (offer, offer.replace("a=sendrecv", "a=sendonly")):
        answer = await answered(given, "publish")
        assert answer.count("a=recvonly") == 1
        assert not {"a=sendrecv", "a=sendonly"} & set(answer.splitlines())


@pytest.mark.parametrize("name", offers.ALL)
async def test_lines_may_end_in_lf(name: str) -> None:
    offer = offers.offer_of(name)
    purpose: Purpose = "call" if name in offers.CALLS else "listen"
    answer = await answered(offer.replace("\r\n", "\n"), purpose)
    assert answer.count("m=") == offer.count("m=")
    assert answer.count("\r\n") == answer.count("\n")


# --- odd ones -----------------------------------------------------------------------------------


def bundle_only(offer: str) -> str:
    """All but the first section without a port and a transport of its own (RFC 9143, 7.2.1)."""
    session, first, *others = offers.sections(offer)
    bare = []
    for lines in others:
        kind, _, rest = lines[0].split(" ", 2)
        kept = [
            line for line in lines[1:] if not line.startswith(("a=ice-", "a=finger", "a=setup"))
        ]
        kept = [line for line in kept if not line.startswith("a=candidate")]
        bare.append([f"{kind} 0 {rest}", *kept, "a=bundle-only"])
    return "".join(f"{line}\r\n" for lines in [session, first, *bare] for line in lines)


ODD = {
    "no ssrc": offers.drop(CHROMIUM, "a=ssrc:.*"),
    "no candidates": offers.drop(CHROMIUM, "a=candidate:.*"),
    "another payload type": CHROMIUM.replace("111", "96"),
    "opus with a capital": CHROMIUM.replace("opus/48000/2", "OPUS/48000/2"),
    "no rtcp line": offers.drop(CHROMIUM, "a=rtcp:.*"),
    "no directions": offers.drop(CHROMIUM, "a=sendrecv"),
    "ice2": CHROMIUM.replace("a=ice-options:trickle", "a=ice-options:trickle ice2 renomination"),
    "no ice options": offers.drop(CHROMIUM, "a=ice-options:.*"),
    "ice-lite": CHROMIUM.replace("a=extmap-allow-mixed", "a=ice-lite"),
    "no extensions": offers.drop(CHROMIUM, "a=extmap.*"),
    "extensions with parameters": CHROMIUM.replace("sdes:mid", "sdes:mid with parameters"),
    "bundle only": bundle_only(CHROMIUM),
    "unknown attributes": CHROMIUM.replace("a=mid:0", "a=mid:0\r\na=x-odd:1 2 3\r\na=\r\nb=AS:30"),
    "a malformed candidate": CHROMIUM.replace("a=candidate:1736659410 1", "a=candidate:x y"),
    "end of candidates": CHROMIUM.replace("a=mid:0", "a=end-of-candidates\r\na=mid:0"),
    "a second Opus": CHROMIUM.replace(
        "111 63 9", "111 112 63 9"
    ).replace("a=rtpmap:63", "a=rtpmap:112 multiopus/48000/6\r\na=rtpmap:63"),
}  # fmt: skip


@pytest.mark.parametrize("oddity", ODD)
async def test_odd_offers_are_answered(oddity: str) -> None:
    offer = ODD[oddity]
    answer = await answered(offer)
    if oddity == "no directions":
        offer = CHROMIUM
    if oddity == "opus with a capital":
        answer = answer.replace("OPUS", "opus")
    check(offer, answer, [0, 1], "96" if oddity == "another payload type" else "111")


async def test_text_alone_is_answered() -> None:
    offer = offers.without(CHROMIUM, "audio")
    check(offer, await answered(offer), [0])


async def test_video_instead_of_audio_is_rejected_and_text_is_left() -> None:
    offer = CHROMIUM.replace("m=audio", "m=video")
    check(offer, await answered(offer), [1])


@pytest.mark.parametrize("kind", ["text", "message", "image"])
async def test_sections_of_any_kind_are_rejected(kind: str) -> None:
    offer = CHROMIUM + f"m={kind} 9 UDP/TLS/XYZ *\r\nc=IN IP6 ::\r\na=mid:t\r\n"
    answer = await answered(offer)
    assert offers.sections(answer)[3][0] == f"m={kind} 0 UDP/TLS/XYZ *"
    check(offer, answer, [0, 1])


async def test_the_first_audio_that_is_in_use_is_taken() -> None:
    session, audio, data = offers.sections(CHROMIUM)
    idle = [line.replace("a=sendrecv", "a=inactive").replace("mid:0", "mid:9") for line in audio]
    session = [line.replace("BUNDLE 0 1", "BUNDLE 9 0 1") for line in session]
    offer = "".join(f"{line}\r\n" for lines in [session, idle, audio, data] for line in lines)
    check(offer, await answered(offer), [1, 2])


@pytest.mark.parametrize(("offered", "said"), [*REVERSED.items(), ("inactive", "inactive")])
async def test_directions_are_turned_around(offered: str, said: str) -> None:
    answer = await answered(CHROMIUM.replace("a=sendrecv", f"a={offered}"))
    assert f"a={said}" in offers.sections(answer)[1]


@pytest.mark.parametrize(
    ("offered", "said"), [("actpass", "active"), ("active", "passive"), ("passive", "active")]
)
async def test_whoever_begins_the_handshake_is_agreed(offered: str, said: str) -> None:
    answer = await answered(CHROMIUM.replace("a=setup:actpass", f"a=setup:{offered}"))
    assert [offers.values(lines, "setup") for lines in offers.sections(answer)[1:]] == [[said]] * 2


async def test_without_a_bundle_there_are_two_transports_and_no_group() -> None:
    offer = offers.drop(CHROMIUM, "a=group:.*")
    answer = await answered(offer)
    session, audio, data = offers.sections(answer)
    assert not offers.values(session, "group")
    assert set(offers.values(audio, "candidate")) & set(offers.values(data, "candidate")) == set()


@pytest.mark.parametrize("protocol", ["RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/TLS/RTP/SAVPF"])
async def test_the_answer_names_the_protocol_as_the_offer_does(protocol: str) -> None:
    offer = CHROMIUM.replace("UDP/TLS/RTP/SAVPF", protocol)
    check(offer, await answered(offer), [0, 1])


@pytest.mark.parametrize(
    ("offer", "code", "says"),
    [
        ("", "bad_sdp", "v=0"),
        ("v=0\r\nm=audio x y\r\n", "bad_sdp", "media line"),
        ("v=0\r\n" + "m=audio 9 RTP/AVP 0\r\n" * 65, "bad_sdp", "64 sections"),
        ("v=0\r\n" + "a=x\r\n" * 10_001, "bad_sdp", "too long"),
        ("v=0\r\na=\x00\r\n", "bad_sdp", "not text"),
        ("v=0\r\n", "not_acceptable", "data channel"),
        (offers.without(CHROMIUM, "application"), "not_acceptable", "data channel"),
        (CHROMIUM.replace("opus/48000/2", "opal/48000/2"), "not_acceptable", "Opus"),
        (CHROMIUM.replace("opus/48000/2", "opus/48000"), "not_acceptable", "Opus"),
        (offers.drop(CHROMIUM, "a=rtcp-mux"), "bad_sdp", "rtcp-mux"),
        (offers.drop(CHROMIUM, "a=fingerprint.*"), "bad_fingerprint", "fingerprint"),
        (CHROMIUM.replace("fingerprint:sha-256 ", "fingerprint:sha-256"), "bad_fingerprint", "hex"),
        (offers.drop(CHROMIUM, "a=ice-ufrag.*"), "bad_ice", "ICE user name"),
        (re.sub("a=ice-pwd:.*", "a=ice-pwd:short", CHROMIUM), "bad_ice", "22 to 256"),
        (offers.drop(CHROMIUM, "a=setup.*"), "bad_setup", "actpass"),
        (CHROMIUM.replace("a=setup:actpass", "a=setup:holdconn"), "bad_setup", "actpass"),
        (CHROMIUM.replace("a=setup:actpass", "a=setup:'x'"), "bad_setup", "actpass"),
        (CHROMIUM.replace("a=mid:1", "a=mid:0"), "bad_sdp", "same a=mid"),
    ],
)
async def test_what_cannot_be_answered_is_refused_with_the_reason(
    offer: str, code: str, says: str
) -> None:
    found, message = await refusal(offer)
    assert (found, says in message) == (code, True), message


async def test_aiortcs_own_words_stay_inside(caplog: pytest.LogCaptureFixture) -> None:
    peer = rtc.new_peer()
    try:
        with pytest.raises(BadDescription) as caught:
            await rtc.apply_offer(peer, "v=0\r\nm=secret 9 X 0\r\na=setup:secret\r\n")
    finally:
        await rtc.close_peer(peer)
    assert str(caught.value) == "the offer cannot be used: something in it is malformed"
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("name", "change", "purpose", "says"),
    [
        ("chromium_call", ("", ""), "publish", "leave out"),
        ("firefox_listen", ("a=recvonly", "a=sendonly"), "publish", "leave out"),
        ("firefox_listen", ("", ""), "publish", "must be sendonly"),
        ("chromium_call", ("a=sendrecv", "a=inactive"), "publish", "must be sendonly"),
        ("chromium_call", ("a=sendrecv", "a=sendonly"), "listen", "must be recvonly"),
        ("chromium_call", ("m=audio", "m=video"), "listen", "no audio"),
    ],
)
async def test_one_way_offers_have_to_be_one_way(
    name: str, change: tuple[str, str], purpose: Purpose, says: str
) -> None:
    code, message = await refusal(offers.offer_of(name).replace(*change), purpose)
    assert (code, says in message) == ("not_acceptable", True), message
