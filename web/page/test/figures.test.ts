import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Figures, MAX_FIGURES, PLOT, bars, curve, heardAfter, likened, mean, newest, scaleMs } from "../src/figures.js";

const latencies = (...values: number[]): Figures =>
  values.reduce<Figures>((all, ms, index) => heardAfter(all, String(index), ms), []);

describe("figures", () => {
  it("belong to one text, whichever comes first", () => {
    expect(likened(heardAfter([], "a", 120), "a", 0.9)).toEqual([{ id: "a", latencyMs: 120, similarity: 0.9 }]);
    expect(heardAfter(likened([], "a", 0.9), "a", 120)).toEqual([{ id: "a", latencyMs: 120, similarity: 0.9 }]);
  });

  it("have a newest and a mean, over those that were measured", () => {
    const all = likened(latencies(100, 200), "2", 0.5);
    expect(newest(all, "latencyMs")).toBe(200);
    expect(newest(all, "similarity")).toBe(0.5);
    expect(mean(all, "latencyMs")).toBe(150);
    expect(newest([], "latencyMs")).toBeNull();
    expect(mean([], "similarity")).toBeNull();
  });

  it("are the last twenty", () => {
    const all = latencies(...Array.from({ length: MAX_FIGURES + 5 }, (_, index) => index));
    expect(all).toHaveLength(MAX_FIGURES);
    expect(all[0]?.latencyMs).toBe(5);
  });
});

describe("the plot", () => {
  it("has a scale that grows in steps", () => {
    expect(scaleMs([])).toBe(300);
    expect(scaleMs(latencies(300))).toBe(300);
    expect(scaleMs(latencies(120, 301))).toBe(600);
    expect(scaleMs(latencies(9_000))).toBe(9_000);
  });

  it("puts the newest at the right, as high as it was late", () => {
    const [first, second] = bars(latencies(150, 300));
    expect(second!.x).toBeGreaterThan(first!.x);
    expect(second!.x + second!.width).toBeLessThanOrEqual(PLOT.width);
    expect(first!.height).toBeCloseTo(PLOT.height / 2);
    expect(second!.y).toBeCloseTo(0);
  });

  it("leaves a gap where nothing was measured", () => {
    const all = heardAfter(likened(latencies(100), "b", 0.4), "c", 100);
    const marks = bars(all);
    expect(marks).toHaveLength(2);
    expect(marks[1]!.x - marks[0]!.x).toBeCloseTo((2 * PLOT.width) / MAX_FIGURES);
  });

  it("draws likeness from 0 at the bottom to 1 at the top", () => {
    const ys = (...values: number[]) => curve(values.reduce<Figures>(
      (all, value, index) => likened(all, String(index), value), [])).split(" ").map((point) => Number(point.split(",")[1]));
    expect(ys(0, 0.5, 1)).toEqual([PLOT.height, PLOT.height / 2, 0]);
    expect(ys(-1, 3)).toEqual([PLOT.height, 0]);
    expect(curve(latencies(1, 2))).toBe("");
  });

  it("stays inside of its box, whatever was measured", () => {
    fc.assert(fc.property(fc.array(fc.double({ min: 0, max: 1e7, noNaN: true }), { maxLength: 40 }), (values) => {
      for (const { x, y, width, height } of bars(latencies(...values))) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + width).toBeLessThanOrEqual(PLOT.width);
        expect(y + height).toBeCloseTo(PLOT.height);
        expect(y).toBeGreaterThanOrEqual(-1e-6);
      }
    }));
  });
});
