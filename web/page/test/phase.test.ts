import { describe, expect, it } from "vitest";
import { type Phase, type Turn, inCall, turned } from "../src/phase.js";

const PHASES: Phase[] = ["welcome", "starting", "learning", "speaking", "ended", "error"];
const TURNS: Turn[] = ["start", "fail", "learn", "speak", "end", "restart"];

describe("phases", () => {
  it.each<[Turn[], Phase]>([
    [["start", "learn", "speak", "end", "restart"], "welcome"],
    [["start", "fail"], "error"],
    [["start", "fail", "start", "speak"], "speaking"],
    [["start", "learn", "speak", "learn"], "learning"],
    [["start", "learn", "end"], "ended"],
    [["start", "end"], "ended"],
  ])("after %j it is %s", (turns, phase) => {
    expect(turns.reduce<Phase>(turned, "welcome")).toBe(phase);
  });

  it("stays where a turn has no meaning", () => {
    expect(turned("welcome", "speak")).toBe("welcome");
    expect(turned("welcome", "end")).toBe("welcome");
    expect(turned("ended", "learn")).toBe("ended");
    expect(turned("learning", "fail")).toBe("learning");
  });

  it("can be left, whichever it is", () => {
    for (const phase of PHASES) {
      expect(TURNS.some((turn) => turned(phase, turn) !== phase), phase).toBe(true);
    }
  });

  it("reaches a call only by a start", () => {
    for (const phase of PHASES.filter((one) => !inCall(one) && one !== "starting")) {
      for (const turn of TURNS) expect(inCall(turned(phase, turn))).toBe(false);
    }
  });
});
