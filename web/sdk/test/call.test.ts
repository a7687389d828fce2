/** A call from `connect` to its end, where nothing is lost on the way. */

import { describe, expect, it, test, vi } from "vitest";
import { VoicePeer, VoicePeerError } from "../src/index.js";
import { browser, call, fakeBrowser, listen, of, pass } from "./kit/browser.js";
import { FakeTrack } from "./kit/media.js";

fakeBrowser();

describe("connecting", () => {
  it("joins, offers, introduces itself and is connected", async () => {
    const { peer, told } = await call({ token: "a key", room: "blue", name: "Ada" });
    const { service } = browser;
    expect(String(service.socket.url)).toBe("wss://voice.example/base/ws");
    expect(service.joins).toEqual([expect.objectContaining({
      room: "blue", name: "Ada", token: "a key", resume_token: null, client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    })]);
    const types = service.socket.sent.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(["join", "offer", "candidate"]);
    expect(service.got("client-ready")).toEqual([expect.objectContaining({ rtvi_events: false })]);
    expect(of(told, "state")).toEqual(["connecting", "connected"]);
    expect(of(told, "bot-ready")[0]).toMatchObject({ engine: "fake" });
    expect([peer.state, peer.sessionId]).toEqual(["connected", "s1"]);
    expect(of(told, "resumption")[0]).toEqual({ token: "t1", clientId: service.joins[0]?.["client_id"] });
  });

  it("asks for a token each time that one is needed", async () => {
    const token = vi.fn(async () => `token ${token.mock.calls.length}`);
    const { peer } = await call({ token });
    browser.http["voices"] = (request) => {
      expect(request.headers.get("Authorization")).toBe("Bearer token 2");
      return Response.json({ data: [], has_more: false });
    };
    await peer.voices.list();
    expect(browser.service.joins[0]?.["token"]).toBe("token 1");
  });

  it("tells where no token can be had, and leaves a service that cannot be heard", async () => {
    const token = async () => { throw new TypeError("Failed to fetch"); };
    await expect(Promise.all([new VoicePeer({ url: "https://voice.example/", token }).connect(), pass(50)])).rejects.toMatchObject(
      { code: "token_failed", fault: "network", detail: "Failed to fetch" });
    browser.service.mediaWorks = false;
    const peer = new VoicePeer({ url: "https://voice.example/" });
    const failed = expect(peer.connect()).rejects.toMatchObject({ code: "no_connection" });
    await pass(16_000);
    await failed;
    expect(browser.service.socket.sent.at(-1)).toEqual({ type: "leave" });
  });

  it("uses the service's ICE servers, or the application's", async () => {
    browser.service.onJoin = () => ({ ice_servers: [{ urls: ["turn:a"], username: "u", credential: "c" }] });
    await call();
    expect(browser.service.pc.configuration).toMatchObject({ iceServers: [{ urls: ["turn:a"] }], bundlePolicy: "max-bundle" });
    await call({ rtc: { iceServers: [], iceTransportPolicy: "relay" } });
    expect(browser.service.pc.configuration).toMatchObject({ iceServers: [], iceTransportPolicy: "relay" });
  });

  it("waits for a service that is still getting ready, and tells why", async () => {
    let asked = 0;
    browser.http["readyz"] = () => {
      asked += 1;
      const reason = { status: "not_ready", reason: "models load" };
      return asked < 3 ? Response.json(reason, { status: 503, headers: { "Retry-After": "1" } }) : Response.json({ status: "ready" });
    };
    const peer = new VoicePeer({ url: "https://voice.example/", language: "en" });
    const told = listen(peer);
    const connecting = peer.connect();
    await pass(2_500);
    await connecting;
    expect(of(told, "service.starting").map(({ detail }) => detail)).toEqual(["models load", "models load"]);
  });

  it("takes candidates of the service, also before its answer", async () => {
    await call();
    const { socket, pc } = browser.service;
    socket.say({ type: "candidate", candidate: "c1", sdpMid: "0", sdpMLineIndex: 0 });
    socket.say({ type: "candidate", connection: "room", candidate: "of another connection" });
    await pass();
    expect(pc.candidates).toEqual([{ candidate: "c1", sdpMid: "0", sdpMLineIndex: 0 }]);
  });

  const refused = async (prepare: () => void, ms = 100): Promise<VoicePeerError> => {
    prepare();
    const peer = new VoicePeer({ url: "https://voice.example/", language: "en" });
    const told = listen(peer);
    const failed = peer.connect().then(() => null, (error: unknown) => error);
    await pass(ms);
    const error = await failed;
    expect(error).toBeInstanceOf(VoicePeerError);
    expect(peer.state).toBe("closed");
    expect(of(told, "closed")).toEqual([]);
    expect(browser.devices.opened.every(({ readyState }) => readyState === "ended")).toBe(true);
    return error as VoicePeerError;
  };


  test.each<[string, string, () => void, number?]>([
    ["the service is not there", "unreachable", () => { browser.http = {}; }],
    ["its socket is not there", "unreachable", () => { browser.service.reachable = false; }],
    ["it answers something else", "unreachable", () => { browser.service.onJoin = () => ({ type: "pong" }); }],
    ["it does not answer", "unreachable", () => { browser.service.signal = () => undefined; }, 11_000],
    ["it is full", "at_capacity", () => {
      browser.http["readyz"] = () => Response.json({ status: "at_capacity" }, { status: 503 });
    }],
    ["it never gets ready", "not_ready", () => {
      browser.http["readyz"] = () => Response.json({ status: "not_ready", reason: "models load" }, { status: 503 });
    }, 125_000],
    ["it wants a key", "unauthorized", () => {
      browser.service.onJoin = () => ({ type: "error", code: "unauthorized", message: "a key", fatal: true });
    }],
    ["another service is there", "no_service", () => { browser.http["readyz"] = () => Response.json({ status: "ok" }); }],
    ["it takes the offer for a bad one", "bad_sdp", () => {
      browser.service.signal = (socket, signal) => {
        if (signal["type"] === "join") socket.say({ type: "joined", session_id: "s", ice_servers: [] });
        if (signal["type"] === "offer") socket.say({ type: "error", code: "bad_sdp", message: "no audio" });
      };
    }],
    ["no media comes through", "no_connection", () => { browser.service.mediaWorks = false; }, 16_000],
  ])("fails with a reason where %s", async (_, code, prepare, ms) => {
    expect((await refused(prepare, ms)).code).toBe(code);
  });

  it("fails where the token does not come", async () => {
    const peer = new VoicePeer({ url: "https://voice.example", language: "en", token: () => new Promise<string>(() => undefined) });
    const late = expect(peer.connect()).rejects.toMatchObject({ code: "token_failed", fault: "network" });
    await pass(30_100);
    await late;
    expect(peer.state).toBe("closed");
  });

  it("tells why a token is refused that nobody could enter", async () => {
    browser.service.onJoin = () => ({ type: "error", code: "unauthorized", message: "'aud' is missing", fatal: true });
    const peer = new VoicePeer({ url: "https://voice.example/", language: "en", token: async () => "a.b.c" });
    const refusal = expect(peer.connect()).rejects.toMatchObject({
      code: "token_refused", fault: "service", message: expect.stringMatching(/access token .*'aud' is missing$/),
    });
    await pass(50);
    await refusal;
  });

  it("is begun once: a second time while it begins disturbs nothing", async () => {
    const peer = new VoicePeer({ url: "https://voice.example", language: "en" });
    const connecting = peer.connect();
    await expect(peer.connect()).rejects.toMatchObject({ code: "misuse", fault: "page" });
    await pass(50);
    expect(await connecting).toEqual({ restored: false, voiceLost: false });
    expect([peer.state, browser.service.sockets.length]).toEqual(["connected", 1]);
    expect(String(browser.service.socket.url)).toBe("wss://voice.example/ws");
  });

  it("says when the browser has no WebRTC", async () => {
    vi.stubGlobal("RTCPeerConnection", undefined);
    const peer = new VoicePeer({ language: "en" });
    await expect(peer.connect()).rejects.toMatchObject({ code: "browser.unsupported", fault: "browser" });
  });

  it("is done once: a call that is over stays over", async () => {
    const { peer } = await call();
    peer.close();
    await expect(Promise.all([peer.connect(), pass(50)])).rejects.toMatchObject({ code: "call_over" });
  });
});

describe("the microphone of a call", () => {
  it("is sent raw, but without its echo", async () => {
    await call();
    expect(browser.devices.asked).toEqual([
      { echoCancellation: true, noiseSuppression: false, autoGainControl: false, channelCount: 1 },
    ]);
    expect(browser.service.pc.sentTracks).toEqual([browser.devices.opened[0]]);
  });

  it("can be left out, and the call listens", async () => {
    const { peer } = await call({ microphone: false });
    expect(browser.devices.asked).toEqual([]);
    expect(browser.service.pc.sentTracks).toEqual(["audio"]);
    expect(peer.microphone.state).toBe("off");
  });

  it("can be one of the application's own, which stays open", async () => {
    const track = new FakeTrack("mixer");
    const { peer } = await call({ microphone: track as unknown as MediaStreamTrack });
    expect(browser.service.pc.sentTracks).toEqual([track]);
    peer.close();
    expect(track.readyState).toBe("live");
  });

  it("that is not allowed makes a call that only listens, and says so", async () => {
    browser.devices.refusal = "NotAllowedError";
    const { peer, told } = await call();
    expect(peer.state).toBe("connected");
    expect(peer.microphone.state).toBe("denied");
    expect(of(told, "microphone.denied")[0]?.message).toMatch(/only listen/);
    browser.devices.refusal = null;
    expect(await peer.microphone.start()).toBe(true);
    expect(browser.service.pc.sentTracks).toEqual(["audio", browser.devices.opened[0]]);
  });
});

describe("learning a voice", () => {
  const usable = { voice_id: "v", heard_s: 3, score: 0.9, quality: 0.8, elapsed_ms: 3200 };
  const ready = { ...usable, heard_s: 5, elapsed_ms: 5200, clone_ms: 40 };
  const progress = { heard_s: 1, needed_s: 4, score: 0, quality: 1, snr_db: 30, hint: "too quiet", hint_code: "too_quiet" };

  it("is asked for with the consent, and followed to its end", async () => {
    const { peer, told } = await call();
    const enrolment = peer.enrol({ consent: "I agree.", consentVersion: 2, name: "Ada" });
    await pass();
    expect(browser.service.got("enrol.start")).toEqual([{ consent: "I agree.", consent_version: 2, name: "Ada" }]);
    const { channel } = browser.service;
    channel.tell("voice.progress", progress);
    channel.tell("voice.usable", usable);
    expect(await enrolment.usable).toEqual({ voiceId: "v", heardS: 3, quality: 0.8, elapsedMs: 3200 });
    expect(enrolment.isOver).toBe(false);
    channel.tell("voice.progress", { ...progress, heard_s: 5, hint: null });
    channel.tell("voice.ready", ready);
    expect(await enrolment.ready).toMatchObject({ voiceId: "v", heardS: 5 });
    const steps = [];
    for await (const step of enrolment) steps.push(step);
    expect(steps).toEqual([
      { heardS: 1, neededS: 4, share: 0.25, quality: 1, snrDb: 30, hint: "too quiet", hintCode: "too_quiet" },
      { heardS: 5, neededS: 4, share: 1, quality: 1, snrDb: 30, hint: null, hintCode: "too_quiet" },
    ]);
    expect(of(told, "voice.usable")).toEqual([usable]);
    expect(enrolment.isOver).toBe(true);
  });

  it("fails where the microphone gave nothing, and where it is not allowed", async () => {
    const { peer } = await call();
    const rejected = peer.enrol({ consent: "I agree." });
    browser.service.channel.tell("voice.rejected", { message: "too much noise" });
    await expect(rejected.ready).rejects.toMatchObject({ code: "voice_rejected", detail: "too much noise" });
    await expect((async () => { for await (const _ of rejected) void _; })()).rejects.toMatchObject({ code: "voice_rejected" });
    browser.service.answers["enrol.start"] = () => "forbidden";
    const forbidden = peer.enrol({ consentId: "c1" });
    await pass();
    await expect(forbidden.usable).rejects.toMatchObject({ code: "forbidden" });
    expect(browser.service.got("enrol.start").at(-1)).toEqual({ consent_id: "c1" });
  });

  it("can be stopped, and another one begun", async () => {
    const { peer } = await call();
    const first = peer.enrol({ consent: "I agree." });
    first.stop();
    first.stop();
    await pass();
    expect(browser.service.got("enrol.stop").length).toBe(1);
    const second = peer.enrol({ consent: "I agree." });
    const third = peer.enrol({ consent: "I agree." });
    await expect(second.usable).rejects.toMatchObject({ code: "enrolment_stopped" });
    browser.service.channel.tell("voice.ready", ready);
    expect((await third.usable).voiceId).toBe("v");
  });
});

describe("asking the service", () => {
  it("for settings, and hearing of them as events, too", async () => {
    browser.service.answers["session.configure"] = () => ({ barge_in: true, barge_in_min_ms: 300 });
    const { peer, told } = await call();
    await Promise.all([
      peer.configure({ barge_in: true }), peer.control({ speed: 1.5, pitchSemitones: -2, emotion: "happy", emotionStrength: 1 }), pass(),
    ]);
    expect(browser.service.got("controls.set")).toEqual(
      [{ speed: 1.5, pitch_semitones: -2, emotion: "happy", emotion_strength: 1 }]);
    expect(of(told, "session.configured")).toEqual([{ barge_in: true, barge_in_min_ms: 300 }]);
  });

  it("for another way to say words", async () => {
    browser.service.answers["lexicon.set"] = () => ({ entries: 1 });
    const { peer } = await call();
    await Promise.all([peer.setLexicon({ sql: "sequel" }), peer.setLexicon({ Ada: "/ˈeɪdə/" }, "v"), pass()]);
    expect(browser.service.got("lexicon.set")).toEqual(
      [{ words: { sql: "sequel" } }, { words: { Ada: "/ˈeɪdə/" }, voice_id: "v" }]);
  });

  it("for a voice, a mix, and to keep one", async () => {
    browser.service.answers["voice.use"] = () => ({ voice_id: "v", name: "Ada" });
    browser.service.answers["voice.mix"] = () => ({ voice_id: "mix:v=1", name: "Ada + Bob" });
    browser.service.answers["voice.save"] = () => ({ voice_id: "v", name: "Mine" });
    const { peer, told } = await call();
    const asked = Promise.all([peer.voices.use("v"), peer.voices.mix({ v: 1, w: 0.5 }), peer.voices.save("Mine")]);
    await pass();
    expect(await asked).toEqual(
      [{ voiceId: "v", name: "Ada" }, { voiceId: "mix:v=1", name: "Ada + Bob" }, { voiceId: "v", name: "Mine" }]);
    expect(browser.service.got("voice.mix")).toEqual([{ weights: { v: 1, w: 0.5 } }]);
    expect(of(told, "voice.selected").map(({ name }) => name)).toEqual(["Ada", "Ada + Bob"]);
    expect(of(told, "voice.saved")).toEqual([{ voice_id: "v", name: "Mine" }]);
  });

  it("gives its refusals to who asked, and its complaints to all", async () => {
    browser.service.answers["voice.use"] = () => "voice_not_found";
    const { peer, told } = await call();
    const refused = expect(peer.voices.use("gone")).rejects.toMatchObject({ code: "voice_not_found", fault: "user" });
    await pass();
    await refused;
    expect(of(told, "error")).toEqual([]);
    browser.service.channel.say("error", { error: "slower", code: "rate_limited" });
    expect(of(told, "error")).toEqual([expect.objectContaining({ code: "rate_limited", detail: "slower" })]);
  });

  it("hears of what the service does not take on the socket, and goes on", async () => {
    const { peer, told } = await call();
    browser.service.socket.say({ type: "error", code: "bad_candidate", message: "not a candidate" });
    browser.service.socket.say({ type: "error", code: "bad_candidate" });
    expect(of(told, "error")).toEqual([expect.objectContaining({ code: "bad_candidate", detail: "not a candidate" })]);
    expect(peer.state).toBe("connected");
  });

  it("notices answers and messages that make no sense", async () => {
    browser.service.answers["voice.use"] = () => ({ voice: 7 });
    const { peer, told } = await call();
    const refused = expect(peer.voices.use("v")).rejects.toMatchObject({ code: "bad_answer" });
    await pass();
    await refused;
    browser.service.channel.tell("utterance.word", { text: 7 });
    browser.service.channel.raw(new ArrayBuffer(3));
    expect(of(told, "error")).toEqual([expect.objectContaining({ code: "bad_answer", fault: "service" })]);
    expect(of(told, "utterance.word")).toEqual([]);
  });

  it("for anything that has no method of its own", async () => {
    browser.service.answers["stats.get"] = () => "internal";
    const { peer } = await call();
    const refused = expect(peer.request("stats.get", {})).rejects.toMatchObject({ code: "internal", fault: "service" });
    await pass();
    await refused;
    browser.http["ice-servers"] = () => Response.json({ ice_servers: [{ urls: ["stun:a"] }] });
    expect(await peer.iceServers()).toEqual([{ urls: ["stun:a"] }]);
  });
});

describe("the end", () => {
  it("is told once, with words, and everything that waited fails", async () => {
    browser.service.answers["stats.get"] = () => undefined;
    const { peer, told } = await call();
    const stats = peer.serviceStats();
    const enrolment = peer.enrol({ consent: "I agree." });
    const utterance = peer.speak("Hello.");
    await pass();
    browser.service.socket.say({ type: "bye", reason: "ended_by_operator" });
    await expect(stats).rejects.toMatchObject({ code: "connection_lost" });
    await expect(enrolment.usable).rejects.toMatchObject({ code: "connection_lost" });
    expect(await utterance.finished).toMatchObject({ how: "lost", error: { code: "connection_lost" } });
    expect(of(told, "closed")).toEqual([
      { reason: "ended_by_operator", message: "Whoever runs the service has ended the call.", fault: "service" },
    ]);
    peer.close();
    expect(of(told, "closed").length).toBe(1);
    expect(() => peer.speak("More.")).toThrow(expect.objectContaining({ code: "not_connected" }));
    expect(browser.devices.opened[0]?.readyState).toBe("ended");
    await pass(100_000);
    expect(browser.service.sockets.length).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("comes when the caller hangs up", async () => {
    const { peer, told } = await call();
    peer.close();
    await pass();
    expect(browser.service.socket.sent.at(-1)).toEqual({ type: "leave" });
    expect(browser.service.socket.closedWith).toBe(1000);
    expect(of(told, "closed")).toEqual([expect.objectContaining({ reason: "client_left" })]);
    expect(browser.service.pc.connectionState).toBe("closed");
  });

  it("does not come to a call that is let go of, which another page resumes", async () => {
    const { peer, told } = await call();
    const resume = of(told, "resumption")[0] as { token: string; clientId: string };
    peer.detach();
    await pass();
    expect(browser.service.socket.closedWith).toBe(3000);
    expect(browser.service.socket.sent.some(({ type }) => type === "leave")).toBe(false);
    browser.service.ready = { resumed: true, utterances: ["u-old"] };
    const later = await call({ resume });
    expect(browser.service.joins[1]).toMatchObject({ resume_token: resume.token, client_id: resume.clientId });
    expect(later.peer.utterances.map(({ id }) => id)).toEqual(["u-old"]);
  });
});
