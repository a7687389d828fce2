/** A call that loses its socket, its connection or its service, and comes back. */

import { describe, expect, it, test, vi } from "vitest";
import { browser, call, fakeBrowser, of, pass } from "./kit/browser.js";
import type { FakePeerConnection, FakeSocket } from "./kit/service.js";

fakeBrowser();

/** How a call can be lost. */
const LOSSES: Array<[string, (far: { socket: FakeSocket; pc: FakePeerConnection }) => void]> = [
  ["the data channel is closed", ({ pc }) => pc.channel.break()],
  ["the connection fails", ({ pc }) => pc.become("failed")],
  ["the service says that it lost us", ({ socket }) => socket.say({ type: "bye", reason: "client_vanished" })],
  ["the service shuts down", ({ socket }) => socket.say({ type: "bye", reason: "shutting_down" })],
];

describe("a lost connection", () => {
  test.each(LOSSES)("is made anew when %s, and the session goes on", async (_, lose) => {
    const { peer, told } = await call();
    const { service } = browser;
    lose(service);
    expect(peer.state).toBe("interrupted");
    await pass(1_000);
    expect(of(told, "state")).toEqual(["connecting", "connected", "interrupted", "connected"]);
    expect(service.joins[1]).toMatchObject({ resume_token: "t1", client_id: service.joins[0]?.["client_id"] });
    expect(service.connections.length).toBe(2);
    expect(of(told, "reconnected")).toEqual([{ restored: true, voiceLost: false }]);
    expect(of(told, "notice").map(({ code }) => code)).toEqual(["connection.lost", "connection.back"]);
    expect(of(told, "resumption").at(-1)).toMatchObject({ token: "t2" });
    expect(peer.sessionId).toBe("s2");
  });

  it("is noticed when nothing comes back any more", async () => {
    const { peer } = await call();
    browser.service.message = () => undefined;
    await pass(10_000);
    expect(peer.state).toBe("connected");
    await pass(1_000);
    expect(peer.state).toBe("interrupted");
  });

  it("is kept alive by answers to our pings alone", async () => {
    const { peer } = await call();
    await pass(60_000);
    expect(peer.state).toBe("connected");
    expect(browser.service.got("ping").length).toBeGreaterThanOrEqual(59);
  });

  it("is waited for while media has only stopped", async () => {
    const { peer, told } = await call();
    browser.service.pc.become("disconnected");
    expect(peer.state).toBe("interrupted");
    browser.service.pc.become("connected");
    expect(peer.state).toBe("connected");
    await pass(5_000);
    expect(browser.service.connections.length).toBe(1);
    expect(of(told, "reconnected")).toEqual([]);
  });

  it("is tried for again until the service is back, and what is asked meanwhile waits", async () => {
    const { peer, told } = await call();
    const { service } = browser;
    service.reachable = false;
    service.channel.break();
    await pass(100);
    const asked = peer.control({ speed: 2 });
    const utterance = peer.speak("Meanwhile.");
    await pass(20_000);
    expect(service.got("controls.set")).toEqual([]);
    service.reachable = true;
    service.ready = { utterances: [] };
    await pass(6_000);
    await asked;
    expect(service.got("controls.set")).toEqual([{ speed: 2 }]);
    expect(service.got("utterance.speak")).toEqual([{ utterance_id: utterance.id, text: "Meanwhile." }]);
    expect(utterance.isOver).toBe(false);
    expect(of(told, "reconnected").length).toBe(1);
  });

  it("is tried for again also where the token's source is out of reach", async () => {
    let there = true;
    const token = async () => { if (there) return "a key"; throw new TypeError("Failed to fetch"); };
    const { peer } = await call({ token });
    there = false;
    browser.service.channel.break();
    await pass(5_000);
    expect(peer.state).toBe("interrupted");
    there = true;
    await pass(6_000);
    expect(peer.state).toBe("connected");
  });

  it("is given up after a minute", async () => {
    const { peer, told } = await call();
    browser.service.reachable = false;
    browser.service.channel.break();
    const asked = expect(peer.control({ speed: 2 })).rejects.toMatchObject({ code: "connection_lost" });
    await pass(59_000);
    expect(peer.state).toBe("interrupted");
    await pass(10_000);
    await asked;
    expect(of(told, "closed")).toEqual([expect.objectContaining({ reason: "channel_closed", fault: "network" })]);
    expect(browser.service.sockets.length).toBeGreaterThan(10);
    await pass(60_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is given up at once where the service refuses for good", async () => {
    const { told } = await call();
    browser.service.onJoin = () => ({ type: "error", code: "unauthorized", message: "expired", fatal: true });
    browser.service.channel.break();
    await pass(1_000);
    expect(of(told, "closed")).toEqual([expect.objectContaining({ reason: "unauthorized" })]);
  });

  it("is given up with the service's reason where a fetched token is refused", async () => {
    const { told } = await call({ token: async () => "a.b.c" });
    browser.service.onJoin = () => ({ type: "error", code: "unauthorized", message: "it has expired", fatal: true });
    browser.service.channel.break();
    await pass(1_000);
    expect(of(told, "closed")).toEqual([
      { reason: "token_refused", fault: "service", message: expect.stringMatching(/: it has expired$/) }]);
  });

  it("is given up where every new one is lost at once", async () => {
    const { told } = await call();
    for (let round = 0; round < 8; round += 1) {
      browser.service.channel.break();
      await pass(700);
    }
    expect(of(told, "closed").length).toBe(1);
  });

  it("is not made anew after hanging up in between", async () => {
    const { peer, told } = await call();
    browser.service.channel.break();
    peer.close();
    await pass(10_000);
    expect(browser.service.sockets.length).toBe(1);
    expect(of(told, "closed")).toEqual([expect.objectContaining({ reason: "client_left" })]);
  });

  test.each(["replaced", "resumed_elsewhere", "ended_by_operator", "internal"])("is not made anew after %s", async (reason) => {
    const { told } = await call();
    browser.service.socket.say({ type: "bye", reason });
    await pass(10_000);
    expect(browser.service.sockets.length).toBe(1);
    expect(of(told, "closed")).toEqual([expect.objectContaining({ reason })]);
  });

  it("is not made anew where another tab has it, which is told last", async () => {
    const { told } = await call();
    browser.service.channel.break();
    await pass(200);
    browser.service.socket.say({ type: "bye", reason: "replaced" });
    await pass(10_000);
    expect(browser.service.sockets.length).toBe(1);
    expect(of(told, "closed")).toEqual([expect.objectContaining({ reason: "replaced", message: expect.stringMatching(/another tab/) })]);
  });

  it("gives the new one the microphone, and the voice to the track that others have", async () => {
    const { peer, told } = await call();
    const lasting = peer.speech.track;
    const first = peer.speech.remoteTrack;
    browser.service.channel.break();
    await pass(1_000);
    expect(browser.service.pc.sentTracks).toEqual([browser.devices.opened[0]]);
    expect(browser.devices.opened.length).toBe(1);
    expect(peer.speech.track).toBe(lasting);
    expect(peer.speech.remoteTrack).not.toBe(first);
    expect(of(told, "track").length).toBe(2);
  });
});

describe("what goes on after a loss", () => {
  it("is said by the service, the rest is lost", async () => {
    const { peer } = await call();
    const { service } = browser;
    const [kept, gone, unsent] = [peer.speak("One."), peer.speak("Two."), peer.open()];
    service.ready = { resumed: true, utterances: [kept.id] };
    service.channel.break();
    await pass(1_000);
    expect(await gone.finished).toMatchObject({ how: "lost" });
    expect([kept.isOver, unsent.isOver]).toEqual([false, false]);
    service.channel.tell("utterance.done",
      { utterance_id: kept.id, audio_ms: 900, first_audible_ms: 100, rtf: 0.1, underruns: 0 });
    await pass(1_000);
    expect(await kept.finished).toMatchObject({ how: "done", playedMs: 900 });
    unsent.append("Three.");
    await pass();
    expect(service.got("utterance.append")).toEqual([{ utterance_id: unsent.id, text: "Three." }]);
  });

  it("is a learning that was cut off, from its beginning", async () => {
    const { peer } = await call();
    const enrolment = peer.enrol({ consent: "I agree." });
    await pass();
    browser.service.channel.break();
    await pass(1_000);
    expect(browser.service.got("enrol.start")).toEqual([{ consent: "I agree." }, { consent: "I agree." }]);
    expect(enrolment.isOver).toBe(false);
  });

  it("is a voice that was usable already, as it was", async () => {
    const { peer } = await call();
    const enrolment = peer.enrol({ consent: "I agree." });
    await pass();
    const { channel } = browser.service;
    channel.tell("voice.usable", { voice_id: "v", heard_s: 3, score: 0.9, quality: 0.8, elapsed_ms: 3200 });
    channel.break();
    await pass(1_000);
    expect(browser.service.got("enrol.start").length).toBe(1);
    expect(await enrolment.ready).toMatchObject({ voiceId: "v", heardS: 3 });
  });

  it("are the settings, where the service has forgotten the call", async () => {
    const { service } = browser;
    service.answers["session.configure"] = () => ({ barge_in: true, barge_in_min_ms: 300 });
    service.answers["voice.use"] = () => ({ voice_id: "v", name: "Ada" });
    const { peer, told } = await call();
    await Promise.all([peer.control({ speed: 2 }), peer.configure({ barge_in: true }), peer.voices.use("v"), pass()]);
    const utterance = peer.speak("Hello.");
    service.onJoin = () => ({ restored: false });
    service.channel.break();
    await pass(1_000);
    expect(of(told, "reconnected")).toEqual([{ restored: false, voiceLost: false }]);
    expect(of(told, "notice").at(-1)?.code).toBe("connection.new");
    expect(await utterance.finished).toMatchObject({ how: "lost" });
    const again = service.messages.slice(service.messages.map(({ name }) => name).lastIndexOf("client-ready") + 1);
    expect(again.map(({ name, fields }) => [name, fields])).toEqual([
      ["controls.set", { speed: 2 }], ["session.configure", { barge_in: true }], ["voice.use", { voice_id: "v" }],
    ]);
  });

  it("is not a voice that was learned in a call that is forgotten, unless it was saved", async () => {
    const { service } = browser;
    service.answers["voice.save"] = () => ({ voice_id: "v", name: "Mine" });
    const learned = { voice_id: "v", heard_s: 3, score: 0.9, quality: 0.8, elapsed_ms: 3200 };
    const { peer, told } = await call();
    service.channel.tell("voice.usable", learned);
    service.onJoin = () => ({ restored: false });
    service.channel.break();
    await pass(6_000);
    service.channel.tell("voice.usable", learned);
    await Promise.all([peer.voices.save("Mine"), pass()]);
    service.channel.break();
    await pass(1_000);
    expect(of(told, "reconnected")).toEqual([{ restored: false, voiceLost: true }, { restored: false, voiceLost: false }]);
    expect(service.got("voice.use")).toEqual([{ voice_id: "v" }]);
  });

  it("stays forgotten where the first attempt at coming back fails", async () => {
    const { told } = await call();
    const { service } = browser;
    service.onJoin = () => ({ restored: false });
    service.mediaWorks = false;
    service.channel.break();
    await pass(15_500);
    service.onJoin = () => ({ restored: true });
    service.mediaWorks = true;
    await pass(5_000);
    expect(of(told, "reconnected")).toEqual([{ restored: false, voiceLost: false }]);
  });
});

describe("a lost socket", () => {
  it("is made anew while media flows, without anybody noticing", async () => {
    const { peer, told } = await call();
    const { service } = browser;
    service.onJoin = () => ({ resumed: true, resume_token: "t1" });
    service.socket.break();
    await pass(1_000);
    expect(service.joins[1]).toMatchObject({ resume: true, resume_token: "t1" });
    expect([service.sockets.length, service.connections.length]).toEqual([2, 1]);
    expect(of(told, "state")).toEqual(["connecting", "connected"]);
    expect(peer.state).toBe("connected");
  });

  it("leads to a new connection where the session is over", async () => {
    const { told } = await call();
    const { service } = browser;
    service.socket.break();
    await pass(1_000);
    expect([service.sockets.length, service.connections.length]).toEqual([2, 2]);
    expect(service.connections.map(({ connectionState }) => connectionState)).toEqual(["closed", "connected"]);
    expect(of(told, "reconnected")).toEqual([{ restored: true, voiceLost: false }]);
  });

  it("leads to a new connection where it does not come back in time", async () => {
    const { peer, told } = await call();
    const { service } = browser;
    service.reachable = false;
    service.socket.break();
    expect(peer.state).toBe("connected");
    await pass(6_000);
    expect(peer.state).toBe("interrupted");
    service.reachable = true;
    await pass(6_000);
    expect(of(told, "reconnected")).toEqual([{ restored: true, voiceLost: false }]);
  });

  it("that no new one can be made for is told of at once, and media goes on until it is back", async () => {
    const { peer, told } = await call();
    const { service } = browser;
    service.reachable = false;
    service.socket.break();
    await pass(600);
    expect(peer.state).toBe("interrupted");
    expect(peer.speak("Meanwhile.").isOver).toBe(false);
    service.onJoin = () => ({ resumed: true });
    service.reachable = true;
    await pass(2_000);
    expect(of(told, "state")).toEqual(["connecting", "connected", "interrupted", "connected"]);
    expect([service.connections.length, of(told, "reconnected")]).toEqual([1, []]);
  });

  it("whose successor takes long is told of after two seconds, though nothing was refused", async () => {
    const { peer } = await call();
    const { service } = browser;
    const answer = service.signal.bind(service);
    service.signal = () => undefined;
    service.socket.break();
    await pass(1_900);
    expect(peer.state).toBe("connected");
    await pass(200);
    expect(peer.state).toBe("interrupted");
    service.signal = answer;
    service.onJoin = () => ({ resumed: true });
    service.signal(service.socket, { type: "join" });
    await pass();
    expect(peer.state).toBe("connected");
  });

  it("that is back before media is does not say that media flows", async () => {
    const { peer } = await call();
    const { service } = browser;
    service.onJoin = () => ({ resumed: true });
    service.pc.become("disconnected");
    service.socket.break();
    await pass(1_000);
    expect(peer.state).toBe("interrupted");
    service.pc.become("connected");
    expect(peer.state).toBe("connected");
  });

  it("is kept open by pings", async () => {
    await call();
    await pass(46_000);
    expect(browser.service.socket.sent.filter(({ type }) => type === "ping").length).toBe(3);
  });
});
