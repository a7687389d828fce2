/** The table of a call's states. */

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Happening, type Stage, isReturnable, next, seen } from "../src/lifecycle.js";

const HAPPENINGS: Happening[] = ["connect", "established", "media_stopped", "media_flows", "lost", "ended"];

describe("a call", () => {
  test.each<[Stage, Partial<Record<Happening, Stage>>]>([
    ["idle", { connect: "connecting", ended: "closed" }],
    ["connecting", { established: "connected", lost: "closed", ended: "closed" }],
    ["connected", { media_stopped: "shaky", lost: "rejoining", ended: "closed" }],
    ["shaky", { media_flows: "connected", lost: "rejoining", ended: "closed" }],
    ["rejoining", { established: "connected", ended: "closed" }],
    ["closed", {}],
  ])("that is %s changes by what has a meaning for it only", (stage, changes) => {
    for (const happening of HAPPENINGS) expect(next(stage, happening)).toBe(changes[happening] ?? stage);
  });

  test.each<[Stage, string]>([
    ["idle", "idle"], ["connecting", "connecting"], ["connected", "connected"], ["shaky", "interrupted"],
    ["rejoining", "interrupted"], ["closed", "closed"],
  ])("that is %s is seen as %s", (stage, state) => {
    expect(seen(stage)).toBe(state);
  });

  it("stays over, whatever happens, and can always be ended", () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...HAPPENINGS)), (happenings) => {
      const stage = happenings.reduce<Stage>(next, "idle");
      expect(next(stage, "ended")).toBe("closed");
      if (happenings.includes("ended")) expect(stage).toBe("closed");
    }));
  });

  test.each([
    ["connection_lost", true], ["channel_closed", true], ["client_vanished", true], ["signaling_lost", true],
    ["shutting_down", true], ["client_left", false], ["replaced", false], ["resumed_elsewhere", false],
    ["ended_by_operator", false], ["internal", false], ["a word of a newer service", false],
  ])("that ends as %s is come back to: %s", (reason, expected) => {
    expect(isReturnable(reason)).toBe(expected);
  });
});
