/** Texts: how they go out, and how what is heard of them is followed. */

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Utterance } from "../src/index.js";
import { sleep } from "../src/deferred.js";
import { wireFields } from "../src/utterance.js";
import { browser, call, fakeBrowser, of, pass } from "./kit/browser.js";
import { FakeAudioContext } from "./kit/media.js";

fakeBrowser();

const DONE = { audio_ms: 900, first_audible_ms: 100, rtf: 0.1, underruns: 1 };

/** What is heard: nothing, until a sound begins at a time. */
function hear(fromMs: number): void {
  const context = FakeAudioContext.all.at(-1) as FakeAudioContext;
  context.fill = (samples) => samples.forEach((_, index) => {
    const at = performance.now() - (samples.length - index) / 48;
    samples[index] = at >= fromMs ? 0.1 * Math.sin(index / 7) : 0;
  });
}

async function* deltas(texts: string[], everyMs: number): AsyncGenerator<string> {
  for (const text of texts) {
    yield text;
    await sleep(everyMs);
  }
}

const said = (utterance: Utterance) => browser.service.got("utterance.append")
  .filter((fields) => fields["utterance_id"] === utterance.id).map(({ text }) => text).join("");

describe("a text", () => {
  it("goes as one message, with how it is to be said", async () => {
    const { peer } = await call();
    const utterance = peer.speak("Hello.", {
      language: "en-us", voiceId: "v", priority: 2, speed: 1.1, pitchSemitones: 1, energy: 1, volume: 0.5, pauses: 1,
      emotion: "happy", emotionStrength: 0.5, ssml: false, visemes: true, captions: true, interrupt: true,
    });
    await pass();
    expect(browser.service.got("utterance.speak")).toEqual([{
      utterance_id: utterance.id, text: "Hello.", language: "en-us", voice_id: "v", priority: 2, speed: 1.1,
      pitch_semitones: 1, energy: 1, volume: 0.5, pauses: 1, emotion: "happy", emotion_strength: 0.5, ssml: false,
      visemes: true, captions: true, interrupt: true,
    }]);
    expect(peer.utterances).toEqual([utterance]);
  });

  it("that is long goes in pieces, only the first of which opens it", async () => {
    const { peer } = await call();
    const text = "好。".repeat(3_000);
    const utterance = peer.speak(text, { speed: 2 });
    await pass();
    const appended = browser.service.got("utterance.append");
    expect(appended.map(({ speed }) => speed)).toEqual([2, undefined, undefined]);
    expect(said(utterance)).toBe(text);
    expect(browser.service.got("utterance.end")).toEqual([{ utterance_id: utterance.id }]);
  });

  it("comes from a model, in few messages and whole", async () => {
    const { peer } = await call();
    const words = "So this is what a language model writes, word by word.".split(/(?<= )/);
    const utterance = peer.speak(deltas(words, 5), { language: "auto" });
    await pass(200);
    expect(said(utterance)).toBe(words.join(""));
    const messages = browser.service.got("utterance.append");
    expect(messages.length).toBeLessThan(words.length);
    expect(messages[0]).toEqual({ utterance_id: utterance.id, text: "So ", language: "auto" });
    expect(browser.service.got("utterance.end")).toEqual([{ utterance_id: utterance.id }]);
    expect(utterance.text).toBe(words.join(""));
  });

  it("whose source fails, fails", async () => {
    const { peer } = await call();
    async function* failing(): AsyncGenerator<string> {
      yield "This is ";
      throw new Error("the model is gone");
    }
    const utterance = peer.speak(failing());
    await pass(100);
    expect(await utterance.finished).toMatchObject({ how: "failed", error: { code: "text_stream_failed", fault: "user" } });
    expect(browser.service.got("utterance.cancel")).toEqual([{ utterance_id: utterance.id }]);
  });

  it("is asked for no further when it was silenced", async () => {
    const { peer } = await call();
    let asked = 0;
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        asked += 1;
        yield "on and on ";
        await sleep(10);
      }
    }
    const utterance = peer.speak(endless());
    await pass(100);
    utterance.cancel();
    browser.service.channel.tell("utterance.cancelled", { utterance_id: utterance.id, played_ms: 80 });
    await pass(50);
    const before = asked;
    await pass(1_000);
    expect(asked).toBe(before);
    expect(await utterance.finished).toMatchObject({ how: "cancelled", playedMs: 80 });
  });

  it("waits while the network does not take it", async () => {
    const { peer } = await call();
    browser.service.channel.bufferedAmount = 300_000;
    const utterance = peer.speak(deltas(["Hello"], 1));
    await pass(500);
    expect(said(utterance)).toBe("");
    browser.service.channel.bufferedAmount = 0;
    await pass(100);
    expect(said(utterance)).toBe("Hello");
  });

  it("of which nothing came is over", async () => {
    const { peer } = await call();
    const [empty, cancelled] = [peer.speak(deltas([], 1)), peer.open()];
    cancelled.cancel();
    await pass(10);
    expect(await empty.finished).toMatchObject({ how: "done", playedMs: 0 });
    expect(await cancelled.finished).toMatchObject({ how: "cancelled" });
    expect(browser.service.got("utterance.end")).toEqual([]);
    expect(browser.service.got("utterance.cancel")).toEqual([]);
  });

  it("is appended to, flushed, changed, silenced and ended by hand", async () => {
    const { peer } = await call();
    const utterance = peer.open({ emotion: "sad" }).flush().append("One ").append("two").flush().end();
    await Promise.all([utterance.set({ speed: 2, emotionStrength: 0 }), pass()]);
    utterance.cancel();
    peer.cancel();
    await pass();
    const names = browser.service.messages.map(({ name }) => name).filter((name) => /^(utterance|controls)/.test(name));
    expect(names).toEqual(["utterance.append", "utterance.append", "utterance.flush", "utterance.end", "controls.set",
      "utterance.cancel", "utterance.cancel"]);
    expect(browser.service.got("controls.set")).toEqual([{ utterance_id: utterance.id, speed: 2, emotion_strength: 0 }]);
    expect(browser.service.got("utterance.cancel")).toEqual([{ utterance_id: utterance.id }, {}]);
  });

  it("that the service refuses has failed, with the service's reason", async () => {
    const { peer, told } = await call();
    const [refused, failed] = [peer.speak("One."), peer.speak("Two.")];
    const { channel } = browser.service;
    channel.say("error", { error: "too long", code: "text_too_long", utterance_id: refused.id });
    channel.tell("utterance.failed",
      { utterance_id: failed.id, code: "engine_failed", message: "crash", played_ms: 40, retryable: true });
    expect(await refused.finished).toMatchObject({ how: "failed", error: { code: "text_too_long", detail: "too long" } });
    expect(await failed.finished).toMatchObject({ how: "failed", playedMs: 40, error: { code: "engine_failed" } });
    expect(of(told, "error")).toEqual([]);
    await pass();
    expect(of(told, "finished").map(({ utterance }) => utterance)).toEqual([refused, failed]);
    expect(peer.utterances).toEqual([]);
  });

  it("cannot be said without a connection", async () => {
    const { peer } = await call();
    browser.service.channel.readyState = "closing";
    expect(() => peer.speak("Hello.")).toThrow(expect.objectContaining({ code: "not_connected" }));
    expect(peer.utterances).toEqual([]);
  });
});

describe("what is heard", () => {
  it("is measured from the sending of the text to its first sound", async () => {
    const { peer, told } = await call();
    hear(Infinity);
    await pass(300);
    const utterance = peer.speak("Hello.");
    hear(performance.now() + 170);
    await pass(120);
    browser.service.channel.tell("utterance.started", { utterance_id: utterance.id, latency_ms: 90 });
    await pass(200);
    const audible = await utterance.audible;
    expect(audible).toMatchObject({ serviceMs: 90, measured: true });
    expect(audible?.latencyMs).toBeGreaterThan(160);
    expect(audible?.latencyMs).toBeLessThan(180);
    expect(of(told, "audible")).toEqual([{ utterance, audible }]);
  });

  it("is measured also where the sound comes before the service's word of it", async () => {
    const { peer } = await call();
    hear(Infinity);
    await pass(300);
    const utterance = peer.speak("Hello.");
    hear(performance.now() + 100);
    await pass(200);
    browser.service.channel.tell("utterance.started", { utterance_id: utterance.id, latency_ms: 90 });
    const { latencyMs, measured } = await utterance.audible as NonNullable<Awaited<Utterance["audible"]>>;
    expect([Math.round(latencyMs / 10), measured]).toEqual([10, true]);
  });

  it("is reckoned from the service's word behind another text", async () => {
    const { peer } = await call();
    peer.speak("One.");
    const second = peer.speak("Two.");
    await pass(500);
    browser.service.channel.tell("utterance.started", { utterance_id: second.id, latency_ms: 480 });
    await pass(100);
    expect(await second.audible).toEqual({ latencyMs: 560, serviceMs: 480, measured: false });
  });

  it("is reckoned where the browser lets nothing be heard", async () => {
    FakeAudioContext.blocked = true;
    const { peer } = await call();
    const utterance = peer.speak("Hello.");
    browser.service.channel.tell("utterance.started", { utterance_id: utterance.id, latency_ms: 90 });
    await pass(1_000);
    expect(await utterance.audible).toMatchObject({ measured: false });
  });

  it("is nothing of a text that ended before", async () => {
    const { peer } = await call();
    const utterance = peer.speak("Hello.");
    browser.service.channel.tell("utterance.cancelled", { utterance_id: utterance.id, played_ms: 0 });
    expect(await utterance.audible).toBeNull();
  });

  it("are the words, as late as the sound, in the units of strings", async () => {
    const { peer, told } = await call();
    const utterance = peer.speak("😀 Hello there.");
    const { channel } = browser.service;
    const word = (text: string, from: number, to: number, atMs: number) => channel.tell("utterance.word",
      { utterance_id: utterance.id, text, start_ms: atMs, end_ms: atMs + 200, char_start: from, char_end: to });
    word("Hello", 2, 7, 0);
    expect(of(told, "utterance.word").length).toBe(1);
    expect(of(told, "word")).toEqual([]);
    await pass(60);
    expect(of(told, "word")).toEqual([{ utterance, word: { text: "Hello", start: 3, end: 8, startMs: 0, endMs: 200 } }]);
    word("there.", 8, 14, 250);
    channel.tell("utterance.done", { utterance_id: utterance.id, ...DONE });
    await pass(60);
    const words = [];
    for await (const one of utterance.words) words.push(utterance.text.slice(one.start, one.end));
    expect(words).toEqual(["Hello", "there."]);
    expect(await utterance.finished).toEqual({ how: "done", playedMs: 900, underruns: 1, error: null });
  });

  it("keeps its order, however late it is found to be", async () => {
    const { peer, told } = await call();
    hear(Infinity);
    await pass(300);
    const utterance = peer.speak("One two three.");
    const { channel } = browser.service;
    hear(performance.now() + 600);
    channel.tell("utterance.started", { utterance_id: utterance.id, latency_ms: 1 });
    const word = (text: string) => channel.tell("utterance.word",
      { utterance_id: utterance.id, text, start_ms: 0, end_ms: 1, char_start: 0, char_end: 3 });
    for (const text of ["One", "two"]) word(text);
    await pass(700);
    word("three.");
    await pass(700);
    expect(of(told, "word").map((one) => one.word.text)).toEqual(["One", "two", "three."]);
  });

  it("of unknown texts is passed over", async () => {
    const { told } = await call();
    const { channel } = browser.service;
    channel.tell("utterance.started", { utterance_id: "x", latency_ms: 1 });
    channel.tell("utterance.done", { utterance_id: "x", ...DONE });
    await pass(1_000);
    expect([of(told, "audible"), of(told, "finished"), of(told, "error")]).toEqual([[], [], []]);
  });
});

test("what is left out of a delivery stays out of the message", () => {
  fc.assert(fc.property(fc.record({ speed: fc.double(), voiceId: fc.string(), ssml: fc.boolean() }, { requiredKeys: [] }),
    (delivery) => {
      const fields = wireFields(delivery) as Record<string, unknown>;
      expect(Object.keys(fields).length).toBe(Object.keys(delivery).length);
      expect(fields["voice_id"]).toBe(delivery.voiceId);
      expect(fields["speed"]).toBe(delivery.speed);
    }));
});
