// @vitest-environment happy-dom
import { VoicePeerError } from "@voicepeer/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Call, CONSENT_VERSION } from "../src/call.js";
import { type KeptCall, VERSION } from "../src/keeping.js";
import { INITIAL, PLAIN, type PageEvent, type PageState, reduce } from "../src/state.js";
import { Store } from "../src/store.js";
import { ScriptedPeer } from "./scripted_peer.js";

vi.mock("@voicepeer/client", async (original) => {
  const { ScriptedPeer: VoicePeer } = await import("./scripted_peer.js");
  return { ...await original<object>(), VoicePeer };
});

const STOCK = { id: "nova", name: "Nova", kind: "stock", expiresAt: null };
const settle = () => vi.advanceTimersByTimeAsync(0);
let store: Store<PageState, PageEvent>;
let peer: ScriptedPeer;
const goTo = vi.fn();

function newCall(kept: KeptCall | null = null, joinOnly = false): Call {
  store = new Store<PageState, PageEvent>(INITIAL, reduce);
  store.send({ type: "consent", given: true });
  store.send({ type: "start" });
  const call = new Call(store, {
    key: null, player: document.createElement("audio"), consent: "I agree.", kept, room: "hall", name: "Ada", joinOnly, goTo,
  });
  peer = ScriptedPeer.last;
  return call;
}

async function speaking(): Promise<Call> {
  const call = newCall();
  await call.start();
  peer.happen("voice.usable", { voice_id: "v", heard_s: 3.1 });
  await settle();
  peer.asked.length = 0;
  return call;
}

function kept(back: Partial<KeptCall["back"]> = {}): KeptCall {
  return {
    version: VERSION, resumption: { token: "t", clientId: "c" }, key: "k", room: "nook", consent: "I agreed.",
    back: {
      current: { id: "v", name: "", kind: "call" }, learning: { ...INITIAL.learning, stage: "ready", voiceId: "v" },
      manner: { ...PLAIN, speed: 1.2 }, bargeIn: true, said: [], figures: [], ...back,
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});

describe("a call", () => {
  it("begins by learning, under the statement that was seen", async () => {
    await newCall().start();
    expect(store.state.phase).toBe("learning");
    expect(peer.asked).toContainEqual(["enrol", { consent: "I agree.", consentVersion: CONSENT_VERSION }]);
    expect(peer.asked).toContainEqual(["configure", { similarity: true }]);
  });

  it("that cannot begin says why", async () => {
    const call = newCall();
    peer.refused.set("connect", new VoicePeerError("at_capacity"));
    await call.start();
    expect(store.state).toMatchObject({ phase: "error", alert: { code: "at_capacity" } });
  });

  it("only listens without a microphone, with a saved voice, or one of the engine", async () => {
    const call = newCall();
    peer.microphone.state = "denied";
    peer.listed = [{ id: "x", name: "X", kind: "own", expiresAt: new Date() }, STOCK];
    await call.start();
    expect(store.state).toMatchObject({ phase: "speaking", mic: "none", current: { id: "nova", kind: "stock" } });
    await call.learn();
    expect(peer.asked.at(-1)).toEqual(["microphone"]);
    expect(store.state.phase).toBe("speaking");
    peer.microphone.state = "on";
    await call.learn();
    expect(store.state.phase).toBe("learning");
  });

  it("stops learning where a voice is taken that is there already", async () => {
    const call = newCall();
    peer.listed = [STOCK];
    await call.start();
    await call.useAny();
    expect(peer.asked).toContainEqual(["enrol.stop"]);
    expect(store.state).toMatchObject({ phase: "speaking", learning: { on: false }, current: { id: "nova" } });
  });

  it("that fails by a defect says so, to the person and to the console", async () => {
    const reported = vi.fn();
    vi.stubGlobal("reportError", reported);
    const call = newCall();
    peer.refused.set("connect", new TypeError("x is undefined") as VoicePeerError);
    await call.start();
    vi.unstubAllGlobals();
    expect(store.state).toMatchObject({ phase: "error", alert: { code: "internal" } });
    expect(reported).toHaveBeenCalledOnce();
  });

  it("goes on listening where there is no voice at all", async () => {
    const call = newCall();
    peer.microphone.state = "missing";
    await call.start();
    expect(store.state.alert?.code).toBe("voice_not_ready");
  });

  it("ends by hanging up, or by the service, once", async () => {
    const call = await speaking();
    call.end();
    peer.happen("closed", { reason: "internal" });
    expect(store.state).toMatchObject({ phase: "ended", ending: "client_left" });
    const other = await speaking();
    peer.happen("closed", { reason: "replaced" });
    other.end();
    expect(store.state.ending).toBe("replaced");
    expect(peer.asked).toEqual([]);
  });

  it("leaves the page without ending", async () => {
    (await speaking()).leave();
    expect(peer.asked).toEqual([["detach"]]);
    expect(store.state.phase).toBe("speaking");
  });
});

describe("what is learned", () => {
  it("is refused with a reason, and can be tried again", async () => {
    const call = newCall();
    peer.refused.set("enrol", new VoicePeerError("rate_limited"));
    await call.start();
    await settle();
    expect(store.state).toMatchObject({ alert: { code: "rate_limited" }, learning: { on: false } });
  });

  it("goes on being listened for when nothing was heard", async () => {
    await newCall().start();
    peer.happen("voice.rejected", { message: "I hear no speech", code: "no_speech" });
    expect(store.state).toMatchObject({ alert: { code: "hint.no_speech" }, learning: { on: true } });
    peer.happen("voice.rejected", { message: "What else.", code: "reference_rejected" });
    expect(store.state.alert).toMatchObject({ code: "voice_rejected", detail: "What else." });
  });

  it("shows how far it is", async () => {
    await newCall().start();
    peer.happen("voice.progress", { heard_s: 1.5, needed_s: 5, hint_code: "noisy" });
    expect(store.state.learning).toMatchObject({ heardS: 1.5, neededS: 5, hint: "noisy" });
    peer.happen("voice.progress", { heard_s: 2, needed_s: 5 });
    expect(store.state.learning.hint).toBeNull();
  });
});

describe("a text", () => {
  it("is said as the sliders stand, even if they were moved just now", async () => {
    const call = await speaking();
    call.steer({ speed: 1.5 });
    call.steer({ speed: 2, language: "es" });
    call.say("Hello.");
    expect(peer.asked).toEqual([
      ["control", { speed: 2, pitchSemitones: 0, energy: 1, emotion: "neutral" }], ["speak", "Hello.", { language: "es" }]]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(peer.asked).toHaveLength(2);
  });

  it("is followed by ear", async () => {
    const call = await speaking();
    call.say("Hello you.");
    const id = store.state.said[0]?.id ?? "";
    const utterance = { id };
    peer.happen("audible", { utterance, audible: { latencyMs: 150, measured: true } });
    peer.happen("word", { utterance, word: { start: 6, end: 10 } });
    expect(store.state.said[0]).toMatchObject({ state: "playing", latencyMs: 150, start: 6, end: 10 });
    peer.happen("finished", { utterance, end: { how: "failed", playedMs: 80, error: new VoicePeerError("engine_failed") } });
    expect(store.state.said[0]).toMatchObject({ state: "failed", playedMs: 80, fault: { code: "engine_failed" } });
    peer.happen("utterance.similarity", { utterance_id: id, cosine: 0.9 });
    expect(store.state.figures).toEqual([{ id, latencyMs: 150, similarity: 0.9 }]);
  });

  it("has no latency that was only reckoned", async () => {
    const call = await speaking();
    call.say("x");
    peer.happen("audible", { utterance: { id: store.state.said[0]?.id }, audible: { latencyMs: 150, measured: false } });
    expect(store.state.figures).toEqual([]);
  });
});

describe("more texts than the service takes", () => {
  const spoken = () => peer.asked.filter(([what]) => what === "speak").map(([, text]) => text);
  const finish = (id: string, how = "done", error: VoicePeerError | null = null) =>
    peer.happen("finished", { utterance: { id }, end: { how, playedMs: 0, error } });
  const states = () => store.state.said.map(({ state }) => state);

  it("wait in the page, in their order, and none is refused", async () => {
    const call = await speaking();
    const texts = Array.from({ length: 60 }, (_, index) => `Text ${index}.`);
    for (const text of texts) call.say(text);
    expect(spoken().length).toBeLessThan(32);
    for (let done = 0; done < 60; done += 1) finish(store.state.said[done]?.id ?? "");
    expect(spoken()).toEqual(texts);
    expect(new Set(states())).toEqual(new Set(["done"]));
  });

  it("are not said any more after an interruption", async () => {
    const call = await speaking();
    for (let index = 0; index < 20; index += 1) call.say("x");
    const under = spoken().length;
    call.interrupt();
    expect(states().filter((state) => state === "cancelled")).toHaveLength(20 - under);
    for (const { id } of store.state.said) finish(id, "cancelled");
    expect(spoken()).toHaveLength(under);
  });

  it("wait for the connection, and for the voice that it brings", async () => {
    const call = await speaking();
    call.say("Sent.");
    peer.happen("state", "interrupted");
    call.say("Typed meanwhile.");
    expect(spoken()).toEqual(["Sent."]);
    let known = () => {};
    peer.voices.use = async (id) => { peer.asked.push(["use", id]); await new Promise<void>((resolve) => { known = resolve; }); };
    peer.happen("state", "connected");
    peer.happen("reconnected", { restored: false, voiceLost: true });
    finish(store.state.said[0]?.id ?? "", "lost", new VoicePeerError("connection_lost"));
    await settle();
    expect(states()).toEqual(["held", "held"]);
    known();
    await settle();
    expect(peer.asked.map(([what, detail]) => [what, detail])).toEqual([["speak", "Sent."], ["use", "v"], ["speak", "Sent."],
      ["speak", "Typed meanwhile."]]);
    expect(states()).toEqual(["waiting", "waiting"]);
  });

  it("go on where the connection only faltered", async () => {
    const call = await speaking();
    peer.happen("state", "interrupted");
    call.say("x");
    peer.happen("state", "connected");
    await settle();
    expect(spoken()).toEqual(["x"]);
  });

  it("are not said twice where they were heard in part, unless somebody asks for it", async () => {
    const call = await speaking();
    call.say("Heard in part.");
    const id = store.state.said[0]?.id ?? "";
    peer.happen("audible", { utterance: { id }, audible: { latencyMs: 150, measured: true } });
    finish(id, "lost", new VoicePeerError("connection_lost"));
    await settle();
    expect(states()).toEqual(["lost"]);
    call.sayAgain(id);
    expect(states()).toEqual(["waiting"]);
    expect(spoken()).toEqual(["Heard in part.", "Heard in part."]);
  });

  it("are lost with the call", async () => {
    const call = await speaking();
    call.say("x");
    call.end();
    finish(store.state.said[0]?.id ?? "", "lost", new VoicePeerError("connection_lost"));
    expect(states()).toEqual(["lost"]);
  });

  it("that cannot be sent wait where the connection is lost, and are told of otherwise", async () => {
    const call = await speaking();
    peer.refused.set("speak", new VoicePeerError("not_connected"));
    call.say("Keep me.");
    expect([states(), store.state.alert]).toEqual([["held"], null]);
    peer.refused.set("speak", new VoicePeerError("text_rejected", { detail: "it is odd" }));
    peer.happen("state", "connected");
    await settle();
    expect(store.state.said).toMatchObject([{ state: "failed", fault: { code: "text_rejected" } }]);
    call.say("Odd.");
    expect(store.state).toMatchObject({ said: [{}], alert: { code: "text_rejected", about: "say" } });
  });
});

describe("a voice learned anew", () => {
  it("silences what is said, because nothing is learned meanwhile", async () => {
    const call = await speaking();
    call.say("A long text.");
    await call.learn();
    expect(peer.asked.map(([what]) => what)).toEqual(["speak", "cancel", "enrol"]);
  });

  it("can be given up for the one of before", async () => {
    const call = await speaking();
    await call.learn();
    expect(store.state).toMatchObject({ phase: "learning", current: null });
    await call.useAny();
    expect(store.state).toMatchObject({ phase: "speaking", current: { id: "v", kind: "call" }, learning: { voiceId: "v", on: false } });
    expect(peer.asked.map(([what]) => what)).toEqual(["enrol", "enrol.stop", "use"]);
  });

  it("that is refused leaves the one of before", async () => {
    const call = await speaking();
    peer.refused.set("enrol", new VoicePeerError("rate_limited"));
    await call.learn();
    await settle();
    expect(store.state).toMatchObject({ phase: "speaking", current: { id: "v" }, alert: { code: "rate_limited" } });
  });

  it("is spoken with even if another was named while it was learned", async () => {
    const call = await speaking();
    peer.happen("reconnected", { restored: false, voiceLost: true });
    await settle();
    peer.asked.length = 0;
    peer.happen("voice.usable", { voice_id: "w", heard_s: 3 });
    await settle();
    expect(store.state.current?.id).toBe("w");
    expect(peer.asked).toEqual([["use", "w"]]);
    await call.learn();
    peer.asked.length = 0;
    peer.happen("voice.ready", { voice_id: "x", heard_s: 5 });
    expect(peer.asked).toEqual([]);
  });
});

describe("a voice that somebody deletes elsewhere", () => {
  const saved = { id: "v", name: "Ada", kind: "own", expiresAt: null };

  async function speakingSaved(): Promise<Call> {
    const call = await speaking();
    peer.listed = [saved, STOCK];
    store.send({ type: "saved", id: "v", name: "Ada" });
    await call.listVoices();
    peer.asked.length = 0;
    return call;
  }

  it("is missed when the list is fetched again", async () => {
    const call = await speakingSaved();
    expect(store.state.current?.id).toBe("v");
    peer.listed = [STOCK];
    await call.refresh();
    expect(store.state).toMatchObject({ current: null, voices: [{ id: "nova" }], alert: { code: "voice-gone", detail: "Ada" } });
  });

  it("is missed when a text cannot be said", async () => {
    const call = await speakingSaved();
    call.say("x");
    peer.listed = [STOCK];
    const error = new VoicePeerError("voice_not_ready");
    peer.happen("finished", { utterance: { id: store.state.said[0]?.id }, end: { how: "failed", playedMs: 0, error } });
    await settle();
    expect(store.state).toMatchObject({ current: null, voices: [{ id: "nova" }], said: [{ state: "failed" }], alert: { code: "voice-gone" } });
  });

  it("is missed when it is chosen", async () => {
    const call = await speakingSaved();
    peer.refused.set("use", new VoicePeerError("voice_not_found"));
    peer.listed = [saved];
    await call.use({ id: "nova", name: "Nova", kind: "stock" });
    expect(store.state).toMatchObject({ current: { id: "v" }, voices: [{ id: "v" }], alert: { code: "voice_not_found", about: "voice" } });
  });

  it("is not one that was saved while the list was on its way", async () => {
    const call = await speaking();
    const refreshed = call.refresh();
    store.send({ type: "saved", id: "v", name: "Ada" });
    await refreshed;
    expect(store.state).toMatchObject({ current: { id: "v", kind: "saved" }, alert: null });
  });

  it("is nothing to be told of where the list cannot be had by itself", async () => {
    const call = await speakingSaved();
    peer.voices.list = async () => { throw new VoicePeerError("unreachable"); };
    await call.refresh();
    expect(store.state.alert).toBeNull();
    await call.listVoices();
    expect(store.state.alert).toMatchObject({ code: "unreachable", about: "list" });
  });
});

describe("notices", () => {
  it("are shown, but not what the page shows in its own way", async () => {
    await speaking();
    peer.happen("notice", { code: "connection.lost", detail: "" });
    expect(store.state.alert).toBeNull();
    peer.happen("notice", { code: "microphone.changed", detail: "Headset" });
    expect(store.state.alert).toEqual({ code: "microphone.changed", detail: "Headset", tone: "notice" });
  });

  it("are taken back when it is over", async () => {
    await speaking();
    peer.happen("notice", { code: "microphone.silent", detail: "" });
    expect(store.state).toMatchObject({ mic: "silent", alert: { code: "microphone.silent" } });
    peer.happen("notice", { code: "microphone.heard", detail: "" });
    expect(store.state).toMatchObject({ mic: "on", alert: null });
  });
});

describe("after a restart of the service", () => {
  it("the voice is taken again where the service still has it", async () => {
    await speaking();
    peer.happen("reconnected", { restored: false, voiceLost: true });
    await settle();
    expect(peer.asked).toContainEqual(["use", "v"]);
    expect(store.state).toMatchObject({ phase: "speaking", alert: { code: "restarted" } });
  });

  it("the voice is learned again where it is gone", async () => {
    await speaking();
    peer.refused.set("use", new VoicePeerError("voice_not_found"));
    peer.happen("reconnected", { restored: false, voiceLost: true });
    await settle();
    expect(store.state).toMatchObject({ phase: "learning", alert: { code: "restarted-unlearned" } });
  });

  it("a text that was not begun waits for the voice that is learned again", async () => {
    const call = await speaking();
    call.say("x");
    peer.refused.set("use", new VoicePeerError("voice_not_found"));
    peer.happen("reconnected", { restored: false, voiceLost: true });
    const error = new VoicePeerError("connection_lost");
    peer.happen("finished", { utterance: { id: store.state.said[0]?.id }, end: { how: "lost", playedMs: 0, error } });
    await settle();
    expect(store.state).toMatchObject({ phase: "learning", said: [{ state: "held" }] });
    peer.asked.length = 0;
    peer.happen("voice.usable", { voice_id: "w", heard_s: 3 });
    expect(peer.asked).toEqual([["speak", "x", { language: "auto" }]]);
  });

  it("what was still being learned is not said to have come along", async () => {
    await newCall().start();
    peer.happen("voice.progress", { heard_s: 2, needed_s: 5, hint_code: null });
    peer.asked.length = 0;
    peer.happen("reconnected", { restored: false, voiceLost: false });
    await settle();
    expect(store.state).toMatchObject({ phase: "learning", alert: { code: "restarted-learning" }, learning: { on: true, heardS: 0 } });
    expect(peer.asked).toEqual([]);
  });

  it("nothing needs to be said where only the connection was lost", async () => {
    await speaking();
    peer.happen("reconnected", { restored: true, voiceLost: false });
    await settle();
    expect(store.state.alert).toBeNull();
    expect(peer.asked).toEqual([["configure", { similarity: true }]]);
  });
});

describe("after a reload", () => {
  const said = [
    { id: "a", text: "Gone 😀 text", state: "playing", start: 0, end: 4, latencyMs: null, playedMs: 0, fault: null },
    { id: "b", text: "Going 😀 on", state: "waiting", start: 0, end: 0, latencyMs: null, playedMs: 0, fault: null },
  ] as const;

  it("everything goes on, with the words of texts that the client does not know", async () => {
    const call = newCall(kept({ said }));
    peer.came = { restored: true, voiceLost: false };
    peer.utterances = [{ id: "b" }];
    await call.start();
    expect(peer.options).toMatchObject({ token: "k", resume: { token: "t", clientId: "c" } });
    expect(call.consent).toBe("I agreed.");
    expect(store.state).toMatchObject({ phase: "speaking", bargeIn: true, manner: { speed: 1.2 }, current: { id: "v" } });
    expect(store.state.said.map(({ state }) => state)).toEqual(["lost", "waiting"]);
    peer.happen("utterance.word", { utterance_id: "b", char_start: 8, char_end: 10 });
    expect(store.state.said[1]).toMatchObject({ start: 9, end: 11 });
  });

  it("texts that were not begun are said after all", async () => {
    const call = newCall(kept({ said: [{ ...said[1], id: "c" }, { ...said[1], id: "held-1", state: "held" }] }));
    peer.came = { restored: true, voiceLost: false };
    await call.start();
    expect(peer.asked.filter(([what]) => what === "speak")).toHaveLength(2);
    expect(store.state.said.map(({ state }) => state)).toEqual(["waiting", "waiting"]);
  });

  it("learning goes on where it was not finished, with the voice as it is", async () => {
    const learning = { ...INITIAL.learning, on: true, stage: "usable", voiceId: "v", heardS: 3.3 } as const;
    const call = newCall(kept({ learning }));
    peer.came = { restored: true, voiceLost: false };
    await call.start();
    expect(store.state).toMatchObject({ phase: "speaking", current: { id: "v" }, learning: { on: true, stage: "usable" } });
    expect(peer.asked).toContainEqual(["enrol", { consent: "I agreed.", consentVersion: CONSENT_VERSION }]);
    peer.happen("voice.ready", { voice_id: "w", heard_s: 5 });
    expect(store.state).toMatchObject({ current: { id: "w" }, learning: { on: false, stage: "ready" } });
  });

  it("a session that is lost begins anew, as it was", async () => {
    const call = newCall(kept());
    await call.start();
    await settle();
    expect(store.state).toMatchObject({ phase: "speaking", current: { id: "v" } });
    expect(peer.asked).toContainEqual(["control", { speed: 1.2, pitchSemitones: 0, energy: 1, emotion: "neutral" }]);
    expect(peer.asked).toContainEqual(["configure", { barge_in: true }]);
  });

  it("a voice that was not learned to its end is learned again", async () => {
    const call = newCall(kept({ current: null }));
    peer.came = { restored: true, voiceLost: false };
    await call.start();
    expect(store.state.phase).toBe("learning");
    expect(peer.asked.map(([what]) => what)).toContain("enrol");
  });
});
