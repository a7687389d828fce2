import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_SAYINGS, again, began, hasRoom, held, holding, isSpeaking, lit, open, over, released, sent, spoke, unitsOf } from "../src/transcript.js";

const one = () => sent([], "a", "Good morning.");

describe("a text", () => {
  it("waits, is heard word by word, and is done", () => {
    let all = one();
    expect(all[0]).toMatchObject({ state: "waiting", latencyMs: null });
    all = began(all, "a", 120);
    expect(all[0]).toMatchObject({ state: "playing", latencyMs: 120 });
    all = spoke(all, "a", 5, 12);
    expect(lit(all[0]!)).toEqual(["Good ", "morning", "."]);
    all = over(all, "a", "done", 900);
    expect(all[0]).toMatchObject({ state: "done", playedMs: 900 });
    expect(lit(all[0]!)).toEqual(["Good morning.", "", ""]);
  });

  it("that is interrupted stays lit as far as it was heard", () => {
    const all = over(spoke(one(), "a", 0, 4), "a", "cancelled", 300);
    expect(lit(all[0]!)).toEqual(["", "Good", " morning."]);
  });

  it("that is over does not change any more", () => {
    const all = over(one(), "a", "failed", 0, { code: "engine_failed", detail: "" });
    expect(spoke(began(all, "a", 5), "a", 0, 4)).toEqual(all);
    expect(over(all, "a", "done", 5)).toEqual(all);
  });

  it("counts as speech while it waits or is heard", () => {
    expect(isSpeaking([])).toBe(false);
    expect(isSpeaking(one())).toBe(true);
    expect(isSpeaking(began(one(), "a", null))).toBe(true);
    expect(isSpeaking(over(one(), "a", "lost", 0))).toBe(false);
  });
});

describe("a transcript", () => {
  it("changes nothing for an id that it does not know", () => {
    expect(began(one(), "b", 1)).toEqual(one());
  });

  it("knows which texts are to go on", () => {
    const all = sent(over(one(), "a", "done", 1), "b", "Next.");
    expect(open(all).map(({ id }) => id)).toEqual(["b"]);
  });

  it("drops the oldest", () => {
    let all = one();
    for (let index = 0; index < MAX_SAYINGS; index += 1) all = over(sent(all, String(index), "x"), String(index), "done", 1);
    expect(all).toHaveLength(MAX_SAYINGS);
    expect(all.slice(0, 2).map(({ id }) => id)).toEqual(["a", "1"]);
  });

  it("drops nothing that is still to be said", () => {
    let all = one();
    for (let index = 0; index < 2 * MAX_SAYINGS; index += 1) all = held(all, String(index), "x");
    expect(all).toHaveLength(2 * MAX_SAYINGS + 1);
    expect(holding(all)).toHaveLength(2 * MAX_SAYINGS);
  });
});

describe("a text that is held", () => {
  const both = () => sent(held([], "h", "Later."), "b", "Now.");

  it("keeps its place when it is sent", () => {
    expect(released(both(), "h", "u1")).toMatchObject([{ id: "u1", state: "waiting", text: "Later." }, { id: "b" }]);
    expect(released(both(), "b", "u1")).toEqual(both());
  });

  it("can be one that was lost, from its beginning", () => {
    const lost = over(spoke(both(), "b", 0, 3), "b", "lost", 200);
    expect(again(lost, "b")[1]).toMatchObject({ state: "held", start: 0, end: 0, playedMs: 0, fault: null });
    expect(isSpeaking(again(lost, "b"))).toBe(true);
  });

  it("waits while the service has enough to say", () => {
    let all = held([], "h", "x");
    expect(hasRoom(all, "x".repeat(300_000))).toBe(true);
    for (let index = 0; hasRoom(all, "x"); index += 1) all = sent(all, String(index), "x");
    expect(all.length).toBeLessThan(32);
    expect(hasRoom(over(all, "0", "done", 1), "x")).toBe(true);
    expect(hasRoom(sent([], "a", "x".repeat(60_000)), "x".repeat(60_000))).toBe(false);
  });

});

describe("offsets", () => {
  it("count pictures as one point and two units", () => {
    expect(unitsOf("a😀b", 0)).toBe(0);
    expect(unitsOf("a😀b", 2)).toBe(3);
    expect(unitsOf("a😀b", 3)).toBe(4);
    expect(unitsOf("a😀b", 99)).toBe(4);
  });

  it("agree with the code points of any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, points) => {
      expect(text.slice(0, unitsOf(text, points))).toBe(Array.from(text).slice(0, points).join(""));
    }));
  });

  it("cut every text into slices that join again", () => {
    fc.assert(fc.property(fc.string(), fc.nat(30), fc.nat(30), (text, from, length) => {
      expect(lit({ text, start: from, end: from + length }).join("")).toBe(text);
    }));
  });
});
