/** Small pure parts: text pieces, back-off, liveness, silence, onset, level. */

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { Backoff } from "../src/backoff.js";
import { levelDbfs } from "../src/level.js";
import { Liveness } from "../src/liveness.js";
import { HearingDelay, isQuiet, onset } from "../src/onset.js";
import { CodePoints, isShort, pieces } from "../src/pieces.js";
import { SilenceWatch } from "../src/silence.js";

const RATE_HZ = 48_000;
const text = fc.string({ unit: "binary", maxLength: 8000 });

describe("texts in pieces", () => {
  test("say the same together, and each fits into a message", () => {
    fc.assert(fc.property(text, (whole) => {
      const parts = [...pieces(whole)];
      expect(parts.join("")).toBe(whole);
      for (const part of parts) {
        expect(part).not.toBe("");
        expect(new TextEncoder().encode(JSON.stringify(part)).length).toBeLessThan(14_000);
      }
    }));
  });

  test("never part a character that takes two units", () => {
    const parts = [...pieces("😀".repeat(5000))];
    expect(parts.length).toBe(3);
    for (const part of parts) expect(part).toMatch(/^(😀)+$/u);
  });

  it("is known which texts are one", () => {
    expect(isShort("a".repeat(2000))).toBe(true);
    expect(isShort("a".repeat(2001))).toBe(false);
  });
});

describe("offsets of code points", () => {
  test("are those of the string's iterator", () => {
    fc.assert(fc.property(text, fc.array(fc.nat(5000), { maxLength: 20 }), (whole, points) => {
      const offsets = new CodePoints();
      for (const point of points) {
        const expected = [...whole].slice(0, point).join("").length;
        expect(offsets.unitOf(whole, point)).toBe(expected);
      }
    }));
  });
});

describe("back-off", () => {
  test("doubles up to 5 s, with a share drawn by lot", () => {
    const delays = (random: number) => {
      const backoff = new Backoff(0, 1e9, () => random);
      return Array.from({ length: 7 }, () => backoff.next(0));
    };
    expect(delays(0)).toEqual([300, 600, 1200, 2400, 2500, 2500, 2500]);
    expect(delays(0.999999).map((ms) => Math.round(ms as number))).toEqual([600, 1200, 2400, 4800, 5000, 5000, 5000]);
  });

  it("gives up when its time is over", () => {
    const backoff = new Backoff(1_000, 60_000);
    expect(backoff.next(60_999)).not.toBeNull();
    expect(backoff.next(61_000)).toBeNull();
  });
});

describe("liveness", () => {
  it("is lost after 10 s of silence while the timer ticks", () => {
    const liveness = new Liveness(0);
    for (let now = 1_000; now <= 10_000; now += 1_000) expect(liveness.lost(now)).toBe(false);
    expect(liveness.lost(11_000)).toBe(true);
  });

  it("starts over with each message", () => {
    const liveness = new Liveness(0);
    for (let now = 1_000; now <= 60_000; now += 1_000) {
      if (now % 9_000 === 0) liveness.heard(now);
      expect(liveness.lost(now)).toBe(false);
    }
  });

  it("is not lost by a tab whose timers have slept", () => {
    const liveness = new Liveness(0);
    expect(liveness.lost(60_000)).toBe(false);
    expect(liveness.lost(61_000)).toBe(false);
    for (let now = 62_000; now <= 70_000; now += 1_000) liveness.lost(now);
    expect(liveness.lost(71_000)).toBe(true);
  });
});

describe("a silent microphone", () => {
  it("is noticed after 2 s of zeros, once, and when it comes back", () => {
    const watch = new SilenceWatch();
    const seen = [true, true, true, true, true, true, true, true, false, false].map(
      (zero, index) => watch.look(zero, 400 * index));
    expect(seen).toEqual([null, null, null, null, null, "silent", null, null, "heard", null]);
    expect(watch.isSilent).toBe(false);
  });

  it("is none while anything at all is heard", () => {
    fc.assert(fc.property(fc.array(fc.nat(1_900), { maxLength: 50 }), (gaps) => {
      const watch = new SilenceWatch();
      let now = 0;
      for (const gap of gaps) {
        expect(watch.look(true, now)).toBeNull();
        expect(watch.look(true, now + gap)).toBeNull();
        now += gap;
        expect(watch.look(false, now)).toBeNull();
      }
    }));
  });

  it("starts over for another microphone", () => {
    const watch = new SilenceWatch();
    watch.look(true, 0);
    watch.reset();
    expect(watch.look(true, 3_000)).toBeNull();
  });
});

describe("the onset of a sound", () => {
  const sound = (...parts: Array<[ms: number, amplitude: number]>) => {
    const all = parts.flatMap(([ms, amplitude]) =>
      Array.from({ length: ms * 48 }, (_, at) => amplitude * Math.sin(at / 7)));
    return Float32Array.from(all);
  };

  test.each([
    ["silence", sound([170, 0]), true, -1],
    ["something too quiet to hear", sound([170, 0.001]), true, -1],
    ["a sound from the beginning", sound([170, 0.1]), true, 0],
    ["a sound that was there before", sound([170, 0.1]), false, -1],
    ["a sound after silence", sound([100, 0], [70, 0.1]), false, 100],
    ["a sound after the end of another", sound([40, 0.1], [60, 0], [70, 0.1]), false, 100],
    ["a gap too short to part sounds", sound([80, 0.1], [20, 0], [70, 0.1]), false, -1],
  ])("%s", (_, samples, quiet, expectedMs) => {
    const at = onset(samples, RATE_HZ, quiet);
    expect(at < 0 ? -1 : Math.round(at / 48)).toBe(expectedMs);
  });

  it("is the same as not being quiet", () => {
    expect(isQuiet(sound([50, 0]), RATE_HZ)).toBe(true);
    expect(isQuiet(sound([50, 0], [10, 0.1]), RATE_HZ)).toBe(false);
  });

  it("tells how late sound is to messages", () => {
    const delay = new HearingDelay();
    expect(delay.ms).toBe(60);
    for (let round = 0; round < 20; round += 1) delay.measured(1_000, 1_200);
    expect(delay.ms).toBeCloseTo(200, 1);
    for (let round = 0; round < 20; round += 1) delay.measured(1_000, 900);
    expect(delay.ms).toBeCloseTo(0, 1);
  });
});

describe("level", () => {
  test.each([
    ["full scale", Float32Array.of(1, -1, 1, -1), 0],
    ["a half", Float32Array.of(0.5, -0.5), -6.02],
    ["silence", new Float32Array(8), -120],
    ["nothing", new Float32Array(0), -120],
  ])("of %s", (_, samples, expected) => {
    expect(levelDbfs(samples)).toBeCloseTo(expected, 2);
  });
});
