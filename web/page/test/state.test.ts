import type { VoiceInfo } from "@voicepeer/client";
import { describe, expect, it } from "vitest";
import { type About, INITIAL, PLAIN, type PageEvent, type PageState, reduce } from "../src/state.js";

const after = (...events: PageEvent[]): PageState => events.reduce(reduce, INITIAL);

const READY: PageEvent = {
  type: "ready",
  ability: { engine: "fake", languages: ["en-us"], emotions: ["neutral"], ranges: { speed: [0.5, 2] } },
};
const LEARNING: PageEvent[] = [{ type: "consent", given: true }, { type: "start" }, READY, { type: "learn" }];
const USABLE: PageEvent[] = [...LEARNING, { type: "usable", voiceId: "v", heardS: 3.1 }];

function voice(id: string, kind: VoiceInfo["kind"] = "own"): VoiceInfo {
  return { id, name: id, kind, createdAt: new Date(0), consentId: null, quality: null, expiresAt: null };
}

describe("a first visit", () => {
  it("goes from consent to a voice that speaks", () => {
    const learning = after(...LEARNING);
    expect(learning).toMatchObject({ phase: "learning", waiting: null, current: null });
    expect(learning.learning).toMatchObject({ on: true, stage: "none", heardS: 0 });

    const usable = reduce(learning, { type: "usable", voiceId: "v", heardS: 3.1 });
    expect(usable).toMatchObject({ phase: "speaking", current: { id: "v", kind: "call" } });
    expect(usable.learning).toMatchObject({ on: true, stage: "usable", voiceId: "v" });

    const ready = reduce(usable, { type: "learned", voiceId: "v", heardS: 5 });
    expect(ready.learning).toMatchObject({ on: false, stage: "ready", heardS: 5 });
    expect(ready.phase).toBe("speaking");
  });

  it("tells what it waits for", () => {
    expect(after({ type: "start" }).waiting).toBe("service");
    expect(after({ type: "start" }, { type: "waiting", for: "microphone" }).waiting).toBe("microphone");
  });

  it("shows progress and what to do better", () => {
    const { learning } = after(...LEARNING, { type: "progress", heardS: 1.5, neededS: 5, hint: "too_quiet" });
    expect(learning).toMatchObject({ heardS: 1.5, neededS: 5, hint: "too_quiet" });
  });

  it("that fails says why and can be tried again", () => {
    const failed = after({ type: "consent", given: true }, { type: "start" },
      { type: "failed", code: "at_capacity", detail: "" });
    expect(failed).toMatchObject({ phase: "error", alert: { code: "at_capacity", tone: "fault" }, keyNeeded: false });
    const again = reduce(failed, { type: "start" });
    expect(again).toMatchObject({ phase: "starting", alert: null, consented: true });
  });

  it.each([["unreachable", true], ["unauthorized", false]])("that fails for %s keeps a call of before a reload: %s", (code, kept) => {
    const failed = after({ type: "found", resumable: true }, { type: "start" }, { type: "failed", code, detail: "" });
    expect(failed.resumable).toBe(kept);
  });

  it("asks for a key where one is needed, until it was good", () => {
    const failed = after({ type: "start" }, { type: "failed", code: "unauthorized", detail: "" });
    expect(failed.keyNeeded).toBe(true);
    const wrong = [{ type: "start" }, { type: "failed", code: "unreachable", detail: "" }] as const;
    expect(wrong.reduce<PageState>(reduce, failed).keyNeeded).toBe(true);
    expect(reduce(reduce(failed, { type: "start" }), READY).keyNeeded).toBe(false);
  });
});

describe("the voice", () => {
  it("that was chosen meanwhile is kept when another was learned", () => {
    const state = after(...LEARNING, { type: "chosen", current: { id: "s", name: "Stock", kind: "stock" } },
      { type: "learned", voiceId: "v", heardS: 5 });
    expect(state.current?.id).toBe("s");
    expect(state.learning).toMatchObject({ stage: "ready", voiceId: "v" });
  });

  it("is learned again from the beginning", () => {
    const state = after(...USABLE, { type: "learn" });
    expect(state).toMatchObject({ phase: "learning", current: null });
    expect(state.learning).toMatchObject({ on: true, stage: "none", voiceId: null, heardS: 0 });
  });

  it("of before stays until another one can be used", () => {
    const ready = after(...USABLE, { type: "learned", voiceId: "v", heardS: 5 });
    const anew = [{ type: "learn" }, { type: "progress", heardS: 1, neededS: 5, hint: "noisy" }, { type: "learn" }] as PageEvent[];
    const back = [...anew, { type: "learnt-nothing" } as PageEvent].reduce(reduce, ready);
    expect(back).toEqual(ready);
    const other = [...anew, { type: "usable", voiceId: "w", heardS: 3 } as PageEvent].reduce(reduce, ready);
    expect(other).toMatchObject({ phase: "speaking", earlier: null, current: { id: "w" }, learning: { voiceId: "w" } });
    const deleted = [...anew, { type: "gone", voiceId: "v" }, { type: "learnt-nothing" }] as PageEvent[];
    expect(deleted.reduce(reduce, ready)).toMatchObject({ phase: "learning", earlier: null, current: null });
  });

  it("that is learned once more in the background is the newest", () => {
    const state = after(...USABLE, { type: "learn-on" }, { type: "learned", voiceId: "w", heardS: 5 });
    expect(state).toMatchObject({ phase: "speaking", current: { id: "w", kind: "call" }, learning: { on: false, voiceId: "w" } });
  });

  it("of this call is not offered any more once it was deleted", () => {
    expect(after(...USABLE, { type: "gone", voiceId: "v" }).learning).toEqual(INITIAL.learning);
    expect(after(...USABLE, { type: "gone", voiceId: "w" }).learning.voiceId).toBe("v");
  });

  it("has a name once it is saved, also another one", () => {
    const state = after(...USABLE, { type: "saved", id: "v", name: "Ada" });
    expect(state.current).toEqual({ id: "v", name: "Ada", kind: "saved" });
    expect(reduce(state, { type: "saved", id: "other", name: "Bob" }).current?.name).toBe("Ada");
  });

  it("is gone when it was deleted, and only then", () => {
    const state = after(...USABLE, { type: "voices", voices: [voice("v"), voice("w")] });
    const other = reduce(state, { type: "gone", voiceId: "w" });
    expect(other.current?.id).toBe("v");
    expect(other.voices.map(({ id }) => id)).toEqual(["v"]);
    expect(reduce(state, { type: "gone", voiceId: "v" }).current).toBeNull();
  });

  it("is not learned any more when there was nothing to learn", () => {
    expect(after(...LEARNING, { type: "learnt-nothing" }).learning.on).toBe(false);
  });
});

describe("speech", () => {
  it("fills the transcript and the figures", () => {
    const state = after(...USABLE, { type: "sent", id: "a", text: "Hello." },
      { type: "audible", id: "a", latencyMs: 140 }, { type: "word", id: "a", start: 0, end: 6 },
      { type: "over", id: "a", state: "done", playedMs: 600, fault: null },
      { type: "similarity", id: "a", cosine: 0.91 });
    expect(state.said).toMatchObject([{ id: "a", state: "done", latencyMs: 140, playedMs: 600 }]);
    expect(state.figures).toEqual([{ id: "a", latencyMs: 140, similarity: 0.91 }]);
  });

  it("that was not measured makes no figure", () => {
    const state = after(...USABLE, { type: "sent", id: "a", text: "x" }, { type: "audible", id: "a", latencyMs: null });
    expect(state.figures).toEqual([]);
    expect(state.said[0]?.state).toBe("playing");
  });
});

describe("an alert", () => {
  const told = (code: string, about?: About): PageEvent =>
    ({ type: "alert", alert: { code, detail: "", tone: "fault", ...(about && { about }) } });

  it.each<[string, PageEvent, PageEvent]>([
    ["a microphone that was denied and is there", told("microphone.denied"), { type: "mic", mic: "on" }],
    ["a microphone that was silent at the beginning", told("page.insecure"), { type: "mic", mic: "on" }],
    ["a name that was refused", told("invalid_value", "rename"), { type: "succeeded", about: "rename" }],
    ["a text that was too long, before another", told("text_too_long"), { type: "sent", id: "a", text: "x" }],
    ["a text that could not be sent", told("internal", "say"), { type: "held", id: "a", text: "x" }],
    ["a voice that was gone", told("voice-gone"), { type: "chosen", current: { id: "s", name: "S", kind: "stock" } }],
    ["no voice at all", told("voice_not_ready"), { type: "usable", voiceId: "v", heardS: 3 }],
    ["speech that was not heard", told("hint.no_speech"), { type: "usable", voiceId: "v", heardS: 3 }],
    ["a forgotten voice", told("restarted-unlearned"), { type: "learned", voiceId: "v", heardS: 5 }],
  ])("about %s is taken back", (_, alert, event) => {
    expect(after(...USABLE, alert).alert).not.toBeNull();
    expect(after(...USABLE, alert, event).alert).toBeNull();
  });

  it.each<[PageEvent, PageEvent]>([
    [told("microphone.denied"), { type: "mic", mic: "none" }],
    [told("microphone.changed"), { type: "mic", mic: "on" }],
    [told("invalid_value", "rename"), { type: "succeeded", about: "save" }],
    [told("at_capacity"), { type: "sent", id: "a", text: "x" }],
    [{ type: "alert", alert: { code: "saved", detail: "", tone: "done", about: "save" } }, { type: "succeeded", about: "save" }],
  ])("%j stays after %j", (alert, event) => {
    expect(after(...USABLE, alert, event).alert).not.toBeNull();
  });
});

describe("a call", () => {
  it("ends with a reason, once", () => {
    const ended = after(...USABLE, { type: "ended", reason: "replaced" });
    expect(ended).toMatchObject({ phase: "ended", ending: "replaced", alert: null });
    expect(reduce(ended, { type: "ended", reason: "client_left" }).ending).toBe("replaced");
  });

  it("can begin anew, with nothing left of the one before but the consent", () => {
    const state = after(...USABLE, { type: "sent", id: "a", text: "x" }, { type: "ended", reason: "client_left" },
      { type: "restart" });
    expect(state).toEqual({ ...INITIAL, consented: true });
  });

  it("goes on after a reload as it was", () => {
    const back = {
      current: { id: "v", name: "", kind: "call" as const }, learning: { ...INITIAL.learning, stage: "ready" as const },
      manner: { ...PLAIN, speed: 1.3 }, bargeIn: true, said: [], figures: [],
    };
    const state = after({ type: "found", resumable: true }, { type: "start" }, READY, { type: "returned", back });
    expect(state).toMatchObject({ phase: "speaking", bargeIn: true, manner: { speed: 1.3 }, resumable: false });
    const unlearned = after({ type: "start" }, READY, { type: "returned", back: { ...back, current: null } });
    expect(unlearned.phase).toBe("learning");
  });

  it("is not there for what belongs to one", () => {
    expect(after({ type: "ended", reason: "replaced" })).toEqual(INITIAL);
  });

  it.each<[PageEvent, Partial<PageState>]>([
    [{ type: "mic", mic: "lost" }, { mic: "lost" }],
    [{ type: "connection", quality: "interrupted" }, { connection: "interrupted" }],
    [{ type: "barge-in", on: true }, { bargeIn: true }],
    [{ type: "manner", manner: { speed: 2 } }, { manner: { ...PLAIN, speed: 2 } }],
    [{ type: "alert", alert: { code: "x", detail: "", tone: "done" } }, { alert: { code: "x", detail: "", tone: "done" } }],
  ])("keeps what %j says", (event, part) => {
    expect(reduce(after(...USABLE), event)).toMatchObject(part);
  });
});
