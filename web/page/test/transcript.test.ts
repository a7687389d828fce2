import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_SAYINGS, began, isSpeaking, lit, open, over, sent, spoke, unitsOf } from "../src/transcript.js";

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
    for (let index = 0; index < MAX_SAYINGS; index += 1) all = sent(all, String(index), "x");
    expect(all).toHaveLength(MAX_SAYINGS);
    expect(all.some(({ id }) => id === "a")).toBe(false);
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
