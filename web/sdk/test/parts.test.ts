/** Streams, events, requests, memory, batches of text. */

import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { deferred, sleep, withTimeout } from "../src/deferred.js";
import { Emitter } from "../src/emitter.js";
import { randomId } from "../src/ids.js";
import { Memory } from "../src/memory.js";
import { refusal, Requests } from "../src/requests.js";
import { Stream } from "../src/stream.js";
import { TextFeed } from "../src/text_feed.js";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const got: Item[] = [];
  for await (const item of items) got.push(item);
  return got;
}

describe("a stream", () => {
  it("gives every reader everything, whenever it begins to read", async () => {
    const stream = new Stream<number>();
    stream.push(1);
    const early = all(stream);
    await Promise.resolve();
    stream.push(2);
    const late = all(stream);
    stream.push(3);
    stream.close();
    stream.push(4);
    expect([await early, await late, await all(stream)]).toEqual([[1, 2, 3], [1, 2, 3], [1, 2, 3]]);
  });

  it("can be left in the middle", async () => {
    const stream = new Stream<number>();
    stream.push(1);
    stream.push(2);
    for await (const item of stream) if (item === 1) break;
    stream.close();
    expect(await all(stream)).toEqual([1, 2]);
  });
});

describe("events", () => {
  it("reach every listener until it is off", () => {
    const events = new Emitter<{ a: number }>();
    const got: number[] = [];
    const off = events.on("a", (value) => got.push(value));
    events.on("a", (value) => got.push(10 * value));
    events.emit("a", 1);
    off();
    events.emit("a", 2);
    expect(got).toEqual([1, 10, 20]);
  });

  it("can be waited for, once", async () => {
    const events = new Emitter<{ a: number }>();
    const first = events.once("a");
    events.emit("a", 1);
    events.emit("a", 2);
    expect(await first).toBe(1);
  });

  it("go on where a listener throws, whose error is reported", () => {
    const reported = vi.fn();
    vi.stubGlobal("reportError", reported);
    const events = new Emitter<{ a: number }>();
    const got: number[] = [];
    events.on("a", () => { throw new Error("of the application"); });
    events.on("a", (value) => got.push(value));
    events.emit("a", 1);
    expect(got).toEqual([1]);
    expect(reported).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
  });
});

describe("promises", () => {
  it("give up in time", async () => {
    const late = withTimeout(new Promise(() => undefined), 1_000, () => new Error("late"));
    late.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(late).rejects.toThrow("late");
    expect(await withTimeout(Promise.resolve(7), 1_000, () => new Error("late"))).toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are settled from outside, and nobody has to look at a rejection", async () => {
    const one = deferred<number>();
    one.reject(new Error("ignored"));
    await sleepFake(10);
    await expect(one.promise).rejects.toThrow("ignored");
  });

  async function sleepFake(ms: number): Promise<void> {
    const slept = sleep(ms);
    await vi.advanceTimersByTimeAsync(ms);
    return slept;
  }
});

test("ids are 128 bits, and no two are alike", () => {
  const ids = new Set(Array.from({ length: 1000 }, randomId));
  expect(ids.size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
});

describe("requests", () => {
  const answer = (id: string) => ({ kind: "answer" as const, name: "stats.get", id, fields: { a: 1 } });
  const refused = (id: string) =>
    ({ kind: "refusal" as const, name: "error-response", id, fields: { error: "no", code: "forbidden" } });

  it("are answered by their ids, in any order", async () => {
    const [requests, ids] = [new Requests(), [] as string[]];
    const [one, other] = [requests.ask((id) => ids.push(id)), requests.ask((id) => ids.push(id))];
    expect(requests.take(refused(ids[1] as string))).toBe(true);
    expect(requests.take(answer(ids[0] as string))).toBe(true);
    expect(await one).toEqual({ a: 1 });
    await expect(other).rejects.toMatchObject({ code: "forbidden", detail: "no" });
    expect(requests.take(answer(ids[0] as string))).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("fail where they cannot be sent, with the connection, and in time", async () => {
    const requests = new Requests();
    await expect(requests.ask(() => { throw new Error("not sent"); })).rejects.toThrow("not sent");
    const pending = requests.ask(() => undefined);
    requests.lost();
    await expect(pending).rejects.toMatchObject({ code: "connection_lost" });
    const forgotten = requests.ask(() => undefined);
    forgotten.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(75_000);
    await expect(forgotten).rejects.toMatchObject({ code: "timeout" });
  });

  it("tell which utterance a refusal is about", () => {
    expect(refusal({ error: "too long", code: "text_too_long", utterance_id: "u1" })).toMatchObject(
      { code: "text_too_long", detail: "too long", utteranceId: "u1" });
    expect(refusal({})).toMatchObject({ code: "internal", detail: "", utteranceId: undefined });
  });
});

describe("what a call was told of how to speak", () => {
  it("is said again, the last of everything", () => {
    const memory = new Memory();
    expect(memory.replay()).toEqual([]);
    memory.asked("controls.set", { speed: 1.5, energy: 2 });
    memory.asked("controls.set", { speed: 1.2 });
    memory.asked("controls.set", { utterance_id: "u1", speed: 2 });
    memory.asked("session.configure", { barge_in: true });
    memory.asked("lexicon.set", { words: { a: "b" } });
    memory.asked("lexicon.set", { words: { c: "d" } });
    memory.asked("lexicon.set", { words: { e: "f" }, voice_id: "v" });
    memory.asked("voice.use", { voice_id: "v" });
    memory.asked("voice.mix", { weights: { v: 1, w: 1 } });
    expect(memory.replay()).toEqual([
      ["controls.set", { speed: 1.2, energy: 2 }],
      ["session.configure", { barge_in: true }],
      ["lexicon.set", { words: { c: "d" } }],
      ["lexicon.set", { words: { e: "f" }, voice_id: "v" }],
      ["voice.mix", { weights: { v: 1, w: 1 } }],
    ]);
  });

  it("does not bring back a voice that only the lost call had", () => {
    const memory = new Memory();
    memory.asked("voice.use", { voice_id: "v" });
    memory.learned();
    expect([memory.losesVoice, memory.replay()]).toEqual([true, []]);
    memory.asked("voice.use", { voice_id: "saved" });
    expect([memory.losesVoice, memory.replay()]).toEqual([false, [["voice.use", { voice_id: "saved" }]]]);
  });
});

describe("deltas of a text", () => {
  it("go at once at first, then together every 20 ms", async () => {
    const sent: string[] = [];
    const feed = new TextFeed((text) => sent.push(text));
    for (const delta of ["Hel", "lo ", "", "there", ", "]) feed.push(delta);
    expect(sent).toEqual(["Hel"]);
    await vi.advanceTimersByTimeAsync(20);
    expect(sent).toEqual(["Hel", "lo there, "]);
    feed.push("you");
    feed.push(".");
    feed.flush();
    expect(sent.join("")).toBe("Hello there, you.");
    await vi.advanceTimersByTimeAsync(100);
    feed.push("!");
    expect(sent.at(-1)).toBe("!");
  });
});
