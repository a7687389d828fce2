/** What the page shows, and what changes it: one table. Pure. */

/** `error` is `welcome` with a reason why it did not work. */
export type Phase = "welcome" | "starting" | "learning" | "speaking" | "ended" | "error";

/** What can happen that shows something else. */
export type Turn = "start" | "fail" | "learn" | "speak" | "end" | "restart";

const TABLE: Readonly<Record<Phase, Partial<Record<Turn, Phase>>>> = {
  welcome: { start: "starting" },
  error: { start: "starting" },
  starting: { learn: "learning", speak: "speaking", fail: "error", end: "ended" },
  learning: { speak: "speaking", learn: "learning", end: "ended" },
  speaking: { learn: "learning", speak: "speaking", end: "ended" },
  ended: { restart: "welcome", start: "starting" },
};

/** The phase after something has happened; where it has no meaning, nothing changes. */
export function turned(phase: Phase, turn: Turn): Phase {
  return TABLE[phase][turn] ?? phase;
}

/** Whether there is a call in this phase. */
export function inCall(phase: Phase): boolean {
  return phase === "learning" || phase === "speaking";
}
