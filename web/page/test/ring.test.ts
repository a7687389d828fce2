// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { RAYS, Ring, litRays, loudness, ray } from "../src/ring.js";

function svg(): SVGSVGElement {
  return document.createElementNS("http://www.w3.org/2000/svg", "svg");
}

describe("a ray", () => {
  it("points up first, and right a quarter later", () => {
    const [up, right] = [ray(0, 0), ray(RAYS / 4, 0)];
    expect(up.x1).toBeCloseTo(120);
    expect(up.y2).toBeLessThan(up.y1);
    expect(right.y2).toBeCloseTo(120);
    expect(right.x2).toBeGreaterThan(right.x1);
  });

  it("is longer the louder it is, and never leaves the picture", () => {
    for (let index = 0; index < RAYS; index += 1) {
      const [quiet, loud] = [ray(index, 0), ray(index, 1)].map(({ x1, y1, x2, y2 }) => Math.hypot(x2 - x1, y2 - y1));
      expect(loud).toBeGreaterThanOrEqual(quiet!);
      const { x2, y2 } = ray(index, 1);
      expect(Math.hypot(x2 - 120, y2 - 120)).toBeLessThanOrEqual(120);
    }
  });
});

describe("a share and a level", () => {
  it.each([[0, 0], [0.5, RAYS / 2], [1, RAYS], [2, RAYS], [-1, 0]])("%d lights %d rays", (share, count) => {
    expect(litRays(share)).toBe(count);
  });

  it.each([[-120, 0], [-60, 0], [-35, 0.5], [-10, 1], [0, 1]])("%d dBFS is %d loud", (dbfs, level) => {
    expect(loudness(dbfs)).toBeCloseTo(level);
  });
});

describe("a ring", () => {
  it("lights its rays from the top", () => {
    const element = svg();
    const ring = new Ring(element);
    ring.share = 0.25;
    const lit = [...element.children].map((line) => line.classList.contains("lit"));
    expect(lit.slice(0, RAYS / 4)).not.toContain(false);
    expect(lit.slice(RAYS / 4)).not.toContain(true);
    ring.share = 0;
    expect(element.querySelector(".lit")).toBeNull();
  });

  it("rises at once and falls slowly", () => {
    const element = svg();
    const ring = new Ring(element);
    const length = () => {
      const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) => Number(element.children[3]!.getAttribute(name)));
      return Math.hypot(x2! - x1!, y2! - y1!);
    };
    const rest = length();
    ring.level = 1;
    const loud = length();
    expect(loud).toBeGreaterThan(rest + 2);
    ring.level = 0;
    expect(length()).toBeLessThan(loud);
    expect(length()).toBeGreaterThan(rest + 1);
    for (let frame = 0; frame < 30; frame += 1) ring.level = 0;
    expect(length()).toBeCloseTo(rest, 0);
  });
});
