"""The JavaScript client in a real browser, by what an application calls and is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.e2e.chromium import PROGRAMS, visitor
from tests.e2e.service import Served

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]

LOAD = """
async (options) => {
    Object.assign(window, await import("/client.js"));
    // So that a test can break it.
    const create = RTCPeerConnection.prototype.createDataChannel;
    RTCPeerConnection.prototype.createDataChannel = function (...rest) {
        return window.channel = create.apply(this, rest);
    };
    window.call = async (more = {}) => {
        window.peer = new VoicePeer({ language: "en", ...options, ...more });
        window.told = [];
        peer.on("notice", ({ code }) => told.push(code));
        peer.on("closed", ({ reason }) => told.push(reason));
        return peer.connect();
    };
    window.learn = async () => peer.enrol({ consent: "I agree that my voice is cloned." }).usable;
}
"""
"""What the tests of a page begin with."""


@pytest_asyncio.fixture(loop_scope="package")
async def page(browser: Browser, service: Served) -> AsyncIterator[Page]:
    """A page of the service that has the client, and whose user has clicked."""
    async with visitor(browser, deaf=True) as visiting:
        await visiting.page.goto(service.url)
        await visiting.page.mouse.click(2, 2)
        await visiting.page.evaluate(LOAD, {})
        yield visiting.page
        await visiting.page.evaluate("window.peer?.close()")
        assert visiting.complaints == []


async def _run(page: Page, body: str) -> Any:  # noqa: ANN401 - any JSON
    return await page.evaluate(f"async () => {{ {body} }}")


async def test_a_voice_is_learned_and_says_a_text_word_by_word(page: Page) -> None:
    told = await _run(
        page,
        """
        await call();
        const enrolment = peer.enrol({ consent: "I agree that my voice is cloned." });
        const shares = [];
        for await (const { share } of enrolment) shares.push(share);
        const voice = await enrolment.ready;
        const utterance = peer.speak("\\u{1F600} Hello there, this is my voice.");
        const audible = await utterance.audible;
        const { how, playedMs } = await utterance.finished;
        const words = [];
        for await (const { start, end } of utterance.words) {
            words.push(utterance.text.slice(start, end));
        }
        return { shares, voice, audible, how, playedMs, words };
        """,
    )
    assert told["shares"] == sorted(told["shares"])
    assert told["shares"][-1] > 0.9
    assert told["voice"]["heardS"] >= 5
    assert told["words"] == ["Hello", "there,", "this", "is", "my", "voice."]
    assert told["how"] == "done"
    assert told["playedMs"] > 500
    audible = told["audible"]
    assert audible["measured"]
    assert 0 < audible["serviceMs"] < audible["latencyMs"] < 5_000


async def test_a_text_that_is_still_being_written_is_said_and_can_be_silenced(page: Page) -> None:
    told = await _run(
        page,
        """
        await call({ microphone: false });
        const { voiceId } = await peer.voices.use((await peer.voices.list()).at(-1).id);
        async function* write(text, forever) {
            do {
                for (const word of text.split(/(?<= )/)) {
                    yield word;
                    await new Promise((done) => setTimeout(done, 20));
                }
            } while (forever);
        }
        const utterance = peer.speak(write("This is written while it is said."));
        const { how } = await utterance.finished;
        const words = [];
        for await (const { text } of utterance.words) words.push(text);
        const endless = peer.speak(write("On and on it goes. ", true));
        await endless.audible;
        endless.cancel();
        return { voiceId, how, words, end: await endless.finished, left: peer.utterances.length };
        """,
    )
    assert told["words"] == ["This", "is", "written", "while", "it", "is", "said."]
    assert (told["how"], told["end"]["how"], told["left"]) == ("done", "cancelled", 0)


async def test_voices_are_kept_renamed_carried_mixed_and_deleted(page: Page) -> None:
    told = await _run(
        page,
        """
        await call();
        await learn();
        // Calls of tests before this one have left voices, unnamed, for some minutes.
        const names = async () => (await peer.voices.list())
            .filter(({ kind, name }) => kind === "own" && name).map(({ name }) => name);
        const { voiceId } = await peer.voices.save("Jennifer");
        await peer.voices.rename(voiceId, "Jenny");
        const file = await peer.voices.export(voiceId);
        const copy = await peer.voices.import(file);
        const after = await names();
        const mixed = await peer.voices.mix({ [voiceId]: 0.5, [copy.id]: 0.5 });
        await peer.voices.delete(copy.id);
        const gone = await peer.voices.use(copy.id).catch((error) => error);
        await peer.voices.use(voiceId);
        const deleted = await peer.voices.withdraw(
            (await peer.voices.list()).find(({ id }) => id === voiceId).consentId);
        return {
            voiceId, after, mixed, deleted, copy, size: file.size, left: await names(),
            gone: [gone.code, gone.fault, gone.in("zh")],
        };
        """,
    )
    assert sorted(told["after"]) == ["Jenny", "Jenny (2)"]
    assert told["mixed"]["voiceId"].startswith("mix:")
    assert told["size"] > 100
    assert told["deleted"] == [told["voiceId"]]
    assert "Jenny" not in told["left"]
    assert told["gone"][:2] == ["voice_not_found", "user"]
    assert "声音" in told["gone"][2]


async def test_a_microphone_that_is_refused_can_come_later_without_another_connection(
    page: Page,
) -> None:
    told = await _run(
        page,
        """
        const { mediaDevices } = navigator;
        const ask = mediaDevices.getUserMedia.bind(mediaDevices);
        mediaDevices.getUserMedia = async () => { throw new DOMException("", "NotAllowedError"); };
        await call();
        const refused = [...window.told];
        await peer.voices.use((await peer.voices.list()).at(-1).id);
        const { how } = await peer.speak("I can speak all the same.").finished;
        const connection = peer.peerConnection;
        mediaDevices.getUserMedia = ask;
        const taken = await peer.microphone.start();
        const { heardS } = await learn();
        return { refused, how, taken, heardS, same: connection === peer.peerConnection };
        """,
    )
    assert told["refused"] == ["microphone.denied"]
    assert told["how"] == "done"
    assert told["taken"]
    assert told["same"]
    assert told["heardS"] >= 3


async def test_a_call_goes_on_after_a_reload(page: Page) -> None:
    voice_id = await _run(
        page,
        """
        let resume = null;
        addEventListener("pagehide", () => {
            sessionStorage.setItem("resume", JSON.stringify(resume));
            peer.detach();
        });
        window.keep = (one) => { resume = one; };
        await call();
        const { voiceId } = await learn();
        """
        # The token came before there was a listener: a later one replaces it.
        """
        peer.on("resumption", keep);
        channel.close();
        await peer.once("reconnected");
        return voiceId;
        """,
    )
    await page.reload()
    await page.mouse.click(2, 2)
    await page.evaluate(LOAD, {})
    told = await _run(
        page,
        """
        const resume = JSON.parse(sessionStorage.getItem("resume"));
        const { restored } = await call({ resume });
        const { how } = await peer.speak("Here I am again.").finished;
        return { restored, how, voice: await peer.request("voice.save", { name: "Reloaded" }) };
        """,
    )
    assert (told["restored"], told["how"]) == (True, "done")
    assert told["voice"]["voice_id"] == voice_id


async def test_a_lost_connection_comes_back_with_what_was_being_said(page: Page) -> None:
    told = await _run(
        page,
        """
        await call({ microphone: false });
        await peer.voices.use((await peer.voices.list()).at(-1).id);
        const long = peer.speak("This is a long text that is not lost. ".repeat(4));
        const next = peer.speak("Neither is this.");
        await long.audible;
        channel.close();
        const back = await peer.once("reconnected");
        const ends = [(await long.finished).how, (await next.finished).how];
        return { back, ends, told, track: peer.speech.track.readyState };
        """,
    )
    assert told["back"] == {"restored": True, "voiceLost": False}
    assert told["ends"] == ["done", "done"]
    assert told["told"] == ["connection.lost", "connection.back"]
    assert told["track"] == "live"


async def test_figures_and_devices_are_told(page: Page) -> None:
    told = await _run(
        page,
        """
        await call();
        await peer.stats();
        await new Promise((done) => setTimeout(done, 1500));
        return {
            stats: await peer.stats(), service: await peer.serviceStats(),
            ice: await peer.iceServers(),
            devices: await peer.devices(), device: peer.microphone.device,
            levels: [peer.microphone.dbfs, peer.speech.dbfs],
        };
        """,
    )
    stats = told["stats"]
    assert 0 <= stats["rttMs"] < 2_000
    assert stats["lossPercent"] == 0
    assert stats["playoutDelayMs"] > 0
    assert stats["sentBps"] > 1_000
    assert stats["relayed"] is False
    assert told["service"]["mic_frames"] > 10
    assert told["ice"] == []
    assert told["device"]["id"] in [one["id"] for one in told["devices"]["microphones"]]
    assert told["devices"]["canChooseOutput"]
    assert -120 < told["levels"][0] < 0
